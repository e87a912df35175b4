// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/model/topology.hpp>

#include "graph_view.hpp"
#include "plan.hpp"

namespace pianola::planner {

// Of a plan whose kernels run in parts: the graph that was cut, and by which speeds of its devices (split_kernels). The plan
// is one of the graph in parts.
struct cut_graph {
  std::uint64_t whole_hash = 0;
  std::vector<double> speeds;  // index: device; empty: nothing was cut
};

// The file format pianola.plan/1 (docs/file-formats.md), for plans of recorded graphs. Reading what
// was written and writing it again gives the same bytes. `graph` is what the plan was made for. With
// `machine`, the file says what that is made of, and is read for no other one.
// Throws model::user_error (invalid) if the plan was made for another graph.
[[nodiscard]] std::string to_json(const plan&, const graph_view& graph,
                                  const model::topology* machine = nullptr,
                                  const cut_graph* cut = nullptr);
// The same text, in pieces.
void write_json(const plan&, const graph_view& graph,
                const std::function<void(std::string_view)>& to);

// Reads a plan without looking at a graph: ids and boxes may be unknown to every graph.
// Throws model::user_error (invalid) with the text "<source>: <JSON path>: <reason>".
[[nodiscard]] plan read_plan(std::string_view text, std::string_view source = "plan");
// What such a plan says of how its graph was made of another one.
[[nodiscard]] cut_graph read_cut(std::string_view text, std::string_view source = "plan");

// Reads a plan for this graph and machine: its graph_hash must be the graph's, the machine that it was made for must
// be here (machine_difference), every id known, every box within its buffer. What comes back is safe to hand to verify and to show; whether it is right,
// verify says.
[[nodiscard]] plan read_plan(std::string_view text, const graph_view& graph,
                             const model::topology& topology, std::string_view source = "plan");
[[nodiscard]] plan load_plan(const std::string& path, const graph_view& graph,
                             const model::topology& topology);

}  // namespace pianola::planner
