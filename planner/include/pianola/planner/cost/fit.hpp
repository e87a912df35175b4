// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

namespace pianola::planner {

struct time_sample {
  double amount = 0;  // of work: bytes, units of a kernel
  double seconds = 0;
};

// seconds = start + amount * per_unit; neither is negative.
struct time_line {
  double start = 0;
  double per_unit = 0;
};

// The line with the least squares of relative errors, so that a small amount's time counts as much as a large one's. Of
// samples of one amount the median counts. Where all are of one amount nothing tells the two figures apart, and all of the
// time is put down to the amount.
[[nodiscard]] time_line fit_times(std::vector<time_sample> samples);

}  // namespace pianola::planner
