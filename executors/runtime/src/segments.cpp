// SPDX-License-Identifier: Apache-2.0
#include "segments.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pianola::runtime {

namespace {

constexpr std::uint32_t none = 0xffffffffU;

// Steps that come right before: waits, and the one before in the same lane.
template <class F>
void for_each_before(const planner::plan& plan, std::vector<std::uint32_t>& lane_tail,
                     std::uint32_t step, F&& f) {
  const planner::step& s = plan.steps[step];
  for (const model::step_id w : plan.waits_of(s)) f(static_cast<std::uint32_t>(w.value()));
  std::uint32_t& tail = lane_tail[s.lane.value()];
  if (tail != none) f(tail);
  tail = step;
}

// For each segment and domain, how many segments of the domain it comes after.
class clocks {
 public:
  clocks(std::size_t segments, std::size_t domains) : domains_(domains) {
    rows_.assign(segments * domains, 0);
  }
  std::uint32_t* row(std::size_t segment) { return rows_.data() + segment * domains_; }
  void raise(std::size_t segment, std::size_t other) {
    for (std::size_t d = 0; d < domains_; ++d)
      row(segment)[d] = std::max(row(segment)[d], row(other)[d]);
  }

 private:
  std::size_t domains_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace

segmentation cut_into_segments(const planner::plan& plan,
                               model::array_view<const std::uint32_t> domains,
                               std::uint32_t otherwise) {
  segmentation cut;
  const auto n = static_cast<std::uint32_t>(plan.steps.size());
  // A step's level counts the changes of domain on the way to it.
  std::vector<std::uint32_t> level(n, 0);
  std::vector<std::uint32_t> lane_tail(plan.lanes.size(), none);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> steps_at;
  for (std::uint32_t i = 0; i < n; ++i) {
    for_each_before(plan, lane_tail, i, [&](std::uint32_t before) {
      level[i] = std::max(level[i], level[before] + (domains[before] != domains[i] ? 1U : 0U));
    });
    steps_at[{level[i], domains[i]}].push_back(i);
  }
  if (n == 0) steps_at[{0, otherwise}] = {};
  cut.segment_of.resize(n);
  cut.index_of.resize(n);
  std::uint32_t domain_count = 0;
  for (auto& [key, steps] : steps_at) {
    for (std::uint32_t k = 0; k < steps.size(); ++k) {
      cut.segment_of[steps[k]] = static_cast<std::uint32_t>(cut.segments.size());
      cut.index_of[steps[k]] = k;
    }
    domain_count = std::max(domain_count, key.second + 1);
    cut.segments.push_back({key.second, std::move(steps), {}});
  }

  // Of each domain, the latest segment with a step that one of this segment waits for: `wanted`, counted from 1.
  const std::size_t count = cut.segments.size();
  clocks wanted(count, domain_count), known(count, domain_count);
  std::vector<std::uint32_t> place(count);  // within its domain, counted from 1
  std::vector<std::vector<std::uint32_t>> of_domain(domain_count);
  for (std::uint32_t i = 0; i < count; ++i) {
    auto& mine = of_domain[cut.segments[i].domain];
    mine.push_back(i);
    place[i] = static_cast<std::uint32_t>(mine.size());
  }
  lane_tail.assign(plan.lanes.size(), none);
  for (std::uint32_t i = 0; i < n; ++i)
    for_each_before(plan, lane_tail, i, [&](std::uint32_t before) {
      const std::uint32_t s = cut.segment_of[before];
      std::uint32_t& w = wanted.row(cut.segment_of[i])[domains[before]];
      if (s != cut.segment_of[i]) w = std::max(w, place[s]);
    });

  std::vector<char> followed(count, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    graph_segment& s = cut.segments[i];
    if (place[i] > 1) {
      const std::uint32_t previous = of_domain[s.domain][place[i] - 2];
      known.raise(i, previous);
      followed[previous] = 1;
    }
    // The latest first: it may come after the others.
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t d = 0; d < domain_count; ++d)
      if (d != s.domain && wanted.row(i)[d] != 0)
        candidates.push_back(of_domain[d][wanted.row(i)[d] - 1]);
    std::sort(candidates.rbegin(), candidates.rend());
    for (const std::uint32_t c : candidates) {
      if (known.row(i)[cut.segments[c].domain] >= place[c]) continue;
      known.raise(i, c);
      followed[c] = 1;
      s.waits.push_back(c);
    }
    known.row(i)[s.domain] = place[i];
  }
  for (std::uint32_t i = 0; i < count; ++i)
    if (followed[i] == 0) cut.ends.push_back(i);
  return cut;
}

}  // namespace pianola::runtime
