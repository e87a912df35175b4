// SPDX-License-Identifier: Apache-2.0
#include "reachable_functions.hpp"

namespace pianola::compiler {

llvm::SetVector<llvm::Function*> reachable_functions(llvm::ArrayRef<kernel> kernels) {
  llvm::SetVector<llvm::Function*> found;
  for (const kernel& k : kernels) found.insert(k.body);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (llvm::BasicBlock& block : *found[i])
      for (llvm::Instruction& instruction : block)
        for (llvm::Use& operand : instruction.operands())
          if (auto* f = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts()))
            found.insert(f);
  return found;
}

}  // namespace pianola::compiler
