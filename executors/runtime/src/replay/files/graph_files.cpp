// SPDX-License-Identifier: Apache-2.0
#include "replay/files/graph_files.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/planner/dot.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/recorder/graph_json.hpp>
#include <pianola/recorder/owned_allocations.hpp>
#include <pianola/runtime/graphs.hpp>

#include "commands/names.hpp"
#include "commands/usm_accesses.hpp"
#include "data/pointer_registry.hpp"
#include "process.hpp"
#include "recording/allocation_names.hpp"
#include "recording/eager_recorder.hpp"
#include "replay/executable/executable_graph.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

namespace {

// What a pointer points into. One that points behind the end of an allocation, for what is done in front of it, may point
// to the next one at the same time.
user_allocation accessed(const pointer_access& a) {
  const auto at = [](std::uint64_t address) {
    return pointer_registry::instance().find_user(reinterpret_cast<const void*>(address));
  };
  const user_allocation found = at(a.pointer);
  const bool is_inside =
      found.serial != 0 && reinterpret_cast<std::uintptr_t>(found.base) != a.pointer;
  if (is_inside || a.begin == a.end || a.end > a.pointer) return found;
  const user_allocation before = at(a.pointer - 1);
  return before.serial != 0 ? before : found;
}

void add_buffer_reads(recorder::command_graph& g, model::command_id id, const model::command& c) {
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k == nullptr) return;
  for (const certain_read& r : certain_reads(*k, k->arguments, k->slots, c.requirements.size())) {
    const model::buffer_id buffer = c.requirements[r.requirement].buffer;
    // Of others nobody knows what was in them before.
    if (!g.buffer(buffer).temporary) continue;
    const std::uint64_t end = std::min(r.end, g.buffer(buffer).bytes());
    if (r.begin < end) g.add_buffer_read({id, buffer, r.begin, end});
  }
}

// By what is known of a kernel.
template <class Name>
void add_usm_accesses(recorder::command_graph& g, model::command_id id, const model::command& c,
                      const Name& name) {
  const auto* k = std::get_if<model::kernel_command>(&c.payload);
  if (k == nullptr) return;
  for (const pointer_access& a : pointer_accesses(*k, k->arguments, c.requirements.size())) {
    const user_allocation found = accessed(a);
    const std::uint32_t which = name(found);
    if (which == model::no_allocation) continue;
    model::usm_access u{id, which, 0, 0, a.read, a.written, a.exact};
    if (a.begin == a.end) {
      u.end = g.allocations()[which].end();
    } else {
      const std::uint64_t base = reinterpret_cast<std::uintptr_t>(found.base);
      u.begin = static_cast<std::int64_t>(a.begin - base);
      u.end = static_cast<std::int64_t>(a.end - base);
    }
    if (u.begin < u.end) g.add_usm_access(u);
  }
}

// The graphs that its last command runs, with their plans.
void add_bodies(recorder::command_graph& g, const graph_snapshot& s, const model::command& c,
                const model::topology& machine) {
  const control* const what = control_of(c);
  if (what == nullptr) return;
  for (const control::body& b : what->bodies) {
    recorder::command_graph::body stored;
    stored.command = model::command_id(static_cast<std::uint32_t>(g.size() - 1));
    for (const std::uint64_t external : b.recorded.externals) {
      const auto at = std::find(s.externals.begin(), s.externals.end(), external);
      if (at == s.externals.end()) return;  // of a graph from a file
      stored.buffers.emplace_back(static_cast<std::uint32_t>(at - s.externals.begin()));
    }
    auto graph = std::make_shared<recorder::command_graph>(graph_for_files(b.recorded));
    planner::plan plan = b.plan;
    plan.graph_hash = graph->structural_hash();
    stored.plan = planner::to_json(plan, planner::graph_view(*graph), &machine);
    while (!stored.plan.empty() && stored.plan.back() == '\n') stored.plan.pop_back();
    stored.graph = std::move(graph);
    g.add_body(std::move(stored));
  }
}

}  // namespace

