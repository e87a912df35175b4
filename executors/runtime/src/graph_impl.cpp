// SPDX-License-Identifier: Apache-2.0
#include "graph_impl.hpp"

#include <algorithm>
#include <queue>
#include <string>

#include <pianola/model/error.hpp>
#include <pianola/planner/command_edges.hpp>

#include "core.hpp"
#include "event_record.hpp"
#include "executable.hpp"
#include "narrow_modes.hpp"
#include "queue_impl.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

bool graph::begin(queue& q) {
  if (q.description().device != device_)
    throw user_error(error_code::invalid,
                     "the queue works on another device than the graph was made for");
  std::lock_guard<std::mutex> lock(mutex_);
  core& c = core::instance();
  std::lock_guard core_lock(c.mutex);
  const std::shared_ptr<graph> already = q.recording.lock();
  if (already.get() == this) return false;
  if (already != nullptr)
    throw user_error(error_code::invalid,
                     "the queue already records into another graph: end that recording first");
  q.recording = weak_from_this();
  q.last_recorded = {};
  q.last_recorded_event = {};
  q.recorded_barrier = {};
  queues_.push_back(q.weak_from_this());
  return true;
}

void graph::ended(queue& q) {
  std::lock_guard<std::mutex> lock(mutex_);
  queues_.erase(std::remove_if(queues_.begin(), queues_.end(),
                               [&](const std::weak_ptr<queue>& w) {
                                 const auto p = w.lock();
                                 return p == nullptr || p.get() == &q;
                               }),
                queues_.end());
}

bool graph::end_all() {
  std::vector<std::weak_ptr<queue>> queues;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    queues.swap(queues_);
  }
  bool any = false;
  core& c = core::instance();
  std::lock_guard core_lock(c.mutex);
  for (const auto& w : queues)
    if (const auto q = w.lock(); q != nullptr && q->recording.lock().get() == this) {
      q->recording.reset();
      any = true;
    }
  return any;
}

bool graph::recording_active() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !queues_.empty();
}

event graph::record(queue& q, submission& s, const found_slots& slots) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::uint64_t> after;
  for (const event& e : s.after) {
    if (e.record == nullptr || !e.record->node.valid()) {
      if (status(e) == event_status::complete) continue;
      throw user_error(
          error_code::invalid,
          "a recorded command depends on an event of a command that was submitted to a "
          "device; graphs can only order their own commands. Wait for the event before "
          "the graph is submitted");
    }
    if (e.record->recorded_in.lock().get() != this)
      throw user_error(error_code::invalid,
                       "a recorded command depends on an event of another graph");
    after.push_back(e.record->node.value());
  }
  if (q.description().in_order) {
    if (q.last_recorded.valid()) after.push_back(q.last_recorded.value());
  } else if (q.recorded_barrier.valid()) {
    after.push_back(q.recorded_barrier.value());
  }
  const bool barrier = std::holds_alternative<model::barrier_command>(s.payload);
  if (barrier && s.after.empty() && !q.description().in_order)
    for (std::uint64_t i = 0; i < commands_->size(); ++i) after.push_back(i);
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  const model::command_id id = append(s, slots, std::move(after));
  q.last_recorded = id;
  if (barrier) q.recorded_barrier = id;
  event e;
  e.record = std::make_shared<event_record>();
  e.record->recorded_in = weak_from_this();
  e.record->node = id;
  if (q.description().in_order) q.last_recorded_event = e;
  return e;
}

