// SPDX-License-Identifier: Apache-2.0
// Commands of a graph that run other graphs: repeatedly, as long as a condition holds, or one of several.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/model/control_kind.hpp>

namespace pianola::runtime {

class executable_graph;

// What a submission asks for whose payload is a subgraph_command. If the condition is in a buffer, the submission has one
// accessor, which reads that element; otherwise it has none.
struct control_request {
  model::control_kind what = model::control_kind::repeat;
  std::uint64_t count = 0;  // repeat
  // Of the condition, an integer: its size, and for a number that chooses a graph whether it may be negative.
  std::uint32_t bytes = 0;
  bool is_signed = false;
  bool in_buffer = false;
  const void* pointer = nullptr;  // USM that holds the condition
  std::vector<std::shared_ptr<executable_graph>> bodies;
};

}  // namespace pianola::runtime
