// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

/// In AMDGPU's words; what is not known is the system's, the widest.
std::string amdgpu_scope(llvm::StringRef name) {
  const bool one_space = name == "one-as" || name.consume_back("-one-as");
  const std::string own = llvm::StringSwitch<std::string>(name)
                              .Cases("agent", "device", "agent")
                              .Cases("workgroup", "block", "workgroup")
                              .Cases("wavefront", "subgroup", "wavefront")
                              .Case("singlethread", "singlethread")
                              .Default("");
  if (!one_space) return own;
  return own.empty() ? "one-as" : own + "-one-as";
}

}  // namespace

void map_sync_scopes(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::StringRef, 16> names;
  context.getSyncScopeNames(names);
  llvm::SmallVector<llvm::SyncScope::ID, 16> mapped;
  for (const llvm::StringRef name : names)
    mapped.push_back(context.getOrInsertSyncScopeID(amdgpu_scope(name)));
  const auto set = [&](auto& instruction) {
    instruction.setSyncScopeID(mapped[instruction.getSyncScopeID()]);
  };
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) set(*fence);
      if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) set(*update);
      if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) set(*exchange);
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->isAtomic())
        set(*load);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction); store && store->isAtomic())
        set(*store);
    }
}

}  // namespace pianola::compiler::amdgpu
