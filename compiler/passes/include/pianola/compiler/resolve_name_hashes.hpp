// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Replaces every `__pianola_name_hash(object)` by a hash of the object's name, in code for the host and for devices
/// alike. It is the same in every translation unit; `unit` goes into it where the object is this unit's own.
void resolve_name_hashes(llvm::Module& module, std::string_view unit);

}  // namespace pianola::compiler
