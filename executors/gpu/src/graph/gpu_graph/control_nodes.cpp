// SPDX-License-Identifier: Apache-2.0
// Loops and branches in the driver's own graphs: a kernel sets a condition, and a node behind it runs other graphs by that.
#include <algorithm>
#include <utility>

#include <pianola/host/host_backend.hpp>

#include "engine/engine.hpp"
#include "graph/gpu_graph.hpp"

namespace pianola::gpu {

using executors::resolved_control;
using executors::status;
using model::control_kind;

namespace {

conditional kind_of(control_kind what) noexcept {
  switch (what) {
    case control_kind::choice:
      return conditional::choice;
    case control_kind::branch:
      return conditional::branch;
    default:
      return conditional::loop;
  }
}

bool loops(control_kind what) noexcept { return kind_of(what) == conditional::loop; }

}  // namespace

status gpu_graph::take_control(kept_step& s) {
  auto* const c = std::get_if<resolved_control>(&s.action);
  if (c == nullptr) return {};
  std::vector<std::shared_ptr<gpu_graph>> bodies;
  for (const auto& steps : c->bodies) {
    auto made = std::make_shared<gpu_graph>(engine_);
    made->body_ = true;
    // Nothing says that such edges may be in graphs of nodes.
    made->overlap_refused_ = true;
    if (status taken = made->collect(steps); !taken.ok()) return taken;
    bodies.push_back(std::move(made));
  }
  c->bodies = {};
  if (c->what == control_kind::repeat && s.counter == nullptr) {
    void* at = nullptr;
    constexpr auto where = executors::memory_kind::device;
    if (status made = engine_.allocate(s.device, where, sizeof(std::uint64_t), 0, at); !made.ok())
      return made;
    s.counter.reset(at,
                    [&e = engine_, device = s.device](void* p) { e.deallocate(device, where, p); });
  }
  s.bodies = std::move(bodies);
  s.alone = nullptr;
  return {};
}

status gpu_graph::add_control(kept_step& s, std::vector<node>& after) {
  const auto& c = *std::get_if<resolved_control>(&s.action);
  one_executable_ = true;
  driver& d = engine_.drv;
  condition_setting set;
  set.device = s.device;
  if (c.what == control_kind::repeat) {
    set.from = condition_setting::source::beginning;
    set.number = s.counter.get();
    set.begin = c.count;
  } else {
    set.number = c.condition;
    set.bytes = c.bytes;
  }
  // A number beyond the last one runs none.
  if (c.what == control_kind::choice) set.limit = static_cast<std::uint32_t>(s.bodies.size());
  node first, second;
  std::vector<graph> graphs(s.bodies.size());
  code made = d.make_condition(graph_, s.device, set.what);
  if (made == success) made = d.add_setting(graph_, after, set, first);
  if (made == success)
    made =
        d.add_conditional(graph_, {&first, 1}, s.device, set.what, kind_of(c.what), graphs, second);
  if (made != success) return engine_.failure(made, "adding a loop or a branch to a graph");
  for (const node n : {first, second}) {
    built_node b;
    b.what = built_node::kind::control;
    b.native = n;
    nodes_.push_back(b);
    ++s.node_count;
  }
  if (c.what == control_kind::repeat) set.from = condition_setting::source::countdown;
  for (std::size_t i = 0; i < graphs.size(); ++i)
    if (status built = s.bodies[i]->build_in(graphs[i], set, loops(c.what)); !built.ok())
      return built;
  engine_.counters.conditional_nodes.fetch_add(1, std::memory_order_relaxed);
  after.assign(1, second);
  return {};
}

status gpu_graph::build_in(graph made, const condition_setting& set, bool loop) {
  graph_ = made;
  if (status built = build_nodes(); !built.ok()) return built;
  // CUDA's drivers before 12.8 hang at a graph without work: there the condition is given the number that it has.
  const bool works = std::any_of(nodes_.begin(), nodes_.end(), [](const built_node& n) {
    return n.what != built_node::kind::empty;
  });
  if (works && !loop) return {};
  node last;
  const code c = engine_.drv.add_setting(graph_, ends_, set, last);
  return c == success ? status{} : engine_.failure(c, "adding a loop to a graph");
}

status gpu_graph::run_control(std::uint32_t step, stream where) {
  kept_step& s = steps_[step];
  if (s.alone == nullptr) {
    auto made = std::make_shared<gpu_graph>(engine_);
    kept_step& same = made->steps_.emplace_back();
    same.action = s.action;
    same.device = s.device;
    same.bodies = s.bodies;
    same.counter = s.counter;
    made->first_wait_ = {0, 0};
    made->devices_ = {s.device};
    if (status built = made->build_nodes(); !built.ok()) return built;
    if (status built = made->instantiate(); !built.ok()) return built;
    s.alone = std::move(made);
  }
  const code c = s.alone->launch(s.device, where);
  return c == success ? status{} : engine_.failure(c, "running a loop or a branch");
}

}  // namespace pianola::gpu
