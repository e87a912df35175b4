// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/compare/difference.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

#include "command_keys.hpp"
#include "pianola/planner/command_edges.hpp"
#include "pianola/planner/compare/align.hpp"
#include "pianola/planner/simulate/simulate.hpp"

namespace pianola::planner {

using model::buffer_id;
using model::command_id;

namespace {

constexpr std::uint32_t none = UINT32_MAX;
using edge = std::pair<std::uint32_t, std::uint32_t>;

// Which command of b each command of a is, and the other way round.
struct matching {
  matching(std::size_t in_a, std::size_t in_b) : of_a(in_a, none), of_b(in_b, none) {}
  [[nodiscard]] bool has_gaps() const {
    const auto any = [](const std::vector<std::uint32_t>& of) {
      return std::find(of.begin(), of.end(), none) != of.end();
    };
    return any(of_a) && any(of_b);
  }
  std::vector<std::uint32_t> of_a, of_b;
};

// Of the buffers of a and of b.
using keys_of_both = std::pair<buffer_keys, buffer_keys>;

// Whether both take the same buffers, of either graph, for equal.
bool tell_the_same(const keys_of_both& x, const keys_of_both& y) {
  std::unordered_map<std::uint64_t, std::uint64_t> to_y, to_x;
  const auto all = [&](const buffer_keys& from, const buffer_keys& to) {
    for (std::size_t i = 0; i < from.size(); ++i)
      if (to_y.try_emplace(from[i], to[i]).first->second != to[i] ||
          to_x.try_emplace(to[i], from[i]).first->second != from[i])
        return false;
    return true;
  };
  return all(x.first, y.first) && all(x.second, y.second);
}

// Matches what is still unmatched between commands that are, by equal keys.
void match_gaps(matching& m, const std::vector<std::uint64_t>& a,
                const std::vector<std::uint64_t>& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && m.of_a[i] == j) {
      ++i, ++j;
      continue;
    }
    const std::size_t first_a = i, first_b = j;
    while (i < a.size() && m.of_a[i] == none) ++i;
    while (j < b.size() && m.of_b[j] == none) ++j;
    if (i == first_a || j == first_b) continue;
    for (const auto& [x, y] :
         align({a.data() + first_a, i - first_a}, {b.data() + first_b, j - first_b})) {
      m.of_a[first_a + x] = static_cast<std::uint32_t>(first_b + y);
      m.of_b[first_b + y] = static_cast<std::uint32_t>(first_a + x);
    }
  }
}

class comparison {
 public:
  comparison(const compared_graph& a, const compared_graph& b) : a_(a), b_(b) {}

  graph_difference run() {
    // What needs no matching is found out meanwhile.
    const auto measure = [](const compared_graph& g) {
      return std::async(std::launch::async, [&g] {
        measured m{figures(g), command_edges(g.graph.commands(), g.graph.buffers())};
        m.figures.edges = m.edges.size();
        return m;
      });
    };
    std::future<measured> first = measure(a_), second = measure(b_);
    // First by the shapes of buffers; then with what this says about which buffer is which.
    const auto shapes = [this](bool with_names) {
      return keys_of_both(shape_keys(a_.graph, with_names), shape_keys(b_.graph, with_names));
    };
    const keys_of_both named = shapes(true);
    matching alike = matched_by(named);
    find_buffers(completed(alike, shapes(false)));
    const keys_of_both found = found_keys();
    // Finding the longest sequence that is in both is what takes long: where names have said the same it is known.
    if (!tell_the_same(named, found)) alike = matched_by(found);
    const matching m = completed(std::move(alike), found);
    find_buffers(m);
    for (std::uint32_t i = 0; i < m.of_a.size(); ++i)
      if (m.of_a[i] != none)
        d_.matches.push_back(
            compared(a_.graph, command_id(i), b_.graph, command_id(m.of_a[i]), d_.buffers));
    find_moved(m);
    const measured in_first = first.get(), in_second = second.get();
    d_.a = in_first.figures;
    d_.b = in_second.figures;
    compare_edges(m, in_first.edges, in_second.edges);
    compare_transfers();
    return std::move(d_);
  }

 private:
  struct measured {
    graph_figures figures;
    std::vector<edge> edges;
  };

