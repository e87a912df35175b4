// SPDX-License-Identifier: Apache-2.0
// Changes of recorded and of executable graphs.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include <pianola/model/error.hpp>

#include "core.hpp"
#include "executable.hpp"
#include "graph_impl.hpp"
#include "image_checks.hpp"
#include "log.hpp"
#include "pianola/runtime/cookie.hpp"
#include "pianola/runtime/graphs.hpp"
#include "queue_impl.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;
using planner::execute_step;

// ---- the recording -------------------------------------------------------------------------------

void graph::set_geometry(model::command_id id, const model::launch_geometry& geometry) {
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("an update of a node");
  commands_->set_geometry(id, geometry);
}

void graph::set_parameter(std::uint64_t cookie, std::uint32_t offset, const void* value,
                          std::uint32_t size) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (; searched_ < commands_->size(); ++searched_) {
    const auto& payload =
        commands_->command(model::command_id(static_cast<std::uint32_t>(searched_))).payload;
    model::argument_block block;
    if (const auto* k = std::get_if<model::kernel_command>(&payload)) block = k->arguments;
    if (const auto* t = std::get_if<model::host_task_command>(&payload)) block = t->arguments;
    const auto* bytes = static_cast<const unsigned char*>(block.bytes);
    for (std::uint32_t at = 0; at + 8 <= block.size; at += 8) {
      std::uint64_t word;
      std::memcpy(&word, bytes + at, 8);
      if (is_cookie(parameter_cookie_prefix, word))
        parameters_.push_back({word, static_cast<std::uint32_t>(searched_), at});
    }
  }
  for (const parameter_place& p : parameters_)
    if (p.cookie == cookie)
      commands_->write_arguments(model::command_id(p.command), p.offset + offset, value, size);
}

void graph::replace(model::command_id id, submission& s, const found_slots& slots) {
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("an update of a node");
  const model::command& now = commands_->command(id);
  if (std::holds_alternative<model::allocate_command>(now.payload) ||
      std::holds_alternative<model::free_command>(now.payload))
    throw user_error(error_code::invalid,
                     "a node that allocates or frees memory cannot be exchanged: other commands "
                     "hold its address");
  if (s.graph != nullptr || s.next != nullptr || now.payload.index() != s.payload.index())
    throw user_error(error_code::invalid,
                     "a node's command can only be exchanged for one of the same kind");
  for (const staging& between : staged_)
    if (id.value() == between.in || id.value() == between.out)
      throw user_error(error_code::feature_not_supported,
                       "a node that copies between devices of different backends, by way of the "
                       "host, cannot be exchanged");
  description made;
  describe(s, slots, made);
  commands_->replace(id, made.command);
  // Its parameters are somewhere else now.
  parameters_.clear();
  searched_ = 0;
}

bool graph::reorders() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !backward_.empty();
}

// ---- the executable graph ------------------------------------------------------------------------

std::unique_lock<core_mutex> executable_graph::lock_without_replays() const {
  core& c = core::instance();
  for (;;) {
    std::unique_lock<core_mutex> lock(c.mutex);
    const model::step_id tail = c.state.tail(lane_);
    if (c.finished(tail)) return lock;
    const executors::lane_position end = c.position_of(tail);
    lock.unlock();
    c.wait({&end, 1});
  }
}

