// SPDX-License-Identifier: Apache-2.0
// Names and short descriptions that text and pictures share. Everything returned fits on one line.
#pragma once
#include <cstddef>
#include <string>

#include <pianola/model/topology.hpp>

#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner::display {

// Filled up with blanks to `width` characters.
[[nodiscard]] inline std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}
[[nodiscard]] std::string buffer_name(const graph_view&, model::buffer_id);
[[nodiscard]] std::string memory_name(const model::topology&, model::memory_id);
[[nodiscard]] std::string memory_names(const model::topology&, const model::memory_set&);
[[nodiscard]] std::string device_name(const model::topology&, model::device_id);

// "stencil", or the kind if the command has no name.
[[nodiscard]] std::string command_name(const model::command&);
// What is particular to the kind: "512x512", "512x512 in groups of 16x16", "copies 4 KiB"; may be empty.
[[nodiscard]] std::string command_detail(const model::command&);
// Of one of the command's requirements: "read u [0,8)x[4,8)", "read_write sum, reduced by add". The box is left out where it
// is the whole buffer.
[[nodiscard]] std::string requirement_text(const graph_view&, const model::command&,
                                           std::size_t index);
// "u [0,8)x[4,8)", likewise.
[[nodiscard]] std::string box_of_buffer(const graph_view&, model::buffer_id, const model::box&);

// Where a buffer is in a block of the graph's, and for which steps.
[[nodiscard]] std::string slot_text(const graph_view&, const model::topology&, const storage_slot&);

// Commands that run graphs, which move what they move within themselves: a line that says so, or nothing where none does.
[[nodiscard]] std::string replays_line(const graph_view&);

[[nodiscard]] std::uint64_t transfer_bytes(const graph_view&, const transfer_step&);
[[nodiscard]] std::uint64_t transfer_pages(const graph_view&, const transfer_step&);

}  // namespace pianola::planner::display
