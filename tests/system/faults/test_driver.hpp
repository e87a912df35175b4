// SPDX-License-Identifier: Apache-2.0
// The test double that PIANOLA_DEVICES chooses.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include <pianola/test/driver_control.hpp>

namespace pianola::test {

inline bool on_cuda() {
  const char* devices = std::getenv("PIANOLA_DEVICES");
  return devices != nullptr && std::string(devices).find("cuda") != std::string::npos;
}

inline const driver_control& control() {
  const char* path = std::getenv(on_cuda() ? "PIANOLA_CUDA_DRIVER" : "PIANOLA_HIP_RUNTIME");
  static const driver_control* const found =
      driver_control_of(dlopen(path == nullptr ? "" : path, RTLD_NOW | RTLD_LOCAL));
  if (found == nullptr) throw std::runtime_error("no test driver");
  return *found;
}

}  // namespace pianola::test
