// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

using executors::native_graph;
using executors::resolved_copy;
using executors::resolved_fill;
using testing::ElementsAre;

struct updates : testing::Test {
  int a[8] = {};
  int b[8] = {};
  int source[8] = {1, 2, 3, 4, 5, 6, 7, 8};

  // One step of each kind; what they do can be exchanged.
  static void run(gpu_rig& rig, native_graph& g) {
    auto& l = rig.lane();
    rig.launch(l, g);
    rig.wait(l);
  }
};

TEST_F(updates, ChangeSingleNodesWhereTheDriverCan) {
  gpu_rig rig;
  plan p(rig);
  int called = 0;
  const auto first = p.add(rig.call([&] { called = 1; }));
  const auto second = p.add(copy_of(a, source, 16), {first});
  const auto third = p.add(fill_of(b, 7, 4), {second});
  for (int i = 0; i < 20; ++i) p.add(rig.call([] {}), {third});
  const auto g = p.make();
  run(rig, *g);
  EXPECT_EQ(called, 1);
  EXPECT_THAT(a, ElementsAre(1, 2, 3, 4, 0, 0, 0, 0));
  EXPECT_THAT(b, ElementsAre(7, 7, 7, 7, 0, 0, 0, 0));

  plan q(rig);
  q.add(rig.call([&] { called = 2; }));
  q.add(copy_of(a + 4, source + 2, 16));
  q.add(fill_of(b + 4, 9, 4));
  const std::uint32_t indices[] = {first, second, third};
  const auto s = rig.backend->update(*g, indices, q.steps);
  ASSERT_TRUE(s.ok()) << s.reason;
  run(rig, *g);
  EXPECT_EQ(called, 2);
  EXPECT_THAT(a, ElementsAre(1, 2, 3, 4, 3, 4, 5, 6));
  EXPECT_THAT(b, ElementsAre(7, 7, 7, 7, 9, 9, 9, 9));
  EXPECT_EQ(rig.backend->counters().node_updates, 3U) << "in proportion to what changes";
  EXPECT_EQ(rig.backend->counters().reinstantiations, 0U);
  EXPECT_EQ(rig.driver->calls("set_kernel"), 0U);

  attention() = true;  // step by step it does the same
  called = 0;
  run(rig, *g);
  EXPECT_EQ(called, 2);
}

TEST_F(updates, TakeTheWholeGraphWhereNodesAreRefused) {
  gpu_rig rig;
  plan p(rig);
  const auto first = p.add(fill_of(a, 1, 4));
  const auto second = p.add(fill_of(b, 1, 4), {first});
  const auto g = p.make();
  plan q(rig);
  q.add(fill_of(a, 2, 4));
  const std::uint32_t one[] = {first};
  ASSERT_TRUE(rig.backend->update(*g, one, q.steps).ok());
  rig.driver->refuse_node_updates = true;
  plan r(rig);
  r.add(fill_of(b, 3, 4));
  const std::uint32_t two[] = {second};
  ASSERT_TRUE(rig.backend->update(*g, two, r.steps).ok());
  EXPECT_EQ(rig.backend->counters().graph_updates, 1U);
  EXPECT_EQ(rig.backend->counters().reinstantiations, 0U);
  run(rig, *g);
  EXPECT_EQ(a[0], 2) << "earlier updates are not lost";
  EXPECT_EQ(b[0], 3);
}

TEST_F(updates, InstantiateAnewOnceWhereTheDriverRefusesAndCountIt) {
  gpu_rig rig;
  plan p(rig);
  const auto first = p.add(fill_of(a, 1, 4));
  const auto second = p.add(fill_of(b, 1, 4), {first});
  const auto g = p.make();
  rig.driver->refuse_node_updates = rig.driver->refuse_graph_updates = true;
  plan q(rig);
  q.add(fill_of(a, 2, 4));
  q.add(fill_of(b, 3, 4));
  const std::uint32_t both[] = {first, second};
  ASSERT_TRUE(rig.backend->update(*g, both, q.steps).ok());
  EXPECT_EQ(rig.backend->counters().reinstantiations, 1U);
  EXPECT_EQ(rig.driver->calls("instantiate"), 2U);
  run(rig, *g);
  EXPECT_EQ(a[0], 2);
  EXPECT_EQ(b[0], 3);
}

