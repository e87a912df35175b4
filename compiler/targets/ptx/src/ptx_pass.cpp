// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/ptx_pass.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "pianola/compiler/compile_ptx.hpp"
#include "pianola/compiler/find_kernels.hpp"
#include "pianola/compiler/outline.hpp"

namespace pianola::compiler {

namespace {

class ptx_pass : public llvm::PassInfoMixin<ptx_pass> {
 public:
  ptx_pass(std::string architecture, options chosen, bool assemble)
      : architecture_(std::move(architecture)), options_(std::move(chosen)), assemble_(assemble) {}

  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const std::vector<kernel> found = find_kernels(module, options_.unit);
    std::vector<kernel> kernels;
    const std::unique_ptr<llvm::Module> device = outline(module, found, kernels);
    if (assemble_)
      compile_ptx(*device, kernels, {architecture_}, options_);
    else if (const auto text = emit_ptx(*device, kernels, architecture_, options_))
      llvm::outs() << *text;
    return llvm::PreservedAnalyses::all();
  }

  static bool isRequired() { return true; }

 private:
  std::string architecture_;
  options options_;
  bool assemble_;
};

}  // namespace

bool parse_ptx_pass(llvm::StringRef name, llvm::ModulePassManager& passes, const options& chosen) {
  if (!name.consume_front("pianola-ptx")) return false;
  const bool assemble = name.consume_front("-image");
  if (!name.consume_front("<") || !name.consume_back(">")) return false;
  passes.addPass(ptx_pass(name.str(), chosen, assemble));
  return true;
}

}  // namespace pianola::compiler
