// SPDX-License-Identifier: Apache-2.0
// Which work-items come to a block: the branches in front of it, as conditions of sums.
#pragma once

#include <map>
#include <vector>

#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/index_polynomial.hpp"

namespace llvm {
class BasicBlock;
class DominatorTree;
class LoopInfo;
class PostDominatorTree;
class Value;
}  // namespace llvm

namespace pianola::compiler {

struct condition_list {
  std::vector<access_condition> all;
  /// Who meets them meets what was asked. Else there is more to it, that is not understood.
  bool complete = true;
  bool narrow = false;
};

class condition_reader {
 public:
  condition_reader(const index_reader& reader, const llvm::LoopInfo& loops,
                   const llvm::DominatorTree& tree, const llvm::PostDominatorTree& post_tree)
      : reader_(reader), loops_(loops), tree_(tree), post_tree_(post_tree) {}

  /// Of those who come to the block, in some round of the loops around it; complete if all who meet them come, in every
  /// round. Branches that only loops have, to leave or to go on, are no conditions.
  [[nodiscard]] condition_list in_front_of(const llvm::BasicBlock& block, choices& which) const;
  /// Of those for whom the value is `truth`. Added to `to`.
  void add(const llvm::Value& value, bool truth, choices& which, condition_list& to) const;
  /// Of those for whom the first of two numbers is the smallest or largest, or the second; as the instruction, a minimum or
  /// maximum, has it.
  void add_choice(const llvm::Value& choice, bool first, choices& which, condition_list& to) const;

 private:
  [[nodiscard]] bool leaves_loop(const llvm::BasicBlock& block, const llvm::BasicBlock& next) const;
  void add_comparison(unsigned predicate, const llvm::Value& a, const llvm::Value& b,
                      choices& which, condition_list& to) const;

  const index_reader& reader_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& tree_;
  const llvm::PostDominatorTree& post_tree_;
};

}  // namespace pianola::compiler