model::command_id graph::add(submission& s, const found_slots& slots,
                             const std::vector<model::command_id>& nodes) {
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("add");
  std::vector<std::uint64_t> after;
  for (const model::command_id n : nodes) after.push_back(n.value());
  for (const event& e : s.after) {
    if (e.record == nullptr || e.record->recorded_in.lock().get() != this)
      throw user_error(error_code::invalid, "a node depends on an event that is not of this graph");
    after.push_back(e.record->node.value());
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  return append(s, slots, std::move(after));
}

model::command_id graph::append_child(const executable_graph& child,
                                      std::vector<std::uint64_t> after) {
  // The child's commands become this graph's own, between an entry and an exit node.
  const graph::snapshot& from = child.recorded();
  kept_alive_.insert(kept_alive_.end(), from.kept_alive.begin(), from.kept_alive.end());
  // Addresses are those of the recording, so whoever uses the memory takes turns.
  for (const auto& memory : from.memories) {
    if (memory == memory_)
      throw user_error(error_code::invalid,
                       "a graph that allocates memory cannot be nested in the graph that it was "
                       "finalized from: both would work in the same memory");
    for (const nested_memory& m : nested_memories_)
      if (m.memory == memory) after.push_back(m.last);
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  std::vector<model::buffer_id> buffers;
  for (std::size_t i = 0; i < from.buffers.size(); ++i)
    buffers.push_back(
        commands_->add_buffer(from.buffers[i], from.keys[i].value() + 1, from.labels[i]));
  model::command entry;
  entry.after = after;
  entry.device = device_;
  entry.label = "subgraph begins";
  const std::uint64_t first = commands_->append(entry).value();
  std::vector<model::requirement> requirements;
  std::vector<std::uint64_t> order;
  for (const model::command& source : from.commands) {
    model::command c = source;
    requirements.assign(source.requirements.begin(), source.requirements.end());
    for (auto& r : requirements) r.buffer = buffers[r.buffer.value()];
    order.assign(1, first);
    for (const std::uint64_t a : source.after) order.push_back(first + 1 + a);
    c.requirements = requirements;
    c.after = order;
    if (auto* k = std::get_if<model::kernel_command>(&c.payload))
      k->arguments = commands_->adopt_arguments(k->arguments);
    else if (auto* t = std::get_if<model::host_task_command>(&c.payload))
      t->arguments = commands_->adopt_arguments(t->arguments);
    commands_->append(c);
  }
  model::command exit;
  order.clear();
  for (std::uint64_t i = first; i < commands_->size(); ++i) order.push_back(i);
  exit.after = order;
  exit.device = device_;
  exit.label = "subgraph ends";
  const model::command_id last = commands_->append(exit);
  for (const staging& s : from.staged)
    staged_.push_back({static_cast<std::uint32_t>(first + 1 + s.in),
                       static_cast<std::uint32_t>(first + 1 + s.out), s.bytes});
  nested_.push_back({static_cast<std::uint32_t>(first), last.value(), false});
  for (const auto& memory : from.memories) {
    const auto known = std::find_if(nested_memories_.begin(), nested_memories_.end(),
                                    [&](const nested_memory& m) { return m.memory == memory; });
    if (known != nested_memories_.end())
      known->last = last.value();
    else
      nested_memories_.push_back({memory, last.value()});
  }
  return last;
}

model::command_id graph::append(submission& s, const found_slots& slots,
                                std::vector<std::uint64_t> after) {
  if (s.graph != nullptr) return append_child(*s.graph, std::move(after));
  if (std::holds_alternative<model::copy_command>(s.payload)) {
    model::command located;
    located.payload = s.payload;
    const core& c = core::instance();
    locate_pointers(c, located.payload);
    if (!place_command(c, located.payload, s.device.valid() ? s.device : device_).device.valid())
      return append_copy_over_host(s, located, std::move(after));
  }
  description made;
  describe(s, slots, made);
  made.command.after = after;
  const model::command_id id(static_cast<std::uint32_t>(commands_->size()));
  note_memory(made.command.payload, s, id);
  return commands_->append(made.command);
}

// What comes before the given commands, and they themselves. Edges that follow from buffers are left out: they would
// have to be derived anew for every allocation.
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

std::shared_ptr<memory_step> graph::plan_allocation(const submission& s, queue* q,
                                                    const pool_description& pool,
                                                    model::allocate_command& command) {
  if (pool.device != device_)
    throw user_error(error_code::invalid,
                     "async_malloc: the graph works on another device than the memory pool");
  auto step = std::make_shared<memory_step>(memory_step::kind::graph_allocation);
  std::lock_guard<std::mutex> lock(mutex_);
  step->taken = true;  // nothing to be undone so far
  std::vector<std::uint32_t> before;
  if (s.place != nullptr)
    for (const model::command_id id : s.place->after)
      if (id.value() < commands_->size()) before.push_back(id.value());
  for (const event& e : s.after)
    if (e.record != nullptr && e.record->node.valid() && e.record->recorded_in.lock().get() == this)
      before.push_back(e.record->node.value());
  if (q != nullptr) {
    core& c = core::instance();
    std::lock_guard core_lock(c.mutex);
    if (q->recording.lock().get() == this) {
      const model::command_id last =
          q->description().in_order ? q->last_recorded : q->recorded_barrier;
      if (last.valid()) before.push_back(last.value());
    }
  }
  const std::vector<char> past = ancestors(std::move(before));
  std::vector<char> gone;
  for (const owned_allocation& a : owned_)
    if (a.kind == pool.kind)
      gone.push_back(a.dropped || (a.died != no_command && past[a.died] != 0) ? 1 : 0);
  if (memory_ == nullptr) memory_ = std::make_shared<graph_memory>(device_);
  const graph_memory::place at = memory_->add(pool.kind, command.bytes, gone);
  command.pointer = at.pointer;
  command.place = at.number;
  command.allocation = memory_desk::instance().next_name();
  owned_.push_back({command.allocation, at.pointer, command.bytes, pool.kind});
  step->allocation = command.allocation;
  step->planned_in = weak_from_this();
  step->taken = false;
  return step;
}

void graph::drop_allocation(std::uint64_t name) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  for (owned_allocation& a : owned_)
    if (a.name == name && a.born == no_command) a.dropped = true;
}

void graph::plan_end(model::free_command& command) const {
  std::lock_guard<std::mutex> lock(mutex_);
  bool freed = false;
  for (const owned_allocation& a : owned_) {
    if (a.pointer != command.pointer || a.born == no_command) continue;
    freed = a.died != no_command;
    if (freed) continue;
    command.allocation = a.name;
    command.bytes = a.bytes;
    return;
  }
  throw user_error(error_code::invalid,
                   freed ? "async_free: a node of this graph frees this memory already"
                         : "async_free: no node of this graph allocates this memory. What was "
                           "allocated outside of a recording is freed outside");
}

void graph::note_memory(const model::command_payload& payload, submission& s,
                        model::command_id id) {
  if (std::holds_alternative<model::allocate_command>(payload)) {
    const std::uint64_t name = std::get<model::allocate_command>(payload).allocation;
    for (owned_allocation& a : owned_)
      if (a.name == name && a.born == no_command && !a.dropped) {
        a.born = id.value();
        s.memory->taken = true;
        return;
      }
    throw user_error(error_code::invalid,
                     "async_malloc: the command group was not known to be recorded into this graph "
                     "when it allocated; call depends_on before async_malloc");
  }
  if (!std::holds_alternative<model::free_command>(payload)) return;
  const std::uint64_t name = std::get<model::free_command>(payload).allocation;
  for (owned_allocation& a : owned_)
    if (a.name == name && a.died == no_command) {
      a.died = id.value();
      return;
    }
  throw user_error(error_code::invalid,
                   "async_free: no node of this graph allocates this memory, or one frees it "
                   "already; if a dependency makes the command a node, call depends_on first");
}

std::uint64_t graph::owned_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return memory_ == nullptr ? 0 : memory_->bytes();
}

