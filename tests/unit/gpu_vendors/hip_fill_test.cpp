// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "hip/src/descriptions.hpp"

namespace pianola::hip {
namespace {

TEST(further_rows, of_a_fill_are_made_of_the_first_one_and_touch_nothing_else) {
  for (const std::uint64_t rows : {1, 2, 3, 4, 5, 7, 8, 9, 31, 100}) {
    std::vector<std::uint16_t> memory(rows * 7 + 3, 0xeeee);
    gpu::fill_operation f;
    f.destination = memory.data();
    f.value = 0x1234;
    f.element_bytes = 2;
    f.width = 3;
    f.rows = rows;
    f.pitch = 14;
    const memset_node_parameters first = description_of(f);
    ASSERT_EQ(first.height, 1u);
    for (std::size_t i = 0; i < first.width; ++i)
      static_cast<std::uint16_t*>(first.dst)[i] = static_cast<std::uint16_t>(first.value);
    const auto copies = further_rows(f);
    for (const auto& c : copies)
      for (std::uint64_t y = 0; y < c.box.height; ++y)
        std::memcpy(static_cast<char*>(c.box.destination) + y * c.box.destination_row_pitch,
                    static_cast<const char*>(c.box.source) + y * c.box.source_row_pitch,
                    c.box.width);
    for (std::size_t i = 0; i < memory.size(); ++i)
      EXPECT_EQ(memory[i], i % 7 < 3 && i / 7 < rows ? 0x1234 : 0xeeee)
          << rows << " rows, at " << i;
    EXPECT_LE(copies.size(), 7u);
  }
}

}  // namespace
}  // namespace pianola::hip
