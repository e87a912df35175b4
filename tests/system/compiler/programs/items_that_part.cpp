// SPDX-License-Identifier: Apache-2.0
// Barriers that not all work-items of a group come to, as programs have them that were written for GPUs: who has left
// counts as arrived.
#include <cstdint>
#include <sycl/sycl.hpp>

#include "print.hpp"

namespace {

constexpr std::size_t items = 64, groups = 5, all = items * groups;

template <class Body>
void run(sycl::queue& queue, const char* what, Body body) {
  std::uint32_t* out = sycl::malloc_shared<std::uint32_t>(all, queue);
  for (std::size_t i = 0; i < all; ++i) out[i] = 77;
  queue.submit([&](sycl::handler& h) {
    const sycl::local_accessor<std::uint32_t, 1> tile(sycl::range<1>(items), h);
    h.parallel_for(sycl::nd_range<1>(all, items),
                   [=](sycl::nd_item<1> item) { body(item, tile, out); });
  });
  queue.wait_and_throw();
  print(what, out, all);
  sycl::free(out, queue);
}

using tile_of = sycl::local_accessor<std::uint32_t, 1>;

// A function with a barrier, which some work-items call more often than others.
std::uint32_t exchange(const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t value) {
  const std::size_t l = item.get_local_id(0);
  tile[l] = value;
  sycl::group_barrier(item.get_group());
  const std::uint32_t got = tile[(l + 1) % items];
  sycl::group_barrier(item.get_group());
  return got;
}

struct pair {
  double first;
  std::uint16_t second;
};

}  // namespace

