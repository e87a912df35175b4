// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sycl/sycl.hpp>
#include <vector>

namespace water {

/// What the program says of its accesses; each of these is a line or two of it. All false: as one writes it down at first.
struct choices {
  bool read_only = false;   // what a kernel only reads, it reads
  bool pages = false;       // conflicts and transfers by rows, not by whole buffers
  bool neighbours = false;  // bands that touch each other are on one device, where that goes
  bool no_init = false;     // what a kernel overwrites needs no old contents
  bool late_gauge = false;  // the host looks at the gauge at the end, not in every step
};

/// Water flows from a cell to the ones to the right and below through pipes, the faster the longer it flows.
struct pipes {
  std::int32_t right, down;
};
struct constants {
  std::int32_t damping, divisor;
};

inline std::int32_t faster(std::int32_t flow, std::int32_t from, std::int32_t to,
                           const constants& c) {
  return flow - flow / c.damping + (from - to) / c.divisor;
}

template <bool ReadOnly>
class speed_up_pipes;
template <bool ReadOnly>
class move_water;
class paint_surface;

/// A pond, cut into bands of rows that are worked on by several devices.
class pond {
 public:
  pond(std::size_t rows, std::size_t columns, std::size_t bands, const choices& c)
      : said_(c),
        size_(rows, columns),
        bands_(bands),
        height_(size_, pages()),
        flow_(size_, pages()),
        shade_(size_, pages()),
        constants_(1) {
    const sycl::host_accessor height(height_, sycl::write_only, sycl::no_init);
    const sycl::host_accessor flow(flow_, sycl::write_only, sycl::no_init);
    for (std::size_t y = 0; y < rows; ++y)
      for (std::size_t x = 0; x < columns; ++x) {
        height[y][x] = initial(rows, columns, y, x);
        flow[y][x] = {0, 0};
      }
    const sycl::host_accessor shade(shade_, sycl::write_only, sycl::no_init);
    std::fill_n(&shade[0][0], size_.size(), std::uint8_t{0});
    sycl::host_accessor(constants_, sycl::write_only, sycl::no_init)[0] = constants{64, 8};
  }

  /// One step, on all queues: eagerly, or into the graph that records them.
  void step(std::vector<sycl::queue>& queues) {
    for (std::size_t b = 0; b < bands_; ++b)
      said_.read_only ? speed_up<true>(queue_of(queues, b), b)
                      : speed_up<false>(queue_of(queues, b), b);
    for (std::size_t b = 0; b < bands_; ++b)
      said_.read_only ? move<true>(queue_of(queues, b), b) : move<false>(queue_of(queues, b), b);
    for (std::size_t b = 0; b < bands_; ++b) paint(queue_of(queues, b), b);
    if (!said_.late_gauge) measure(queues.front());
  }

  /// What the gauge in the middle shows; waits for what was submitted.
  std::int32_t gauge() {
    if (!said_.late_gauge) return gauge_;
    return sycl::host_accessor(height_, sycl::range<2>(1, 1), middle(), sycl::read_only)[0][0];
  }

  std::vector<std::int32_t> heights() { return contents(height_); }
  std::vector<std::uint8_t> shades() { return contents(shade_); }

  /// A drop fell into the water.
  static std::int32_t initial(std::size_t rows, std::size_t columns, std::size_t y, std::size_t x) {
    const auto dy = static_cast<std::int64_t>(y) - static_cast<std::int64_t>(rows / 2);
    const auto dx = static_cast<std::int64_t>(x) - static_cast<std::int64_t>(columns / 2);
    return static_cast<std::int32_t>(100000 / (1 + dy * dy + dx * dx));
  }

 private:
  sycl::property_list pages() const {
    if (!said_.pages) return {};
    return {sycl::ext::pianola::property::buffer::page_size<2>(sycl::range<2>(1, size_[1]))};
  }
  sycl::queue& queue_of(std::vector<sycl::queue>& queues, std::size_t band) const {
    return queues[said_.neighbours ? band * queues.size() / bands_ : band % queues.size()];
  }
  template <bool ReadOnly>
  static auto reading() {
    if constexpr (ReadOnly)
      return sycl::read_only;
    else
      return sycl::read_write;
  }
  std::size_t first(std::size_t band) const { return band * size_[0] / bands_; }
  std::size_t rows(std::size_t band) const { return first(band + 1) - first(band); }
  sycl::id<2> middle() const { return {size_[0] / 2, size_[1] / 2}; }

