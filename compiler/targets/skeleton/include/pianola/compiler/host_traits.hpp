// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Module.h>

namespace pianola::compiler {

/// Takes away what speaks of the host: attributes of functions and calls, calling conventions, sections, comdats,
/// visibility, exception tables, and what the module as a whole says. `keeps` tells which attributes with a name of their
/// own mean something to the device as well.
void drop_host_traits(llvm::Module& module, llvm::function_ref<bool(llvm::StringRef)> keeps);

}  // namespace pianola::compiler
