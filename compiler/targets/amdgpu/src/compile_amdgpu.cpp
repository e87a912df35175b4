// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_amdgpu.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "pianola/compiler/device_module.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/intermediate_files.hpp"
#include "pianola/compiler/register_target.hpp"
#include "steps.hpp"

namespace pianola::compiler {

namespace {

using namespace amdgpu;

std::optional<image> compile_for(const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
                                 const architecture& target, const std::string& libraries,
                                 const options& chosen) {
  const intermediate_files files(device.getContext(), chosen, device.getSourceFileName(),
                                 target.name);
  llvm::ValueToValueMapTy copies;
  const std::unique_ptr<llvm::Module> module = llvm::CloneModule(device, copies);
  const std::vector<kernel> own = kernels_of_copy(
      kernels_with_sub_groups_of(target.wavefront, kernels, target.name, device.getContext()),
      copies);
  copies.clear();

  if (!lower(*module, own, target, chosen)) return std::nullopt;
  files.keep(*module, ".lowered.ll");
  if (!optimise(*module, libraries, target, chosen)) return std::nullopt;
  if (!check_is_complete(*module)) return std::nullopt;
  files.keep(*module, ".ll");
  const std::optional<std::string> object = emit_object(*module, target, chosen);
  if (!object) return std::nullopt;
  std::optional<std::string> code_object = link_code_object(*object, device.getContext());
  if (!code_object) return std::nullopt;
  files.keep(*code_object, ".hsaco");
  return image{target.name, std::move(*code_object)};
}

}  // namespace

std::optional<std::vector<image>> compile_amdgpu(const llvm::Module& device,
                                                 llvm::ArrayRef<kernel> kernels,
                                                 llvm::ArrayRef<std::string> architectures,
                                                 const options& chosen) {
  const std::optional<std::string> libraries = find_device_libraries(chosen, device.getContext());
  if (!libraries) return std::nullopt;
  std::vector<image> images;
  for (const std::string& name : architectures) {
    std::string problem;
    const std::optional<architecture> target = parse_architecture(name, *libraries, problem);
    if (!target) {
      report_error(device.getContext(), problem);
      return std::nullopt;
    }
    std::optional<image> made = compile_for(device, kernels, *target, *libraries, chosen);
    if (!made) return std::nullopt;
    images.push_back(std::move(*made));
  }
  return images;
}

const static register_target amdgpu_target(target::backend::hip, &compile_amdgpu);

}  // namespace pianola::compiler
