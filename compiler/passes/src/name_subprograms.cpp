// SPDX-License-Identifier: Apache-2.0
#include "name_subprograms.hpp"

#include <llvm/IR/DebugInfoMetadata.h>

namespace pianola::compiler {

void name_subprograms(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (llvm::DISubprogram* subprogram = function.getSubprogram())
      subprogram->replaceLinkageName(llvm::MDString::get(module.getContext(), function.getName()));
}

}  // namespace pianola::compiler
