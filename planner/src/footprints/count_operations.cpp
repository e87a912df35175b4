// SPDX-License-Identifier: Apache-2.0
#include "footprints/item_set.hpp"
#include "pianola/planner/index_values.hpp"
#include "pianola/planner/operations.hpp"

namespace pianola::planner {

namespace {

// Whoever does more than this is not planned for.
constexpr wide most_times = wide{1} << 62;

// How often it happens, in all work-items together; nothing if that cannot be told.
std::optional<wide> times_of(const model::counted_operations& o, const launch_values& launch) {
  item_set items(launch.geometry);
  if (!items.keep_all(o.conditions, launch, o.narrow)) return std::nullopt;
  if (items.empty()) return 0;
  wide rounds = 1;                      // of loops that are the same for all work-items
  std::optional<affine_value> of_each;  // of the one loop that is not
  for (const model::counted_loop& loop : o.loops) {
    const auto known = rounds_of(loop, items, launch, o.narrow);
    if (!known) return std::nullopt;
    const interval range = items.range_of(known->sum);
    if (known->sum.is_constant()) {
      rounds *= known->of(range.low);
    } else {
      const bool even =
          loop.divisor == 1 && known->of(range.low) == range.low + loop.plus + loop.extra;
      if (of_each || !even) return std::nullopt;
      of_each = known->sum;
      of_each->constant += loop.plus + loop.extra;
    }
    if (rounds > most_times) return std::nullopt;
  }
  const auto times = of_each ? items.sum_of(*of_each) : items.count();
  if (!times || *times > most_times) return std::nullopt;
  return *times * rounds;
}

}  // namespace

std::optional<operation_count> count_operations(const model::kernel_command& kernel) {
  if (kernel.kernel == nullptr || kernel.kernel->facts == nullptr) return std::nullopt;
  const model::kernel_facts& facts = *kernel.kernel->facts;
  if (!facts.operations_known) return std::nullopt;
  operation_count all;
  if (volume(kernel.geometry.global) == 0) return all;
  const launch_values launch{kernel.arguments.bytes, kernel.arguments.size, kernel.geometry};
  for (const model::counted_operations& o : facts.operations) {
    const auto times = times_of(o, launch);
    if (!times) return std::nullopt;
    const auto n = static_cast<double>(*times);
    all.simple += n * o.simple;
    all.divisions += n * o.divisions;
    all.functions += n * o.functions;
  }
  return all;
}

}  // namespace pianola::planner
