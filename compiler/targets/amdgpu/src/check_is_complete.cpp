// SPDX-License-Identifier: Apache-2.0
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/AMDGPUAddrSpace.h>
#include <llvm/Support/raw_ostream.h>

#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::amdgpu {

namespace {

bool is_unsupported(const llvm::Function& function) {
  if (!function.isDeclaration() || function.use_empty()) return false;
  // Intrinsics of other targets have their names in front.
  return !function.isIntrinsic() ||
         (function.isTargetIntrinsic() && !function.getName().starts_with("llvm.amdgcn.") &&
          !function.getName().starts_with("llvm.r600."));
}

/// The function object's members, written to: the kernel's parameters are constants that all work-items share.
bool writes_constants(const llvm::Instruction& instruction) {
  const llvm::Value* target = nullptr;
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    target = store->getPointerOperand();
  else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
    target = update->getPointerOperand();
  else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    target = exchange->getPointerOperand();
  else if (const auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
    target = fill->getRawDest();
  return target != nullptr &&
         target->getType()->getPointerAddressSpace() == llvm::AMDGPUAS::CONSTANT_ADDRESS;
}

}  // namespace

bool check_is_complete(const llvm::Module& module) {
  bool good = true;
  const auto refuse = [&](const llvm::Function& in, const llvm::Instruction* at,
                          const llvm::Twine& reason) {
    report_error(module.getContext(),
                 kernel_reaching(in) + ": " + reason + (at ? location_of(*at) : std::string()));
    good = false;
  };
  for (const llvm::Function& function : module) {
    if (is_unsupported(function)) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(*function.user_begin());
      refuse(user ? *user->getFunction() : function, user,
             "'" + llvm::demangle(function.getName().str()) + "' does not exist on AMDGPU");
    }
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (writes_constants(instruction))
        refuse(function, &instruction, "the kernel changes its function object, which is constant");
  }
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty() &&
        variable.getAddressSpace() != llvm::AMDGPUAS::LOCAL_ADDRESS) {
      report_error(module.getContext(), "device code uses the variable '" +
                                            llvm::demangle(variable.getName().str()) +
                                            "', which is defined elsewhere");
      good = false;
    }
  if (!good) return false;
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream)) {
    report_error(module.getContext(), "internal error: invalid code for AMDGPU: " + problem);
    return false;
  }
  return true;
}

}  // namespace pianola::compiler::amdgpu
