// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cassert>
#include <cstdio>

#include "on_device.hpp"

namespace {

using namespace pianola::test;

template <class Kernel>
simulated_report run(const Kernel& kernel, std::size_t count, unsigned threads = 1) {
  simulated_launch launch = launch_of(sycl::range<1>(count), sycl::range<1>(64));
  launch.threads = threads;
  return on_device<form::range, 1>(kernel, launch);
}

TEST(simulated_calls, a_histogram_of_atomic_additions) {
  const std::vector<int> in = numbers<int>(5000);
  std::vector<unsigned> device(16), host(16);
  const auto make = [&](unsigned* bins) {
    return [=, p = in.data()](sycl::id<1> i) {
      __atomic_fetch_add(&bins[p[i] % 16], 1U, __ATOMIC_RELAXED);
    };
  };
  const simulated_report report = run(make(device.data()), in.size(), 4);
  sycl::queue().parallel_for(sycl::range<1>(in.size()), make(host.data())).wait_and_throw();
  EXPECT_EQ(device, host);
  EXPECT_EQ(report.atomics.at(PIANOLA_SIM_ADD), in.size());
}

struct cells {
  unsigned char byte;
  short half;
  int low, high, exchanged;
  unsigned ulow, uhigh, bits_and, bits_or, bits_xor, bits_nand;
  long long wide;
  float sum;
  double precise;
  int* pointer;
};

TEST(simulated_calls, every_kind_of_atomic_operation_and_width) {
  cells c{1, 2, 100, -100, 0, 100, 0, ~0U, 0, 0, 0, 0, 0, 0, nullptr};
  int target = 0;
  auto kernel = [p = &c, t = &target](sycl::id<1> i) {
    const int n = static_cast<int>(i[0]);
    const unsigned u = static_cast<unsigned>(n);
    __atomic_fetch_add(&p->byte, static_cast<unsigned char>(1), __ATOMIC_RELAXED);
    __atomic_fetch_sub(&p->half, static_cast<short>(1), __ATOMIC_ACQUIRE);
    __atomic_fetch_min(&p->low, n - 50, __ATOMIC_RELEASE);
    __atomic_fetch_max(&p->high, n - 50, __ATOMIC_ACQ_REL);
    __atomic_fetch_min(&p->ulow, u + 3, __ATOMIC_SEQ_CST);
    __atomic_fetch_max(&p->uhigh, u + 0x80000000U, __ATOMIC_SEQ_CST);
    __atomic_fetch_and(&p->bits_and, ~(1U << (u % 8)), __ATOMIC_RELAXED);
    __atomic_fetch_or(&p->bits_or, 1U << (u % 16), __ATOMIC_RELAXED);
    __atomic_fetch_xor(&p->bits_xor, u, __ATOMIC_RELAXED);
    if (n == 0) __atomic_fetch_nand(&p->bits_nand, 5U, __ATOMIC_RELAXED);
    if (n == 77) __atomic_exchange_n(&p->exchanged, 77, __ATOMIC_RELAXED);
    __atomic_fetch_add(&p->wide, 1LL << 40, __ATOMIC_RELAXED);
    float before =
        __atomic_load_n(reinterpret_cast<int*>(&p->sum), __ATOMIC_RELAXED) == 0 ? 0.0F : p->sum;
    float after = 0;
    do {
      after = before + 0.5F;
    } while (!__atomic_compare_exchange(&p->sum, &before, &after, true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED));
    if (n == 3) __atomic_store_n(&p->pointer, t, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  };
  const simulated_report report = run(kernel, 100);
  EXPECT_EQ(c.byte, 101);
  EXPECT_EQ(c.half, 2 - 100);
  EXPECT_EQ(c.low, -50);
  EXPECT_EQ(c.high, 49);
  EXPECT_EQ(c.ulow, 3U);
  EXPECT_EQ(c.uhigh, 0x80000000U + 99);
  EXPECT_EQ(c.bits_and, ~0xffU);
  EXPECT_EQ(c.bits_or, 0xffffU);
  unsigned all = 0;
  for (unsigned n = 0; n < 100; ++n) all ^= n;
  EXPECT_EQ(c.bits_xor, all);
  EXPECT_EQ(c.bits_nand, ~0U);
  EXPECT_EQ(c.exchanged, 77);
  EXPECT_EQ(c.wide, 100LL << 40);
  EXPECT_EQ(c.sum, 50.0F);
  EXPECT_EQ(c.pointer, &target);
  EXPECT_EQ(report.fences, 100U);
  EXPECT_EQ(report.atomics.at(PIANOLA_SIM_STORE), 1U);
  EXPECT_EQ(report.atomics.at(PIANOLA_SIM_LOAD), 100U);
  EXPECT_EQ(report.atomics.at(PIANOLA_SIM_COMPARE_EXCHANGE), 100U);
}

TEST(simulated_calls, printf_goes_to_the_driver_with_its_arguments) {
  auto kernel = [](sycl::id<1> i) {
    if (i[0] == 7) std::printf("item %d of %s: %.2f\n", static_cast<int>(i[0]), "many", 2.5);
    if (i[0] == 8) std::printf("no arguments\n");
  };
  EXPECT_EQ(run(kernel, 100).printed, "item 7 of many: 2.50\nno arguments\n");
}

TEST(simulated_calls, a_failed_assertion_stops_the_kernel) {
  std::vector<int> data(1000);
  auto kernel = [p = data.data()](sycl::id<1> i) {
    assert(i[0] != 70 && "told to fail");
    p[i] = 1;
  };
  EXPECT_TRUE(run(kernel, 1000).trapped);
  EXPECT_EQ(data[70], 0);
  EXPECT_EQ(data[63], 1);
  EXPECT_EQ(data[128], 0) << "groups after the failed one are not run";
  EXPECT_FALSE(run(kernel, 64).trapped);
}

TEST(simulated_calls, device_code_is_told_from_host_code) {
  int where[2] = {-1, -1};
  const auto make = [](int* p) { return [=](sycl::id<1>) { *p = __pianola_is_device(); }; };
  sycl::queue().parallel_for(sycl::range<1>(1), make(&where[0])).wait_and_throw();
  run(make(&where[1]), 1);
  EXPECT_EQ(where[0], 0);
  EXPECT_EQ(where[1], 1);
}

TEST(simulated_calls, an_id_that_no_object_file_has_is_reported) {
  EXPECT_THROW(find_simulated_kernel(12345), std::runtime_error);
}

}  // namespace
