// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/part_independence.hpp"

#include <cstdint>
#include <cstring>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/host/kernel_runner.hpp>
#include <pianola/model/kernel_facts.hpp>

#include "graph/graph_schedule.hpp"

namespace {

using namespace pianola;
using host::parts_are_independent;
using model::argument_use;
using model::index_factor;
using model::index_term;

index_term times_id(std::int64_t coefficient, std::uint32_t dimension) {
  index_term t;
  t.coefficient = coefficient;
  t.factors[0] = {index_factor::kind::id, dimension};
  return t;
}
index_term constant(std::int64_t bytes) {
  index_term t;
  t.coefficient = bytes;
  return t;
}

enum access { reads = 1, writes = 2 };

struct pointer_use {
  std::uint64_t pointer;
  int how;
  std::uint32_t bytes;
  std::vector<index_term> terms;
  bool narrow = false;
};

// A kernel that uses its pointers as told; it does nothing.
struct test_kernel {
  std::vector<pointer_use> pointers;
  std::vector<argument_use> uses;
  std::vector<std::uint64_t> object;
  model::kernel_facts facts;
  model::kernel_statistics statistics;
  model::kernel_descriptor descriptor;
  executors::resolved_kernel resolved;

  test_kernel(std::vector<pointer_use> list, model::extent3 global) : pointers(std::move(list)) {
    for (const pointer_use& p : pointers) {
      argument_use u;
      u.offset = static_cast<std::uint32_t>(8 * object.size());
      u.read = (p.how & reads) != 0;
      u.written = (p.how & writes) != 0;
      u.element_wise = true;
      u.narrow = p.narrow;
      u.element_bytes = p.bytes;
      u.terms = p.terms;
      uses.push_back(u);
      object.push_back(p.pointer);
    }
    facts.uses = uses;
    facts.only_uses = true;
    statistics.nanoseconds_per_unit = 1e6F;
    descriptor.entry = [](const void*, const model::launch_geometry&, const model::box&,
                          model::array_view<const model::argument_slot>,
                          const model::group_resources&) {};
    descriptor.facts = &facts;
    descriptor.statistics = &statistics;
    resolved.kernel = &descriptor;
    resolved.geometry.global = global;
    resolved.arguments.bytes = object.data();
    resolved.arguments.size = static_cast<std::uint32_t>(8 * object.size());
  }
  test_kernel(const test_kernel&) = delete;
  test_kernel& operator=(const test_kernel&) = delete;

