// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/graphs.hpp"

#include <algorithm>
#include <cstring>
#include <variant>

#include <pianola/formats/file.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "allocation_names.hpp"
#include "core.hpp"
#include "dynamic_memory.hpp"
#include "event_record.hpp"
#include "executable.hpp"
#include "graph_files.hpp"
#include "graph_impl.hpp"
#include "image_checks.hpp"
#include "image_registry.hpp"
#include "queue_impl.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

std::shared_ptr<graph> create_graph(model::device_id device, bool multi_device) {
  core& c = core::instance();
  if (device.value() >= c.devices.size())
    throw user_error(error_code::invalid, "there is no such device");
  return std::make_shared<graph>(device, multi_device);
}

model::device_id device_of(const graph& g) noexcept { return g.device(); }
bool is_multi_device(const graph& g) noexcept { return g.multi_device(); }

bool begin_recording(const std::shared_ptr<graph>& g, queue& q) { return g->begin(q); }

bool end_recording(queue& q) {
  std::shared_ptr<graph> g;
  {
    core& c = core::instance();
    std::lock_guard lock(c.mutex);
    g = q.recording.lock();
    q.recording.reset();
  }
  if (g != nullptr) g->ended(q);
  return g != nullptr;
}

bool end_recording(const std::shared_ptr<graph>& g) { return g->end_all(); }

bool is_recording(const queue& q) noexcept {
  core* c = core::started();
  if (c == nullptr) return false;
  std::lock_guard lock(c->mutex);
  return !q.recording.expired();
}

static model::command_id add_one(graph& g, submission& s,
                                 const std::vector<model::command_id>& after) {
  for (const model::command_id id : after)
    if (!g.holds(id))
      throw user_error(error_code::invalid, "a node depends on a node that is not of this graph");
  if (std::holds_alternative<model::kernel_command>(s.payload)) lay_out_dynamic_memory(s);
  check_command(core::instance(), s, g.device());
  return g.add(s, find_slots(s), after);
}

model::command_id add_node(graph& g, submission& s, const std::vector<model::command_id>& after) {
  core& c = core::instance();
  if (s.next != nullptr) check_group(c, s, g.device(), false);
  model::command_id last = add_one(g, s, after);
  const submission* before = &s;
  for (submission* next = s.next.get(); next != nullptr; next = next->next.get()) {
    carry_requirements(c, *before, *next, g.device());
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

std::vector<model::command_id> predecessors(const graph& g, model::command_id id) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  std::vector<model::command_id> found;
  for (const auto& [from, to] : g.edges())
    if (to == id.value()) found.emplace_back(from);
  return found;
}

std::vector<model::command_id> successors(const graph& g, model::command_id id) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  std::vector<model::command_id> found;
  for (const auto& [from, to] : g.edges())
    if (from == id.value()) found.emplace_back(to);
  return found;
}

const char* node_kind(const graph& g, model::command_id id) {
  if (!g.holds(id)) throw user_error(error_code::invalid, "the node is not of this graph");
  return g.kind(id);
}

model::command_id node_of(const graph& g, const event& e) {
  if (e.record == nullptr || e.record->recorded_in.lock().get() != &g) return {};
  return e.record->node;
}

std::shared_ptr<executable_graph> finalize(graph& g) {
  auto made = executable_graph::make(g.take_snapshot(), g.device());
  write_recorded_graph(*made);
  return made;
}

// ---- files ---------------------------------------------------------------------------------------

std::string label_for_files(const model::command& c) {
  // clang calls a lambda by its place alone; the compiler has told us of its function.
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k != nullptr && k->kernel != nullptr && *c.label == '\0' &&
      std::strncmp(k->kernel->name, "(lambda at ", 11) == 0)
    if (const pianola_kernel* told = image_registry::instance().find_kernel(k->id))
      return std::string(told->name) + " " + k->kernel->name;
  return *c.label == '\0' && !std::holds_alternative<model::kernel_command>(c.payload)
             ? display_name(c)
             : formats::full_name(c);
}

recorder::command_graph graph_for_files(const graph::snapshot& s) {
  recorder::command_graph g;
  allocation_names names;
  std::vector<std::uint32_t> allocations;
  const model::topology topology = core::instance().whole_topology();
  for (std::size_t i = 0; i < s.buffers.size(); ++i) g.add_buffer(s.buffers[i], 0, s.labels[i]);
  for (const model::command& c : s.commands) {
    model::command copy = c;
    if (auto* k = std::get_if<model::kernel_command>(&copy.payload)) k->kernel = nullptr;
    const std::string label = label_for_files(c);
    copy.label = label.c_str();
    allocations.clear();
    if (const auto* k = std::get_if<model::kernel_command>(&c.payload))
      pointer_registry::instance().find_words(k->arguments, [&](const user_allocation& found) {
        const std::uint32_t a = names.name(g, topology, found);
        if (std::find(allocations.begin(), allocations.end(), a) == allocations.end())
          allocations.push_back(a);
      });
    names.name(g, topology, copy.payload, allocations);
    g.set_allocations(g.append(copy), {allocations.data(), allocations.size()});
  }
  return g;
}

void write_dot(const graph& g, const std::string& path, bool verbose) {
  const recorder::command_graph recorded = graph_for_files(g.take_snapshot());
  planner::dot_options options;
  options.requirements = verbose;
  formats::write_file(path, planner::to_dot(planner::graph_view(recorded), options));
}

void write_graph_json(const executable_graph& g, const std::string& path) {
  formats::write_file(
      path, recorder::to_json(graph_for_files(g.recorded()), core::instance().whole_topology()));
}

void write_plan_json(const executable_graph& g, const std::string& path) {
  executable_graph::contents now = g.planned();
  const recorder::command_graph recorded = graph_for_files(now.recorded);
  now.plan.graph_hash = recorded.structural_hash();
  formats::write_file(path, planner::to_json(now.plan, planner::graph_view(recorded)));
}

static std::string dot_of(const executable_graph& g) {
  const executable_graph::contents now = g.planned();
  const recorder::command_graph recorded = graph_for_files(now.recorded);
  return planner::to_dot(planner::graph_view(recorded), now.plan,
                         core::instance().whole_topology());
}

void write_dot(const executable_graph& g, const std::string& path) {
  formats::write_file(path, dot_of(g));
}

void write_svg(const executable_graph& g, const std::string& path) {
  planner::render_svg(dot_of(g), path);
}

}  // namespace pianola::runtime
