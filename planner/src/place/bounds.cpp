// SPDX-License-Identifier: Apache-2.0
#include "place/bounds.hpp"

#include <algorithm>
#include <limits>

namespace pianola::planner::place {

namespace {

// For each device, the share of the work that it would do if all of it could be cut up and every device could do all of it.
std::vector<double> fair_shares(const problem& p) {
  std::vector<double> speed(p.devices(), 0.0);
  std::vector<double> seconds(p.devices(), 0.0);
  std::vector<std::size_t> count(p.devices(), 0);
  for (std::size_t i = 0; i < p.size(); ++i)
    for (const choice& c : p.choices(i)) {
      seconds[c.device.value()] += c.seconds;
      ++count[c.device.value()];
    }
  double sum = 0;
  for (std::size_t d = 0; d < p.devices(); ++d) {
    speed[d] = seconds[d] > 0 ? static_cast<double>(count[d]) / seconds[d] : 0;
    sum += speed[d];
  }
  for (double& s : speed) s = sum > 0 ? s / sum : 0;
  return speed;
}

}  // namespace

bound::bound(const problem& p)
    : problem_(p), shares_(fair_shares(p)), bandwidth_into_(p.memories(), 0.0) {
  for (std::size_t to = 0; to < p.memories(); ++to)
    for (std::size_t m = 0; m < p.memories(); ++m)
      if (m != to && p.between(m, to).direct)
        bandwidth_into_[to] += 1.0 / p.between(m, to).per_byte;
}

double bound::soonest(std::size_t from, std::size_t to, std::uint64_t bytes) const {
  if (from == to || bytes == 0) return 0;
  return static_cast<double>(bytes) / bandwidth_into_[to];
}

double bound::least_seconds(const placing_of_all& fixed) const {
  const problem& p = problem_;
  std::vector<double> ends(p.size(), 0.0), device_work(p.devices(), 0.0);
  double longest = 0, shared = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto choices = p.choices(i);
    const std::uint32_t only = choices.size() == 1 ? 0 : fixed[i];
    double own = std::numeric_limits<double>::infinity(), share = own;
    if (only != undecided) {
      const choice& c = choices[only];
      own = c.seconds;
      share = own * shares_[c.device.value()];
      double& of_device = device_work[c.device.value()];
      of_device += own;
      longest = std::max(longest, of_device);
    } else {
      for (const choice& c : choices) {
        own = std::min(own, c.seconds);
        share = std::min(share, c.seconds * shares_[c.device.value()]);
      }
    }
    shared += share;
    double ready = 0;
    for (const predecessor& b : p.before(i)) {
      double arrival = ends[b.command];
      if (fixed[i] != undecided && fixed[b.command] != undecided && p.at_home(i) &&
          p.at_home(b.command))
        arrival += soonest(p.choices(b.command)[fixed[b.command]].memory, choices[fixed[i]].memory,
                           b.bytes);
      ready = std::max(ready, arrival);
    }
    ends[i] = ready + own;
    longest = std::max(longest, ends[i]);
  }
  return std::max(longest, shared);
}

double bound::least_seconds() const {
  return least_seconds(placing_of_all(problem_.size(), undecided));
}

}  // namespace pianola::planner::place