namespace {

[[noreturn]] void refuse_topology(std::size_t index, const std::string& what) {
  throw user_error(error_code::invalid,
                   "an executable graph can only be updated from a graph with the same nodes and "
                   "edges; node " +
                       std::to_string(index) + " " + what);
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

// Objects with operations have no bytes to compare.
bool same_arguments(const model::argument_block& a, const model::argument_block& b) {
  if (a.size != b.size || a.operations != b.operations) return false;
  if (a.size == 0 || a.bytes == b.bytes) return a.operations == nullptr;
  return a.operations == nullptr && std::memcmp(a.bytes, b.bytes, a.size) == 0;
}

}  // namespace

bool executable_graph::plan_holds(const model::command& now, const model::command& next,
                                  std::size_t index) const {
  if (now.payload.index() != next.payload.index()) refuse_topology(index, "is of another kind");
  if (now.after.size() != next.after.size() ||
      !std::equal(now.after.begin(), now.after.end(), next.after.begin()))
    refuse_topology(index, "follows other nodes");
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
  if (const auto* a = std::get_if<model::allocate_command>(&now.payload))
    return a->zero == std::get<model::allocate_command>(next.payload).zero;
  return true;
}

// A step's own copy of its arguments gets new contents.
void executable_graph::take_arguments(core& c, std::size_t step,
                                      const model::argument_block& source) {
  static_cast<void>(c);
  void*& kept = arguments_[step];
  if (kept == nullptr || source.size == 0) return;
  if (source.operations == nullptr) {
    std::memcpy(kept, source.bytes, source.size);
    return;
  }
  const auto owned = std::find_if(objects_.begin(), objects_.end(),
                                  [&](const owned_object& o) { return o.object == kept; });
  // The new object first: if it cannot be made, the graph is as it was.
  void* fresh = arena_.allocate(source.size, source.alignment);
  source.operations->copy(fresh, source.bytes);
  owned->operations->destroy(owned->object);
  *owned = {fresh, source.operations};
  kept = fresh;
}

void executable_graph::exchange_commands(core& c, const std::vector<std::uint32_t>& changed) {
  if (step_of_.empty()) {
    step_of_.assign(recorded_.commands.size(), none);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      if (const auto* e = std::get_if<execute_step>(&plan_.steps[i].action))
        step_of_[e->command.value()] = static_cast<std::uint32_t>(i);
  }
  struct change {
    std::vector<std::uint32_t> indices;
    std::vector<executors::graph_step> steps;
  };
  std::vector<change> changes(parts_.size());
  for (const std::uint32_t i : changed) {
    const std::uint32_t step = step_of_[i];
    if (step == none) continue;
    const auto& payload = recorded_.commands[i].payload;
    if (const auto* k = std::get_if<model::kernel_command>(&payload))
      take_arguments(c, step, k->arguments);
    else if (const auto* t = std::get_if<model::host_task_command>(&payload))
      take_arguments(c, step, t->arguments);
    change& of_part = changes[cut_.segment_of[step]];
    of_part.indices.push_back(cut_.index_of[step]);
    of_part.steps.emplace_back().action = resolve(c, plan_.steps[step]);
  }
  executors::status failure;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (changes[i].indices.empty()) continue;
    executors::status status =
        parts_[i].owner->update(*parts_[i].native, changes[i].indices, changes[i].steps);
    if (failure.ok()) failure = std::move(status);
  }
  if (!failure.ok()) throw user_error(failure.code, failure.reason);
}

// What a failed update has changed. Native graphs that cannot take back what they have are run step by step.
void executable_graph::put_back(core& c, const std::vector<std::uint32_t>& changed) noexcept {
  try {
    exchange_commands(c, changed);
  } catch (const std::exception& e) {
    log_info("an update that failed was not taken back at once: {}", e.what());
  }
}

