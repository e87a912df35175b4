// SPDX-License-Identifier: Apache-2.0
#include "diagnostics.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace pianola::compiler::amdgpu {

std::string location_of(const llvm::Instruction& instruction) {
  const llvm::DebugLoc& location = instruction.getDebugLoc();
  if (!location) return "";
  return (" at " + llvm::cast<llvm::DIScope>(location.getScope())->getFilename() + ":" +
          llvm::Twine(location.getLine()) + ":" + llvm::Twine(location.getCol()))
      .str();
}

std::string kernel_reaching(const llvm::Function& function) {
  llvm::SetVector<const llvm::Function*> callers;
  callers.insert(&function);
  for (std::size_t i = 0; i < callers.size(); ++i) {
    if (callers[i]->hasFnAttribute(kernel_name_attribute))
      return ("kernel '" + callers[i]->getFnAttribute(kernel_name_attribute).getValueAsString() +
              "'")
          .str();
    for (const llvm::User* user : callers[i]->users())
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user))
        callers.insert(instruction->getFunction());
  }
  return "device code";
}

}  // namespace pianola::compiler::amdgpu
