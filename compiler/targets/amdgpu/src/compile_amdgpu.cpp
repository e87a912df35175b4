// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_amdgpu.hpp"

#include <llvm/IR/Module.h>

#include "pianola/compiler/device_module.hpp"
#include "pianola/compiler/device_target.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/register_target.hpp"
#include "steps.hpp"

namespace pianola::compiler {

namespace {

class amdgpu_code final : public device_target {
 public:
  amdgpu_code(const options& chosen, const llvm::Module& device, const amdgpu::architecture& target,
              const std::string& libraries)
      : device_target(chosen, {device.getSourceFileName(), ".lowered.ll", ".ll", "", ".hsaco", ""},
                      {{target.name, target.name}}),
        target_(target),
        libraries_(libraries),
        context_(device.getContext()) {}

  bool lower(llvm::Module& module, llvm::ArrayRef<kernel> kernels) override {
    return amdgpu::lower(module, kernels, target_, chosen());
  }
  bool optimise(llvm::Module& module) override {
    return amdgpu::optimise(module, libraries_, target_, chosen());
  }
  bool check(const llvm::Module& module) override { return amdgpu::check_is_complete(module); }
  std::optional<std::string> emit(llvm::Module& module, std::size_t) override {
    return amdgpu::emit(module, target_, chosen());
  }
  std::unique_ptr<tool_run> link(const std::string& object, std::size_t) override {
    return amdgpu::link(object, context_);
  }
  void report_failure(const tool_run& run, std::size_t, llvm::LLVMContext& context) override {
    amdgpu::report_failure(run, context);
  }

 private:
  const amdgpu::architecture& target_;
  const std::string& libraries_;
  llvm::LLVMContext& context_;
};

}  // namespace

std::optional<std::vector<image>> compile_amdgpu(const llvm::Module& device,
                                                 llvm::ArrayRef<kernel> kernels,
                                                 llvm::ArrayRef<std::string> architectures,
                                                 const options& chosen) {
  const std::optional<std::string> libraries =
      amdgpu::find_device_libraries(chosen, device.getContext());
  if (!libraries) return std::nullopt;
  std::vector<image> images;
  for (const std::string& name : architectures) {
    std::string problem;
    const std::optional<amdgpu::architecture> target =
        amdgpu::parse_architecture(name, *libraries, problem);
    if (!target) {
      report_error(device.getContext(), problem);
      return std::nullopt;
    }
    amdgpu_code code(chosen, device, *target, *libraries);
    std::optional<std::vector<image>> made = compile(
        device,
        kernels_with_sub_groups_of(target->wavefront, kernels, target->name, device.getContext()),
        code);
    if (!made) return std::nullopt;
    images.push_back(std::move(made->front()));
  }
  return images;
}

const static register_target amdgpu_target(target::backend::hip, &compile_amdgpu);

}  // namespace pianola::compiler
