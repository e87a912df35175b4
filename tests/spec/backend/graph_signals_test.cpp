// SPDX-License-Identifier: Apache-2.0
// Steps of native graphs that somebody outside waits for.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pianola/host/team.hpp>
#include <pianola/model/kernel_facts.hpp>

#include "graph_builder.hpp"

namespace pianola::test {
namespace {

using executors::lane_position;
using executors::native_graph;

#define PIANOLA_NEEDS_SIGNALS() \
  if (!r.backend().links().signals) GTEST_SKIP() << "graphs of the backend have no signals"

// Also of a device that tells only when asked.
bool arrived(const lane_position& signal) {
  if (executors::progress_source* source = signal.lane->source()) source->look(*signal.lane);
  return signal.lane->reached(signal.position);
}

class graph_signals : public conformance {
 protected:
  // A step that lasts until it is told to end: a host task, where a kernel might be run by the thread that tells it.
  class gate {
   public:
    explicit gate(graph_signals& test)
        : open_(test.shared<std::uint32_t>()), object_{open_}, as_task_(test.runs_host_code()) {}
    executors::resolved_action step() {
      if (as_task_) return task_.step();
      return suite_kernel<gate_object>().over({{1, 1, 1}}, object_);
    }
    void set(bool open) { __atomic_store_n(open_, open ? 1U : 0U, __ATOMIC_RELEASE); }

   private:
    std::uint32_t* open_;
    gate_object object_;
    bool as_task_;
    callable_task task_{[this] {
      while (__atomic_load_n(open_, __ATOMIC_ACQUIRE) == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }};
  };

  // Lets the lane finish, also when the test fails.
  class ending {
   public:
    ending(rig& r, executors::lane& lane, std::function<void()> open)
        : rig_(r), lane_(lane), open_(std::move(open)) {}
    ending(const ending&) = delete;
    ending& operator=(const ending&) = delete;
    ~ending() {
      open_();
      rig_.wait(lane_);
    }

   private:
    rig& rig_;
    executors::lane& lane_;
    std::function<void()> open_;
  };

