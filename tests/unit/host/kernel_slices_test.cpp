// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pianola/host/kernel_runner.hpp>
#include <random>
#include <set>
#include <vector>

#include "graph/graph_schedule.hpp"

namespace pianola::host {
namespace {

TEST(kernel_slices, cover_the_index_space_once_and_are_about_equal) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    model::extent3 units;
    for (auto& c : units.c) c = 1 + random() % (round % 2 == 0 ? 40 : 4);
    const std::uint64_t wanted = 1 + random() % 20;
    const std::uint64_t count = max_slices(units, wanted);
    ASSERT_GE(count, 1U);
    ASSERT_LE(count, wanted);
    std::vector<int> hits(volume(units), 0);
    std::uint64_t smallest = ~std::uint64_t{0}, largest = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const model::box b = slice_of(model::box::of(units), i, count);
      ASSERT_TRUE(contains(model::box::of(units), b));
      ASSERT_FALSE(b.empty());
      smallest = std::min(smallest, b.count());
      largest = std::max(largest, b.count());
      for (auto z = b.lo.c[0]; z < b.hi.c[0]; ++z)
        for (auto y = b.lo.c[1]; y < b.hi.c[1]; ++y)
          for (auto x = b.lo.c[2]; x < b.hi.c[2]; ++x)
            ++hits[(z * units.c[1] + y) * units.c[2] + x];
    }
    for (const int h : hits) ASSERT_EQ(h, 1);
    // One layer of the dimension that is cut makes the difference.
    ASSERT_LE(largest, 2 * smallest);
  }
}

TEST(kernel_slices, local_memory_grows_and_is_aligned) {
  for (const std::uint32_t bytes : {1U, 100U, 50U, 100000U, 7U}) {
    const model::group_resources r = local_memory(bytes);
    ASSERT_NE(r.local_memory, nullptr);
    EXPECT_GE(r.local_memory_bytes, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(r.local_memory) % 64, 0U);
  }
  EXPECT_EQ(local_memory(0).local_memory, nullptr);
}

struct slices_without_hooks final : step_hooks {
  void copy(const executors::resolved_copy&) override {}
  void fill(const executors::resolved_fill&) override {}
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return true; }
};

// Follows the strands in every order that their waits allow, one random one per round: whatever
// runs, the steps that it depends on must have finished.
TEST(graph_schedule, never_lets_a_step_begin_before_those_that_it_waits_for) {
  slices_without_hooks hooks;
  model::kernel_statistics slow;
  slow.nanoseconds_per_unit = 500.0F;
  model::kernel_descriptor kernel;
  kernel.statistics = &slow;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<graph_node> nodes(40);
    std::vector<std::uint32_t> waits;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      auto& k = nodes[n].action.emplace<executors::resolved_kernel>();
      k.kernel = &kernel;
      k.geometry.global = {{1, 1, random() % 3 == 0 ? 100U : 1U}};
      nodes[n].hooks = &hooks;
      nodes[n].first_wait = static_cast<std::uint32_t>(waits.size());
      for (unsigned w = random() % 4; w > 0 && n > 0; --w) {
        waits.push_back(n - 1 - static_cast<std::uint32_t>(random() % std::min(n, 9U)));
        ++nodes[n].wait_count;
      }
    }
    const unsigned threads = 2 + seed % 4;
    const graph_schedule schedule = graph_schedule::parallel(nodes, waits, threads);
    std::vector<std::uint64_t> units_left(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n)
      units_left[n] =
          volume(std::get<executors::resolved_kernel>(nodes[n].action).geometry.units());
    std::vector<std::uint32_t> at(schedule.strands().size(), 0);
    for (;;) {
      std::vector<std::size_t> ready;
      bool all_ended = true;
      for (std::size_t s = 0; s < at.size(); ++s) {
        if (at[s] == schedule.strands()[s].size()) continue;
        all_ended = false;
        const auto& item = schedule.strands()[s][at[s]];
        bool may = true;
        for (std::uint32_t w = 0; w < item.wait_count; ++w) {
          const auto& wait = schedule.waits()[item.first_wait + w];
          may = may && at[wait.strand] >= wait.count;
        }
        if (may) ready.push_back(s);
      }
      if (all_ended) break;
      ASSERT_FALSE(ready.empty()) << "seed " << seed
                                  << ": the strands wait for each other for ever";
      const std::size_t s = ready[random() % ready.size()];
      const auto& item = schedule.strands()[s][at[s]++];
      for (std::uint32_t w = 0; w < nodes[item.node].wait_count; ++w)
        ASSERT_EQ(units_left[waits[nodes[item.node].first_wait + w]], 0U)
            << "seed " << seed << " step " << item.node;
      const std::uint64_t n = item.whole ? units_left[item.node] : item.part.count();
      ASSERT_GE(units_left[item.node], n);
      units_left[item.node] -= n;
    }
    for (const auto n : units_left) ASSERT_EQ(n, 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pianola::host
