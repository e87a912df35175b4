// SPDX-License-Identifier: Apache-2.0
#include "split/cut_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "pianola/planner/footprints.hpp"

namespace pianola::planner {

using model::box;

namespace {

// More boxes of one requirement than this cost more to plan than they can save.
constexpr std::size_t most_boxes = 16;

const model::footprint* footprint_of(const model::kernel_command& kernel,
                                     std::uint32_t requirement) {
  for (const model::footprint& f : kernel.footprints)
    if (f.requirement == requirement) return &f;
  return nullptr;
}

bool overlaps_any(const box& b, const std::vector<box>& boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const box& o) { return overlap(b, o); });
}

bool overlap_any(const std::vector<box>& a, const std::vector<box>& b) {
  return std::any_of(a.begin(), a.end(), [&](const box& x) { return overlaps_any(x, b); });
}

// Whether the boxes of `parts`, which are disjoint, cover `whole`.
bool cover(const std::vector<box>& parts, const box& whole) {
  std::vector<box> left{whole}, next;
  for (const box& p : parts) {
    next.clear();
    for (const box& l : left)
      for_each_difference(l, p, [&](const box& rest) { next.push_back(rest); });
    left.swap(next);
  }
  return left.empty();
}

class cutter {
 public:
  cutter(const model::command& command, const model::kernel_command& kernel,
         model::array_view<const model::buffer_info> buffers,
         model::array_view<const double> speeds, std::uint64_t least_units)
      : command_(command),
        kernel_(kernel),
        buffers_(buffers),
        speeds_(speeds),
        least_units_(least_units),
        units_(kernel.geometry.units()) {}

