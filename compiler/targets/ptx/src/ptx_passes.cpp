// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/ptx_passes.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "pianola/compiler/add_part_entries.hpp"
#include "pianola/compiler/analyse_arguments.hpp"
#include "pianola/compiler/compile_ptx.hpp"
#include "pianola/compiler/find_kernels.hpp"
#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {

namespace {

class ptx_pass : public llvm::PassInfoMixin<ptx_pass> {
 public:
  ptx_pass(llvm::StringRef architectures, options chosen, bool assemble)
      : options_(std::move(chosen)), assemble_(assemble) {
    llvm::SmallVector<llvm::StringRef, 4> names;
    architectures.split(names, ';');
    for (const llvm::StringRef name : names) architectures_.push_back(name.str());
  }

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const std::vector<kernel> found = find_kernels(module, options_.unit);
    std::vector<kernel> kernels;
    const std::unique_ptr<llvm::Module> device = outline(module, found, kernels);
    if (assemble_) {
      std::vector<kernel_uses> uses = analyse_arguments(kernels);
      compile_ptx(*device, add_part_entries(kernels, uses), architectures_, options_);
      return llvm::PreservedAnalyses::all();
    }
    for (const std::string& architecture : architectures_)
      if (const auto text = emit_ptx(*device, kernels, architecture, options_))
        llvm::outs() << *text;
    return llvm::PreservedAnalyses::all();
  }

  static bool isRequired() { return true; }

 private:
  std::vector<std::string> architectures_;
  options options_;
  bool assemble_;
};

}  // namespace

bool parse_ptx_pass(llvm::StringRef name, llvm::ModulePassManager& passes, const options& chosen) {
  if (!name.consume_front("pianola-ptx")) return false;
  const bool assemble = name.consume_front("-image");
  if (!name.consume_front("<") || !name.consume_back(">")) return false;
  passes.addPass(ptx_pass(name, chosen, assemble));
  return true;
}

}  // namespace pianola::compiler
