// SPDX-License-Identifier: Apache-2.0
#include "needless_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <variant>

#include "usm/accesses.hpp"

namespace pianola::planner {

namespace {

// That are looked at, and that are made, in all.
constexpr std::size_t most_looks = 5'000'000, most_edges = 1'000'000;
// Of two commands, and in all.
constexpr std::size_t most_pairs_of_accesses = 1'000'000, most_comparisons = 50'000'000;

// Memory that commands of the graph allocate has no name: any kernel may point to it.
bool allocates(const graph_view& graph) {
  return std::any_of(graph.commands().begin(), graph.commands().end(), [](const model::command& c) {
    return std::holds_alternative<model::allocate_command>(c.payload);
  });
}

bool touches_unknown_memory(const graph_view& graph, std::uint32_t id, bool listed,
                            bool unnamed_memory) {
  const model::command& c = graph.commands()[id];
  const auto used = graph.allocations_of(model::command_id(id));
  const auto is_plain = [&](const model::memory_operand& o, std::size_t which) {
    return o.requirement == model::memory_operand::no_requirement &&
           (which >= used.size() || used[which] == model::no_allocation);
  };
  if (const auto* k = std::get_if<model::kernel_command>(&c.payload))
    // What names nothing works on something that has no name.
    return unnamed_memory || (c.requirements.empty() && used.empty() && !listed) ||
           (k->indirect.used && k->indirect.requirement == model::indirect_range::in_memory);
  if (const auto* copy = std::get_if<model::copy_command>(&c.payload))
    return is_plain(copy->source, 0) || is_plain(copy->destination, 1);
  if (const auto* fill = std::get_if<model::fill_command>(&c.payload))
    return is_plain(fill->destination, 0);
  return true;
}

}  // namespace

needless_order::needless_order(const graph_view& graph, const edge_list& edges)
    : graph_(graph), edges_(edges) {
  const auto n = static_cast<std::uint32_t>(graph.commands().size());
  std::vector<model::usm_access> outside;
  accesses_ = all_accesses(graph, graph.usm_accesses(), outside);
  accesses_.insert(accesses_.end(), outside.begin(), outside.end());
  std::sort(accesses_.begin(), accesses_.end(), [](const auto& a, const auto& b) {
    return std::pair(a.command, a.begin) < std::pair(b.command, b.begin);
  });
  const bool unnamed_memory = allocates(graph);
  std::size_t at = 0;
  for (std::uint32_t c = 0; c < n; ++c) {
    first_access_.push_back(at);
    while (at < accesses_.size() && accesses_[at].command.value() == c) ++at;
    opaque_.push_back(touches_unknown_memory(graph, c, at != first_access_.back(), unnamed_memory));
  }
  first_access_.push_back(at);
  std::vector<std::uint64_t> after;
  for (std::uint32_t to = 0; to < n; ++to) {
    const model::command& c = graph.commands()[to];
    if (is_opaque(to)) continue;
    after.assign(c.after.begin(), c.after.end());
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    for (const std::uint64_t a : after) {
      const auto from = static_cast<std::uint32_t>(a);
      if (!is_opaque(from) && !pages_conflict(graph.commands()[from], c) &&
          !bytes_conflict(from, to))
        pairs_.emplace_back(model::command_id(from), model::command_id(to));
    }
  }
  if (pairs_.empty()) return;
  first_before_.assign(n + std::size_t{1}, 0);
  for (const auto& [from, to] : edges) ++first_before_[to + std::size_t{1}];
  std::partial_sum(first_before_.begin(), first_before_.end(), first_before_.begin());
  before_.resize(edges.size());
  std::vector<std::size_t> next(first_before_.begin(), first_before_.end());
  for (const auto& [from, to] : edges) before_[next[to]++] = from;
}

bool needless_order::pages_conflict(const model::command& a, const model::command& b) const {
  for (const model::requirement& x : a.requirements)
    for (const model::requirement& y : b.requirements) {
      if (x.buffer != y.buffer || (!writes(x.mode) && !writes(y.mode))) continue;
      const model::page_grid& grid = graph_.buffers()[x.buffer.value()].grid;
      if (overlap(grid.pages_of(x.elements), grid.pages_of(y.elements))) return true;
    }
  return false;
}

bool needless_order::bytes_conflict(std::uint32_t a, std::uint32_t b) const {
  const std::size_t of_a = first_access_[a + 1] - first_access_[a],
                    of_b = first_access_[b + 1] - first_access_[b];
  // Nobody looks through so many.
  if (of_a > most_pairs_of_accesses / (of_b + 1) || comparisons_ > most_comparisons) return true;
  comparisons_ += of_a * of_b;
  for (std::size_t i = first_access_[a]; i < first_access_[a + 1]; ++i)
    for (std::size_t k = first_access_[b]; k < first_access_[b + 1]; ++k) {
      const model::usm_access &x = accesses_[i], &y = accesses_[k];
      if (x.allocation == y.allocation && (x.written || y.written) && x.begin < y.end &&
          y.begin < x.end)
        return true;
    }
  return false;
}

model::array_view<const std::pair<std::uint32_t, std::uint32_t>> needless_order::behind(
    std::uint32_t c) const noexcept {
  const auto first = std::lower_bound(edges_.begin(), edges_.end(), std::pair(c, 0U));
  auto last = first;
  while (last != edges_.end() && last->first == c) ++last;
  return {edges_.data() + (first - edges_.begin()), static_cast<std::size_t>(last - first)};
}

std::optional<order_change> needless_order::without(
    const std::vector<std::pair<model::command_id, model::command_id>>& some) const {
  // Who came before the first comes before the second, and who came after the second after the first.
  std::map<std::uint32_t, std::set<std::uint64_t>> lists;
  const auto list_of = [&](std::uint32_t c) -> std::set<std::uint64_t>& {
    const auto [at, fresh] = lists.try_emplace(c);
    if (fresh) {
      const auto& after = graph_.commands()[c].after;
      at->second.insert(after.begin(), after.end());
    }
    return at->second;
  };
  const std::set<std::pair<model::command_id, model::command_id>> all(some.begin(), some.end());
  const auto is_one = [&](std::uint64_t a, std::uint64_t b) {
    return all.count({model::command_id(static_cast<std::uint32_t>(a)),
                      model::command_id(static_cast<std::uint32_t>(b))}) != 0;
  };
  order_change change;
  std::size_t made = 0;
  for (const auto& [from, to] : some) {
    const std::uint32_t a = from.value(), b = to.value();
    // With what other pairs have made it come after: those are earlier ones.
    std::set<std::uint64_t> earlier(before(a).begin(), before(a).end());
    if (const auto known = lists.find(a); known != lists.end())
      earlier.insert(known->second.begin(), known->second.end());
    const auto later = behind(b);
    if ((made += earlier.size() + later.size()) > most_edges) return std::nullopt;
    for (const std::uint64_t x : earlier)
      if (!is_one(x, b)) list_of(b).insert(x);
    for (const auto& edge : later)
      if (!is_one(a, edge.second)) list_of(edge.second).insert(a);
    change.pairs.emplace_back(from, to);
  }
  for (const auto& [from, to] : some) list_of(to.value()).erase(from.value());
  for (auto& [c, list] : lists)
    change.after.push_back({model::command_id(c), {list.begin(), list.end()}});
  return change;
}

std::optional<order_change> needless_order::only_needed() const {
  if (pairs_.empty()) return std::nullopt;
  const auto n = static_cast<std::uint32_t>(graph_.commands().size());
  std::vector<std::uint32_t> seen(n, n), todo;
  std::size_t looks = 0, made = 0;
  order_change change;
  change.everywhere = true;
  for (std::uint32_t c = 0; c < n; ++c) {
    std::set<std::uint64_t> list;
    todo.assign(1, c);
    while (!todo.empty()) {
      const std::uint32_t at = todo.back();
      todo.pop_back();
      for (const std::uint32_t x : before(at)) {
        if (std::exchange(seen[x], c) == c) continue;
        if (++looks > most_looks) return std::nullopt;
        // What comes before that comes before this, too: it keeps its order to all.
        const bool keeps_all = is_opaque(x);
        if (keeps_all || is_opaque(c) || bytes_conflict(x, c)) list.insert(x);
        if (!keeps_all) todo.push_back(x);
      }
    }
    if ((made += list.size()) > most_edges) return std::nullopt;
    const auto& after = graph_.commands()[c].after;
    if (list != std::set<std::uint64_t>(after.begin(), after.end()))
      change.after.push_back({model::command_id(c), {list.begin(), list.end()}});
  }
  change.pairs = pairs_;
  return change;
}

}  // namespace pianola::planner
