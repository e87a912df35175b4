// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/model/geometry.hpp>

#include "json_reader.hpp"

namespace pianola::formats {

// No coordinate, and no product of coordinates that the model forms, passes 2^62: sums and roundings
// up to whole pages then stay within 64 bits.
inline constexpr std::uint64_t maximum_extent = std::uint64_t{1} << 62;

// An array of exactly three whole numbers up to `maximum`.
[[nodiscard]] model::point3 read_point(json_reader&, std::uint64_t maximum = maximum_extent);

// {"lo": point, "hi": point}, not empty. With `within`, it must lie in that box, which messages call
// `what` ("the range of buffer 3").
[[nodiscard]] model::box read_box(json_reader&);
[[nodiscard]] model::box read_box(json_reader&, const model::box& within, const char* what,
                                  std::uint64_t id);
// The same of what a command needs, where [0, 0) in each dimension stands for no elements.
[[nodiscard]] model::box read_needed(json_reader&);
[[nodiscard]] model::box read_needed(json_reader&, const model::box& within, const char* what,
                                     std::uint64_t id);

// Whether the product of the coordinates (zeros counted as ones) and `factor` is at most 2^62.
[[nodiscard]] bool volume_fits(const model::extent3&, std::uint64_t factor) noexcept;

}  // namespace pianola::formats
