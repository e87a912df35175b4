// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/SmallPtrSet.h>

#include "host/analysis/item_level.hpp"
#include "host/analysis/uniformity.hpp"

namespace pianola::compiler::host {

/// Values that differ between items but are cheap to compute again from ids and from what is the same for
/// all items. Answers are about the function as it was at first.
class remade_values {
 public:
  remade_values(llvm::Function& function, const uniformity& u, const placeholders& names);

  [[nodiscard]] bool is_uniform(const llvm::Instruction* value) const {
    return uniform_.contains(value);
  }
  [[nodiscard]] bool contains(const llvm::Instruction* value) const;

 private:
  [[nodiscard]] unsigned cost(llvm::Value* value, unsigned limit) const;
  [[nodiscard]] bool is_made_of_few(llvm::Instruction& value) const;

  const placeholders& names_;
  llvm::SmallPtrSet<const llvm::Instruction*, 32> uniform_;
  /// Numbers and addresses that grow evenly along x.
  llvm::SmallPtrSet<const llvm::Instruction*, 32> even_;
};

}  // namespace pianola::compiler::host
