// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/cost/fit.hpp"

#include <algorithm>
#include <tuple>

namespace pianola::planner {

namespace {

// One sample for each amount.
std::vector<time_sample> medians(std::vector<time_sample> samples) {
  std::sort(samples.begin(), samples.end(), [](const time_sample& a, const time_sample& b) {
    return std::tie(a.amount, a.seconds) < std::tie(b.amount, b.seconds);
  });
  std::vector<time_sample> result;
  for (std::size_t i = 0; i < samples.size();) {
    std::size_t end = i;
    while (end < samples.size() && samples[end].amount == samples[i].amount) ++end;
    result.push_back(samples[i + (end - i - 1) / 2]);
    i = end;
  }
  return result;
}

}  // namespace

time_line fit_times(std::vector<time_sample> samples) {
  std::erase_if(samples, [](const time_sample& s) { return !(s.seconds > 0) || s.amount < 0; });
  const std::vector<time_sample> points = medians(std::move(samples));
  // Sums of 1, x and x * x over y * y, and of 1 and x over y.
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
  for (const time_sample& p : points) {
    const double weight = 1.0 / (p.seconds * p.seconds);
    w += weight;
    wx += weight * p.amount;
    wxx += weight * p.amount * p.amount;
    wy += weight * p.seconds;
    wxy += weight * p.amount * p.seconds;
  }
  const time_line through_zero{0, wxx > 0 ? wxy / wxx : 0};
  const time_line level{w > 0 ? wy / w : 0, 0};
  if (points.size() < 2) return wxx > 0 ? through_zero : level;
  const double determinant = w * wxx - wx * wx;
  if (!(determinant > 1e-12 * w * wxx)) return through_zero;
  const time_line line{(wxx * wy - wx * wxy) / determinant, (w * wxy - wx * wy) / determinant};
  // Where one figure would be negative, the best line without is one that has none of it.
  if (line.start < 0) return through_zero;
  if (line.per_unit < 0) return level;
  return line;
}

}  // namespace pianola::planner
