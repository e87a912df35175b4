// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>

#include "host/regions/item_loops.hpp"
#include "host/regions/regions.hpp"
#include "host/regions/select_items.hpp"
#include "host/regions/value_storage.hpp"

namespace pianola::compiler::host {

/// Writes one region as a scalar prologue (what is the same for all items and may be computed early), the
/// loops over the items, and the way on to the next blocks of the skeleton.
class region_emitter {
 public:
  region_emitter(const region& r, value_storage& storage, const placeholders& names,
                 const item_level& level);

  /// Block to jump to instead of the region's entry.
  llvm::BasicBlock* emit();

 private:
  struct exit {
    llvm::BasicBlock* from;
    llvm::BasicBlock* to;
    llvm::BasicBlock* block;
  };
  struct scalar_copy {
    llvm::PHINode* phi;
    /// Null: in `variable`.
    llvm::Value* value;
    llvm::AllocaInst* variable;
  };

  [[nodiscard]] bool here(const llvm::Value* value) const;
  [[nodiscard]] bool leaves(llvm::Instruction* value) const;
  [[nodiscard]] bool may_be_hoisted(const llvm::Instruction& instruction) const;
  void hoist();
  llvm::Value* scalar(llvm::Value* value);
  llvm::Value* at_entry(llvm::Value* value);
  llvm::Value* item_value(llvm::Value* value);
  llvm::Value* element(llvm::Instruction* value, llvm::IRBuilder<>& at);
  void store_element(llvm::Instruction* slot, llvm::Value* value, llvm::IRBuilder<>& at);
  [[nodiscard]] llvm::DebugLoc place() const;
  void emit_items(const item_range& range, llvm::BasicBlock* before);
  void clone_blocks();
  void connect();
  void close_other_ways();
  void add_copy(llvm::BasicBlock* to, const scalar_copy& copy);
  void fill_exits();
  void merge_with_entry();
  void go_on();
  [[nodiscard]] bool has_effects() const;
  exit& exit_for(llvm::BasicBlock* from, llvm::BasicBlock* to);

  const region& region_;
  value_storage& storage_;
  const placeholders& names_;
  const item_level& level_;
  llvm::Function& function_;
  llvm::BasicBlock* prologue_;
  /// Of the nest that is being written; what follows belongs to it, up to `exits_`.
  item_loops loops_;
  /// Values of an item when it enters the region.
  llvm::DenseMap<llvm::Value*, llvm::Value*> entering_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> copies_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::BasicBlock*> block_copies_;
  std::vector<llvm::BasicBlock*> item_blocks_;
  std::vector<exit> exits_;
  /// Values that are the same for all items, in the prologue.
  llvm::DenseMap<llvm::Value*, llvm::Value*> scalars_;
  /// Those of them that the region computes itself.
  llvm::SmallPtrSet<llvm::Value*, 16> hoisted_;
  /// Of the items that are being written; null: all of them.
  const item_selection* selection_ = nullptr;
  llvm::MapVector<llvm::BasicBlock*, std::vector<scalar_copy>> scalar_copies_;
  /// What phis of the skeleton get where several blocks of the region go there.
  llvm::DenseMap<llvm::PHINode*, llvm::AllocaInst*> handed_;
  llvm::AllocaInst* exit_number_ = nullptr;
  bool stores_ = false;
};

}  // namespace pianola::compiler::host
