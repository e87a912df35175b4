// SPDX-License-Identifier: Apache-2.0
#include "recording/eager_recorder.hpp"

#include <algorithm>
#include <variant>

#include <pianola/formats/file.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/planner/run_summary.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "commands/names.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/queue.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

namespace {

template <class T>
T& at_grown(std::vector<T>& list, std::size_t index, const T& fresh) {
  if (list.size() <= index) list.resize(index + 1, fresh);
  return list[index];
}

}  // namespace

void eager_recorder::give_up() noexcept {
  full_ = true;
  log_warn("PIANOLA_RECORD: no memory to record more than the first {} commands", log_.commands());
}

bool eager_recorder::full() {
  if (full_ || (log_.commands() < most_commands && log_.bytes() < most_bytes)) return full_;
  full_ = true;
  log_warn("PIANOLA_RECORD: the files will hold the first {} commands only: record a shorter run",
           log_.commands());
  return true;
}

eager_recorder::step_place eager_recorder::place_of(model::step_id id) const noexcept {
  if (!id.valid() || id.value() < first_step_ || id.value() - first_step_ >= places_.size())
    return {};
  return places_[id.value() - first_step_];
}

model::buffer_id eager_recorder::name(process& rt, model::buffer_id live) {
  const buffer_entry& b = rt.buffers[live];
  model::buffer_info info = b.info;
  // Outside of graphs every buffer is an ordinary one.
  info.temporary = info.evictable = false;
  return log_.named().add_buffer(info, buffer_table::key_of(live, b).value() + 1, b.label.c_str());
}

std::uint64_t eager_recorder::label_id(const char* label) {
  if (*label == '\0') return 0;
  return labels_.try_emplace(label, labels_.size() + 1).first->second;
}

// A lane of the log for one of the runtime's. Replays of a graph are on a lane of the device that its last segments run on,
// which need not be the device that they are submitted to: in the log a lane is of its steps' device.
std::uint32_t eager_recorder::lane_of(process& rt, const planner::step& s) {
  std::uint32_t& lane = at_grown(lanes_, s.lane.value(), none);
  const auto* e = std::get_if<planner::execute_step>(&s.action);
  const std::uint32_t before = lane;
  if (lane != none && (e == nullptr || lane_devices_[lane] == e->device)) return lane;
  lane = static_cast<std::uint32_t>(lane_devices_.size());
  lane_devices_.push_back(e != nullptr ? e->device : rt.state.device_of(s.lane));
  last_on_lane_.push_back(none);
  if (before != none && last_on_lane_[before] != none) waits_.push_back(last_on_lane_[before]);
  return lane;
}

void eager_recorder::submitting(queue& q, const submission& s) {
  if (full_) return;
  described_ = true;
  replaying_ = false;
  queue_ = q.id();
  in_order_ = q.description().in_order;
  edges_.clear();
  const auto add = [&](model::step_id step) {
    if (const std::uint32_t command = place_of(step).command; command != none)
      edges_.push_back(command);
  };
  for (const event& e : s.after) add(e.step);
  add(in_order_ ? q.last_step : q.barrier_step);
  if (std::holds_alternative<model::barrier_command>(s.payload) && s.after.empty())
    if (const auto pending = pending_.find(queue_); pending != pending_.end())
      edges_.insert(edges_.end(), pending->second.begin(), pending->second.end());
  used_allocations_.clear();
  if (std::holds_alternative<model::kernel_command>(s.payload))
    pointer_registry::instance().find_words(s.arguments.block(), [&](const user_allocation& found) {
      const std::uint32_t a = allocations_.name(log_.named(), topology_, found);
      if (std::find(used_allocations_.begin(), used_allocations_.end(), a) ==
          used_allocations_.end())
        used_allocations_.push_back(a);
    });
}

void eager_recorder::replaying(queue& q, const submission& s, const outside_events& outside,
                               std::vector<model::requirement> requirements) {
  submitting(q, s);
  outside.for_each([&](model::step_id step) {
    if (const std::uint32_t command = place_of(step).command; command != none)
      edges_.push_back(command);
  });
  replaying_ = true;
  replay_requirements_ = std::move(requirements);
}

// Ends what is in edges_: ascending, each once, and after the host's last wait.
void eager_recorder::finish_edges() {
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  // What came after that wait implies it.
  if (host_command_ != none && (edges_.empty() || edges_.back() < host_command_))
    edges_.push_back(host_command_);
}

