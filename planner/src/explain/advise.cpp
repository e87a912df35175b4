// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/explain/advise.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <variant>

#include "asked_edges.hpp"
#include "candidates.hpp"
#include "flows.hpp"
#include "needless_order.hpp"
#include "pianola/planner/command_edges.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "trials.hpp"

namespace pianola::planner {

using model::command_id;
using model::step_id;

namespace {

// A kernel that is launched more often is one of a loop or of many tiles: its launches are placed together.
constexpr std::size_t most_moved_alone = 16;

// What a change concerns.
struct concern {
  double seconds = 0;  // of the transfers that it may spare
  std::vector<step_id> transfers;
  std::vector<std::pair<command_id, command_id>> edges;
};

// Places in the list: what may spare most first; of equals, what concerns more.
std::vector<std::size_t> largest_first(const std::vector<concern>& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&all](std::size_t a, std::size_t b) {
    const auto size = [&all](std::size_t i) {
      return std::make_tuple(-all[i].seconds, -static_cast<std::int64_t>(all[i].edges.size()), i);
    };
    return size(a) < size(b);
  });
  return order;
}

bool may_only_read(const model::requirement& r) noexcept {
  return r.mode == model::access_mode::read_write && !r.no_init;
}

// Pairs of accesses to data in common, of which one may be said to write and only read.
void collect_readers(const graph_view& graph, const asked_edges& asked, command_id from,
                     command_id to, std::vector<std::pair<access_place, access_place>>& shared) {
  if (asked.contains(from, to)) return;
  const model::command &a = graph.commands()[from.value()], &b = graph.commands()[to.value()];
  for (std::uint32_t i = 0; i < a.requirements.size(); ++i)
    for (std::uint32_t j = 0; j < b.requirements.size(); ++j) {
      const model::requirement &x = a.requirements[i], &y = b.requirements[j];
      if (x.buffer == y.buffer && overlap(x.elements, y.elements) &&
          (may_only_read(x) || may_only_read(y)))
        shared.push_back({{from, i}, {to, j}});
    }
}

// Changes of the order, by the names of two commands; and all of them at once.
struct order_group {
  std::vector<std::pair<command_id, command_id>> pairs;
};
std::vector<order_group> groups_of(const graph_view& graph, const needless_order& needless) {
  constexpr std::size_t most_groups = 64;
  const auto name_of = [&](command_id id) {
    const model::command& c = graph.commands()[id.value()];
    const auto* k = std::get_if<model::kernel_command>(&c.payload);
    return std::make_tuple(c.payload.index(), k != nullptr ? k->id.value() : 0,
                           std::string_view(c.label));
  };
  using name = decltype(name_of({}));
  std::map<std::pair<name, name>, std::size_t> numbers;
  std::vector<order_group> all;
  for (const auto& pair : needless.pairs()) {
    const auto [at, fresh] =
        numbers.try_emplace({name_of(pair.first), name_of(pair.second)}, all.size());
    if (fresh) all.emplace_back();
    all[at->second].pairs.push_back(pair);
  }
  std::sort(all.begin(), all.end(), [](const order_group& a, const order_group& b) {
    return a.pairs.size() != b.pairs.size() ? a.pairs.size() > b.pairs.size()
                                            : a.pairs.front() < b.pairs.front();
  });
  if (all.size() > most_groups) all.resize(most_groups);
  return all;
}

// Whether all that makes one wait for the other is that they share pages.
bool shares_only_pages(const graph_view& graph, const asked_edges& asked, command_id from,
                       command_id to, std::vector<std::pair<access_place, access_place>>& shared) {
  const model::command &a = graph.commands()[from.value()], &b = graph.commands()[to.value()];
  shared.clear();
  for (std::uint32_t i = 0; i < a.requirements.size(); ++i)
    for (std::uint32_t j = 0; j < b.requirements.size(); ++j) {
      const model::requirement &x = a.requirements[i], &y = b.requirements[j];
      if (x.buffer != y.buffer || (!writes(x.mode) && !writes(y.mode))) continue;
      if (overlap(x.elements, y.elements)) return false;
      const model::page_grid& grid = graph.buffers()[x.buffer.value()].grid;
      if (overlap(grid.pages_of(x.elements), grid.pages_of(y.elements)))
        shared.push_back({{from, i}, {to, j}});
    }
  return !shared.empty() && !asked.contains(from, to);
}

}  // namespace

