// SPDX-License-Identifier: Apache-2.0
#include "replay/segments.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

namespace pianola::runtime {

namespace {

constexpr std::uint32_t none = 0xffffffffU;
using indices = std::vector<std::uint32_t>;

// Steps by the steps that come right before them: waits, and the one before in the same lane.
struct order {
  indices before;
  indices first;  // one more than there are steps

  explicit order(const planner::plan& plan) {
    indices lane_tail(plan.lanes.size(), none);
    first.reserve(plan.steps.size() + 1);
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
      first.push_back(static_cast<std::uint32_t>(before.size()));
      const planner::step& s = plan.steps[i];
      for (const model::step_id w : plan.waits_of(s))
        before.push_back(static_cast<std::uint32_t>(w.value()));
      std::uint32_t& tail = lane_tail[s.lane.value()];
      if (tail != none) before.push_back(tail);
      tail = i;
    }
    first.push_back(static_cast<std::uint32_t>(before.size()));
  }
  [[nodiscard]] model::array_view<const std::uint32_t> of(std::uint32_t step) const {
    return {before.data() + first[step], first[step + 1] - first[step]};
  }
};

// For each step and lane, how many of the lane's steps it comes after, itself included: lanes are in order, so that
// says of which steps.
class clocks {
 public:
  clocks(const planner::plan& plan, const order& o) : lanes_(plan.lanes.size()) {
    rows_.resize(plan.steps.size() * lanes_);
    indices length(lanes_, 0);
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
      for (const std::uint32_t b : o.of(i)) raise(row(i), row(b));
      lane_.push_back(static_cast<std::uint32_t>(plan.steps[i].lane.value()));
      row(i)[lane_[i]] = ++length[lane_[i]];
    }
    step_at_.resize(lanes_);
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i) step_at_[lane_[i]].push_back(i);
  }
  [[nodiscard]] std::size_t lanes() const { return lanes_; }
  [[nodiscard]] const std::uint32_t* row(std::uint32_t step) const {
    return rows_.data() + step * lanes_;
  }
  void raise(std::uint32_t* to, const std::uint32_t* from) const {
    for (std::size_t l = 0; l < lanes_; ++l) to[l] = std::max(to[l], from[l]);
  }
  // Whether what has come as far as `row` has done the step.
  [[nodiscard]] bool covers(const std::uint32_t* r, std::uint32_t step) const {
    return r[lane_[step]] >= row(step)[lane_[step]];
  }
  [[nodiscard]] bool follows(std::uint32_t step, std::uint32_t other) const {
    return covers(row(step), other);
  }
  [[nodiscard]] std::uint32_t lane_of(std::uint32_t step) const { return lane_[step]; }
  // The last of the first `count` steps of a lane.
  [[nodiscard]] std::uint32_t last_of(std::size_t lane, std::uint32_t count) const {
    return step_at_[lane][count - 1];
  }

 private:
  std::uint32_t* row(std::uint32_t step) { return rows_.data() + step * lanes_; }

  std::size_t lanes_;
  indices rows_;
  indices lane_;
  std::vector<indices> step_at_;
};

// Which steps are together; in an order in which they can be submitted.
using groups = std::vector<indices>;

groups by_level(const order& o, model::array_view<const std::uint32_t> domains) {
  // A step's level counts the changes of domain on the way to it.
  indices level(domains.size(), 0);
  std::map<std::pair<std::uint32_t, std::uint32_t>, indices> steps_at;
  for (std::uint32_t i = 0; i < domains.size(); ++i) {
    for (const std::uint32_t before : o.of(i))
      level[i] = std::max(level[i], level[before] + (domains[before] != domains[i] ? 1U : 0U));
    steps_at[{level[i], domains[i]}].push_back(i);
  }
  groups out;
  for (auto& [key, steps] : steps_at) out.push_back(std::move(steps));
  return out;
}

// No two groups come after each other. Suppose steps u1, u2, ... lead out of the groups of such a circle into groups of
// other domains: all of a group comes after the u that led into it, also after going on to groups of the same domain,
// whose steps come after more; so each u comes after the one before, and the first after the last.
groups by_what_came_before(const order& o, const clocks& c,
                           model::array_view<const std::uint32_t> domains, std::size_t most) {
  indices domain_of_lane(c.lanes(), none);
  for (std::uint32_t i = 0; i < domains.size(); ++i) domain_of_lane[c.lane_of(i)] = domains[i];
  std::map<std::pair<std::uint32_t, indices>, std::uint32_t> known;
  groups found;
  indices group_of;
  indices foreign(c.lanes());
  for (std::uint32_t i = 0; i < domains.size(); ++i) {
    for (std::size_t l = 0; l < c.lanes(); ++l)
      foreign[l] = domain_of_lane[l] == domains[i] ? 0 : c.row(i)[l];
    const auto [at, fresh] = known.try_emplace({domains[i], foreign}, found.size());
    if (fresh) {
      if (found.size() == most) return {};
      found.emplace_back();
    }
    found[at->second].push_back(i);
    group_of.push_back(at->second);
  }
  // Those whose first step comes first go first, as far as that is possible.
  std::vector<indices> followers(found.size());
  indices missing(found.size(), 0);
  for (std::uint32_t i = 0; i < domains.size(); ++i)
    for (const std::uint32_t b : o.of(i))
      if (group_of[b] != group_of[i]) {
        followers[group_of[b]].push_back(group_of[i]);
        ++missing[group_of[i]];
      }
  std::priority_queue<std::uint32_t, indices, std::greater<>> ready;
  for (std::uint32_t g = 0; g < found.size(); ++g)
    if (missing[g] == 0) ready.push(g);
  groups out;
  while (!ready.empty()) {
    const std::uint32_t g = ready.top();
    ready.pop();
    out.push_back(std::move(found[g]));
    for (const std::uint32_t f : followers[g])
      if (--missing[f] == 0) ready.push(f);
  }
  return out;
}

