// SPDX-License-Identifier: Apache-2.0
// Changes of executable graphs.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/model/arena.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/recorder/match_commands.hpp>

#include "commands/candidates.hpp"
#include "commands/names.hpp"
#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "machine/lane_table.hpp"
#include "process.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/executable.hpp"
#include "replay/executable/replay_table.hpp"
#include "replay/recorded/graph_snapshot.hpp"
#include "replay/recorded/kernel_footprints.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;
using planner::execute_step;

std::unique_lock<runtime_mutex> executable_graph::lock_without_replays() const {
  process& rt = process::instance();
  // Other threads may submit one more while this one waits for those before. They do not wait for an update: what they
  // hold, a host accessor for instance, replays under way may wait for.
  for (int looks = 0; looks < 3; ++looks) {
    std::unique_lock<runtime_mutex> lock(rt.mutex);
    if (!is_instantiated()) return lock;  // only generations are
    const model::step_id tail = rt.state.tail(lane_);
    if (rt.lanes.finished(tail)) return lock;
    const executors::lane_position end = rt.lanes.position_of(tail);
    const bool own = ends_behind_calling_task(rt);
    lock.unlock();
    if (own) refuse_own_wait("the replays of a graph that is to be updated");
    wait_until_reached(rt, {&end, 1});
  }
  return {};
}

void executable_graph::continue_as(std::shared_ptr<executable_graph> made,
                                   const std::vector<std::uint32_t>& moved) {
  process& rt = process::instance();
  std::unique_lock<runtime_mutex> lock(rt.mutex);
  if (ends_behind_calling_task(rt)) {
    lock.unlock();
    refuse_own_wait("the replays of a graph that is to be updated");
  }
  if (rt.replays.were_last(*this)) rt.replays.settle(rt);
  retire_generations(rt);
  if (last_step_.valid()) before_.push_back(last_step_);
  outside_.add(made->outside_);
  swap_contents(*made);
  follow(moved);
  if (places_ != nullptr) note_places();
  // With another plan nothing takes turns with what was here.
  for (spare& s : spares_) retired_.push_back(std::move(s.contents));
  spares_.clear();
  retired_.push_back(std::move(made));
  lock.unlock();
  end_retired();
}

void executable_graph::retire_generations(process& rt) {
  ++version_;
  before_.erase(std::remove_if(before_.begin(), before_.end(),
                               [&](model::step_id s) { return s < rt.state.retired(); }),
                before_.end());
  if (generations_ == nullptr) return;
  for (auto& g : generations_->all) {
    if (g.get() == this) continue;
    if (rt.replays.were_last(*g)) rt.replays.settle(rt);
    if (g->last_step_.valid()) before_.push_back(g->last_step_);
    retired_.push_back(std::move(g));
  }
  generations_.reset();
  bound_ = {};
}

// Those in which nothing runs any more; of too many the oldest is waited for. The runtime's lock is not held.
void executable_graph::end_retired() {
  if (retired_.empty()) return;
  process& rt = process::instance();
  std::vector<std::shared_ptr<executable_graph>> over;
  {
    const std::lock_guard lock(rt.mutex);
    std::vector<std::shared_ptr<executable_graph>> busy;
    for (auto& g : retired_) (g->is_idle(rt) ? over : busy).push_back(std::move(g));
    retired_ = std::move(busy);
    for (; retired_.size() > generations::most; retired_.erase(retired_.begin()))
      over.push_back(std::move(retired_.front()));
  }
}

namespace {

std::string described(const model::command& c, std::size_t index) {
  return fmt::format("{} ('{}')", index, display_name(c));
}

[[noreturn]] void refuse_topology(const std::string& what) {
  throw user_error(error_code::invalid,
                   "an executable graph can only be updated from a graph with the same nodes and "
                   "edges; " +
                       what);
}

using commands_of = std::vector<model::command>;

// The first command at whose place the other graph has none of its kind.
[[noreturn]] void refuse_size(const commands_of& now, const commands_of& next) {
  std::size_t i = 0;
  while (i < now.size() && i < next.size() && now[i].payload.index() == next[i].payload.index())
    ++i;
  std::string what = fmt::format("it has {} commands, the other one {}: ", now.size(), next.size());
  if (i < now.size())
    what += "command " + described(now[i], i) + " is not in its place there";
  else
    what += "there command " + described(next[i], i) + " follows";
  refuse_topology(what);
}

// Where the commands' counterparts are; nothing if all of them are at the same place. Throws user_error (invalid) if the
// graphs have other nodes or edges.
std::vector<std::uint32_t> counterparts(const commands_of& now, const commands_of& next) {
  if (now.size() != next.size()) refuse_size(now, next);
  recorder::command_match match = recorder::match_commands(now, next);
  if (!match)
    refuse_topology("node " + described(now[match.differs], match.differs) +
                    " has no counterpart there, of its kind, behind the same nodes and in front "
                    "of the same");
  for (std::size_t i = 0; i < match.counterpart.size(); ++i)
    if (match.counterpart[i] != i) return std::move(match.counterpart);
  return {};
}

bool same_slots(const model::array_view<const model::argument_slot>& a,
                const model::array_view<const model::argument_slot>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].offset != b[i].offset || a[i].what != b[i].what ||
        a[i].requirement != b[i].requirement)
      return false;
  return true;
}

