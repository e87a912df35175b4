// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

#include "command_graph.hpp"
#include "edges.hpp"
#include "parameter_places.hpp"

namespace pianola::recorder {

// Memory of the host between two commands that are a copy from device to device.
struct staging {
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const staging& a, const staging& b) noexcept {
    return a.in == b.in && a.out == b.out && a.bytes == b.bytes;
  }
};

// What a graph held at some time, in an order that respects every edge. Does not follow the graph.
struct graph_contents {
  std::shared_ptr<const command_graph> storage;  // keeps what commands refer to alive
  std::vector<model::command> commands;
  std::vector<std::vector<std::uint64_t>> after;  // where `commands` were renumbered
  std::vector<std::uint32_t> place;               // of the recorded commands; empty: as recorded
  std::vector<std::shared_ptr<const void>> exchanged;  // of exchanged commands, by place
  std::vector<model::buffer_info> buffers;
  std::vector<std::uint64_t> externals;  // of the buffers
  std::vector<const char*> labels;       // of the buffers
  std::vector<staging> staged;
  std::uint64_t hash = 0;
  std::vector<std::shared_ptr<void>> kept_alive;  // what only the commands know

  // Views into `after`, which do not follow by themselves.
  void refer() {
    for (std::size_t i = 0; i < after.size(); ++i) commands[i].after = after[i];
  }
};

// A graph that is being put together: commands, edges, graphs nested in it, and the places of parameters. Commands are
// numbered as they come; a node is a command, or the last one of a nested graph. Not thread-safe.
class graph {
 public:
  graph(edge_derivation derive, parameter_places::word_test is_parameter)
      : commands_(std::make_shared<command_graph>()), edges_(derive), parameters_(is_parameter) {}

  [[nodiscard]] std::size_t size() const noexcept { return commands_->size(); }
  [[nodiscard]] const model::command& command(model::command_id id) const {
    return commands_->command(id);
  }
  [[nodiscard]] std::shared_ptr<const command_graph> storage() const noexcept { return commands_; }

  // As command_graph::add_buffer.
  model::buffer_id add_buffer(const model::buffer_info& info, std::uint64_t external,
                              const char* label) {
    return commands_->add_buffer(info, external, label);
  }
  // Takes over a copy of what the command refers to, its arguments too.
  model::command_id append(model::command command);
  void keep(std::shared_ptr<void> kept) { kept_alive_.push_back(std::move(kept)); }
  // The child's commands become this graph's own, between an entry and an exit command of `device`, which is the node.
  model::command_id append_nested(const graph_contents& child, model::device_id device,
                                  std::vector<std::uint64_t> after);
  // Two commands that were just appended are one node, a copy by way of memory of the host.
  void note_staged_copy(const staging& between);
  [[nodiscard]] bool is_staged_copy(model::command_id id) const;

  // Changes of recorded commands; see command_graph.
  void set_geometry(model::command_id id, const model::launch_geometry& geometry) {
    commands_->set_geometry(id, geometry);
  }
  std::shared_ptr<const void> exchange(model::command_id id, const model::command& command,
                                       std::vector<std::shared_ptr<void>> kept_alive);
  // Parameters stay where they are.
  std::shared_ptr<const void> exchange(model::command_id id, const model::command& command) {
    forget_edges();
    forget_past();
    return commands_->exchange(id, command);
  }
  // The value behind every copy of the parameter in the arguments of commands, `offset` bytes from it. What the commands
  // referred to goes to `old`.
  void write_parameter(std::uint64_t cookie, std::uint32_t offset, const void* value,
                       std::uint32_t size, std::vector<std::shared_ptr<const void>>& old);
  [[nodiscard]] const parameter_places& parameters() const noexcept { return parameters_; }

