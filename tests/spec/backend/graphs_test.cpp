// SPDX-License-Identifier: Apache-2.0
// Native graphs against an oracle of their edges.
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "graph_builder.hpp"

namespace pianola::test {
namespace {

using executors::native_graph;
using executors::resolved_nothing;

class graphs : public conformance {};
PIANOLA_FOR_EVERY_BACKEND(graphs);

TEST_P(graphs, respect_every_edge_at_every_launch) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::size_t count = 20 + seed * 15;
    watched_graph w(r, shared<watched_step>(watched_graph::memory_for(count)), seed, count,
                    seed % 2 == 0 && runs_host_code());
    const auto graph = w.builder.instantiate();
    auto& lane = r.lane();
    for (int launch = 0; launch < 20; ++launch) {
      r.launch(lane, *graph);
      r.wait(lane);
      w.expect_one_correct_run();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_P(graphs, give_the_same_data_as_their_steps_one_by_one) {
  affine_kernel kernel;
  constexpr std::uint64_t n = 5000;
  auto* data = static_cast<std::uint64_t*>(r.allocate(n * 8));
  auto* second = static_cast<std::uint64_t*>(r.allocate(n * 8));
  std::vector<std::uint64_t> host(n, 1), expected(n, 1), result(n);
  r.upload(data, host.data(), n * 8);
  graph_builder b(r);
  std::deque<affine_kernel::argument_bytes> arguments;
  std::uint32_t last = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    arguments.push_back({data, i});
    last = b.add(kernel.with(arguments.back(), n),
                 i == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{last});
  }
  executors::resolved_copy c;
  c.source = data;
  c.destination = second;
  c.from = c.to = r.memory_of(0);
  c.width = n * 8;
  b.add(c, {last});
  executors::resolved_fill f;
  f.destination = data;
  f.memory = r.memory_of(0);
  f.width = 8;
  b.add(f, {last + 1});
  const auto graph = b.instantiate();
  auto& lane = r.lane();
  for (int launch = 0; launch < 15; ++launch) {
    r.launch(lane, *graph);
    for (auto& x : expected)
      for (std::uint64_t i = 0; i < 50; ++i) x = affine_kernel::apply(x, i);
    r.wait(lane);
    r.download(result.data(), second, n * 8);
    ASSERT_EQ(result, expected) << "launch " << launch;
    expected[0] = 0;
    r.download(result.data(), data, n * 8);
    ASSERT_EQ(result, expected) << "launch " << launch;
  }
}

TEST_P(graphs, are_one_step_of_their_lane) {
  auto* counters = shared<std::uint32_t>(2);
  count_object<false> object{counters, counters + 1, {1, 1, 1}, {}};
  graph_builder b(r);
  for (int i = 0; i < 5; ++i) b.add(suite_kernel<count_object<false>>().over({{1, 1, 1}}, object));
  const auto graph = b.instantiate();
  auto& lane = r.lane();
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(r.launch(lane, *graph), static_cast<std::uint64_t>(i + 1));
  EXPECT_TRUE(eventually([&] { return lane.completion().reached(200); }));
  EXPECT_EQ(counters[0], 1000U);
}

TEST_P(graphs, without_steps_finish) {
  graph_builder b(r);
  const auto graph = b.instantiate();
  auto& lane = r.lane();
  for (int i = 0; i < 3; ++i) r.launch(lane, *graph);
  r.wait(lane);
  EXPECT_EQ(lane.completion().finished(), 3U);
}

TEST_P(graphs, wait_for_other_lanes_and_are_waited_for) {
  std::atomic<bool> open{false};
  callable_task gate([&] {
    while (!open) std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  auto* memory = shared<watched_step>(3);
  for (int i = 1; i < 3; ++i) memory[i].begin = ~std::uint64_t{0};
  watched_object in_graph{memory + 1, &memory->begin, 0}, after{memory + 2, &memory->begin, 0};
  const auto& kernel = suite_kernel<watched_object>();
  graph_builder b(r);
  b.add(kernel.over({{1, 1, 1}}, in_graph));
  const auto graph = b.instantiate();
  auto &x = tasks().lane(), &y = r.lane(), &z = r.lane();
  const auto first = tasks().submit(x, gate.step());
  const auto second = r.launch(y, *graph, 0, {{&x.completion(), first}});
  r.submit(z, kernel.over({{1, 1, 1}}, after), 0, {{&y.completion(), second}});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(__atomic_load_n(&memory->begin, __ATOMIC_ACQUIRE), 0U);
  open = true;
  r.wait(z);
  EXPECT_EQ(memory[1].end, 2U);
  EXPECT_EQ(memory[2].begin, 3U);
}

TEST_P(graphs, tell_the_observer_of_every_launch) {
  graph_builder b(r);
  b.add(resolved_nothing{});
  const auto graph = b.instantiate();
  auto& lane = r.lane();
  for (std::uint64_t i = 10; i < 20; ++i) {
    executors::step_submission s;
    const step_tag t = r.tag(i);
    s.context = t.bytes();
    s.timed = true;
    ASSERT_TRUE(r.backend().launch(lane, *graph, s).ok());
    host::team::instance().wait(lane.completion(), i - 9);
    EXPECT_EQ(r.log.of(i).entered, 1);
    EXPECT_EQ(r.log.of(i).finished, 1);
  }
}

TEST_P(graphs, run_what_an_update_has_put_in_the_place_of_a_step) {
  affine_kernel kernel;
  auto* data = static_cast<std::uint64_t*>(r.allocate(16));
  std::uint64_t host[2] = {1, 1};
  r.upload(data, host, 16);
  graph_builder b(r);
  affine_kernel::argument_bytes one{data, 1}, two{data, 2}, other{data + 1, 5};
  b.add(kernel.with(one, 1));
  b.add(kernel.with(two, 1), {0});
  const auto graph = b.instantiate();
  auto& lane = r.lane();
  r.launch(lane, *graph);
  r.wait(lane);
  const std::uint32_t index = 1;
  b.step(1).action = kernel.with(other, 1);
  ASSERT_TRUE(r.backend().update(*graph, {&index, 1}, {&b.step(1), 1}).ok());
  r.launch(lane, *graph);
  r.wait(lane);
  r.download(host, data, 16);
  EXPECT_EQ(host[0], affine_kernel::apply(affine_kernel::apply(affine_kernel::apply(1, 1), 2), 1));
  EXPECT_EQ(host[1], affine_kernel::apply(1, 5));
}

TEST_P(graphs, report_a_failing_step_once_per_launch) {
  PIANOLA_NEEDS_HOST_CODE();
  const auto spin = [](int n) {
    volatile double x = 0;
    for (int i = 0; i < n; ++i) x = x + 1;
  };
  // Large enough to be cut into parts, each of which fails.
  std::atomic<bool> fails{false};
  callable_kernel work([&](const auto&, const model::box& part, const auto&) {
    for (std::uint64_t i = 0; i < part.count(); ++i) spin(500);
    if (fails) throw std::runtime_error("part of a step");
  });
  callable_kernel harmless([](const auto&, const auto&, const auto&) {});
  graph_builder b(r);
  b.add(harmless.over({{1, 1, 1}}));
  b.add(work.over({{1, 1, 64}}), {0});
  b.add(harmless.over({{1, 1, 1}}), {1});
  const auto graph = b.instantiate();
  auto& lane = r.lane();
  for (int i = 0; i < 10; ++i) r.launch(lane, *graph);
  r.wait(lane);
  EXPECT_EQ(r.log.of(1).failed, 0);
  fails = true;
  for (int i = 1; i <= 20; ++i) {
    r.launch(lane, *graph);
    r.wait(lane);
    ASSERT_EQ(r.log.of(1).failed, i);
  }
  EXPECT_EQ(r.log.of(1).error, "part of a step");
  fails = false;
  r.launch(lane, *graph);
  r.wait(lane);
  EXPECT_EQ(r.log.of(1).failed, 20);
  EXPECT_EQ(r.log.of(0).failed + r.log.of(2).failed, 0);
}

TEST_P(graphs, skip_the_steps_that_are_not_admitted) {
  auto* memory = shared<watched_step>(2);
  watched_object work{memory + 1, &memory->begin, 500};
  const auto& kernel = suite_kernel<watched_object>();
  graph_builder b(r);
  b.add(kernel.over({{1, 1, 64}}, work));
  b.add(kernel.over({{1, 1, 64}}, work), {0});
  const auto graph = b.instantiate();
  auto& lane = r.lane();
  for (int i = 0; i < 10; ++i) r.launch(lane, *graph);
  r.wait(lane);
  attention() = true;
  r.log.admit = [](std::uint64_t id) { return id != 1; };
  EXPECT_EQ(memory[1].units, 1280U);
  memory[1].units = 0;
  for (int i = 1; i <= 10; ++i) {
    const int asked = r.log.of(1).admitted;
    r.launch(lane, *graph, 77);
    r.wait(lane);
    EXPECT_EQ(r.log.of(1).admitted, asked + 1);
  }
  EXPECT_EQ(memory[1].units, 640U);
}

TEST_P(graphs, with_host_tasks_may_wait_for_one_another) {
  PIANOLA_NEEDS_HOST_CODE();
  std::atomic<int> arrived{0};
  callable_task meet([&] {
    ++arrived;
    while (arrived % 2 != 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  graph_builder a(r), b(r);
  a.add(meet.step());
  b.add(meet.step());
  const auto first = a.instantiate(), second = b.instantiate();
  auto &x = r.lane(), &y = r.lane();
  for (int i = 0; i < 20; ++i) {
    r.launch(x, *first);
    r.launch(y, *second);
    r.wait(x);
    r.wait(y);
  }
  EXPECT_EQ(arrived, 40);
}

TEST_P(graphs, run_side_by_side_on_their_lanes) {
  std::deque<watched_graph> all;
  std::vector<std::unique_ptr<native_graph>> graphs;
  std::vector<executors::lane*> lanes;
  for (unsigned i = 0; i < 6; ++i) {
    all.emplace_back(r, shared<watched_step>(watched_graph::memory_for(60)), 100 + i, 60,
                     i % 3 == 0 && runs_host_code());
    graphs.push_back(all.back().builder.instantiate());
    lanes.push_back(&r.lane());
  }
  for (int launch = 0; launch < 15; ++launch) {
    for (std::size_t i = 0; i < 6; ++i) r.launch(*lanes[i], *graphs[i]);
    for (auto* l : lanes) r.wait(*l);
    for (auto& w : all) {
      w.expect_one_correct_run();
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace pianola::test
