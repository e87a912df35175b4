// SPDX-License-Identifier: Apache-2.0
// Nodes and edges of a graph, and the order in which it is handed out.
#include <algorithm>
#include <queue>
#include <string>

#include <pianola/model/error.hpp>
#include <pianola/planner/command_edges.hpp>

#include "commands/names.hpp"
#include "replay/graph_impl.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

// What comes before the given commands, and they themselves. Edges that follow from buffers are left out: they would
// have to be derived anew each time.
std::vector<char> graph::ancestors(std::vector<std::uint32_t> of) const {
  std::vector<char> reached(commands_->size(), 0);
  for (const std::uint32_t i : of) reached[i] = 1;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = reached.size(); i-- > 0;) {
      if (reached[i] == 0) continue;
      for (const std::uint64_t a :
           commands_->command(model::command_id(static_cast<std::uint32_t>(i))).after)
        reached[a] = 1;
    }
    for (const auto& [from, to] : backward_)
      if (reached[to] != 0 && reached[from] == 0) {
        reached[from] = 1;
        again = true;
      }
  }
  return reached;
}

void graph::make_edge(model::command_id from, model::command_id to) {
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("make_edge");
  const std::size_t n = commands_->size();
  if (!from.valid() || !to.valid() || from.value() >= n || to.value() >= n)
    throw user_error(error_code::invalid, "make_edge: a node is not of this graph");
  if (from == to) throw user_error(error_code::invalid, "make_edge: a node cannot follow itself");
  // What comes before a nested graph comes before its first command.
  for (const nested& g : nested_)
    if (to.value() == g.last) to = model::command_id(g.first);
  const bool as_recorded = from < to;
  const bool cycle_possible = !as_recorded || !backward_.empty();
  if (cycle_possible && ancestors({from.value()})[to.value()] != 0)
    throw user_error(error_code::invalid, "make_edge: the edge would close a cycle");
  if (as_recorded)
    commands_->add_edge(from, to);
  else
    backward_.emplace_back(from.value(), to.value());
}

std::size_t graph::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return commands_->size();
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> graph::edges() const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto all = planner::command_edges(commands_->commands(), commands_->buffers());
  all.insert(all.end(), backward_.begin(), backward_.end());
  for (auto& [from, to] : all) {
    from = node_of(from);
    to = node_of(to);
  }
  all.erase(
      std::remove_if(all.begin(), all.end(), [](const auto& e) { return e.first == e.second; }),
      all.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::uint32_t graph::node_of(std::uint32_t command) const {
  for (const nested& n : nested_)
    if (command >= n.first && command <= n.last) return n.last;
  return command;
}

std::vector<model::command_id> graph::nodes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<model::command_id> found;
  for (std::uint32_t i = 0; i < commands_->size(); ++i)
    if (node_of(i) == i) found.emplace_back(i);
  return found;
}

void graph::refuse_while_recording(const char* what) const {
  for (const auto& w : queues_)
    if (!w.expired())
      throw user_error(error_code::invalid,
                       std::string(what) +
                           ": a queue records into this graph; end_recording before the explicit "
                           "interface is used");
}

const char* graph::kind(model::command_id id) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const nested& n : nested_)
    if (id.value() == n.last && !n.is_copy) return "subgraph";
  return kind_name(commands_->command(id).payload);
}

// Commands that share a buffer keep their order, whatever the edges say: an edge against it is a contradiction.
void graph::put_in_order(snapshot& s) const {
  const auto n = static_cast<std::uint32_t>(s.commands.size());
  std::vector<std::vector<std::uint32_t>> successors(n);
  std::vector<std::uint32_t> open_predecessors(n, 0);
  auto all = planner::command_edges(commands_->commands(), commands_->buffers());
  all.insert(all.end(), backward_.begin(), backward_.end());
  for (const auto& [from, to] : all) {
    successors[from].push_back(to);
    ++open_predecessors[to];
  }
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < n; ++i)
    if (open_predecessors[i] == 0) ready.push(i);
  std::vector<std::uint32_t> order, place(n, 0);
  while (!ready.empty()) {
    const std::uint32_t i = ready.top();
    ready.pop();
    place[i] = static_cast<std::uint32_t>(order.size());
    order.push_back(i);
    for (const std::uint32_t t : successors[i])
      if (--open_predecessors[t] == 0) ready.push(t);
  }
  if (order.size() != n)
    throw user_error(error_code::invalid,
                     "an edge of the graph contradicts the order in which its commands use a "
                     "buffer: record the commands in the order in which they are to run");
  std::vector<model::command> sorted;
  s.after.resize(n);
  for (const std::uint32_t i : order) {
    model::command c = s.commands[i];
    auto& after = s.after[sorted.size()];
    for (const std::uint64_t a : c.after) after.push_back(place[a]);
    for (const auto& [from, to] : backward_)
      if (to == i) after.push_back(place[from]);
    c.after = after;
    sorted.push_back(c);
  }
  s.commands.swap(sorted);
  s.place = place;
  for (staging& between : s.staged) {
    between.in = place[between.in];
    between.out = place[between.out];
  }
}

void graph::list_buffers(snapshot& s) const {
  s.buffers.assign(commands_->buffers().begin(), commands_->buffers().end());
  for (std::uint32_t i = 0; i < s.buffers.size(); ++i) {
    s.keys.emplace_back(commands_->external(model::buffer_id(i)) - 1);
    s.labels.push_back(commands_->buffer_label(model::buffer_id(i)));
  }
}

graph::snapshot graph::known_buffers() const {
  std::lock_guard<std::mutex> lock(mutex_);
  snapshot s;
  list_buffers(s);
  return s;
}

graph::snapshot graph::take_snapshot() const {
  std::lock_guard<std::mutex> lock(mutex_);
  snapshot s;
  s.storage = commands_;
  s.staged = staged_;
  s.kept_alive = kept_alive_;
  if (memory_ != nullptr) s.memories.push_back(memory_);
  for (const nested_memory& m : nested_memories_) s.memories.push_back(m.memory);
  s.commands.assign(commands_->commands().begin(), commands_->commands().end());
  list_buffers(s);
  if (!backward_.empty()) put_in_order(s);
  for (std::uint32_t i = 0; i < s.commands.size(); ++i)
    if (auto refers_to = commands_->exchanged(model::command_id(i))) {
      s.exchanged.resize(s.commands.size());
      s.exchanged[s.place.empty() ? i : s.place[i]] = std::move(refers_to);
    }
  std::uint64_t first_place = ~std::uint64_t{0};
  for (const model::command& c : s.commands)
    if (const auto* a = std::get_if<model::allocate_command>(&c.payload))
      first_place = std::min(first_place, a->place);
  for (model::command& c : s.commands)
    if (auto* a = std::get_if<model::allocate_command>(&c.payload)) a->place -= first_place;
  s.hash = commands_->structural_hash();
  return s;
}

}  // namespace pianola::runtime