TEST_F(updates, DoNotBelieveWholeGraphUpdatesUnlessTold) {
  fake_setup setup;
  setup.can = {};
  gpu_rig rig(setup);
  plan p(rig);
  const auto first = p.add(fill_of(a, 1, 4));
  const auto g = p.make();
  plan q(rig);
  q.add(fill_of(a, 2, 4));
  const std::uint32_t one[] = {first};
  ASSERT_TRUE(rig.backend->update(*g, one, q.steps).ok());
  EXPECT_EQ(rig.driver->calls("update_graph") + rig.driver->calls("update_fill"), 0U);
  EXPECT_EQ(rig.driver->calls("upload"), 0U);
  EXPECT_EQ(rig.backend->counters().reinstantiations, 1U);
  run(rig, *g);
  EXPECT_EQ(a[0], 2);
}

TEST_F(updates, AskForNoNodeOfACopyOfSeveralDimensionsToChange) {
  gpu_rig rig;
  rig.driver->refuse_graph_updates = true;
  plan p(rig);
  resolved_copy c = copy_of(a, source, 4);
  c.height = 2;
  c.source_row_pitch = c.destination_row_pitch = 8;
  const auto first = p.add(c);
  const auto g = p.make();
  plan q(rig);
  c.destination = b;
  q.add(c);
  const std::uint32_t one[] = {first};
  ASSERT_TRUE(rig.backend->update(*g, one, q.steps).ok());
  EXPECT_EQ(rig.driver->calls("update_copy"), 0U);
  EXPECT_EQ(rig.backend->counters().reinstantiations, 1U);
  run(rig, *g);
  EXPECT_THAT(b, ElementsAre(1, 0, 3, 0, 0, 0, 0, 0));
}

TEST_F(updates, MakeTheGraphAnewWhereItsNodesDoNotFit) {
  gpu_rig rig;
  plan p(rig);
  const auto first = p.add(fill_of(a, 0x01010101, 4));
  p.add(copy_of(b, a, 16), {first});
  const auto g = p.make();
  plan q(rig);
  resolved_fill f = fill_of(a, 0, 4);
  f.pattern_bytes = 8;  // two operations now
  const int pattern[2] = {5, 6};
  std::memcpy(f.pattern, pattern, 8);
  q.add(f);
  const std::uint32_t one[] = {first};
  ASSERT_TRUE(rig.backend->update(*g, one, q.steps).ok());
  EXPECT_EQ(nodes_of(rig, *g).size(), 3U);
  EXPECT_EQ(rig.backend->counters().reinstantiations, 1U);
  run(rig, *g);
  EXPECT_THAT(b, ElementsAre(5, 6, 5, 6, 0, 0, 0, 0));
}

TEST_F(updates, MakeTheGraphAnewWhereItsNodesCannotBeSet) {
  gpu_rig rig;
  plan p(rig);
  const auto first = p.add(fill_of(a, 1, 4));
  p.add(copy_of(b, a, 16), {first});
  const auto g = p.make();
  plan q(rig);
  q.add(fill_of(a, 2, 4));
  const std::uint32_t one[] = {first};
  rig.driver->refuse_node_updates = true;
  rig.driver->fail("set_fill", 1, fake_driver::refused);
  const auto s = rig.backend->update(*g, one, q.steps);
  ASSERT_TRUE(s.ok()) << s.reason;
  EXPECT_EQ(rig.backend->counters().reinstantiations, 1U);
  run(rig, *g);
  EXPECT_THAT(b, ElementsAre(2, 2, 2, 2, 0, 0, 0, 0));
}