bool is_part(const model::command& c) {
  const auto* const kernel = std::get_if<model::kernel_command>(&c.payload);
  return kernel != nullptr && kernel->geometry.part != nullptr;
}

// Objects with operations have no bytes to compare. What commands refer to never changes.
bool same_arguments(const model::argument_block& a, const model::argument_block& b) {
  if (a.size != b.size || a.operations != b.operations) return false;
  if (a.size == 0 || a.bytes == b.bytes) return true;
  return a.operations == nullptr && std::memcmp(a.bytes, b.bytes, a.size) == 0;
}

// Of two commands that the plan holds for: whether a native graph has to be told.
bool works_otherwise(const model::kernel_command& now, const model::kernel_command& next) {
  const model::launch_geometry &g = now.geometry, &to = next.geometry;
  return std::memcmp(&g.global, &to.global, sizeof g.global) != 0 || !(g.local == to.local) ||
         !(g.offset == to.offset) || now.local_memory_bytes != next.local_memory_bytes ||
         !same_arguments(now.arguments, next.arguments);
}

bool works_otherwise(const model::command& now, const model::command& next) {
  if (const auto* k = std::get_if<model::kernel_command>(&now.payload))
    return works_otherwise(*k, std::get<model::kernel_command>(next.payload));
  if (const auto* copy = std::get_if<model::copy_command>(&now.payload))
    return std::memcmp(copy, &std::get<model::copy_command>(next.payload), sizeof *copy) != 0;
  if (const auto* a = std::get_if<model::allocate_command>(&now.payload)) {
    const auto& to = std::get<model::allocate_command>(next.payload);
    return a->zero && (a->pointer != to.pointer || a->bytes != to.bytes);
  }
  return !std::holds_alternative<model::free_command>(now.payload) &&
         !std::holds_alternative<model::empty_command>(now.payload);
}

}  // namespace

bool executable_graph::plan_holds(const model::command& now, const model::command& next) {
  if (now.device != next.device || now.requirements.size() != next.requirements.size())
    return false;
  for (std::size_t i = 0; i < now.requirements.size(); ++i) {
    const model::requirement &a = now.requirements[i], &b = next.requirements[i];
    if (a.buffer != b.buffer || a.mode != b.mode || a.no_init != b.no_init ||
        a.memory != b.memory || !(a.elements == b.elements))
      return false;
  }
  if (const auto* k = std::get_if<model::kernel_command>(&now.payload)) {
    const auto& other = std::get<model::kernel_command>(next.payload);
    return k->kernel == other.kernel && k->geometry.grouped == other.geometry.grouped &&
           k->geometry.dimensions == other.geometry.dimensions && same_slots(k->slots, other.slots);
  }
  if (const auto* t = std::get_if<model::host_task_command>(&now.payload)) {
    const auto& other = std::get<model::host_task_command>(next.payload);
    return t->invoke == other.invoke && t->invoke_with_access == other.invoke_with_access &&
           t->enqueues == other.enqueues && same_slots(t->slots, other.slots);
  }
  if (const auto* s = std::get_if<model::subgraph_command>(&now.payload))
    return s->graph == std::get<model::subgraph_command>(next.payload).graph;
  if (const auto* a = std::get_if<model::allocate_command>(&now.payload))
    return a->zero == std::get<model::allocate_command>(next.payload).zero;
  return true;
}

// A step's own copy of its arguments gets new contents. The object that was there ends with `replaced`.
void executable_graph::take_arguments(std::size_t step, const model::argument_block& source,
                                      std::vector<own_arguments>& replaced) {
  own_arguments& kept = arguments_[step];
  if (kept.bytes() == nullptr || source.size == 0) return;
  if (source.operations == nullptr) {
    std::memcpy(kept.bytes(), source.bytes, source.size);
    return;
  }
  // The new object first: if it cannot be made, the graph is as it was.
  own_arguments fresh(source);
  replaced.push_back(std::move(kept));
  kept = std::move(fresh);
}

