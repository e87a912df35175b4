// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/CycleInfo.h>
#include <llvm/IR/Function.h>

namespace pianola::compiler::host {

/// Where work-items that took different ways at a branch meet again, each with what it brings.
struct divergent_joins {
  struct exit {
    llvm::BasicBlock* to;
    const llvm::Cycle* from;
  };
  llvm::SmallVector<llvm::BasicBlock*, 8> of_ways;
  /// Where they leave a loop in different rounds of it.
  llvm::SmallVector<exit, 4> of_rounds;
};

/// A block is a join of a branch if nothing but the branch is on all ways there. Ways end where they come back to the head of
/// a loop that the branch is in: from there the loop's exits are reached, in another round. LLVM 19's uniformity analysis stops
/// looking too early, where a way has a run of blocks to itself, and takes what meets behind for the same for all.
///
/// A question costs in proportion to the blocks up to where all ways have met.
class divergent_join_finder {
 public:
  /// Both must outlive the finder, unchanged.
  divergent_join_finder(llvm::Function& function, const llvm::CycleInfo& cycles);

  /// Of a branch that is reached.
  divergent_joins of(llvm::BasicBlock& branch);

 private:
  // A block that is come to, or the end of a round of a loop that the branch is in.
  struct place {
    llvm::BasicBlock* block = nullptr;  // at the end of a round: the loop's head; null: not come to
    const llvm::Cycle* ends = nullptr;  // the end of a round of this loop
    unsigned label = none;  // the first place that is on all ways here; itself: only the branch is
    bool join = false;
    bool waiting = false;
    llvm::SmallVector<const llvm::Cycle*, 1> rounds;  // that end right in front
  };
  static constexpr unsigned none = ~0U;

  void arrange(const llvm::Cycle* cycle, llvm::BasicBlock* first);
  [[nodiscard]] unsigned place_of(llvm::BasicBlock* block, llvm::BasicBlock& branch) const;
  void come_to(unsigned to, unsigned label, llvm::BasicBlock* block, llvm::BasicBlock& branch,
               const llvm::Cycle* round);
  void go_on(unsigned from, llvm::BasicBlock& branch);
  [[nodiscard]] bool is_in_tangle(const place& p) const;

  const llvm::CycleInfo& cycles_;
  // What leads to a place is in front of it, but for ways round loops; a loop is in one piece, with its end behind.
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> number_;
  llvm::DenseMap<const llvm::Cycle*, unsigned> end_;
  std::vector<place> places_;
  std::vector<unsigned> touched_, waiting_;
};

}  // namespace pianola::compiler::host
