// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/schedule/arrange_segments.hpp"

#include <algorithm>

#include <boost/dynamic_bitset.hpp>

namespace pianola::planner {

namespace {

constexpr std::uint32_t nobody = 0xffffffffU;
using segment_set = boost::dynamic_bitset<>;

class arranger {
 public:
  arranger(const segmentation& cut, model::array_view<const graph_capabilities> of_domain,
           std::size_t most_lanes)
      : cut_(cut),
        of_domain_(of_domain),
        most_lanes_(most_lanes),
        begun_after_(cut.segments.size(), segment_set(cut.segments.size())),
        ended_after_(begun_after_),
        behind_(cut.segments.size(), nobody),
        signals_(cut.segment_of.size()) {}

  segment_arrangement run() {
    const auto n = static_cast<std::uint32_t>(cut_.segments.size());
    out_.segments.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      find_waits(i);
      find_lane(i);
      find_inner_waits(i);
      arranged_segment& s = out_.segments[i];
      s.first = s.waits.empty() && s.inner_waits.empty() && behind_[i] == nobody;
    }
    for (std::size_t step = signals_.find_first(); step != segment_set::npos;
         step = signals_.find_next(step))
      out_.segments[cut_.segment_of[step]].signals.push_back(cut_.index_of[step]);
    find_ends();
    number_lanes();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const graph_capabilities& of(std::uint32_t segment) const {
    return of_domain_[cut_.segments[segment].domain];
  }

  void wait_before(std::uint32_t i, std::uint32_t step) {
    const std::uint32_t other = cut_.segment_of[step];
    if (begun_after_[i][other]) return;
    const bool whole = cut_.closes[step] != 0 || !of(other).signals;
    out_.segments[i].waits.push_back({other, whole ? arranged_segment::end : cut_.index_of[step]});
    begun_after_[i] |= whole ? ended_after_[other] : begun_after_[other];
    if (!whole) signals_.set(step);
  }
  void find_waits(std::uint32_t i) {
    const graph_segment& s = cut_.segments[i];
    for (const std::uint32_t w : s.waits) wait_before(i, w);
    if (!of(i).waits)
      for (const graph_segment::inner_wait& w : s.inner_waits) wait_before(i, w.on);
  }

  void find_lane(std::uint32_t i) {
    const std::uint32_t domain = cut_.segments[i].domain;
    if (lane_ends_.size() <= domain) lane_ends_.resize(std::size_t{domain} + 1);
    std::vector<std::uint32_t>& lanes = lane_ends_[domain];
    auto lane = std::find_if(lanes.begin(), lanes.end(),
                             [&](std::uint32_t last) { return begun_after_[i].test(last); });
    if (lane == lanes.end() && lanes.size() == most_lanes_)
      lane = std::min_element(lanes.begin(), lanes.end());
    if (lane == lanes.end()) {
      lanes.push_back(i);
      return;
    }
    behind_[i] = *lane;
    begun_after_[i] |= ended_after_[*lane];
    *lane = i;
  }

  void find_inner_waits(std::uint32_t i) {
    ended_after_[i] |= begun_after_[i];
    ended_after_[i].set(i);
    if (!of(i).waits) return;
    arranged_segment& to = out_.segments[i];
    for (const graph_segment::inner_wait& w : cut_.segments[i].inner_waits) {
      const std::uint32_t other = cut_.segment_of[w.on];
      if (begun_after_[i][other]) continue;
      to.inner_waits.push_back({cut_.index_of[w.step], other, cut_.index_of[w.on]});
      if (std::find(to.begun.begin(), to.begun.end(), other) == to.begun.end())
        to.begun.push_back(other);
      signals_.set(w.on);
      if (cut_.closes[w.on] != 0) ended_after_[i] |= ended_after_[other];
    }
  }

  void find_ends() {
    segment_set followed(cut_.segments.size());
    for (std::size_t i = cut_.segments.size(); i-- > 0;) {
      if (!followed[i]) out_.ends.push_back(static_cast<std::uint32_t>(i));
      segment_set before = ended_after_[i];
      before.reset(i);
      followed |= before;
    }
    std::reverse(out_.ends.begin(), out_.ends.end());
  }

  void number_lanes() {
    for (std::uint32_t i = 0; i < out_.segments.size(); ++i) {
      arranged_segment& s = out_.segments[i];
      if (out_.ends.size() == 1 && i == out_.ends[0]) {
        // Not in the lane of those before it.
        if (behind_[i] != nobody) s.waits.push_back({behind_[i], arranged_segment::end});
      } else if (behind_[i] != nobody) {
        s.lane = out_.segments[behind_[i]].lane;
      } else {
        s.lane = static_cast<std::uint32_t>(out_.lanes.size());
        out_.lanes.push_back(cut_.segments[i].domain);
      }
    }
  }

  const segmentation& cut_;
  model::array_view<const graph_capabilities> of_domain_;
  std::size_t most_lanes_;
  // Index: segment; what has ended when it begins, and when it has ended itself.
  std::vector<segment_set> begun_after_, ended_after_;
  std::vector<std::uint32_t> behind_;  // index: segment; the one before it in its lane
  boost::dynamic_bitset<> signals_;    // index: step
  std::vector<std::vector<std::uint32_t>> lane_ends_;  // by domain: the last segment of each lane
  segment_arrangement out_;
};

}  // namespace

segment_arrangement arrange_segments(const segmentation& cut,
                                     model::array_view<const graph_capabilities> of_domain,
                                     std::size_t most_lanes) {
  return arranger(cut, of_domain, most_lanes).run();
}

}  // namespace pianola::planner
