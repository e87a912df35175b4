// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>

#include <pianola/gpu/gpu_backend.hpp>

#include "cuda_driver.hpp"

namespace pianola::cuda {

namespace {

executors::backend* create(const char* options, const executors::runtime_services* services,
                           char* reason, std::size_t reason_bytes, int* user_fault) noexcept {
  *user_fault = 0;
  try {
    cuda_driver::opened opened = cuda_driver::open(options);
    if (opened.driver != nullptr)
      return gpu::make_gpu_backend(std::move(opened.driver), *services, {}).release();
    std::snprintf(reason, reason_bytes, "%s", opened.reason.c_str());
    *user_fault = opened.user_fault ? 1 : 0;
  } catch (const std::exception& e) {
    std::snprintf(reason, reason_bytes, "%s", e.what());
  }
  return nullptr;
}

}  // namespace

}  // namespace pianola::cuda

extern "C" {
extern const pianola::executors::backend_factory pianola_backend_v1;
const pianola::executors::backend_factory pianola_backend_v1{
    pianola::executors::backend_interface_version, &pianola::cuda::create};
}
