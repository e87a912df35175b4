// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/recorder/owned_allocations.hpp>
#include <pianola/recorder/queue_order.hpp>

namespace pianola::recorder {
namespace {

using model::user_error;

constexpr std::uint64_t mark = 0x7ff4000000000000;
bool is_marked(std::uint64_t word) noexcept { return word >> 48 == mark >> 48; }

// Nothing follows from buffers here: the planner's tests say what does.
std::vector<command_edge> explicit_edges(model::array_view<const model::command> commands,
                                         model::array_view<const model::buffer_info>) {
  std::vector<command_edge> edges;
  for (std::uint32_t i = 0; i < commands.size(); ++i)
    for (const std::uint64_t a : commands[i].after)
      edges.emplace_back(static_cast<std::uint32_t>(a), i);
  return edges;
}

model::command_id append(graph& g, std::vector<std::uint64_t> after = {}) {
  model::command c;
  c.after = after;
  return g.append(c);
}

// What follows from buffers costs as much as planning: who walks through a graph must not pay for it at each node.
TEST(Graph, derives_its_edges_once_after_a_change) {
  static int derived = 0;
  derived = 0;
  graph g(
      [](model::array_view<const model::command> commands,
         model::array_view<const model::buffer_info> buffers) {
        ++derived;
        return explicit_edges(commands, buffers);
      },
      &is_marked);
  const auto ids = [](std::initializer_list<std::uint32_t> of) {
    return std::vector<model::command_id>(of.begin(), of.end());
  };
  append(g);
  for (std::uint64_t i = 1; i < 50; ++i) append(g, {i - 1});
  for (std::uint32_t i = 1; i < 49; ++i) {
    EXPECT_EQ(g.predecessors(model::command_id(i)), ids({i - 1}));
    EXPECT_EQ(g.successors(model::command_id(i)), ids({i + 1}));
  }
  EXPECT_EQ(g.edges().size(), 49U);
  EXPECT_EQ(derived, 1);

  append(g, {3, 0});
  EXPECT_EQ(g.predecessors(model::command_id(50)), ids({0, 3}));
  EXPECT_EQ(g.successors(model::command_id(0)), ids({1, 50}));
  EXPECT_EQ(derived, 2);
  g.make_edge(model::command_id(50), model::command_id(49));
  EXPECT_EQ(g.predecessors(model::command_id(49)), ids({48, 50}));
  EXPECT_EQ(derived, 3);
  g.exchange(model::command_id(50), g.command(model::command_id(50)));
  EXPECT_EQ(g.successors(model::command_id(50)), ids({49}));
  EXPECT_EQ(derived, 4);
}

// Each pair of commands of which one writes what the other uses.
std::vector<command_edge> all_conflicts(model::array_view<const model::command> commands,
                                        model::array_view<const model::buffer_info> buffers) {
  std::vector<command_edge> edges = explicit_edges(commands, buffers);
  for (std::uint32_t i = 0; i < commands.size(); ++i)
    for (std::uint32_t k = 0; k < i; ++k)
      for (const model::requirement& a : commands[i].requirements)
        for (const model::requirement& b : commands[k].requirements)
          if (a.buffer == b.buffer && (model::writes(a.mode) || model::writes(b.mode)))
            edges.emplace_back(k, i);
  return edges;
}

TEST(Graph, finds_its_leaves_as_it_grows) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  model::buffer_info info;
  info.grid = model::page_grid({{1, 1, 8}}, {{1, 1, 8}});
  info.element_size = 4;
  for (int round = 0; round < 100; ++round) {
    graph g(&all_conflicts, &is_marked);
    std::vector<model::buffer_id> buffers;
    for (std::uint64_t b = 1; b <= 4; ++b) buffers.push_back(g.add_buffer(info, b, ""));
    for (std::uint32_t i = 0; i < 20; ++i) {
      std::vector<model::requirement> uses;
      for (const model::buffer_id b : buffers) {
        if (random() % 4 != 0) continue;
        model::requirement& r = uses.emplace_back();
        r.buffer = b;
        r.mode = random() % 2 == 0 ? model::access_mode::read : model::access_mode::write;
        r.elements = model::box::of(info.grid.range());
      }
      std::vector<std::uint64_t> after;
      if (i != 0 && random() % 4 == 0) after.push_back(random() % i);
      model::command c;
      c.requirements = uses;
      c.after = after;
      g.append(c);
      if (random() % 8 == 0) {
        c = g.command(model::command_id(random() % (i + 1)));
        c.requirements = {};
        g.exchange(model::command_id(i), c);
      }
      if (i != 0 && random() % 8 == 0)
        g.make_edge(model::command_id(random() % i), model::command_id(i));
      if (random() % 2 == 0) continue;
      std::vector<model::command_id> leaves;
      for (std::uint32_t k = 0; k <= i; ++k)
        if (g.successors(model::command_id(k)).empty()) leaves.emplace_back(k);
      EXPECT_EQ(g.leaves(), leaves);
    }
  }
}

TEST(Graph, looks_for_leaves_among_what_is_new) {
  static std::size_t commands_looked_at, buffers_looked_at;
  commands_looked_at = buffers_looked_at = 0;
  graph g(
      [](model::array_view<const model::command> commands,
         model::array_view<const model::buffer_info> buffers) {
        commands_looked_at += commands.size();
        buffers_looked_at += buffers.size();
        return all_conflicts(commands, buffers);
      },
      &is_marked);
  model::buffer_info info;
  info.grid = model::page_grid({{1, 1, 8}}, {{1, 1, 8}});
  info.element_size = 4;
  // Beside each that comes after all leaves there is one that comes after none.
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::vector<std::uint64_t> after;
    for (const model::command_id leaf : g.leaves()) after.push_back(leaf.value());
    append(g, after);
    model::requirement use;
    use.buffer = g.add_buffer(info, i + 1, "");
    use.mode = model::access_mode::write;
    use.elements = model::box::of(info.grid.range());
    model::command c;
    c.requirements = {&use, 1};
    g.append(c);
  }
  EXPECT_EQ(g.leaves().size(), 2U);
  EXPECT_LE(commands_looked_at, 200 * 4U);
  EXPECT_LE(buffers_looked_at, 200 * 4U);
  EXPECT_GE(commands_looked_at, 200U);
}