TEST_F(updates, MakeTheGraphAnewWhereCopiesHaveNodesOfTwoKinds) {
  fake_setup setup;
  setup.can.whole_graph_updates = false;
  setup.can.copies_keep_dimensions = true;
  gpu_rig rig(setup);
  plan p(rig);
  const auto first = p.add(copy_of(a, source, 8));
  const auto g = p.make();
  const std::uint32_t one[] = {first};
  resolved_copy c = copy_of(b, source, 4);
  c.height = 2;
  c.source_row_pitch = c.destination_row_pitch = 8;
  for (const resolved_copy& next : {c, copy_of(b + 4, source, 8)}) {  // there and back
    plan q(rig);
    q.add(next);
    ASSERT_TRUE(rig.backend->update(*g, one, q.steps).ok());
    run(rig, *g);
  }
  EXPECT_THAT(b, ElementsAre(1, 0, 3, 0, 1, 2, 0, 0));
  EXPECT_EQ(rig.driver->calls("set_copy"), 0U);
  EXPECT_EQ(rig.backend->counters().reinstantiations, 2U);
}

// There is no memory for the other graph, and the one that was is no more.
TEST_F(updates, ThatFailHalfWayLeaveTheGraphToBeRunStepByStep) {
  for (const char* call : {"make_graph", "add_fill", "add_copy", "instantiate"}) {
    gpu_rig rig;
    plan p(rig);
    const auto first = p.add(fill_of(a, 1, 4));
    p.add(copy_of(b, a, 16), {first});
    const auto g = p.make();
    const auto fill = [&](int value, std::uint32_t pattern_bytes) {
      plan q(rig);
      resolved_fill f = fill_of(a, value, 4);
      f.pattern_bytes = pattern_bytes;  // 8: two operations
      const int pattern[2] = {value, value + 1};
      std::memcpy(f.pattern, pattern, 8);
      q.add(f);
      const std::uint32_t one[] = {first};
      return rig.backend->update(*g, one, q.steps);
    };
    rig.driver->fail(call, 1, fake_driver::out_of_memory);
    EXPECT_FALSE(fill(5, 8).ok()) << call;
    run(rig, *g);
    EXPECT_THAT(b, ElementsAre(5, 6, 5, 6, 0, 0, 0, 0)) << call;
    EXPECT_EQ(rig.backend->counters().stepwise, 1U) << call;
    // With memory again it becomes a graph again.
    ASSERT_TRUE(fill(7, 4).ok()) << call;
    run(rig, *g);
    EXPECT_THAT(b, ElementsAre(7, 7, 7, 7, 0, 0, 0, 0)) << call;
    EXPECT_EQ(rig.backend->counters().stepwise, 1U) << call;
    EXPECT_EQ(rig.backend->counters().launches, 1U) << call;
  }
}

TEST_F(updates, LeaveTheGraphAloneWhereTheyAreImpossible) {
  gpu_rig rig;
  plan p(rig);
  int called = 0;
  const auto first = p.add(rig.call([&] { called = 1; }));
  const auto second = p.add(fill_of(a, 1, 4), {first});
  const auto g = p.make();
  rig.add_kernel("elsewhere", {}, {"sm_90"});
  plan q(rig);
  q.add(fill_of(a, 2, 4));
  q.add(rig.kernel("elsewhere", 0, {}));
  const std::uint32_t both[] = {second, first};
  EXPECT_EQ(rig.backend->update(*g, both, q.steps).code, model::error_code::kernel_not_supported);
  run(rig, *g);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(a[0], 1);
}

TEST_F(updates, LeaveLaunchesUnderWayAlone) {
  fake_setup setup;
  setup.pace = fake_pace::by_hand;
  gpu_rig rig(setup);
  plan p(rig);
  const auto first = p.add(fill_of(a, 1, 4));
  const auto g = p.make();
  auto& l = rig.lane();
  rig.launch(l, *g);
  plan q(rig);
  q.add(fill_of(b, 2, 4));
  const std::uint32_t one[] = {first};
  rig.driver->refuse_node_updates = rig.driver->refuse_graph_updates = true;
  ASSERT_TRUE(rig.backend->update(*g, one, q.steps).ok());
  rig.launch(l, *g);
  rig.driver->go();
  rig.wait(l);
  EXPECT_EQ(a[0], 1);
  EXPECT_EQ(b[0], 2);
}

}  // namespace
}  // namespace pianola::test
