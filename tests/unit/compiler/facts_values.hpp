// SPDX-License-Identifier: Apache-2.0
// What the compiler says of a kernel, with the numbers of one work-item, by the definitions of image.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <pianola/abi/launch.h>
#include <pianola/compiler/argument_use.hpp>

#include "random_body.hpp"

/// Index space of random kernels.
inline constexpr std::uint64_t random_global[3] = {1, 4, 6};
inline constexpr std::uint32_t random_local[3] = {1, 2, 3};

struct work_item {
  const random_object& object;
  const pianola_launch& launch;
  std::uint64_t id[3];
};

struct sum {
  std::uint64_t value = 0;
  double largest = 0;
  bool is_narrow = true;  // absolute values add up to less than 2^31
};
[[nodiscard]] std::optional<sum> evaluate(const pianola::compiler::index_sum& terms,
                                          const work_item& item);

/// Whether somebody meets all conditions. `known`: each of them says what it seems to say.
struct met_conditions {
  bool met = true;
  bool known = true;
};
[[nodiscard]] met_conditions meets(const std::vector<pianola::compiler::access_condition>& all,
                                   bool narrow, const work_item& item);

/// Nothing where it is not known, or is too large for a test.
[[nodiscard]] std::optional<std::int64_t> rounds_of(const pianola::compiler::access_loop& loop,
                                                    bool narrow, const work_item& item);

/// Where an access begins, in bytes from the pointer, in each round.
struct access_places {
  bool certain = false;
  std::vector<std::uint64_t> at;
};
/// Nothing where that does not hold, or is of no use: indices that are too large.
[[nodiscard]] std::optional<access_places> places_of(
    const pianola::compiler::argument_access& access, const work_item& item);
