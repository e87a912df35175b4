// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pianola/model/topology.hpp>

#include "graph_view.hpp"
#include "plan.hpp"

namespace pianola::planner {

// A graph that a command of another graph runs, for drawing it beside that.
struct drawn_body {
  std::uint32_t command;  // of the graph that has it
  std::string title;
  graph_view graph;
  std::vector<drawn_body> bodies;  // of its own commands
};

struct dot_options {
  // More commands (or steps of a plan) than this are not drawn; a note in the picture says how many
  // are missing. 0: no limit.
  std::size_t maximum_nodes = 400;
  bool requirements = true;  // list what each command needs of which buffer
  // Drawn as clusters, with a dotted line from the command; null: there are none.
  const std::vector<drawn_body>* bodies = nullptr;
};

// The graph in Graphviz' language: a node per command, edges as they follow from buffers (with the
// buffer's name) and as they were asked for, without those that others imply.
[[nodiscard]] std::string to_dot(const graph_view&, const dot_options& = {});

// The plan: a cluster per lane, transfers as nodes of their own with buffer, memories and bytes,
// waits between lanes, entry contract and exit state. `plan` must be one of this graph and topology.
[[nodiscard]] std::string to_dot(const graph_view&, const plan&, const model::topology&,
                                 const dot_options& = {});

// The picture that Graphviz draws, as SVG. Throws model::user_error (invalid) if the program `dot`
// is not installed, or fails.
[[nodiscard]] std::string svg_from_dot(const std::string& dot);
// Likewise, as PNG without transparency, of 96 pixels per inch, or of 72 where it is large.
[[nodiscard]] std::string png_from_dot(const std::string& dot);
// SVG into a file; also throws if that cannot be written.
void render_svg(const std::string& dot, const std::string& path);

}  // namespace pianola::planner
