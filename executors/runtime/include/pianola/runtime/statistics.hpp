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
  std::uint64_t planned_commands = 0;  // of graphs, which were planned here
  std::uint64_t stored_plans = 0;      // of graphs, which were taken from files instead
};
[[nodiscard]] statistics get_statistics() noexcept;
void reset_statistics() noexcept;

}  // namespace pianola::runtime
