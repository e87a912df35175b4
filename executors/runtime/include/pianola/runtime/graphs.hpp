// SPDX-License-Identifier: Apache-2.0
// Recorded mode: what sycl_ext_oneapi_graph needs, and files.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pianola/model/ids.hpp>

#include "events.hpp"
#include "queues.hpp"
#include "submission.hpp"

namespace pianola::runtime {

class graph;
class executable_graph;

// All functions are thread-safe and throw model::user_error (invalid) for misuse: recording twice,
// adding to or finalizing a graph while another thread does, unknown nodes, cycles.
[[nodiscard]] std::shared_ptr<graph> create_graph(model::device_id);

// Submissions to the queue go to the graph instead of the device. False: it already records there.
bool begin_recording(const std::shared_ptr<graph>&, queue&);
bool end_recording(queue&);                         // false: it was not recording
bool end_recording(const std::shared_ptr<graph>&);  // all its queues
[[nodiscard]] bool is_recording(const queue&) noexcept;

// Explicit interface. `after` holds nodes of this graph.
model::command_id add_node(graph&, submission&, const std::vector<model::command_id>& after);
void make_edge(graph&, model::command_id from, model::command_id to);

// In the order of recording. A nested graph is one node.
[[nodiscard]] std::vector<model::command_id> nodes(const graph&);
[[nodiscard]] std::vector<model::command_id> root_nodes(const graph&);
// Including the edges that follow from buffers.
[[nodiscard]] std::vector<model::command_id> predecessors(const graph&, model::command_id);
[[nodiscard]] std::vector<model::command_id> successors(const graph&, model::command_id);
// "kernel", "memcpy", "memset", "fill", "host_task", "empty", "subgraph", "prefetch", "memadvise",
// "barrier", "update"
[[nodiscard]] const char* node_kind(const graph&, model::command_id);
// The node that an event of a recording stands for; invalid if it is none of this graph.
[[nodiscard]] model::command_id node_of(const graph&, const event&);

// Plans and instantiates. The graph may be changed and finalized again afterwards.
[[nodiscard]] std::shared_ptr<executable_graph> finalize(graph&);

// Files. Format by extension is the caller's choice: each function writes one format. Throw
// model::user_error (invalid) with path and reason if the file cannot be written or, for SVG,
// Graphviz is not there.
void write_dot(const graph&, const std::string& path, bool verbose);
void write_graph_json(const executable_graph&, const std::string& path);
void write_plan_json(const executable_graph&, const std::string& path);
void write_dot(const executable_graph&, const std::string& path);
void write_svg(const executable_graph&, const std::string& path);

}  // namespace pianola::runtime
