// SPDX-License-Identifier: Apache-2.0
// Which schedule of a graph is kept, told by made-up times.
#include "pianola/host/schedule_choice.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pianola::host
