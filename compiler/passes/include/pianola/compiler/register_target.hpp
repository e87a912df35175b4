// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <llvm/ADT/ArrayRef.h>

#include "kernel.hpp"

namespace llvm {
class Module;
}

namespace pianola::compiler {

/// Images of the kernels of an outlined device module for these architectures of the target. Nothing where an error has
/// been reported to the module's context.
using compile_function = std::optional<std::vector<image>> (*)(
    const llvm::Module& device, llvm::ArrayRef<kernel> kernels,
    llvm::ArrayRef<std::string> architectures, const options& chosen);

/// An object of this class, in a target's source, has the passes use it: they know no target themselves.
class register_target {
 public:
  register_target(target::backend which, compile_function compile);

  /// Null if the target was not built in.
  [[nodiscard]] static compile_function find(target::backend which) noexcept;
};

}  // namespace pianola::compiler