void executable_graph::update(graph::snapshot next) {
  if (next.commands.size() != recorded_.commands.size())
    throw user_error(error_code::invalid,
                     "an executable graph can only be updated from a graph with the same nodes and "
                     "edges; it has " +
                         std::to_string(recorded_.commands.size()) + " commands, the other one " +
                         std::to_string(next.commands.size()));
  for (std::size_t i = 0; i < next.after.size(); ++i) next.commands[i].after = next.after[i];
  bool holds = next.keys.size() == recorded_.keys.size() &&
               std::equal(next.keys.begin(), next.keys.end(), recorded_.keys.begin()) &&
               next.staged.size() == recorded_.staged.size() &&
               std::equal(next.staged.begin(), next.staged.end(), recorded_.staged.begin(),
                          [](const graph::staging& a, const graph::staging& b) {
                            return a.in == b.in && a.out == b.out && a.bytes == b.bytes;
                          });
  std::vector<std::uint32_t> changed;
  for (std::size_t i = 0; i < next.commands.size(); ++i) {
    const model::command &now = recorded_.commands[i], &other = next.commands[i];
    holds = plan_holds(now, other, i) && holds;
    bool differs = true;
    if (const auto* k = std::get_if<model::kernel_command>(&now.payload)) {
      const auto* to = std::get_if<model::kernel_command>(&other.payload);
      differs =
          std::memcmp(&k->geometry.global, &to->geometry.global, sizeof k->geometry.global) != 0 ||
          !(k->geometry.local == to->geometry.local) ||
          !(k->geometry.offset == to->geometry.offset) ||
          k->local_memory_bytes != to->local_memory_bytes || next.storage == recorded_.storage ||
          !same_arguments(k->arguments, to->arguments);
    } else if (const auto* copy = std::get_if<model::copy_command>(&now.payload)) {
      const auto* to = std::get_if<model::copy_command>(&other.payload);
      differs = std::memcmp(copy, to, sizeof *copy) != 0;
    } else if (const auto* a = std::get_if<model::allocate_command>(&now.payload)) {
      const auto& to = std::get<model::allocate_command>(other.payload);
      differs = a->zero && (a->pointer != to.pointer || a->bytes != to.bytes);
    } else if (std::holds_alternative<model::free_command>(now.payload)) {
      differs = false;
    } else if (now.payload.index() == model::command_payload(model::empty_command()).index()) {
      differs = false;
    }
    if (differs) changed.push_back(static_cast<std::uint32_t>(i));
  }

  core& c = core::instance();
  if (holds) {
    const auto lock = lock_without_replays();
    // What the commands refer to stays until the native graphs have let go of it.
    std::swap(recorded_, next);
    const auto refer = [this] {
      for (std::size_t i = 0; i < recorded_.after.size(); ++i)
        recorded_.commands[i].after = recorded_.after[i];
    };
    refer();
    try {
      exchange_commands(c, changed);
    } catch (...) {
      std::swap(recorded_, next);
      refer();
      put_back(c, changed);
      throw;
    }
    return;
  }
  const std::shared_ptr<executable_graph> made = make(std::move(next), device_);
  const auto lock = lock_without_replays();
  if (c.last_replayed == this) c.settle_replays();
  swap_contents(*made);
}

void executable_graph::update(const graph& from, const std::vector<model::command_id>& nodes) {
  if (from.storage() != recorded_.storage)
    throw user_error(
        error_code::invalid,
        "a node to update an executable graph with is not of the graph that it was finalized from");
  bool whole = from.reorders();
  std::vector<std::pair<std::uint32_t, model::command>> changes;
  if (!whole)
    from.for_each_command(nodes, [&](std::uint32_t i, const model::command& next) {
      if (i >= recorded_.commands.size())
        throw user_error(
            error_code::invalid,
            "a node to update an executable graph with was added after the graph was finalized");
      // Other buffers or accesses need another plan.
      model::command same_edges = next;
      same_edges.after = recorded_.commands[i].after;
      whole = !plan_holds(recorded_.commands[i], same_edges, i) || whole;
      changes.emplace_back(i, same_edges);
    });
  if (whole) {
    graph::snapshot next = from.take_snapshot();
    update(std::move(next));
    return;
  }
  core& c = core::instance();
  const auto lock = lock_without_replays();
  std::vector<std::uint32_t> changed;
  const auto exchange = [&] {
    for (auto& [i, next] : changes) std::swap(recorded_.commands[i], next);
  };
  for (const auto& [i, next] : changes) changed.push_back(i);
  exchange();
  try {
    exchange_commands(c, changed);
  } catch (...) {
    exchange();
    put_back(c, changed);
    throw;
  }
}

