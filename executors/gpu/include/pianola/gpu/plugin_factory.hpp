// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <exception>
#include <utility>

#include <pianola/executors/backend.hpp>

#include "gpu_backend.hpp"

namespace pianola::gpu {

// What executors::backend_factory::create of a vendor's plugin is. `Driver::open(options)` returns the driver, or
// the reason why there is none and whether that is the options' fault.
template <class Driver>
executors::backend* create_backend(const char* options, const executors::runtime_services* services,
                                   char* reason, std::size_t reason_bytes,
                                   int* user_fault) noexcept {
  *user_fault = 0;
  try {
    auto opened = Driver::open(options);
    if (opened.driver != nullptr)
      return make_gpu_backend(std::move(opened.driver), *services, {}).release();
    std::snprintf(reason, reason_bytes, "%s", opened.reason.c_str());
    *user_fault = opened.user_fault;
  } catch (const std::exception& e) {
    std::snprintf(reason, reason_bytes, "%s", e.what());
  }
  return nullptr;
}

}  // namespace pianola::gpu
