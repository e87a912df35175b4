// SPDX-License-Identifier: Apache-2.0
// Other addresses or arguments for a graph that exists, with the cheapest call that can say it: parameters of
// single nodes of the executable graph; else the graph's nodes, which the executable graph takes over as a whole;
// else another instantiation.
#include <utility>

#include "engine/engine.hpp"
#include "graph/gpu_graph.hpp"

namespace pianola::gpu {

using executors::graph_step;
using executors::resolved_kernel;
using executors::status;

bool gpu_graph::fits_nodes(const kept_step& s) const noexcept {
  // What its function did with the old arguments is not known.
  if (std::holds_alternative<executors::resolved_host_task>(s.action)) return false;
  if (std::holds_alternative<executors::resolved_control>(s.action)) return false;
  if (operations_.what() == step_operations::kind::nothing)
    return s.node_count == 0 || nodes_[s.first_node].what == built_node::kind::empty;
  if (operations_.what() == step_operations::kind::kernel)
    return s.node_count == 1 && nodes_[s.first_node].what == built_node::kind::kernel &&
           // A kernel that does not wait itself must not have been left to.
           (!nodes_[s.first_node].overlapping || operations_.kernel().overlapping);
  const auto& wanted = operations_.memory();
  if (wanted.size() != s.node_count) return false;
  const bool kept = engine_.drv.can().copies_keep_dimensions;
  for (std::uint32_t i = 0; i < s.node_count; ++i) {
    const built_node now = describe_node(wanted[i]), &was = nodes_[s.first_node + i];
    if (!same_kind(now, was) || (kept && (now.dimensions > 1) != (was.dimensions > 1)))
      return false;
  }
  return true;
}

bool gpu_graph::updatable(const kept_step& s) const noexcept {
  const capabilities& can = engine_.drv.can();
  if (!can.node_updates) return false;
  if (can.multi_dimensional_node_updates) return true;
  if (operations_.what() != step_operations::kind::memory) return true;
  for (std::uint32_t i = 0; i < s.node_count; ++i)
    if (nodes_[s.first_node + i].dimensions > 1 ||
        describe_node(operations_.memory()[i]).dimensions > 1)
      return false;
  return true;
}

code gpu_graph::update_nodes(const kept_step& s) noexcept {
  driver& d = engine_.drv;
  for (std::uint32_t i = 0; i < s.node_count; ++i) {
    const node n = nodes_[s.first_node + i].native;
    code c = success;
    if (operations_.what() == step_operations::kind::kernel) {
      c = d.update_kernel(executable_, n, operations_.kernel());
    } else if (operations_.what() == step_operations::kind::memory) {
      const memory_operation& o = operations_.memory()[i];
      const auto* copy = std::get_if<copy_operation>(&o);
      c = copy != nullptr ? d.update_copy(executable_, n, *copy)
                          : d.update_fill(executable_, n, *std::get_if<fill_operation>(&o));
    }
    if (c != success) return c;
    engine_.counters.node_updates.fetch_add(1, std::memory_order_relaxed);
  }
  return success;
}

code gpu_graph::set_nodes(const kept_step& s) noexcept {
  driver& d = engine_.drv;
  for (std::uint32_t i = 0; i < s.node_count; ++i) {
    built_node& n = nodes_[s.first_node + i];
    code c = success;
    if (operations_.what() == step_operations::kind::kernel) {
      c = d.set_kernel(n.native, operations_.kernel());
    } else if (operations_.what() == step_operations::kind::memory) {
      const memory_operation& o = operations_.memory()[i];
      const auto* copy = std::get_if<copy_operation>(&o);
      c = copy != nullptr ? d.set_copy(graph_, n.native, *copy)
                          : d.set_fill(n.native, *std::get_if<fill_operation>(&o));
      n.dimensions = describe_node(o).dimensions;
    }
    if (c != success) return c;
  }
  return success;
}

status gpu_graph::update(model::array_view<const std::uint32_t> indices,
                         model::array_view<const graph_step> steps) {
  // All of it is possible, or nothing changes.
  for (std::size_t i = 0; i < indices.size(); ++i) {
    kept_step probe;
    probe.action = steps[i].action;
    probe.device = steps_[indices[i]].device;
    if (status s = prepare(probe); !s.ok()) return s;
  }

  try {
    status s = exchange(indices, steps);
    if (!s.ok()) lose_native();
    return s;
  } catch (...) {
    lose_native();
    throw;
  }
}

status gpu_graph::exchange(model::array_view<const std::uint32_t> indices,
                           model::array_view<const graph_step> steps) {
  const bool whole = engine_.drv.can().whole_graph_updates;
  bool rebuild = lost_;
  bool refused = false;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    kept_step& s = steps_[indices[i]];
    s.action = steps[i].action;
    if (steps[i].context.size() != 0) s.context = steps[i].context;
    s.kernel = nullptr;
    if (status taken = take_range_word(s); !taken.ok()) return taken;
    if (status taken = take_control(s); !taken.ok()) return taken;
    if (status made = prepare(s); !made.ok()) return made;
    if (rebuild) continue;
    if (!fits_nodes(s)) {
      rebuild = true;
      continue;
    }
    if (s.node_count == 0) continue;
    s.stale = true;
    if (refused || !updatable(s)) {
      refused = true;
      continue;
    }
    const code c = update_nodes(s);
    if (c == success) continue;
    if (!engine_.drv.refused_update(c)) return engine_.failure(c, "updating a graph");
    refused = true;
  }
  if (rebuild || refused) {
    if (past_graphs()) return prepare_stepwise();
  }
  if (rebuild) return build_anew();
  if (!refused) return {};

  for (kept_step& s : steps_) {
    if (!s.stale) continue;
    if (status made = prepare(s); !made.ok()) return made;
    if (const code c = set_nodes(s); c != success)
      return engine_.drv.refused_update(c) ? build_anew() : engine_.failure(c, "updating a graph");
    s.stale = false;
  }
  if (whole) {
    const code c = engine_.drv.update(executable_, graph_);
    links_.updated();
    if (c == success) {
      engine_.counters.graph_updates.fetch_add(1, std::memory_order_relaxed);
      return {};
    }
    if (!engine_.drv.refused_update(c)) return engine_.failure(c, "updating a graph");
  }
  return reinstantiate();
}

status gpu_graph::build_anew() {
  destroy_native();
  if (status s = build_nodes(); !s.ok()) return s;
  engine_.counters.reinstantiations.fetch_add(1, std::memory_order_relaxed);
  status made = instantiate();
  lost_ = !made.ok();
  return made;
}

void gpu_graph::lose_native() noexcept {
  destroy_native();
  nodes_.clear();
  lost_ = true;
}

status gpu_graph::reinstantiate() {
  engine_.counters.reinstantiations.fetch_add(1, std::memory_order_relaxed);
  executable old;
  std::swap(old, executable_);
  // Drivers let a graph that is under way finish first.
  const auto destroy = [&] {
    if (!engine_.state.gone() && old.native != nullptr) engine_.drv.destroy(old);
    old = {};
  };
  if (one_executable_) destroy();
  status s = instantiate();
  destroy();
  // Nothing says that the old one does not count while it is under way: then the nodes are made anew, too.
  if (!s.ok() && one_executable_ && engine_.state.usable()) return build_anew();
  return s;
}

}  // namespace pianola::gpu
