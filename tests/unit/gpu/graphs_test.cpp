// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

using executors::graph_step;
using executors::native_graph;
using executors::resolved_copy;
using executors::resolved_fill;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(GpuGraphs, HaveTheEdgesOfThePlan) {
  gpu_rig rig;
  plan p(rig);
  const auto a = p.add(rig.call([] {}));
  const auto b = p.add(rig.call([] {}), {a});
  const auto c = p.add(rig.call([] {}), {a});
  const auto d = p.add(executors::resolved_nothing{}, {b, c});
  p.add(rig.call([] {}), {d});
  const auto g = p.make();
  const fake_nodes n = nodes_of(rig, *g);
  ASSERT_EQ(n.size(), 5U);
  EXPECT_THAT(n[0].after, IsEmpty());
  EXPECT_THAT(n[1].after, ElementsAre(0U));
  EXPECT_THAT(n[2].after, ElementsAre(0U));
  EXPECT_EQ(n[3].what, fake_node::kind::empty);
  EXPECT_THAT(n[3].after, UnorderedElementsAre(1U, 2U));
  EXPECT_THAT(n[4].after, ElementsAre(3U));
  EXPECT_EQ(rig.driver->calls("upload"), 1U);
}

TEST(GpuGraphs, HaveNoNodesForNothing) {
  gpu_rig rig;
  plan p(rig);
  const auto a = p.add(rig.call([] {}));
  const auto b = p.add(executors::resolved_nothing{}, {a});
  const auto c = p.add(executors::resolved_nothing{}, {b});
  p.add(rig.call([] {}), {a, c});
  const auto g = p.make();
  const fake_nodes n = nodes_of(rig, *g);
  ASSERT_EQ(n.size(), 2U) << "the chain stays one";
  EXPECT_THAT(n[1].after, ElementsAre(0U)) << "an edge is there once";
}

TEST(GpuGraphs, MakeAChainOfAStepThatTakesSeveralOperations) {
  gpu_rig rig;
  std::vector<double> data(10, 0.0);
  plan p(rig);
  resolved_fill f;
  f.destination = data.data();
  f.width = f.row_pitch = f.slice_pitch = 80;
  f.pattern_bytes = 8;
  const double value = 1.1;
  std::memcpy(f.pattern, &value, 8);
  const auto a = p.add(f);
  p.add(rig.call([] {}), {a});
  const auto g = p.make();
  const fake_nodes n = nodes_of(rig, *g);
  ASSERT_EQ(n.size(), 3U);
  EXPECT_THAT(n[1].after, ElementsAre(0U));
  EXPECT_THAT(n[2].after, ElementsAre(1U));
  auto& l = rig.lane();
  rig.launch(l, *g);
  rig.wait(l);
  EXPECT_EQ(data, std::vector<double>(10, 1.1));
}

TEST(GpuGraphs, GiveNodesThePrioritiesOfTheirSteps) {
  gpu_rig rig;
  plan p(rig);
  const auto a = p.add(rig.call([] {}));
  const auto urgent = p.add(rig.call([] {}), {a});
  const auto patient = p.add(rig.call([] {}), {a});
  p.steps[urgent].priority = -5;
  const fake_nodes n = nodes_of(rig, *p.make());
  EXPECT_EQ(n[urgent].priority, -5);
  EXPECT_EQ(n[patient].priority, 0);
}

TEST(GpuGraphs, RunAgainAndAgainOverSeveralDevices) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    fake_setup setup;
    setup.devices = 2;
    setup.seed = seed;
    gpu_rig rig(setup);
    std::mt19937 random(seed);
    plan p(rig);
    constexpr std::uint32_t steps = 60;
    std::vector<int> runs(steps, 0);
    int wrong = 0;
    for (std::uint32_t i = 0; i < steps; ++i) {
      std::vector<std::uint32_t> waits;
      for (std::uint32_t w = 0; w < i; ++w)
        if (random() % 8 == 0) waits.push_back(w);
      p.add(rig.call([&runs, &wrong, waits, i] {
        for (const auto w : waits) wrong += runs[w] != runs[i] + 1;
        ++runs[i];
      }),
            waits, random() % 2);
    }
    const auto g = p.make();
    auto& l = rig.lane();
    for (int i = 0; i < 20; ++i) rig.launch(l, *g, static_cast<std::uint64_t>(i));
    rig.wait(l);
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(runs, std::vector<int>(steps, 20));
    EXPECT_EQ(rig.backend->counters().launches, 20U);
    EXPECT_EQ(rig.log.of(7).entered, 1);
  }
}

