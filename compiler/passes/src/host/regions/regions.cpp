// SPDX-License-Identifier: Apache-2.0
#include "host/regions/regions.hpp"

#include <algorithm>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>

namespace pianola::compiler::host {

namespace {

void fill(region& r, const skeleton& s) {
  std::vector<llvm::BasicBlock*> finished;
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
  std::vector<std::pair<llvm::BasicBlock*, unsigned>> stack{{r.entry, 0}};
  seen.insert(r.entry);
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const llvm::Instruction* end = block->getTerminator();
    if (next == end->getNumSuccessors()) {
      finished.push_back(block);
      stack.pop_back();
      continue;
    }
    llvm::BasicBlock* successor = end->getSuccessor(next++);
    if (s.contains(successor))
      r.targets.insert(successor);
    else if (seen.insert(successor).second)
      stack.emplace_back(successor, 0);
  }
  std::reverse(finished.begin(), finished.end());
  r.blocks.insert(finished.begin(), finished.end());
}

}  // namespace

std::vector<region> find_regions(const skeleton& s) {
  std::vector<region> regions;
  for (llvm::BasicBlock* block : s.blocks) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 4> done;
    for (llvm::BasicBlock* next : llvm::successors(block)) {
      if (s.contains(next) || !done.insert(next).second) continue;
      region r;
      r.from = block;
      r.entry = next;
      fill(r, s);
      regions.push_back(std::move(r));
    }
  }
  return regions;
}

}  // namespace pianola::compiler::host
