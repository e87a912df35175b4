// SPDX-License-Identifier: Apache-2.0
// What sycl::atomic_ref and sycl::atomic_fence become in device code, and that it computes what they say.
#include <gtest/gtest.h>

#include <array>

#include "on_device.hpp"

namespace {

using namespace pianola::test;
using sycl::memory_order;
using sycl::memory_scope;
using counts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

template <class Kernel>
simulated_report run(const Kernel& kernel, std::size_t count = 1) {
  return on_device<form::range, 1>(kernel, launch_of(sycl::range<1>(count), sycl::range<1>(count)));
}

template <memory_order Order, memory_scope Scope, class T>
using ref = sycl::atomic_ref<T, Order, Scope>;

TEST(simulated_scopes, the_type_of_a_reference_says_how_far_it_reaches) {
  std::array<int, 5> at{};
  const simulated_report report = run(
      [p = at.data()](sycl::id<1>) {
        ++ref<memory_order::relaxed, memory_scope::work_item, int>(p[0]);
        ++ref<memory_order::relaxed, memory_scope::sub_group, int>(p[1]);
        ++ref<memory_order::relaxed, memory_scope::work_group, int>(p[2]);
        ++ref<memory_order::acq_rel, memory_scope::device, int>(p[3]);
        ++ref<memory_order::seq_cst, memory_scope::system, int>(p[4]);
      },
      10);
  EXPECT_EQ(at, (std::array<int, 5>{10, 10, 10, 10, 10}));
  EXPECT_EQ(report.ordered_accesses, (counts{{{PIANOLA_SIM_RELAXED, PIANOLA_SIM_WORK_ITEM}, 10},
                                             {{PIANOLA_SIM_RELAXED, PIANOLA_SIM_SUB_GROUP}, 10},
                                             {{PIANOLA_SIM_RELAXED, PIANOLA_SIM_WORK_GROUP}, 10},
                                             {{PIANOLA_SIM_ACQ_REL, PIANOLA_SIM_DEVICE}, 10},
                                             {{PIANOLA_SIM_SEQ_CST, PIANOLA_SIM_SYSTEM}, 10}}));
}

TEST(simulated_scopes, every_operation_passes_on_the_scope_of_its_call) {
  int n = 12;
  float f = 1.5F;
  double d = 2.5;
  int cells[8] = {};
  int* pointer = cells;
  std::array<int, 12> seen{};
  const auto kernel = [=, i = &n, x = &f, y = &d, at = &pointer, s = seen.data()](sycl::id<1>) {
    constexpr memory_order order = memory_order::relaxed;
    constexpr memory_scope scope = memory_scope::device;
    const ref<memory_order::seq_cst, memory_scope::system, int> a(*i);
    a.store(a.load(order, scope) + 1, order, scope);  // 13
    s[0] = a.exchange(20, order, scope);              // 20
    int expected = 20;
    s[1] = a.compare_exchange_strong(expected, 21, order, order, scope);  // 21
    s[2] = a.compare_exchange_strong(expected, 22, order, scope);         // fails
    s[3] = a.fetch_add(4, order, scope);                                  // 25
    s[4] = a.fetch_sub(5, order, scope);                                  // 20
    s[5] = a.fetch_and(24, order, scope);                                 // 16
    s[6] = a.fetch_or(3, order, scope);                                   // 19
    s[7] = a.fetch_xor(1, order, scope);                                  // 18
    s[8] = a.fetch_min(7, order, scope);                                  // 7
    s[9] = a.fetch_max(9, order, scope);                                  // 9
    const ref<memory_order::seq_cst, memory_scope::system, float> b(*x);
    s[10] = static_cast<int>(b.fetch_add(1, order, scope) + b.fetch_min(0.5F, order, scope) +
                             b.fetch_max(7, order, scope));
    const ref<memory_order::seq_cst, memory_scope::system, double> c(*y);
    c.fetch_sub(1, order, scope);
    const ref<memory_order::seq_cst, memory_scope::system, int*> p(*at);
    s[11] = static_cast<int>(p.fetch_add(5, order, scope) - p.fetch_sub(2, order, scope));
  };
  const simulated_report report = run(kernel);
  EXPECT_EQ(n, 9);
  EXPECT_EQ(f, 7.0F);
  EXPECT_EQ(d, 1.5);
  EXPECT_EQ(pointer - cells, 3);
  EXPECT_EQ(seen, (std::array<int, 12>{13, 1, 0, 21, 25, 20, 16, 19, 18, 7, 4, -5}));
  ASSERT_EQ(report.ordered_accesses.size(), 1U);
  EXPECT_EQ(report.ordered_accesses.begin()->first,
            std::make_pair(std::uint32_t{PIANOLA_SIM_RELAXED}, std::uint32_t{PIANOLA_SIM_DEVICE}));
}

TEST(simulated_scopes, a_scope_chosen_at_run_time_is_the_systems) {
  int n = 0;
  int scope = static_cast<int>(memory_scope::work_group);
  const simulated_report report = run([i = &n, s = &scope](sycl::id<1>) {
    ref<memory_order::relaxed, memory_scope::device, int>(*i).fetch_add(
        3, memory_order::relaxed, static_cast<memory_scope>(*s));
  });
  EXPECT_EQ(n, 3);
  EXPECT_EQ(report.ordered_accesses, (counts{{{PIANOLA_SIM_RELAXED, PIANOLA_SIM_SYSTEM}, 1}}));
}

TEST(simulated_scopes, fences_have_order_and_scope) {
  const simulated_report report = run([](sycl::id<1>) {
    sycl::atomic_fence(memory_order::acq_rel, memory_scope::work_item);
    sycl::atomic_fence(memory_order::relaxed, memory_scope::system);
    sycl::atomic_fence(memory_order::acquire, memory_scope::sub_group);
    sycl::atomic_fence(memory_order::release, memory_scope::work_group);
    sycl::atomic_fence(memory_order::acq_rel, memory_scope::device);
    sycl::atomic_fence(memory_order::seq_cst, memory_scope::system);
  });
  EXPECT_EQ(report.ordered_fences, (counts{{{PIANOLA_SIM_ACQUIRE, PIANOLA_SIM_SUB_GROUP}, 1},
                                           {{PIANOLA_SIM_RELEASE, PIANOLA_SIM_WORK_GROUP}, 1},
                                           {{PIANOLA_SIM_ACQ_REL, PIANOLA_SIM_DEVICE}, 1},
                                           {{PIANOLA_SIM_SEQ_CST, PIANOLA_SIM_SYSTEM}, 1}}));
}

TEST(simulated_scopes, a_memory_fence_of_a_group_reaches_as_far_as_the_group) {
  simulated_report report;
  const auto make = [](sycl::handler&, int* p) {
    return [=](sycl::nd_item<1> item) {
      item.mem_fence();
      p[item.get_global_id(0)] = 1;
    };
  };
  const std::vector<int> data =
      device_result<int>(sycl::nd_range<1>(8, 4), std::vector<int>(8), make, 0, 32, &report);
  EXPECT_EQ(data, std::vector<int>(8, 1));
  EXPECT_EQ(report.ordered_fences, (counts{{{PIANOLA_SIM_ACQ_REL, PIANOLA_SIM_WORK_GROUP}, 8}}));
}

TEST(simulated_scopes, references_to_local_memory_sum_up_a_group_on_host_and_device) {
  const auto make = [](sycl::handler& h, int* p) {
    const sycl::local_accessor<int, 1> sum(1, h);
    return [=](sycl::nd_item<1> item) {
      if (item.get_local_id(0) == 0) sum[0] = 0;
      sycl::group_barrier(item.get_group());
      sycl::atomic_ref<int, memory_order::relaxed, memory_scope::work_group,
                       sycl::access::address_space::local_space>(sum[0]) +=
          p[item.get_global_id(0)];
      sycl::group_barrier(item.get_group());
      p[item.get_global_id(0)] = sum[0];
    };
  };
  const sycl::nd_range<1> space(96, 32);
  EXPECT_EQ(device_result(space, numbers<int>(96), make, 7),
            host_result(space, numbers<int>(96), make));
}

}  // namespace
