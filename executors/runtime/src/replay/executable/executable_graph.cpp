// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/executable_graph.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/model/saturating.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/runtime/executables.hpp>

#include "execute/own_waits.hpp"
#include "execute/waiting.hpp"
#include "machine/lane_table.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/body_changes.hpp"
#include "replay/executable/command_changes.hpp"
#include "replay/executable/parameter_changes.hpp"
#include "replay/executable/replay_table.hpp"
#include "replay/recorded/kernel_footprints.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

void unite(std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& more) {
  all.insert(all.end(), more.begin(), more.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

}  // namespace

executable_graph::executable_graph(graph_snapshot& recorded, model::device_id device,
                                   planning_request wanted)
    : device_(device),
      wanted_(std::move(wanted)),
      one_after_another_(wanted_.options.in_flight == 1 && !wanted_.options.node_times),
      origin_(recorded.storage),
      place_(recorded.place) {
  order_.outside = std::exchange(recorded.outside, {});
}

std::shared_ptr<executable_graph> executable_graph::make(graph_snapshot recorded,
                                                         model::device_id device,
                                                         const planning_request& wanted) {
  std::shared_ptr<executable_graph> g(new executable_graph(recorded, device, wanted));
  g->now_ = graph_instance::make(std::move(recorded), device, wanted, false);
  return g;
}

std::shared_ptr<executable_graph> executable_graph::make_planned(
    graph_snapshot recorded, model::device_id device, planner::plan plan,
    std::vector<executable::named_parameter> parameters) {
  std::shared_ptr<executable_graph> g(new executable_graph(recorded, device, {}));
  g->now_ = graph_instance::make_planned(std::move(recorded), device, std::move(plan),
                                         std::move(parameters));
  return g;
}

event executable_graph::replay(process& rt, queue& q, const submission& s,
                               std::unique_lock<runtime_mutex>& lock) {
  if (q.description().device != device_)
    throw user_error(error_code::invalid,
                     "the graph was finalized for another device than the queue's");
  const bool plain = !now_->has_parameters() && one_after_another_ &&
                     (s.values == nullptr || s.values->empty()) && generations_ == nullptr;
  if (plain) [[likely]] {
    if (rt.replays.any_stale()) [[unlikely]]
      now_->check_addresses(rt);
    return now_->replays().replay(rt, q, s, order_);
  }
  graph_instance* chosen = nullptr;
  while (chosen == nullptr) {
    if (generations_ == nullptr)
      generations_ = std::make_shared<generations>(rt, now_, wanted_.options);
    chosen = generations::choose(generations_, rt, s, lock);
  }
  if (rt.replays.any_stale()) [[unlikely]]
    chosen->check_addresses(rt);
  return chosen->replays().replay(rt, q, s, order_);
}

bool executable_graph::exchange_values(process& rt, const std::vector<value_change>& values,
                                       const std::vector<buffer_change>& buffers) {
  if (now_->whole() != nullptr || !now_->is_idle(rt)) return false;
  if (now_->planned().times != nullptr) now_->planned().times->changed = true;
  if (buffers.empty() && values.empty()) return true;
  retire_generations(rt);
  if (!buffers.empty()) now_->exchange_buffers(rt, buffers);
  if (!values.empty()) now_->exchange_values(rt, values, place_);
  return true;
}

void* executable_graph::native_handle(model::native_kind what) const {
  // An update of another thread's may put others in their place.
  const std::lock_guard lock(process::instance().mutex);
  if (now_->has_parameters())
    throw user_error(error_code::feature_not_supported,
                     "the graph has parameters, so it has several graphs of the driver, one for "
                     "each of the latest launches");
  return now_->segments().native_handle(what);
}

std::uint64_t executable_graph::owned_bytes() const {
  std::lock_guard lock(process::instance().mutex);
  std::uint64_t sum = 0;
  for (const auto& memory : now_->planned().recorded.memories) sum += memory->bytes();
  sum += now_->slot_bytes();
  if (generations_ == nullptr || wanted_.options.in_flight == 1) return sum;
  generations_->for_each_other(
      [&](const std::shared_ptr<graph_instance>& g) { sum += g->slot_bytes(); });
  return sum;
}

graph_memory_use executable_graph::memory_use(model::memory_id m) const {
  std::lock_guard lock(process::instance().mutex);
  for (const planner::memory_use& use : now_->planned().plan.memories)
    if (use.memory == m)
      return {use.peak, model::saturating_add(use.block, use.allocated),
              model::saturating_add(use.apart, use.allocated_apart), use.budget};
  return {};
}

graph_snapshot executable_graph::recorded() const {
  std::lock_guard lock(process::instance().mutex);
  const graph_snapshot* const whole = now_->whole();
  graph_snapshot now = whole != nullptr ? whole->copy() : now_->planned().recorded.copy();
  now.outside = order_.outside;
  for (model::command& c : now.commands) c.candidates = {};
  return now;
}

executable_graph::contents executable_graph::planned() const {
  std::lock_guard lock(process::instance().mutex);
  contents now{now_->planned().recorded.copy(), now_->planned().plan, now_->parameters()};
  const std::vector<model::device_id>& asked = now_->choices().asked;
  for (std::size_t i = 0; i < asked.size(); ++i) now.recorded.commands[i].device = asked[i];
  return now;
}

bool executable_graph::has_parameters() const {
  std::lock_guard lock(process::instance().mutex);
  return now_->has_parameters();
}

bool executable_graph::takes(const parameter_value& value) const {
  process& rt = process::instance();
  const std::lock_guard lock(rt.mutex);
  const planned_graph& g = now_->planned();
  if (value.parameter.valid()) {
    const auto& known = g.recorded.externals;
    return std::find(known.begin(), known.end(), value.parameter.value() + 1) != known.end();
  }
  now_->find_uses(rt);
  const auto& known = g.uses->memory();
  const auto begin = reinterpret_cast<std::uintptr_t>(value.memory_parameter);
  return std::any_of(known.begin(), known.end(), [&](const auto& p) { return p.begin == begin; });
}

std::shared_ptr<graph_times> executable_graph::times() const {
  std::lock_guard lock(process::instance().mutex);
  return now_->planned().times;
}

std::unique_lock<runtime_mutex> executable_graph::lock_without_replays() const {
  process& rt = process::instance();
  // Other threads may submit one more while this one waits for those before. They do not wait for an update: what they
  // hold, a host accessor for instance, replays under way may wait for.
  for (int looks = 0; looks < 3; ++looks) {
    std::unique_lock<runtime_mutex> lock(rt.mutex);
    if (!now_->is_instantiated()) return lock;  // only generations are
    const model::step_id tail = now_->tail(rt);
    if (rt.lanes.finished(tail)) return lock;
    const executors::lane_position end = rt.lanes.position_of(tail);
    const bool own = now_->ends_behind_calling_task(rt);
    lock.unlock();
    if (own) refuse_own_wait("the replays of a graph that is to be updated");
    wait_until_reached(rt, {&end, 1});
  }
  return {};
}

std::unique_lock<runtime_mutex> executable_graph::lock_if_idle(process& rt) const {
  std::unique_lock<runtime_mutex> lock(rt.mutex);
  if (!now_->is_instantiated() || now_->is_idle(rt)) return lock;
  return {};
}

void executable_graph::update(graph_snapshot next) {
  const std::lock_guard<std::mutex> one_at_a_time(update_mutex_);
  std::vector<std::uint64_t> queues = next.outside.queues();
  update_whole(std::move(next));
  const std::lock_guard lock(process::instance().mutex);
  order_.outside.set_queues(std::move(queues));
}

void executable_graph::update(node_changes given) {
  std::vector<node_change>& changes = given.all;
  const graph_snapshot& buffers = given.buffers;
  const std::lock_guard<std::mutex> one_at_a_time(update_mutex_);
  if (given.origin != origin_) return update_bodies(given);
  end_retired();
  if (now_->planned().times != nullptr) now_->planned().times->changed = true;
  const graph_snapshot& now = now_->whole() != nullptr ? *now_->whole() : now_->planned().recorded;
  bool whole = now_->whole() != nullptr;
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
    if (now.storage != origin_ || !has_same_names(change, buffers, now)) {
      if (next.commands.empty()) next = now.copy();
      translate(change, buffers, next);
    }
    // Other buffers or accesses need another plan.
    change.command.after = now.commands[change.index].after;
    now_->keep_place(process::instance(), change.command, change.index);
    whole = !plan_holds(now.commands[change.index], change.command) || whole;
  }
  if (!whole && change_nodes(changes)) return;
  if (next.commands.empty()) next = now.copy();
  next.exchanged.resize(next.commands.size());
  for (node_change& change : changes) {
    model::command& c = next.commands[change.index];
    change.command.after = c.after;
    c = change.command;
    next.exchanged[change.index] = std::move(change.refers_to);
  }
  for (std::size_t i = 0; now_->whole() == nullptr && i < now_->choices().asked.size(); ++i) {
    next.commands[i].device = now_->choices().asked[i];
    next.commands[i].candidates = {};
  }
  update_whole(std::move(next));
}

