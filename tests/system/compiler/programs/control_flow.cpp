// SPDX-License-Identifier: Apache-2.0
// Barriers where real algorithms have them: in loops that end when the data say so, in functions, behind early
// returns of a whole group.
#include <cstdint>
#include <sycl/sycl.hpp>

#include "print.hpp"

// All work-items get the value of the largest item's; a function with barriers in a loop.
template <int Dimensions, class T>
T largest_of(const sycl::nd_item<Dimensions>& item, const sycl::local_accessor<T, 1>& memory,
             T value) {
  const std::size_t id = item.get_local_linear_id();
  std::size_t rest = item.get_local_range().size();
  memory[id] = value;
  while (rest > 1) {
    sycl::group_barrier(item.get_group());
    const std::size_t half = (rest + 1) / 2;
    if (id + half < rest && memory[id] < memory[id + half]) memory[id] = memory[id + half];
    rest = half;
  }
  sycl::group_barrier(item.get_group());
  const T result = memory[0];
  sycl::group_barrier(item.get_group());
  return result;
}

// One group per 12 x 12 matrix: elimination with a search for the pivot.
void factorise(sycl::queue& queue, double* matrices, std::uint32_t* singular, std::size_t count) {
  constexpr std::size_t n = 12;
  queue.submit([&](sycl::handler& h) {
    const sycl::local_accessor<double, 2> m(sycl::range<2>(n, n), h);
    const sycl::local_accessor<double, 1> scratch(sycl::range<1>(n * n), h);
    h.parallel_for(sycl::nd_range<3>({count, n, n}, {1, n, n}), [=](sycl::nd_item<3> item) {
      const std::size_t r = item.get_local_id(1), c = item.get_local_id(2);
      double* const mine = matrices + item.get_group(0) * n * n + r * n + c;
      m[r][c] = *mine;
      sycl::group_barrier(item.get_group());
      for (std::size_t k = 0; k < n; ++k) {
        const double x = m[r][k];
        const double pivot = largest_of(item, scratch, r >= k && c == k ? (x < 0 ? -x : x) : 0.0);
        if (pivot < 1e-9) {
          if (r == 0 && c == 0) singular[item.get_group(0)] = 1 + std::uint32_t(k);
          return;  // for the whole group
        }
        std::size_t row = k;
        while (m[row][k] != pivot && m[row][k] != -pivot) ++row;
        sycl::group_barrier(item.get_group());
        if (row != k && r == k) {
          const double kept = m[k][c];
          m[k][c] = m[row][c];
          m[row][c] = kept;
        }
        sycl::group_barrier(item.get_group());
        const double f = r > k ? m[r][k] / m[k][k] : 0;
        const double above = m[k][c];
        sycl::group_barrier(item.get_group());
        if (r > k) m[r][c] = c > k ? m[r][c] - f * above : c == k ? f : m[r][c];
        sycl::group_barrier(item.get_group());
      }
      *mine = m[r][c];
    });
  });
  queue.wait();
}

// Labels spread between neighbours until nothing changes: a loop whose end is in local memory.
void label_components(sycl::queue& queue, const std::uint8_t* picture, std::uint32_t* labels,
                      std::uint32_t* rounds, std::size_t pictures) {
  constexpr std::size_t h = 9, w = 14;
  queue.submit([&](sycl::handler& handler) {
    const sycl::local_accessor<std::uint32_t, 2> label(sycl::range<2>(h, w), handler);
    const sycl::local_accessor<std::uint32_t, 0> changed(handler);
    handler.parallel_for(sycl::nd_range<2>({pictures * h, w}, {h, w}), [=](sycl::nd_item<2> item) {
      const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
      const std::size_t at = item.get_global_linear_id();
      const bool set = picture[at] != 0;
      std::uint32_t mine = set ? std::uint32_t(y * w + x + 1) : 0;
      std::uint32_t count = 0;
      label[y][x] = mine;
      do {
        if (item.get_local_linear_id() == 0) changed = 0;
        sycl::group_barrier(item.get_group());
        std::uint32_t best = mine;
        if (set) {
          const auto look = [&](std::size_t to_y, std::size_t to_x) {
            if (to_y < h && to_x < w && label[to_y][to_x] > best) best = label[to_y][to_x];
          };
          look(y - 1, x);
          look(y + 1, x);
          look(y, x - 1);
          look(y, x + 1);
        }
        sycl::group_barrier(item.get_group());
        if (best != mine) {
          label[y][x] = mine = best;
          __atomic_store_n(&static_cast<std::uint32_t&>(changed), 1U, __ATOMIC_RELAXED);
        }
        ++count;
        sycl::group_barrier(item.get_group());
        const bool again = changed != 0;
        sycl::group_barrier(item.get_group());
        if (!again) break;
      } while (true);
      labels[at] = mine;
      if (item.get_local_linear_id() == 0) rounds[item.get_group(0)] = count;
    });
  });
  queue.wait();
}

int main() {
  sycl::queue queue;
  constexpr std::size_t matrices = 9, elements = 144;
  auto* const m = sycl::malloc_shared<double>(matrices * elements, queue);
  auto* const singular = sycl::malloc_shared<std::uint32_t>(matrices, queue);
  for (std::size_t i = 0; i < matrices * elements; ++i)
    m[i] = static_cast<double>((i * 2654435761U >> 7) % 101) - 50;
  for (std::size_t i = 0; i < matrices; ++i) singular[i] = 0;
  // The fourth has two equal rows.
  for (std::size_t c = 0; c < 12; ++c) m[3 * elements + 24 + c] = m[3 * elements + 60 + c];
  factorise(queue, m, singular, matrices);
  print("factors", m, matrices * elements);
  print("singular at", singular, matrices);

  constexpr std::size_t pictures = 7, size = 9 * 14;
  auto* const picture = sycl::malloc_shared<std::uint8_t>(pictures * size, queue);
  auto* const labels = sycl::malloc_shared<std::uint32_t>(pictures * size, queue);
  auto* const rounds = sycl::malloc_shared<std::uint32_t>(pictures, queue);
  for (std::size_t i = 0; i < pictures * size; ++i)
    picture[i] = (i * 2246822519U >> 9) % 10 < 3 + i / size;
  label_components(queue, picture, labels, rounds, pictures);
  print("labels", labels, pictures * size);
  print("rounds", rounds, pictures);
  sycl::free(m, queue);
  sycl::free(singular, queue);
  sycl::free(picture, queue);
  sycl::free(labels, queue);
  sycl::free(rounds, queue);
}
