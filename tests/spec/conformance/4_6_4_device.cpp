// SPDX-License-Identifier: Apache-2.0
// 4.6.4: the device class, its queries and aspects. (5.7's traits of aspects are tested here as well.)
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

namespace info = sycl::info::device;
using sycl::aspect;

template <class Descriptor, class Result>
constexpr bool returns = std::is_same_v<typename Descriptor::return_type, Result>;
#define RETURNS(descriptor, ...) static_assert(returns<info::descriptor, __VA_ARGS__>);
RETURNS(device_type, sycl::info::device_type)
RETURNS(vendor_id, std::uint32_t)
RETURNS(max_compute_units, std::uint32_t)
RETURNS(max_work_item_dimensions, std::uint32_t)
RETURNS(max_work_item_sizes<1>, sycl::range<1>)
RETURNS(max_work_item_sizes<2>, sycl::range<2>)
RETURNS(max_work_item_sizes<3>, sycl::range<3>)
RETURNS(max_work_item_sizes<>, sycl::range<3>)
RETURNS(max_work_group_size, std::size_t)
RETURNS(max_num_sub_groups, std::uint32_t)
RETURNS(sub_group_sizes, std::vector<std::size_t>)
RETURNS(sub_group_independent_forward_progress, bool)
RETURNS(max_clock_frequency, std::uint32_t)
RETURNS(address_bits, std::uint32_t)
RETURNS(max_mem_alloc_size, std::uint64_t)
RETURNS(image_support, bool)
RETURNS(max_parameter_size, std::size_t)
RETURNS(half_fp_config, std::vector<sycl::info::fp_config>)
RETURNS(global_mem_cache_type, sycl::info::global_mem_cache_type)
RETURNS(local_mem_type, sycl::info::local_mem_type)
RETURNS(execution_capabilities, std::vector<sycl::info::execution_capability>)
RETURNS(built_in_kernel_ids, std::vector<sycl::kernel_id>)
RETURNS(aspects, std::vector<aspect>)
RETURNS(parent_device, sycl::device)
RETURNS(partition_properties, std::vector<sycl::info::partition_property>)
RETURNS(partition_affinity_domains, std::vector<sycl::info::partition_affinity_domain>)
RETURNS(partition_type_property, sycl::info::partition_property)
RETURNS(partition_type_affinity_domain, sycl::info::partition_affinity_domain)

class each_device : public testing::Test {
 protected:
  template <class F>
  void check(const F& f) {
    for (const sycl::device& d : sycl::device::get_devices()) {
      SCOPED_TRACE(d.get_info<info::name>());
      f(d);
    }
  }
};

TEST_F(each_device, answers_queries_of_what_it_is) {
  check([](const sycl::device& d) {
    using type = sycl::info::device_type;
    const type t = d.get_info<info::device_type>();
    EXPECT_FALSE(d.is_host());  // of SYCL 1.2.1, which programs still ask
    EXPECT_EQ(t == type::cpu, d.is_cpu());
    EXPECT_EQ(t == type::gpu, d.is_gpu());
    EXPECT_EQ(t == type::accelerator, d.is_accelerator());
    EXPECT_FALSE(d.get_info<info::name>().empty());
    EXPECT_FALSE(d.get_info<info::vendor>().empty());
    EXPECT_EQ(d.get_info<info::platform>(), d.get_platform());
    EXPECT_EQ(d.get_info<info::profile>(), "FULL_PROFILE");
    EXPECT_EQ(d.get_info<info::driver_version>(), d.get_info<info::backend_version>());
    EXPECT_EQ(d.get_info<info::version>(), "2020");
    EXPECT_TRUE(d.get_info<info::is_available>());
    EXPECT_TRUE(d.get_info<info::is_endian_little>());
    EXPECT_EQ(d.get_info<info::address_bits>(), 64U);
    EXPECT_NO_THROW((void)d.get_info<info::vendor_id>());
    EXPECT_NO_THROW((void)d.get_info<info::max_clock_frequency>());
    EXPECT_EQ(d.get_info<info::is_compiler_available>(), d.has(aspect::online_compiler));
    EXPECT_EQ(d.get_info<info::is_linker_available>(), d.has(aspect::online_linker));
    EXPECT_EQ(d.get_info<info::queue_profiling>(), d.has(aspect::queue_profiling));
    EXPECT_TRUE(d.get_info<info::built_in_kernels>().empty());
    EXPECT_TRUE(d.get_info<info::built_in_kernel_ids>().empty());
    EXPECT_TRUE(d.get_info<info::extensions>().empty());
    EXPECT_FALSE(d.has_extension("cl_khr_fp64"));
    EXPECT_NO_THROW((void)d.get_info<info::printf_buffer_size>());
    EXPECT_NO_THROW((void)d.get_info<info::preferred_interop_user_sync>());
    EXPECT_EQ(d.get_info<info::execution_capabilities>(),
              std::vector{sycl::info::execution_capability::exec_kernel});
  });
}