void executable_graph::update_bodies(const node_changes& given) {
  const bool in_parts = now_->whole() != nullptr;
  graph_snapshot next = (in_parts ? *now_->whole() : now_->planned().recorded).copy();
  if (!change_bodies(next, given.origin, given.all, given.buffers))
    throw user_error(
        error_code::invalid,
        "a node to update an executable graph with is not of the graph that it was finalized from, "
        "nor of one that its loops and branches run");
  end_retired();
  if (now_->planned().times != nullptr) now_->planned().times->changed = true;
  if (in_parts) return update_in_parts(std::move(next));
  const std::vector<model::device_id>& asked = now_->choices().asked;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    next.commands[i].device = asked[i];
    next.commands[i].candidates = {};
  }
  replan(std::move(next));
}

void executable_graph::update_whole(graph_snapshot next) {
  end_retired();
  if (now_->planned().times != nullptr) now_->planned().times->changed = true;
  if (now_->whole() != nullptr) return update_in_parts(std::move(next));
  const graph_snapshot& now = now_->planned().recorded;
  if (next.commands.size() != now.commands.size() &&
      std::any_of(now.commands.begin(), now.commands.end(), is_part))
    throw user_error(error_code::feature_not_supported,
                     "the graph was loaded with kernels in parts, which follow from what they "
                     "touch: it takes other values of its parameters (ext::pianola::update), and "
                     "no other commands; finalize the graph that it would be updated from");
  next.refer();
  if (const std::vector<std::uint32_t> moved = counterparts(now.commands, next.commands);
      !moved.empty()) {
    replan(std::move(next), moved);
    return;
  }
  describe_footprints(next);
  process& rt = process::instance();
  std::vector<model::device_id> asked;
  if (!now_->choices().asked.empty())
    for (std::size_t i = 0; i < next.commands.size(); ++i) {
      asked.push_back(next.commands[i].device);
      now_->keep_place(rt, next.commands[i], i);
    }
  bool holds = next.externals == now.externals && next.staged == now.staged;
  std::vector<std::uint32_t> changed;
  for (std::size_t i = 0; i < next.commands.size(); ++i) {
    const model::command &before = now.commands[i], &other = next.commands[i];
    holds = plan_holds(before, other) && holds;
    if (works_otherwise(before, other)) changed.push_back(static_cast<std::uint32_t>(i));
  }

  if (holds && exchange_whole(rt, next, std::move(changed))) return;
  for (std::size_t i = 0; i < asked.size(); ++i) next.commands[i].device = asked[i];
  replan(std::move(next));
}