  // Of what is not matched; 0 for the rest.
  [[nodiscard]] std::vector<std::uint64_t> keys(const graph_view& g, const buffer_keys& buffers,
                                                const std::vector<std::uint32_t>& matches,
                                                likeness how) {
    std::vector<std::uint64_t> all(matches.size(), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (matches[i] != none) continue;
      all[i] = key_of(g.commands()[i], buffers, how);
      ++d_.looked_at;
    }
    return all;
  }
  void match(matching& m, const keys_of_both& buffers, likeness how) {
    if (m.has_gaps())
      match_gaps(m, keys(a_.graph, buffers.first, m.of_a, how),
                 keys(b_.graph, buffers.second, m.of_b, how));
  }

  [[nodiscard]] matching matched_by(const keys_of_both& buffers) {
    matching m(a_.graph.commands().size(), b_.graph.commands().size());
    match(m, buffers, likeness::all);
    return m;
  }
  // With less and less that has to be the same.
  [[nodiscard]] matching completed(matching m, const keys_of_both& buffers) {
    for (const likeness how : {likeness::structure, likeness::where_runs, likeness::name})
      match(m, buffers, how);
    return m;
  }

  // Each buffer of a is the one of b that matched commands use in its place most often; each of b is one at most.
  void find_buffers(const matching& m) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> votes;
    for (std::size_t i = 0; i < m.of_a.size(); ++i) {
      if (m.of_a[i] == none) continue;
      const auto x = a_.graph.commands()[i].requirements;
      const auto y = b_.graph.commands()[m.of_a[i]].requirements;
      for (std::size_t r = 0; r < x.size() && r < y.size(); ++r)
        ++votes[{x[r].buffer.value(), y[r].buffer.value()}];
    }
    std::vector<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>> order;
    for (const auto& [pair, count] : votes)
      order.emplace_back(-static_cast<std::int64_t>(count), pair.first, pair.second);
    std::sort(order.begin(), order.end());
    d_.buffers.assign(a_.graph.buffers().size(), buffer_id());
    std::vector<bool> taken(b_.graph.buffers().size(), false);
    for (const auto& [count, x, y] : order) {
      if (d_.buffers[x].valid() || taken[y]) continue;
      d_.buffers[x] = buffer_id(y);
      taken[y] = true;
    }
    // What no command that is in both uses: by name and shape.
    const buffer_keys keys_a = shape_keys(a_.graph, true), keys_b = shape_keys(b_.graph, true);
    std::multimap<std::uint64_t, std::uint32_t> free;
    for (std::uint32_t y = 0; y < keys_b.size(); ++y)
      if (!taken[y]) free.emplace(keys_b[y], y);
    for (std::size_t x = 0; x < keys_a.size(); ++x) {
      if (d_.buffers[x].valid()) continue;
      if (const auto at = free.find(keys_a[x]); at != free.end()) {
        d_.buffers[x] = buffer_id(at->second);
        free.erase(at);
      }
    }
  }

  // Numbers of b's buffers; a's that are none of these have numbers of their own.
  [[nodiscard]] keys_of_both found_keys() const {
    buffer_keys in_a(a_.graph.buffers().size()), in_b(b_.graph.buffers().size());
    for (std::size_t i = 0; i < in_b.size(); ++i) in_b[i] = i;
    for (std::size_t i = 0; i < in_a.size(); ++i)
      in_a[i] = d_.buffers[i].valid() ? d_.buffers[i].value() : (std::uint64_t{1} << 32) + i;
    return {std::move(in_a), std::move(in_b)};
  }

  // Of what is unmatched on both sides, the same is moved.
  void find_moved(const matching& m) {
    const auto [in_a, in_b] = found_keys();
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> inserted;  // the first one last
    for (std::size_t j = m.of_b.size(); j-- > 0;)
      if (m.of_b[j] == none)
        inserted[key_of(b_.graph.commands()[j], in_b, likeness::all)].push_back(
            static_cast<std::uint32_t>(j));
    std::vector<bool> moved(m.of_b.size(), false);
    for (std::uint32_t i = 0; i < m.of_a.size(); ++i) {
      if (m.of_a[i] != none) continue;
      const auto at = inserted.find(key_of(a_.graph.commands()[i], in_a, likeness::all));
      if (at == inserted.end() || at->second.empty()) {
        d_.deleted.emplace_back(i);
        continue;
      }
      d_.moved.emplace_back(command_id(i), command_id(at->second.back()));
      moved[at->second.back()] = true;
      at->second.pop_back();
    }
    for (std::uint32_t j = 0; j < m.of_b.size(); ++j)
      if (m.of_b[j] == none && !moved[j]) d_.inserted.emplace_back(j);
  }

  [[nodiscard]] static graph_figures figures(const compared_graph& g) {
    graph_figures f;
    f.commands = g.graph.commands().size();
    f.measured = g.measured;
    for (const step& s : g.plan.steps)
      if (const auto* t = std::get_if<transfer_step>(&s.action)) {
        ++f.transfers;
        f.bytes += t->elements.count() * g.graph.buffers()[t->buffer.value()].element_size;
      }
    f.seconds = simulate(g.graph, g.plan, g.machine).makespan;
    return f;
  }

  // Moved commands are in both, too.
  void compare_edges(const matching& m, const std::vector<edge>& in_a,
                     const std::vector<edge>& in_b) {
    std::vector<std::uint32_t> to_b = m.of_a, to_a = m.of_b;
    for (const auto& [x, y] : d_.moved) {
      to_b[x.value()] = y.value();
      to_a[y.value()] = x.value();
    }
    const auto only = [](const std::vector<edge>& from, const std::vector<std::uint32_t>& to,
                         const std::vector<edge>& others,
                         std::vector<std::pair<command_id, command_id>>& out) {
      for (const auto& [first, second] : from)
        if (to[first] != none && to[second] != none &&
            !std::binary_search(others.begin(), others.end(), edge(to[first], to[second])))
          out.emplace_back(command_id(first), command_id(second));
    };
    only(in_a, to_b, in_b, d_.edges_lost);
    only(in_b, to_a, in_a, d_.edges_gained);
  }

  // By buffer, memories and box, as often as each is.
  void compare_transfers() {
    using moved = std::tuple<std::uint32_t, std::uint16_t, std::uint16_t, std::uint64_t,
                             std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
                             std::uint64_t, std::uint64_t>;  // the last one: its step
    const auto list = [](const plan& p, const auto& buffer_of) {
      std::vector<moved> all;
      for (std::size_t i = 0; i < p.steps.size(); ++i)
        if (const auto* t = std::get_if<transfer_step>(&p.steps[i].action)) {
          const model::point3 &lo = t->elements.lo, &hi = t->elements.hi;
          all.emplace_back(buffer_of(t->buffer), t->from.value(), t->to.value(), lo.c[0], lo.c[1],
                           lo.c[2], hi.c[0], hi.c[1], hi.c[2], p.first_step + i);
        }
      std::sort(all.begin(), all.end());
      return all;
    };
    const std::vector<moved> x = list(a_.plan, [this](buffer_id b) {
      return d_.buffers[b.value()].value();  // none: greater than all
    });
    const std::vector<moved> y = list(b_.plan, [](buffer_id b) { return b.value(); });
    const auto order = [](moved p, moved q) {
      std::get<9>(p) = std::get<9>(q) = 0;
      return p < q ? -1 : q < p ? 1 : 0;
    };
    std::size_t i = 0, j = 0;
    while (i < x.size() || j < y.size()) {
      const int o = i == x.size() ? 1 : j == y.size() ? -1 : order(x[i], y[j]);
      if (o < 0)
        d_.transfers_lost.emplace_back(std::get<9>(x[i++]));
      else if (o > 0)
        d_.transfers_gained.emplace_back(std::get<9>(y[j++]));
      else
        ++i, ++j;
    }
    std::sort(d_.transfers_lost.begin(), d_.transfers_lost.end());
    std::sort(d_.transfers_gained.begin(), d_.transfers_gained.end());
  }

  const compared_graph &a_, &b_;
  graph_difference d_;
};

}  // namespace

bool graph_difference::same_commands() const noexcept {
  return deleted.empty() && inserted.empty() && moved.empty() &&
         std::all_of(matches.begin(), matches.end(),
                     [](const command_match& m) { return m.same(); });
}

graph_difference difference_of(const compared_graph& a, const compared_graph& b) {
  return comparison(a, b).run();
}

}  // namespace pianola::planner
