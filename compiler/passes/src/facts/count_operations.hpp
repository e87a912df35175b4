// SPDX-License-Identifier: Apache-2.0
// How much a work-item computes, as image.h describes it.
#pragma once

#include <optional>
#include <vector>

#include "facts/access_conditions.hpp"
#include "pianola/compiler/argument_use.hpp"
#include "pianola/compiler/index_polynomial.hpp"

namespace llvm {
class BasicBlock;
class Function;
class LoopInfo;
class ScalarEvolution;
}  // namespace llvm

namespace pianola::compiler {

class operation_counter {
 public:
  operation_counter(const llvm::Function& body, const index_reader& reader,
                    const llvm::LoopInfo& loops, const llvm::DominatorTree& tree,
                    const llvm::PostDominatorTree& post_tree, llvm::ScalarEvolution& evolution)
      : body_(body),
        reader_(reader),
        loops_(loops),
        tree_(tree),
        evolution_(evolution),
        conditions_(reader, loops, tree, post_tree) {}

  /// In few. Nothing if something is computed and nobody knows how often.
  [[nodiscard]] std::optional<std::vector<counted_operations>> count() const;

 private:
  [[nodiscard]] bool describe(const llvm::BasicBlock& block, counted_operations& out) const;

  const llvm::Function& body_;
  const index_reader& reader_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& tree_;
  llvm::ScalarEvolution& evolution_;
  const condition_reader conditions_;
};

}  // namespace pianola::compiler
