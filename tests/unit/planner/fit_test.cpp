// SPDX-License-Identifier: Apache-2.0
#include <pianola/planner/cost/fit.hpp>

#include <gtest/gtest.h>

namespace pianola::planner {
namespace {

TEST(fitted_times, are_those_of_the_line_that_samples_are_on) {
  const time_line line = fit_times({{10, 25e-6}, {1000, 1015e-6 * 1}, {100, 115e-6}});
  EXPECT_NEAR(line.start, 15e-6, 1e-12);
  EXPECT_NEAR(line.per_unit, 1e-6, 1e-15);
}

TEST(fitted_times, of_one_amount_are_in_proportion_to_it) {
  const time_line line = fit_times({{100, 2e-6}, {100, 3e-6}, {100, 90e-6}});
  EXPECT_EQ(line.start, 0);
  EXPECT_DOUBLE_EQ(line.per_unit, 3e-8) << "the median: one sample was disturbed";
}

TEST(fitted_times, are_never_negative) {
  const time_line steep = fit_times({{10, 1e-6}, {100, 100e-6}});
  EXPECT_EQ(steep.start, 0);
  EXPECT_GT(steep.per_unit, 0);
  const time_line falling = fit_times({{10, 3e-6}, {100, 2e-6}});
  EXPECT_EQ(falling.per_unit, 0);
  EXPECT_GT(falling.start, 2e-6);
  EXPECT_LT(falling.start, 3e-6);
}

TEST(fitted_times, count_relative_errors_alike) {
  // A hundredth too long at the large end says nothing about the small one.
  const time_line line = fit_times({{0, 1e-6}, {1, 2e-6}, {1000000, 1.01}});
  EXPECT_NEAR(line.start, 1e-6, 1e-8);
}

TEST(fitted_times, leave_out_what_is_no_time) {
  const time_line line = fit_times({{10, 0}, {10, -1}, {20, 4e-6}});
  EXPECT_DOUBLE_EQ(line.per_unit, 2e-7);
  EXPECT_EQ(fit_times({}).per_unit, 0);
  EXPECT_DOUBLE_EQ(fit_times({{0, 4e-6}}).start, 4e-6);
}

}  // namespace
}  // namespace pianola::planner