std::uint32_t eager_recorder::append(process& rt, const model::command& command) {
  model::command copy = command;
  if (replaying_)
    requirements_ = replay_requirements_;
  else
    requirements_.assign(command.requirements.begin(), command.requirements.end());
  for (model::requirement& r : requirements_) r.buffer = name(rt, r.buffer);
  copy.requirements = requirements_;
  allocations_.name(log_.named(), topology_, copy.payload, used_allocations_);
  finish_edges();
  const std::uint32_t id =
      log_.add(copy, label_id(command.label), {used_allocations_.data(), used_allocations_.size()},
               {edges_.data(), edges_.size()}, [&] { return label_for_files(command); });
  waited_.push_back(false);
  const auto remember = [&](std::vector<std::uint32_t>& list) {
    if (list.size() == list.capacity())
      std::erase_if(list, [&](std::uint32_t u) { return waited_[u]; });
    list.push_back(id);
  };
  for (const model::requirement& r : requirements_)
    remember(at_grown(users_, r.buffer.value(), {}));
  if (described_) {
    std::vector<std::uint32_t>& pending = pending_[queue_];
    if (in_order_) pending.clear();
    remember(pending);
  }
  return id;
}

void eager_recorder::planned(process& rt, model::array_view<const model::command> commands,
                             const planner::plan& window) {
  const bool settlement = std::exchange(settling_, false);
  const bool host = std::holds_alternative<model::host_access_command>(commands[0].payload);
  if (host || settlement || !described_) {
    described_ = replaying_ = false;
    edges_.clear();
    used_allocations_.clear();
  }
  if (full()) return;
  if (places_.empty()) first_step_ = window.first_step;
  places_.resize(window.first_step - first_step_);
  const std::uint64_t retired = rt.state.retired().value();
  for (; first_step_ + seen_finished_ < retired && seen_finished_ < places_.size();
       ++seen_finished_)
    if (const std::uint32_t s = places_[seen_finished_].step; s != none)
      finished_ = std::max(finished_, s + 1);

  const std::uint32_t command = settlement ? none : append(rt, commands[0]);
  for (const planner::step& s : window.steps) {
    waits_.clear();
    const std::uint32_t lane = lane_of(rt, s);
    const auto* e = std::get_if<planner::execute_step>(&s.action);
    if (e != nullptr && settlement) {
      const std::uint32_t last = last_on_lane_[lane];
      places_.push_back({last, last == none ? none : command_of_step_[last]});
      continue;
    }
    for (const model::step_id w : window.waits_of(s))
      if (const std::uint32_t step = place_of(w).step; step != none) waits_.push_back(step);
    const std::uint32_t last = last_on_lane_[lane];
    if (host_step_ != none && (last == none || last < host_step_)) waits_.push_back(host_step_);
    std::uint32_t step;
    if (e != nullptr) {
      step = log_.add_step(lane, command, e->device, {waits_.data(), waits_.size()}, finished_);
    } else {
      planner::transfer_step t = std::get<planner::transfer_step>(s.action);
      t.buffer = name(rt, t.buffer);
      step = log_.add_step(lane, t, {waits_.data(), waits_.size()}, finished_);
    }
    last_on_lane_[lane] = step;
    command_of_step_.push_back(command);
    places_.push_back({step, command});
    if (e != nullptr) at_grown(step_of_command_, command, none) = step;
  }
  if (host && !settlement) {
    host_command_ = command;
    host_step_ = step_of_command_[command];
  }
  described_ = replaying_ = false;
}

void eager_recorder::host_node(process& rt, std::vector<std::uint32_t> commands, const char* how) {
  std::erase_if(commands, [&](std::uint32_t x) { return waited_[x]; });
  if (commands.empty() || full()) return;
  for (const std::uint32_t x : commands) waited_[x] = true;
  model::command node;
  node.payload = model::host_access_command{};
  node.device = rt.machine.host_device();
  node.label = how;
  described_ = replaying_ = false;
  used_allocations_.clear();
  edges_ = std::move(commands);
  waits_.clear();
  for (const std::uint32_t x : edges_)
    if (x < step_of_command_.size() && step_of_command_[x] != none)
      waits_.push_back(step_of_command_[x]);
  if (host_step_ != none) waits_.push_back(host_step_);
  const std::uint32_t id = append(rt, node);
  if (host_lane_ == none) {
    host_lane_ = static_cast<std::uint32_t>(lane_devices_.size());
    lane_devices_.push_back(rt.machine.host_device());
    last_on_lane_.push_back(none);
  }
  std::sort(waits_.begin(), waits_.end());
  waits_.erase(std::unique(waits_.begin(), waits_.end()), waits_.end());
  host_step_ = log_.add_step(host_lane_, id, rt.machine.host_device(),
                             {waits_.data(), waits_.size()}, finished_);
  last_on_lane_[host_lane_] = host_step_;
  command_of_step_.push_back(id);
  at_grown(step_of_command_, id, none) = host_step_;
  host_command_ = id;
}