  // Bytes that a work-item touches, and whether it writes them.
  [[nodiscard]] std::set<std::pair<std::uint64_t, bool>> touched(const model::point3& id) const {
    std::set<std::pair<std::uint64_t, bool>> all;
    for (const pointer_use& p : pointers) {
      std::uint64_t at = p.pointer;
      for (const index_term& t : p.terms) {
        std::uint64_t product = static_cast<std::uint64_t>(t.coefficient);
        for (const index_factor& f : t.factors)
          if (f.what == index_factor::kind::id) product *= id[f.where];
        at += product;
      }
      for (std::uint32_t b = 0; b < p.bytes; ++b) {
        if ((p.how & reads) != 0) all.insert({at + b, false});
        if ((p.how & writes) != 0) all.insert({at + b, true});
      }
    }
    return all;
  }
};

constexpr model::extent3 line{{1, 1, 64}};

TEST(part_independence, element_wise_kernels_over_the_same_elements_are_independent) {
  const test_kernel a({{1000, writes, 4, {times_id(4, 2)}}}, line);
  const test_kernel b({{1000, reads | writes, 4, {times_id(4, 2)}}}, line);
  EXPECT_TRUE(parts_are_independent(a.resolved, b.resolved));
}

TEST(part_independence, neighbours_are_not) {
  const test_kernel a({{1000, writes, 4, {times_id(4, 2)}}}, line);
  const test_kernel stencil({{1000, reads, 12, {constant(-4), times_id(4, 2)}}}, line);
  const test_kernel shifted({{1004, reads, 4, {times_id(4, 2)}}}, line);
  const test_kernel reversed({{1000, reads, 4, {constant(252), times_id(-4, 2)}}}, line);
  const test_kernel first({{1000, reads, 4, {}}}, line);
  EXPECT_FALSE(parts_are_independent(a.resolved, stencil.resolved));
  EXPECT_FALSE(parts_are_independent(a.resolved, shifted.resolved));
  EXPECT_FALSE(parts_are_independent(a.resolved, reversed.resolved));
  EXPECT_FALSE(parts_are_independent(a.resolved, first.resolved));
}

TEST(part_independence, reading_together_and_other_memory_do_not_matter) {
  const test_kernel a({{1000, reads, 4, {times_id(4, 2)}}, {5000, writes, 4, {times_id(4, 2)}}},
                      line);
  const test_kernel b(
      {{1000, reads, 12, {constant(-4), times_id(4, 2)}}, {9000, writes, 8, {times_id(8, 2)}}},
      line);
  EXPECT_TRUE(parts_are_independent(a.resolved, b.resolved));
}

TEST(part_independence, members_of_one_element_belong_together) {
  const test_kernel a({{1000, writes, 4, {times_id(8, 2)}}}, line);
  const test_kernel b({{1004, reads, 4, {times_id(8, 2)}}}, line);
  const test_kernel c({{1006, reads, 4, {times_id(8, 2)}}}, line);
  EXPECT_TRUE(parts_are_independent(a.resolved, b.resolved));
  EXPECT_FALSE(parts_are_independent(a.resolved, c.resolved));
}

TEST(part_independence, rows_that_overlap_are_not_independent) {
  constexpr model::extent3 plane{{1, 8, 16}};
  const test_kernel dense({{1000, writes, 4, {times_id(64, 1), times_id(4, 2)}}}, plane);
  const test_kernel overlapping({{1000, writes, 4, {times_id(60, 1), times_id(4, 2)}}}, plane);
  EXPECT_TRUE(parts_are_independent(dense.resolved, dense.resolved));
  EXPECT_FALSE(parts_are_independent(overlapping.resolved, overlapping.resolved));
}

TEST(part_independence, different_index_spaces_are_not_compared) {
  const test_kernel a({{1000, writes, 4, {times_id(4, 2)}}}, line);
  const test_kernel b({{1000, reads, 4, {times_id(4, 2)}}}, {{1, 1, 32}});
  test_kernel groups({{1000, reads, 4, {times_id(4, 2)}}}, line);
  groups.resolved.geometry.grouped = true;
  EXPECT_FALSE(parts_are_independent(a.resolved, b.resolved));
  EXPECT_FALSE(parts_are_independent(a.resolved, groups.resolved));
}

TEST(part_independence, what_is_not_known_is_not_independent) {
  const test_kernel a({{1000, writes, 4, {times_id(4, 2)}}}, line);
  test_kernel b({{1000, reads, 4, {times_id(4, 2)}}}, line);
  b.facts.only_uses = false;
  EXPECT_FALSE(parts_are_independent(a.resolved, b.resolved));
  b.facts.only_uses = true;
  b.uses[0].unknown = true;
  EXPECT_FALSE(parts_are_independent(a.resolved, b.resolved));
  b.uses[0].unknown = false;
  b.uses[0].element_wise = false;
  EXPECT_FALSE(parts_are_independent(a.resolved, b.resolved));
  b.descriptor.facts = nullptr;
  EXPECT_FALSE(parts_are_independent(a.resolved, b.resolved));
}

TEST(part_independence, indices_of_32_bits_count_only_below_2_to_31) {
  const model::extent3 long_line{{1, 1, 0x20000001}};
  const test_kernel narrow({{1000, writes, 4, {times_id(4, 2)}, true}}, long_line);
  const test_kernel wide({{1000, writes, 4, {times_id(4, 2)}, false}}, long_line);
  EXPECT_TRUE(parts_are_independent(wide.resolved, wide.resolved));
  EXPECT_FALSE(parts_are_independent(narrow.resolved, narrow.resolved));
}

TEST(part_independence, strides_are_read_from_the_arguments) {
  test_kernel k({{1000, writes, 4, {}}}, {{1, 8, 16}});
  index_term row = times_id(4, 1);
  row.factors[1] = {index_factor::kind::unsigned64, 8};
  std::vector<index_term> terms{row, times_id(4, 2)};
  k.uses[0].terms = terms;
  k.object.push_back(16);
  k.resolved.arguments.bytes = k.object.data();
  k.resolved.arguments.size = 16;
  EXPECT_TRUE(parts_are_independent(k.resolved, k.resolved));
  k.object[1] = 15;
  EXPECT_FALSE(parts_are_independent(k.resolved, k.resolved));
  k.resolved.arguments.size = 8;  // nothing is read beyond them
  EXPECT_FALSE(parts_are_independent(k.resolved, k.resolved));
}

class random_kernels {
 public:
  explicit random_kernels(std::uint64_t seed) : random_(seed) {}
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }

