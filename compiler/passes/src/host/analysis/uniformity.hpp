// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/CycleInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include "host/analysis/divergent_joins.hpp"
#include "host/analysis/item_level.hpp"

namespace pianola::compiler::host {

/// Which values are the same for all items of a level, wherever they are computed. Loads from the same
/// address between two barriers give all items the same value, or the kernel has a data race.
///
/// What differs spreads from where it arises: to what is computed from it; where ways that items took one by one meet
/// again, to the phis there; and to what is used of a loop by items that left it in different rounds.
class uniformity {
 public:
  /// `ballots`: what a ballot gives is the same for all, as the items are those of one sub-group or sub-groups.
  uniformity(llvm::Function& function, const placeholders& names, bool ballots = true);
  uniformity(const uniformity&) = delete;
  uniformity& operator=(const uniformity&) = delete;

  /// The same for all items, at its definition and at every use.
  [[nodiscard]] bool is_uniform(const llvm::Value* value) const;
  /// All items take the same way here.
  [[nodiscard]] bool branches_together(const llvm::BasicBlock* block) const;

 private:
  void differs(const llvm::Instruction& instruction);
  void part_at(llvm::BasicBlock& block);
  void differs_inside(const llvm::Cycle& cycle);
  void differs_behind(const llvm::Cycle& cycle);
  [[nodiscard]] bool is_shared(const llvm::Instruction& instruction) const;
  [[nodiscard]] bool arises(const llvm::Instruction& instruction) const;
  [[nodiscard]] bool is_one_value(const llvm::PHINode& phi) const;

  const placeholders& names_;
  bool ballots_;
  llvm::DominatorTree dominators_;
  llvm::CycleInfo cycles_;
  divergent_join_finder finder_;
  llvm::DenseSet<const llvm::Value*> different_;
  llvm::DenseSet<const llvm::BasicBlock*> parting_;
  llvm::DenseSet<const llvm::Cycle*> left_one_by_one_, entered_one_by_one_;
  std::vector<const llvm::Instruction*> work_;
};

}  // namespace pianola::compiler::host