void executable_graph::update_in_parts(graph_snapshot next) {
  next.refer();
  const std::vector<std::uint32_t> moved = counterparts(now_->whole()->commands, next.commands);
  replan(std::move(next), moved);
}

bool executable_graph::exchange_whole(process& rt, graph_snapshot& next,
                                      std::vector<std::uint32_t> changed) {
  std::vector<own_arguments>
      replaced;  // ends without the lock, as `next` does: destructors are the program's
  command_exchange change{&next, nullptr, std::move(changed), {}, {}};
  auto lock = lock_if_idle(rt);
  if (!lock && exchange_elsewhere(rt, change, replaced)) return true;
  if (!lock) lock = lock_without_replays();
  if (!lock) return false;
  outside_events outside = std::exchange(next.outside, {});
  retire_generations(rt);
  now_->exchange(rt, next, change.changed, replaced);
  note_changes(change);
  order_.outside.add(outside);
  return true;
}

bool executable_graph::change_nodes(std::vector<node_change>& changes) {
  process& rt = process::instance();
  std::vector<own_arguments> replaced;  // ends without the lock, as `changes` does
  command_exchange change{nullptr, &changes, {}, {}, {}};
  for (const node_change& c : changes) change.changed.push_back(c.index);
  auto lock = lock_if_idle(rt);
  if (!lock && exchange_elsewhere(rt, change, replaced)) return true;
  if (!lock) lock = lock_without_replays();
  if (!lock) return false;
  retire_generations(rt);
  now_->exchange(rt, changes, replaced);
  note_changes(change);
  return true;
}