  std::vector<pointer_use> make(const model::extent3& global) {
    std::vector<pointer_use> list;
    for (std::uint64_t i = 0, n = 1 + pick(3); i < n; ++i) {
      pointer_use p{1000 + 512 * pick(4) + 2 * pick(2), 1 + static_cast<int>(pick(3)), 2, {}};
      const std::int64_t element = pick(4) == 0 ? 4 : 2;
      p.terms.push_back(times_id(pick(8) == 0 ? -element : element, 2));
      const std::int64_t row = element * static_cast<std::int64_t>(global[2]) +
                               (pick(4) == 0 ? 2 : 0) - (pick(6) == 0 ? 2 : 0);
      if (global[1] > 1) p.terms.push_back(times_id(row, 1));
      if (pick(5) == 0) p.terms.push_back(constant(2));
      if (pick(5) == 0) p.bytes = 4;
      list.push_back(p);
    }
    return list;
  }

 private:
  std::mt19937_64 random_;
};

bool conflict(const std::set<std::pair<std::uint64_t, bool>>& a,
              const std::set<std::pair<std::uint64_t, bool>>& b) {
  for (const auto& [byte, is_write] : a)
    if (b.count({byte, true}) != 0 || (is_write && b.count({byte, false}) != 0)) return true;
  return false;
}

std::set<std::pair<std::uint64_t, bool>> touched(const test_kernel& k, const model::box& part) {
  std::set<std::pair<std::uint64_t, bool>> all;
  for (std::uint64_t z = part.lo[0]; z < part.hi[0]; ++z)
    for (std::uint64_t y = part.lo[1]; y < part.hi[1]; ++y)
      for (std::uint64_t x = part.lo[2]; x < part.hi[2]; ++x) {
        const auto one = k.touched({{z, y, x}});
        all.insert(one.begin(), one.end());
      }
  return all;
}

TEST(part_independence, independent_kernels_share_nothing_between_different_work_items) {
  int independent = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_kernels random(seed);
    const model::extent3 global{{1, 1 + random.pick(3), 2 + random.pick(4)}};
    const test_kernel a(random.make(global), global), b(random.make(global), global);
    if (!parts_are_independent(a.resolved, b.resolved)) continue;
    ++independent;
    for (std::uint64_t i = 0; i < global[1] * global[2]; ++i)
      for (std::uint64_t j = 0; j < global[1] * global[2]; ++j)
        if (i != j) {
          ASSERT_FALSE(conflict(a.touched({{0, i / global[2], i % global[2]}}),
                                b.touched({{0, j / global[2], j % global[2]}})));
        }
  }
  EXPECT_GT(independent, 60);
}

// Stands for a backend.
struct no_hooks final : host::step_hooks {
  void copy(const executors::resolved_copy&) override {}
  void fill(const executors::resolved_fill&) override {}
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return true; }
};

