// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <pianola/model/topology.hpp>

#include "graph_of_command.hpp"
#include "graph_view.hpp"
#include "plan.hpp"

namespace pianola::planner {

// For people to read on a terminal; every line ends with a newline, and nothing from labels or names
// can start a line or steer the terminal. At most `maximum` commands, buffers, steps or boxes of each
// kind are listed (0: all); a line says how many are left out.
[[nodiscard]] std::string to_text(const graph_view&, const model::topology&,
                                  std::size_t maximum = 400);
// The plan alone; `plan` must be one of this graph and topology.
[[nodiscard]] std::string to_text(const graph_view&, const plan&, const model::topology&,
                                  std::size_t maximum = 400);

// How a command runs one of its graphs: "repeated 12 times", "if the condition holds".
[[nodiscard]] std::string title_of_graph(const model::subgraph_command& what, std::size_t which);
// The plans of the graphs that commands of this one run, and what each iteration of a loop moves.
[[nodiscard]] std::string to_text(const graph_view&, const std::vector<graph_of_command>& graphs,
                                  const model::topology&, std::size_t maximum = 400);

// What the plan needs of each memory, a line each.
[[nodiscard]] std::string memory_text(const plan&, const model::topology&);

// What is particular to the command's kind, on one line: "range 512x512 in groups of 16x16", "4 KiB"; may be empty.
[[nodiscard]] std::string detail_text(const model::command&);

}  // namespace pianola::planner
