// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/graphs.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/runtime/replay_options.hpp>

#include "commands/argument_slots.hpp"
#include "commands/command_groups.hpp"
#include "commands/dynamic_memory.hpp"
#include "commands/launch_checks.hpp"
#include "kernels/image_registry.hpp"
#include "machine/image_checks.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "queues/event_record.hpp"
#include "queues/queue.hpp"
#include "recording/allocation_names.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/files/graph_files.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/graphs/parameters.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

std::shared_ptr<graph> create_graph(model::device_id device, bool multi_device,
                                    std::uint64_t memory_budget, bool look_for_cycles) {
  process& rt = process::instance();
  if (device.value() >= rt.machine.device_count())
    throw user_error(error_code::invalid, "there is no such device");
  return std::make_shared<graph>(device, multi_device, memory_budget, look_for_cycles);
}

model::device_id device_of(const graph& g) noexcept { return g.device(); }
bool is_multi_device(const graph& g) noexcept { return g.multi_device(); }
void set_narrowing(graph& g, bool on) { g.set_narrowing(on); }
void wait_in_each_launch(graph& g) { g.wait_in_each_launch(); }

bool begin_recording(const std::shared_ptr<graph>& g, queue& q) {
  if (capturing* const c = capturing::active()) c->host_waits_for(q);
  return g->begin(q);
}

bool end_recording(queue& q) {
  std::shared_ptr<graph> g;
  {
    process& rt = process::instance();
    std::lock_guard lock(rt.mutex);
    g = q.recording.lock();
    q.recording.reset();
  }
  if (g != nullptr) g->ended(q);
  return g != nullptr;
}

bool end_recording(const std::shared_ptr<graph>& g) { return g->end_all(); }

bool is_recording(const queue& q) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return false;
  std::lock_guard lock(rt->mutex);
  return !q.recording.expired();
}

graph_memory_use memory_use_of(const executable_graph& g, model::device_id device) {
  process::instance().machine.check(device);
  return g.memory_use(process::instance().machine.memory_of(device));
}

static model::command_id add_one(graph& g, submission& s,
                                 const std::vector<model::command_id>& after) {
  for (event& e : s.after)
    if (was_held_back(e)) e = capturing::of_held_back().settled(e);
  for (const model::command_id id : after)
    if (!g.holds(id))
      throw user_error(error_code::invalid, "a node depends on a node that is not of this graph");
  refresh_parameters(s.arguments.block());
  if (std::holds_alternative<model::kernel_command>(s.payload)) lay_out_dynamic_memory(s);
  check_command(process::instance().machine, s, g.device());
  return g.add(s, find_slots(s), after);
}

model::command_id add_node(graph& g, submission& s, const std::vector<model::command_id>& after) {
  process& rt = process::instance();
  if (s.next != nullptr) check_group(rt, s, g.device(), false);
  model::command_id last = add_one(g, s, after);
  const submission* before = &s;
  for (submission* next = s.next.get(); next != nullptr; next = next->next.get()) {
    carry_requirements(rt.machine, *before, *next, g.device());
    last = add_one(g, *next, {last});
    before = next;
  }
  return last;
}

void make_edge(graph& g, model::command_id from, model::command_id to) { g.make_edge(from, to); }

std::vector<model::command_id> nodes(const graph& g) { return g.nodes(); }

std::vector<model::command_id> root_nodes(const graph& g) {
  std::vector<char> has_predecessor(g.size(), 0);
  for (const auto& [from, to] : g.edges()) has_predecessor[to] = 1;
  std::vector<model::command_id> roots;
  for (const model::command_id n : g.nodes())
    if (!has_predecessor[n.value()]) roots.push_back(n);
  return roots;
}

std::vector<model::command_id> leaf_nodes(const graph& g) { return g.leaves(); }

std::vector<model::command_id> predecessors(const graph& g, model::command_id id) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  return g.predecessors(id);
}

std::vector<model::command_id> successors(const graph& g, model::command_id id) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  return g.successors(id);
}

model::node_kind kind_of(const graph& g, model::command_id id) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  return g.kind(id);
}

model::command_id node_of(const graph& g, const event& e) {
  if (!is_recorded(e) || e.record->recorded_in.lock().get() != &g) return {};
  return e.record->node;
}

void set_placing(graph& g, graph_placing placing) { g.set_placing(std::move(placing)); }
graph_placing placing_of(const graph& g) { return g.placing(); }

void write_dot(const graph& g, const std::string& path, bool verbose) {
  write_dot(g.take_snapshot(), path, verbose);
}

std::shared_ptr<executable_graph> finalize(graph& g, const std::string& plan) {
  return finalize(g, g.placing(), plan);
}

std::shared_ptr<executable_graph> finalize(graph& g, const graph_placing& placing,
                                           const std::string& plan) {
  return finalize(g, placing, replay_options(), plan);
}

std::shared_ptr<executable_graph> finalize(graph& g, const graph_placing& placing,
                                           const replay_options& options, const std::string& plan) {
  if (options.in_flight == 0 || options.in_flight > most_in_flight)
    throw user_error(error_code::invalid,
                     fmt::format("a graph can have 1 to {} launches in flight, not {}",
                                 most_in_flight, options.in_flight));
  if (!g.legs().empty())
    throw user_error(
        error_code::invalid,
        fmt::format("the recording was cut at waits into {} legs, which no executable graph "
                    "holds: make an ext::pianola::graph_sequence of the graph",
                    g.legs().size() + 1));
  planning_request wanted;
  wanted.placing = placing;
  wanted.options = options;
  if (!plan.empty())
    wanted.plans =
        std::make_shared<stored_plans>(plan, fmt::format("plan '{}'", formats::one_line(plan)));
  graph::snapshot recorded = g.take_snapshot();
  if (options.in_flight > 1 && !recorded.memories.empty())
    throw user_error(error_code::feature_not_supported,
                     "the graph allocates memory (async_malloc), which its launches share, so "
                     "only one of them can be in flight");
  auto made = executable_graph::make(std::move(recorded), g.device(), wanted);
  write_recorded_graph(*made);
  return made;
}

}  // namespace pianola::runtime
