// SPDX-License-Identifier: Apache-2.0
// What is different about two graphs and their plans, as programs change: commands come and go, are renamed, use other
// boxes, run elsewhere. Commands are matched by what they are and by their order, never by number.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// One of the two. What it refers to must outlive what is made of it.
struct compared_graph {
  const graph_view& graph;
  const planner::plan& plan;
  const model::topology& machine;
  double measured =
      0;  // seconds that its commands were measured to take, added up; 0: nobody measured
};

struct command_match {
  model::command_id a, b;
  // What is different.
  bool name = false;
  bool device = false;
  bool size = false;      // index space, bytes that are copied or filled
  bool accesses = false;  // buffers, boxes, modes

  [[nodiscard]] bool same() const noexcept { return !name && !device && !size && !accesses; }
};

struct graph_figures {
  std::uint64_t commands = 0;
  std::uint64_t edges = 0;
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;  // that transfers move
  double seconds = 0;       // makespan, as planner::simulate expects it
  double measured = 0;      // 0: nobody measured
};

struct graph_difference {
  graph_figures a, b;
  std::vector<command_match> matches;                                  // ascending in both
  std::vector<std::pair<model::command_id, model::command_id>> moved;  // the same, at another place
  std::vector<model::command_id> deleted;                              // of a, and not moved
  std::vector<model::command_id> inserted;                             // of b, likewise
  std::vector<model::buffer_id> buffers;  // index: buffer of a; its buffer of b; invalid: none
  // Between commands that are in both, in the numbers of the graph that has the edge.
  std::vector<std::pair<model::command_id, model::command_id>> edges_lost, edges_gained;
  // By number of their steps: what the other plan does not move likewise.
  std::vector<model::step_id> transfers_lost, transfers_gained;

  std::uint64_t looked_at = 0;  // commands, each time; for tests of what matching them costs

  // Nothing that a program says is different; plans may be.
  [[nodiscard]] bool same_commands() const noexcept;
};

// Takes O((n + d) d) for d differences between n commands, and less than in proportion to d * d where there are many: then
// it may find more differences than there need be.
[[nodiscard]] graph_difference difference_of(const compared_graph& a, const compared_graph& b);

// For people to read on a terminal, like planner::to_text. At most `maximum` of anything (0: all).
[[nodiscard]] std::string to_text(const graph_difference&, const compared_graph& a,
                                  const compared_graph& b, std::size_t maximum = 400);
// For programs: pianola.difference/1 (docs/explaining.md). `recording`: what the graphs are called in the recordings that
// they are of; empty: nothing.
[[nodiscard]] std::string to_json(const graph_difference&, const compared_graph& a,
                                  const compared_graph& b, const std::string& recording = {});
// The same of a graph that only one of two recordings has, the first one or the second.
[[nodiscard]] std::string only_in_json(const graph_figures&, const compared_graph&, bool in_first,
                                       const std::string& recording);

}  // namespace pianola::planner
