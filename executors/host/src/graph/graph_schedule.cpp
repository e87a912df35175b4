// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_schedule.hpp"

#include <utility>

#include "graph/piece_runs.hpp"
#include "pianola/host/kernel_runner.hpp"
#include "pianola/host/part_independence.hpp"

namespace pianola::host {

namespace {

using executors::resolved_kernel;

class kernel_knowledge final : public planner::part_knowledge {
 public:
  explicit kernel_knowledge(const std::vector<graph_node>& nodes) : nodes_(nodes) {}
  [[nodiscard]] bool independent(std::uint32_t earlier, std::uint32_t later) const override {
    return parts_are_independent(std::get<resolved_kernel>(nodes_[earlier].action),
                                 std::get<resolved_kernel>(nodes_[later].action));
  }

 private:
  const std::vector<graph_node>& nodes_;
};

}  // namespace

double expected_cost(const graph_node& node) noexcept {
  if (const auto* k = std::get_if<resolved_kernel>(&node.action))
    if (const double measured = expected_nanoseconds(*k); measured >= 0) return measured;
  return node.expected;
}

graph_schedule graph_schedule::parallel(const std::vector<graph_node>& nodes,
                                        const std::vector<std::uint32_t>& waits, unsigned threads,
                                        const piece_limits& limits) {
  std::vector<planner::strand_node> to_assign;
  to_assign.reserve(nodes.size());
  // How urgent a step is that others wait for outside of the graph, nobody knows here: the plan has put it where it is.
  auto order = planner::strand_order::shorter;
  for (const graph_node& node : nodes) {
    if (node.signal != graph_node::no_signal) order = planner::strand_order::as_given;
    planner::strand_node& n = to_assign.emplace_back();
    n.cost = expected_cost(node);
    n.first_wait = node.first_wait;
    n.wait_count = node.wait_count;
    if (const auto* kernel = std::get_if<resolved_kernel>(&node.action)) {
      n.divisible = node.hooks->parallel_kernels() &&
                    max_slices(kernel->geometry.launched().extent(), threads) == threads;
      n.touches_known = kernel->kernel->facts != nullptr;
    }
    n.blocking = std::holds_alternative<executors::resolved_host_task>(node.action) ||
                 node.hooks->blocks(node.action);
  }
  planner::strand_schedule made =
      planner::assign_strands(to_assign, waits, threads, kernel_knowledge(nodes), {}, order);
  graph_schedule s;
  s.strands_ = std::move(made.strands);
  s.waits_ = std::move(made.waits);
  s.relies_on_arguments_ = made.relies_on_knowledge;
  for (unsigned t = 0; t < threads; ++t) {
    for (item& it : s.strands_[t])
      if (!it.whole)
        it.part = slice_of(std::get<resolved_kernel>(nodes[it.node].action).geometry.launched(), t,
                           threads);
    s.has_pieces_ = form_piece_runs(s.strands_[t], nodes, made.relations, limits) || s.has_pieces_;
  }
  return s;
}

}  // namespace pianola::host