void executable_graph::swap_contents(executable_graph& other) noexcept {
  const auto exchange = [&](auto member) { std::swap(this->*member, other.*member); };
  exchange(&executable_graph::recorded_);
  exchange(&executable_graph::plan_);
  exchange(&executable_graph::staging_);
  exchange(&executable_graph::staging_offsets_);
  exchange(&executable_graph::device_);
  exchange(&executable_graph::live_);
  exchange(&executable_graph::adopted_);
  exchange(&executable_graph::lane_);
  exchange(&executable_graph::lane_device_);
  exchange(&executable_graph::requirements_);
  exchange(&executable_graph::transfers_);
  exchange(&executable_graph::transferred_bytes_);
  exchange(&executable_graph::transferred_pages_);
  exchange(&executable_graph::arena_);
  exchange(&executable_graph::objects_);
  exchange(&executable_graph::arguments_);
  exchange(&executable_graph::cut_);
  exchange(&executable_graph::parts_);
  exchange(&executable_graph::ends_);
  exchange(&executable_graph::side_lanes_);
  exchange(&executable_graph::part_waits_);
  exchange(&executable_graph::running_);
  exchange(&executable_graph::step_of_);
  exchange(&executable_graph::last_step_);
  exchange(&executable_graph::unsettled_);
}

// ---- the narrow interface ------------------------------------------------------------------------

std::shared_ptr<graph> recording_graph(const queue& q) {
  core& c = core::instance();
  std::lock_guard lock(c.mutex);
  return q.recording.lock();
}

namespace {

// What a kernel that was recorded over an nd_range is launched over when it is given a range, and the other way round:
// its function takes the work-items that it was written for, whichever extent is given later. A range in place of an
// nd_range keeps the groups' size as far as it divides the range; an nd_range in place of a range loses its groups,
// which nothing in the kernel can see.
model::launch_geometry as_recorded(const model::launch_geometry& recorded,
                                   const model::launch_geometry& given) {
  model::launch_geometry result = given;
  result.grouped = recorded.grouped;
  for (int d = 0; d < 3; ++d)
    result.local.c[d] = recorded.grouped ? std::gcd(recorded.local.c[d], given.global.c[d]) : 1;
  return result;
}

}  // namespace

void set_geometry(graph& g, model::command_id id, const model::launch_geometry& geometry) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  model::launch_geometry launched = geometry;
  g.for_each_command({id}, [&](std::uint32_t, const model::command& now) {
    const auto* k = std::get_if<model::kernel_command>(&now.payload);
    if (k == nullptr)
      throw user_error(error_code::invalid, "the node is no kernel and has no range");
    if (k->geometry.dimensions != geometry.dimensions)
      throw user_error(error_code::invalid,
                       "a kernel's index space keeps its number of dimensions");
    model::kernel_command changed = *k;
    changed.geometry = geometry;
    check_launch(changed, core::instance().properties[now.device.value()]);
    if (k->geometry.grouped == geometry.grouped) return;
    launched = changed.geometry = as_recorded(k->geometry, geometry);
    check_launch(changed, core::instance().properties[now.device.value()]);
  });
  g.set_geometry(id, launched);
}

void set_parameter(graph& g, std::uint64_t cookie, std::uint32_t offset, const void* value,
                   std::uint32_t size) {
  g.set_parameter(cookie, offset, value, size);
}

void replace_node(graph& g, model::command_id id, submission& s) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  // On the device where the node has worked so far.
  g.for_each_command({id}, [&](std::uint32_t, const model::command& now) {
    const auto* task = std::get_if<model::host_task_command>(&now.payload);
    if (!s.device.valid()) s.device = task != nullptr ? task->queue_device : now.device;
  });
  if (auto* k = std::get_if<model::kernel_command>(&s.payload)) {
    k->local_memory_bytes = s.local_memory_bytes;
    check_launch(*k, core::instance().properties[s.device.value()]);
    check_image(core::instance(), *k, s.device);
  }
  g.replace(id, s, find_slots(s));
}

std::uint64_t owned_bytes(const executable_graph& g) { return g.owned_bytes(); }

void update(executable_graph& g, const graph& from) { g.update(from.take_snapshot()); }

void update(executable_graph& g, const graph& from, const std::vector<model::command_id>& nodes) {
  for (const model::command_id id : nodes)
    if (!from.holds(id)) throw user_error(error_code::invalid, "a node is not of this graph");
  g.update(from, nodes);
}

}  // namespace pianola::runtime
