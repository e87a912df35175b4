// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <sycl/sycl.hpp>
#include <vector>

namespace heat {

enum class equation { heat, wave };

/// A rectangular field whose border stays as it is.
struct field {
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<float> values;
};

/// One explicit step of an equation on buffers. The buffers take turns, so after period() steps each is back in its
/// role, and a graph of a multiple of that many steps can be replayed.
class solver {
 public:
  solver(equation e, const field& start)
      : equation_(e),
        buffers_{make(start), make(start), make(start)},
        inner_(start.height - 2, start.width - 2) {}

  static std::size_t period(equation e) { return e == equation::heat ? 2 : 3; }

  /// Submits one step to `q`: eagerly, or into the graph that records `q`.
  void step(sycl::queue& q) {
    const std::size_t p = period(equation_);
    sycl::buffer<float, 2>& now = buffers_[turn_];
    sycl::buffer<float, 2>& next = buffers_[(turn_ + 1) % p];
    if (equation_ == equation::heat)
      submit_heat(q, now, next);
    else
      submit_wave(q, buffers_[(turn_ + p - 1) % p], now, next);
    turn_ = (turn_ + 1) % p;
  }

  /// The present field; waits for what was submitted.
  std::vector<float> read() {
    sycl::buffer<float, 2>& now = buffers_[turn_];
    const sycl::host_accessor<float, 2, sycl::access_mode::read> values(now, sycl::read_only);
    std::vector<float> result;
    result.reserve(now.size());
    for (std::size_t i = 0; i < now.get_range()[0]; ++i)
      for (std::size_t j = 0; j < now.get_range()[1]; ++j) result.push_back(values[i][j]);
    return result;
  }

 private:
  // From constant data: nothing is written back to `start`.
  static sycl::buffer<float, 2> make(const field& start) {
    const float* values = start.values.data();
    return sycl::buffer<float, 2>(values, sycl::range<2>(start.height, start.width));
  }

  void submit_heat(sycl::queue& q, sycl::buffer<float, 2>& from, sycl::buffer<float, 2>& to) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor now{from, h, sycl::read_only};
      const sycl::accessor next{to, h, sycl::write_only};
      h.parallel_for(inner_, [=](sycl::id<2> index) {
        const std::size_t i = index[0] + 1, j = index[1] + 1;
        const float around = now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1];
        next[i][j] = now[i][j] + 0.2f * (around - 4.0f * now[i][j]);
      });
    });
  }

  void submit_wave(sycl::queue& q, sycl::buffer<float, 2>& before, sycl::buffer<float, 2>& from,
                   sycl::buffer<float, 2>& to) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor past{before, h, sycl::read_only};
      const sycl::accessor now{from, h, sycl::read_only};
      const sycl::accessor next{to, h, sycl::write_only};
      h.parallel_for(inner_, [=](sycl::id<2> index) {
        const std::size_t i = index[0] + 1, j = index[1] + 1;
        const float around = now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1];
        next[i][j] = 2.0f * now[i][j] - past[i][j] + 0.25f * (around - 4.0f * now[i][j]);
      });
    });
  }

  equation equation_;
  std::array<sycl::buffer<float, 2>, 3> buffers_;
  sycl::range<2> inner_;
  std::size_t turn_ = 0;
};

/// The same steps as plain loops, for comparison.
inline std::vector<float> reference(equation e, const field& start, std::size_t steps) {
  const std::size_t w = start.width;
  std::vector<float> past = start.values, now = start.values, next = start.values;
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t i = 1; i + 1 < start.height; ++i)
      for (std::size_t k = i * w + 1; k < (i + 1) * w - 1; ++k) {
        const float around = now[k - w] + now[k + w] + now[k - 1] + now[k + 1];
        next[k] = e == equation::heat ? now[k] + 0.2f * (around - 4.0f * now[k])
                                      : 2.0f * now[k] - past[k] + 0.25f * (around - 4.0f * now[k]);
      }
    past.swap(now);
    now.swap(next);
  }
  return now;
}

}  // namespace heat
