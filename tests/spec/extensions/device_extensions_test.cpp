// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/ext/oneapi/dot_product.hpp>
#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace oneapi = sycl::ext::oneapi;
namespace exp = sycl::ext::oneapi::experimental;
namespace khr = sycl::khr;

TEST(default_context, is_what_queues_without_a_context_use) {
  const sycl::queue q;
  const sycl::platform p = q.get_device().get_platform();
  EXPECT_EQ(p.khr_get_default_context(), q.get_context());
  EXPECT_EQ(p.ext_oneapi_get_default_context(), q.get_context());
  EXPECT_EQ(q.get_device().ext_oneapi_get_default_context(), q.get_context());
  EXPECT_EQ(p.khr_get_default_context().get_devices(), p.get_devices());
}

TEST(platform_device_index, is_the_place_in_the_platform) {
  for (const sycl::platform& p : sycl::platform::get_platforms()) {
    std::size_t i = 0;
    for (const sycl::device& d : p.get_devices())
      EXPECT_EQ(d.ext_oneapi_index_within_platform(), i++);
  }
}

TEST(composite_device, is_none_of_them_nor_a_part_of_one) {
  EXPECT_TRUE(exp::get_composite_devices().empty());
  for (const sycl::device& d : sycl::device::get_devices()) {
    EXPECT_FALSE(d.has(sycl::aspect::ext_oneapi_is_composite));
    EXPECT_FALSE(d.has(sycl::aspect::ext_oneapi_is_component));
    EXPECT_TRUE(d.get_platform().ext_oneapi_get_composite_devices().empty());
    EXPECT_TRUE(d.get_info<exp::info::device::component_devices>().empty());
    EXPECT_EQ(error_code_of([&] { (void)d.get_info<exp::info::device::composite_device>(); }),
              sycl::errc::invalid);
    EXPECT_NE(d.get_backend(), sycl::backend::all);
  }
}

TEST(max_work_group_queries, bound_each_dimension_and_the_whole) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    const auto range = d.get_info<khr::info::device::max_work_group_range<>>();
    const auto two = d.get_info<khr::info::device::max_work_group_range<2>>();
    const auto one = d.get_info<exp::info::device::max_work_groups<1>>();
    EXPECT_GE(range[0], 1U);
    EXPECT_EQ(two[0], range[1]);
    EXPECT_EQ(two[1], range[2]);
    EXPECT_EQ(one[0], range[2]);
    EXPECT_EQ(d.get_info<exp::info::device::max_work_groups<3>>()[0], range[0]);
    EXPECT_GE(d.get_info<khr::info::device::max_work_group_range_size>(), range[2]);
    // As programs use them: for int and for long.
    for (int i = 0; i < 3; ++i) EXPECT_GE(static_cast<int>(range[i]), 1);
    EXPECT_GE(
        static_cast<std::ptrdiff_t>(d.get_info<khr::info::device::max_work_group_range_size>()), 1);
    EXPECT_EQ(d.get_info<exp::info::device::max_global_work_groups>(),
              d.get_info<khr::info::device::max_work_group_range_size>());
    if (d.is_gpu() && d.get_backend() == sycl::backend::cuda) {
      EXPECT_EQ(range[0], 65535U);
    }
    EXPECT_EQ(d.get_info<oneapi::info::device::num_compute_units>(),
              d.get_info<sycl::info::device::max_compute_units>());
  }
}

TEST(peer_access, is_possible_between_devices_that_reach_each_others_memory) {
  for (sycl::device a : sycl::device::get_devices()) {
    EXPECT_FALSE(a.ext_oneapi_can_access_peer(a));
    for (const sycl::device& b : sycl::device::get_devices()) {
      if (a == b) continue;
      EXPECT_EQ(error_code_of([&] { a.ext_oneapi_disable_peer_access(b); }), sycl::errc::invalid);
      if (!a.ext_oneapi_can_access_peer(b, oneapi::peer_access::atomics_supported)) {
        EXPECT_EQ(error_code_of([&] { a.ext_oneapi_enable_peer_access(b); }),
                  sycl::errc::feature_not_supported);
        continue;
      }
      EXPECT_EQ(a.get_backend(), b.get_backend());
      a.ext_oneapi_enable_peer_access(b);
      EXPECT_EQ(error_code_of([&] { a.ext_oneapi_enable_peer_access(b); }), sycl::errc::invalid);
      const sycl::context c = a.ext_oneapi_get_default_context();
      int* const theirs = sycl::malloc_device<int>(4, b, c);
      int result[4] = {};
      sycl::queue q(c, a, sycl::property::queue::in_order());
      q.fill(theirs, 3, 4);
      q.copy(theirs, result, 4).wait();
      EXPECT_EQ(result[3], 3);
      sycl::free(theirs, c);
      a.ext_oneapi_disable_peer_access(b);
    }
  }
}