int main() {
  sycl::queue queue;
  // Bounds that the compiler cannot know to be multiples of the group's size; the first is one.
  std::uint32_t* bounds = sycl::malloc_shared<std::uint32_t>(2, queue);
  bounds[0] = all;
  bounds[1] = all - 51;
  for (int which = 0; which < 2; ++which)
    run(queue, "early return",
        [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
          const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
          tile[l] = static_cast<std::uint32_t>(g * 3);
          if (g >= bounds[which]) return;
          sycl::group_barrier(item.get_group());
          out[g] = tile[l ^ 1] + (l == 0 ? 1000 : 0);
        });
  run(queue, "return from a loop",
      [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < 9; ++i) {
          tile[l] = static_cast<std::uint32_t>(g) + i;
          sycl::group_barrier(item.get_group());
          sum += tile[(l + 3 * i) % items];
          if (i != 0 && (g + i) % 7 == 0) {
            out[g] = sum;
            return;
          }
          sycl::group_barrier(item.get_group());
        }
        out[g] = sum + 1;
      });
  run(queue, "loops left at different times",
      [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        std::uint32_t a = static_cast<std::uint32_t>(g);
        std::uint32_t p[8] = {a, 1, 2, 3, 4, 5, 6, 7};
        std::uint32_t* q = &p[a & 7];
        pair both{1.5 * a, static_cast<std::uint16_t>(a)};
        for (std::uint32_t k = 0; k < 1 + (g * 7) % 5; ++k) {
          tile[l] = a;
          sycl::group_barrier(item.get_group());
          a += tile[(l + k) % items];
          p[a & 7] += k;
          both.first += 0.25 * k;
          sycl::group_barrier(item.get_group());
          *q ^= 5;
          both.second = static_cast<std::uint16_t>(both.second + p[k & 7]);
        }
        for (const std::uint32_t x : p) a = a * 31 + x;
        out[g] = a + static_cast<std::uint32_t>(both.first * 4) + both.second;
      });
  run(queue, "a tree of sums whose work-items wait only while they add",
      [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        tile[l] = static_cast<std::uint32_t>(g * g);
        sycl::group_barrier(item.get_group());
        // pianolacc warns of this one.
        for (std::size_t half = items / 2; half > 0; half /= 2)
          if (l < half) {
            tile[l] += tile[l + half];
            sycl::group_barrier(item.get_group());
          }
        if (l == 0) out[g] = tile[0];
      });
  run(queue, "a barrier in each branch",
      [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        tile[l] = static_cast<std::uint32_t>(g);
        std::uint32_t v = 0;
        switch ((g * 11) % 4) {
          case 0:
            sycl::group_barrier(item.get_group());
            v = tile[(l + 9) % items];
            break;
          case 1:
            v = 3;
            sycl::group_barrier(item.get_group());
            v += tile[(l + 2) % items];
            [[fallthrough]];
          case 2:
            sycl::group_barrier(item.get_group());
            v ^= 11;
            break;
          default:
            v = static_cast<std::uint32_t>(l);
        }
        sycl::group_barrier(item.get_group());
        out[g] = v;
      });
  // Group functions leave out who has left; the first work-item may be among those.
  for (std::uint32_t first : {0u, 5u, 64u + 13u})
    run(queue, "group functions of those that stay",
        [=](const sycl::nd_item<1>& item, const tile_of&, std::uint32_t* out) {
          const std::size_t g = item.get_global_id(0);
          if (g < first || g >= bounds[1] || g % 11 == 4) return;
          const sycl::group<1> group = item.get_group();
          const sycl::sub_group s = item.get_sub_group();
          const auto value = static_cast<float>(g) * 1.3f;
          const sycl::plus<float> plus;
          float v = sycl::reduce_over_group(group, value, plus);
          v = 0.5f * v + sycl::exclusive_scan_over_group(group, value, 3.0f, plus);
          v = 0.5f * v + sycl::inclusive_scan_over_group(group, value, plus);
          v = 0.5f * v + sycl::group_broadcast(group, value, 4);
          v = 0.5f * v + sycl::shift_group_right(group, value, 2);
          v = 0.5f * v + sycl::reduce_over_group(s, value, plus);
          v = 0.5f * v + sycl::exclusive_scan_over_group(s, value, 3.0f, plus);
          v = 0.5f * v + sycl::inclusive_scan_over_group(s, value, plus);
          v = 0.5f * v + sycl::group_broadcast(s, value);
          v = 0.5f * v + sycl::permute_group_by_xor(s, value, 5);
          const auto half = sycl::ext::oneapi::experimental::get_ballot_group(s, g % 2 == 0);
          v = 0.5f * v + sycl::reduce_over_group(half, value, plus);
          v = 0.5f * v + sycl::inclusive_scan_over_group(half, value, plus);
          if (sycl::all_of_group(group, g % 11 != 4)) v += 100;
          if (sycl::any_of_group(s, g % 11 == 4)) v += 1000;
          v += static_cast<float>(sycl::ext::oneapi::group_ballot(s, g % 3 == 0).count());
          out[g] = sycl::bit_cast<std::uint32_t>(v);
        });
  run(queue, "a function called by some",
      [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
        const std::size_t g = item.get_global_id(0);
        std::uint32_t v = static_cast<std::uint32_t>(g * 17);
        v += exchange(item, tile, v);
        if (bounds[g & 1] == all) v += exchange(item, tile, v ^ 5);
        if (v % 3 == 0) v ^= exchange(item, tile, 9 * v);
        out[g] = v;
      });
  // Where the loop is left nothing else comes in; work-items come there in different rounds.
  const std::uint32_t* const ends = bounds;
  run(queue, "rounds of a loop that begins with a question",
      [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        std::uint32_t k = 0;
        for (;; ++k) {
          if (((l + k) & 1) != 0) {
            if (k >= ends[0] % 4 + 1) break;
          }
        }
        tile[l] = static_cast<std::uint32_t>(l);
        sycl::group_barrier(item.get_group());
        out[g] = k * 100 + tile[(l + 1) % items];
      });
  run(queue, "sub-groups that work in kernels whose work-items part",
      [=](const sycl::nd_item<1>& item, const tile_of& tile, std::uint32_t* out) {
        const std::size_t g = item.get_global_id(0), l = item.get_local_id(0);
        const sycl::sub_group s = item.get_sub_group();
        std::uint32_t v =
            sycl::reduce_over_group(s, static_cast<std::uint32_t>(g), sycl::plus<std::uint32_t>());
        tile[l] = v;
        if ((l / 8) % 3 == 0) {
          sycl::group_barrier(item.get_group());
          v += tile[(l + 9) % items];
          sycl::group_barrier(item.get_group());
          v += sycl::inclusive_scan_over_group(s, v, sycl::plus<std::uint32_t>());
          sycl::group_barrier(item.get_group());
        } else {
          sycl::group_barrier(item.get_group());
          v += tile[(l + 5) % items];
          v ^= sycl::select_from_group(s, v, 3);
          v += sycl::any_of_group(s, v % 16 == 3) ? 100 : 0;
        }
        v += sycl::permute_group_by_xor(s, v, 1);
        out[g] = v;
      });
  std::uint32_t* plane = sycl::malloc_shared<std::uint32_t>(6 * 4 * 9 * 2, queue);
  for (std::size_t i = 0; i < 6 * 4 * 9 * 2; ++i) plane[i] = 1;
  queue.submit([&](sycl::handler& h) {
    const sycl::local_accessor<std::uint32_t, 3> tile(sycl::range<3>(3, 4, 3), h);
    h.parallel_for(sycl::nd_range<3>({6, 8, 9}, {3, 4, 3}), [=](sycl::nd_item<3> item) {
      const std::size_t at = item.get_global_linear_id();
      const std::size_t z = item.get_local_id(0), y = item.get_local_id(1),
                        x = item.get_local_id(2);
      tile[z][y][x] = static_cast<std::uint32_t>(at);
      sycl::group_barrier(item.get_group());
      std::uint32_t v = tile[2 - z][3 - y][2 - x];
      for (int round = 0; round < 7 && v % 5 != 0; ++round) {
        sycl::group_barrier(item.get_group());
        v += 1 + static_cast<std::uint32_t>(x + y * z);
      }
      plane[at] = v;
    });
  });
  queue.wait_and_throw();
  print("three dimensions", plane, 6 * 4 * 9 * 2);
  sycl::free(plane, queue);
  sycl::free(bounds, queue);
}