  // Without anybody's help.
  bool comes(const lane_position& signal) {
    return eventually([&] { return arrived(signal); });
  }
  void wait(const lane_position& signal) {
    host::team::instance().wait(*signal.lane, signal.position);
  }
};
PIANOLA_FOR_EVERY_BACKEND(graph_signals);

TEST_P(graph_signals, come_while_later_steps_still_run) {
  PIANOLA_NEEDS_SIGNALS();
  constexpr std::uint64_t n = 20000;
  affine_kernel kernel;
  auto* early = shared<std::uint64_t>(n);
  auto* late = shared<std::uint64_t>(n);
  auto* behind = shared<std::uint64_t>(n);
  affine_kernel::argument_bytes one{early, 1}, two{late, 2}, three{behind, 3};
  gate g(*this);
  graph_builder b(r);
  const auto first = b.add(kernel.with(one, n));
  const auto held = b.add(g.step(), {first});
  const auto last = b.add(kernel.with(two, n), {held});
  b.step(first).signals = b.step(last).signals = true;
  const auto graph = b.instantiate();
  auto &x = r.lane(), &y = r.lane(), &z = tasks().lane();
  std::uint64_t expected = 0;
  std::atomic<int> wrong{0};
  callable_task look([&] {
    for (std::uint64_t i = 0; i < n; ++i) wrong += early[i] != expected ? 1 : 0;
  });
  const ending at_last(r, y, [&] { g.set(true); });
  for (std::uint64_t launch = 1; launch <= 20; ++launch) {
    expected = affine_kernel::apply(expected, 1);
    g.set(false);
    r.launch(y, *graph);
    const lane_position signal = graph->signal(first), end = graph->signal(last);
    r.submit(x, kernel.with(three, n), 0, {signal});
    tasks().submit(z, look.step(), 0, {signal});
    if (launch % 2 == 0)
      wait(signal);
    else
      ASSERT_TRUE(comes(signal));
    ASSERT_TRUE(signal.lane->reached(signal.position));
    r.wait(x);
    tasks().wait(z);
    ASSERT_EQ(wrong, 0) << "launch " << launch;
    ASSERT_EQ(behind[n - 1] % 3, 0U);
    ASSERT_FALSE(arrived(end)) << "launch " << launch;
    ASSERT_FALSE(y.completion().reached(launch));
    g.set(true);
    if (launch % 3 == 0) wait(end);
    r.wait(y);
    ASSERT_TRUE(arrived(end));
  }
}

TEST_P(graph_signals, are_those_of_the_launch_that_was_submitted_last) {
  PIANOLA_NEEDS_SIGNALS();
  constexpr int launches = 6;
  std::atomic<int> allowed{0};
  std::atomic<int> next{0};
  callable_task turn([&] {
    const int mine = ++next;
    while (allowed < mine) std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  auto* memory = shared<watched_step>(2);
  watched_object work{memory + 1, &memory->begin, 100};
  graph_builder b(r);
  b.add(suite_kernel<watched_object>().over({{1, 1, 64}}, work));
  b.step(0).signals = true;
  const auto graph = b.instantiate();
  auto &turns = tasks().lane(), &y = r.lane();
  const ending at_last(r, y, [&] { allowed = launches; });
  std::vector<lane_position> signals;
  for (int i = 0; i < launches; ++i) {
    const auto position = tasks().submit(turns, turn.step());
    r.launch(y, *graph, 0, {{&turns.completion(), position}});
    signals.push_back(graph->signal(0));
  }
  for (int i = 0; i < launches; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (int later = i; later < launches; ++later)
      ASSERT_FALSE(arrived(signals[later])) << "launch " << later << " of " << i;
    allowed = i + 1;
    wait(signals[i]);
    ASSERT_EQ(__atomic_load_n(&memory[1].units, __ATOMIC_ACQUIRE), 64U * (i + 1U));
  }
}

TEST_P(graph_signals, are_given_by_steps_that_fail) {
  PIANOLA_NEEDS_SIGNALS();
  PIANOLA_NEEDS_HOST_CODE();
  // Large enough to be cut into parts, each of which fails.
  std::atomic<bool> fails{false};
  callable_kernel work([&](const auto&, const model::box& part, const auto&) {
    volatile double x = 0;
    for (std::uint64_t i = 0; i < part.count() * 500; ++i) x = x + 1;
    if (fails) throw std::runtime_error("part of a step");
  });
  callable_task throws([&] {
    if (fails) throw std::runtime_error("a task");
  });
  gate g(*this);
  graph_builder b(r);
  b.add(work.over({{1, 1, 64}}));
  b.add(throws.step(), {0});
  b.add(g.step(), {1});
  b.step(0).signals = b.step(1).signals = true;
  const auto graph = b.instantiate();
  auto& y = r.lane();
  const ending at_last(r, y, [&] { g.set(true); });
  for (int i = 1; i <= 20; ++i) {
    if (i == 6) fails = true;
    g.set(false);
    r.launch(y, *graph);
    for (std::uint32_t step = 0; step < 2; ++step) {
      ASSERT_TRUE(comes(graph->signal(step)));
      ASSERT_EQ(r.log.of(step).failed, std::max(0, i - 5)) << "step " << step;
    }
    ASSERT_FALSE(y.completion().reached(static_cast<std::uint64_t>(i)));
    g.set(true);
    r.wait(y);
  }
}

TEST_P(graph_signals, are_given_where_the_driver_refuses_a_launch) {
  PIANOLA_NEEDS_SIGNALS();
  PIANOLA_NEEDS_FAILING_KERNELS();
  if (runs_host_code()) GTEST_SKIP() << "the backend has no driver";
  auto* memory = shared<watched_step>(2);
  watched_object work{memory + 1, &memory->begin, 100};
  graph_builder b(r);
  b.add(suite_kernel<watched_object>().over({{1, 1, 64}}, work));
  b.step(0).signals = true;
  const auto graph = b.instantiate();
  auto& y = r.lane();
  const ending at_last(r, y, [] {});
  for (std::uint64_t i = 1; i <= 9; ++i) {
    const bool refused = i % 3 == 2;
    if (refused)
      control_of(GetParam())
          ->fail(GetParam() == "cuda" ? "cuGraphLaunch" : "hipGraphLaunch", 1, 701);
    const std::uint64_t before = memory[1].units;
    r.launch(y, *graph, i);
    wait(graph->signal(0));
    ASSERT_EQ(memory[1].units, before + (refused ? 0 : 64)) << "launch " << i;
    r.wait(y);
    ASSERT_EQ(r.log.of(i).failed, refused ? 1 : 0);
  }
}

TEST_P(graph_signals, are_given_by_steps_that_are_left_out) {
  PIANOLA_NEEDS_SIGNALS();
  auto* memory = shared<watched_step>(4);
  watched_object work[3];
  graph_builder b(r);
  for (std::uint32_t i = 0; i < 3; ++i) {
    work[i] = {memory + 1 + i, &memory->begin, 300};
    b.add(suite_kernel<watched_object>().over({{1, 1, 64}}, work[i]),
          i == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{i - 1});
    b.step(i).signals = true;
  }
  const auto graph = b.instantiate();
  auto& y = r.lane();
  const ending at_last(r, y, [] {});
  constexpr std::uint64_t of_launch = 77;
  std::uint64_t units[3] = {};
  for (int i = 0; i < 40; ++i) {
    // Everything runs; the step in the middle is left out; the whole launch is.
    const int how = i % 4 == 3 ? 0 : i % 4;
    attention() = how != 0;
    r.log.admit = [how](std::uint64_t id) { return how == 1 ? id != 1 : id != of_launch; };
    r.launch(y, *graph, of_launch);
    for (std::uint32_t step = 0; step < 3; ++step) {
      if (how == 0 || (how == 1 && step != 1)) units[step] += 64;
      ASSERT_TRUE(comes(graph->signal(step)));
      ASSERT_EQ(__atomic_load_n(&memory[1 + step].units, __ATOMIC_ACQUIRE), units[step])
          << "step " << step << " of launch " << i;
    }
    r.wait(y);
  }
}

// Random graphs with random signals, some launches under way at a time. Whoever sees a signal reached finds what the
// step has done, and what those have that it waits for: this thread, kernels and host tasks.
TEST_P(graph_signals, are_never_early) {
  PIANOLA_NEEDS_SIGNALS();
  auto* violations = shared<std::uint32_t>();
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed * 7919);
    const auto below = [&](std::size_t n) {
      return static_cast<std::size_t>(random() % static_cast<std::uint32_t>(n));
    };
    const std::size_t count = 10 + seed * 8;
    watched_graph w(r, shared<watched_step>(watched_graph::memory_for(count)), seed, count,
                    seed % 3 == 0 && runs_host_code());
    std::vector<std::uint32_t> signalling;
    for (std::uint32_t i = 0; i < count; ++i)
      if (below(4) == 0) {
        w.builder.step(i).signals = true;
        signalling.push_back(i);
      }
    const auto graph = w.builder.instantiate();
    auto &y = r.lane(), &x = r.lane(), &z = tasks().lane();
    struct awaited {
      lane_position signal;
      std::uint32_t step;
      std::uint64_t launch;
    };
    const auto check = [&](const awaited& a) {
      const auto ran = [&](std::uint32_t step) {
        return __atomic_load_n(&w.steps[step].units, __ATOMIC_ACQUIRE) >=
               a.launch * w.nodes[step].expected_units;
      };
      ASSERT_TRUE(ran(a.step)) << "step " << a.step << " of launch " << a.launch;
      for (const std::uint32_t before : w.builder.waits_of(a.step))
        ASSERT_TRUE(ran(before)) << "step " << before << " of launch " << a.launch;
    };
    std::vector<awaited> open;
    const auto look = [&] {
      for (std::size_t i = open.size(); i-- > 0;)
        if (arrived(open[i].signal)) {
          check(open[i]);
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
        }
    };
    const ending at_last(r, y, [] {});
    // They outlive what is submitted below.
    std::deque<ran_object> objects;
    std::deque<callable_task> looks;
    const ending kernels(r, x, [] {});
    const ending host_tasks(tasks(), z, [] {});
    for (std::uint64_t launch = 1; launch <= 25; ++launch) {
      r.launch(y, *graph);
      for (const std::uint32_t step : signalling) {
        const lane_position signal = graph->signal(step);
        ran_object& object = objects.emplace_back(
            ran_object{&w.steps[step], violations, launch * w.nodes[step].expected_units});
        switch (below(4)) {
          case 0:
            r.submit(x, suite_kernel<ran_object>().over({{1, 1, 1}}, object), 0, {signal});
            break;
          case 1:
            tasks().submit(z, looks.emplace_back([&object] { object(); }).step(), 0, {signal});
            break;
          default:
            open.push_back({signal, step, launch});
        }
      }
      switch (below(4)) {
        case 0:
          r.wait(y);
          break;
        case 1:
          if (!open.empty()) wait(open[below(open.size())].signal);
          break;
        case 2:
          break;
        default:
          // Nobody helps the workers then.
          for (int i = 0; i < 200; ++i) look();
      }
      look();
      if (HasFatalFailure()) return;
    }
    r.wait(y);
    look();
    ASSERT_TRUE(open.empty()) << "a signal has not come by the end of the launch";
    r.wait(x);
    tasks().wait(z);
    ASSERT_EQ(*violations, 0U);
  }
}

// out[i] = 3 in[i] + addend. An ahead-of-time compiler would have found out that it is element by element: steps
// that follow each other then go piece by piece.
struct stage_object {
  const std::uint64_t* in;
  std::uint64_t* out;
  std::uint64_t addend;
  void operator()(const unit_context& c) const { out[c.id[2]] = 3 * in[c.id[2]] + addend; }
};

TEST_P(graph_signals, come_after_the_last_piece) {
  PIANOLA_NEEDS_SIGNALS();
  PIANOLA_NEEDS_HOST_CODE();
  constexpr std::uint64_t n = 1 << 15;
  model::index_term element;
  element.coefficient = 8;
  element.factors[0] = {model::index_factor::kind::id, 2};
  model::argument_use uses[2];
  for (std::uint32_t i = 0; i < 2; ++i) {
    uses[i].offset = 8 * i;
    uses[i].element_wise = true;
    uses[i].element_bytes = 8;
    uses[i].terms = {&element, 1};
  }
  uses[0].read = uses[1].written = true;
  model::kernel_facts facts;
  facts.uses = {uses, 2};
  facts.only_uses = true;
  test_kernel<stage_object, unit_context> kernel("stage", "", "");
  kernel.descriptor().facts = &facts;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    constexpr std::uint32_t stages = 12;
    std::vector<std::vector<std::uint64_t>> data(stages + 1, std::vector<std::uint64_t>(n));
    std::vector<stage_object> objects;
    objects.reserve(stages);
    graph_builder b(r);
    std::vector<std::uint32_t> signalling;
    for (std::uint32_t i = 0; i < stages; ++i) {
      objects.push_back({data[i].data(), data[i + 1].data(), i});
      b.add(kernel.over({{1, 1, n}}, objects.back()),
            i == 0 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{i - 1});
      if (random() % 3 == 0) {
        b.step(i).signals = true;
        signalling.push_back(i);
      }
    }
    const auto graph = b.instantiate();
    auto& y = r.lane();
    const ending at_last(r, y, [] {});
    for (std::uint64_t launch = 1; launch <= 10; ++launch) {
      for (auto& x : data[0]) x = launch;
      const auto position = r.launch(y, *graph);
      // Two threads are at it, while this one only looks.
      std::thread helper([&] { r.wait(y, position); });
      std::uint64_t expected = launch;
      std::uint32_t stage = 0;
      std::uint64_t wrong = 0;
      bool all_came = true;
      for (const std::uint32_t step : signalling) {
        const lane_position signal = graph->signal(step);
        all_came = all_came && comes(signal);
        for (; stage <= step; ++stage) expected = 3 * expected + stage;
        for (const std::uint64_t x : data[step + 1]) wrong += x != expected ? 1U : 0U;
      }
      helper.join();
      ASSERT_TRUE(all_came);
      ASSERT_EQ(wrong, 0U) << "launch " << launch;
    }
  }
}

TEST_P(graph_signals, cannot_be_awaited_within_graphs_that_have_no_such_steps) {
  PIANOLA_NEEDS_SIGNALS();
  if (r.backend().links().waits) GTEST_SKIP() << "steps of its graphs wait for those of others";
  graph_builder a(r), b(r);
  a.add(executors::resolved_nothing{});
  a.step(0).signals = true;
  const auto first = a.instantiate();
  const executors::outside_step outside{first.get(), 0};
  b.add(executors::resolved_nothing{});
  b.step(0).outside = {&outside, 1};
  std::unique_ptr<native_graph> second;
  few_steps steps({&b.step(0), 1});
  const auto status = r.backend().instantiate(steps, second);
  EXPECT_EQ(status.code, model::error_code::invalid);
  EXPECT_NE(status.reason.find("cannot wait"), std::string::npos) << status.reason;
}

TEST_P(graph_signals, are_of_the_steps_that_signal_only) {
  PIANOLA_NEEDS_SIGNALS();
  graph_builder b(r);
  b.add(executors::resolved_nothing{});
  b.add(executors::resolved_nothing{});
  b.step(1).signals = true;
  const auto graph = b.instantiate();
  auto& y = r.lane();
  const ending at_last(r, y, [] {});
  r.launch(y, *graph);
  EXPECT_EQ(graph->signal(0).lane, nullptr);
  ASSERT_NE(graph->signal(1).lane, nullptr);
  EXPECT_TRUE(comes(graph->signal(1)));
}

}  // namespace
}  // namespace pianola::test