  std::optional<std::vector<kernel_part>> cut() {
    if (!may_be_cut()) return std::nullopt;
    share_among_devices();
    // Along the dimension in which what is written is furthest apart: parts are then few large boxes.
    std::array<std::pair<std::uint64_t, std::size_t>, 3> order{};
    for (std::size_t d = 0; d < 3; ++d) order[d] = {written_stride(d), d};
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (const auto& [stride, dimension] : order) {
      if (stride == 0 || units_[dimension] < least_units_ * devices_.size()) continue;
      if (auto parts = cut_along(dimension)) return parts;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool may_be_cut() const {
    if (command_.candidates.size() < 2 || kernel_.geometry.part != nullptr) return false;
    if (volume(kernel_.logical_group) != 0 || volume(units_) < 2) return false;
    bool writes_something = false;
    for (std::uint32_t i = 0; i < command_.requirements.size(); ++i) {
      const model::requirement& r = command_.requirements[i];
      if (r.memory.valid()) return false;
      if (!writes(r.mode) || r.elements.empty()) continue;
      if (footprint_of(kernel_, i) == nullptr) return false;
      writes_something = true;
    }
    return writes_something;
  }

  // A device's share is as large as it is fast.
  void share_among_devices() {
    double sum = 0;
    for (const model::device_id d : command_.candidates) {
      devices_.push_back(d);
      shares_.push_back(speeds_[d.value()]);
      sum += shares_.back();
    }
    double before = 0;
    for (double& s : shares_) s = before += s / sum;  // where each one's share ends
    shares_.back() = 1.0;
  }

  // From unit to unit along the dimension, of what is written; the largest.
  [[nodiscard]] std::uint64_t written_stride(std::size_t dimension) const {
    std::uint64_t largest = 0;
    for_each_written([&](const model::footprint& f) {
      for (const model::affine_access& a : f.accesses)
        if (a.written) {
          const std::int64_t s = step_of(a, dimension);
          largest = std::max(largest, static_cast<std::uint64_t>(s < 0 ? -s : s));
        }
    });
    return largest;
  }

  // Bytes from unit to unit.
  [[nodiscard]] std::int64_t step_of(const model::affine_access& a, std::size_t dimension) const {
    const model::launch_geometry& g = kernel_.geometry;
    if (!g.grouped) return a.stride[dimension];
    return a.stride[dimension] * static_cast<std::int64_t>(g.local[dimension]) +
           a.group_stride[dimension];
  }

  template <class F>
  void for_each_written(F&& f) const {
    for (const model::footprint& print : kernel_.footprints)
      if (writes(command_.requirements[print.requirement].mode)) f(print);
  }

  // Borders of the parts, in units. Where what is written goes through a buffer from its beginning to its end, they lie
  // where it is cut in shares, so that kernels over other ranges of the same rows have theirs there as well.
  [[nodiscard]] std::vector<std::uint64_t> borders(std::size_t dimension) const {
    const std::uint64_t count = units_[dimension];
    const model::affine_access* leading = nullptr;
    const model::buffer_info* of = nullptr;
    for_each_written([&](const model::footprint& f) {
      for (const model::affine_access& a : f.accesses)
        if (a.written && step_of(a, dimension) > 0 &&
            (leading == nullptr || step_of(a, dimension) > step_of(*leading, dimension))) {
          leading = &a;
          of = &buffers_[command_.requirements[f.requirement].buffer.value()];
        }
    });
    std::vector<std::uint64_t> at{0};
    for (const double share : shares_) {
      const double border =
          leading == nullptr
              ? share * static_cast<double>(count)
              : unit_at(share, *of, *leading, static_cast<double>(step_of(*leading, dimension)));
      at.push_back(
          std::clamp(static_cast<std::uint64_t>(std::max(border + 0.5, 0.0)), at.back(), count));
    }
    at.back() = count;
    return at;
  }

  // The first unit that writes behind the first `share` of the buffer, which ends between two steps.
  static double unit_at(double share, const model::buffer_info& buffer,
                        const model::affine_access& access, double step) {
    const double cut = std::floor(share * static_cast<double>(buffer.bytes()) / step + 0.5);
    return std::ceil(cut - static_cast<double>(access.start) / step);
  }

  std::optional<std::vector<kernel_part>> cut_along(std::size_t dimension) const {
    const std::vector<std::uint64_t> at = borders(dimension);
    std::vector<kernel_part> parts;
    std::vector<std::vector<touched_elements>> touched;  // of each part, by requirement
    for (std::size_t p = 0; p < devices_.size(); ++p) {
      if (at[p] == at[p + 1]) continue;
      kernel_part part;
      part.device = devices_[p];
      part.units = box::of(units_);
      part.units.lo[dimension] = at[p];
      part.units.hi[dimension] = at[p + 1];
      std::vector<touched_elements> by_requirement;
      for (std::uint32_t i = 0; i < command_.requirements.size(); ++i) {
        const model::footprint* const f = footprint_of(kernel_, i);
        const model::requirement& r = command_.requirements[i];
        if (f == nullptr || r.elements.empty())
          by_requirement.push_back({{r.elements}, {}, {}});
        else
          by_requirement.push_back(elements_touched(*f, kernel_.geometry.ids_of(part.units),
                                                    buffers_[r.buffer.value()]));
        touched_elements& t = by_requirement.back();
        if (t.read.size() > most_boxes || t.written.size() > most_boxes) return std::nullopt;
      }
      touched.push_back(std::move(by_requirement));
      parts.push_back(std::move(part));
    }
    if (parts.size() < 2 || !apart(touched)) return std::nullopt;
    for (std::size_t p = 0; p < parts.size(); ++p) require(touched[p], parts[p].requirements);
    return parts;
  }

  // Whether no part touches what another one writes.
  [[nodiscard]] bool apart(const std::vector<std::vector<touched_elements>>& touched) const {
    for (std::uint32_t i = 0; i < command_.requirements.size(); ++i) {
      if (!writes(command_.requirements[i].mode)) continue;
      for (std::uint32_t j = 0; j < command_.requirements.size(); ++j) {
        if (command_.requirements[i].buffer != command_.requirements[j].buffer) continue;
        for (std::size_t p = 0; p < touched.size(); ++p)
          for (std::size_t q = 0; q < touched.size(); ++q)
            if (p != q && (overlap_any(touched[p][i].written, touched[q][j].written) ||
                           overlap_any(touched[p][i].written, touched[q][j].read)))
              return false;
      }
    }
    return true;
  }

  // What a part needs, by what it touches.
  void require(const std::vector<touched_elements>& touched,
               std::vector<model::requirement>& out) const {
    std::vector<model::requirement> further;
    for (std::uint32_t i = 0; i < command_.requirements.size(); ++i) {
      const model::requirement& whole = command_.requirements[i];
      const touched_elements& t = touched[i];
      std::vector<model::requirement> needed;
      const auto need = [&](const box& elements, model::access_mode mode, bool no_init) {
        model::requirement r = whole;
        r.mode = mode;
        r.no_init = no_init;
        r.elements = intersection(elements, whole.elements);
        if (!r.elements.empty()) needed.push_back(r);
      };
      for (const box& w : t.written) {
        // Old contents are of no use where the program says so, or where all is written and nothing read before.
        const bool fresh = whole.no_init || (!overlaps_any(w, t.read) && cover(t.overwritten, w));
        need(w,
             fresh || whole.mode == model::access_mode::write ? model::access_mode::write
                                                              : model::access_mode::read_write,
             fresh);
      }
      if (whole.needs_data())
        for (const box& r : t.read)
          if (std::none_of(t.written.begin(), t.written.end(),
                           [&](const box& w) { return contains(w, r); }))
            need(r, model::access_mode::read, false);
      if (needed.empty()) {
        // The accessor is there, so it needs an address: that of the smallest thing it can ask for.
        need(box{whole.elements.lo,
                 {{whole.elements.lo[0] + 1, whole.elements.lo[1] + 1, whole.elements.lo[2] + 1}}},
             model::access_mode::read, false);
      }
      out.push_back(needed.front());
      further.insert(further.end(), needed.begin() + 1, needed.end());
    }
    out.insert(out.end(), further.begin(), further.end());
  }

  const model::command& command_;
  const model::kernel_command& kernel_;
  model::array_view<const model::buffer_info> buffers_;
  model::array_view<const double> speeds_;
  std::uint64_t least_units_;
  model::extent3 units_;
  std::vector<model::device_id> devices_;
  std::vector<double> shares_;  // index: as devices_; where the device's share ends, of 1
};

}  // namespace

std::optional<std::vector<kernel_part>> cut_kernel(
    const model::command& command, model::array_view<const model::buffer_info> buffers,
    model::array_view<const double> speeds, std::uint64_t least_units) {
  const auto* kernel = std::get_if<model::kernel_command>(&command.payload);
  if (kernel == nullptr) return std::nullopt;
  return cutter(command, *kernel, buffers, speeds, least_units).cut();
}

}  // namespace pianola::planner