class cutter {
 public:
  cutter(const order& o, const clocks& c, segmentation& cut) : order_(o), clocks_(c), cut_(cut) {}

  void find_waits(std::uint32_t index) {
    graph_segment& s = cut_.segments[index];
    std::vector<graph_segment::inner_wait> inner;
    indices candidates;
    for (const std::uint32_t i : s.steps) {
      const auto before = order_.of(i);
      candidates.assign(before.begin(), before.end());
      keep_last(candidates);
      for (const std::uint32_t b : candidates)
        if (domain(b) != s.domain)
          s.waits.push_back(b);
        else if (cut_.segment_of[b] != index)
          inner.push_back({i, b});
    }
    keep_last(s.waits);
    indices frontier(clocks_.lanes(), 0);
    for (const std::uint32_t b : s.waits) clocks_.raise(frontier.data(), clocks_.row(b));
    for (const graph_segment::inner_wait& w : inner)
      if (!clocks_.covers(frontier.data(), w.on)) s.inner_waits.push_back(w);
  }
  void find_closing_step(const graph_segment& s) {
    if (s.steps.empty()) return;
    const std::uint32_t last = s.steps.back();
    cut_.closes[last] = std::all_of(s.steps.begin(), s.steps.end(),
                                    [&](std::uint32_t i) { return clocks_.follows(last, i); });
  }

 private:
  [[nodiscard]] std::uint32_t domain(std::uint32_t step) const {
    return cut_.segments[cut_.segment_of[step]].domain;
  }
  // Drops those that others among them follow.
  void keep_last(indices& steps) const {
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    // Of each lane, only the last can matter.
    indices of_lane(clocks_.lanes(), none);
    for (const std::uint32_t s : steps) of_lane[clocks_.lane_of(s)] = s;
    const auto followed = [&](std::uint32_t s) {
      return of_lane[clocks_.lane_of(s)] != s ||
             std::any_of(of_lane.begin(), of_lane.end(), [&](std::uint32_t other) {
               return other != none && other != s && clocks_.follows(other, s);
             });
    };
    steps.erase(std::remove_if(steps.begin(), steps.end(), followed), steps.end());
  }
  const order& order_;
  const clocks& clocks_;
  segmentation& cut_;
};

}  // namespace

segmentation cut_into_segments(const planner::plan& plan,
                               model::array_view<const std::uint32_t> domains,
                               std::uint32_t otherwise, std::size_t most) {
  segmentation cut;
  const auto n = static_cast<std::uint32_t>(plan.steps.size());
  cut.segment_of.assign(n, 0);
  cut.index_of.resize(n);
  cut.closes.assign(n, 0);
  const auto take = [&](std::uint32_t domain, indices steps) {
    for (std::uint32_t k = 0; k < steps.size(); ++k) {
      cut.segment_of[steps[k]] = static_cast<std::uint32_t>(cut.segments.size());
      cut.index_of[steps[k]] = k;
    }
    cut.segments.push_back({domain, std::move(steps), {}, {}});
  };
  if (std::all_of(domains.begin(), domains.end(),
                  [&](std::uint32_t d) { return d == domains[0]; })) {
    indices all(n);
    for (std::uint32_t i = 0; i < n; ++i) all[i] = i;
    take(n == 0 ? otherwise : domains[0], std::move(all));
    return cut;
  }
  const order o(plan);
  const clocks c(plan, o);
  groups found = by_what_came_before(o, c, domains, most);
  if (found.empty()) found = by_level(o, domains);
  for (indices& steps : found) {
    const std::uint32_t domain = domains[steps.front()];
    take(domain, std::move(steps));
  }
  cutter rest(o, c, cut);
  for (std::uint32_t i = 0; i < cut.segments.size(); ++i) rest.find_waits(i);
  for (const graph_segment& s : cut.segments) rest.find_closing_step(s);
  return cut;
}

}  // namespace pianola::runtime