// Whatever can go piece by piece does.
constexpr host::piece_limits any_piece_pays{0, 1, 0};

TEST(graph_schedule, parts_that_conflict_are_ordered_whatever_waits_are_left_out) {
  int left_out = 0, in_pieces = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random_kernels random(seed);
    constexpr model::extent3 global{{1, 1, 12}};
    const std::size_t count = 4 + random.pick(24);
    const unsigned threads = 1 + static_cast<unsigned>(random.pick(4));
    std::deque<test_kernel> kernels;
    std::vector<std::set<std::pair<std::uint64_t, bool>>> all;
    std::vector<host::graph_node> nodes;
    std::vector<std::uint32_t> waits;
    std::vector<std::set<std::uint32_t>> before(count);  // all that a step follows
    no_hooks hooks;
    for (std::uint32_t n = 0; n < count; ++n) {
      kernels.emplace_back(random.make(global), global);
      if (random.pick(6) == 0) kernels.back().descriptor.facts = nullptr;
      if (random.pick(8) == 0)
        kernels.back().statistics.nanoseconds_per_unit = 1e-3F;  // not worth cutting
      all.push_back(touched(kernels.back(), model::box::of(global)));
      host::graph_node node;
      node.action = kernels.back().resolved;
      node.hooks = &hooks;
      node.first_wait = static_cast<std::uint32_t>(waits.size());
      // Edges that follow from others are left out, as the planner does.
      for (std::uint32_t m = n; m-- > 0;)
        if (conflict(all[m], all[n]) && before[n].count(m) == 0) {
          waits.push_back(m);
          before[n].insert(m);
          before[n].insert(before[m].begin(), before[m].end());
        }
      node.wait_count = static_cast<std::uint32_t>(waits.size()) - node.first_wait;
      nodes.push_back(node);
    }
    const auto schedule = host::graph_schedule::parallel(nodes, waits, threads, any_piece_pays);
    if (schedule.relies_on_arguments()) ++left_out;

    // clock[t][i][u]: items of strand u that have ended when item i of strand t starts.
    const auto& strands = schedule.strands();
    std::vector<std::vector<std::vector<std::uint32_t>>> clock(threads);
    std::vector<std::size_t> at(threads, 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (unsigned t = 0; t < threads; ++t) {
        while (at[t] < strands[t].size()) {
          const auto& item = strands[t][at[t]];
          std::vector<std::uint32_t> now =
              at[t] == 0 ? std::vector<std::uint32_t>(threads, 0) : clock[t][at[t] - 1];
          now[t] = static_cast<std::uint32_t>(at[t]);
          bool ready = true;
          for (std::uint32_t w = 0; w < item.wait_count; ++w) {
            const auto& wait = schedule.waits()[item.first_wait + w];
            if (clock[wait.strand].size() < wait.count) {
              ready = false;
              break;
            }
            const auto& then = clock[wait.strand][wait.count - 1];
            for (unsigned u = 0; u < threads; ++u) now[u] = std::max(now[u], then[u]);
            now[wait.strand] = std::max(now[wait.strand], wait.count);
          }
          if (!ready) break;
          clock[t].push_back(now);
          ++at[t];
          moved = true;
        }
      }
    }
    for (unsigned t = 0; t < threads; ++t) ASSERT_EQ(at[t], strands[t].size()) << "a deadlock";
    for (unsigned t = 0; t < threads; ++t)
      for (std::size_t i = 0; i < strands[t].size(); ++i)
        for (unsigned u = 0; u < threads; ++u)
          for (std::size_t j = 0; u != t && j < strands[u].size(); ++j) {
            const auto& x = strands[t][i];
            const auto& y = strands[u][j];
            if (x.node >= y.node) continue;
            const auto part = [&](const auto& item) {
              return touched(kernels[item.node], item.whole ? model::box::of(global) : item.part);
            };
            if (conflict(part(x), part(y))) {
              ASSERT_GT(clock[u][j][t], i)
                  << "step " << y.node << " does not wait for step " << x.node;
            }
          }
    // Within a run, pieces of later items come before later pieces of earlier ones.
    for (unsigned t = 0; t < threads; ++t)
      for (std::size_t first = 0; first < strands[t].size();
           first += strands[t][first].run_length) {
        const std::uint32_t pieces = strands[t][first].pieces;
        const std::size_t end = first + strands[t][first].run_length;
        ASSERT_LE(end, strands[t].size());
        ASSERT_EQ(pieces == 1, end == first + 1);
        if (pieces > 1) ++in_pieces;
        for (std::size_t j = first; j < end; ++j) {
          const auto& y = strands[t][j];
          ASSERT_FALSE(j != first && y.wait_count != 0) << "step " << y.node;
          for (std::size_t i = first; i < j; ++i)
            for (std::uint32_t p = 0; p < pieces; ++p)
              for (std::uint32_t q = p + 1; q < pieces; ++q)
                ASSERT_FALSE(conflict(touched(kernels[strands[t][i].node],
                                              host::slice_of(strands[t][i].part, q, pieces)),
                                      touched(kernels[y.node], host::slice_of(y.part, p, pieces))))
                    << "step " << y.node << " does not wait for step " << strands[t][i].node;
        }
      }
  }
  EXPECT_GT(left_out, 40);
  EXPECT_GT(in_pieces, 40);
}

