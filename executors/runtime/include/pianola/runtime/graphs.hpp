// SPDX-License-Identifier: Apache-2.0
// Recorded mode: what sycl_ext_oneapi_graph needs, and files.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <pianola/model/command_kind.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/kernel.hpp>

#include "events.hpp"
#include "queues.hpp"
#include "submission.hpp"

namespace pianola::runtime {

class graph;
class executable_graph;
class alternatives;  // commands of which nodes of a graph hold one at a time

// All functions are thread-safe and throw model::user_error (invalid) for misuse: recording twice,
// adding to or finalizing a graph while another thread does, unknown nodes, cycles.
// `multi_device`: queues of other devices may record into it, too; then their commands work there. `memory_budget`: bytes
// of each device's memory; 0: all that there are. `look_for_cycles`: as edges are made; else `finalize` finds them.
[[nodiscard]] std::shared_ptr<graph> create_graph(model::device_id, bool multi_device = false,
                                                  std::uint64_t memory_budget = 0,
                                                  bool look_for_cycles = true);
[[nodiscard]] model::device_id device_of(const graph&) noexcept;
[[nodiscard]] bool is_multi_device(const graph&) noexcept;
// Whether kernels need only what they touch, of what is finalized from now on; else PIANOLA_NARROW says so.
void set_narrowing(graph&, bool on);
// Launches of what is made of it wait for what the queues of events from outside have been given by then, not only the first
// for the events themselves. Before anything is recorded.
void wait_in_each_launch(graph&);
// Of this process, ascending in the order of creation; never 0.
[[nodiscard]] std::uint64_t id_of(const graph&) noexcept;

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
[[nodiscard]] std::vector<model::command_id> leaf_nodes(const graph&);
// Including the edges that follow from buffers.
[[nodiscard]] std::vector<model::command_id> predecessors(const graph&, model::command_id);
[[nodiscard]] std::vector<model::command_id> successors(const graph&, model::command_id);
// A nested graph is a subgraph.
[[nodiscard]] model::node_kind kind_of(const graph&, model::command_id);
// The node that an event of a recording stands for; invalid if it is none of this graph.
[[nodiscard]] model::command_id node_of(const graph&, const event&);

// Who decides where the commands of a graph run.
struct graph_placing {
  enum class goal : unsigned char { makespan, bytes, memory };  // what is to be small
  // Whether kernels that planning places run in parts on several devices, where their accesses are known.
  enum class splitting : unsigned char { never, where_it_pays, always };
  bool anywhere = false;  // planning, for those that can run on several of the devices
  splitting parts = splitting::where_it_pays;
  goal objective = goal::makespan;
  std::vector<model::device_id> devices;  // to choose from, ascending
};
// Of what is finalized from now on, unless `finalize` is told otherwise.
void set_placing(graph&, graph_placing);
[[nodiscard]] graph_placing placing_of(const graph&);

// Plans and instantiates. The graph may be changed and finalized again afterwards. `plan`: a file, or a folder with files,
// of format pianola.plan/1; the plan of this graph among them is used if it fits, else the log tells why not. Throws
// model::user_error (invalid) if a file cannot be read or is no plan.
[[nodiscard]] std::shared_ptr<executable_graph> finalize(graph&, const std::string& plan = {});
[[nodiscard]] std::shared_ptr<executable_graph> finalize(graph&, const graph_placing&,
                                                         const std::string& plan = {});

// Bytes that the graph holds for what its commands allocate and for buffers that are not there all the time.
[[nodiscard]] std::uint64_t owned_bytes(const executable_graph&);
// What its plan needs of the device's memory, in bytes; what shares room has `block`, and would have `apart`.
struct graph_memory_use {
  std::uint64_t peak = 0;
  std::uint64_t block = 0;
  std::uint64_t apart = 0;
  std::uint64_t budget = 0;
};
[[nodiscard]] graph_memory_use memory_use_of(const executable_graph&, model::device_id);

// The graph that a queue records into; null if it does not record.
[[nodiscard]] std::shared_ptr<graph> recording_graph(const queue&);

// Changes of nodes that are recorded already. An executable graph follows when it is updated.
// Throws model::user_error (invalid) if the node is no kernel, or the kernel cannot have this index space;
// `grouped` and dimensions must be as they were.
void set_geometry(graph&, model::command_id, const model::launch_geometry&);
// A cookie to be put in front of a value in the arguments of the graph's commands, or of any graph's if that is null; or
// one of a dynamic_memory.
[[nodiscard]] std::uint64_t create_parameter(const std::shared_ptr<graph>&, bool is_memory = false);
// What parameters with this cookie are from now on in commands that are recorded: what function objects have captured of them
// may be older. `bytes`: of a dynamic_memory, whose extent the value is; else 0.
void note_parameter(std::uint64_t cookie, const void* value, std::uint32_t size,
                    std::uint64_t bytes = 0);
// Nobody changes it any more.
void forget_parameter(std::uint64_t cookie) noexcept;
// Every value right behind this cookie in the arguments of the graph's kernels and host tasks, and of its alternatives.
void set_parameter(graph&, std::uint64_t cookie, const void* value, std::uint32_t size);
// The same where the values are accessors that know their buffer: what the commands require follows. `required` is what
// the new one asks for.
void set_accessor_parameter(graph&, std::uint64_t cookie, const void* value, std::uint32_t size,
                            const accessor_request& required);
// Another size of every dynamic_memory with this cookie, and another value behind it. Throws model::user_error
// (memory_allocation) if a device has less.
void set_dynamic_memory(graph&, std::uint64_t cookie, std::uint64_t bytes, const void* value,
                        std::uint32_t size);
// Ends when neither the graph nor anything that was made of it is left.
void keep_with(graph&, std::shared_ptr<void>);
// The first one is chosen. `choose` exchanges the command of every node that was added of them, and throws
// model::user_error (invalid) if there is no such one. An index space that a node is given stays with the command that
// it holds then, and is that of the other nodes, too.
[[nodiscard]] std::shared_ptr<alternatives> create_alternatives(
    graph&, std::vector<std::unique_ptr<submission>>);
model::command_id add_node(graph&, const std::shared_ptr<alternatives>&,
                           const std::vector<model::command_id>& after);
[[nodiscard]] std::size_t chosen(const graph&, const alternatives&);
void choose(graph&, alternatives&, std::size_t index);
// Another command of the same kind in the place of the node's. Throws model::user_error (invalid) otherwise.
void replace_node(graph&, model::command_id, submission&);

// The executable graph becomes what finalize(from) would give; both have the same nodes and edges, or
// model::user_error (invalid) is thrown and nothing has changed. Replays under way go on as they are. Where the same
// buffers are used in the same way, nothing is planned again and only what differs is exchanged.
void update(executable_graph&, const graph& from);
// The same for some nodes of the graph it was finalized from, in time that grows with their number alone.
void update(executable_graph&, const graph& from, const std::vector<model::command_id>& nodes);

// Files. Format by extension is the caller's choice: each function writes one format. Throw
// model::user_error (invalid) with path and reason if the file cannot be written or, for SVG,
// Graphviz is not there.
void write_dot(const graph&, const std::string& path, bool verbose);
void write_graph_json(const executable_graph&, const std::string& path);
void write_plan_json(const executable_graph&, const std::string& path);
void write_dot(const executable_graph&, const std::string& path);
void write_svg(const executable_graph&, const std::string& path);

}  // namespace pianola::runtime
