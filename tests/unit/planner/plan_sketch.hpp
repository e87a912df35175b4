// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/planner/schedule/segments.hpp>

namespace pianola::planner::sketches {

using indices = std::vector<std::uint32_t>;

// Steps with the lane they are in (lane = domain unless said otherwise) and the steps they wait for.
struct sketch {
  planner::plan plan;
  indices domains;

  void step(std::uint32_t domain, const indices& waits, std::uint32_t lane) {
    while (plan.lanes.size() <= lane) plan.lanes.emplace_back();
    planner::step s;
    s.lane = model::lane_id(lane);
    s.first_wait = static_cast<std::uint32_t>(plan.waits.size());
    s.wait_count = static_cast<std::uint32_t>(waits.size());
    for (const std::uint32_t w : waits) plan.waits.emplace_back(w);
    plan.steps.push_back(s);
    domains.push_back(domain);
  }
  // In a lane of its own.
  void step(std::uint32_t domain, const indices& waits) {
    step(domain, waits, static_cast<std::uint32_t>(plan.lanes.size()));
  }
  [[nodiscard]] segmentation cut(std::size_t most = most_segments) const {
    return cut_into_segments(plan, domains, 7, most);
  }
  [[nodiscard]] indices right_before(std::uint32_t i) const {
    indices before;
    for (const model::step_id w : plan.waits_of(plan.steps[i]))
      before.push_back(static_cast<std::uint32_t>(w.value()));
    for (std::uint32_t k = i; k-- > 0;)
      if (plan.steps[k].lane == plan.steps[i].lane) {
        before.push_back(k);
        break;
      }
    return before;
  }
};

// The same numbers in each run.
class number_source {
 public:
  explicit number_source(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_;
};

struct drawn_sketch {
  sketch plan;
  std::uint32_t domains = 0;
};

// Up to 40 steps in up to 6 lanes of up to 3 domains, which wait for up to 3 others.
inline drawn_sketch draw_sketch(number_source& numbers) {
  drawn_sketch drawn;
  const std::uint32_t n = 1 + numbers.below(40), lanes = 1 + numbers.below(6);
  drawn.domains = 1 + numbers.below(3);
  for (std::uint32_t i = 0; i < n; ++i) {
    indices waits;
    for (std::uint32_t k = numbers.below(4); k > 0 && i > 0; --k) waits.push_back(numbers.below(i));
    const std::uint32_t lane = numbers.below(lanes);
    drawn.plan.step(lane % drawn.domains, waits, lane);
  }
  return drawn;
}

// after[i][k]: step i comes after step k.
using relation = std::vector<std::vector<char>>;

inline void comes_after(relation& after, std::uint32_t i, std::uint32_t before) {
  after[i][before] = 1;
  for (std::size_t k = 0; k < after.size(); ++k) after[i][k] = after[i][k] || after[before][k];
}

inline relation wanted_order(const sketch& s) {
  const std::size_t n = s.domains.size();
  relation after(n, std::vector<char>(n, 0));
  for (std::uint32_t i = 0; i < n; ++i)
    for (const std::uint32_t b : s.right_before(i)) comes_after(after, i, b);
  return after;
}

}  // namespace pianola::planner::sketches
