// SPDX-License-Identifier: Apache-2.0
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Module.h>

#include "pianola/compiler/diagnose.hpp"
#include "pianola/compiler/reaching_kernel.hpp"
#include "steps.hpp"

namespace pianola::compiler::ptx {

namespace {

bool is_known(const llvm::GlobalValue& value) {
  const llvm::StringRef name = value.getName();
  return name == "vprintf" || name == "__assertfail" || name == "pianola_local_memory";
}

}  // namespace

bool check_is_complete(const llvm::Module& module) {
  bool resolved = true;
  for (const llvm::GlobalValue& value : module.global_values()) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&value);
    if (!value.isDeclaration() || value.use_empty() || is_known(value) ||
        (function != nullptr && function->isIntrinsic()))
      continue;
    const kernel_use found = find_kernel_use(value);
    if (found.kernel == nullptr) continue;  // dead
    report_error(module.getContext(), kernel_reaching(*found.kernel) + ": " +
                                          (function != nullptr ? "calls '" : "uses '") +
                                          llvm::demangle(value.getName().str()) +
                                          "', which code for CUDA devices does not have" +
                                          location_of(*found.at));
    resolved = false;
  }
  return resolved;
}

}  // namespace pianola::compiler::ptx
