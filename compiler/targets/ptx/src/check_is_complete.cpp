// SPDX-License-Identifier: Apache-2.0
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>

#include "pianola/compiler/diagnose.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

std::string name_of_kernel(const llvm::Function& entry, llvm::ArrayRef<kernel> kernels) {
  for (const kernel& k : kernels)
    if (entry.getName() == k.symbol) return k.name;
  return entry.getName().str();
}

// A kernel that reaches the value, and where the last step of the way is.
struct way {
  const llvm::Function* entry = nullptr;
  const llvm::Instruction* use = nullptr;
};

way find_way(const llvm::GlobalValue& value) {
  way result;
  llvm::SmallVector<const llvm::User*, 16> work(value.users());
  llvm::SmallPtrSet<const llvm::User*, 16> seen;
  while (!work.empty()) {
    const llvm::User* user = work.pop_back_val();
    if (!seen.insert(user).second) continue;
    if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      if (result.use == nullptr) result.use = instruction;
      const llvm::Function* function = instruction->getFunction();
      if (function->getCallingConv() == llvm::CallingConv::PTX_Kernel) {
        result.entry = function;
        return result;
      }
      work.append(function->user_begin(), function->user_end());
    } else {
      work.append(user->user_begin(), user->user_end());
    }
  }
  return result;
}

std::string place(const llvm::Instruction* use) {
  if (use == nullptr || !use->getDebugLoc()) return {};
  const llvm::DILocation* at = use->getDebugLoc().get();
  return " at " + at->getFilename().str() + ":" + std::to_string(at->getLine()) + ":" +
         std::to_string(at->getColumn());
}

bool is_known(const llvm::GlobalValue& value) {
  const llvm::StringRef name = value.getName();
  return name == "vprintf" || name == "__assertfail" || name == "pianola_local_memory";
}

}  // namespace

bool check_is_complete(const llvm::Module& module, llvm::ArrayRef<kernel> kernels) {
  bool resolved = true;
  for (const llvm::GlobalValue& value : module.global_values()) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&value);
    if (!value.isDeclaration() || value.use_empty() || is_known(value) ||
        (function != nullptr && function->isIntrinsic()))
      continue;
    const way found = find_way(value);
    if (found.entry == nullptr) continue;  // dead
    report_error(module.getContext(), "kernel '" + name_of_kernel(*found.entry, kernels) +
                                          "': " + (function != nullptr ? "calls '" : "uses '") +
                                          llvm::demangle(value.getName().str()) +
                                          "', which code for CUDA devices does not have" +
                                          place(found.use));
    resolved = false;
  }
  return resolved;
}

}  // namespace pianola::compiler::ptx