void executable_graph::exchange_commands(process& rt, const std::vector<std::uint32_t>& changed,
                                         std::vector<own_arguments>& replaced) {
  retire_generations(rt);
  uses_.reset();
  find_parameters(rt);
  if (!is_instantiated()) return;
  replaced.reserve(replaced.size() + changed.size());
  if (step_of_.empty()) {
    step_of_.assign(recorded_.commands.size(), none);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      if (const auto* e = std::get_if<execute_step>(&plan_.steps[i].action))
        step_of_[e->command.value()] = static_cast<std::uint32_t>(i);
  }
  std::vector<segment_change> changes(segments_.size());
  for (const std::uint32_t i : changed) {
    const std::uint32_t step = step_of_[i];
    if (step == none) continue;
    const auto& payload = recorded_.commands[i].payload;
    if (const auto* k = std::get_if<model::kernel_command>(&payload))
      take_arguments(step, k->arguments, replaced);
    else if (const auto* t = std::get_if<model::host_task_command>(&payload))
      take_arguments(step, t->arguments, replaced);
    add_change(rt, step, changes);
  }
  update_native_graphs(changes);
}

// What a failed update has changed. Native graphs that cannot take back what they have are run step by step.
void executable_graph::put_back(process& rt, const std::vector<std::uint32_t>& changed,
                                std::vector<own_arguments>& replaced) noexcept {
  try {
    exchange_commands(rt, changed, replaced);
  } catch (const std::exception& e) {
    log_info("an update that failed was not taken back at once: {}", e.what());
  }
}

graph_snapshot executable_graph::recorded() const {
  std::lock_guard lock(process::instance().mutex);
  graph_snapshot now = whole_ != nullptr ? whole_->copy() : recorded_.copy();
  now.outside = outside_;
  for (model::command& c : now.commands) c.candidates = {};
  return now;
}

executable_graph::contents executable_graph::planned() const {
  std::lock_guard lock(process::instance().mutex);
  contents now{recorded_.copy(), plan_, parameters_};
  for (std::size_t i = 0; i < choices_.asked.size(); ++i)
    now.recorded.commands[i].device = choices_.asked[i];
  return now;
}

void executable_graph::keep_place(const process& rt, model::command& next,
                                  std::size_t index) const {
  if (choices_.asked.empty() || whole_ != nullptr) return;
  const model::device_id placed = recorded_.commands[index].device;
  if (next.device == placed || next.device != choices_.asked[index]) return;
  const std::vector<model::device_id> may =
      candidates_of(rt.machine, next, wanted_.placing.devices);
  if (!std::binary_search(may.begin(), may.end(), placed)) return;
  next.device = placed;
  next.candidates = choices_.candidates[index];
}

void executable_graph::update(graph_snapshot next) {
  const std::lock_guard<std::mutex> one_at_a_time(update_mutex_);
  update_whole(std::move(next));
}

void executable_graph::update_in_parts(graph_snapshot next) {
  next.refer();
  const std::vector<std::uint32_t> moved = counterparts(whole_->commands, next.commands);
  continue_as(make(std::move(next), device_, wanted_, true), moved);
}

void executable_graph::follow(const std::vector<std::uint32_t>& moved) {
  if (moved.empty()) return;
  if (place_.empty()) {
    place_ = moved;
    return;
  }
  for (std::uint32_t& place : place_) place = moved[place];
}

bool executable_graph::exchange_whole(process& rt, graph_snapshot& next,
                                      std::vector<std::uint32_t> changed) {
  std::vector<own_arguments>
      replaced;  // ends without the lock, as `next` does: destructors are the program's
  exchange change{&next, nullptr, std::move(changed), {}, {}};
  auto lock = lock_if_idle(rt);
  if (!lock && exchange_elsewhere(rt, change, replaced)) return true;
  if (!lock) lock = lock_without_replays();
  if (!lock) return false;
  // What the commands refer to stays until the native graphs have let go of it.
  std::swap(recorded_, next);
  recorded_.refer();
  try {
    exchange_commands(rt, change.changed, replaced);
  } catch (...) {
    std::swap(recorded_, next);
    recorded_.refer();
    put_back(rt, change.changed, replaced);
    throw;
  }
  note_changes(change);
  outside_.add(std::exchange(recorded_.outside, {}));
  return true;
}

