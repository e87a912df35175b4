// SPDX-License-Identifier: Apache-2.0
// Host accessors of a thread that holds another one of the same elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <pianola/host/own_threads.hpp>
#include <random>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

#include "data/held_accesses.hpp"
#include "machine/lane_table.hpp"
#include "process.hpp"

namespace pianola::test {
namespace {

// Threads of ours may still be about to begin.
bool is_only_thread() {
  sycl::queue().single_task([] {}).wait();
  for (int i = 0; i < 200 && !host::is_only_thread_of_the_program(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return host::is_only_thread_of_the_program();
}

// Where libraries have threads, as drivers of devices do, nobody knows that these do not end the accessor.
class own_accesses : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!is_only_thread()) GTEST_SKIP() << "there are threads of others";
  }
};

// Waiting for itself would take for ever. What the thread does with both is in order anyway.
TEST_F(own_accesses, of_a_thread_does_not_wait_for_another_one_of_that_thread) {
  sycl::buffer<int> b{4};
  sycl::host_accessor outer{b};
  outer[1] = 1;
  const sycl::host_accessor inner{b};
  inner[1] += 1;
  EXPECT_EQ(outer[1], 2);
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[1], 2);
  EXPECT_EQ(sycl::host_accessor(b, sycl::write_only, sycl::no_init)[1] = 5, 5);
  EXPECT_EQ(outer[1], 5);
}

TEST_F(own_accesses, inside_of_another_one_holds_commands_up_until_both_are_gone) {
  sycl::queue q;
  for (const bool outer_ends_first : {false, true}) {
    sycl::buffer<int> b{1};
    auto outer = std::make_unique<sycl::host_accessor<int>>(b);
    auto inner = std::make_unique<sycl::host_accessor<int>>(b);
    auto innermost = std::make_unique<sycl::host_accessor<int>>(b);
    (*outer)[0] = 1;
    std::atomic<bool> started{false};
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write_host_task};
      g.host_task([=, &started] {
        started = true;
        a[0] += 1;
      });
    });
    auto& last = outer_ends_first ? innermost : outer;
    (outer_ends_first ? outer : innermost).reset();
    inner.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(started);
    (*last)[0] = 10;
    last.reset();
    q.wait();
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 11);
  }
}

// Lanes of accesses are used again.
TEST_F(own_accesses, many_of_a_thread_may_be_inside_of_each_other_and_end_in_any_order) {
  sycl::queue q;
  sycl::buffer<int> b{8};
  std::mt19937 random(12);
  for (int round = 0; round < 50; ++round) {
    {
      std::vector<std::unique_ptr<sycl::host_accessor<int>>> held;
      for (int i = 0; i < 20; ++i) {
        if (held.size() > 2 && random() % 3 == 0)
          held.erase(held.begin() + static_cast<std::ptrdiff_t>(random() % held.size()));
        held.push_back(std::make_unique<sycl::host_accessor<int>>(
            b, sycl::range<1>(1 + random() % 4), sycl::id<1>(random() % 4)));
        (*held.back())[0] += 1;
      }
      std::shuffle(held.begin(), held.end(), random);
      while (!held.empty()) held.pop_back();
    }
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g};
      g.parallel_for(8, [=](sycl::id<1> i) { a[i] = 0; });
    });
  }
  q.wait();
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 0);
}

// Each begins inside of the one before it, as their elements are on one page, and looks at that one alone.
TEST_F(own_accesses, of_many_elements_cost_in_proportion_to_them) {
  constexpr std::size_t accesses = 1000;
  sycl::buffer<int> b{accesses};
  runtime::process& rt = runtime::process::instance();
  const auto looked_at = [&] {
    const std::lock_guard lock(rt.mutex);
    return rt.held.looked_at;
  };
  {
    const sycl::host_accessor all{b, sycl::write_only, sycl::no_init};
    for (std::size_t i = 0; i < accesses; ++i) all[i] = 0;
  }
  const std::uint64_t before = looked_at();
  std::uint64_t begun = 0;
  {
    std::vector<std::unique_ptr<sycl::host_accessor<int>>> held;
    for (std::size_t i = 0; i < accesses; ++i) {
      held.push_back(
          std::make_unique<sycl::host_accessor<int>>(b, sycl::range<1>(1), sycl::id<1>(i)));
      (*held.back())[0] += static_cast<int>(i);
    }
    begun = looked_at();
    // From both ends to the middle: before those around them and behind them.
    for (std::size_t i = 0; i < accesses / 2; ++i) {
      held[i].reset();
      held[accesses - 1 - i].reset();
    }
  }
  // Whether commands are over is looked at lane by lane: other tests have left theirs.
  EXPECT_LE(begun - before, (rt.lanes.of_executors().size() + 8) * accesses);
  EXPECT_GE(begun - before, accesses);
  // Itself when the program ends it, from around it, and itself when that is over.
  EXPECT_LE(looked_at() - begun, 3 * accesses);
  EXPECT_GE(looked_at() - begun, accesses);
  const sycl::host_accessor all{b, sycl::read_only};
  for (std::size_t i = 0; i < accesses; ++i) ASSERT_EQ(all[i], static_cast<int>(i));
}

