// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace pianola::compiler::host {

/// Functions that stand in a body for what its loops will provide. They exist only during the lowering.
struct placeholders {
  explicit placeholders(llvm::Module& module);
  ~placeholders();
  placeholders(const placeholders&) = delete;
  placeholders& operator=(const placeholders&) = delete;

  /// i32: the item's index in the loops of the current level; `linear`, i64: of all its items.
  llvm::Function* x;
  llvm::Function* y;
  llvm::Function* z;
  llvm::Function* linear;
  /// i32: the sub-group's index in the work-group.
  llvm::Function* sub_group;
  /// ptr(i64 bytes, i32 site, i64 alignment): memory of the group; sites are never merged. Alignment 0: so many bytes
  /// per work-item, and one call for each site. Otherwise for all of them, and calls of one site mean the same.
  llvm::Function* storage;

  [[nodiscard]] bool is_id(const llvm::Value* value) const;
};

/// What "item" means while a body is lowered: work-items of a group, lanes of a sub-group, or sub-groups of
/// a group. Sizes are values of the function's entry block.
struct item_level {
  /// Loops in the nest; 1 to 3.
  unsigned dimensions = 1;
  /// i32, slowest first; not null for the last `dimensions`.
  std::array<llvm::Value*, 3> size{};
  /// i64: product of the sizes.
  llvm::Value* count = nullptr;
  /// Lanes: a bound of `count`, for arrays of constant size. 0: none is known.
  unsigned most = 0;
  /// Items of this level are the innermost ones: their loops are marked for the vectoriser.
  bool innermost = true;
};

/// Metadata of allocas that all items of the current level share.
inline constexpr llvm::StringLiteral shared_memory = "pianola.shared";

/// Questions to what all work-items of a group have left in memory: (i32 bytes of each, ptr, i64 how many). Do they
/// differ, i1; what the first one left, i64. Barriers that give a value. Do those of any one sub-group differ: the same as the
/// first, with the size of sub-groups times 256 in the number of bytes.
inline constexpr llvm::StringLiteral differ_question = "__pianola_group_differs";
inline constexpr llvm::StringLiteral sub_groups_question = "__pianola_sub_groups_differ";
inline constexpr llvm::StringLiteral first_question = "__pianola_group_first";
bool is_vote(const llvm::Instruction& instruction);

/// Callee of a direct call, by name, or an empty string.
llvm::StringRef callee_name(const llvm::Instruction& instruction);

/// Whether the call waits for other work-items, so that nothing may be moved across it.
bool is_group_barrier(const llvm::Instruction& instruction);
bool is_sub_group_barrier(const llvm::Instruction& instruction);
bool is_shuffle(const llvm::Instruction& instruction);
bool is_ballot(const llvm::Instruction& instruction);
/// A question who has come to this place: answered when it is known whether work-items are run one by one.
bool asks_who_is_here(const llvm::Instruction& instruction);
/// `apart` or `together`.
bool is_choice_of_apart(const llvm::Instruction& instruction);
/// Barrier or shuffle of a part of a sub-group, which is lowered like one of all of it.
bool is_of_part_of_sub_group(const llvm::Instruction& instruction);
/// Any of these.
bool is_convergent_intrinsic(const llvm::Instruction& instruction);

}  // namespace pianola::compiler::host
