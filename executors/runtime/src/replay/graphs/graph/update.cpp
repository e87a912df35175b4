// SPDX-License-Identifier: Apache-2.0
// Changes of recorded graphs.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/error.hpp>
#include <pianola/runtime/graphs.hpp>

#include "commands/argument_slots.hpp"
#include "commands/dynamic_memory.hpp"
#include "commands/launch_checks.hpp"
#include "machine/image_checks.hpp"
#include "process.hpp"
#include "queues/queue.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/graphs/parameters.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

// ---- the recording -------------------------------------------------------------------------------

std::uint64_t graph::next_id() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void graph::set_geometry(model::command_id id, const model::launch_geometry& geometry) {
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("an update of a node");
  const auto choice =
      std::find_if(choices_.begin(), choices_.end(), [&](const auto& c) { return c.first == id; });
  if (choice == choices_.end()) return recorded_.set_geometry(id, geometry);
  // The index space is the command's, which all these nodes hold.
  alternatives& a = *choice->second;
  std::get<model::kernel_command>(a.commands_[a.chosen_]->payload).geometry = geometry;
  for (const auto& [node, from] : choices_)
    if (from == choice->second) recorded_.set_geometry(node, geometry);
}

static bool others_hold_its_memory(const model::command_payload& payload) noexcept {
  switch (kind_of(payload)) {
    case model::command_kind::allocate:
    case model::command_kind::free:
      return true;
    case model::command_kind::empty:
    case model::command_kind::kernel:
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::host_task:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::subgraph:
      return false;
  }
  return true;
}

void graph::replace(model::command_id id, submission& s) {
  std::shared_ptr<const void> old;  // ends without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  refuse_while_recording("an update of a node");
  old = replace_locked(id, s);
}

std::shared_ptr<const void> graph::replace_locked(model::command_id id, submission& s) {
  const model::command& now = recorded_.command(id);
  if (others_hold_its_memory(now.payload))
    throw user_error(error_code::invalid,
                     "a node that allocates or frees memory cannot be exchanged: other commands "
                     "hold its address");
  if (s.graph != nullptr || s.control != nullptr || s.next != nullptr ||
      now.payload.index() != s.payload.index())
    throw user_error(error_code::invalid,
                     "a node's command can only be exchanged for one of the same kind");
  if (recorded_.is_staged_copy(id))
    throw user_error(error_code::feature_not_supported,
                     "a node that copies between devices of different backends, by way of the "
                     "host, cannot be exchanged");
  check_parameters(s);
  // On the device where the node has worked so far.
  const auto* task = std::get_if<model::host_task_command>(&now.payload);
  if (!s.device.valid()) s.device = task != nullptr ? task->queue_device : now.device;
  if (auto* k = std::get_if<model::kernel_command>(&s.payload)) {
    lay_out_dynamic_memory(s);
    k->local_memory_bytes = s.local_memory_bytes;
    check_launch(*k, process::instance().machine.properties(s.device));
    check_image(process::instance().machine, *k, s.device);
  }
  description made;
  describe(s, find_slots(s), made);
  return recorded_.exchange(id, made.command, s.kept_alive);
}

// ---- alternatives --------------------------------------------------------------------------------

void graph::declare(const std::shared_ptr<alternatives>& a) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& s : a->commands_) check_parameters(*s);
  declared_.erase(std::remove_if(declared_.begin(), declared_.end(),
                                 [](const auto& known) { return known.expired(); }),
                  declared_.end());
  declared_.push_back(a);
}

void graph::note_choice(model::command_id id, const std::shared_ptr<alternatives>& a) {
  std::lock_guard<std::mutex> lock(mutex_);
  choices_.emplace_back(id, a);
}

std::size_t graph::chosen(const alternatives& a) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return a.chosen_;
}

void graph::choose(alternatives& a, std::size_t index) {
  std::vector<std::shared_ptr<const void>> old;  // ends without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  if (index >= a.commands_.size())
    throw user_error(error_code::invalid, fmt::format("there is no command group {}: there are {}",
                                                      index, a.commands_.size()));
  if (index == a.chosen_) return;
  refuse_while_recording("an update of a node");
  const auto exchange_all = [&](std::size_t with) {
    for (const auto& [node, from] : choices_)
      if (from.get() == &a) old.push_back(replace_locked(node, *a.commands_[with]));
  };
  try {
    exchange_all(index);
  } catch (...) {
    // Those that hold it already give it back; they held the other one before.
    exchange_all(a.chosen_);
    throw;
  }
  a.chosen_ = index;
}

