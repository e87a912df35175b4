// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "on_device.hpp"

namespace {

using namespace pianola::test;

/// On the host, and on the device with work-items taking turns in several orders.
template <class T, int D, class Make>
void expect_same(const sycl::nd_range<D>& space, std::size_t count, Make make) {
  const std::vector<T> host = host_result<T>(space, numbers<T>(count), make);
  for (const std::uint64_t seed : {0, 1, 2, 3})
    EXPECT_EQ(device_result<T>(space, numbers<T>(count), make, seed), host)
        << "order of work-items: seed " << seed;
}

TEST(simulated_groups, all_ids_of_an_nd_item_are_those_of_the_host) {
  const sycl::nd_range<3> space(sycl::range<3>(4, 6, 10), sycl::range<3>(2, 3, 5));
  expect_same<std::size_t>(space, 240 * 12, [](sycl::handler&, std::size_t* data) {
    return [=](sycl::nd_item<3> item) {
      std::size_t* out = data + item.get_global_linear_id() * 12;
      for (int d = 0; d < 3; ++d) {
        out[d] = item.get_global_id(d) * 10 + item.get_local_id(d);
        out[3 + d] = item.get_group(d) * 10 + item.get_group_range(d);
        out[6 + d] = item.get_local_range(d) * 100 + item.get_global_range(d);
      }
      out[9] = item.get_local_linear_id();
      out[10] = item.get_group_linear_id();
      out[11] = item.get_group().get_local_linear_range();
    };
  });
}

TEST(simulated_groups, a_scan_in_local_memory_with_barriers_in_a_loop) {
  for (const std::size_t local : {1, 2, 7, 32, 33, 256, 1024})
    expect_same<int>(sycl::nd_range<1>(local * 3, local), local * 3,
                     [=](sycl::handler& h, int* data) {
                       sycl::local_accessor<int> sums(2 * local, h);
                       return [=](sycl::nd_item<1> item) {
                         const std::size_t i = item.get_local_id(0);
                         const std::size_t n = item.get_local_range(0);
                         std::size_t from = 0;
                         std::size_t to = n;
                         sums[i] = data[item.get_global_id()];
                         sycl::group_barrier(item.get_group());
                         for (std::size_t step = 1; step < n; step *= 2) {
                           sums[to + i] = sums[from + i] + (i >= step ? sums[from + i - step] : 0);
                           const std::size_t other = from;
                           from = to;
                           to = other;
                           sycl::group_barrier(item.get_group());
                         }
                         data[item.get_global_id()] = sums[from + i];
                       };
                     });
}

TEST(simulated_groups, a_transposition_through_tiles_of_local_memory) {
  const sycl::nd_range<2> space(sycl::range<2>(32, 48), sycl::range<2>(16, 16));
  expect_same<float>(space, 2 * 32 * 48, [](sycl::handler& h, float* data) {
    sycl::local_accessor<float, 2> tile(sycl::range<2>(16, 17), h);
    sycl::local_accessor<int> once(1, h);
    return [=](sycl::nd_item<2> item) {
      const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
      if (x == 0 && y == 0) once[0] = static_cast<int>(item.get_group_linear_id());
      tile[y][x] = data[item.get_global_id(0) * 48 + item.get_global_id(1)];
      sycl::group_barrier(item.get_group());
      const std::size_t row = item.get_group(1) * 16 + y, column = item.get_group(0) * 16 + x;
      data[32 * 48 + row * 32 + column] = tile[x][y] + static_cast<float>(once[0]);
    };
  });
}

TEST(simulated_groups, barriers_in_functions_that_the_kernel_calls) {
  struct halves {
    static void combine(const sycl::nd_item<1>& item, int* shared, std::size_t half) {
      if (item.get_local_id(0) < half)
        shared[item.get_local_id(0)] += shared[item.get_local_id(0) + half];
      sycl::group_barrier(item.get_group());
    }
  };
  expect_same<int>(sycl::nd_range<1>(256, 64), 256, [](sycl::handler& h, int* data) {
    sycl::local_accessor<int> shared(64, h);
    return [=](sycl::nd_item<1> item) {
      shared[item.get_local_id()] = data[item.get_global_id()];
      sycl::group_barrier(item.get_group());
      for (std::size_t half = 32; half > 0; half /= 2) halves::combine(item, &shared[0], half);
      data[item.get_global_id()] -= shared[0];
    };
  });
}

TEST(simulated_groups, algorithms_of_a_work_group) {
  for (const std::size_t local : {8, 32, 96, 256, 200})
    expect_same<int>(
        sycl::nd_range<1>(local * 2, local), local * 2 * 6, [=](sycl::handler&, int* data) {
          return [=](sycl::nd_item<1> item) {
            const auto group = item.get_group();
            const std::size_t i = item.get_global_id(0), n = item.get_global_range(0);
            const int own = data[i];
            data[i + n] = sycl::reduce_over_group(group, own, sycl::plus<int>());
            data[i + 2 * n] = sycl::inclusive_scan_over_group(group, own, sycl::plus<int>());
            data[i + 3 * n] = sycl::exclusive_scan_over_group(group, own, sycl::maximum<int>());
            data[i + 4 * n] = sycl::group_broadcast(group, own, local - 1);
            data[i + 5 * n] =
                sycl::any_of_group(group, own == 13) + 2 * sycl::all_of_group(group, own >= 0);
          };
        });
}

TEST(simulated_groups, shuffles_and_votes_within_sub_groups_of_every_size) {
  // The host's sub-groups have another size: the results are compared with what the specification says.
  constexpr std::size_t local = 72;  // not a multiple of every size
  for (const std::uint32_t size : {8U, 16U, 32U, 64U}) {
    simulated_report report;
    const std::vector<int> in = numbers<int>(local * 2 * 6);
    const std::vector<int> out = device_result<int>(
        sycl::nd_range<1>(local * 2, local), in,
        [](sycl::handler&, int* data) {
          return [=](sycl::nd_item<1> item) {
            const auto sub = item.get_sub_group();
            const std::size_t i = item.get_global_id(0), n = item.get_global_range(0);
            const int own = data[i];
            data[i + n] = sycl::select_from_group(sub, own, 0);
            data[i + 2 * n] = sycl::any_of_group(sub, own % 5 == 0);
            data[i + 3 * n] = sycl::reduce_over_group(sub, own, sycl::plus<int>());
            data[i + 4 * n] = sycl::inclusive_scan_over_group(sub, own, sycl::plus<int>());
            data[i + 5 * n] =
                static_cast<int>(sub.get_local_linear_id() + 100 * sub.get_group_linear_id());
          };
        },
        size, size, &report);
    const std::size_t n = local * 2;
    for (std::size_t group = 0; group < n; group += local)
      for (std::size_t first = 0; first < local; first += size) {
        const std::size_t last = std::min<std::size_t>(local, first + size);
        const auto begin = in.begin() + static_cast<std::ptrdiff_t>(group + first);
        const auto end = in.begin() + static_cast<std::ptrdiff_t>(group + last);
        int running = 0;
        for (std::size_t lane = 0; lane < last - first; ++lane) {
          const std::size_t i = group + first + lane;
          running += in[i];
          EXPECT_EQ(out[i + n], *begin);
          EXPECT_EQ(out[i + 2 * n], std::any_of(begin, end, [](int x) { return x % 5 == 0; }));
          EXPECT_EQ(out[i + 3 * n], std::accumulate(begin, end, 0));
          EXPECT_EQ(out[i + 4 * n], running);
          EXPECT_EQ(out[i + 5 * n], static_cast<int>(lane + 100 * (first / size)));
        }
      }
    EXPECT_GT(report.shuffles, 0U);
  }
}

TEST(simulated_groups, a_barrier_that_some_never_reach_is_reported) {
  const auto make = [](sycl::handler&, int* data) {
    return [=](sycl::nd_item<1> item) {
      if (item.get_local_id(0) < 4)
        sycl::group_barrier(item.get_group());
      else
        sycl::group_barrier(item.get_sub_group());
      data[item.get_global_id()] = 1;
    };
  };
  EXPECT_THROW(device_result<int>(sycl::nd_range<1>(64, 64), std::vector<int>(64), make),
               std::runtime_error);
}

TEST(simulated_groups, the_driver_sees_every_barrier) {
  simulated_report report;
  device_result<int>(
      sycl::nd_range<1>(128, 32), std::vector<int>(128),
      [](sycl::handler&, int* data) {
        return [=](sycl::nd_item<1> item) {
          sycl::group_barrier(item.get_group());
          data[item.get_global_id()] = 1;
          sycl::group_barrier(item.get_group());
          sycl::group_barrier(item.get_sub_group());
        };
      },
      0, 16, &report);
  EXPECT_EQ(report.group_barriers, 4U * 2);
  EXPECT_EQ(report.sub_group_barriers, 4U * 2);
}

}  // namespace