bool comes_before(const std::set<command_edge>& edges, std::uint32_t from, std::uint32_t to) {
  if (from == to) return true;
  return std::any_of(edges.begin(), edges.end(), [&](const command_edge& e) {
    return e.first == from && comes_before(edges, e.second, to);
  });
}

TEST(Graph, takes_edges_in_any_direction_until_one_would_close_a_cycle) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 60; ++round) {
    graph g(&explicit_edges, &is_marked);
    std::uint32_t n = 2 + static_cast<std::uint32_t>(random() % 7);
    for (std::uint32_t i = 0; i < n; ++i) append(g);
    std::set<command_edge> edges;
    for (int i = 0; i < 12; ++i) {
      if (random() % 4 == 0) {
        const auto after = static_cast<std::uint32_t>(random() % n);
        append(g, {after});
        edges.emplace(after, n++);
      }
      const auto from = static_cast<std::uint32_t>(random() % n);
      const auto to = static_cast<std::uint32_t>(random() % n);
      if (comes_before(edges, to, from)) {
        EXPECT_THROW(g.make_edge(model::command_id(from), model::command_id(to)), user_error);
        continue;
      }
      g.make_edge(model::command_id(from), model::command_id(to));
      edges.emplace(from, to);
    }
    EXPECT_EQ(g.edges(), std::vector<command_edge>(edges.begin(), edges.end()));
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::vector<char> before = g.ancestors({i});
      for (std::uint32_t k = 0; k < n; ++k) EXPECT_EQ(before[k] != 0, comes_before(edges, k, i));
    }
    std::vector<model::command_id> leaves;
    for (std::uint32_t i = 0; i < n; ++i)
      if (std::none_of(edges.begin(), edges.end(), [&](const auto& e) { return e.first == i; }))
        leaves.emplace_back(i);
    EXPECT_EQ(g.leaves(), leaves);
    // Commands are handed out in an order that respects every edge.
    const graph_contents all = g.contents();
    ASSERT_EQ(all.commands.size(), n);
    std::set<command_edge> handed_out;
    for (std::uint32_t i = 0; i < n; ++i)
      for (const std::uint64_t a : all.commands[i].after) {
        EXPECT_LT(a, i);
        handed_out.emplace(static_cast<std::uint32_t>(a), i);
      }
    std::set<command_edge> expected;
    for (const auto& [from, to] : edges)
      expected.emplace(all.place.empty() ? from : all.place[from],
                       all.place.empty() ? to : all.place[to]);
    EXPECT_EQ(handed_out, expected);
  }
}