// ---- the narrow interface ------------------------------------------------------------------------

std::shared_ptr<graph> recording_graph(const queue& q) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
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
  g.for_each_command({id}, [&](std::uint32_t, const model::command& now, const auto&) {
    const auto* k = std::get_if<model::kernel_command>(&now.payload);
    if (k == nullptr)
      throw user_error(error_code::invalid, "the node is no kernel and has no range");
    if (k->geometry.dimensions != geometry.dimensions)
      throw user_error(error_code::invalid,
                       "a kernel's index space keeps its number of dimensions");
    model::kernel_command changed = *k;
    changed.geometry = geometry;
    check_launch(changed, process::instance().machine.properties(now.device));
    if (k->geometry.grouped == geometry.grouped) return;
    launched = changed.geometry = as_recorded(k->geometry, geometry);
    check_launch(changed, process::instance().machine.properties(now.device));
  });
  g.set_geometry(id, launched);
}

void set_parameter(graph& g, std::uint64_t cookie, const void* value, std::uint32_t size) {
  g.set_parameter(cookie, value, size);
}

void set_accessor_parameter(graph& g, std::uint64_t cookie, const void* value, std::uint32_t size,
                            const accessor_request& required) {
  g.set_accessor_parameter(cookie, value, size, required);
}

void set_dynamic_memory(graph& g, std::uint64_t cookie, std::uint64_t bytes, const void* value,
                        std::uint32_t size) {
  g.set_dynamic_memory(cookie, bytes, value, size);
}

void keep_with(graph& g, std::shared_ptr<void> kept) { g.keep(std::move(kept)); }

void replace_node(graph& g, model::command_id id, submission& s) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  refresh_parameters(s.arguments.block());
  g.replace(id, s);
}

std::shared_ptr<alternatives> create_alternatives(
    graph& g, std::vector<std::unique_ptr<submission>> commands) {
  for (const auto& s : commands) refresh_parameters(s->arguments.block());
  auto made = std::make_shared<alternatives>(std::move(commands));
  g.declare(made);
  return made;
}

model::command_id add_node(graph& g, const std::shared_ptr<alternatives>& a,
                           const std::vector<model::command_id>& after) {
  const model::command_id id = add_node(g, a->command(g.chosen(*a)), after);
  g.note_choice(id, a);
  return id;
}

std::size_t chosen(const graph& g, const alternatives& a) { return g.chosen(a); }
void choose(graph& g, alternatives& a, std::size_t index) { g.choose(a, index); }
std::uint64_t id_of(const graph& g) noexcept { return g.id(); }

std::uint64_t owned_bytes(const executable_graph& g) { return g.owned_bytes(); }

void update(executable_graph& g, const graph& from) {
  if (from.device() != g.device() && !from.multi_device())
    throw user_error(error_code::invalid,
                     "the graph to update from was made for another device than the executable "
                     "graph");
  g.update(from.take_snapshot());
}

void update(executable_graph& g, const graph& from, const std::vector<model::command_id>& nodes) {
  for (const model::command_id id : nodes) {
    if (!from.holds(id)) throw user_error(error_code::invalid, "a node is not of this graph");
    const model::node_kind kind = from.kind(id);
    if (kind == model::node_kind::async_malloc || kind == model::node_kind::async_free)
      throw user_error(error_code::invalid,
                       "a node that allocates or frees memory cannot be updated: its memory stays "
                       "where it is; leave it out of the list");
  }
  executable_graph::node_changes changes;
  changes.origin = from.storage();
  from.for_each_command(nodes, [&](std::uint32_t i, const model::command& command,
                                   std::shared_ptr<const void> refers_to) {
    // These cannot have changed.
    if (others_hold_its_memory(command.payload)) return;
    changes.all.push_back({i, command, std::move(refers_to)});
  });
  changes.buffers = from.known_buffers();
  g.update(std::move(changes));
}

}  // namespace pianola::runtime