TEST_F(each_device, answers_queries_of_its_work_groups_within_the_standards_bounds) {
  check([](const sycl::device& d) {
    EXPECT_GE(d.get_info<info::max_compute_units>(), 1U);
    EXPECT_EQ(d.get_info<info::max_work_item_dimensions>(), 3U);
    const std::size_t most = d.get_info<info::max_work_group_size>();
    EXPECT_GE(most, 1U);
    const auto one = d.get_info<info::max_work_item_sizes<1>>();
    const auto two = d.get_info<info::max_work_item_sizes<2>>();
    const auto three = d.get_info<info::max_work_item_sizes<3>>();
    EXPECT_EQ(one[0], three[2]);
    EXPECT_EQ(two[1], three[2]);
    for (int i = 0; i < 3; ++i) EXPECT_GE(three[i], 1U);
    const auto sizes = d.get_info<info::sub_group_sizes>();
    ASSERT_FALSE(sizes.empty());
    const std::size_t smallest = *std::min_element(sizes.begin(), sizes.end());
    EXPECT_EQ(d.get_info<info::max_num_sub_groups>(), (most + smallest - 1) / smallest);
  });
}

TEST_F(each_device, answers_queries_of_memory_within_the_standards_bounds) {
  check([](const sycl::device& d) {
    const std::uint64_t all = d.get_info<info::global_mem_size>();
    EXPECT_GE(d.get_info<info::max_mem_alloc_size>(), std::min<std::uint64_t>(all / 4, 128 << 20));
    EXPECT_LE(d.get_info<info::max_mem_alloc_size>(), all);
    EXPECT_GE(d.get_info<info::local_mem_size>(), 32U << 10);
    EXPECT_NE(d.get_info<info::local_mem_type>(), sycl::info::local_mem_type::none);
    EXPECT_GE(d.get_info<info::max_parameter_size>(), 1024U);
    EXPECT_GE(d.get_info<info::mem_base_addr_align>(), 128U);
    EXPECT_GE(d.get_info<info::max_constant_buffer_size>(), 64U << 10);
    EXPECT_GE(d.get_info<info::max_constant_args>(), 4U);
    EXPECT_EQ(d.get_info<info::global_mem_cache_type>() == sycl::info::global_mem_cache_type::none,
              d.get_info<info::global_mem_cache_size>() == 0);
    EXPECT_NO_THROW((void)d.get_info<info::global_mem_cache_line_size>());
    EXPECT_NO_THROW((void)d.get_info<info::error_correction_support>());
    EXPECT_NO_THROW((void)d.get_info<info::host_unified_memory>());
    EXPECT_EQ(d.get_info<info::usm_device_allocations>(),
              d.has(sycl::aspect::usm_device_allocations));
    EXPECT_EQ(d.get_info<info::usm_host_allocations>(), d.has(sycl::aspect::usm_host_allocations));
    EXPECT_EQ(d.get_info<info::usm_shared_allocations>(),
              d.has(sycl::aspect::usm_shared_allocations));
    EXPECT_EQ(d.get_info<info::usm_system_allocations>(),
              d.has(sycl::aspect::usm_system_allocations));
    EXPECT_GE(d.get_info<info::profiling_timer_resolution>(), 1U);
  });
}

