// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/SetVector.h>

#include "host/regions/skeleton.hpp"

namespace pianola::compiler::host {

/// What items run from one block of the skeleton to the next ones. A block of the function may be in
/// several regions; each gets its own copy.
struct region {
  /// The block of the skeleton that leads to `entry`, the only predecessor of it.
  llvm::BasicBlock* from = nullptr;
  llvm::BasicBlock* entry = nullptr;
  /// Entry first; every block behind those that dominate it.
  llvm::SetVector<llvm::BasicBlock*> blocks;
  /// Where it ends. All items end at the same block.
  llvm::SetVector<llvm::BasicBlock*> targets;
};

std::vector<region> find_regions(const skeleton& s);

}  // namespace pianola::compiler::host