void executable_graph::update_whole(graph_snapshot next) {
  end_retired();
  if (times_ != nullptr) times_->changed = true;
  if (whole_ != nullptr) return update_in_parts(std::move(next));
  if (next.commands.size() != recorded_.commands.size() &&
      std::any_of(recorded_.commands.begin(), recorded_.commands.end(), is_part))
    throw user_error(error_code::feature_not_supported,
                     "the graph was loaded with kernels in parts, which follow from what they "
                     "touch: it takes other values of its parameters (ext::pianola::update), and "
                     "no other commands; finalize the graph that it would be updated from");
  next.refer();
  if (const std::vector<std::uint32_t> moved = counterparts(recorded_.commands, next.commands);
      !moved.empty()) {
    continue_as(make(std::move(next), device_, wanted_, true), moved);
    return;
  }
  describe_footprints(next);
  process& rt = process::instance();
  std::vector<model::device_id> asked;
  if (!choices_.asked.empty())
    for (std::size_t i = 0; i < next.commands.size(); ++i) {
      asked.push_back(next.commands[i].device);
      keep_place(rt, next.commands[i], i);
    }
  bool holds = next.externals == recorded_.externals && next.staged == recorded_.staged;
  std::vector<std::uint32_t> changed;
  for (std::size_t i = 0; i < next.commands.size(); ++i) {
    const model::command &now = recorded_.commands[i], &other = next.commands[i];
    holds = plan_holds(now, other) && holds;
    if (works_otherwise(now, other)) changed.push_back(static_cast<std::uint32_t>(i));
  }

  if (holds && exchange_whole(rt, next, std::move(changed))) return;
  for (std::size_t i = 0; i < asked.size(); ++i) next.commands[i].device = asked[i];
  continue_as(make(std::move(next), device_, wanted_, true));
}

namespace {

// Of what one command refers to.
constexpr std::size_t update_blocks = 512;

// Requirements that name buffers as another graph does.
struct translated {
  std::vector<model::requirement> requirements;
  std::shared_ptr<const void> refers_to;
};

}  // namespace

// What the command touches follows from its arguments and its index space.
void executable_graph::describe(node_change& change, const graph_snapshot& from) {
  struct described {
    std::shared_ptr<const void> before;
    model::arena storage{update_blocks};
  };
  auto own = std::make_shared<described>();
  own->before = std::move(change.refers_to);
  describe_footprints(change.command, from.buffers, is_narrowing(from), own->storage);
  change.refers_to = std::move(own);
}

// A command of the graph that this one was finalized from, with the buffers' names here. `next` gets those that are new.
void executable_graph::translate(node_change& change, const graph_snapshot& from,
                                 graph_snapshot& next) {
  auto own = std::make_shared<translated>();
  for (model::requirement r : change.command.requirements) {
    const std::uint64_t key = from.externals[r.buffer.value()];
    const auto known = std::find(next.externals.begin(), next.externals.end(), key);
    const auto index = static_cast<std::uint32_t>(known - next.externals.begin());
    if (known == next.externals.end()) {
      next.externals.push_back(key);
      next.buffers.push_back(from.buffers[r.buffer.value()]);
      next.labels.push_back(from.labels[r.buffer.value()]);
    }
    r.buffer = model::buffer_id(index);
    own->requirements.push_back(r);
  }
  own->refers_to = std::move(change.refers_to);
  change.command.requirements = own->requirements;
  change.refers_to = std::move(own);
}

