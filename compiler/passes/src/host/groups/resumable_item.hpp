// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <llvm/ADT/BitVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/Alignment.h>

#include "host/analysis/item_level.hpp"
#include "pianola/compiler/kernel.hpp"

namespace pianola::compiler::host {

/// A function that runs one work-item from one wait to the next, and what it keeps in between.
struct resumable_item {
  /// i32(kernel, launch, group, ptr own, i32 place, i64 linear id): goes on at `place`; the result is the place of its next
  /// wait, 0 at its end. `waits_for_group` is set in places at which it waits for the group and not just its sub-group.
  llvm::Function* resume = nullptr;
  static constexpr std::uint32_t waits_for_group = 0x80000000U;

  /// Places that one can start from: one for each of the decisions asked for, in their order.
  std::vector<std::uint32_t> starts;

  /// What must be in `own` before a start: values of the function that it was made of. Not all of them are computed at
  /// every start.
  struct content {
    llvm::Instruction* value;
    std::uint64_t distance;  // in bytes
    llvm::BitVector needed;  // by the places in `starts`, in their order; empty: by all
    [[nodiscard]] bool is_needed(std::size_t start) const {
      return needed.empty() || needed.test(static_cast<unsigned>(start));
    }
  };
  std::vector<content> contents;
  /// 8 bytes per work-item, for what they tell each other: the distance of its address, if any is needed.
  std::uint64_t slots_at = no_slots;
  static constexpr std::uint64_t no_slots = ~std::uint64_t{0};

  std::uint64_t bytes = 0;
};

/// Of a function of one work-item whose group values have been bound. `decisions` are each alone in a block.
/// Alone: function.resume is null if it cannot be done (private memory of a size that is not constant).
resumable_item make_resumable(llvm::Function& function, const kernel& k, const item_level& level,
                              unsigned sub_group_size, llvm::ArrayRef<llvm::Instruction*> decisions,
                              const placeholders& names);

}  // namespace pianola::compiler::host
