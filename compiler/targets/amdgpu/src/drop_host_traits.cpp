// SPDX-License-Identifier: Apache-2.0
#include <llvm/IR/Module.h>

#include "pianola/compiler/host_traits.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

void drop_host_traits(llvm::Module& module) {
  // What is said of floating-point arithmetic stays.
  compiler::drop_host_traits(module, [](llvm::StringRef name) {
    return name.ends_with("-fp-math") || name == "no-trapping-math" || name.starts_with("pianola");
  });
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.setLinkage(llvm::GlobalValue::InternalLinkage);
}

}  // namespace pianola::compiler::amdgpu
