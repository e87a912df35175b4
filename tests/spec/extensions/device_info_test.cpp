// SPDX-License-Identifier: Apache-2.0
// What programs written for DPC++ ask of devices: sycl_ext_oneapi_device_architecture, sycl_ext_intel_device_info, and
// DPC++'s list of aspects.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace intel = sycl::ext::intel::info::device;
using exp::arch_category;
using exp::architecture;
using sycl::aspect;

TEST(device_architecture, of_the_processor_is_what_the_program_is_compiled_for) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    const architecture mine = d.get_info<exp::info::device::architecture>();
    EXPECT_TRUE(d.ext_oneapi_architecture_is(mine));
#if defined(__x86_64__)
    EXPECT_EQ(d.ext_oneapi_architecture_is(architecture::x86_64), d.is_cpu());
#endif
    EXPECT_FALSE(d.ext_oneapi_architecture_is(architecture::intel_gpu_pvc));
    EXPECT_FALSE(d.ext_oneapi_architecture_is(arch_category::intel_gpu));
    if (d.is_cpu()) {
      EXPECT_FALSE(d.ext_oneapi_architecture_is(arch_category::nvidia_gpu));
      EXPECT_FALSE(d.ext_oneapi_architecture_is(arch_category::amd_gpu));
    }
  }
}

TEST(device_architecture, is_told_by_the_names_that_drivers_have) {
  const auto named = [](const char* name) { return sycl::detail::architecture_named(name); };
  EXPECT_EQ(named("sm_50"), architecture::nvidia_gpu_sm_50);
  EXPECT_EQ(named("sm_90"), architecture::nvidia_gpu_sm_90);
  EXPECT_EQ(named("gfx700"), architecture::amd_gpu_gfx700);
  EXPECT_EQ(named("gfx90a"), architecture::amd_gpu_gfx90a);
  EXPECT_EQ(named("gfx1201"), architecture::amd_gpu_gfx1201);
  EXPECT_EQ(named("sm_1"), architecture::unknown);
  EXPECT_EQ(named(""), architecture::unknown);
}

TEST(device_architecture, has_families_in_ascending_order) {
  EXPECT_LT(architecture::intel_gpu_bdw, architecture::intel_gpu_pvc);
  EXPECT_LT(architecture::intel_gpu_pvc, architecture::intel_gpu_lnl_m);
  EXPECT_EQ(architecture::intel_gpu_dg2_g10, architecture::intel_gpu_12_55_8);
  EXPECT_LT(architecture::nvidia_gpu_sm_50, architecture::nvidia_gpu_sm_52);
  EXPECT_LT(architecture::nvidia_gpu_sm_90, architecture::nvidia_gpu_sm_90a);
  EXPECT_LT(architecture::nvidia_gpu_sm_90a, architecture::nvidia_gpu_sm_100);
  EXPECT_LT(architecture::amd_gpu_gfx700, architecture::amd_gpu_gfx90a);
  EXPECT_LT(architecture::amd_gpu_gfx90a, architecture::amd_gpu_gfx1010);
  std::map<architecture, std::string> as_keys{{architecture::x86_64, "a processor"}};
  EXPECT_EQ(as_keys.count(architecture::intel_gpu_wcl), 0u);
}

template <class Query>
void check_query(const sycl::device& d, aspect needed) {
  if (d.has(needed))
    EXPECT_NE(d.get_info<Query>(), typename Query::return_type{});
  else
    EXPECT_EQ(error_code_of([&] { d.get_info<Query>(); }), sycl::errc::feature_not_supported);
}

