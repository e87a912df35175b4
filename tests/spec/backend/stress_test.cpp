// SPDX-License-Identifier: Apache-2.0
// Many lanes, many threads.
#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "conformance.hpp"

namespace pianola::test {
namespace {

using executors::lane_position;
using executors::resolved_nothing;

class stress : public conformance {};
PIANOLA_FOR_EVERY_BACKEND(stress);

TEST_P(stress, hundreds_of_lanes_finish_without_any_wait) {
  std::vector<executors::lane*> lanes;
  for (int i = 0; i < 700; ++i) lanes.push_back(&r.lane());
  for (int round = 1; round <= 3; ++round) {
    for (auto* l : lanes) r.submit(*l, resolved_nothing{});
    for (auto* l : lanes)
      ASSERT_TRUE(
          eventually([&] { return l->completion().reached(static_cast<std::uint64_t>(round)); }));
  }
}

TEST_P(stress, lanes_that_wait_for_long_keep_nobody_else_from_running) {
  std::atomic<bool> open{false};
  callable_task gate([&] {
    while (!open) std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  auto& first = tasks().lane();
  const lane_position closed{&first.completion(), tasks().submit(first, gate.step())};
  std::vector<executors::lane*> blocked, free;
  for (int i = 0; i < 600; ++i) {
    blocked.push_back(&r.lane());
    r.submit(*blocked.back(), resolved_nothing{}, 0, {closed});
  }
  for (int i = 0; i < 50; ++i) {
    free.push_back(&r.lane());
    r.submit(*free.back(), resolved_nothing{});
  }
  for (auto* l : free) EXPECT_TRUE(eventually([&] { return l->completion().reached(1); }));
  for (auto* l : free) r.wait(*l);
  for (auto* l : blocked) EXPECT_EQ(l->completion().finished(), 0U);
  open = true;
  for (auto* l : blocked) r.wait(*l);
}

TEST_P(stress, threads_submit_to_lanes_of_their_own_and_wait_for_those_of_others) {
  constexpr int threads = 4;
  constexpr std::uint64_t steps = 3000;
  affine_kernel kernel;
  auto* data = static_cast<std::uint64_t*>(r.allocate(threads * 8));
  std::vector<std::uint64_t> host(threads, 1), expected(threads, 1);
  r.upload(data, host.data(), threads * 8);
  std::vector<executors::lane*> lanes;
  for (int t = 0; t < threads; ++t) lanes.push_back(&r.lane());
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (std::uint64_t i = 0; i < steps; ++i) {
        affine_kernel::argument_bytes a{data + t, i};
        // Only what has been submitted for sure may be waited for: what has begun.
        const auto& other = lanes[random() % threads]->completion();
        std::vector<lane_position> waits;
        if (random() % 4 == 0) waits.push_back({&other, other.begun()});
        r.submit(*lanes[static_cast<std::size_t>(t)], kernel.with(a, 1), 0, waits);
        if (random() % 200 == 0) r.wait(*lanes[static_cast<std::size_t>(t)]);
      }
    });
  for (auto& t : running) t.join();
  for (auto* l : lanes) r.wait(*l);
  r.download(host.data(), data, threads * 8);
  for (auto& x : expected)
    for (std::uint64_t i = 0; i < steps; ++i) x = affine_kernel::apply(x, i);
  EXPECT_EQ(host, expected);
}

TEST_P(stress, random_waits_between_lanes_are_all_respected) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    constexpr std::size_t lane_count = 12, steps = 1500;
    std::vector<executors::lane*> lanes, task_lanes;
    for (std::size_t i = 0; i < lane_count; ++i) {
      lanes.push_back(&r.lane());
      task_lanes.push_back(runs_host_code() ? lanes.back() : &tasks().lane());
    }
    auto* done = shared<std::uint32_t>(steps);
    auto* violations = shared<std::uint32_t>();
    std::deque<after_object> objects;
    std::vector<std::unique_ptr<callable_task>> running;
    std::vector<lane_position> place;
    for (std::size_t i = 0; i < steps; ++i) {
      std::vector<lane_position> waits;
      after_object& o = objects.emplace_back(
          after_object{done, violations, {}, 0, static_cast<std::uint32_t>(i)});
      for (std::size_t k = random() % 4; k > 0 && i > 0; --k) {
        const std::size_t b = i - 1 - random() % std::min<std::size_t>(i, 40);
        o.before[o.before_count++] = static_cast<std::uint32_t>(b);
        waits.push_back(place[b]);
      }
      const std::size_t l = random() % lane_count;
      if (random() % 30 == 0) {
        running.push_back(std::make_unique<callable_task>([&o] { o(); }));
        auto& lane = *task_lanes[l];
        const auto position = tasks().submit(lane, running.back()->step(), 0, waits);
        place.push_back({&lane.completion(), position});
      } else {
        const auto position =
            r.submit(*lanes[l], suite_kernel<after_object>().over({{1, 1, 1}}, o), 0, waits);
        place.push_back({&lanes[l]->completion(), position});
      }
    }
    for (auto* l : lanes) r.wait(*l);
    for (auto* l : task_lanes) tasks().wait(*l);
    EXPECT_EQ(*violations, 0U);
    for (std::size_t i = 0; i < steps; ++i) EXPECT_EQ(done[i], 1U) << i;
  }
}

// Backends of one domain wait for each other's lanes and share graphs.
TEST(domains, let_lanes_of_their_backends_wait_for_each_other) {
  rig cpu("openmp"), other("simulated");
  ASSERT_EQ(cpu.backend().domain(), other.backend().domain());
  std::uint64_t value = 1;
  auto &a = cpu.lane(), &b = other.lane();
  callable_task triple([&] { value *= 3; }), increment([&] { value += 1; });
  std::uint64_t expected = 1;
  std::vector<lane_position> waits;
  for (int i = 0; i < 300; ++i) {
    waits = {{&a.completion(), cpu.submit(a, triple.step(), 0, waits)}};
    waits = {{&b.completion(), other.submit(b, increment.step(), 0, waits)}};
    expected = expected * 3 + 1;
  }
  other.wait(b);
  EXPECT_EQ(value, expected);
}

TEST(domains, let_lanes_wait_for_progress_that_the_program_makes) {
  rig cpu("openmp");
  executors::progress own;
  auto& lane = cpu.lane();
  cpu.submit(lane, resolved_nothing{}, 0, {{&own, 1}});
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(lane.completion().reached(1));
  own.finish(1);
  EXPECT_TRUE(eventually([&] { return lane.completion().reached(1); }));
}

}  // namespace
}  // namespace pianola::test
