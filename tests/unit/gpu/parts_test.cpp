// SPDX-License-Identifier: Apache-2.0
// Launches of parts of an index space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

using testing::HasSubstr;

struct functor {
  std::map<std::vector<std::uint64_t>, int>* seen;
};

// As a compiled kernel: a work-item of a range, or the first one of a group, notes the item or group that it is.
void add_noting_kernel(gpu_rig& rig, const char* symbol, bool grouped) {
  fake_kernel whole, part;
  whole.functor_bytes = part.functor_bytes = sizeof(functor);
  whole.body = [](const void* f, const pianola_launch&, const fake_item&) {
    ++(*static_cast<const functor*>(f)->seen)[{99, 99, 99}];
  };
  part.part = [grouped](const void* f, const pianola_part_launch& l, const fake_item& item) {
    std::vector<std::uint64_t> unit;
    for (int d = 0; d < 3; ++d) {
      if (grouped && item.local[d] != 0) return;
      unit.push_back(l.first[d] + (grouped ? item.id[d] / item.local_size[d] : item.id[d]));
      if (!grouped && unit.back() >= l.end[d]) return;
      unit.push_back(l.whole.global[d]);
      unit.push_back(l.whole.offset[d]);
    }
    ++(*static_cast<const functor*>(f)->seen)[unit];
  };
  rig.add_kernel(symbol, std::move(whole));
  rig.add_part(symbol, std::move(part));
}

// Of each of these units once, and of no others.
void expect_units(const std::map<std::vector<std::uint64_t>, int>& seen, const model::box& units,
                  const model::launch_geometry& g) {
  EXPECT_EQ(seen.size(), units.count());
  for (const auto& [unit, times] : seen) {
    EXPECT_EQ(times, 1);
    ASSERT_EQ(unit.size(), 9U) << "it ran whole";
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_GE(unit[3 * d], units.lo[d]);
      EXPECT_LT(unit[3 * d], units.hi[d]);
      EXPECT_EQ(unit[3 * d + 1], g.global[d]);
      EXPECT_EQ(unit[3 * d + 2], g.offset[d]);
    }
  }
}

model::launch_geometry range() {
  model::launch_geometry g;
  g.dimensions = 3;
  g.global = {{5, 9, 130}};
  g.offset = {{1, 20, 300}};
  return g;
}

model::launch_geometry groups() {
  model::launch_geometry g;
  g.dimensions = 3;
  g.grouped = true;
  g.global = {{4, 6, 64}};
  g.local = {{2, 3, 16}};
  return g;
}

TEST(GpuParts, RunTheItemsOfTheirPartOnce) {
  gpu_rig rig;
  add_noting_kernel(rig, "note", false);
  for (const model::box& units :
       {model::box{{{0, 0, 0}}, {{5, 9, 130}}}, model::box{{{0, 0, 7}}, {{5, 9, 8}}},
        model::box{{{3, 2, 70}}, {{5, 9, 129}}}, model::box{{{2, 2, 2}}, {{2, 9, 130}}}}) {
    std::map<std::vector<std::uint64_t>, int> seen;
    model::launch_geometry g = range();
    g.part = &units;
    auto& a = rig.lane();
    rig.submit(a, rig.kernel("note", functor{&seen}, g));
    rig.wait(a);
    expect_units(seen, units, g);
  }
}

TEST(GpuParts, RunTheGroupsOfTheirPartOnce) {
  gpu_rig rig;
  add_noting_kernel(rig, "note", true);
  const model::box units{{{1, 0, 1}}, {{2, 2, 3}}};
  std::map<std::vector<std::uint64_t>, int> seen;
  model::launch_geometry g = groups();
  g.part = &units;
  auto& a = rig.lane();
  rig.submit(a, rig.kernel("note", functor{&seen}, g));
  rig.wait(a);
  expect_units(seen, units, g);
}

TEST(GpuParts, RememberTheirPartUntilTheyAreGivenToTheDriver) {
  gpu_rig rig;
  add_noting_kernel(rig, "note", false);
  model::box units{{{0, 0, 3}}, {{5, 9, 20}}};
  const model::box before = units;
  std::map<std::vector<std::uint64_t>, int> seen;
  model::launch_geometry g = range();
  g.part = &units;
  auto& a = rig.lane();
  executors::progress host;
  rig.submit(a, rig.kernel("note", functor{&seen}, g), 0, {{&host, 1}});
  units = {};
  host.finish(1);
  rig.wait(a);
  expect_units(seen, before, g);
}

TEST(GpuParts, AreNodesOfGraphs) {
  gpu_rig rig;
  add_noting_kernel(rig, "note", false);
  const model::box first{{{0, 0, 0}}, {{2, 9, 130}}}, second{{{2, 0, 0}}, {{5, 9, 130}}};
  std::map<std::vector<std::uint64_t>, int> a, b;
  model::launch_geometry g = range();
  plan p(rig);
  g.part = &first;
  p.add(rig.kernel("note", functor{&a}, g));
  g.part = &second;
  p.add(rig.kernel("note", functor{&b}, g));
  const auto made = p.make();
  auto& lane = rig.lane();
  rig.launch(lane, *made);
  rig.wait(lane);
  expect_units(a, first, g);
  expect_units(b, second, g);
}

TEST(GpuParts, AreRefusedWhereTheCodeRunsWholeKernelsOnly) {
  gpu_rig rig;
  const model::box units{{{0, 0, 0}}, {{1, 1, 1}}};
  fake_kernel k;
  k.body = [](const void*, const pianola_launch&, const fake_item&) {};
  rig.add_kernel("whole", std::move(k));
  model::launch_geometry g = range();
  g.part = &units;
  auto& a = rig.lane();
  const executors::status s = rig.try_submit(a, rig.kernel("whole", functor{nullptr}, g));
  EXPECT_EQ(s.code, model::error_code::feature_not_supported);
  EXPECT_THAT(s.reason, HasSubstr("kernel 'whole'"));
  EXPECT_THAT(s.reason, HasSubstr("a part of its index space"));
}

}  // namespace
}  // namespace pianola::test
