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

/// Whether images with this kernel run on fewer machines than images without it.
using narrows_function = bool (*)(const kernel&);

/// An object of this class, in a target's source, has the passes use it: they know no target themselves.
class register_target {
 public:
  /// narrows: such kernels get images of their own, so that the others stay as portable as they are. Null: none does.
  register_target(target::backend which, compile_function compile,
                  narrows_function narrows = nullptr);

  /// Null if the target was not built in.
  [[nodiscard]] static compile_function find(target::backend which) noexcept;

  /// Null if the target was not built in or makes no difference between kernels.
  [[nodiscard]] static narrows_function find_narrows(target::backend which) noexcept;
};

}  // namespace pianola::compiler
