// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>

#include "host/analysis/item_level.hpp"
#include "host/analysis/liveness.hpp"
#include "host/analysis/remade_values.hpp"
#include "host/regions/skeleton.hpp"

namespace pianola::compiler::host {

/// How values get from one region to another.
///
/// - `always`: computed in the entry block, constants, arguments;
/// - `scalar`: the same for all items: in one variable, which becomes a register;
/// - `remade`: cheap to compute again from the items' ids and scalars;
/// - `array`: one element per item. Values that a phi of the skeleton merges share its array if they are
///   never needed at the same time.
class value_storage {
 public:
  enum class kind { always, scalar, remade, array };

  value_storage(llvm::Function& function, const skeleton& s, const uniformity& u,
                const placeholders& names, const item_level& level);

  [[nodiscard]] kind kind_of(const llvm::Value* value) const;
  [[nodiscard]] const liveness& live() const { return *live_; }

  /// A branch of the skeleton depends on it: it needs a scalar too, which the last item stores, if the
  /// analysis could not show that it is uniform.
  [[nodiscard]] bool decides(const llvm::Instruction* value) const {
    return deciding_.contains(value);
  }

  /// Variable of a scalar. All of them become registers in the end (`variables`).
  llvm::AllocaInst* variable(llvm::Instruction* value);
  [[nodiscard]] llvm::ArrayRef<llvm::AllocaInst*> variables() const { return variables_; }
  llvm::AllocaInst* new_variable(llvm::Type* type, const llvm::Twine& name);

  /// Array of a value, and the type of its elements in memory.
  llvm::AllocaInst* array(llvm::Instruction* value);
  /// Metadata: an access to an array, and an access to anything else. Nothing of the kernel's own points
  /// into arrays, which alias analysis would otherwise give up to show.
  void mark_array_access(llvm::Instruction* access) const;
  void mark_other_access(llvm::Instruction* access) const;
  [[nodiscard]] bool share_array(llvm::Instruction* a, llvm::Instruction* b) const;

 private:
  void add_parts(llvm::Instruction* value, llvm::function_ref<void(llvm::Instruction*)> f) const;
  void merge_arrays();

  llvm::Function& function_;
  const skeleton& skeleton_;
  const placeholders& names_;
  const item_level& level_;
  remade_values remade_;
  std::unique_ptr<liveness> live_;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> deciding_;
  llvm::EquivalenceClasses<llvm::Instruction*> webs_;
  llvm::DenseMap<const llvm::Instruction*, llvm::AllocaInst*> scalars_;
  llvm::DenseMap<const llvm::Instruction*, llvm::AllocaInst*> arrays_;
  llvm::SmallVector<llvm::AllocaInst*, 16> variables_;
  llvm::MDNode* array_scopes_;
};

/// Arrays of one element per item of the level, in the entry block, aligned to 64 bytes.
llvm::AllocaInst* make_item_array(llvm::Function& function, const item_level& level,
                                  llvm::Type* element, const llvm::Twine& name);

/// In memory, a truth value is a byte.
llvm::Type* memory_type(llvm::Type* type);

}  // namespace pianola::compiler::host