TEST(graph_schedule, a_chain_of_element_wise_kernels_has_no_waits_between_its_parts) {
  std::deque<test_kernel> kernels;
  std::vector<host::graph_node> nodes;
  std::vector<std::uint32_t> waits;
  no_hooks hooks;
  for (std::uint32_t n = 0; n < 8; ++n) {
    kernels.emplace_back(std::vector<pointer_use>{{1000, reads | writes, 4, {times_id(4, 2)}}},
                         line);
    host::graph_node node;
    node.action = kernels.back().resolved;
    node.hooks = &hooks;
    node.first_wait = static_cast<std::uint32_t>(waits.size());
    if (n > 0) waits.push_back(n - 1);
    node.wait_count = n > 0 ? 1 : 0;
    nodes.push_back(node);
  }
  const auto without = host::graph_schedule::parallel(nodes, waits, 2);
  EXPECT_TRUE(without.waits().empty());
  EXPECT_TRUE(without.relies_on_arguments());
  for (test_kernel& k : kernels) k.descriptor.facts = nullptr;
  const auto with = host::graph_schedule::parallel(nodes, waits, 2);
  EXPECT_EQ(with.waits().size(), 14U);
  EXPECT_FALSE(with.relies_on_arguments());
}

// Kernels that follow each other, each element by element; elements have four bytes.
struct chain {
  chain() = default;
  chain(const std::vector<std::uint64_t>& pointers, std::uint64_t elements) {
    for (const std::uint64_t pointer : pointers) add({{pointer, reads | writes}}, elements);
  }
  void add(const std::vector<std::pair<std::uint64_t, int>>& pointers, std::uint64_t elements,
           bool follows = true) {
    std::vector<pointer_use> uses;
    for (const auto& [pointer, how] : pointers) uses.push_back({pointer, how, 4, {times_id(4, 2)}});
    kernels.emplace_back(uses, model::extent3{{1, 1, elements}});
    const auto n = static_cast<std::uint32_t>(nodes.size());
    host::graph_node node;
    node.action = kernels.back().resolved;
    node.hooks = &hooks;
    node.first_wait = static_cast<std::uint32_t>(waits.size());
    if (n > 0 && follows) waits.push_back(n - 1);
    node.wait_count = n > 0 && follows ? 1 : 0;
    nodes.push_back(node);
  }
  [[nodiscard]] host::graph_schedule on(unsigned threads, const host::piece_limits& limits) const {
    return host::graph_schedule::parallel(nodes, waits, threads, limits);
  }
  std::deque<test_kernel> kernels;
  std::vector<host::graph_node> nodes;
  std::vector<std::uint32_t> waits;
  no_hooks hooks;
};

