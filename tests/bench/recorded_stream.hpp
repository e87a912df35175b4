// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <pianola/recorder/command_graph.hpp>

#include "command_stream.hpp"

namespace bench {

inline constexpr std::size_t stream_argument_bytes = 64;

inline pianola::model::buffer_info stream_buffer() {
  pianola::model::buffer_info info;
  info.grid = pianola::model::page_grid(pianola::model::extent3{{1, 1, 1024}});
  info.element_size = 4;
  return info;
}

inline void add_stream_buffers(pianola::recorder::command_graph& graph) {
  for (std::size_t b = 0; b < command_stream::buffers; ++b)
    graph.add_buffer(stream_buffer(), b + 1);
}

// Records the first `count` commands of the stream, as the runtime records a kernel. `devices`: the command's
// device goes round so many.
inline void record_stream(pianola::recorder::command_graph& graph, const command_stream& stream,
                          std::size_t count, std::uint16_t devices = 1) {
  using namespace pianola::model;
  const box whole = box::of(stream_buffer().grid.range());
  alignas(16) std::array<unsigned char, stream_argument_bytes> bytes{};
  for (std::size_t i = 0; i < count; ++i) {
    const auto& buffers = stream[i];
    requirement needs[3];
    argument_slot slots[3];
    for (std::uint32_t r = 0; r < 3; ++r) {
      needs[r].buffer = buffer_id(buffers[r]);
      needs[r].mode = r == 2 ? access_mode::read_write : access_mode::read;
      needs[r].elements = whole;
      slots[r].offset = 8 * r;
      slots[r].requirement = r;
    }
    kernel_command kernel;
    kernel.id = kernel_id(1);
    kernel.slots = slots;
    kernel.arguments = graph.adopt_arguments({bytes.data(), stream_argument_bytes, 16, nullptr});
    command c;
    c.payload = kernel;
    c.requirements = needs;
    // Blocks of commands on one device, as a program with several queues makes them.
    c.device = device_id(static_cast<std::uint16_t>(i / 16 % devices));
    graph.append(c);
  }
}

}  // namespace bench
