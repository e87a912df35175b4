// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/explain/explain.hpp"

#include <algorithm>
#include <deque>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "asked_edges.hpp"
#include "candidates.hpp"
#include "flows.hpp"
#include "needless_order.hpp"
#include "pianola/planner/command_edges.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "trials.hpp"

namespace pianola::planner {

using model::box;
using model::command_id;
using model::step_id;

namespace {

constexpr std::size_t most_origins = 64;

[[noreturn]] void refuse(const std::string& what) {
  throw model::user_error(model::error_code::invalid, what);
}

std::vector<tried_change> in_order(std::vector<tried_change> gaining) {
  // A list of a few, and the order of equals is to stay.
  for (std::size_t i = 1; i < gaining.size(); ++i)
    for (std::size_t at = i; at > 0 && gains_more(gaining[at], gaining[at - 1]); --at)
      std::swap(gaining[at], gaining[at - 1]);
  return gaining;
}

template <class Explanation>
void add_suggestions(Explanation& e, trials::outcome found) {
  e.suggestions = in_order(std::move(found.gaining));
  e.tried = found.tried;
  e.not_tried = found.not_tried;
}

}  // namespace

// What explanations need, each found out when the first one needs it.
struct explainer::found_out {
  explicit found_out(const explainer& of) : of_(of), costs(of.machine_) {}

  [[nodiscard]] const edge_list& edges() {
    if (!edges_) edges_ = command_edges(of_.graph_.commands(), of_.graph_.buffers());
    return *edges_;
  }
  [[nodiscard]] const plan_flows& flows() {
    if (!flows_)
      flows_.emplace(of_.graph_.commands(), of_.graph_.buffers(), of_.machine_, of_.plan_);
    return *flows_;
  }
  [[nodiscard]] const asked_edges& asked() {
    if (!asked_) asked_.emplace(of_.graph_.commands());
    return *asked_;
  }
  [[nodiscard]] const candidates& possible() {
    if (!possible_) possible_.emplace(of_.graph_, of_.machine_);
    return *possible_;
  }
  [[nodiscard]] trials attempts() {
    const trials::known known{of_.plan_, of_.is_usual_, edges_ ? &*edges_ : nullptr};
    return {of_.graph_, of_.machine_, of_.effort_, known};
  }

 private:
  const explainer& of_;
  std::optional<edge_list> edges_;
  std::optional<plan_flows> flows_;
  std::optional<asked_edges> asked_;
  std::optional<candidates> possible_;

