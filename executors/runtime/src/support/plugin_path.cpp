// SPDX-License-Identifier: Apache-2.0
#include "support/plugin_path.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include <fmt/format.h>

namespace pianola::runtime {

std::string plugin_path(const std::string& name) {
  Dl_info info;
  static const int anchor = 0;
  std::string directory;
  if (const char* override_path = std::getenv("PIANOLA_PLUGIN_PATH"))
    directory = override_path;
  else if (dladdr(&anchor, &info) != 0 && info.dli_fname != nullptr) {
    directory = info.dli_fname;
    const auto slash = directory.rfind('/');
    directory =
        (slash == std::string::npos ? std::string(".") : directory.substr(0, slash)) + "/pianola";
  }
  return fmt::format("{}/libpianola-{}.so", directory, name);
}

}  // namespace pianola::runtime