  template <bool ReadOnly>
  void speed_up(sycl::queue& q, std::size_t band) {
    q.submit([&](sycl::handler& h) {
      const sycl::id<2> begin(first(band), 0);
      const sycl::range<2> own(rows(band), size_[1]);
      const sycl::range<2> with_next(std::min(rows(band) + 1, size_[0] - first(band)), size_[1]);
      const sycl::accessor height(height_, h, with_next, begin, reading<ReadOnly>());
      const sycl::accessor flow(flow_, h, own, begin);
      const sycl::accessor given(constants_, h, reading<ReadOnly>());
      const sycl::range<2> last(size_[0] - 1 - begin[0], size_[1] - 1);
      h.parallel_for<speed_up_pipes<ReadOnly>>(own, [=](sycl::id<2> cell) {
        const constants c = given[0];
        const std::int32_t here = height[cell];
        pipes& out = flow[cell];
        if (cell[1] != last[1])
          out.right = faster(out.right, here, height[cell + sycl::id<2>(0, 1)], c);
        if (cell[0] != last[0])
          out.down = faster(out.down, here, height[cell + sycl::id<2>(1, 0)], c);
      });
    });
  }

  template <bool ReadOnly>
  void move(sycl::queue& q, std::size_t band) {
    q.submit([&](sycl::handler& h) {
      const sycl::id<2> begin(first(band), 0);
      const sycl::range<2> own(rows(band), size_[1]);
      const std::size_t above = band == 0 ? 0 : 1;
      const sycl::accessor flow(flow_, h, own + sycl::range<2>(above, 0),
                                sycl::id<2>(first(band) - above, 0), reading<ReadOnly>());
      const sycl::accessor height(height_, h, own, begin);
      h.parallel_for<move_water<ReadOnly>>(own, [=](sycl::id<2> cell) {
        const sycl::id<2> pipe = cell + sycl::id<2>(above, 0);
        std::int32_t gained = -flow[pipe].right - flow[pipe].down;
        if (cell[1] != 0) gained += flow[pipe - sycl::id<2>(0, 1)].right;
        if (pipe[0] != 0) gained += flow[pipe - sycl::id<2>(1, 0)].down;
        height[cell] += gained;
      });
    });
  }

  void paint(sycl::queue& q, std::size_t band) {
    q.submit([&](sycl::handler& h) {
      const sycl::id<2> begin(first(band), 0);
      const sycl::range<2> own(rows(band), size_[1]);
      const sycl::accessor height(height_, h, own, begin, sycl::read_only);
      const sycl::property_list how =
          said_.no_init ? sycl::property_list{sycl::no_init} : sycl::property_list{};
      const sycl::accessor shade(shade_, h, own, begin, sycl::write_only, how);
      h.parallel_for<paint_surface>(own, [=](sycl::id<2> cell) {
        const std::int32_t level = 128 + height[cell] / 64;
        shade[cell] = static_cast<std::uint8_t>(level < 0 ? 0 : level > 255 ? 255 : level);
      });
    });
  }

  void measure(sycl::queue& q) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor height(height_, h, sycl::range<2>(1, 1), middle(),
                                  sycl::read_only_host_task);
      h.host_task([this, height] { gauge_ = height[0][0]; });
    });
  }

  template <class T>
  std::vector<T> contents(sycl::buffer<T, 2>& b) {
    const sycl::host_accessor all(b, sycl::read_only);
    return {&all[0][0], &all[0][0] + size_.size()};
  }

  choices said_;
  sycl::range<2> size_;
  std::size_t bands_;
  sycl::buffer<std::int32_t, 2> height_;
  sycl::buffer<pipes, 2> flow_;
  sycl::buffer<std::uint8_t, 2> shade_;
  sycl::buffer<constants, 1> constants_;
  std::int32_t gauge_ = 0;
};

}  // namespace water