 public:
  const machine_costs costs;
};

explainer::explainer(const graph_view& graph, const planner::plan& plan,
                     const model::topology& machine, std::uint64_t effort, bool is_usual)
    : graph_(graph),
      plan_(plan),
      machine_(machine),
      effort_(effort),
      is_usual_(is_usual),
      found_(std::make_unique<found_out>(*this)) {}

explainer::~explainer() = default;

edge_explanation explainer::explained_edge(command_id from, command_id to, bool direct) const {
  edge_explanation e{from, to, {}, direct, {}, {}, 0, 0};
  const model::command &a = graph_.commands()[from.value()], &b = graph_.commands()[to.value()];
  if (found_->asked().contains(from, to)) e.reasons.emplace_back();
  for (std::uint32_t i = 0; i < a.requirements.size(); ++i)
    for (std::uint32_t j = 0; j < b.requirements.size(); ++j) {
      const model::requirement &x = a.requirements[i], &y = b.requirements[j];
      if (x.buffer != y.buffer || (!writes(x.mode) && !writes(y.mode))) continue;
      const model::page_grid& grid = graph_.buffers()[x.buffer.value()].grid;
      const box pages = intersection(grid.pages_of(x.elements), grid.pages_of(y.elements));
      if (pages.empty()) continue;
      using cause = edge_reason::cause;
      const cause why = !writes(y.mode)                   ? cause::read_after_write
                        : !writes(x.mode)                 ? cause::write_after_read
                        : y.needs_data() && reads(y.mode) ? cause::read_after_write
                                                          : cause::write_after_write;
      const box common = intersection(x.elements, y.elements);
      e.reasons.push_back({why, {from, i}, {to, j}, x.buffer, pages, common});
    }
  return e;
}

edge_explanation explainer::edge(command_id from, command_id to) const {
  const std::size_t count = graph_.commands().size();
  for (const command_id c : {from, to})
    if (c.value() >= count)
      refuse(fmt::format("there is no command {}: the graph has {}", c.value(), count));
  if (from.value() >= to.value())
    refuse(fmt::format("edges lead from earlier to later commands: there is none from {} to {}",
                       from.value(), to.value()));
  const edge_list& edges = found_->edges();
  const std::pair<std::uint32_t, std::uint32_t> asked(from.value(), to.value());
  edge_explanation e =
      explained_edge(from, to, std::binary_search(edges.begin(), edges.end(), asked));
  if (!e.direct) {
    // The way with the fewest commands, by breadth. Edges are sorted by where they begin.
    std::vector<std::uint32_t> before(count, UINT32_MAX);
    std::deque<std::uint32_t> next{from.value()};
    before[from.value()] = from.value();
    while (!next.empty() && before[to.value()] == UINT32_MAX) {
      const std::uint32_t at = next.front();
      next.pop_front();
      for (auto i = std::lower_bound(edges.begin(), edges.end(), std::make_pair(at, 0U));
           i != edges.end() && i->first == at; ++i)
        if (i->second <= to.value() && before[i->second] == UINT32_MAX) {
          before[i->second] = at;
          next.push_back(i->second);
        }
    }
    if (before[to.value()] != UINT32_MAX) {
      for (std::uint32_t at = to.value(); at != from.value(); at = before[at])
        e.way.emplace_back(at);
      e.way.push_back(from);
      std::reverse(e.way.begin(), e.way.end());
    }
    return e;
  }
  change_set changes;
  std::vector<std::uint32_t> numbers;
  for (const edge_reason& r : e.reasons)
    if (r.why != edge_reason::cause::asked_for)
      found_->possible().of_edge(r.first, r.second, changes, numbers);
  std::vector<graph_change> to_try = changes.changes();
  if (found_->asked().contains(from, to)) {
    const needless_order needless(graph_, found_->edges());
    const std::pair<command_id, command_id> pair(from, to);
    if (std::find(needless.pairs().begin(), needless.pairs().end(), pair) != needless.pairs().end())
      if (auto change = needless.without({pair})) to_try.emplace_back(*std::move(change));
  }
  trials all = found_->attempts();
  add_suggestions(
      e, all.run(to_try, [&](const changed_graph& g, const planner::plan&, const edge_list& now) {
        return !std::binary_search(now.begin(), now.end(),
                                   std::make_pair(g.now(from).value(), g.now(to).value()));
      }));
  return e;
}

transfer_explanation explainer::explained_transfer(std::size_t index) const {
  const plan_flows& flows = found_->flows();
  transfer_explanation e;
  e.step = step_id(plan_.first_step + index);
  e.what = std::get<transfer_step>(plan_.steps[index].action);
  e.bytes = e.what.elements.count() * graph_.buffers()[e.what.buffer.value()].element_size;
  e.seconds = found_->costs.seconds(e.what.from, e.what.to, e.bytes);
  e.was_there = flows.was_there(index);
  for (const std::uint32_t f : flows.out_of(index)) {
    const data_flow& flow = flows[f];
    const step_id by(plan_.first_step + flow.taker);
    if (const auto* x = std::get_if<execute_step>(&plan_.steps[flow.taker].action)) {
      const access_place a{x->command, flow.requirement};
      if (!e.uses.empty() && e.uses.back().access == a)
        e.uses.back().elements = hull(e.uses.back().elements, flow.elements);
      else
        e.uses.push_back({by, a, flow.elements});
    } else if (e.passed_on.empty() || e.passed_on.back() != by) {
      e.passed_on.push_back(by);
    }
  }
  // Back to where the data was written: over transfers, whose sources are looked at in turn.
  struct look {
    std::size_t step;
    std::uint32_t depth;
    box elements;
  };
  std::vector<look> stack{{index, 0, e.what.elements}};
  while (!stack.empty()) {
    const look at = stack.back();
    stack.pop_back();
    if (at.step != index)
      e.origins.push_back({step_id(plan_.first_step + at.step), at.elements, at.depth - 1});
    if (at.step != index && std::holds_alternative<execute_step>(plan_.steps[at.step].action))
      continue;
    const auto into = flows.into(at.step);
    for (std::size_t i = into.size(); i-- > 0;) {
      const box part = intersection(into[i].elements, at.elements);
      if (part.empty()) continue;
      if (e.origins.size() + stack.size() >= most_origins) {
        ++e.origins_left_out;
        continue;
      }
      if (into[i].maker == data_flow::entry)
        e.origins.push_back({step_id(), part, at.depth});
      else
        stack.push_back({into[i].maker, at.depth + 1, part});
    }
  }
  return e;
}

transfer_explanation explainer::transfer(step_id step) const {
  const std::uint64_t index = step.value() - plan_.first_step;
  if (index >= plan_.steps.size())
    refuse(fmt::format("there is no step {}: the plan has {}", step.value(), plan_.steps.size()));
  if (!std::holds_alternative<transfer_step>(plan_.steps[index].action))
    refuse(fmt::format("step {} is command {} and no transfer: ask for that as a node",
                       step.value(),
                       std::get<execute_step>(plan_.steps[index].action).command.value()));
  transfer_explanation e = explained_transfer(index);
  change_set changes;
  std::vector<std::uint32_t> numbers;
  found_->possible().of_transfer(plan_, found_->flows(), index, changes, numbers);
  // What has to be less for it: what the buffer has moved to that memory.
  const auto moved = [&](const planner::plan& p) {
    std::pair<std::uint64_t, std::uint64_t> sum;
    for (const planner::step& s : p.steps)
      if (const auto* t = std::get_if<transfer_step>(&s.action))
        if (t->buffer == e.what.buffer && t->to == e.what.to) {
          sum.first += t->elements.count();
          ++sum.second;
        }
    return sum;
  };
  const auto now = moved(plan_);
  trials all = found_->attempts();
  add_suggestions(e, all.run(changes.changes(), [&](const changed_graph&, const planner::plan& p,
                                                    const edge_list&) {
    const auto then = moved(p);
    return then.first < now.first || (then.first == now.first && then.second < now.second);
  }));
  return e;
}

command_explanation explainer::command(command_id command) const {
  if (command.value() >= graph_.commands().size())
    refuse(fmt::format("there is no command {}: the graph has {}", command.value(),
                       graph_.commands().size()));
  prepare();
  command_explanation e;
  e.command = command;
  const std::size_t step = found_->flows().step_of(command);
  if (step < plan_.steps.size()) e.step = step_id(plan_.first_step + step);
  change_set changes;
  std::vector<std::uint32_t> numbers;
  for (const auto& [from, to] : found_->edges()) {
    if (from == command.value()) e.awaited_by.emplace_back(to);
    if (to != command.value()) continue;
    e.waits_for.push_back(explained_edge(command_id(from), command, true));
    for (const edge_reason& r : e.waits_for.back().reasons)
      if (r.only_pages()) found_->possible().of_edge(r.first, r.second, changes, numbers);
  }
  if (step < plan_.steps.size())
    for (const data_flow& f : found_->flows().into(step)) {
      if (f.maker == data_flow::entry ||
          !std::holds_alternative<transfer_step>(plan_.steps[f.maker].action))
        continue;
      const step_id by(plan_.first_step + f.maker);
      if (std::any_of(e.transfers.begin(), e.transfers.end(),
                      [&](const transfer_explanation& t) { return t.step == by; }))
        continue;
      e.transfers.push_back(explained_transfer(f.maker));
      found_->possible().of_transfer(plan_, found_->flows(), f.maker, changes, numbers);
    }
  trials all = found_->attempts();
  add_suggestions(e, all.run(changes.changes()));
  return e;
}

void explainer::prepare() const {
  std::future<void> beside =
      std::async(std::launch::async, [this] { static_cast<void>(found_->edges()); });
  static_cast<void>(found_->flows());
  beside.get();
}

std::vector<transfer_explanation> explainer::transfers(std::size_t maximum) const {
  std::vector<transfer_explanation> all;
  for (std::size_t i = 0; i < plan_.steps.size() && all.size() < maximum; ++i)
    if (std::holds_alternative<transfer_step>(plan_.steps[i].action))
      all.push_back(explained_transfer(i));
  return all;
}

std::vector<edge_explanation> explainer::edges(std::size_t maximum) const {
  std::vector<edge_explanation> all;
  for (const auto& [from, to] : found_->edges()) {
    if (all.size() == maximum) break;
    all.push_back(explained_edge(command_id(from), command_id(to), true));
  }
  return all;
}

std::size_t explainer::edge_count() const { return found_->edges().size(); }

}  // namespace pianola::planner
