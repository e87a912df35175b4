// SPDX-License-Identifier: Apache-2.0
#include "pianola/compiler/reaching_kernel.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>

namespace pianola::compiler {

namespace {

std::string name_of(const llvm::Function& kernel) {
  return ("kernel '" + kernel.getFnAttribute(kernel_name_attribute).getValueAsString() + "'").str();
}

}  // namespace

std::string location_of(const llvm::Instruction& instruction) {
  const llvm::DebugLoc& location = instruction.getDebugLoc();
  if (!location) return "";
  return (" at " + llvm::cast<llvm::DIScope>(location.getScope())->getFilename() + ":" +
          llvm::Twine(location.getLine()) + ":" + llvm::Twine(location.getCol()))
      .str();
}

kernel_use find_kernel_use(const llvm::GlobalValue& value) {
  kernel_use result;
  llvm::SetVector<const llvm::User*> users(value.user_begin(), value.user_end());
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(users[i]);
    if (instruction == nullptr) {
      users.insert(users[i]->user_begin(), users[i]->user_end());
      continue;
    }
    if (result.at == nullptr) result.at = instruction;
    const llvm::Function* function = instruction->getFunction();
    if (function->hasFnAttribute(kernel_name_attribute)) {
      result.kernel = function;
      return result;
    }
    users.insert(function->user_begin(), function->user_end());
  }
  return result;
}

std::string kernel_reaching(const llvm::Function& function) {
  if (function.hasFnAttribute(kernel_name_attribute)) return name_of(function);
  const llvm::Function* kernel = find_kernel_use(function).kernel;
  return kernel != nullptr ? name_of(*kernel) : "device code";
}

}  // namespace pianola::compiler