TEST_F(each_device, answers_queries_of_numbers_by_its_aspects) {
  check([](const sycl::device& d) {
    using config = sycl::info::fp_config;
    const auto has = [](const std::vector<config>& all, config one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    EXPECT_EQ(d.get_info<info::half_fp_config>().empty(), !d.has(aspect::fp16));
    EXPECT_EQ(d.get_info<info::double_fp_config>().empty(), !d.has(aspect::fp64));
    for (const config c : {config::round_to_nearest, config::inf_nan})
      EXPECT_TRUE(has(d.get_info<info::single_fp_config>(), c));
    for (const config c : {config::denorm, config::inf_nan, config::round_to_nearest, config::fma})
      EXPECT_TRUE(!d.has(aspect::fp64) || has(d.get_info<info::double_fp_config>(), c));
    EXPECT_EQ(d.get_info<info::reference_count>(), 1u);
    EXPECT_EQ(d.get_info<info::preferred_vector_width_long_long>(),
              d.get_info<info::preferred_vector_width_long>());
    EXPECT_EQ(d.get_info<info::native_vector_width_long_long>(),
              d.get_info<info::native_vector_width_long>());
    EXPECT_EQ(d.get_info<info::preferred_vector_width_half>() == 0, !d.has(aspect::fp16));
    EXPECT_EQ(d.get_info<info::native_vector_width_half>() == 0, !d.has(aspect::fp16));
    EXPECT_EQ(d.get_info<info::preferred_vector_width_double>() == 0, !d.has(aspect::fp64));
    EXPECT_EQ(d.get_info<info::native_vector_width_double>() == 0, !d.has(aspect::fp64));
#define AT_LEAST_ONE(type)                                          \
  EXPECT_GE(d.get_info<info::preferred_vector_width_##type>(), 1U); \
  EXPECT_GE(d.get_info<info::native_vector_width_##type>(), 1U);
    AT_LEAST_ONE(char)
    AT_LEAST_ONE(short)
    AT_LEAST_ONE(int)
    AT_LEAST_ONE(long)
    AT_LEAST_ONE(float)
  });
}

TEST_F(each_device, answers_queries_of_images_by_its_aspect) {
  check([](const sycl::device& d) {
    const bool images = d.has(aspect::image);
    EXPECT_EQ(d.get_info<info::image_support>(), images);
    const auto at_least = [&](std::size_t value, std::size_t least) {
      EXPECT_GE(value, images ? least : 0);
    };
    at_least(d.get_info<info::max_read_image_args>(), 128);
    at_least(d.get_info<info::max_write_image_args>(), 8);
    at_least(d.get_info<info::image2d_max_width>(), 8192);
    at_least(d.get_info<info::image2d_max_height>(), 8192);
    at_least(d.get_info<info::image3d_max_width>(), 2048);
    at_least(d.get_info<info::image3d_max_height>(), 2048);
    at_least(d.get_info<info::image3d_max_depth>(), 2048);
    at_least(d.get_info<info::image_max_buffer_size>(), 65536);
    at_least(d.get_info<info::max_samplers>(), 16);
  });
}

TEST_F(each_device, answers_queries_of_atomics) {
  check([](const sycl::device& d) {
    const auto orders = d.get_info<info::atomic_memory_order_capabilities>();
    EXPECT_NE(std::find(orders.begin(), orders.end(), sycl::memory_order::relaxed), orders.end());
    const auto fences = d.get_info<info::atomic_fence_order_capabilities>();
    for (const auto o : {sycl::memory_order::relaxed, sycl::memory_order::acquire,
                         sycl::memory_order::release, sycl::memory_order::acq_rel})
      EXPECT_NE(std::find(fences.begin(), fences.end(), o), fences.end());
    for (const auto& scopes : {d.get_info<info::atomic_memory_scope_capabilities>(),
                               d.get_info<info::atomic_fence_scope_capabilities>()})
      for (const auto s : {sycl::memory_scope::work_item, sycl::memory_scope::sub_group,
                           sycl::memory_scope::work_group})
        EXPECT_NE(std::find(scopes.begin(), scopes.end(), s), scopes.end());
  });
}

TEST_F(each_device, has_the_aspects_that_it_lists) {
  check([](const sycl::device& d) {
    const auto listed = d.get_info<info::aspects>();
    for (int i = 0; i <= static_cast<int>(aspect::ext_intel_matrix); ++i) {
      const auto a = static_cast<aspect>(i);
      EXPECT_EQ(d.has(a), std::find(listed.begin(), listed.end(), a) != listed.end()) << i;
    }
    EXPECT_EQ(d.has(aspect::cpu), d.is_cpu());
    EXPECT_FALSE(d.has(static_cast<aspect>(1000)));
  });
}

template <aspect A>
void check_traits() {
  static_assert(sycl::any_device_has_v<A> == sycl::any_device_has<A>::value);
  static_assert(sycl::all_devices_have_v<A> == sycl::all_devices_have<A>::value);
  static_assert(
      std::is_base_of_v<std::bool_constant<sycl::any_device_has_v<A>>, sycl::any_device_has<A>>);
  static_assert(!sycl::all_devices_have_v<A> || sycl::any_device_has_v<A>);
  for (const sycl::device& d : sycl::device::get_devices()) {
    EXPECT_TRUE(sycl::any_device_has_v<A> || !d.has(A)) << static_cast<int>(A);
    EXPECT_TRUE(!sycl::all_devices_have_v<A> || d.has(A)) << static_cast<int>(A);
  }
}
template <int... I>
void check_all_traits(std::integer_sequence<int, I...>) {
  (check_traits<static_cast<aspect>(I)>(), ...);
}
TEST(aspects, agree_with_their_traits) {
  check_all_traits(
      std::make_integer_sequence<int, static_cast<int>(aspect::ext_intel_matrix) + 1>());
}

TEST_F(each_device, is_partitioned_in_the_ways_that_it_names) {
  check([](const sycl::device& d) {
    using property = sycl::info::partition_property;
    using domain = sycl::info::partition_affinity_domain;
    const auto properties = d.get_info<info::partition_properties>();
    const auto domains = d.get_info<info::partition_affinity_domains>();
    const std::size_t units = d.get_info<info::max_compute_units>();
    const auto has = [](const auto& all, auto one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    const auto check_parts = [&](const std::vector<sycl::device>& parts, property by,
                                 std::size_t least, std::size_t most) {
      std::size_t sum = 0;
      for (const sycl::device& part : parts) {
        EXPECT_EQ(part.get_info<info::parent_device>(), d);
        EXPECT_EQ(part.get_info<info::partition_type_property>(), by);
        EXPECT_EQ(part.get_platform(), d.get_platform());
        const std::size_t mine = part.get_info<info::max_compute_units>();
        EXPECT_GE(mine, least);
        EXPECT_LE(mine, most);
        sum += mine;
        int value = 0;
        sycl::buffer<int> b(&value, sycl::range(1));
        sycl::queue(part).submit([&](sycl::handler& h) {
          sycl::accessor a(b, h, sycl::write_only);
          h.single_task([=] { a[0] = 7; });
        });
        EXPECT_EQ(b.get_host_access()[0], 7);
      }
      EXPECT_LE(sum, units);
    };
    EXPECT_LE(d.get_info<info::partition_max_sub_devices>(), units);
    EXPECT_EQ(properties.empty(), d.get_info<info::partition_max_sub_devices>() == 0);
    EXPECT_EQ(domains.empty(), !has(properties, property::partition_by_affinity_domain));
    if (has(properties, property::partition_equally)) {
      const auto parts = d.create_sub_devices<property::partition_equally>(1);
      EXPECT_EQ(parts.size(), units);
      check_parts(parts, property::partition_equally, 1, 1);
      EXPECT_EQ(
          code_of([&] { (void)d.create_sub_devices<property::partition_equally>(units + 1); }),
          sycl::errc::invalid);
    }
    if (has(properties, property::partition_by_counts)) {
      const auto parts = d.create_sub_devices<property::partition_by_counts>({0, 1, units - 1});
      EXPECT_EQ(parts.size(), 2U);
      check_parts(parts, property::partition_by_counts, 1, units - 1);
      EXPECT_EQ(
          code_of([&] { (void)d.create_sub_devices<property::partition_by_counts>({units, 1}); }),
          sycl::errc::invalid);
    }
    for (const domain a : {domain::numa, domain::L4_cache, domain::L3_cache, domain::L2_cache,
                           domain::L1_cache, domain::next_partitionable})
      if (has(domains, a))
        check_parts(d.create_sub_devices<property::partition_by_affinity_domain>(a),
                    property::partition_by_affinity_domain, 1, units - 1);
      else
        EXPECT_EQ(
            code_of([&] { (void)d.create_sub_devices<property::partition_by_affinity_domain>(a); }),
            sycl::errc::feature_not_supported);
    EXPECT_EQ(d.get_info<info::partition_type_property>(), property::no_partition);
    EXPECT_EQ(d.get_info<info::partition_type_affinity_domain>(), domain::not_applicable);
    EXPECT_EQ(code_of([&] { (void)d.get_info<info::parent_device>(); }), sycl::errc::invalid);
    if (!properties.empty()) return;
    const auto unsupported = sycl::errc::feature_not_supported;
    EXPECT_EQ(code_of([&] { (void)d.create_sub_devices<property::partition_equally>(2); }),
              unsupported);
    EXPECT_EQ(
        code_of([&] {
          (void)d.create_sub_devices<property::partition_by_counts>(std::vector<std::size_t>{1, 1});
        }),
        unsupported);
    EXPECT_EQ(code_of([&] {
                (void)d.create_sub_devices<property::partition_by_affinity_domain>(domain::numa);
              }),
              unsupported);
  });
}

TEST(devices, are_listed_by_type) {
  using type = sycl::info::device_type;
  const auto all = sycl::device::get_devices();
  EXPECT_EQ(sycl::device::get_devices(type::all), all);
  std::size_t sum = 0;
  for (const type t : {type::cpu, type::gpu, type::accelerator, type::custom}) {
    for (const sycl::device& d : sycl::device::get_devices(t))
      EXPECT_EQ(d.get_info<info::device_type>(), t);
    sum += sycl::device::get_devices(t).size();
  }
  EXPECT_EQ(sum, all.size());
  EXPECT_EQ(sycl::device::get_devices(type::automatic), std::vector{sycl::device()});
  EXPECT_TRUE(sycl::device::get_devices(type::host).empty());
}

TEST(devices, have_the_common_reference_semantics) {
  const sycl::device d, copy = d;
  EXPECT_TRUE(copy == d && !(copy != d));
  EXPECT_EQ(std::hash<sycl::device>()(copy), std::hash<sycl::device>()(d));
}

template <class T>
std::string text_of(T value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
TEST(enumerations, print_their_names) {
  EXPECT_EQ(text_of(sycl::backend::openmp), "openmp");
  EXPECT_EQ(text_of(sycl::backend::ext_oneapi_cuda), "ext_oneapi_cuda");
  EXPECT_EQ(text_of(aspect::fp64), "fp64");
  EXPECT_EQ(text_of(aspect::usm_system_allocations), "usm_system_allocations");
  EXPECT_EQ(text_of(sycl::errc::nd_range), "nd_range");
  EXPECT_EQ(text_of(sycl::bundle_state::input), "input");
  EXPECT_EQ(text_of(sycl::usm::alloc::shared), "shared");
  EXPECT_EQ(text_of(sycl::memory_order::seq_cst), "seq_cst");
  EXPECT_EQ(text_of(sycl::memory_scope::work_group), "work_group");
  EXPECT_EQ(text_of(sycl::info::device_type::gpu), "gpu");
  EXPECT_EQ(text_of(sycl::info::event_command_status::complete), "complete");
  EXPECT_EQ(text_of(sycl::info::partition_property::partition_equally), "partition_equally");
  EXPECT_EQ(text_of(sycl::info::partition_affinity_domain::L2_cache), "L2_cache");
  EXPECT_EQ(text_of(sycl::info::local_mem_type::local), "local");
  EXPECT_EQ(text_of(sycl::info::global_mem_cache_type::read_write), "read_write");
  EXPECT_EQ(text_of(sycl::info::fp_config::fma), "fma");
  EXPECT_EQ(text_of(sycl::info::execution_capability::exec_kernel), "exec_kernel");
}

}  // namespace
