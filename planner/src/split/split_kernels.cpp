// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "pianola/planner/cost/machine_costs.hpp"
#include "pianola/planner/split.hpp"
#include "split/cut_kernel.hpp"

namespace pianola::planner {

using model::box;

namespace {

constexpr double least_speed = 1e-6;

// What the commands of a split graph refer to, besides what the graph that it was made of does.
struct parts_storage {
  std::deque<box> units;
  std::deque<std::vector<model::requirement>> requirements;
  std::deque<std::vector<std::uint64_t>> after;
};

// Where the boxes that parts need of a buffer begin and end: pages are as large as these borders allow.
class page_borders {
 public:
  void add(const box& elements, const model::extent3& range) {
    used_ = true;
    for (std::size_t d = 0; d < 3; ++d) {
      page_[d] = std::gcd(page_[d], elements.lo[d]);
      if (elements.hi[d] != range[d]) page_[d] = std::gcd(page_[d], elements.hi[d]);
    }
  }
  [[nodiscard]] bool used() const noexcept { return used_; }
  // 0: the whole range.
  [[nodiscard]] const model::extent3& page() const noexcept { return page_; }

 private:
  bool used_ = false;
  model::extent3 page_{};
};

class splitter {
 public:
  splitter(model::array_view<const model::command> commands,
           model::array_view<const model::buffer_info> buffers,
           model::array_view<const double> speeds, std::uint64_t least_units)
      : commands_(commands), buffers_(buffers), speeds_(speeds), least_units_(least_units) {}

  std::optional<split_graph> split() {
    for (const model::command& c : commands_) {
      cut_.push_back(cut_kernel(c, buffers_, speeds_, least_units_));
      if (cut_.back()) ++made_.kernels;
    }
    if (made_.kernels == 0) return std::nullopt;
    for (std::uint32_t i = 0; i < commands_.size(); ++i) append(i);
    made_.buffers.assign(buffers_.begin(), buffers_.end());
    refine_pages();
    made_.storage = std::move(storage_);
    return std::move(made_);
  }

 private:
  void append(std::uint32_t index) {
    const model::command& whole = commands_[index];
    std::vector<std::uint64_t>& after = storage_->after.emplace_back();
    for (const std::uint64_t a : whole.after)
      for (std::uint64_t p = first_[a]; p < first_[a] + count_[a]; ++p) after.push_back(p);
    first_.push_back(made_.commands.size());
    count_.push_back(cut_[index] ? cut_[index]->size() : 1);
    if (!cut_[index]) {
      made_.commands.push_back(whole);
      made_.commands.back().after = after;
      made_.part_of.push_back(index);
      return;
    }
    for (kernel_part& p : *cut_[index]) {
      model::command& c = made_.commands.emplace_back(whole);
      auto& kernel = std::get<model::kernel_command>(c.payload);
      const double share = static_cast<double>(p.units.count()) /
                           static_cast<double>(volume(kernel.geometry.units()));
      kernel.work.bytes *= share;
      kernel.work.operations *= share;
      kernel.geometry.part = &storage_->units.emplace_back(p.units);
      c.requirements = storage_->requirements.emplace_back(std::move(p.requirements));
      c.after = after;
      c.device = p.device;
      c.candidates = {};
      made_.part_of.push_back(index);
    }
  }

  // Only of buffers that are one page: others were cut by the program, which knows why.
  void refine_pages() {
    std::vector<page_borders> borders(buffers_.size());
    for (std::size_t i = 0; i < made_.commands.size(); ++i) {
      if (!cut_[made_.part_of[i]]) continue;
      for (const model::requirement& r : made_.commands[i].requirements)
        if (!r.elements.empty())
          borders[r.buffer.value()].add(r.elements, buffers_[r.buffer.value()].grid.range());
    }
    for (std::size_t b = 0; b < borders.size(); ++b)
      if (borders[b].used() && buffers_[b].grid.single_page())
        made_.buffers[b].grid = model::page_grid(buffers_[b].grid.range(), borders[b].page());
  }

  model::array_view<const model::command> commands_;
  model::array_view<const model::buffer_info> buffers_;
  model::array_view<const double> speeds_;  // index: device
  std::uint64_t least_units_;
  std::vector<std::optional<std::vector<kernel_part>>> cut_;  // index: command
  std::vector<std::uint64_t> first_, count_;                  // index: command; of its parts
  std::shared_ptr<parts_storage> storage_ = std::make_shared<parts_storage>();
  split_graph made_;
};

}  // namespace

std::vector<double> speeds_for_parts(model::array_view<const model::command> commands,
                                     model::array_view<const model::buffer_info> buffers,
                                     const model::topology& topology) {
  const machine_costs costs(topology);
  std::vector<double> speeds(topology.devices.size(), 0.0);
  for (const model::command& c : commands)
    if (c.candidates.size() > 1 && std::holds_alternative<model::kernel_command>(c.payload))
      for (std::size_t d = 0; d < speeds.size(); ++d)
        speeds[d] += costs.seconds(c, buffers, model::device_id(static_cast<std::uint16_t>(d)));
  for (double& s : speeds) s = s > 0 ? 1.0 / s : 1.0;
  const double most = speeds.empty() ? 1.0 : *std::max_element(speeds.begin(), speeds.end());
  // Whoever is a million times slower does no part that anybody would notice.
  for (double& s : speeds) s = std::max(s / most, least_speed);
  return speeds;
}

std::optional<split_graph> split_kernels(model::array_view<const model::command> commands,
                                         model::array_view<const model::buffer_info> buffers,
                                         model::array_view<const double> speeds,
                                         std::uint64_t least_units) {
  return splitter(commands, buffers, speeds, least_units).split();
}

std::optional<split_graph> split_kernels(model::array_view<const model::command> commands,
                                         model::array_view<const model::buffer_info> buffers,
                                         const model::topology& topology,
                                         std::uint64_t least_units) {
  const std::vector<double> speeds = speeds_for_parts(commands, buffers, topology);
  return split_kernels(commands, buffers, speeds, least_units);
}

}  // namespace pianola::planner
