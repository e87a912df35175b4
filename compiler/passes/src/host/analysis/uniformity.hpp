// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/PassManager.h>

#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// Which values are the same for all items of a level, wherever they are computed. Loads from the same
/// address between two barriers give all items the same value, or the kernel has a data race.
class uniformity {
 public:
  /// `ballots`: what a ballot gives is the same for all, as the items are those of one sub-group or sub-groups.
  uniformity(llvm::Function& function, const placeholders& names, bool ballots = true);

  /// The same for all items, at its definition and at every use.
  [[nodiscard]] bool is_uniform(const llvm::Value* value) const;
  /// All items take the same way here.
  [[nodiscard]] bool branches_together(const llvm::BasicBlock* block) const;

 private:
  llvm::FunctionAnalysisManager analyses_;
  llvm::UniformityInfo* info_;
};

}  // namespace pianola::compiler::host
