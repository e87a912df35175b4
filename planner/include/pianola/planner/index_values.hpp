// SPDX-License-Identifier: Apache-2.0
// The compiler's sums with a launch's numbers filled in.
#pragma once
#include <cstddef>
#include <optional>

#include <pianola/model/kernel.hpp>
#include <pianola/model/kernel_facts.hpp>

namespace pianola::planner {

// Exact: nothing here comes near its limits unless the arguments make no sense.
__extension__ using wide = __int128;

[[nodiscard]] constexpr wide magnitude(wide n) noexcept { return n < 0 ? -n : n; }

// What the factors of a sum are read from.
struct launch_values {
  const void* arguments = nullptr;  // the function object
  std::size_t size = 0;
  const model::launch_geometry& geometry;
};

// constant + sum of id[d] * per_id[d] + sum of group id[d] * per_group[d].
struct affine_value {
  wide constant = 0;
  wide per_id[3] = {0, 0, 0};
  wide per_group[3] = {0, 0, 0};
  wide largest = 0;  // the terms' absolute values, each with its largest factors, added up
  bool is_negative_somewhere = false;  // a factor is

  [[nodiscard]] bool is_constant() const noexcept;
};

// Nothing if a factor cannot be told, or if the sum leaves what an address space can hold.
[[nodiscard]] std::optional<affine_value> value_of(const model::index_sum& sum,
                                                   const launch_values& launch) noexcept;

// Sums that were computed with 32 bits are what they say below this.
inline constexpr wide narrow_limit = wide{1} << 31;
// What is wider than the address space has wrapped around somewhere.
inline constexpr wide address_limit = wide{1} << 62;

}  // namespace pianola::planner