TEST(Graph, takes_a_chain_from_its_end_without_a_look_at_all_of_it_for_each_edge) {
  graph g(&explicit_edges, &is_marked);
  constexpr std::uint32_t n = 300;
  for (std::uint32_t i = 0; i < n; ++i) append(g);
  for (std::uint32_t i = n - 1; i > 0; --i)
    g.make_edge(model::command_id(i), model::command_id(i - 1));
  EXPECT_LE(g.cycles_looked_at(), n * (n + 1) / 2);
  EXPECT_GE(g.cycles_looked_at(), n);
  EXPECT_EQ(g.contents().place[0], n - 1);
  EXPECT_THROW(g.make_edge(model::command_id(0), model::command_id(n - 1)), user_error);
}

TEST(Graph, has_room_for_the_next_of_many_predecessors_of_one_command) {
  graph g(&explicit_edges, &is_marked);
  constexpr std::uint32_t n = 1000;
  for (std::uint32_t i = 0; i < n; ++i) append(g);
  const model::command_id last = append(g, {7});
  std::set<const void*> lists;
  const model::command first = g.command(last);
  std::vector<command_edge> expected;
  for (std::uint32_t i = 0; i < n; ++i) {
    g.make_edge(model::command_id(i), last);
    lists.insert(g.command(last).after.data());
    if (i == n / 2) g.exchange(last, g.command(last));
    expected.emplace_back(i, last.value());
  }
  EXPECT_EQ(g.edges(), expected);
  EXPECT_LE(lists.size(), 14U);
  EXPECT_EQ(std::vector<std::uint64_t>(first.after.begin(), first.after.end()),
            std::vector<std::uint64_t>{7});
}

int derivations = 0;

TEST(Graph, knows_the_one_leaf_of_a_chain_without_a_look_at_its_edges) {
  graph g(
      [](model::array_view<const model::command> commands,
         model::array_view<const model::buffer_info> buffers) {
        ++derivations;
        return explicit_edges(commands, buffers);
      },
      &is_marked);
  derivations = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::vector<model::command_id> leaves = g.leaves();
    ASSERT_EQ(leaves.size(), i == 0 ? 0U : 1U);
    std::vector<std::uint64_t> after;
    for (const model::command_id leaf : leaves) after.push_back(leaf.value());
    append(g, after);
  }
  EXPECT_EQ(derivations, 0);
  append(g);
  EXPECT_EQ(g.leaves(),
            (std::vector<model::command_id>{model::command_id(999), model::command_id(1000)}));
  EXPECT_EQ(derivations, 1);
}

TEST(Graph, holds_a_nested_graph_as_one_node) {
  graph child(&explicit_edges, &is_marked);
  append(child);
  append(child, {0});
  graph g(&explicit_edges, &is_marked);
  const model::command_id first = append(g);
  const model::command_id nested = g.append_nested(child.contents(), {}, {first.value()});
  const model::command_id last = append(g);
  g.make_edge(nested, last);
  EXPECT_EQ(g.nodes(), (std::vector<model::command_id>{first, nested, last}));
  EXPECT_EQ(g.edges(), (std::vector<command_edge>{{first.value(), nested.value()},
                                                  {nested.value(), last.value()}}));
  EXPECT_EQ(g.first_of(nested), 1U);
  EXPECT_EQ(g.first_of(last), last.value());
  EXPECT_TRUE(g.is_nested_graph(nested));
  EXPECT_FALSE(g.is_nested_graph(last));
  // What comes before the node comes before all of it.
  const model::command_id late = append(g);
  g.make_edge(late, nested);
  const graph_contents all = g.contents();
  EXPECT_LT(all.place[late.value()], all.place[1]);
  EXPECT_THROW(g.make_edge(last, late), user_error);
}