TEST(intel_device_info, answers_what_the_device_has_the_aspect_of_and_nothing_else) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    check_query<intel::free_memory>(d, aspect::ext_intel_free_memory);
    // Which may be the first place of a bus.
    if (d.has(aspect::ext_intel_device_id))
      EXPECT_NO_THROW(d.get_info<intel::device_id>());
    else
      check_query<intel::device_id>(d, aspect::ext_intel_device_id);
    check_query<intel::memory_clock_rate>(d, aspect::ext_intel_memory_clock_rate);
    check_query<intel::memory_bus_width>(d, aspect::ext_intel_memory_bus_width);
    check_query<intel::pci_address>(d, aspect::ext_intel_pci_address);
    check_query<intel::uuid>(d, aspect::ext_intel_device_info_uuid);
    check_query<intel::max_mem_bandwidth>(d, aspect::ext_intel_max_mem_bandwidth);
    check_query<intel::gpu_eu_count>(d, aspect::ext_intel_gpu_eu_count);
    check_query<intel::gpu_eu_simd_width>(d, aspect::ext_intel_gpu_eu_simd_width);
    check_query<intel::gpu_slices>(d, aspect::ext_intel_gpu_slices);
    check_query<intel::gpu_subslices_per_slice>(d, aspect::ext_intel_gpu_subslices_per_slice);
    check_query<intel::gpu_eu_count_per_subslice>(d, aspect::ext_intel_gpu_eu_count_per_subslice);
    check_query<intel::gpu_hw_threads_per_eu>(d, aspect::ext_intel_gpu_hw_threads_per_eu);
  }
}

TEST(intel_device_info, tells_gpus_from_each_other) {
  std::set<std::string> addresses;
  std::set<std::array<unsigned char, 16>> numbers;
  std::size_t count = 0;
  for (const sycl::device& d : sycl::device::get_devices(sycl::info::device_type::gpu)) {
    if (d.get_backend() != sycl::backend::cuda && d.get_backend() != sycl::backend::hip) continue;
    ++count;
    EXPECT_NO_THROW(d.get_info<intel::device_id>());
    addresses.insert(d.get_info<intel::pci_address>());
    numbers.insert(d.get_info<intel::uuid>());
  }
  EXPECT_EQ(addresses.size(), count);
  EXPECT_EQ(numbers.size(), count);
  for (const std::string& a : addresses) EXPECT_EQ(std::count(a.begin(), a.end(), ':'), 2) << a;
}

TEST(intel_device_info, tells_of_processors_how_much_memory_programs_can_have) {
  for (const sycl::device& d : sycl::device::get_devices(sycl::info::device_type::cpu)) {
    ASSERT_TRUE(d.has(aspect::ext_intel_free_memory));
    const std::uint64_t free = d.get_info<intel::free_memory>();
    EXPECT_GT(free, std::uint64_t{1} << 20);
    EXPECT_LT(free, d.get_info<sycl::info::device::global_mem_size>());
#if defined(__x86_64__)
    EXPECT_TRUE(d.has(aspect::ext_intel_device_id));
#endif
  }
}

TEST(list_of_aspects, makes_tables_of_them) {
  const auto name_of = [](aspect a) -> std::string {
    switch (a) {
#define __SYCL_ASPECT(name, number) \
  case aspect::name:                \
    return static_cast<int>(aspect::name) == (number) ? #name : "another number";
#define __SYCL_ASPECT_DEPRECATED(name, number, message) __SYCL_ASPECT(name, number)
#define __SYCL_ASPECT_DEPRECATED_ALIAS(name, number, message)
#include <sycl/info/aspects.def>
#include <sycl/info/aspects_deprecated.def>
#undef __SYCL_ASPECT_DEPRECATED_ALIAS
#undef __SYCL_ASPECT_DEPRECATED
#undef __SYCL_ASPECT
    }
    return "unknown";
  };
  EXPECT_EQ(name_of(aspect::cpu), "cpu");
  EXPECT_EQ(name_of(aspect::usm_system_allocations), "usm_system_allocations");
  EXPECT_EQ(name_of(aspect::ext_intel_matrix), "ext_intel_matrix");
  EXPECT_EQ(name_of(static_cast<aspect>(1000)), "unknown");
}

TEST(complex_numbers, are_there_with_the_one_header) {
  EXPECT_EQ(std::complex<float>(1, 2) * std::complex<float>(0, 1), std::complex<float>(-2, 1));
}

}  // namespace