// What a thread is told that waits for its own access looks at these alone, at each wait.
TEST(held_accesses, in_the_way_of_something_are_known_without_a_look_at_the_others) {
  sycl::queue q;
  runtime::process& rt = runtime::process::instance();
  const auto in_the_way = [&] {
    const std::lock_guard lock(rt.mutex);
    int found = 0;
    rt.held.any_in_the_way(std::this_thread::get_id(), [&](const auto&) {
      ++found;
      return false;
    });
    return found;
  };
  std::vector<sycl::buffer<int>> buffers;
  std::vector<std::unique_ptr<sycl::host_accessor<int>>> held;
  for (int i = 0; i < 100; ++i) {
    buffers.emplace_back(sycl::range<1>(1));
    held.push_back(std::make_unique<sycl::host_accessor<int>>(buffers.back()));
    (*held.back())[0] = i;
  }
  const auto add_one = [&](std::size_t of) {
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{buffers[of], g};
      g.single_task([=] { a[0] += 1; });
    });
  };
  EXPECT_EQ(in_the_way(), 0);
  for (const int of : {7, 8, 7}) add_one(of);
  EXPECT_EQ(in_the_way(), 2);
  std::thread([&] { EXPECT_EQ(in_the_way(), 0) << "of another thread"; }).join();
  held[7].reset();
  EXPECT_EQ(in_the_way(), 1);
  held[8].reset();
  q.wait();
  EXPECT_EQ(in_the_way(), 0);
  EXPECT_EQ(sycl::host_accessor(buffers[7], sycl::read_only)[0], 9);
}

// An access that somebody else ends after a while, and one that waits for that.
struct ended_elsewhere {
  sycl::buffer<int> b{1};
  std::unique_ptr<sycl::host_accessor<int>> outer = std::make_unique<sycl::host_accessor<int>>(b);
  std::atomic<bool> ended{false};

  void end_late() {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    (*outer)[0] = 1;
    ended = true;
    outer.reset();
  }
  void expect_waited_for() {
    const sycl::host_accessor inner{b};
    EXPECT_TRUE(ended);
    EXPECT_EQ(inner[0], 1);
  }
};

TEST_F(own_accesses, are_waited_for_where_another_thread_may_end_them) {
  ended_elsewhere access;
  std::thread other([&] { access.end_late(); });
  access.expect_waited_for();
  other.join();
}

TEST_F(own_accesses, are_waited_for_where_a_host_task_may_end_them) {
  sycl::queue q;
  ended_elsewhere access;
  q.submit([&](sycl::handler& g) { g.host_task([&] { access.end_late(); }); });
  access.expect_waited_for();
  q.wait();
}

TEST(own_threads, are_told_from_those_of_the_program) {
  if (!is_only_thread()) GTEST_SKIP() << "there are threads of others";
  std::mutex mutex;
  std::condition_variable changed;
  bool ends = false;
  std::thread other([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ends; });
  });
  EXPECT_FALSE(host::is_only_thread_of_the_program());
  {
    const std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_one();
  other.join();
  std::atomic<int> seen{-1};
  sycl::queue q;
  q.submit([&](sycl::handler& g) {
     g.host_task([&] { seen = host::is_only_thread_of_the_program() ? 1 : 0; });
   }).wait();
  EXPECT_EQ(seen, 0);
}

}  // namespace
}  // namespace pianola::test
