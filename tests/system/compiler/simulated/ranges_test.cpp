// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "on_device.hpp"

namespace {

using namespace pianola::test;

constexpr double table[] = {1.5, 2.5, 4.5, 8.5};

struct polynomial {
  double a, b, c;
  double operator()(double x) const { return (a * x + b) * x + c; }
};

/// Runs the kernel that `make(int* data)` returns on both; every element has to be what the host says.
template <int D, class T, class Make>
void expect_same(const sycl::range<D>& global, const sycl::range<D>& local, std::size_t count,
                 Make make) {
  std::vector<T> host = numbers<T>(count);
  sycl::queue().parallel_for(global, make(host.data())).wait_and_throw();
  std::vector<T> device = numbers<T>(count);
  on_device<form::range, D>(make(device.data()), launch_of(global, local));
  EXPECT_EQ(device, host);
}

TEST(simulated_ranges, a_range_is_covered_by_groups_that_do_not_divide_it) {
  for (const std::size_t local : {1, 3, 32, 64, 100, 1024})
    expect_same<1, int>(sycl::range<1>(1000), sycl::range<1>(local), 1200, [](int* data) {
      return [=](sycl::id<1> i) { data[i] = 2 * data[i] + static_cast<int>(i[0]); };
    });
}

TEST(simulated_ranges, two_dimensions_keep_their_order) {
  expect_same<2, int>(sycl::range<2>(17, 33), sycl::range<2>(4, 8), 17 * 33, [](int* data) {
    return [=](sycl::item<2> i) {
      data[i.get_linear_id()] =
          static_cast<int>(i[0] * 1000 + i[1] + i.get_range(0) * 7 + i.get_range(1));
    };
  });
}

TEST(simulated_ranges, three_dimensions_keep_their_order) {
  expect_same<3, int>(sycl::range<3>(5, 7, 9), sycl::range<3>(2, 4, 8), 5 * 7 * 9, [](int* data) {
    return [=](sycl::item<3> i) {
      data[i.get_linear_id()] = static_cast<int>(i[0] * 10000 + i[1] * 100 + i[2]);
    };
  });
}

TEST(simulated_ranges, a_single_task_runs_once) {
  int runs = 0;
  auto task = [p = &runs] { ++*p; };
  sycl::queue().single_task(task).wait_and_throw();
  on_device<form::single_task, 1>(task, launch_of(sycl::range<1>(1), sycl::range<1>(1)));
  EXPECT_EQ(runs, 2);
}

TEST(simulated_ranges, function_objects_and_constants_of_the_unit_are_there) {
  static const int primes[] = {2, 3, 5, 7, 11};
  expect_same<1, double>(
      sycl::range<1>(333), sycl::range<1>(64), 333, [f = polynomial{0.5, -3, 2}](double* data) {
        return [=](sycl::id<1> i) { data[i] = f(data[i]) + table[i[0] % 4] * primes[i[0] % 5]; };
      });
}

TEST(simulated_ranges, math_functions_compute_what_they_compute_on_the_host) {
  std::vector<float> host = numbers<float>(500), device = host;
  const auto make = [](float* data) {
    return [=](sycl::id<1> i) {
      const float x = data[i] / 100;
      const double y = x;
      data[i] = std::sin(x) + std::sqrt(x) * std::exp(-x) + std::pow(x, 1.5F) + std::fmod(x, 0.7F) +
                std::floor(x) +
                static_cast<float>(std::cos(y) + std::log1p(y) + std::atan2(y, 2.0) +
                                   std::tgamma(1 + y / 20));
    };
  };
  sycl::queue().parallel_for(sycl::range<1>(500), make(host.data())).wait_and_throw();
  on_device<form::range, 1>(make(device.data()),
                            launch_of(sycl::range<1>(500), sycl::range<1>(128)));
  for (std::size_t i = 0; i < 500; ++i) EXPECT_NEAR(device[i], host[i], 1e-4 * std::fabs(host[i]));
}

TEST(simulated_ranges, several_threads_run_the_groups_of_a_launch) {
  std::vector<int> data(10000);
  auto kernel = [p = data.data()](sycl::id<1> i) { p[i] += static_cast<int>(i[0]); };
  simulated_launch launch = launch_of(sycl::range<1>(10000), sycl::range<1>(64));
  launch.threads = 4;
  on_device<form::range, 1>(kernel, launch);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(data[static_cast<std::size_t>(i)], i);
}

}  // namespace
