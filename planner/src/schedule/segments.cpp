// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/schedule/segments.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "state/clock_rows.hpp"

namespace pianola::planner {

namespace {

constexpr std::uint32_t no_tail = 0xffffffffU;
using indices = std::vector<std::uint32_t>;

// Steps by the steps that come right before them: waits, and the one before in the same lane.
struct order {
  indices before;
  indices first;  // one more than there are steps

  explicit order(const plan& plan) {
    indices lane_tail(plan.lanes.size(), no_tail);
    first.reserve(plan.steps.size() + 1);
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
      first.push_back(static_cast<std::uint32_t>(before.size()));
      const step& s = plan.steps[i];
      for (const model::step_id w : plan.waits_of(s))
        before.push_back(static_cast<std::uint32_t>(w.value()));
      std::uint32_t& tail = lane_tail[s.lane.value()];
      if (tail != no_tail) before.push_back(tail);
      tail = i;
    }
    first.push_back(static_cast<std::uint32_t>(before.size()));
  }
  [[nodiscard]] model::array_view<const std::uint32_t> of(std::uint32_t step) const {
    return {before.data() + first[step], first[step + 1] - first[step]};
  }
};

// The clocks of the steps of a whole plan: each of its lanes has a column.
class plan_clocks {
 public:
  plan_clocks(const plan& plan, const order& o) : lanes_(plan.lanes.size()) {
    rows_.clear();
    indices length(lanes_, 0);
    for (std::uint32_t i = 0; i < plan.steps.size(); ++i) {
      clear_row();
      for (const std::uint32_t b : o.of(i)) merge(b);
      lane_.push_back(static_cast<std::uint32_t>(plan.steps[i].lane.value()));
      rows_.raise(lane_[i], ++length[lane_[i]]);
      rows_.store_row(lanes_);
    }
  }
  [[nodiscard]] std::size_t lanes() const { return lanes_; }
  [[nodiscard]] std::uint32_t lane_of(std::uint32_t step) const { return lane_[step]; }
  // How many steps of the lane the step comes after.
  [[nodiscard]] std::uint32_t tick(std::uint32_t step, std::uint32_t lane) const {
    return rows_.tick(step, lane);
  }
  [[nodiscard]] bool follows(std::uint32_t step, std::uint32_t other) const {
    return tick(step, lane_of(other)) >= own_tick(other);
  }

  // The working row: what comes after the steps that were merged.
  void clear_row() { rows_.clear_row(lanes_); }
  void merge(std::uint32_t step) { rows_.merge(step); }
  [[nodiscard]] bool reached(std::uint32_t step) const {
    return rows_.reached(lane_of(step), own_tick(step));
  }

 private:
  [[nodiscard]] std::uint32_t own_tick(std::uint32_t step) const {
    return tick(step, lane_of(step));
  }

  std::size_t lanes_;
  clock_rows rows_;
  indices lane_;  // index: step
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
groups by_what_came_before(const order& o, const plan_clocks& c,
                           model::array_view<const std::uint32_t> domains, std::size_t most) {
  indices domain_of_lane(c.lanes(), no_tail);
  for (std::uint32_t i = 0; i < domains.size(); ++i) domain_of_lane[c.lane_of(i)] = domains[i];
  std::map<std::pair<std::uint32_t, indices>, std::uint32_t> known;
  groups found;
  indices group_of;
  indices foreign(c.lanes());
  for (std::uint32_t i = 0; i < domains.size(); ++i) {
    for (std::uint32_t l = 0; l < c.lanes(); ++l)
      foreign[l] = domain_of_lane[l] == domains[i] ? 0 : c.tick(i, l);
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

class segment_cutter {
 public:
  segment_cutter(const order& o, plan_clocks& c, segmentation& cut)
      : order_(o), clocks_(c), cut_(cut) {}

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
    clocks_.clear_row();
    for (const std::uint32_t b : s.waits) clocks_.merge(b);
    for (const graph_segment::inner_wait& w : inner)
      if (!clocks_.reached(w.on)) s.inner_waits.push_back(w);
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
    indices of_lane(clocks_.lanes(), no_tail);
    for (const std::uint32_t s : steps) of_lane[clocks_.lane_of(s)] = s;
    const auto followed = [&](std::uint32_t s) {
      return of_lane[clocks_.lane_of(s)] != s ||
             std::any_of(of_lane.begin(), of_lane.end(), [&](std::uint32_t other) {
               return other != no_tail && other != s && clocks_.follows(other, s);
             });
    };
    steps.erase(std::remove_if(steps.begin(), steps.end(), followed), steps.end());
  }
  const order& order_;
  plan_clocks& clocks_;
  segmentation& cut_;
};

}  // namespace

segmentation cut_into_segments(const plan& plan, model::array_view<const std::uint32_t> domains,
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
  plan_clocks c(plan, o);
  groups found = by_what_came_before(o, c, domains, most);
  if (found.empty()) found = by_level(o, domains);
  for (indices& steps : found) {
    const std::uint32_t domain = domains[steps.front()];
    take(domain, std::move(steps));
  }
  segment_cutter rest(o, c, cut);
  for (std::uint32_t i = 0; i < cut.segments.size(); ++i) rest.find_waits(i);
  for (const graph_segment& s : cut.segments) rest.find_closing_step(s);
  return cut;
}

}  // namespace pianola::planner
