// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace pianola::runtime {

// Counted over the process since the last reset, at planning time, reinstantiations when they happen.
struct statistics {
  std::uint64_t commands = 0;
  std::uint64_t transfers = 0;
  std::uint64_t transferred_bytes = 0;
  std::uint64_t transferred_pages = 0;
  std::uint64_t replays = 0;
  std::uint64_t reinstantiations = 0;  // see executors::backend
};
[[nodiscard]] statistics get_statistics() noexcept;
void reset_statistics() noexcept;

}  // namespace pianola::runtime