void graph::describe(submission& s, const found_slots& slots, description& to) {
  core& c = core::instance();
  kept_alive_.insert(kept_alive_.end(), s.kept_alive.begin(), s.kept_alive.end());
  std::vector<model::requirement>& requirements = to.requirements;
  model::command& command = to.command;
  command.payload = s.payload;
  locate_pointers(c, command.payload);
  const placement where = place_command(c, command.payload, s.device.valid() ? s.device : device_);
  if (!where.device.valid())
    throw user_error(
        error_code::feature_not_supported,
        "a node that copies between devices of different backends, by way of the host, "
        "cannot take the place of another node");
  command.device = where.device;
  command.label = s.label;
  const model::memory_id memory = c.topology.memory_of(where.device);
  {
    std::lock_guard core_lock(c.mutex);
    for (const accessor_request& a : s.accessors) {
      buffer_entry& b = c.living(a.buffer);
      check_request(a, b);
      model::requirement r;
      r.buffer = commands_->add_buffer(b.info, a.buffer.value() + 1, b.label.c_str());
      r.mode = a.mode;
      r.no_init = a.no_init && a.mode != model::access_mode::read;
      if (where.memory_of(a) != memory) r.memory = where.memory_of(a);
      r.elements = a.elements;
      requirements.push_back(r);
    }
  }
  narrow_modes(s.payload, slots, requirements);
  command.requirements = requirements;
  std::vector<model::argument_slot>& all_slots = to.slots;
  all_slots.assign(slots.buffers.begin(), slots.buffers.end());
  all_slots.insert(all_slots.end(), slots.local.begin(), slots.local.end());
  if (auto* k = std::get_if<model::kernel_command>(&command.payload)) {
    k->local_memory_bytes = s.local_memory_bytes;
    k->arguments = commands_->adopt_arguments(s.arguments.block());
    k->slots = all_slots;
  } else if (auto* t = std::get_if<model::host_task_command>(&command.payload)) {
    t->arguments = commands_->adopt_arguments(s.arguments.block());
    t->slots = all_slots;
  }
}

