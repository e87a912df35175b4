// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/amdgpu_passes.hpp"

#include <llvm/IR/Module.h>

#include "pianola/compiler/add_part_entries.hpp"
#include "pianola/compiler/annotations.hpp"
#include "pianola/compiler/compile_amdgpu.hpp"
#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/find_kernels.hpp"
#include "pianola/compiler/outline.hpp"
#include "steps.hpp"

namespace pianola::compiler {

namespace {

enum class extent { lower, optimise, image };

struct amdgpu_pass : llvm::PassInfoMixin<amdgpu_pass> {
  extent how_far;
  std::string architecture;
  options chosen;

  amdgpu_pass(extent far, llvm::StringRef wanted, const options& given)
      : how_far(far), architecture(wanted.str()), chosen(given) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const std::vector<kernel> kernels = find_kernels(module, chosen.unit);
    remove_annotations(module, "pianola.kernel");
    if (how_far == extent::image) {
      std::vector<kernel> outlined;
      const std::unique_ptr<llvm::Module> device = outline(module, kernels, outlined);
      std::vector<kernel_uses> nothing_known(outlined.size());
      compile_amdgpu(*device, add_part_entries(outlined, nothing_known), {architecture}, chosen);
    } else {
      change(module, kernels);
    }
    return llvm::PreservedAnalyses::none();
  }

  void change(llvm::Module& module, llvm::ArrayRef<kernel> kernels) {
    const auto libraries = amdgpu::find_device_libraries(chosen, module.getContext());
    if (!libraries) return;
    std::string problem;
    const auto target = amdgpu::parse_architecture(architecture, *libraries, problem);
    if (!target) {
      report_error(module.getContext(), problem);
      return;
    }
    if (amdgpu::lower(module, kernels, *target, chosen) && how_far == extent::optimise &&
        amdgpu::optimise(module, *libraries, *target, chosen))
      amdgpu::check_is_complete(module);
  }

  static bool isRequired() { return true; }
};

}  // namespace

bool parse_amdgpu_pass(llvm::StringRef name, llvm::ModulePassManager& passes,
                       const options& chosen) {
  if (!name.consume_front("pianola-amdgpu-") || !name.consume_back(">")) return false;
  const auto [step, architecture] = name.split('<');
  if (step == "lower")
    passes.addPass(amdgpu_pass(extent::lower, architecture, chosen));
  else if (step == "optimise")
    passes.addPass(amdgpu_pass(extent::optimise, architecture, chosen));
  else if (step == "image")
    passes.addPass(amdgpu_pass(extent::image, architecture, chosen));
  else
    return false;
  return true;
}

}  // namespace pianola::compiler