recorder::command_graph graph_for_files(const graph_snapshot& s) {
  recorder::command_graph g;
  allocation_names names;
  std::vector<std::uint32_t> allocations;
  const model::topology topology = process::instance().whole_topology();
  const recorder::compact_places places(s.commands);
  for (std::size_t i = 0; i < s.buffers.size(); ++i) g.add_buffer(s.buffers[i], 0, s.labels[i]);
  for (const model::command& c : s.commands) {
    model::command copy = c;
    if (auto* k = std::get_if<model::kernel_command>(&copy.payload)) k->kernel = nullptr;
    if (auto* a = std::get_if<model::allocate_command>(&copy.payload)) a->place = places(a->place);
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
    const model::command_id id = g.append(copy);
    g.set_allocations(id, {allocations.data(), allocations.size()});
    add_buffer_reads(g, id, c);
    add_bodies(g, s, c, topology);
    add_usm_accesses(g, id, c,
                     [&](const user_allocation& found) { return names.name(g, topology, found); });
  }
  return g;
}

namespace {

// What commands run, for pictures; `graphs` holds it.
std::vector<planner::drawn_body> bodies_of(const graph_snapshot& s,
                                           std::deque<recorder::command_graph>& graphs) {
  std::vector<planner::drawn_body> found;
  for (std::uint32_t i = 0; i < s.commands.size(); ++i) {
    const control* const c = control_of(s.commands[i]);
    if (c == nullptr) continue;
    for (std::size_t k = 0; k < c->bodies.size(); ++k) {
      const graph_snapshot& body = c->bodies[k].recorded;
      const recorder::command_graph& kept = graphs.emplace_back(graph_for_files(body));
      found.push_back(
          {i, planner::title_of_graph(std::get<model::subgraph_command>(s.commands[i].payload), k),
           planner::graph_view(kept), bodies_of(body, graphs)});
    }
  }
  return found;
}

}  // namespace

void write_dot(const graph_snapshot& now, const std::string& path, bool verbose) {
  const recorder::command_graph recorded = graph_for_files(now);
  std::deque<recorder::command_graph> graphs;
  const std::vector<planner::drawn_body> bodies = bodies_of(now, graphs);
  planner::dot_options options;
  options.requirements = verbose;
  options.bodies = &bodies;
  formats::write_file(path, planner::to_dot(planner::graph_view(recorded), options));
}

void write_graph_json(const executable_graph& g, const std::string& path) {
  formats::write_file(path, recorder::to_json(graph_for_files(g.planned().recorded),
                                              process::instance().whole_topology()));
}

void write_plan_json(const executable_graph& g, const std::string& path) {
  executable_graph::contents now = g.planned();
  const recorder::command_graph recorded = graph_for_files(now.recorded);
  now.plan.graph_hash = recorded.structural_hash();
  const model::topology machine = process::instance().whole_topology();
  formats::write_file(path, planner::to_json(now.plan, planner::graph_view(recorded), &machine));
}

static std::string dot_of(const executable_graph& g) {
  const executable_graph::contents now = g.planned();
  const recorder::command_graph recorded = graph_for_files(now.recorded);
  std::deque<recorder::command_graph> graphs;
  const std::vector<planner::drawn_body> bodies = bodies_of(now.recorded, graphs);
  planner::dot_options options;
  options.bodies = &bodies;
  return planner::to_dot(planner::graph_view(recorded), now.plan,
                         process::instance().whole_topology(), options);
}

void write_dot(const executable_graph& g, const std::string& path) {
  formats::write_file(path, dot_of(g));
}

void write_svg(const executable_graph& g, const std::string& path) {
  planner::render_svg(dot_of(g), path);
}

void write_recorded_graph(const executable_graph& g) {
  process& rt = process::instance();
  std::string base;
  {
    std::lock_guard lock(rt.mutex);
    if (rt.recording == nullptr) return;
    base = rt.recording->next_graph_name();
  }
  const std::uint64_t hash = g.planned().recorded.hash;
  {
    std::lock_guard lock(rt.mutex);
    rt.recording->name_graph(hash, base.substr(base.rfind('/') + 1));
  }
  const auto dash = base.rfind('/');
  rt.recording->check(graph_for_files(g.planned().recorded), base.substr(dash + 1));
  if (!rt.recording->writes_files()) return;
  rt.recording->make_room();
  write_graph_json(g, base + ".graph.json");
  write_plan_json(g, base + ".plan.json");
  write_dot(g, base + ".dot");
  const std::shared_ptr<graph_times> times = g.times();
  if (times == nullptr) return;
  recorder::command_graph recorded = graph_for_files(g.planned().recorded);
  std::lock_guard lock(rt.mutex);
  rt.recording->keep_for_times(base + ".graph.json", std::move(recorded), times);
}

}  // namespace pianola::runtime
