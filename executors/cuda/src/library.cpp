// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <dlfcn.h>

#include <cstdlib>

#include <fmt/format.h>

namespace pianola::cuda {

namespace {

constexpr const char* usual_name = "libcuda.so.1";
constexpr const char* architecture_symbol = "pianola_test_driver_architecture";

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

template <class F>
void find(void* from, const char* symbol, F*& out) {
  out = reinterpret_cast<F*>(dlsym(from, symbol));
}

std::string read_choice(const char* name, const char* value, bool& on) {
  const std::string text = value == nullptr ? "" : value;
  on = text != "off";
  if (text.empty() || text == "on" || text == "off") return {};
  return fmt::format("{}='{}': it takes on or off", name, text);
}

}  // namespace

library load_library() {
  library loaded;
  const char* chosen = std::getenv("PIANOLA_CUDA_DRIVER");
  const bool overridden = chosen != nullptr && *chosen != '\0';
  loaded.path = overridden ? chosen : usual_name;
  void* const from = dlopen(loaded.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (from == nullptr) {
    const char* const why = dlerror();
    loaded.fault =
        fmt::format("no CUDA driver: {}{}", why != nullptr ? why : loaded.path,
                    overridden ? "; PIANOLA_CUDA_DRIVER must be the path of the driver's library"
                               : "; install NVIDIA's driver, or set PIANOLA_CUDA_DRIVER to the "
                                 "path of its library");
    return loaded;
  }
  // The version first: what an old driver lacks says less than how old it is.
  find(from, "cuDriverGetVersion", loaded.call.cuDriverGetVersion);
  int version = 0;
  if (loaded.call.cuDriverGetVersion != nullptr) (void)loaded.call.cuDriverGetVersion(&version);
  if (version != 0 && version < minimum_driver) {
    loaded.fault = fmt::format(
        "the CUDA driver ({}) is too old: it is one for CUDA {}, and {} or later is needed; update "
        "NVIDIA's driver to 525.60 or later",
        loaded.path, version_text(version), version_text(minimum_driver));
    return loaded;
  }
  const char* missing = nullptr;
#define PIANOLA_CUDA_FIND(name, symbol, parameters) \
  find(from, symbol, loaded.call.name);             \
  if (loaded.call.name == nullptr && missing == nullptr) missing = symbol;
  PIANOLA_CUDA_FUNCTIONS(PIANOLA_CUDA_FIND)
#undef PIANOLA_CUDA_FIND
#define PIANOLA_CUDA_FIND_OPTIONAL(name, symbol, parameters) find(from, symbol, loaded.call.name);
  PIANOLA_CUDA_OPTIONAL_FUNCTIONS(PIANOLA_CUDA_FIND_OPTIONAL)
#undef PIANOLA_CUDA_FIND_OPTIONAL
  if (missing != nullptr)
    loaded.fault = fmt::format("{} has no {}: it is no CUDA driver, or one older than CUDA {}",
                               loaded.path, missing, version_text(minimum_driver));
  find(from, architecture_symbol, loaded.architecture);
  return loaded;
}

std::string about_visible_devices() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return {};
  const std::string value = visible;
  if (value.find_first_not_of(" ,") == std::string::npos)
    return "CUDA_VISIBLE_DEVICES is empty and hides all devices: unset it, or name some, such as "
           "CUDA_VISIBLE_DEVICES=0,1";
  return fmt::format(
      "CUDA_VISIBLE_DEVICES='{}' decides which devices are seen: check it, or unset it", value);
}

std::string read_texture_choice(bool& textures) {
  return read_choice("PIANOLA_CUDA_TEXTURES", std::getenv("PIANOLA_CUDA_TEXTURES"), textures);
}

std::string read_conditional_choice(bool& conditional) {
  return read_choice("PIANOLA_CUDA_CONDITIONAL_NODES",
                     std::getenv("PIANOLA_CUDA_CONDITIONAL_NODES"), conditional);
}

std::string error_text(const functions& call, result code) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (call.cuGetErrorName == nullptr || call.cuGetErrorName(code, &name) != success) name = nullptr;
  if (call.cuGetErrorString == nullptr || call.cuGetErrorString(code, &text) != success)
    text = nullptr;
  return fmt::format("{} ({}{})",
                     text != nullptr ? text : "an error that the driver has no text for",
                     name != nullptr ? std::string(name) + ", " : std::string(), code);
}

}  // namespace pianola::cuda