bool executable_graph::exchange_elsewhere(process& rt, command_exchange& change,
                                          std::vector<own_arguments>& replaced) {
  std::unique_lock<runtime_mutex> lock(rt.mutex);
  if (now_->ends_behind_calling_task(rt)) {
    lock.unlock();
    refuse_own_wait("the replays of a graph that is to be updated");
  }
  outside_events outside;
  if (change.whole != nullptr) outside = std::exchange(change.whole->outside, {});
  const auto idle = std::find_if(spares_.begin(), spares_.end(),
                                 [&](const spare& s) { return s.instance->is_idle(rt); });
  std::shared_ptr<graph_instance> taken;
  if (idle != spares_.end()) {
    spare old = std::move(*idle);
    spares_.erase(idle);
    unite(old.stale, change.changed);
    taken = old.instance;
    try {
      taken->take_commands(now_->planned().recorded, old.all, old.stale, change);
      taken->exchange_commands(rt, old.stale, replaced);
    } catch (...) {
      // It ends, without the lock.
      lock.unlock();
      throw;
    }
  } else {
    if (spares_.size() + 1 >= generations::most) {
      if (change.whole != nullptr) change.whole->outside = std::move(outside);
      return false;
    }
    taken = now_->begin_generation(change.whole != nullptr ? change.whole->copy()
                                                           : now_->planned().recorded.copy());
    if (change.whole == nullptr) taken->take_commands(now_->planned().recorded, false, {}, change);
    now_->finish_generation(rt, taken, lock);
  }
  note_changes(change);
  order_.outside.add(outside);
  continue_in(rt, std::move(taken), {nullptr, change.whole != nullptr, change.changed});
  return true;
}

void executable_graph::note_changes(const command_exchange& change) {
  for (spare& s : spares_) {
    s.all = s.all || change.whole != nullptr;
    unite(s.stale, change.changed);
  }
}

void executable_graph::continue_in(process& rt, std::shared_ptr<graph_instance> made, spare old) {
  spares_.reserve(spares_.size() + 1);
  now_->replays().settle_if_last(rt);
  made->replays().settle_if_last(rt);
  retire_generations(rt);
  if (const model::step_id last = now_->replays().last_step(); last.valid())
    order_.before.push_back(last);
  std::swap(now_, made);
  old.instance = std::move(made);
  spares_.push_back(std::move(old));
}