constexpr std::uint64_t place = 1 << 20;

TEST(graph_schedule, pieces_are_as_large_as_the_cache_keeps) {
  const chain c({place, place, place}, 4096);
  for (const unsigned threads : {1U, 2U}) {
    const host::graph_schedule s = c.on(threads, {4096, 1024, 0});
    EXPECT_TRUE(s.has_pieces());
    for (const auto& strand : s.strands()) {
      ASSERT_EQ(strand.size(), 3U);
      EXPECT_EQ(strand[0].run_length, 3U);
      // All three touch the same 16 KiB.
      EXPECT_EQ(strand[0].pieces, 16 / threads + 1);
    }
  }
}

TEST(graph_schedule, a_step_that_others_wait_for_is_the_last_of_those_that_go_piece_by_piece) {
  chain c({place, place, place, place, place, place}, 4096);
  c.nodes[1].signal = 0;
  c.nodes[2].signal = 1;
  for (const unsigned threads : {1U, 2U}) {
    const host::graph_schedule schedule = c.on(threads, {4096, 1024, 0});
    for (const auto& strand : schedule.strands()) {
      ASSERT_EQ(strand.size(), 6U);
      EXPECT_EQ(strand[0].run_length, 2U);
      EXPECT_GT(strand[0].pieces, 1U);
      EXPECT_EQ(strand[2].run_length, 1U);
      EXPECT_EQ(strand[2].pieces, 1U);
      EXPECT_EQ(strand[3].run_length, 3U);
      EXPECT_GT(strand[3].pieces, 1U);
    }
  }
}

TEST(graph_schedule, what_the_cache_holds_anyway_is_not_cut_into_pieces) {
  const chain c({place, place}, 4096);
  EXPECT_FALSE(c.on(1, {16 << 10, 1024, 0}).has_pieces());
  EXPECT_FALSE(c.on(2, {8 << 10, 1024, 0}).has_pieces());
  EXPECT_TRUE(c.on(1, {8 << 10, 1024, 0}).has_pieces());
}

TEST(graph_schedule, pieces_are_worth_their_calls) {
  chain c({place, place}, 4096);
  for (test_kernel& k : c.kernels) k.statistics.nanoseconds_per_unit = 1.0F;
  EXPECT_EQ(c.on(1, {0, 64, 1000}).strands()[0][0].pieces, 4U);
  EXPECT_FALSE(c.on(1, {0, 64, 3000}).has_pieces());
}

TEST(graph_schedule, kernels_that_share_nothing_do_not_share_the_cache) {
  EXPECT_FALSE(chain({place, 2 * place, 3 * place}, 4096).on(1, any_piece_pays).has_pieces());
}

TEST(graph_schedule, a_conflict_with_one_of_a_run_ends_it_although_others_would_do) {
  chain c;
  c.add({{place, writes}}, 4096);
  c.add({{place, reads}, {2 * place, writes}}, 4096);
  c.add({{place + 4, reads}, {2 * place, reads | writes}}, 4096);
  for (const unsigned threads : {1U, 2U})
    EXPECT_EQ(c.on(threads, any_piece_pays).strands()[0][0].run_length, 2U);
}

TEST(graph_schedule, pieces_are_of_one_index_space) {
  chain c;
  c.add({{place, reads}}, 4096);
  c.add({{place, reads}}, 2048, false);
  EXPECT_FALSE(c.on(1, any_piece_pays).has_pieces());
}

TEST(graph_schedule, a_conflict_ends_the_run) {
  chain c({place, place, place + 4, place + 4}, 4096);
  const auto s = c.on(2, any_piece_pays);
  for (const auto& strand : s.strands()) {
    EXPECT_EQ(strand[0].run_length, 2U);
    EXPECT_EQ(strand[2].run_length, 2U);
  }
}

}  // namespace
