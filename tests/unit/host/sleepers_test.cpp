// SPDX-License-Identifier: Apache-2.0
// How the threads of the team sleep and are woken, and how lanes go from one to another, in every interleaving that a
// machine with store buffers can show. Nobody here sleeps for a limited time, but where the team relies on that.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/host/claim.hpp>
#include <pianola/host/sleepers.hpp>

#include "interleavings.hpp"

namespace pianola::host {
namespace {

using test::explored_atomic;
using test::explored_system;
using test::interleavings;

constexpr std::uint64_t until_woken = 1'000'000'000, for_a_moment = 50'000;

// Like basic_sleepers, with a mistake.
struct who_looks_before_it_counts : basic_sleepers<explored_system> {
  explicit who_looks_before_it_counts(bool barrier) : basic_sleepers(barrier) {}
  template <class Look>
  void sleep(Look&& look) {
    const std::uint64_t nanoseconds = look();
    basic_sleepers::sleep([nanoseconds] { return nanoseconds; });
  }
};
struct a_system_whose_barrier_does_nothing : explored_system {
  static void make_stores_visible(bool) { interleavings::current().fence(); }
};

template <class Sleepers = basic_sleepers<explored_system>>
struct small_team {
  interleavings all;
  Sleepers workers;
  Sleepers waiters;
  explored_atomic<bool> stop{false};

  struct lane {
    explored_atomic<std::uint32_t> published{0}, finished{0};
    basic_claim<explored_system> running;
    bool has_steps() {
      return published.load(std::memory_order_acquire) != finished.load(std::memory_order_acquire);
    }
  };
  std::vector<std::unique_ptr<lane>> lanes;

  explicit small_team(std::size_t how_many, bool barrier = true)
      : workers(barrier), waiters(barrier) {
    for (std::size_t i = 0; i < how_many; ++i) lanes.push_back(std::make_unique<lane>());
  }

  void submit(lane& l, std::uint32_t position) {
    l.published.store(position, std::memory_order_release);
    workers.order_stores();
    workers.tell_one();
  }
  void run(lane& l) {
    while (l.has_steps()) {
      const std::uint32_t done = l.finished.load(std::memory_order_relaxed);
      l.finished.store(done + 1, std::memory_order_release);
      waiters.tell_all();
    }
  }
  void give_back(lane& l) {
    l.running.give_back();
    tell_of(l);
  }
  void let_go(lane& l) {
    if (l.running.let_go()) tell_of(l);
  }
  void tell_of(lane& l) {
    workers.order_stores();
    if (l.has_steps()) workers.tell_one();
  }
  // As team::worker; a round of it. It knows which lane it keeps, and whether it has slept since it looked last.
  std::uint64_t work(std::uint64_t known, bool keeps = false) {
    lane* mine = known / 2 != 0 ? lanes[known / 2 - 1].get() : nullptr;
    bool useful = false;
    if (mine != nullptr && mine->has_steps()) {
      if (mine->running.try_take_kept()) {
        run(*mine);
        mine->running.keep();
        useful = true;
      } else {
        mine = nullptr;
      }
    }
    for (const auto& l : lanes) {
      if (useful) break;
      if (l.get() == mine || !l->has_steps()) continue;
      if (!l->running.try_take() && !(known % 2 != 0 && l->running.try_take_kept())) continue;
      if (mine != nullptr) let_go(*std::exchange(mine, nullptr));
      run(*l);
      useful = true;
      if (keeps) {
        l->running.keep();
        mine = l.get();
      } else {
        give_back(*l);
      }
    }
    if (useful) {
      for (std::size_t i = 0; i < lanes.size(); ++i)
        if (lanes[i].get() == mine) return 2 * (i + 1);
      return 0;
    }
    if (mine != nullptr) let_go(*mine);
    workers.sleep([this]() -> std::uint64_t {
      if (stop.load()) return 0;
      for (const auto& l : lanes)
        if (l->has_steps()) return for_a_moment;
      return until_woken;
    });
    return stop.load() ? interleavings::end : 1;
  }
  interleavings::thread worker(bool keeps = false) {
    return [this, keeps](std::uint64_t known) { return work(known, keeps); };
  }
  interleavings::thread submitter(std::size_t lane, std::uint32_t steps = 1) {
    return [this, lane, steps](std::uint64_t before) {
      submit(*lanes[lane], static_cast<std::uint32_t>(before + 1));
      return before + 1 == steps ? interleavings::end : before + 1;
    };
  }
  void wait(lane& l, std::uint32_t position) {
    const auto reached = [&] { return l.finished.load(std::memory_order_acquire) >= position; };
    while (!reached()) waiters.sleep([&] { return reached() ? 0 : until_woken; });
  }