// Between devices of which neither reaches the other's memory, in two commands, which are one node.
model::command_id graph::append_copy_over_host(const submission& s, const model::command& located,
                                               std::vector<std::uint64_t> after) {
  core& c = core::instance();
  const auto& copy = std::get<model::copy_command>(located.payload);
  const model::device_id device = s.device.valid() ? s.device : device_;
  staging between;
  between.bytes = copy.width * copy.height * copy.depth;
  model::memory_operand stage;
  stage.row_pitch = copy.width;
  stage.slice_pitch = copy.width * copy.height;
  const auto append_half = [&](const model::copy_command& half) {
    model::command command;
    command.payload = half;
    command.device = place_command(c, command.payload, device).device;
    command.label = s.label;
    command.after = after;
    return commands_->append(command);
  };
  model::copy_command half = copy;
  half.destination = stage;
  between.in = append_half(half).value();
  after.assign(1, between.in);
  half = copy;
  half.source = stage;
  const model::command_id last = append_half(half);
  between.out = last.value();
  staged_.push_back(between);
  nested_.push_back({between.in, between.out, true});
  return last;
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
  if (from < to) {
    // Closes a cycle if `from` already follows `to` through an edge against the order.
    if (!backward_.empty()) {
      std::vector<char> reached(n, 0);
      std::vector<std::uint32_t> open{to.value()};
      reached[to.value()] = 1;
      while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (std::uint32_t i = 0; i < n; ++i) {
          const auto& after = commands_->command(model::command_id(i)).after;
          const bool follows = std::find(after.begin(), after.end(), at) != after.end() ||
                               std::find(backward_.begin(), backward_.end(),
                                         std::make_pair(at, i)) != backward_.end();
          if (follows && !reached[i]) {
            reached[i] = 1;
            open.push_back(i);
          }
        }
      }
      if (reached[from.value()])
        throw user_error(error_code::invalid, "make_edge: the edge would close a cycle");
    }
    commands_->add_edge(from, to);
    return;
  }
  // Against the order of recording: `to` must not reach `from` already.
  std::vector<char> reached(n, 0);
  reached[to.value()] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t i = 0; i < n; ++i) {
      if (reached[i]) continue;
      for (const std::uint64_t a : commands_->command(model::command_id(i)).after)
        reached[i] = reached[i] || reached[a];
      for (const auto& [f, t] : backward_)
        if (t == i && reached[f]) reached[i] = 1;
      changed = changed || reached[i];
    }
  }
  if (reached[from.value()])
    throw user_error(error_code::invalid, "make_edge: the edge would close a cycle");
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

graph::snapshot graph::take_snapshot() const {
  std::lock_guard<std::mutex> lock(mutex_);
  snapshot s;
  s.storage = commands_;
  s.staged = staged_;
  s.kept_alive = kept_alive_;
  if (memory_ != nullptr) s.memories.push_back(memory_);
  for (const nested_memory& m : nested_memories_) s.memories.push_back(m.memory);
  s.commands.assign(commands_->commands().begin(), commands_->commands().end());
  s.buffers.assign(commands_->buffers().begin(), commands_->buffers().end());
  for (std::uint32_t i = 0; i < s.buffers.size(); ++i) {
    s.keys.emplace_back(commands_->external(model::buffer_id(i)) - 1);
    s.labels.push_back(commands_->buffer_label(model::buffer_id(i)));
  }
  if (!backward_.empty()) {
    // Commands that share a buffer keep their order, whatever the edges say: an edge against it is a
    // contradiction.
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
    for (staging& between : s.staged) {
      between.in = place[between.in];
      between.out = place[between.out];
    }
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