void eager_recorder::host_waited(process& rt, model::array_view<const model::step_id> steps,
                                 const char* how) {
  std::vector<std::uint32_t> commands;
  for (const model::step_id s : steps)
    if (const std::uint32_t command = place_of(s).command; command != none)
      commands.push_back(command);
  host_node(rt, std::move(commands), how);
}

void eager_recorder::host_waited_for_queue(process& rt, const queue& q, std::uint32_t below) {
  const auto pending = pending_.find(q.id());
  if (pending == pending_.end()) return;
  std::vector<std::uint32_t>& all = pending->second;
  const auto later =
      std::find_if(all.begin(), all.end(), [&](std::uint32_t x) { return x >= below; });
  std::vector<std::uint32_t> commands(all.begin(), later);
  all.erase(all.begin(), later);
  if (all.empty()) pending_.erase(pending);
  host_node(rt, std::move(commands), "host waits for queue");
}

void eager_recorder::host_waited_for_buffer(process& rt, model::buffer_id buffer) {
  const std::uint32_t named = name(rt, buffer).value();
  if (named >= users_.size()) return;
  std::vector<std::uint32_t> commands = std::move(users_[named]);
  users_[named] = {};
  host_node(rt, std::move(commands), "buffer ends");
}

void note_host_wait(model::step_id step, const char* how) noexcept {
  process* rt = process::started();
  if (rt == nullptr || rt->recording == nullptr || !step.valid()) [[likely]]
    return;
  callback_lock lock(rt->mutex);
  try {
    rt->recording->host_waited(*rt, {&step, 1}, how);
  } catch (const std::bad_alloc&) {
    rt->recording->give_up();
  }
}

void eager_recorder::timed(std::shared_ptr<event_record> record) {
  if (full_ || log_.commands() == 0) return;
  timed_.emplace_back(log_.commands() - 1, std::move(record));
}

void eager_recorder::keep_for_times(std::string path, recorder::command_graph graph,
                                    std::shared_ptr<const graph_times> times) {
  timed_graphs_.push_back({std::move(path), std::move(graph), std::move(times)});
}

// The files of graphs have been there since they were finalized; here they get what was measured since.
void eager_recorder::write_times() const {
  for (const timed_graph& t : timed_graphs_) {
    if (t.times->changed) continue;
    recorder::measured_times measured;
    for (std::size_t i = 0; i < t.times->count; ++i)
      if (const std::uint64_t least = t.times->least[i].load(std::memory_order_relaxed); least != 0)
        measured.set(model::command_id(static_cast<std::uint32_t>(i)),
                     static_cast<double>(least) * 1e-9);
    formats::write_file(t.path, recorder::to_json(t.graph, topology_, measured));
  }
}

void eager_recorder::write() noexcept {
  try {
    write_times();
  } catch (const std::exception& e) {
    log_warn("PIANOLA_RECORD_TIMES: {}", e.what());
  }
  if (log_.commands() == 0) return;
  full_ = true;  // objects that end later may still submit
  try {
    recorder::measured_times measured;
    for (const auto& [command, record] : timed_) {
      const std::uint64_t from = record->started.load(std::memory_order_acquire);
      const std::uint64_t to = record->ended.load(std::memory_order_acquire);
      if (from != 0 && to > from)
        measured.set(model::command_id(command), static_cast<double>(to - from) * 1e-9);
    }
    run_log::run run = log_.take();
    for (const model::device_id d : lane_devices_) run.plan.lanes.push_back({d});
    planner::summarise_run(run.graph.commands(), run.graph.buffers(), topology_, run.plan);
    run.plan.graph_hash = run.graph.structural_hash();
    const std::string base = base_ + "eager";
    formats::write_file(base + ".graph.json", recorder::to_json(run.graph, topology_, measured));
    const planner::graph_view view(run.graph);
    formats::write_file(base + ".plan.json", planner::to_json(run.plan, view));
    formats::write_file(base + ".dot", planner::to_dot(view, run.plan, topology_));
  } catch (const std::exception& e) {
    log_warn("PIANOLA_RECORD: {}", e.what());
  }
}

}  // namespace pianola::runtime
