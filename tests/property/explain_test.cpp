// SPDX-License-Identifier: Apache-2.0
// Explanations against data that is followed element by element.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/explain/explain.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;
using model::point3;

template <class F>
void each_point(const model::box& b, F&& f) {
  for (std::uint64_t x = b.lo.c[0]; x < b.hi.c[0]; ++x)
    for (std::uint64_t y = b.lo.c[1]; y < b.hi.c[1]; ++y)
      for (std::uint64_t z = b.lo.c[2]; z < b.hi.c[2]; ++z) f(point3{{x, y, z}});
}
bool holds(const model::box& b, const point3& p) {
  return model::contains(b, {p, {{p.c[0] + 1, p.c[1] + 1, p.c[2] + 1}}});
}
std::uint64_t place(const point3& p) { return (p.c[0] * 1000 + p.c[1]) * 1000 + p.c[2]; }

constexpr std::uint64_t before_the_graph = UINT64_MAX;

RC_GTEST_PROP(Explanation, of_a_transfer_leads_back_to_the_last_writer_of_each_element,
              (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  const planner::graph_view graph(s.commands.all(), s.buffers, 1);
  const planner::plan plan = planner::make_plan(graph.commands(), graph.buffers(), s.machine);
  const planner::explainer explain(graph, plan, s.machine);
  const std::vector<planner::transfer_explanation> all = explain.transfers();
  std::size_t next = 0;
  // Buffer and place: the step that wrote last.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> writer;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    if (const auto* e = std::get_if<planner::execute_step>(&plan.steps[i].action)) {
      for (const model::requirement& r : graph.commands()[e->command.value()].requirements) {
        if (!writes(r.mode)) continue;
        const model::page_grid& grid = s.buffers[r.buffer.value()].grid;
        each_point(r.needs_data() ? grid.page_aligned(r.elements) : r.elements,
                   [&](const point3& p) { writer[{r.buffer.value(), place(p)}] = i; });
      }
      continue;
    }
    // As the steps before it have left the data.
    const auto& t = std::get<planner::transfer_step>(plan.steps[i].action);
    const planner::transfer_explanation& x = all[next++];
    RC_ASSERT(x.step.value() == i);
    RC_ASSERT(x.bytes == t.elements.count() * s.buffers[t.buffer.value()].element_size);
    if (x.origins_left_out != 0) continue;
    each_point(t.elements, [&](const point3& p) {
      const auto found = writer.find({t.buffer.value(), place(p)});
      const std::uint64_t wanted = found == writer.end() ? before_the_graph : found->second;
      std::size_t ends = 0;
      for (const planner::data_origin& o : x.origins) {
        if (!holds(o.elements, p)) continue;
        if (o.step.valid() &&
            std::holds_alternative<planner::transfer_step>(plan.steps[o.step.value()].action))
          continue;
        ++ends;
        RC_ASSERT((o.step.valid() ? o.step.value() : before_the_graph) == wanted);
      }
      RC_ASSERT(ends == 1U);
    });
    // Somebody needs it: a command there, another transfer, or whatever comes after the graph.
    for (const planner::data_use& u : x.uses) RC_ASSERT(u.step.value() > i);
  }
}

RC_GTEST_PROP(Explanation, of_every_edge_has_a_reason, (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  const planner::graph_view graph(s.commands.all(), s.buffers, 1);
  const planner::plan plan = planner::make_plan(graph.commands(), graph.buffers(), s.machine);
  const planner::explainer explain(graph, plan, s.machine, 0);
  const auto derived = planner::command_edges(graph.commands(), graph.buffers());
  const auto edges = explain.edges();
  RC_ASSERT(edges.size() == derived.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    RC_ASSERT(edges[i].from.value() == derived[i].first);
    RC_ASSERT(edges[i].to.value() == derived[i].second);
    RC_ASSERT(!edges[i].reasons.empty());
  }
}

RC_GTEST_PROP(Explanation, of_two_commands_has_a_way_if_and_only_if_one_comes_after_the_other,
              (const test::sketch& sketch)) {
  const test::scenario s = test::build(sketch);
  const std::size_t n = s.commands.size();
  RC_PRE(n >= 2U);
  const planner::graph_view graph(s.commands.all(), s.buffers, 1);
  const planner::plan plan = planner::make_plan(graph.commands(), graph.buffers(), s.machine);
  const planner::explainer explain(graph, plan, s.machine, 0);
  std::vector<std::vector<bool>> after(n, std::vector<bool>(n, false));
  for (const auto& [x, y] : planner::command_edges(graph.commands(), graph.buffers()))
    after[y][x] = true;
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t x = y; x-- > 0;)
      if (after[y][x])
        for (std::size_t w = 0; w < x; ++w)
          if (after[x][w]) after[y][w] = true;
  const auto to = *test::number<std::uint32_t>(1, static_cast<std::uint32_t>(n));
  const auto from = *test::number<std::uint32_t>(0, to);
  const planner::edge_explanation e = explain.edge(model::command_id(from), model::command_id(to));
  RC_ASSERT((e.direct || !e.way.empty()) == after[to][from]);
  for (const planner::edge_reason& r : e.reasons)
    if (r.why != planner::edge_reason::cause::asked_for) RC_ASSERT(!r.pages.empty());
}

}  // namespace