  // Throws model::user_error (invalid) if a node is not of this graph, or if the edge would close a cycle. Where nobody
  // looks for one as edges are made, contents() finds it.
  void make_edge(model::command_id from, model::command_id to);
  void do_not_look_for_cycles() noexcept { looks_for_cycles_ = false; }
  // What comes before the given commands, and they themselves. Edges that follow from buffers are left out: they would
  // have to be derived anew each time.
  [[nodiscard]] std::vector<char> ancestors(const std::vector<std::uint32_t>& of) const {
    return edges_.ancestors(*commands_, of);
  }
  // The same, not 0 where that has 1. Where all that it was asked for last comes before the commands, only what is new
  // is looked at: asked for one command after the other of a queue, it costs what they cost. Stays until the next call.
  [[nodiscard]] const std::vector<char>& past_of(const std::vector<std::uint32_t>& of);
  [[nodiscard]] std::uint64_t past_looked_at() const noexcept { return past_looked_at_; }
  // The same, to find out whether edges close cycles.
  [[nodiscard]] std::uint64_t cycles_looked_at() const noexcept { return edges_.looked_at(); }
  // Those of the commands, ascending, that no other one of them follows.
  [[nodiscard]] std::vector<std::uint64_t> leaves_among(
      const std::vector<std::uint32_t>& commands) const {
    return edges_.leaves_among(*commands_, commands);
  }

  // In the order of recording.
  [[nodiscard]] std::vector<model::command_id> nodes() const;
  // Between nodes, explicit ones and those that follow from buffers. Sorted, each once. What follows from buffers is
  // derived by the first of these functions that is called after a change, and kept until the next one.
  [[nodiscard]] const std::vector<command_edge>& edges() const { return known_edges().by_from; }
  // Ascending.
  [[nodiscard]] std::vector<model::command_id> predecessors(model::command_id node) const;
  [[nodiscard]] std::vector<model::command_id> successors(model::command_id node) const;
  // Nodes that no other one follows, by any edge. Looks at those that were leaves when this was asked last and at what was
  // appended since, however large the graph is.
  [[nodiscard]] std::vector<model::command_id> leaves() const;
  // The first command of the node.
  [[nodiscard]] std::uint32_t first_of(model::command_id node) const;
  // The node is a nested graph, and no copy in several commands.
  [[nodiscard]] bool is_nested_graph(model::command_id node) const;

  // Throws model::user_error (invalid) if an edge contradicts the order in which commands use a buffer, or closes a cycle.
  [[nodiscard]] graph_contents contents() const;
  // Only the buffers.
  [[nodiscard]] graph_contents known_buffers() const;

 private:
  // The commands [first, last] of a nested graph, or of a copy in several.
  struct nested {
    std::uint32_t first;
    std::uint32_t last;
    bool is_copy;
  };
  struct node_edges {
    std::vector<command_edge> by_from;
    std::vector<command_edge> by_to;  // (to, from)
  };
  [[nodiscard]] const node_edges& known_edges() const;
  [[nodiscard]] std::uint32_t node_of(std::uint32_t command) const;
  // A command uses other buffers, or others of their elements.
  void forget_edges() noexcept {
    node_edges_.reset();
    known_leaves_.clear();
    leaves_known_of_ = 0;
  }
  void forget_past() noexcept {
    past_.clear();
    past_ends_ = 0;
  }
  // A command was appended behind those.
  void note_order(model::array_view<const std::uint64_t> after);
  void note_followed(std::uint64_t command);
  // The one that holds this command; null if none does.
  [[nodiscard]] const nested* nested_with(std::uint32_t command) const;
  void list_buffers(graph_contents& to) const;
  void put_in_order(graph_contents& contents) const;

  std::shared_ptr<command_graph> commands_;
  graph_edges edges_;
  parameter_places parameters_;
  std::vector<nested> nested_;  // ascending
  std::vector<char> followed_;  // index: command; by an explicit edge
  std::size_t unfollowed_ = 0;  // so many are not
  // Of the first so many commands, whatever comes after them. A command that somebody follows never is a leaf again.
  mutable std::vector<std::uint32_t> known_leaves_;
  mutable std::size_t leaves_known_of_ = 0;
  // Of past_of: 0 or one of these. `end`: it was asked for, and so many of them are.
  enum past_mark : char { not_past = 0, past = 1, end = 2, fresh = 3 };
  std::vector<char> past_;  // index: command
  std::size_t past_ends_ = 0;
  std::uint64_t past_looked_at_ = 0;
  bool looks_for_cycles_ = true;
  std::vector<staging> staged_;
  std::vector<std::shared_ptr<void>> kept_alive_;
  mutable std::optional<node_edges> node_edges_;  // nothing after a change
};

}  // namespace pianola::recorder
