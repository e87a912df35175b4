// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/UniformityAnalysis.h>

#include "item_level.hpp"

namespace llvm {
class DominatorTree;
class TargetTransformInfo;
}  // namespace llvm

namespace pianola::compiler::host {

/// Which values are the same for all items of a level, wherever they are computed. Loads from the same
/// address between two barriers give all items the same value, or the kernel has a data race.
class uniformity {
 public:
  uniformity(llvm::Function& function, const placeholders& names);
  ~uniformity();
  uniformity(const uniformity&) = delete;
  uniformity& operator=(const uniformity&) = delete;

  /// The same for all items, at its definition and at every use.
  [[nodiscard]] bool is_uniform(const llvm::Value* value) const;
  /// All items take the same way here.
  [[nodiscard]] bool branches_together(const llvm::BasicBlock* block) const;

 private:
  std::unique_ptr<llvm::DominatorTree> dominators_;
  std::unique_ptr<llvm::CycleInfo> cycles_;
  std::unique_ptr<llvm::TargetTransformInfo> sources_;
  llvm::UniformityInfo info_;
};

}  // namespace pianola::compiler::host