void executable_graph::update(node_changes given) {
  std::vector<node_change>& changes = given.all;
  const graph_snapshot& buffers = given.buffers;
  const std::lock_guard<std::mutex> one_at_a_time(update_mutex_);
  if (given.origin != origin_)
    throw user_error(
        error_code::invalid,
        "a node to update an executable graph with is not of the graph that it was finalized from");
  end_retired();
  if (times_ != nullptr) times_->changed = true;
  const graph_snapshot& now = whole_ != nullptr ? *whole_ : recorded_;
  bool whole = whole_ != nullptr;
  graph_snapshot next;
  for (node_change& change : changes) {
    if (change.index >= now.commands.size())
      throw user_error(
          error_code::invalid,
          "a node to update an executable graph with was added after the graph was finalized");
    if (!place_.empty()) change.index = place_[change.index];
  }
  for (node_change& change : changes) describe(change, buffers);
  for (node_change& change : changes) {
    // After an update from another graph, buffers have that one's names.
    const bool same_names =
        now.storage == origin_ &&
        std::all_of(
            change.command.requirements.begin(), change.command.requirements.end(),
            [&](const model::requirement& r) { return r.buffer.value() < now.buffers.size(); });
    if (!same_names) {
      if (next.commands.empty()) next = now.copy();
      translate(change, buffers, next);
    }
    // Other buffers or accesses need another plan.
    change.command.after = now.commands[change.index].after;
    keep_place(process::instance(), change.command, change.index);
    whole = !plan_holds(now.commands[change.index], change.command) || whole;
  }
  std::vector<own_arguments> replaced;  // ends without the lock, as `changes` does
  if (!whole && change_nodes(changes, replaced)) return;
  if (next.commands.empty()) next = now.copy();
  next.exchanged.resize(next.commands.size());
  for (node_change& change : changes) {
    model::command& c = next.commands[change.index];
    change.command.after = c.after;
    c = change.command;
    next.exchanged[change.index] = std::move(change.refers_to);
  }
  for (std::size_t i = 0; whole_ == nullptr && i < choices_.asked.size(); ++i) {
    next.commands[i].device = choices_.asked[i];
    next.commands[i].candidates = {};
  }
  update_whole(std::move(next));
}

bool executable_graph::change_nodes(std::vector<node_change>& changes,
                                    std::vector<own_arguments>& replaced) {
  process& rt = process::instance();
  exchange change{nullptr, &changes, {}, {}, {}};
  for (const node_change& c : changes) change.changed.push_back(c.index);
  auto lock = lock_if_idle(rt);
  if (!lock && exchange_elsewhere(rt, change, replaced)) return true;
  if (!lock) lock = lock_without_replays();
  if (!lock) return false;
  exchange_nodes(rt, changes, replaced);
  note_changes(change);
  return true;
}

void executable_graph::exchange_nodes(process& rt, std::vector<node_change>& changes,
                                      std::vector<own_arguments>& replaced) {
  std::vector<std::uint32_t> changed;
  recorded_.exchanged.resize(recorded_.commands.size());
  const auto exchange = [&] {
    for (node_change& change : changes) {
      std::swap(recorded_.commands[change.index], change.command);
      std::swap(recorded_.exchanged[change.index], change.refers_to);
    }
  };
  for (const node_change& change : changes) changed.push_back(change.index);
  exchange();
  try {
    exchange_commands(rt, changed, replaced);
  } catch (...) {
    exchange();
    put_back(rt, changed, replaced);
    throw;
  }
}

void executable_graph::swap_contents(executable_graph& other) noexcept {
  const auto exchange = [&](auto member) { std::swap(this->*member, other.*member); };
  exchange(&executable_graph::recorded_);
  exchange(&executable_graph::whole_);
  exchange(&executable_graph::plan_);
  exchange(&executable_graph::plan_was_stored_);
  exchange(&executable_graph::parameters_);
  exchange(&executable_graph::choices_);
  exchange(&executable_graph::staging_);
  exchange(&executable_graph::staging_offsets_);
  exchange(&executable_graph::slots_);
  exchange(&executable_graph::controls_);
  exchange(&executable_graph::live_);
  exchange(&executable_graph::lane_);
  exchange(&executable_graph::lane_device_);
  exchange(&executable_graph::requirements_);
  exchange(&executable_graph::told_as_);
  exchange(&executable_graph::has_host_tasks_);
  exchange(&executable_graph::transfers_);
  exchange(&executable_graph::transferred_bytes_);
  exchange(&executable_graph::transferred_pages_);
  exchange(&executable_graph::arena_);
  exchange(&executable_graph::arguments_);
  exchange(&executable_graph::accessible_);
  exchange(&executable_graph::cut_);
  exchange(&executable_graph::segments_);
  exchange(&executable_graph::ends_);
  exchange(&executable_graph::side_lanes_);
  exchange(&executable_graph::segment_waits_);
  exchange(&executable_graph::running_);
  running_->graph = this;
  other.running_->graph = &other;
  exchange(&executable_graph::times_);
  exchange(&executable_graph::step_of_);
  exchange(&executable_graph::last_step_);
  exchange(&executable_graph::unsettled_);
  exchange(&executable_graph::latest_times_);
  exchange(&executable_graph::places_);
  exchange(&executable_graph::has_parameters_);
  exchange(&executable_graph::bound_);
  exchange(&executable_graph::required_);
  exchange(&executable_graph::generation_);
  exchange(&executable_graph::held_);
  exchange(&executable_graph::uses_);
}

}  // namespace pianola::runtime
