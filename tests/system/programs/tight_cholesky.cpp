// SPDX-License-Identifier: Apache-2.0
// devices: simulated:1:memory=1MiB
// A tiled Cholesky factorisation of a matrix twice as large as the memory that a device may use for it: tiles leave for the
// host and come back while others are worked on. How much that moves is held against the fewest bytes that anybody could
// move for this order of tasks (Belady's rule for what is fetched, and every tile once back to the host).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pianola = sycl::ext::pianola;

constexpr std::size_t tile = 32;         // rows of a tile
constexpr std::size_t tiles = 22;        // tiles in a row of the matrix
constexpr std::size_t n = tile * tiles;  // rows of the matrix
constexpr std::size_t tile_bytes = tile * tile * sizeof(double);
constexpr std::size_t count = tiles * (tiles + 1) / 2;  // tiles of the lower triangle

std::size_t place(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }

/// Symmetric, positive definite.
double element(std::size_t i, std::size_t j) {
  if (i == j) return static_cast<double>(n);
  const std::uint64_t x = (std::max(i, j) * 2654435761u) ^ (std::min(i, j) * 40503u + 77u);
  return static_cast<double>(x % 1000) / 1000.0;
}

class factorisation {
 public:
  factorisation() {
    for (std::size_t t = 0; t < count; ++t)
      tiles_.emplace_back(sycl::range<2>(tile, tile),
                          sycl::property_list{pianola::property::buffer::evictable()});
  }

  void fill() {
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        sycl::host_accessor a(tiles_[place(i, j)], sycl::write_only, sycl::no_init);
        for (std::size_t r = 0; r < tile; ++r)
          for (std::size_t c = 0; c < tile; ++c) a[r][c] = element(i * tile + r, j * tile + c);
      }
  }

  void submit(sycl::queue& q) {
    used_.clear();
    for (std::size_t k = 0; k < tiles; ++k) {
      potrf(q, k);
      for (std::size_t i = k + 1; i < tiles; ++i) trsm(q, i, k);
      for (std::size_t i = k + 1; i < tiles; ++i)
        for (std::size_t j = k + 1; j <= i; ++j) update(q, i, j, k);
    }
  }

  /// |A - L transpose(L)| / |A|
  double error() {
    std::vector<double> l(n * n, 0.0);
    for (std::size_t i = 0; i < tiles; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        sycl::host_accessor a(tiles_[place(i, j)], sycl::read_only);
        for (std::size_t r = 0; r < tile; ++r)
          for (std::size_t c = 0; c < tile; ++c)
            if (j * tile + c <= i * tile + r) l[(i * tile + r) * n + j * tile + c] = a[r][c];
      }
    double off = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k <= j; ++k) sum += l[i * n + k] * l[j * n + k];
        const double a = element(i, j);
        off += (a - sum) * (a - sum);
        size += a * a;
      }
    return std::sqrt(off / size);
  }

  /// Tiles that Belady's rule moves in this order with room for so many: who is needed again the furthest in the future
  /// goes, and back to the host if it was written since it came; in the end everything that was written.
  std::size_t moves_by_belady(std::size_t room) const {
    constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> next(used_.size(), never), seen(count, never);
    for (std::size_t i = used_.size(); i-- > 0;) {
      next[i] = seen[used_[i]];
      seen[used_[i]] = i;
    }
    std::vector<std::size_t> again(count, never);
    std::vector<char> here(count, 0);
    std::vector<char> dirty(count, 0);
    std::size_t present = 0, moves = 0;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const std::size_t t = used_[i];
      if (here[t] == 0) {
        ++moves;
        if (present == room) {
          std::size_t victim = count;
          for (std::size_t o = 0; o < count; ++o)
            if (here[o] != 0 && (victim == count || again[o] > again[victim])) victim = o;
          here[victim] = 0;
          moves += static_cast<std::size_t>(dirty[victim]);
          dirty[victim] = 0;
        } else {
          ++present;
        }
        here[t] = 1;
      }
      again[t] = next[i];
      if (written_[i] != 0) dirty[t] = 1;
    }
    return moves + static_cast<std::size_t>(std::count(dirty.begin(), dirty.end(), char{1}));
  }

 private:
  template <class Mode>
  auto access(sycl::handler& h, std::size_t i, std::size_t j, Mode mode) {
    used_.push_back(place(i, j));
    written_.push_back(std::is_same_v<Mode, std::decay_t<decltype(sycl::read_only)>> ? 0 : 1);
    return sycl::accessor{tiles_[place(i, j)], h, mode};
  }

  void potrf(sycl::queue& q, std::size_t k) {
    q.submit([&](sycl::handler& h) {
      const auto a = access(h, k, k, sycl::read_write);
      h.single_task([=] {
        for (std::size_t j = 0; j < tile; ++j)
          for (std::size_t i = j; i < tile; ++i) {
            double sum = a[i][j];
            for (std::size_t p = 0; p < j; ++p) sum -= a[i][p] * a[j][p];
            a[i][j] = i == j ? sycl::sqrt(sum) : sum / a[j][j];
          }
      });
    });
  }

  void trsm(sycl::queue& q, std::size_t i, std::size_t k) {
    q.submit([&](sycl::handler& h) {
      const auto l = access(h, k, k, sycl::read_only);
      const auto a = access(h, i, k, sycl::read_write);
      h.parallel_for(sycl::range<1>(tile), [=](sycl::id<1> row) {
        for (std::size_t j = 0; j < tile; ++j) {
          double sum = a[row][j];
          for (std::size_t p = 0; p < j; ++p) sum -= a[row][p] * l[j][p];
          a[row][j] = sum / l[j][j];
        }
      });
    });
  }

  void update(sycl::queue& q, std::size_t i, std::size_t j, std::size_t k) {
    q.submit([&](sycl::handler& h) {
      const auto left = access(h, i, k, sycl::read_only);
      const auto a = access(h, i, j, sycl::read_write);
      if (i == j) {
        h.parallel_for(sycl::range<2>(tile, tile), [=](sycl::id<2> at) {
          double sum = 0;
          for (std::size_t p = 0; p < tile; ++p) sum += left[at[0]][p] * left[at[1]][p];
          a[at] -= sum;
        });
        return;
      }
      const auto right = access(h, j, k, sycl::read_only);
      h.parallel_for(sycl::range<2>(tile, tile), [=](sycl::id<2> at) {
        double sum = 0;
        for (std::size_t p = 0; p < tile; ++p) sum += left[at[0]][p] * right[at[1]][p];
        a[at] -= sum;
      });
    });
  }

  std::vector<sycl::buffer<double, 2>> tiles_;
  std::vector<std::size_t> used_;  // tiles, in the order of the tasks
  std::vector<char> written_;      // index: as used_
};

