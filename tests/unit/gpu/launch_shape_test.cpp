// SPDX-License-Identifier: Apache-2.0
#include "operations/launch_shape.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

#include "gpu_rig.hpp"

namespace pianola::test {
namespace {

using gpu::launch_shape;
using gpu::shape_launch;
using gpu::shape_limits;
using gpu::shape_verdict;

model::launch_geometry range(std::uint64_t z, std::uint64_t y, std::uint64_t x) {
  model::launch_geometry g;
  g.global = {{z, y, x}};
  g.dimensions = 3;
  return g;
}

void expect_covers(const model::launch_geometry& g, const shape_limits& limits) {
  launch_shape s;
  ASSERT_EQ(shape_launch(g, limits, s), shape_verdict::fits);
  std::uint64_t items = 1;
  for (int d = 0; d < 3; ++d) {
    EXPECT_GE(std::uint64_t{s.groups[d]} * s.group_size[d], g.global.c[d]);
    EXPECT_LT(std::uint64_t{s.groups[d] - 1} * s.group_size[d], g.global.c[d]) << "an empty group";
    EXPECT_LE(s.groups[d], limits.max_grid[d]);
    EXPECT_LE(s.group_size[d], limits.max_group_sizes[d]);
    items *= s.group_size[d];
  }
  EXPECT_LE(items, limits.max_group_size);
}

TEST(GpuLaunchShape, CoversRangesOfEveryShape) {
  shape_limits limits;
  limits.max_group_sizes[0] = 64;
  for (const std::uint32_t preferred : {1U, 32U, 96U, 256U, 1024U}) {
    limits.preferred_group_size = preferred;
    for (const std::uint64_t z : {1U, 2U, 5U, 70U, 1000U})
      for (const std::uint64_t y : {1U, 3U, 33U, 300U, 4096U})
        for (const std::uint64_t x : {1U, 2U, 31U, 100U, 257U, 1000U, 100000U})
          expect_covers(range(z, y, x), limits);
  }
}

TEST(GpuLaunchShape, GivesTheFastestDimensionTheMost) {
  shape_limits limits;
  launch_shape s;
  ASSERT_EQ(shape_launch(range(1, 1, 1 << 20), limits, s), shape_verdict::fits);
  EXPECT_EQ(s.group_size[2], 256U);
  EXPECT_EQ(s.groups[2], 4096U);
  ASSERT_EQ(shape_launch(range(1, 1000, 5), limits, s), shape_verdict::fits);
  EXPECT_EQ(s.group_size[2], 5U);
  EXPECT_EQ(s.group_size[1], 51U);
  ASSERT_EQ(shape_launch(range(1, 1, 300), limits, s), shape_verdict::fits);
  EXPECT_EQ(s.group_size[2], 160U) << "two groups of about the same size";
}

TEST(GpuLaunchShape, TakesTheSizeThatTheProgramWishesForWhereTheDeviceCan) {
  shape_limits limits;
  launch_shape s;
  model::launch_geometry g = range(1, 1, 1000);
  g.local = {{1, 1, 96}};
  ASSERT_EQ(shape_launch(g, limits, s), shape_verdict::fits);
  EXPECT_EQ(s.group_size[2], 96U);
  EXPECT_EQ(s.groups[2], 11U);
  expect_covers(g, limits);
  g = range(1, 100, 100);
  g.local = {{1, 8, 16}};
  ASSERT_EQ(shape_launch(g, limits, s), shape_verdict::fits);
  EXPECT_EQ(s.group_size[1], 8U);
  EXPECT_EQ(s.group_size[2], 16U);
  g.local = {{1, 64, 64}};
  expect_covers(g, limits);
  ASSERT_EQ(shape_launch(g, limits, s), shape_verdict::fits);
  EXPECT_NE(s.group_size[1], 64U) << "too many work-items";
}

TEST(GpuLaunchShape, MakesGroupsLargerWhereTheGridWouldBeTooLarge) {
  shape_limits limits;
  expect_covers(range(1, 10'000'000, 2048), limits);
  expect_covers(range(1, 65536, 1), limits);
  expect_covers(range(65536, 65536, 16), limits);
  launch_shape s;
  EXPECT_EQ(shape_launch(range(1, std::uint64_t{1} << 30, 64), limits, s),
            shape_verdict::too_many_groups);
}

TEST(GpuLaunchShape, TakesGroupsAsTheyAre) {
  shape_limits limits;
  model::launch_geometry g = range(4, 6, 64);
  g.grouped = true;
  g.local = {{2, 3, 16}};
  launch_shape s;
  ASSERT_EQ(shape_launch(g, limits, s), shape_verdict::fits);
  EXPECT_EQ(s.groups[0], 2U);
  EXPECT_EQ(s.groups[1], 2U);
  EXPECT_EQ(s.groups[2], 4U);
  EXPECT_EQ(s.group_size[2], 16U);
  limits.max_group_size = 64;
  EXPECT_EQ(shape_launch(g, limits, s), shape_verdict::group_too_large);
}

struct count_functor {
  std::map<std::vector<std::uint64_t>, int>* seen;
};

// As a compiled range kernel: work-items outside of the range do nothing.
TEST(GpuLaunchShape, LetsEveryWorkItemRunOnce) {
  gpu_rig rig;
  fake_kernel k;
  k.functor_bytes = sizeof(count_functor);
  k.body = [](const void* functor, const pianola_launch& l, const fake_item& item) {
    for (int d = 0; d < 3; ++d)
      if (item.id[d] >= l.global[d]) return;
    ++(*static_cast<const count_functor*>(functor)
            ->seen)[{item.id[0] + l.offset[0], item.id[1] + l.offset[1], item.id[2] + l.offset[2]}];
  };
  rig.add_kernel("count", std::move(k));
  auto& a = rig.lane();
  for (const auto& g : {range(1, 1, 1), range(1, 1, 130), range(1, 7, 9), range(3, 5, 7),
                        range(2, 70, 1), range(5, 0, 2)}) {
    std::map<std::vector<std::uint64_t>, int> seen;
    model::launch_geometry moved = g;
    moved.offset = {{1, 20, 300}};
    rig.submit(a, rig.kernel("count", count_functor{&seen}, moved));
    rig.wait(a);
    EXPECT_EQ(seen.size(), volume(g.global));
    for (const auto& [id, times] : seen) {
      EXPECT_EQ(times, 1);
      for (int d = 0; d < 3; ++d) {
        EXPECT_GE(id[d], moved.offset.c[d]);
        EXPECT_LT(id[d], moved.offset.c[d] + g.global.c[d]);
      }
    }
  }
}

struct local_functor {
  std::uint64_t before;
  std::uint64_t place;
  std::uint64_t* out;
};

TEST(GpuLaunchShape, TellsKernelsWhereTheirLocalMemoryIs) {
  gpu_rig rig;
  fake_kernel k;
  k.functor_bytes = sizeof(local_functor);
  k.body = [](const void* functor, const pianola_launch&, const fake_item&) {
    const auto& f = *static_cast<const local_functor*>(functor);
    f.out[0] = f.before;
    f.out[1] = f.place;
  };
  rig.add_kernel("local", std::move(k));
  auto& a = rig.lane();
  std::uint64_t out[2] = {};
  const local_functor f{11, 0xdead, out};
  executors::resolved_kernel r = rig.kernel("local", f, {});
  model::argument_slot slots[] = {{8, model::argument_slot::kind::local_memory, 0, 128}};
  r.local_slots = {slots, 1};
  r.local_memory_bytes = 256;
  rig.submit(a, r);
  rig.wait(a);
  EXPECT_EQ(out[0], 11U);
  EXPECT_EQ(out[1], 128U);
  local_functor kept;
  std::memcpy(&kept, r.arguments.bytes, sizeof kept);
  EXPECT_EQ(kept.place, 0xdeadU) << "what was submitted is not written to";

  executors::progress host;
  out[1] = 0;
  rig.submit(a, r, 0, {{&host, 1}});
  std::memset(r.arguments.bytes, 0, sizeof f);  // was only lent
  slots[0].byte_offset = 77;
  host.finish(1);
  rig.wait(a);
  EXPECT_EQ(out[1], 128U);
}

}  // namespace
}  // namespace pianola::test
