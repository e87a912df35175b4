// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/resolve_name_hashes.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "name_hash.hpp"

namespace pianola::compiler {

void resolve_name_hashes(llvm::Module& module, std::string_view unit) {
  llvm::Function* question = module.getFunction("__pianola_name_hash");
  if (question == nullptr) return;
  std::vector<llvm::CallBase*> calls;
  for (llvm::User* user : question->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) calls.push_back(call);
  for (llvm::CallBase* call : calls) {
    const auto* object =
        llvm::dyn_cast<llvm::GlobalValue>(call->getArgOperand(0)->stripPointerCasts());
    if (object == nullptr) {
      module.getContext().diagnose(llvm::DiagnosticInfoUnsupported(
          *call->getFunction(), "__pianola_name_hash takes the address of a global object",
          call->getDebugLoc()));
      continue;
    }
    const std::uint64_t seed = object->hasLocalLinkage() ? seed_of_unit(module, unit) : name_seed;
    call->replaceAllUsesWith(
        llvm::ConstantInt::get(call->getType(), hash_of_name(object->getName(), seed)));
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(call)) {
      llvm::BranchInst::Create(invoke->getNormalDest(), invoke->getIterator());
      invoke->getUnwindDest()->removePredecessor(invoke->getParent());
    }
    call->eraseFromParent();
  }
}

}  // namespace pianola::compiler