bool run() {
  sycl::queue q{sycl::property::queue::in_order()};
  const sycl::device device = q.get_device();
  constexpr std::size_t room = count / 2;
  factorisation f;
  graphs::command_graph graph(
      q, sycl::property_list{pianola::property::graph::memory_budget(room * tile_bytes)});
  graph.begin_recording(q);
  f.submit(q);
  graph.end_recording(q);
  const auto body = graph.finalize();

  const pianola::graph_memory_use use = pianola::get_memory_use(body, device);
  std::printf("%zu tiles of %zu bytes on %s\n", count, tile_bytes,
              device.get_info<sycl::info::device::name>().c_str());
  bool right = true;
  for (int replay = 0; replay < 2; ++replay) {
    f.fill();
    pianola::reset_statistics();
    q.ext_oneapi_graph(body).wait();
    const std::size_t moved = pianola::get_statistics().transferred_bytes;
    const double error = f.error();
    std::printf("relative error %g\n", error);
    right = right && error < 1e-12;
    if (use.budget == 0) continue;  // the device works in the host's memory
    const std::size_t fewest = f.moves_by_belady(room) * tile_bytes;
    std::printf(
        "peak %llu of %llu bytes, moved %zu bytes, by Belady's rule it would be %zu: %.3f times\n",
        static_cast<unsigned long long>(use.peak), static_cast<unsigned long long>(use.budget),
        moved, fewest, static_cast<double>(moved) / static_cast<double>(fewest));
    right = right && use.peak <= use.budget && use.peak * 2 <= count * tile_bytes &&
            moved * 10 <= fewest * 12;
  }
  return right;
}

}  // namespace

int main() {
  try {
    const bool right = run();
    std::puts(right ? "OK" : "WRONG");
    return right ? 0 : 1;
  } catch (const sycl::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
