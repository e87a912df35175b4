// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/IR/PassManager.h>

#include "host/analysis/item_level.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler::host {

/// Work-items in a sub-group of the host, unless the kernel asks for another size.
inline constexpr unsigned default_sub_group_size = 8;

/// Whether a kernel for the host may ask for the size. The backends of the host list the same.
constexpr bool is_sub_group_size(unsigned size) {
  return size == 8 || size == 16 || size == 32 || size == 64;
}

/// Whether work-items of a sub-group exchange anything, so that they must run side by side.
bool uses_sub_groups(llvm::Function& function);

/// Where work-items of one sub-group may differ about what they do together, as far as can be proven.
struct sub_group_partings {
  /// Branches and switches that send work-items to an exchange of the sub-group, and to which all of the group come, or none: there
  /// they can be asked.
  std::vector<llvm::Instruction*> decisions;
  /// They may differ elsewhere about whether, or how often, they come to a barrier of the sub-group, or on which of two ways to an
  /// exchange.
  bool elsewhere = false;
};
/// `function` runs one work-item, with its group values bound (`group`), and stays as it is.
sub_group_partings find_partings(llvm::Function& function, const item_level& group, unsigned size,
                                 const placeholders& names,
                                 llvm::FunctionAnalysisManager& analyses);

/// Turns a function that runs one work-item into one that runs a sub-group: its lanes are the items of
/// loops, and a shuffle or vote writes one value per lane, waits, and reads. Barriers of the group stay.
/// Returns the level whose items are the sub-groups of the group.
item_level lower_sub_groups(llvm::Function& function, const kernel& k, const item_level& group,
                            unsigned size, const placeholders& names,
                            llvm::FunctionAnalysisManager& analyses);

}  // namespace pianola::compiler::host
