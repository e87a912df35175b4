// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

namespace pianola::hip {

namespace {

// By the interfaces that have been looked at, newest first.
constexpr const char* usual_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                       "libamdhip64.so"};
constexpr const char* architecture_symbol = "pianola_test_driver_architecture";

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 10000000, version % 10000000 / 100000);
}

template <class F>
bool find(void* from, const char* symbol, F*& out) {
  out = reinterpret_cast<F*>(dlsym(from, symbol));
  return out != nullptr;
}

}  // namespace

library load_library() {
  library loaded;
  void* from = nullptr;
  std::string why;
  const auto open = [&](const char* path) {
    from = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (from != nullptr) {
      loaded.path = path;
      return true;
    }
    const char* const text = dlerror();
    // The reason that is not just "no such file", if there is one.
    if (why.empty() || why.find("cannot open shared object file") != std::string::npos)
      why = text != nullptr ? text : path;
    return false;
  };
  const char* chosen = std::getenv("PIANOLA_HIP_RUNTIME");
  const bool overridden = chosen != nullptr && *chosen != '\0';
  if (overridden) {
    open(chosen);
  } else {
    for (const char* name : usual_names)
      if (open(name)) break;
  }
  if (from == nullptr) {
    loaded.fault =
        fmt::format("no HIP runtime: {}{}", why,
                    overridden ? "; PIANOLA_HIP_RUNTIME must be the path of the runtime's library"
                               : "; install ROCm's HIP runtime, or set PIANOLA_HIP_RUNTIME to the "
                                 "path of its library");
    return loaded;
  }
  const char* missing = nullptr;
#define PIANOLA_HIP_FIND(name, parameters, ...) \
  if (!find(from, #name, loaded.call.name) && missing == nullptr) missing = #name;
  PIANOLA_HIP_FUNCTIONS(PIANOLA_HIP_FIND)
#undef PIANOLA_HIP_FIND
#define PIANOLA_HIP_FIND_OPTIONAL(name, parameters, ...) find(from, #name, loaded.call.name);
  PIANOLA_HIP_OPTIONAL_FUNCTIONS(PIANOLA_HIP_FIND_OPTIONAL)
#undef PIANOLA_HIP_FIND_OPTIONAL
  if (find(from, "hipGetDevicePropertiesR0600", loaded.call.get_properties)) {
    loaded.properties_bytes = properties_bytes_6;
    loaded.architecture_name_offset = architecture_name_offset_6;
  } else {
    if (!find(from, "hipGetDeviceProperties", loaded.call.get_properties) && missing == nullptr)
      missing = "hipGetDeviceProperties";
    loaded.properties_bytes = properties_bytes_5;
    loaded.architecture_name_offset = architecture_name_offset_5;
  }
  find(from, architecture_symbol, loaded.architecture);
  // Runtimes answer this without any device.
  if (loaded.call.hipRuntimeGetVersion != nullptr)
    (void)loaded.call.hipRuntimeGetVersion(&loaded.version);
  if (loaded.version != 0 && loaded.version < minimum_runtime)
    loaded.fault = fmt::format(
        "the HIP runtime ({}) is too old: it is {}, and {} or later is needed, whose graphs take "
        "kernels that are loaded at run time",
        loaded.path, version_text(loaded.version), version_text(minimum_runtime));
  else if (missing != nullptr)
    loaded.fault = fmt::format("{} has no {}: it is no HIP runtime, or one older than {}",
                               loaded.path, missing, version_text(minimum_runtime));
  return loaded;
}

std::string about_visible_devices() {
  std::string text, empty;
  const auto tell = [&](const char* name, const char* value) {
    if (value == nullptr) return;
    if (*value == '\0' && empty.empty()) empty = name;
    text += fmt::format("{}{}='{}'", text.empty() ? "" : ", ", name, value);
  };
  tell("HIP_VISIBLE_DEVICES", std::getenv("HIP_VISIBLE_DEVICES"));
  tell("ROCR_VISIBLE_DEVICES", std::getenv("ROCR_VISIBLE_DEVICES"));
  // HIP heeds this one, too.
  tell("CUDA_VISIBLE_DEVICES", std::getenv("CUDA_VISIBLE_DEVICES"));
  if (!empty.empty())
    return fmt::format("{} is empty and hides all devices: unset it, or name some, such as {}=0,1",
                       empty, empty);
  if (text.find(", ") != std::string::npos)
    return text + " decide which devices are seen: check them, or unset them";
  return text.empty() ? text : text + " decides which devices are seen: check it, or unset it";
}

std::string error_text(const functions& call, result code) {
  const char* name = call.hipGetErrorName != nullptr ? call.hipGetErrorName(code) : nullptr;
  const char* text = call.hipGetErrorString != nullptr ? call.hipGetErrorString(code) : nullptr;
  if (name == nullptr) name = "unknown error";
  // Some versions have no text but the name.
  if (text == nullptr || *text == '\0' || std::strcmp(text, name) == 0)
    return fmt::format("{} ({})", name, code);
  return fmt::format("{} ({}, {})", text, name, code);
}

}  // namespace pianola::hip
