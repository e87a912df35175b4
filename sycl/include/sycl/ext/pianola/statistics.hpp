// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <pianola/runtime/statistics.hpp>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

/// What the process has planned since its start or the last reset_statistics().
struct statistics {
  std::uint64_t commands = 0;
  std::uint64_t transfers = 0;
  std::uint64_t transferred_bytes = 0;
  std::uint64_t transferred_pages = 0;
  std::uint64_t replays = 0;
  /// Updates of executable graphs for which a driver's graph had to be instantiated anew: the driver has no call that
  /// could express the change.
  std::uint64_t graph_reinstantiations = 0;
  /// Commands of graphs that were planned when these were finalized or updated.
  std::uint64_t planned_commands = 0;
  /// Graphs that were not planned because their plans came from files: PIANOLA_PLAN, property::graph::plan, load().
  std::uint64_t stored_plans = 0;
};

inline statistics get_statistics() noexcept {
  const ::pianola::runtime::statistics s = ::pianola::runtime::get_statistics();
  return statistics{s.commands, s.transfers,        s.transferred_bytes, s.transferred_pages,
                    s.replays,  s.reinstantiations, s.planned_commands,  s.stored_plans};
}

inline void reset_statistics() noexcept { ::pianola::runtime::reset_statistics(); }

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