advice_list advise(const graph_view& graph, const plan& plan, const model::topology& machine,
                   std::uint64_t effort, bool is_usual) {
  // The edges are found out meanwhile.
  std::future<edge_list> derived = std::async(
      std::launch::async, [&graph] { return command_edges(graph.commands(), graph.buffers()); });
  const plan_flows flows(graph.commands(), graph.buffers(), machine, plan);
  const candidates possible(graph, machine, most_moved_alone);
  const machine_costs costs(machine);
  advice_list list;
  change_set found;
  std::vector<std::uint32_t> numbers;
  std::vector<concern> concerns;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const auto* t = std::get_if<transfer_step>(&plan.steps[i].action);
    if (t == nullptr) continue;
    ++list.transfers;
    numbers.clear();
    possible.of_transfer(plan, flows, i, found, numbers);
    concerns.resize(found.changes().size());
    const double seconds = costs.seconds(
        t->from, t->to, t->elements.count() * graph.buffers()[t->buffer.value()].element_size);
    const step_id step(plan.first_step + i);
    for (const std::uint32_t n : numbers) {
      concern& c = concerns[n];
      if (!c.transfers.empty() && c.transfers.back() == step) continue;
      c.transfers.push_back(step);
      c.seconds += seconds;
    }
  }
  std::vector<std::pair<access_place, access_place>> shared;
  const asked_edges asked(graph.commands());
  const auto commands = graph.commands();
  const bool some_may_only_read =
      std::any_of(commands.begin(), commands.end(), [](const model::command& c) {
        return std::any_of(c.requirements.begin(), c.requirements.end(), may_only_read);
      });
  const edge_list edges = derived.get();
  for (const auto& [a, b] : edges) {
    const std::pair<command_id, command_id> edge(a, b);
    if (shares_only_pages(graph, asked, edge.first, edge.second, shared)) {
      ++list.page_edges;
    } else {
      shared.clear();
      if (some_may_only_read) collect_readers(graph, asked, edge.first, edge.second, shared);
      if (shared.empty()) continue;
    }
    numbers.clear();
    for (const auto& [first, second] : shared) possible.of_edge(first, second, found, numbers);
    concerns.resize(found.changes().size());
    for (const std::uint32_t n : numbers)
      if (concerns[n].edges.empty() || concerns[n].edges.back() != edge)
        concerns[n].edges.push_back(edge);
  }
  const needless_order needless(graph, edges);
  list.needless_edges = needless.pairs().size();
  const auto offer = [&](std::uint64_t number, std::optional<order_change> change) {
    if (!change) return;
    concern c;
    c.edges = change->pairs;
    found.add({5, number, 0, 0}, [&] { return graph_change(*std::move(change)); });
    concerns.push_back(std::move(c));
  };
  if (needless.pairs().size() > 1) offer(0, needless.only_needed());
  std::uint64_t group = 0;
  for (const order_group& g : groups_of(graph, needless)) offer(++group, needless.without(g.pairs));
  const std::vector<std::size_t> order = largest_first(concerns);
  std::vector<graph_change> changes;
  changes.reserve(order.size());
  for (const std::size_t i : order) changes.push_back(found.changes()[i]);
  trials all(graph, machine, effort, {plan, is_usual, &edges});
  trials::outcome outcome = all.run(changes);
  list.now = all.now();
  list.tried = outcome.tried;
  list.not_tried = outcome.not_tried;
  std::vector<std::size_t> ranked(outcome.gaining.size());
  std::iota(ranked.begin(), ranked.end(), std::size_t{0});
  std::sort(ranked.begin(), ranked.end(), [&](std::size_t a, std::size_t b) {
    const tried_change &x = outcome.gaining[a], &y = outcome.gaining[b];
    return gains_more(x, y) || (!gains_more(y, x) && a < b);
  });
  for (const std::size_t i : ranked) {
    concern& c = concerns[order[outcome.place[i]]];
    list.entries.push_back(
        {std::move(outcome.gaining[i]), std::move(c.transfers), std::move(c.edges)});
  }
  return list;
}

}  // namespace pianola::planner
