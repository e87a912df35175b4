// SPDX-License-Identifier: Apache-2.0
// How launches of an executable graph follow each other, and what is noted of them.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "graphs.hpp"

namespace pianola::runtime {

struct replay_options {
  // Launches that may run at the same time, where what they work on allows it; each has temporaries of its own.
  std::uint32_t in_flight = 1;
  // Of every launch it is noted when each command was run.
  bool node_times = false;
};
inline constexpr std::uint32_t most_in_flight = 64;

// As finalize in graphs.hpp. Throws model::user_error: invalid for 0 or more than most_in_flight launches in flight,
// feature_not_supported for several of a graph that allocates memory (async_malloc), whose launches share that memory.
[[nodiscard]] std::shared_ptr<executable_graph> finalize(graph&, const graph_placing&,
                                                         const replay_options&,
                                                         const std::string& plan = {});

}  // namespace pianola::runtime
