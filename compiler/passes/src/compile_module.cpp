// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/compile_module.hpp"

#include <llvm/IR/Module.h>

#include "pianola/compiler/annotations.hpp"
#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/emit_registration.hpp"
#include "pianola/compiler/find_kernels.hpp"

namespace pianola::compiler {

namespace {

// Bodies were made for devices; the host runs them as loops.
void delete_bodies(const std::vector<kernel>& kernels) {
  for (const kernel& k : kernels) {
    k.body->removeDeadConstantUsers();
    if (k.body->use_empty()) k.body->eraseFromParent();
  }
}

}  // namespace

llvm::PreservedAnalyses compile_module::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::vector<kernel> kernels = find_kernels(module, options_.unit);
  std::vector<image> images;
  std::vector<kernel_uses> uses;

  resolve_kernel_ids(module, kernels);
  remove_annotations(module, "pianola.kernel");
  emit_registration(module, kernels, images, uses);
  delete_bodies(kernels);
  return llvm::PreservedAnalyses::none();
}

}  // namespace pianola::compiler
