// SPDX-License-Identifier: Apache-2.0
#include <pianola/gpu/driver_calls.hpp>

#include "hip_driver.hpp"

namespace pianola::hip {

using model::error_code;

namespace {

gpu::meaning meaning_of(result code) noexcept {
  switch (code) {
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
    case no_device:
    case invalid_device:
    case insufficient_driver:
      return {error_code::platform, "; see rocm-smi for the devices and rocminfo for the driver"};
    case illegal_address:
      return {error_code::runtime,
              "; a kernel accessed memory that the device cannot, such as memory of the host or "
              "past the end of an allocation"};
    case launch_failure:
      return {error_code::runtime, "; a kernel trapped or went wrong"};
    case context_is_destroyed:
      // There are no contexts; it is said of streams that are not known.
      return {error_code::runtime,
              "; a stream that a queue was made of has been destroyed: it must outlive the queue"};
    default:
      return gpu::common_meaning(code);
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
    case deinitialized:
      return true;
    default:
      return false;
  }
}

bool hip_driver::wrong_image(gpu::code code) const noexcept {
  return code == invalid_image || code == no_binary_for_gpu || code == invalid_kernel_file ||
         code == invalid_source || code == not_found;
}

executors::status hip_driver::explain(gpu::code code, std::string_view doing) const {
  return gpu::explanation(*this, "HIP", doing, code, error_text(library_.call, code),
                          meaning_of(code));
}

bool hip_driver::refused_update(gpu::code code) const noexcept {
  return code == graph_exec_update_failure || code == invalid_value || code == not_supported ||
         code == invalid_device_function;
}

}  // namespace pianola::hip
