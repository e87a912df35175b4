// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <string>
#include <vector>

namespace pianola::compiler {

/// Something that a device cannot do.
struct device_finding {
  const llvm::Instruction* at = nullptr;
  /// Follows "kernel 'name': ".
  std::string reason;
};

/// What one function does by itself, in the order of its code.
struct function_findings {
  std::vector<device_finding> findings;
  /// Calls of functions that are defined in the module and worth a look.
  std::vector<const llvm::CallBase*> calls;
  /// Calls of functions that are declared SYCL_EXTERNAL and not defined in the module. Not among `findings`.
  std::vector<const llvm::CallBase*> external_calls;
};

/// Where a path ends in a throw, the throw is all that is reported of it. `linked`: the module is of a whole program, see
/// link_devices().
function_findings find_in_function(const llvm::Function& function, bool linked);

/// As the programmer knows it: demangled.
std::string readable_name(const llvm::GlobalValue& global);

}  // namespace pianola::compiler