TEST(GpuGraphs, OfSeveralDevicesAreRunStepByStepWhereTheDriverHasNoSuchGraphs) {
  fake_setup setup;
  setup.devices = 2;
  setup.can.multi_device_graphs = false;
  gpu_rig rig(setup);
  plan several(rig), one(rig);
  std::vector<int> ran;
  const auto note = [&](int i) { return rig.call([&ran, i] { ran.push_back(i); }); };
  const auto first = several.add(note(0));
  several.add(note(1), {first}, 1);
  one.add(note(2));
  const auto g = several.make();
  const auto h = one.make();
  auto& l = rig.lane();
  rig.launch(l, *g, 1);
  rig.launch(l, *h, 2);
  rig.wait(l);
  EXPECT_THAT(ran, ElementsAre(0, 1, 2));
  EXPECT_EQ(rig.backend->counters().stepwise, 1U);
  EXPECT_EQ(rig.backend->counters().launches, 1U);
  EXPECT_EQ(rig.log.of(1).entered, 1);
}

TEST(GpuGraphs, ThatCopyToDevicesOutOfReachAreRunStepByStep) {
  fake_setup setup;
  setup.devices = 2;
  setup.reaches_in_graphs = false;
  gpu_rig rig(setup);
  auto* const from = static_cast<int*>(rig.allocate(400, 0));
  auto* const to = static_cast<int*>(rig.allocate(400, 1));
  auto across = copy_of(to, from, 400);
  across.from = rig.memory_of(0);
  across.to = rig.memory_of(1);
  plan p(rig), here(rig);
  const auto filled = p.add(fill_of(from, 5, 100));
  p.add(across, {filled}, 1);
  here.add(fill_of(from, 6, 100));
  const auto g = p.make(), h = here.make();
  auto& l = rig.lane();
  rig.launch(l, *g);
  rig.wait(l);
  EXPECT_EQ(to[99], 5);
  EXPECT_EQ(rig.backend->counters().stepwise, 1U);
  // Also after updates, and until one needs no such copy any more.
  std::vector<executors::graph_step> changed = p.steps;
  changed[0].action = fill_of(from, 7, 100);
  const std::uint32_t first = 0;
  ASSERT_TRUE(rig.backend->update(*g, {&first, 1}, {changed.data(), 1}).ok());
  rig.launch(l, *g);
  rig.wait(l);
  EXPECT_EQ(to[99], 7);
  EXPECT_EQ(rig.backend->counters().stepwise, 2U);
  auto within = copy_of(to, to + 50, 200);
  within.from = within.to = rig.memory_of(1);
  changed[1].action = within;
  const std::uint32_t second = 1;
  ASSERT_TRUE(rig.backend->update(*g, {&second, 1}, {changed.data() + 1, 1}).ok());
  rig.launch(l, *g);
  rig.launch(l, *h);
  rig.wait(l);
  EXPECT_EQ(rig.backend->counters().stepwise, 2U);
  // And back: a graph that is there is given up for it.
  ASSERT_TRUE(rig.backend->update(*g, {&second, 1}, {p.steps.data() + 1, 1}).ok());
  rig.launch(l, *g);
  rig.wait(l);
  EXPECT_EQ(to[99], 7);
  EXPECT_EQ(rig.backend->counters().stepwise, 3U);
}

