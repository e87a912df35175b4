// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/segment_steps.hpp"

#include <algorithm>

#include <pianola/formats/file_bytes.hpp>
#include <pianola/planner/schedule/priorities.hpp>

#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

segment_steps::segment_steps(process& rt, step_maker& maker, const planned_graph& g,
                             const planner::segmentation& cut,
                             std::vector<native_segment>& segments, std::uint32_t index,
                             const planner::machine_costs& costs, std::size_t at_a_time)
    : rt_(rt),
      maker_(maker),
      g_(g),
      cut_(cut),
      index_(index),
      segment_(segments[index]),
      indices_(cut.segments[index].steps),
      costs_(costs),
      at_a_time_(at_a_time),
      addresses_(rt.machine.topology().memories.size(), g.live.size()),
      lane_tail_(g.plan.lanes.size(), 0) {
  // They are where they are from now on.
  segment_.contexts.clear();
  formats::reserve_for_filling(segment_.contexts, indices_.size());
  for (const planner::arranged_segment::inner_wait& w : segment_.inner_waits)
    outside_.push_back({segments[w.segment].native.get(), w.on});
  // Threads of the team go by what steps are expected to take.
  if (cut.segments[index].domain != team_domain) find_priorities();
}

// Lanes order their steps; a native graph has edges only.
void segment_steps::add_waits(std::size_t i) {
  const planner::step& s = planned(i);
  for (const model::step_id w : g_.plan.waits_of(s))
    if (cut_.segment_of[w.value()] == index_) waits_.push_back(cut_.index_of[w.value()]);
  std::uint32_t& tail = lane_tail_[s.lane.value()];
  if (tail != 0) waits_.push_back(tail - 1);
  tail = static_cast<std::uint32_t>(i + 1);
}

void segment_steps::find_priorities() {
  std::vector<double> expected;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    expected.push_back(maker_.expected(planned(i), costs_));
    first.push_back(waits_.size());
    add_waits(i);
  }
  first.push_back(waits_.size());
  std::vector<model::array_view<const std::uint32_t>> waits;
  for (std::size_t i = 0; i < indices_.size(); ++i)
    waits.emplace_back(waits_.data() + first[i], first[i + 1] - first[i]);
  priorities_ = planner::priorities(expected, waits);
  lane_tail_.assign(lane_tail_.size(), 0);
}

void segment_steps::take_outside(std::size_t i, executors::graph_step& out) {
  const auto& signals = segment_.signals;
  if (next_signal_ < signals.size() && signals[next_signal_] == i) {
    out.signals = true;
    ++next_signal_;
  }
  const std::size_t begin = next_outside_;
  while (next_outside_ < outside_.size() && segment_.inner_waits[next_outside_].step == i)
    ++next_outside_;
  out.outside = {outside_.data() + begin, next_outside_ - begin};
}

void segment_steps::make(std::size_t i, executors::graph_step& out) {
  maker_.make(rt_, indices_[i], costs_, out);
  const context_head& head = segment_.contexts.emplace_back(maker_.context_of(indices_[i]));
  out.context = {reinterpret_cast<const std::byte*>(&head), sizeof head};
  if (!priorities_.empty()) out.priority = priorities_[i];
  take_outside(i, out);
}

model::array_view<const executors::graph_step> segment_steps::next() {
  const std::size_t count = std::min(at_a_time_, indices_.size() - made_);
  const step_maker::looked_up for_these(maker_, addresses_);
  steps_.clear();
  steps_.reserve(count);
  waits_.clear();
  std::vector<std::size_t> first;
  first.reserve(count + 1);
  for (std::size_t i = made_; i < made_ + count; ++i) {
    make(i, steps_.emplace_back());
    first.push_back(waits_.size());
    add_waits(i);
  }
  first.push_back(waits_.size());
  for (std::size_t i = 0; i < count; ++i)
    steps_[i].waits = {waits_.data() + first[i], first[i + 1] - first[i]};
  made_ += count;
  return steps_;
}

}  // namespace pianola::runtime