TEST(current_device, is_each_threads_own) {
  const std::vector<sycl::device> all = sycl::device::get_devices();
  EXPECT_EQ(exp::this_thread::get_current_device(), sycl::device());
  exp::this_thread::set_current_device(all.back());
  EXPECT_EQ(exp::this_thread::get_current_device(), all.back());
  std::thread([] { EXPECT_EQ(exp::this_thread::get_current_device(), sycl::device()); }).join();
  exp::this_thread::set_current_device(sycl::device());
}

TEST(filter_selector, chooses_by_backend_type_and_number) {
  const sycl::device preferred;
  const std::string backend =
      sycl::detail::device_access::properties(preferred).backend;  // its name in PIANOLA_DEVICES
  EXPECT_EQ(sycl::device(oneapi::filter_selector(backend)), preferred);
  EXPECT_EQ(sycl::device(oneapi::filter_selector("*:*:0")), sycl::device::get_devices()[0]);
  EXPECT_EQ(oneapi::filter_selector("0").select_device(), sycl::device::get_devices()[0]);
  const std::vector<sycl::device> mine = preferred.get_platform().get_devices();
  for (std::size_t i = 0; i < mine.size(); ++i)
    EXPECT_EQ(sycl::device(oneapi::filter_selector(backend + ":*:" + std::to_string(i))), mine[i]);
  const std::string type = preferred.is_cpu()           ? "CPU"
                           : preferred.is_gpu()         ? "gpu"
                           : preferred.is_accelerator() ? "accelerator"
                                                        : "*";
  EXPECT_EQ(sycl::device(oneapi::filter_selector(type)).is_cpu(), preferred.is_cpu());
  for (const sycl::device& d : sycl::device::get_devices()) {
    EXPECT_EQ(oneapi::filter_selector("cpu")(d) >= 0, d.is_cpu());
    EXPECT_EQ(oneapi::filter_selector("*:gpu")(d) >= 0, d.is_gpu());
    EXPECT_EQ(oneapi::filter_selector("acc")(d) >= 0, d.is_accelerator());
    EXPECT_EQ(oneapi::filter_selector("openmp")(d) >= 0,
              sycl::detail::device_access::properties(d).backend == "openmp");
  }
  EXPECT_EQ(sycl::queue(oneapi::filter_selector("hip:cpu:7," + backend)).get_device(), preferred)
      << "the first filter fits nothing";
}

TEST(filter_selector, refuses_what_it_does_not_know_and_finds_nothing_where_there_is_nothing) {
  for (const char* text : {"", "gpu:cuda", "fast", "cpu:", "0:1", "cpu,", "openmp:openmp"})
    EXPECT_EQ(error_code_of([&] { oneapi::filter_selector selector{std::string(text)}; }),
              sycl::errc::invalid)
        << text;
  EXPECT_EQ(error_code_of([] { sycl::device d(oneapi::filter_selector("cpu:4711")); }),
            sycl::errc::runtime);
}