  // Empty if in every end of every interleaving all lanes have finished so many steps.
  std::string after(std::vector<interleavings::thread> threads, std::uint32_t steps) {
    return all.explore(std::move(threads), [&](const interleavings& i) {
      for (const auto& l : lanes)
        if (i.final(l->finished.variable()) != steps) return false;
      return true;
    });
  }
};

class sleepers_with : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(and_without_a_barrier, sleepers_with, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "with" : "without"; });

TEST_P(sleepers_with, are_told_of_a_step) {
  small_team<> t(1, GetParam());
  EXPECT_EQ(t.after({t.submitter(0), t.worker()}, 1), "");
  EXPECT_GT(t.all.states(), 50U);
}

TEST_P(sleepers_with, are_told_of_steps_one_by_one) {
  small_team<> t(1, GetParam());
  EXPECT_EQ(t.after({t.submitter(0, 2), t.worker()}, 2), "");
}

TEST_P(sleepers_with, are_told_of_steps_of_two_lanes) {
  small_team<> t(2, GetParam());
  EXPECT_EQ(t.after({t.submitter(0), t.submitter(1), t.worker()}, 1), "");
}

TEST_P(sleepers_with, are_woken_one_at_a_time_and_that_is_enough) {
  interleavings all;
  basic_sleepers<explored_system> sleepers(GetParam());
  explored_atomic<std::uint32_t> news(0);
  const auto teller = [&] {
    news.store(1, std::memory_order_release);
    sleepers.tell_one();
  };
  const auto worker = [&](std::uint64_t) -> std::uint64_t {
    std::uint32_t one = 1;
    if (news.load() == 1 &&
        news.compare_exchange_strong(one, 2, std::memory_order_acquire, std::memory_order_relaxed))
      return interleavings::end;
    sleepers.sleep([&] { return news.load() == 1 ? 0 : until_woken; });
    return 0;
  };
  EXPECT_EQ(all.explore({interleavings::once(teller), worker, worker, worker},
                        [&](const interleavings& i) { return i.final(news.variable()) == 2; }),
            "");
}

TEST_P(sleepers_with, know_of_steps_that_came_while_another_thread_had_the_lane) {
  small_team<> t(1, GetParam());
  const auto helper = [&] {
    if (!t.lanes[0]->running.try_take()) return;
    t.run(*t.lanes[0]);
    t.give_back(*t.lanes[0]);
  };
  EXPECT_EQ(t.after({t.submitter(0), interleavings::once(helper), t.worker()}, 1), "");
}

// The keeper goes on to something that takes for ever.
TEST_P(sleepers_with, get_what_comes_to_a_lane_whose_keeper_has_gone_on) {
  small_team<> t(1, GetParam());
  const auto keeper = [&] {
    if (!t.lanes[0]->running.try_take()) return;
    t.lanes[0]->running.keep();
    t.let_go(*t.lanes[0]);
  };
  EXPECT_EQ(t.after({t.submitter(0), interleavings::once(keeper), t.worker()}, 1), "");
}

// The keeper is off its processor for ever.
TEST_P(sleepers_with, take_a_lane_from_a_keeper_that_does_nothing) {
  small_team<> t(1, GetParam());
  const auto keeper = [&] {
    if (t.lanes[0]->running.try_take()) t.lanes[0]->running.keep();
  };
  EXPECT_EQ(t.after({t.submitter(0), interleavings::once(keeper), t.worker()}, 1), "");
}

TEST_P(sleepers_with, that_keep_lanes_run_every_step_once) {
  small_team<> t(2, GetParam());
  EXPECT_EQ(t.after({t.submitter(0), t.submitter(1), t.worker(true)}, 1), "");
}

TEST_P(sleepers_with, who_wait_are_told_of_the_end) {
  small_team<> t(1, GetParam());
  explored_atomic<std::uint32_t> returned(0);
  const auto waiter = [&] {
    t.wait(*t.lanes[0], 1);
    returned.store(1);
  };
  // By a thread that then has ended, so that nobody tells twice.
  const auto worker = [&] {
    t.lanes[0]->published.store(1, std::memory_order_release);
    t.run(*t.lanes[0]);
  };
  EXPECT_EQ(
      t.all.explore(
          {interleavings::once(worker), interleavings::once(waiter), interleavings::once(waiter)},
          [&](const interleavings& i) { return i.final(returned.variable()) == 1; }),
      "");
}

TEST_P(sleepers_with, end_when_they_are_told_to) {
  small_team<> t(0, GetParam());
  const auto end = [&] {
    t.stop.store(true);
    t.workers.tell_all();
  };
  EXPECT_EQ(t.all.explore({t.worker(), t.worker(), interleavings::once(end)},
                          [](const interleavings& i) { return i.ended() == 3; }),
            "");
}

TEST(interleavings, show_a_sleeper_that_looks_too_early) {
  small_team<who_looks_before_it_counts> t(1);
  EXPECT_NE(t.after({t.submitter(0), t.worker()}, 1), "");
}

TEST(interleavings, show_a_store_that_is_still_in_its_buffer) {
  interleavings all;
  // Neither a barrier of all threads nor a fence of who tells.
  basic_sleepers<a_system_whose_barrier_does_nothing> sleepers(true);
  explored_atomic<std::uint32_t> news(0);
  const auto teller = [&] {
    news.store(1, std::memory_order_release);
    sleepers.tell_one();
  };
  const auto sleeper = [&] {
    while (news.load() == 0) sleepers.sleep([&] { return news.load() != 0 ? 0 : until_woken; });
  };
  const std::string how = all.explore({interleavings::once(teller), interleavings::once(sleeper)},
                                      [](const interleavings& i) { return i.ended() == 2; });
  EXPECT_NE(how, "");
  EXPECT_NE(how.find("is seen"), std::string::npos) << how;
}

TEST(interleavings, show_a_lane_that_is_given_back_without_a_word) {
  small_team<> t(1);
  const auto helper = [&] {
    if (!t.lanes[0]->running.try_take()) return;
    t.run(*t.lanes[0]);
    t.lanes[0]->running.give_back();
  };
  // A worker that passes over it and does not look again by itself.
  const auto worker = [&](std::uint64_t) -> std::uint64_t {
    if (t.lanes[0]->has_steps() && t.lanes[0]->running.try_take()) {
      t.run(*t.lanes[0]);
      t.lanes[0]->running.give_back();
    } else {
      t.workers.sleep([] { return until_woken; });
    }
    return 0;
  };
  EXPECT_NE(t.after({t.submitter(0), interleavings::once(helper), worker}, 1), "");
}

}  // namespace
}  // namespace pianola::host
