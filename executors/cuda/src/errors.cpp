// SPDX-License-Identifier: Apache-2.0
#include <pianola/gpu/driver_calls.hpp>

#include "cuda_driver.hpp"

namespace pianola::cuda {

using model::error_code;

namespace {

gpu::meaning meaning_of(result code) noexcept {
  switch (code) {
    case no_binary_for_gpu:
    case invalid_image:
    case invalid_source:
      return {error_code::kernel_not_supported,
              "; the image is not for this device: compile for it, with pianolacc "
              "--pianola-targets=cuda:sm_NN"};
    case invalid_ptx:
    case unsupported_ptx_version:
    case jit_compiler_not_found:
    case jit_compilation_disabled:
      return {error_code::build,
              "; the driver cannot compile the image's PTX: compile for the device itself, with "
              "pianolacc --pianola-targets=cuda:sm_NN, or update the driver"};
    case device_unavailable:
    case no_device:
    case invalid_device:
      return {error_code::platform, "; see nvidia-smi for who uses the device, and in which mode"};
    case illegal_address:
      return {error_code::runtime,
              "; a kernel accessed memory that the device cannot, such as memory of the host or "
              "past the end of an allocation: compute-sanitizer tells which kernel"};
    case illegal_instruction:
    case misaligned_address:
    case launch_failed:
      return {error_code::runtime,
              "; a kernel trapped or went wrong: compute-sanitizer tells which and where"};
    case launch_timeout:
      return {error_code::runtime,
              "; a kernel ran longer than the limit of a device that also drives a display"};
    default:
      return gpu::common_meaning(code);
  }
}

}  // namespace

bool cuda_driver::is_fatal(gpu::code code) const noexcept {
  switch (code) {
    // Those of which CUDA says that the process must be restarted.
    case contained:
    case illegal_address:
    case launch_timeout:
    case assertion:
    case hardware_stack_error:
    case illegal_instruction:
    case misaligned_address:
    case invalid_address_space:
    case invalid_pc:
    case launch_failed:
    case tensor_memory_leak:
    case mps_client_terminated:
    case external_device:
    // Memory whose contents are lost, and contexts that are gone.
    case ecc_uncorrectable:
    case nvlink_uncorrectable:
    case context_is_destroyed:
    case deinitialized:
      return true;
    default:
      return false;
  }
}

bool cuda_driver::wrong_image(gpu::code code) const noexcept {
  switch (code) {
    // Machine code of another device, or of a compiler newer than the driver.
    case invalid_image:
    case no_binary_for_gpu:
    case invalid_source:
    // PTX of a version that is newer than the driver, or of what its compiler does not know.
    case invalid_ptx:
    case unsupported_ptx_version:
    // PTX for old drivers lacks what they cannot run.
    case not_found:
      return true;
    default:
      return false;
  }
}

executors::status cuda_driver::explain(gpu::code code, std::string_view doing) const {
  return gpu::explanation(*this, "CUDA", doing, code, error_text(library_.call, code),
                          meaning_of(code));
}

bool cuda_driver::refused_update(gpu::code code) const noexcept {
  return code == graph_exec_update_failure || code == invalid_value || code == not_supported;
}

}  // namespace pianola::cuda