void executable_graph::continue_as(std::shared_ptr<graph_instance> made,
                                   const outside_events& outside,
                                   const std::vector<std::uint32_t>& moved) {
  process& rt = process::instance();
  std::unique_lock<runtime_mutex> lock(rt.mutex);
  if (now_->ends_behind_calling_task(rt)) {
    lock.unlock();
    refuse_own_wait("the replays of a graph that is to be updated");
  }
  now_->replays().settle_if_last(rt);
  retire_generations(rt);
  if (const model::step_id last = now_->replays().last_step(); last.valid())
    order_.before.push_back(last);
  order_.outside.add(outside);
  retired_.reserve(retired_.size() + spares_.size() + 1);
  follow(moved);
  if (wanted_.options.node_times) made->note_places(origin_, place_);
  // From here on nothing throws.
  std::swap(now_, made);
  // With another plan nothing takes turns with what was here.
  for (spare& s : spares_) retired_.push_back(std::move(s.instance));
  spares_.clear();
  retired_.push_back(std::move(made));
  lock.unlock();
  end_retired();
}

void executable_graph::replan(graph_snapshot next, const std::vector<std::uint32_t>& moved) {
  const outside_events outside = std::exchange(next.outside, {});
  continue_as(graph_instance::make(std::move(next), device_, wanted_, true), outside, moved);
}

void executable_graph::retire_generations(process& rt) {
  order_.before.erase(std::remove_if(order_.before.begin(), order_.before.end(),
                                     [&](model::step_id s) { return s < rt.state.retired(); }),
                      order_.before.end());
  if (generations_ == nullptr) return;
  generations_->for_each_other([&](std::shared_ptr<graph_instance>& g) {
    g->replays().settle_if_last(rt);
    if (g->replays().last_step().valid()) order_.before.push_back(g->replays().last_step());
    retired_.push_back(std::move(g));
  });
  generations_->end();
  generations_.reset();
  now_->forget_values();
}

// Those in which nothing runs any more; of too many the oldest is waited for. The runtime's lock is not held.
void executable_graph::end_retired() {
  if (retired_.empty()) return;
  process& rt = process::instance();
  std::vector<std::shared_ptr<graph_instance>> over;
  {
    const std::lock_guard lock(rt.mutex);
    std::vector<std::shared_ptr<graph_instance>> busy;
    for (auto& g : retired_) (g->is_idle(rt) ? over : busy).push_back(std::move(g));
    retired_ = std::move(busy);
    for (; retired_.size() > generations::most; retired_.erase(retired_.begin()))
      over.push_back(std::move(retired_.front()));
  }
}

void executable_graph::follow(const std::vector<std::uint32_t>& moved) {
  if (moved.empty()) return;
  if (place_.empty()) {
    place_ = moved;
    return;
  }
  for (std::uint32_t& place : place_) place = moved[place];
}

void executable_graph::set_parameters(const std::vector<binding>& values) {
  const std::lock_guard<std::mutex> one_at_a_time(update_mutex_);
  const planned_graph& now = now_->planned();
  std::vector<node_change> changes =
      changes_of_parameters(now.recorded, now_->parameters(), values);
  if (changes.empty()) return;
  if (change_nodes(changes)) return;
  graph_snapshot next = now.recorded.copy();
  next.exchanged.resize(next.commands.size());
  for (node_change& change : changes) {
    change.command.after = next.commands[change.index].after;
    next.commands[change.index] = change.command;
    next.exchanged[change.index] = std::move(change.refers_to);
  }
  const outside_events outside = std::exchange(next.outside, {});
  continue_as(graph_instance::make_planned(std::move(next), device_, now.plan, now_->parameters()),
              outside);
}

void set_parameters(executable_graph& g, const std::vector<binding>& values) {
  g.set_parameters(values);
}

}  // namespace pianola::runtime
