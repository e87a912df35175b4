// SPDX-License-Identifier: Apache-2.0
// What a recorded graph may take of the memories of devices, and what it takes. Described in docs/memory.md.
#pragma once

#include <cstdint>

#include <pianola/runtime/graphs.hpp>

#include <sycl/command_graph.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

/// What an executable graph needs of a device's memory, in bytes.
struct graph_memory_use {
  /// At most at any time: its buffers, and what its commands allocate.
  std::uint64_t peak = 0;
  /// Of them, the room of what may share it: buffers that are temporary or leave, and what commands allocate.
  std::uint64_t shared = 0;
  /// What these would take if each had room of its own.
  std::uint64_t apart = 0;
  /// What the peak must not exceed; 0: nothing is known of the memory's size.
  std::uint64_t budget = 0;

  std::uint64_t saved() const noexcept { return apart > shared ? apart - shared : 0; }
};

/// For a device in the host's memory: what the graph needs there.
inline graph_memory_use get_memory_use(
    const oneapi::experimental::command_graph<oneapi::experimental::graph_state::executable>& graph,
    const device& d) {
  const ::pianola::runtime::graph_memory_use use = sycl::detail::translate([&] {
    return ::pianola::runtime::memory_use_of(*sycl::detail::graph_access::handle(graph),
                                             sycl::detail::device_access::id(d));
  });
  return graph_memory_use{use.peak, use.block, use.apart, use.budget};
}

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
