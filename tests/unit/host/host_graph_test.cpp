// SPDX-License-Identifier: Apache-2.0
// Which threads run the steps of a graph, and that no thread without a processor is waited for.
#include "pianola/host/host_graph.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pianola/host/team.hpp"

namespace pianola::host {
namespace {

// Gives up in a while, so that a failure is told.
template <class F>
bool comes_true(F&& condition, std::chrono::seconds at_most = std::chrono::seconds(30)) {
  const auto end = std::chrono::steady_clock::now() + at_most;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

struct no_hooks : step_hooks {
  void copy(const executors::resolved_copy&) override {}
  void fill(const executors::resolved_fill&) override {}
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return true; }
};

// A graph whose steps are functions that are expected to take so long. They are called for each part of a step, with the
// number of units in it.
class small_graph {
 public:
  explicit small_graph(float nanoseconds) {
    statistics_.nanoseconds_per_unit = nanoseconds;
    kernel_.statistics = &statistics_;
    kernel_.entry = [](const void* pointer, const model::launch_geometry&, const model::box& part,
                       model::array_view<const model::argument_slot>,
                       const model::group_resources&) {
      (**static_cast<const function* const*>(pointer))(part.count());
    };
    observer_.attention = &attention_;
  }
  std::uint32_t add(const std::function<void()>& f, const std::vector<std::uint32_t>& waits = {}) {
    return add(1, [f](std::uint64_t) { f(); }, waits);
  }
  using function = std::function<void(std::uint64_t)>;
  std::uint32_t add(std::uint64_t units, function f, const std::vector<std::uint32_t>& waits) {
    functions_.push_back(std::make_unique<function>(std::move(f)));
    arguments_.push_back(std::make_unique<const function*>(functions_.back().get()));
    executors::resolved_kernel k;
    k.kernel = &kernel_;
    k.arguments.bytes = arguments_.back().get();
    k.arguments.size = sizeof(void*);
    k.geometry.global = {{1, 1, units}};
    graph_node n;
    n.action = k;
    n.hooks = &hooks_;
    n.first_wait = static_cast<std::uint32_t>(waits_.size());
    n.wait_count = static_cast<std::uint32_t>(waits.size());
    waits_.insert(waits_.end(), waits.begin(), waits.end());
    nodes_.push_back(n);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  // Before the first run: the steps added so far are timed.
  void time_steps() {
    times().clear();
    observer_.times = [](const void*, std::uint64_t started, std::uint64_t finished) {
      times().push_back(finished - started);
    };
    for (graph_node& n : nodes_) n.timed = true;
  }
  // Nanoseconds, in the order of running.
  static std::vector<std::uint64_t>& times() {
    static std::vector<std::uint64_t> all;
    return all;
  }
  void run() {
    if (graph_ == nullptr) {
      host_graph::summary summary;
      for (const graph_node& n : nodes_) summary.add(n);
      graph_ = std::make_unique<host_graph>(nodes_, waits_, observer_, summary);
    }
    graph_->run(team::instance(), 0);
  }

 private:
  no_hooks hooks_;
  std::atomic<bool> attention_{false};
  executors::step_observer observer_;
  model::kernel_statistics statistics_;
  model::kernel_descriptor kernel_;
  std::vector<std::unique_ptr<function>> functions_;
  std::vector<std::unique_ptr<const function*>> arguments_;
  std::vector<graph_node> nodes_;
  std::vector<std::uint32_t> waits_;
  std::unique_ptr<host_graph> graph_;
};

// Longer than anything that a busy machine does to a thread.
constexpr float very_long = 1e9F;

// A thread that is stopped, wherever it is, as if the system had given its processor to another program for good.
std::atomic<bool> to_be_held{false}, is_held{false};
void hold(int) {
  is_held = true;
  while (to_be_held.load()) {
    timespec moment{0, 100'000};
    nanosleep(&moment, nullptr);
  }
  is_held = false;
}

class host_graph_run : public testing::Test {
 protected:
  void SetUp() override {
    if (team::instance().parallelism() < 2) GTEST_SKIP() << "one processor";
  }
};

TEST_F(host_graph_run, of_timed_steps_runs_one_after_the_other_and_tells_what_each_took) {
  small_graph graph(very_long);
  std::atomic<int> running{0};
  std::atomic<bool> together{false};
  for (int i = 0; i < 4; ++i)
    graph.add([&] {
      if (running.fetch_add(1) != 0) together = true;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      running.fetch_sub(1);
    });
  graph.time_steps();
  for (int i = 0; i < 3; ++i) graph.run();
  EXPECT_FALSE(together.load()) << "what a step takes with another one beside it says little";
  ASSERT_EQ(small_graph::times().size(), 12U);
  for (const std::uint64_t t : small_graph::times()) EXPECT_GE(t, 200'000U);
}

TEST_F(host_graph_run, of_long_steps_has_two_of_them_at_once) {
  small_graph g(very_long);
  std::atomic<int> begun{0};
  bool together[2] = {};
  for (bool& mine : together)
    g.add([&] {
      ++begun;
      mine = comes_true([&] { return begun == 2; });
    });
  g.run();
  EXPECT_TRUE(together[0] && together[1]);
}

TEST_F(host_graph_run, of_less_than_a_handover_stays_on_one_thread) {
  small_graph g(1);
  std::atomic<int> elsewhere{0}, times{0};
  const auto here = std::this_thread::get_id();
  g.add([&] {
    ++times;
    if (std::this_thread::get_id() != here) ++elsewhere;
  });
  for (int i = 0; i < 100; ++i) g.run();
  EXPECT_EQ(times, 100);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(host_graph_run, does_every_step_once_and_after_those_that_it_waits_for) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 10; ++round) {
    // Unknown costs, so that the first run guesses; or steps that are each worth two threads.
    small_graph g(round % 2 == 0 ? 0 : 2e4F);
    constexpr std::uint32_t steps = 300;
    std::vector<std::atomic<std::uint64_t>> done(steps);
    std::vector<std::uint64_t> units(steps);
    std::atomic<int> too_early{0};
    std::uint64_t run = 0;
    for (std::uint32_t i = 0; i < steps; ++i) {
      std::vector<std::uint32_t> waits;
      for (std::uint32_t k = random() % 4; k > 0 && i > 0; --k)
        waits.push_back(i - 1 - static_cast<std::uint32_t>(random() % std::min(i, 12U)));
      units[i] = random() % 3 == 0 ? 16 : 1;
      g.add(
          units[i],
          [&, i, waits](std::uint64_t n) {
            for (const std::uint32_t w : waits)
              if (done[w].load(std::memory_order_relaxed) != units[w] * run) ++too_early;
            done[i].fetch_add(n, std::memory_order_relaxed);
          },
          waits);
    }
    for (run = 1; run <= 40; ++run) {
      g.run();
      for (std::uint32_t i = 0; i < steps; ++i) ASSERT_EQ(done[i], units[i] * run);
      ASSERT_EQ(too_early, 0);
    }
  }
}

#if defined(__SANITIZE_THREAD__)
#define PIANOLA_SIGNALS_ARE_LATE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PIANOLA_SIGNALS_ARE_LATE 1
#endif
#endif

// The first step ends when the thread that has done the second one is held: that one waits for the first step then, or
// looks for something else to do.
class held_thread : public host_graph_run {
 protected:
  static constexpr int steps_per_run = 102;

  void SetUp() override {
#if defined(PIANOLA_SIGNALS_ARE_LATE)
    GTEST_SKIP() << "ThreadSanitizer delivers signals late";
#endif
    host_graph_run::SetUp();
    if (IsSkipped()) return;
    struct sigaction action{};
    action.sa_handler = hold;
    sigaction(SIGUSR1, &action, &before_);
    to_be_held = true;
    // Mostly it is the thread that runs the graph which comes to the first step first.
    for (int i = 0; i < 100 && !is_held; ++i) run_a_new_graph();
    ASSERT_TRUE(is_held);
    EXPECT_EQ(steps_, steps_per_run);
    steps_ = 0;
  }
  void TearDown() override {
    if (IsSkipped()) return;
    to_be_held = false;
    EXPECT_TRUE(comes_true([] { return !is_held.load(); }));
    sigaction(SIGUSR1, &before_, nullptr);
  }

  void run_a_new_graph() {
    graph_ = std::make_unique<small_graph>(very_long);
    helper_ = 0;
    steps_ = 0;
    begun_ = false;
    const auto owner = std::this_thread::get_id();
    std::uint32_t first = graph_->add([this, owner] {
      ++steps_;
      if (!to_be_held || is_held || std::this_thread::get_id() != owner) return;
      begun_ = true;
      if (!comes_true([this] { return helper_.load() != 0; })) return;
      // It is to have come out of its step when it is held.
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      syscall(SYS_tgkill, getpid(), helper_.load(), SIGUSR1);
      comes_true([] { return is_held.load(); });
    });
    std::uint32_t second = graph_->add([this, owner] {
      ++steps_;
      if (!to_be_held || is_held || std::this_thread::get_id() == owner) return;
      // Else it might do the first step, too.
      if (comes_true([this] { return begun_.load(); }, std::chrono::seconds(1)))
        helper_ = static_cast<pid_t>(syscall(SYS_gettid));
    });
    for (int level = 0; level < 50; ++level) {
      const std::vector<std::uint32_t> both = {first, second};
      first = graph_->add([this] { ++steps_; }, both);
      second = graph_->add([this] { ++steps_; }, both);
    }
    graph_->run();
  }

  std::unique_ptr<small_graph> graph_;
  std::atomic<int> steps_{0};
  std::atomic<pid_t> helper_{0};
  std::atomic<bool> begun_{false};
  struct sigaction before_{};
};

TEST_F(held_thread, does_not_hold_up_the_run) { EXPECT_TRUE(is_held); }

TEST_F(held_thread, does_not_hold_up_the_next_runs_nor_disturb_them_when_it_comes_back) {
  for (int i = 0; i < 3; ++i) graph_->run();
  EXPECT_TRUE(is_held);
  to_be_held = false;
  for (int i = 0; i < 100; ++i) graph_->run();
  EXPECT_EQ(steps_, 103 * steps_per_run);
}

TEST_F(held_thread, may_come_back_when_the_graph_is_gone) {
  graph_.reset();
  EXPECT_TRUE(is_held);
}

}  // namespace
}  // namespace pianola::host
