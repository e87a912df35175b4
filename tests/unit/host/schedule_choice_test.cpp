// SPDX-License-Identifier: Apache-2.0
// Which schedule of a graph is kept, told by made-up times.
#include "pianola/host/schedule_choice.hpp"

#include <gtest/gtest.h>

#include "pianola/host/hold_ups.hpp"

namespace pianola::host {
namespace {

constexpr int many = 900;  // fewer than there are before the other schedule is tried again
static_assert(many < schedule_choice::retry_every);

struct outcome {
  int parallel = 0, serial = 0;
};

// So many runs of a graph whose schedules take these times.
outcome run(schedule_choice& choice, int runs, double parallel, double serial) {
  outcome o;
  for (int i = 0; i < runs; ++i) {
    const bool chosen = choice.prefers_parallel(serial);
    ++(chosen ? o.parallel : o.serial);
    choice.measured(chosen, chosen ? parallel : serial);
  }
  return o;
}

constexpr int trials = schedule_choice::trial_runs;

TEST(schedule_choice, keeps_the_parallel_schedule_where_it_is_faster) {
  schedule_choice choice;
  const outcome o = run(choice, many, 600, 1000);
  EXPECT_EQ(o.serial, trials);
  EXPECT_EQ(o.parallel, many - trials);
}

TEST(schedule_choice, keeps_the_serial_schedule_where_it_is_faster) {
  schedule_choice choice;
  const outcome o = run(choice, many, 1500, 1000);
  EXPECT_EQ(o.parallel, trials);
  EXPECT_EQ(o.serial, many - trials);
}

TEST(schedule_choice, keeps_no_second_thread_busy_for_a_tie) {
  schedule_choice choice;
  EXPECT_EQ(run(choice, many, 980, 1000).parallel, trials);
}

TEST(schedule_choice, tries_a_long_graph_in_one_way_only_where_that_is_clearly_better) {
  schedule_choice choice;
  EXPECT_EQ(run(choice, many, 2e7, 4e7).serial, 0);
  schedule_choice unclear;
  EXPECT_EQ(run(unclear, many, 3.5e7, 4e7).serial, trials);
}

TEST(schedule_choice, notices_that_the_other_schedule_has_become_faster) {
  schedule_choice choice;
  run(choice, many, 1500, 1000);
  // The other programs that kept the second core busy have ended.
  run(choice, 2 * schedule_choice::retry_every, 500, 1000);
  const outcome o = run(choice, many / 2, 500, 1000);
  EXPECT_GT(o.parallel, o.serial);
}

TEST(schedule_choice, tries_nothing_again_that_was_hopeless) {
  schedule_choice choice;
  run(choice, many, 5000, 1000);
  EXPECT_EQ(run(choice, 4 * schedule_choice::retry_every, 5000, 1000).parallel, 0);
  schedule_choice other;
  run(other, many, 1000, 5000);
  EXPECT_EQ(run(other, 4 * schedule_choice::retry_every, 1000, 5000).serial, 0);
}

TEST(schedule_choice, is_not_turned_by_a_single_disturbance) {
  schedule_choice choice;
  run(choice, 20, 600, 1000);
  choice.measured(true, 1e6);
  EXPECT_EQ(run(choice, 50, 600, 1000).serial, 0);
}

TEST(schedule_choice, tries_a_new_parallel_schedule_anew) {
  schedule_choice choice;
  run(choice, 20, 1500, 1000);
  choice.forget_parallel();
  ASSERT_TRUE(choice.prefers_parallel(1000));
  choice.measured(true, 1e5);  // with cold caches
  EXPECT_EQ(run(choice, trials - 1, 500, 1000).serial, 0);
  EXPECT_EQ(run(choice, 20, 500, 1000).serial, 0);
}

TEST(schedule_choice, waits_for_nobody_who_may_come_later_than_one_thread_is_done) {
  schedule_choice choice;
  run(choice, 20, 600, 1000);
  EXPECT_TRUE(choice.prefers_parallel(1000, 900));
  EXPECT_FALSE(choice.prefers_parallel(1000, 3e6));
  // Not even for a trial.
  EXPECT_FALSE(schedule_choice().prefers_parallel(1000, 3e6));
  EXPECT_TRUE(schedule_choice().prefers_parallel(1e7, 3e6));
}

TEST(hold_ups, are_remembered_for_so_many_times_their_length) {
  hold_ups seen;
  const auto expected_at = [&](std::uint64_t now) { return seen.expected([now] { return now; }); };
  EXPECT_EQ(expected_at(1), 0U);
  seen.note(3000, 10'000);
  const std::uint64_t end = 10'000 + hold_ups::remembered_for * 3000;
  EXPECT_EQ(expected_at(10'000), 3000U);
  EXPECT_EQ(expected_at(end - 1), 3000U);
  EXPECT_EQ(expected_at(end), 0U);
  EXPECT_EQ(expected_at(end + 1), 0U);
}

TEST(hold_ups, count_with_the_longest_that_is_remembered) {
  hold_ups seen;
  const auto expected_at = [&](std::uint64_t now) { return seen.expected([now] { return now; }); };
  seen.note(3000, 10'000);
  seen.note(500, 20'000);
  EXPECT_EQ(expected_at(20'000), 3000U);
  seen.note(500, 1'000'000);
  EXPECT_EQ(expected_at(1'000'000), 500U);
  seen.note(~std::uint64_t{0} / 4, 2'000'000);
  EXPECT_EQ(expected_at(2'000'000), hold_ups::longest);
}

}  // namespace
}  // namespace pianola::host
