// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Function.h>

namespace pianola::compiler::host {

/// Which branches decide whether a block is reached, of a function in which abnormal ends do not count:
/// edges to blocks from which neither a return nor a seed is reached are left out, and edges to the handler
/// of an exception, unless the block does nothing but throw. So `if (bad) abort();` and a call that may
/// throw decide nothing, but `try { if (odd) throw x; } catch (...) {}` comes together again behind.
class control_dependence {
 public:
  control_dependence(llvm::Function& function, const llvm::SetVector<llvm::BasicBlock*>& seeds);

  /// Whether every normal path from `from` to the function's end passes `block`.
  [[nodiscard]] bool post_dominates(llvm::BasicBlock* block, llvm::BasicBlock* from) const;

  /// All blocks whose terminator decides, directly or through another one, whether a seed is reached.
  [[nodiscard]] llvm::SetVector<llvm::BasicBlock*> deciders() const;
  /// Of these, the blocks where one way surely leads to a seed and another may not.
  [[nodiscard]] llvm::SetVector<llvm::BasicBlock*> last_deciders() const;

 private:
  struct node {
    std::vector<unsigned> successors, predecessors, controllers;
    unsigned parent = none;
    unsigned order = none;
  };
  static constexpr unsigned none = ~0u;
  void number(llvm::Function& function);
  void find_parents();
  void find_controllers();
  [[nodiscard]] unsigned common(unsigned a, unsigned b) const;

  const llvm::SetVector<llvm::BasicBlock*>& seeds_;
  std::vector<llvm::BasicBlock*> blocks_;
  llvm::DenseMap<llvm::BasicBlock*, unsigned> index_;
  // The last one is the virtual end.
  std::vector<node> nodes_;
};

}  // namespace pianola::compiler::host
