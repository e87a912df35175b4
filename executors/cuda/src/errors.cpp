// SPDX-License-Identifier: Apache-2.0
#include "cuda_driver.hpp"

namespace pianola::cuda {

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
    case launch_out_of_resources:
      return {error_code::nd_range,
              "; the work-group takes more registers or local memory than there are: make it "
              "smaller"};
    case not_supported:
      return {error_code::feature_not_supported, ""};
    case device_unavailable:
    case no_device:
    case invalid_device:
      return {error_code::platform, "; see nvidia-smi for who uses the device, and in which mode"};
    case illegal_address:
      return {error_code::runtime,
              "; a kernel accessed memory that the device cannot, such as memory of the host or "
              "past the end of an allocation: compute-sanitizer tells which kernel"};
    case launch_timeout:
      return {error_code::runtime,
              "; a kernel ran longer than the limit of a device that also drives a display"};
    case assertion:
      return {error_code::runtime, "; an assertion in a kernel failed"};
    default:
      return {};
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

executors::status cuda_driver::explain(gpu::code code, std::string_view doing) const {
  if (code == success) return {};
  const translation meaning = translate(code);
  std::string text =
      "CUDA: " + std::string(doing) + ": " + error_text(library_.call, code) + meaning.advice;
  if (is_fatal(code))
    text += "; the device cannot be used any more by this process: start a new one";
  return {meaning.code, std::move(text)};
}

bool cuda_driver::refused_update(gpu::code code) const noexcept {
  return code == graph_exec_update_failure || code == invalid_value || code == not_supported;
}

}  // namespace pianola::cuda