TEST(GpuGraphs, WaitForTheHostLikeAnyStep) {
  gpu_rig rig;
  plan p(rig);
  std::atomic<int> ran{0};
  p.add(rig.call([&] { ++ran; }));
  const auto g = p.make();
  auto& l = rig.lane();
  executors::progress host;
  rig.launch(l, *g, 1, {{&host, 1}}, true);
  rig.submit(l, rig.call([&] { ran = 10 * ran; }), 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_EQ(ran, 0);
  host.finish(1);
  rig.wait(l);
  EXPECT_EQ(ran, 10);
  EXPECT_EQ(rig.log.of(1).timed, 1);
  EXPECT_GT(rig.log.of(1).ended, rig.log.of(1).started);
}

TEST(GpuGraphs, RunStepByStepWhileSomethingHasFailed) {
  fake_setup setup;
  setup.devices = 2;
  gpu_rig rig(setup);
  plan p(rig);
  std::vector<int> ran;
  const auto note = [&](int i) { return rig.call([&ran, i] { ran.push_back(i); }); };
  const auto a = p.add(note(0));
  const auto b = p.add(note(1), {a}, 1);
  const auto c = p.add(note(2), {b});
  p.add(note(3), {c}, 1);
  const auto g = p.make();
  auto& l = rig.lane();
  rig.log.admit = [](std::uint64_t id) { return id != 101; };
  attention() = true;
  rig.launch(l, *g, 1);
  rig.wait(l);
  EXPECT_THAT(ran, ElementsAre(0, 2, 3));
  EXPECT_EQ(rig.backend->counters().stepwise, 1U);
  EXPECT_EQ(rig.backend->counters().launches, 0U);
  EXPECT_EQ(rig.log.of(1).admitted, 1);
  EXPECT_EQ(rig.log.of(1).entered, 1);
  for (std::uint64_t id = 100; id < 104; ++id) EXPECT_EQ(rig.log.of(id).admitted, 1);

  ran.clear();
  rig.driver->fail("launch", 2, fake_driver::invalid);
  rig.log.admit = nullptr;
  rig.launch(l, *g, 2);
  rig.wait(l);
  EXPECT_THAT(ran, ElementsAre(0, 2, 3));
  EXPECT_EQ(rig.log.of(101).failed, 1);
  EXPECT_EQ(rig.log.of(2).failed, 0);

  attention() = false;
  ran.clear();
  rig.launch(l, *g, 3);
  rig.wait(l);
  EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(rig.backend->counters().launches, 1U);
}

TEST(GpuGraphs, KeepTheirOrderOverDevicesStepByStep) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    fake_setup setup;
    setup.devices = 3;
    setup.seed = seed;
    gpu_rig rig(setup);
    plan p(rig);
    std::vector<std::uint32_t> ran;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 12; ++i) {
      expected.push_back(i);
      std::vector<std::uint32_t> waits;
      if (i != 0) waits.push_back(i - 1);
      p.add(rig.call([&ran, i] { ran.push_back(i); }), waits, (i * 7 / 2) % 3);
    }
    const auto g = p.make();
    auto& l = rig.lane();
    attention() = true;
    rig.driver->hold(true);
    rig.launch(l, *g);
    while (l.completion().begun() == 0) std::this_thread::yield();
    rig.driver->hold(false);
    rig.wait(l);
    EXPECT_EQ(ran, expected);
  }
}

TEST(GpuGraphs, RefuseStepsOfTheHost) {
  gpu_rig rig;
  gpu_rig other;
  plan p(rig);
  p.add(executors::resolved_host_task{});
  std::unique_ptr<native_graph> g;
  EXPECT_THAT(p.try_to_make(g).reason, HasSubstr("internal error"));
  plan q(rig);
  q.add(executors::resolved_nothing{});
  q.steps[0].owner = other.backend.get();
  EXPECT_THAT(q.try_to_make(g).reason, HasSubstr("internal error"));
  EXPECT_THAT(rig.try_submit(rig.lane(), executors::resolved_host_task{}).reason,
              HasSubstr("internal error"));
}

TEST(GpuGraphs, ThatFailToBeMadeLeaveNothingBehind) {
  for (const char* entry : {"make_graph", "add_kernel", "add_copy", "add_fill", "instantiate"}) {
    gpu_rig rig;
    int data[4] = {};
    int more[4] = {};
    plan p(rig);
    const auto a = p.add(rig.call([] {}));
    const auto b = p.add(copy_of(data, more, 16), {a});
    p.add(fill_of(data, 3, 4), {b});
    rig.driver->fail(entry, 1, fake_driver::out_of_memory);
    std::unique_ptr<native_graph> g;
    const auto s = p.try_to_make(g);
    EXPECT_EQ(s.code, model::error_code::memory_allocation) << entry;
    EXPECT_EQ(g, nullptr);
  }
}

TEST(GpuGraphs, WithChainsThatTheDriverDoesNotTakeAreRunStepByStep) {
  fake_setup setup;
  setup.can.longest_chain = 3;
  gpu_rig rig(setup);
  const auto run = [&](int length, int beside) {
    plan p(rig);
    int ran = 0;
    for (int i = 0; i < length; ++i)
      p.add(rig.call([&ran] { ++ran; }), i == 0 ? std::vector<std::uint32_t>{}
                                                : std::vector<std::uint32_t>{std::uint32_t(i - 1)});
    for (int i = 0; i < beside; ++i) p.add(rig.call([&ran] { ++ran; }));
    const auto g = p.make();
    auto& l = rig.lane();
    rig.launch(l, *g);
    rig.wait(l);
    // What has another step is as long.
    plan q(rig);
    q.add(rig.call([&ran] { ran += 10; }));
    const std::uint32_t first[] = {0};
    EXPECT_TRUE(rig.backend->update(*g, first, q.steps).ok());
    rig.launch(l, *g);
    rig.wait(l);
    EXPECT_EQ(ran, 2 * (length + beside) + 9);
    return rig.backend->counters().stepwise;
  };
  EXPECT_EQ(run(3, 5), 0U);
  EXPECT_EQ(run(4, 0), 2U);
}

}  // namespace
}  // namespace pianola::test