TEST(auto_local_range, runs_every_item_once_in_groups_that_divide_the_range) {
  sycl::queue q;
  for (const std::size_t n : {1U, 7U, 64U, 1000U, 1024U, 1021U}) {
    int* const data = sycl::malloc_shared<int>(n, q);
    std::fill(data, data + n, 0);
    q.parallel_for(sycl::nd_range<1>(n, exp::auto_range<1>()), [=](sycl::nd_item<1> i) {
       data[i.get_group(0) * i.get_local_range(0) + i.get_local_id(0)] += 1;
     }).wait();
    EXPECT_EQ(std::count(data, data + n, 1), static_cast<std::ptrdiff_t>(n));
    sycl::free(data, q);
  }
  int* const sizes = sycl::malloc_shared<int>(3, q);
  q.parallel_for(sycl::nd_range<3>({2, 10, 96}, exp::auto_range<3>()), [=](sycl::nd_item<3> i) {
     if (i.get_global_linear_id() == 0)
       for (int d = 0; d < 3; ++d) sizes[d] = static_cast<int>(i.get_local_range(d));
   }).wait();
  EXPECT_EQ(sizes[2], 96);
  EXPECT_EQ(sizes[1], 2);
  EXPECT_EQ(sizes[0], 1);
  sycl::free(sizes, q);
}

TEST(dot_accumulate, sums_products_of_four_bytes) {
  sycl::queue q;
  std::int32_t* const result = sycl::malloc_shared<std::int32_t>(8, q);
  q.single_task([=] {
     const std::int32_t a = static_cast<std::int32_t>(0xff028081U);  // -127, -128, 2, -1
     const std::uint32_t b = 0x04030201U;
     const std::uint32_t ua = 0xff028081U;  // 129, 128, 2, 255
     result[0] = oneapi::dot_acc(a, static_cast<std::int32_t>(b), 1000);
     result[1] = oneapi::dot_acc(ua, b, 1000);
     result[2] = oneapi::dot_acc(a, b, 0);
     result[3] = oneapi::dot_acc(ua, static_cast<std::int32_t>(ua), 0);
     result[4] = oneapi::dot_acc(sycl::vec<std::int8_t, 4>(1, -2, 3, -4),
                                 sycl::vec<std::uint8_t, 4>(200, 1, 1, 1), 5);
     result[5] =
         oneapi::dot_acc(sycl::vec<std::uint8_t, 4>(255), sycl::vec<std::uint8_t, 4>(255), 0);
   }).wait();
  EXPECT_EQ(result[0], 1000 - 127 - 256 + 6 - 4);
  EXPECT_EQ(result[1], 1000 + 129 + 256 + 6 + 1020);
  EXPECT_EQ(result[2], -127 - 256 + 6 - 4);
  EXPECT_EQ(result[3], 129 * -127 + 128 * -128 + 4 - 255);
  EXPECT_EQ(result[4], 5 + 200 - 2 + 3 - 4);
  EXPECT_EQ(result[5], 4 * 255 * 255);
  sycl::free(result, q);
}

TEST(memory_hints, are_accepted) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(
      4, q, sycl::property_list{oneapi::property::usm::device_read_only()});
  ASSERT_NE(data, nullptr);
  sycl::free(data, q);
  const sycl::buffer<int> b{
      sycl::range<1>(4), sycl::property_list{oneapi::property::buffer::use_pinned_host_memory()}};
  EXPECT_TRUE(b.has_property<oneapi::property::buffer::use_pinned_host_memory>());
}

TEST(usm_address_spaces, name_pointers_that_are_global_ones) {
  static_assert(SYCL_EXT_INTEL_USM_ADDRESS_SPACES >= 1);
  static_assert(std::is_same_v<
                sycl::ext::intel::device_ptr<int>,
                sycl::multi_ptr<int, sycl::access::address_space::ext_intel_global_device_space>>);
  static_assert(std::is_convertible_v<sycl::device_ptr<int>, sycl::global_ptr<int>>);
  sycl::queue q;
  int* const on_device = sycl::malloc_device<int>(4, q);
  int* const on_host = sycl::malloc_host<int>(4, q);
  const auto from = static_cast<sycl::device_ptr<int>>(on_device);
  const auto to = sycl::ext::intel::host_ptr<int>(on_host);
  q.fill(from.get(), 7, 4).wait();
  q.single_task([=] {
     const sycl::global_ptr<int> same(from);
     for (int i = 0; i < 4; ++i) to[i] = same[i] + i;
   }).wait();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(on_host[i], 7 + i);
  sycl::free(on_device, q);
  sycl::free(on_host, q);
}

}  // namespace
