// SPDX-License-Identifier: Apache-2.0
#include "steps.hpp"

namespace pianola::compiler::ptx {

void retarget(llvm::Module& module, const llvm::TargetMachine& machine, bool fast_math) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
  // Read by the functions of libdevice.
  module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", fast_math ? 1 : 0);
  if (!fast_math) return;
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) continue;
    function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    function.addFnAttr("unsafe-fp-math", "true");
  }
}

}  // namespace pianola::compiler::ptx
