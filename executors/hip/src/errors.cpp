// SPDX-License-Identifier: Apache-2.0
#include "hip_driver.hpp"

namespace pianola::hip {

using model::error_code;

namespace {

struct translation {
  error_code code = error_code::runtime;
  const char* advice = "";
};

translation translate(result code) noexcept {
  switch (code) {
    case out_of_memory:
      return {error_code::memory_allocation, "; the device has no memory left for this"};
    case no_binary_for_gpu:
    case invalid_image:
    case invalid_kernel_file:
    case invalid_source:
      return {error_code::kernel_not_supported,
              "; the image is not for this device: compile for it, with pianolacc "
              "--pianola-targets=hip:gfxNNN"};
    case invalid_device_function:
      return {error_code::kernel_not_supported,
              "; this HIP runtime does not take a kernel here that was loaded at run time"};
    case launch_out_of_resources:
      return {error_code::nd_range,
              "; the work-group takes more registers or local memory than there are: make it "
              "smaller"};
    case not_supported:
      return {error_code::feature_not_supported, ""};
    case no_device:
    case invalid_device:
    case insufficient_driver:
      return {error_code::platform, "; see rocm-smi for the devices and rocminfo for the driver"};
    case illegal_address:
      return {error_code::runtime,
              "; a kernel accessed memory that the device cannot, such as memory of the host or "
              "past the end of an allocation"};
    case assertion:
      return {error_code::runtime, "; an assertion in a kernel failed"};
    default:
      return {};
  }
}

}  // namespace

bool hip_driver::is_fatal(gpu::code code) const noexcept {
  switch (code) {
    case illegal_address:
    case launch_timeout:
    case assertion:
    case launch_failure:
    case ecc_not_correctable:
    case context_is_destroyed:
    case deinitialized:
      return true;
    default:
      return false;
  }
}

executors::status hip_driver::explain(gpu::code code, std::string_view doing) const {
  if (code == success) return {};
  const translation meaning = translate(code);
  std::string text =
      "HIP: " + std::string(doing) + ": " + error_text(library_.call, code) + meaning.advice;
  if (is_fatal(code))
    text += "; the device cannot be used any more by this process: start a new one";
  return {meaning.code, std::move(text)};
}

bool hip_driver::refused_update(gpu::code code) const noexcept {
  return code == graph_exec_update_failure || code == invalid_value || code == not_supported ||
         code == invalid_device_function;
}

}  // namespace pianola::hip
