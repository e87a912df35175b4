// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/device_module.hpp"

#include <llvm/IR/Metadata.h>

#include "pianola/compiler/diagnose.hpp"

namespace pianola::compiler {

std::vector<kernel> kernels_with_sub_groups_of(unsigned size, llvm::ArrayRef<kernel> kernels,
                                               const std::string& devices,
                                               llvm::LLVMContext& context) {
  std::vector<kernel> fitting;
  for (const kernel& k : kernels) {
    if (k.required_sub_group_size == 0 || k.required_sub_group_size == size)
      fitting.push_back(k);
    else if (!k.runs_parts())
      report_warning(context, "kernel '" + k.name + "' is left out of the code for " + devices +
                                  ": it requires sub-groups of " +
                                  llvm::Twine(k.required_sub_group_size) +
                                  " work-items, and theirs have " + llvm::Twine(size));
  }
  return fitting;
}

std::vector<kernel> kernels_of_copy(llvm::ArrayRef<kernel> kernels,
                                    const llvm::ValueToValueMapTy& copies) {
  std::vector<kernel> own(kernels.begin(), kernels.end());
  for (kernel& k : own) k.body = llvm::cast<llvm::Function>(copies.lookup(k.body));
  return own;
}

void drop_host_traits_of_module(llvm::Module& module) {
  for (const char* list : {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                           "llvm.global_dtors", "llvm.global.annotations"})
    if (llvm::GlobalVariable* variable = module.getNamedGlobal(list)) variable->eraseFromParent();
  for (const char* list : {"llvm.ident", "llvm.commandline"})
    if (llvm::NamedMDNode* node = module.getNamedMetadata(list)) node->eraseFromParent();
  // Flags such as "PIC Level" and the host's ABI.
  if (llvm::NamedMDNode* flags = module.getModuleFlagsMetadata()) {
    llvm::SmallVector<llvm::MDNode*, 4> kept;
    for (llvm::MDNode* flag : flags->operands())
      if (const auto* name = llvm::dyn_cast_or_null<llvm::MDString>(flag->getOperand(1)))
        if (name->getString() == "Debug Info Version") kept.push_back(flag);
    flags->clearOperands();
    for (llvm::MDNode* flag : kept) flags->addOperand(flag);
  }
  module.setModuleInlineAsm("");
}

}  // namespace pianola::compiler
