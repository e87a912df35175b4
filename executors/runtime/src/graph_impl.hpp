// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pianola/recorder/command_graph.hpp>
#include <pianola/runtime/graphs.hpp>

#include "submit.hpp"

namespace pianola::runtime {

// A graph that is being put together. Has a lock of its own; where the runtime's lock is needed too,
// it is taken second.
class graph : public std::enable_shared_from_this<graph> {
 public:
  explicit graph(model::device_id device)
      : device_(device), commands_(std::make_shared<recorder::command_graph>()) {}

  [[nodiscard]] model::device_id device() const noexcept { return device_; }

  bool begin(queue& q);
  bool end_all();
  void ended(queue& q);
  [[nodiscard]] bool recording_active() const;

  // A submission of a queue that records into this graph.
  event record(queue& q, submission& s, const found_slots& slots);
  // The explicit interface.
  model::command_id add(submission& s, const found_slots& slots,
                        const std::vector<model::command_id>& after);
  void make_edge(model::command_id from, model::command_id to);

  // What is there, in an order that respects every edge.
  struct snapshot {
    std::shared_ptr<const recorder::command_graph> storage;  // keeps what commands refer to alive
    std::vector<model::command> commands;
    std::vector<std::vector<std::uint64_t>> after;  // where `commands` were renumbered
    std::vector<model::buffer_info> buffers;
    std::vector<buffer_key> keys;
    std::vector<const char*> labels;
    std::uint64_t hash = 0;
  };
  [[nodiscard]] snapshot take_snapshot() const;

  // Commands. Those of a nested graph all belong to one node: its last command.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<model::command_id> nodes() const;
  // Pairs (from, to) of nodes, explicit and implied by buffers.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> edges() const;
  [[nodiscard]] const char* kind(model::command_id) const;
  [[nodiscard]] bool holds(model::command_id id) const { return id.valid() && id.value() < size(); }

 private:
  model::command_id append(submission& s, const found_slots& slots,
                           std::vector<std::uint64_t> after);
  model::command_id append_child(const executable_graph& child, std::vector<std::uint64_t> after);

  void refuse_while_recording(const char* what) const;
  [[nodiscard]] std::uint32_t node_of(std::uint32_t command) const;

  // The commands [first, last] of a nested graph.
  struct nested {
    std::uint32_t first;
    std::uint32_t last;
  };

  model::device_id device_;
  mutable std::mutex mutex_;
  std::shared_ptr<recorder::command_graph> commands_;
  std::vector<std::weak_ptr<queue>> queues_;
  std::vector<nested> nested_;  // ascending
  // Edges against the order of recording; commands are put in order when the graph is finalized.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> backward_;
};

}  // namespace pianola::runtime