TEST(Graph, orders_a_nested_graph_with_its_first_and_last_commands_alone) {
  graph child(&explicit_edges, &is_marked);
  append(child);          // 1 in the graph: first
  append(child, {0});     // 2
  append(child);          // 3: first
  append(child, {1, 2});  // 4: last
  append(child, {0});     // 5: last
  graph g(&explicit_edges, &is_marked);
  g.append_nested(child.contents(), {}, {});
  g.append_nested(graph(&explicit_edges, &is_marked).contents(), {}, {});
  const std::vector<std::vector<std::uint64_t>> expected{{},  {0},    {1}, {0}, {2, 3},
                                                         {1}, {4, 5}, {},  {7}};
  const graph_contents all = g.contents();
  ASSERT_EQ(all.commands.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(
        std::vector<std::uint64_t>(all.commands[i].after.begin(), all.commands[i].after.end()),
        expected[i])
        << i;
}

TEST(CompactPlaces, have_no_gaps_and_share_what_was_shared) {
  std::vector<model::command> commands(4);
  const auto allocate = [](std::uint64_t place, std::uint64_t bytes) {
    model::allocate_command a;
    a.place = place;
    a.bytes = bytes;
    return a;
  };
  commands[0].payload = allocate(1 << 20, 300);
  commands[1].payload = allocate(5000, 1000);
  commands[2].payload = allocate(5512, 1024);
  commands[3].payload = model::empty_command{};
  const compact_places places(commands);
  EXPECT_EQ(places(5000), 0U);
  EXPECT_EQ(places(5512), 512U);
  EXPECT_EQ(places(1 << 20), 1536U);
}

TEST(Graph, writes_parameters_wherever_they_are_now) {
  graph g(&explicit_edges, &is_marked);
  const auto kernel = [](std::vector<std::uint64_t>& words) {
    model::command c;
    model::kernel_command k;
    k.arguments.bytes = words.data();
    k.arguments.size = static_cast<std::uint32_t>(words.size() * 8);
    k.arguments.alignment = 8;
    c.payload = k;
    return c;
  };
  const auto word = [&](model::command_id id, std::size_t i) {
    std::uint64_t value;
    const auto& k = std::get<model::kernel_command>(g.command(id).payload);
    std::memcpy(&value, static_cast<const unsigned char*>(k.arguments.bytes) + 8 * i, 8);
    return value;
  };
  std::vector<std::uint64_t> once{mark | 1, 10}, twice{5, mark | 1, 11, mark | 1, 12}, none{7, 8};
  const model::command_id a = g.append(kernel(once));
  const model::command_id b = g.append(kernel(twice));
  std::vector<std::shared_ptr<const void>> old;
  const std::uint64_t value = 99;
  g.write_parameter(mark | 1, 8, &value, 8, old);
  g.write_parameter(mark | 2, 8, &value, 8, old);
  EXPECT_EQ(word(a, 1), 99U);
  EXPECT_EQ(word(b, 2), 99U);
  EXPECT_EQ(word(b, 4), 99U);
  EXPECT_EQ(g.parameters().all().size(), 3U);
  static_cast<void>(g.exchange(b, kernel(none), {}));
  EXPECT_EQ(g.parameters().all().size(), 1U);
}

TEST(QueueOrder, of_an_in_order_queue_is_a_chain) {
  graph g(&explicit_edges, &is_marked);
  queue_order order(true);
  for (std::uint32_t i = 0; i < 4; ++i) {
    std::vector<std::uint64_t> after;
    order.add_predecessors(g, false, after);
    EXPECT_EQ(after, i == 0 ? std::vector<std::uint64_t>() : std::vector<std::uint64_t>{i - 1});
    order.note(append(g, after), i == 2, false);
  }
}

TEST(QueueOrder,
     waits_for_the_leaves_of_an_out_of_order_queue_at_a_barrier_and_for_that_afterwards) {
  graph g(&explicit_edges, &is_marked);
  queue_order order(false);
  const auto record = [&](std::vector<std::uint64_t> after, bool barrier = false) {
    order.add_predecessors(g, barrier, after);
    const model::command_id id = append(g, after);
    order.note(id, barrier, barrier);
    return after;
  };
  record({});
  record({0});
  record({});
  append(g);  // of another queue
  EXPECT_EQ(record({}, true), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(record({}), (std::vector<std::uint64_t>{4}));
  EXPECT_EQ(record({}, true), (std::vector<std::uint64_t>{5}));
}

TEST(OwnedAllocations, share_room_once_what_frees_them_comes_before) {
  owned_allocations a;
  int first = 0, second = 0;
  a.add(1, &first, 100, 0);
  a.add(2, &second, 200, 0);
  a.add(3, &second, 300, 1);
  bool freed = false;
  EXPECT_EQ(a.find(&first, freed), nullptr);  // no command makes it yet
  EXPECT_FALSE(freed);
  EXPECT_TRUE(a.begin(1, model::command_id(0)));
  EXPECT_FALSE(a.begin(1, model::command_id(1)));
  EXPECT_FALSE(a.begin(9, model::command_id(1)));
  ASSERT_NE(a.find(&first, freed), nullptr);
  EXPECT_EQ(a.find(&first, freed)->bytes, 100U);
  EXPECT_TRUE(a.end(1, model::command_id(1)));
  EXPECT_FALSE(a.end(1, model::command_id(2)));
  EXPECT_EQ(a.find(&first, freed), nullptr);
  EXPECT_TRUE(freed);
  EXPECT_EQ(a.over_by({1, 0, 0}, 0), (std::vector<char>{0, 0}));
  EXPECT_EQ(a.over_by({1, 1, 0}, 0), (std::vector<char>{1, 0}));
  a.drop(2);
  EXPECT_FALSE(a.begin(2, model::command_id(2)));
  EXPECT_EQ(a.over_by({1, 0, 0}, 0), (std::vector<char>{0, 1}));
  EXPECT_EQ(a.over_by({1, 1, 1}, 1), (std::vector<char>{0}));
}

TEST(Graph, looks_at_each_command_once_for_the_pasts_of_a_queues_commands) {
  graph g(&explicit_edges, &is_marked);
  constexpr std::uint32_t n = 1000;
  append(g);
  for (std::uint64_t i = 1; i < n; ++i) append(g, {i - 1});
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::vector<char>& past = g.past_of({i});
    EXPECT_EQ(std::count(past.begin(), past.end(), 0), n - 1 - i);
  }
  EXPECT_LE(g.past_looked_at(), 4 * n);
  EXPECT_GE(g.past_looked_at(), n);
}

TEST(Graph, knows_the_past_of_any_commands_whatever_was_asked_before) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    graph g(&explicit_edges, &is_marked);
    for (std::uint32_t i = 0; i < 20; ++i) {
      std::vector<std::uint64_t> after;
      for (std::uint64_t a = 0; a < i; ++a)
        if (random() % 5 == 0) after.push_back(a);
      append(g, after);
      if (i != 0 && random() % 10 == 0)
        g.make_edge(model::command_id(static_cast<std::uint32_t>(random() % i)),
                    model::command_id(i));
      if (random() % 2 == 0) continue;
      std::vector<std::uint32_t> of;
      for (unsigned k = random() % 4; k-- > 0;) of.push_back(random() % (i + 1));
      std::vector<char> past = g.past_of(of);
      for (char& c : past) c = c != 0 ? 1 : 0;
      ASSERT_EQ(past, g.ancestors(of));
    }
  }
}

}  // namespace
}  // namespace pianola::recorder
