// SPDX-License-Identifier: Apache-2.0
// Answers to device::get_info (SYCL 2020, 4.6.4).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <sycl/device.hpp>

#include "memory_orders.hpp"

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class Descriptor>
struct answer;

template <class Descriptor>
typename Descriptor::return_type device_info<Descriptor>::get(const device& d) {
  return answer<Descriptor>::get(d);
}

// `d` is the device, `p` its properties.
#define PIANOLA_DEVICE_INFO(name, ...)                                             \
  template <>                                                                      \
  struct answer<info::device::name> {                                              \
    static info::device::name::return_type get([[maybe_unused]] const device& d) { \
      [[maybe_unused]] const pianola::runtime::device_properties& p =              \
          device_access::properties(d);                                            \
      __VA_ARGS__                                                                  \
    }                                                                              \
  };                                                                               \
  template struct device_info<info::device::name>;

static constexpr info::device_type to_device_type(pianola::runtime::device_type type) noexcept {
  switch (type) {
    case pianola::runtime::device_type::cpu:
      return info::device_type::cpu;
    case pianola::runtime::device_type::gpu:
      return info::device_type::gpu;
    case pianola::runtime::device_type::accelerator:
      return info::device_type::accelerator;
    case pianola::runtime::device_type::custom:
      return info::device_type::custom;
  }
  return info::device_type::custom;
}

static std::vector<info::fp_config> ieee_arithmetic() {
  return {info::fp_config::denorm, info::fp_config::inf_nan, info::fp_config::round_to_nearest,
          info::fp_config::fma, info::fp_config::correctly_rounded_divide_sqrt};
}

PIANOLA_DEVICE_INFO(device_type, return to_device_type(p.type);)
PIANOLA_DEVICE_INFO(vendor_id, return p.vendor_id;)
PIANOLA_DEVICE_INFO(max_compute_units, return p.compute_units;)
PIANOLA_DEVICE_INFO(max_work_item_dimensions, return 3;)
PIANOLA_DEVICE_INFO(max_work_group_size, return p.max_work_group_size;)

template <>
struct answer<info::device::max_work_item_sizes<1>> {
  static range<1> get(const device& d) {
    return range<1>(device_access::properties(d).max_work_item_sizes[2]);
  }
};
template struct device_info<info::device::max_work_item_sizes<1>>;
template <>
struct answer<info::device::max_work_item_sizes<2>> {
  static range<2> get(const device& d) {
    const auto& sizes = device_access::properties(d).max_work_item_sizes;
    return range<2>(sizes[1], sizes[2]);
  }
};
template struct device_info<info::device::max_work_item_sizes<2>>;
template <>
struct answer<info::device::max_work_item_sizes<3>> {
  static range<3> get(const device& d) {
    const auto& sizes = device_access::properties(d).max_work_item_sizes;
    return range<3>(sizes[0], sizes[1], sizes[2]);
  }
};
template struct device_info<info::device::max_work_item_sizes<3>>;

std::vector<std::size_t> device_info<info::device::sub_group_sizes>::get(const device& d,
                                                                         std::uint32_t chosen) {
  const auto& sizes = device_access::properties(d).sub_group_sizes;
  if (std::find(sizes.begin(), sizes.end(), chosen) != sizes.end()) return {chosen};
  return {sizes.begin(), sizes.end()};
}
std::uint32_t device_info<info::device::max_num_sub_groups>::get(const device& d,
                                                                 std::uint32_t chosen) {
  const std::size_t items = device_access::properties(d).max_work_group_size;
  const auto sizes = device_info<info::device::sub_group_sizes>::get(d, chosen);
  const auto smallest = std::min_element(sizes.begin(), sizes.end());
  const std::size_t size =
      smallest == sizes.end() ? items : std::clamp<std::size_t>(*smallest, 1, items);
  return static_cast<std::uint32_t>((items + size - 1) / size);
}
// Sub-groups of a work-group take turns on processors, and need not be scheduled fairly elsewhere.
PIANOLA_DEVICE_INFO(sub_group_independent_forward_progress, static_cast<void>(p); return false;)

// Work-items are scalar programs; the compiler puts several into one vector register by itself.
PIANOLA_DEVICE_INFO(preferred_vector_width_char, return 1;)
PIANOLA_DEVICE_INFO(preferred_vector_width_short, return 1;)
PIANOLA_DEVICE_INFO(preferred_vector_width_int, return 1;)
PIANOLA_DEVICE_INFO(preferred_vector_width_long, return 1;)
PIANOLA_DEVICE_INFO(preferred_vector_width_long_long, return 1;)
PIANOLA_DEVICE_INFO(preferred_vector_width_float, return 1;)
PIANOLA_DEVICE_INFO(preferred_vector_width_double, return 1;)
PIANOLA_DEVICE_INFO(preferred_vector_width_half, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_char, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_short, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_int, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_long, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_long_long, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_float, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_double, return 1;)
PIANOLA_DEVICE_INFO(native_vector_width_half, return 1;)
PIANOLA_DEVICE_INFO(max_clock_frequency, return p.clock_megahertz;)
PIANOLA_DEVICE_INFO(address_bits, return static_cast<std::uint32_t>(8 * sizeof(void*));)
PIANOLA_DEVICE_INFO(max_mem_alloc_size, return p.max_allocation_bytes;)
PIANOLA_DEVICE_INFO(image_support, return true;)
// Images are buffers: memory alone limits them. Samplers count their coordinates in 30 bits; accessors of images
// fill the kernel's arguments.
PIANOLA_DEVICE_INFO(max_read_image_args, return 128;)
PIANOLA_DEVICE_INFO(max_write_image_args, return 128;)
PIANOLA_DEVICE_INFO(image2d_max_width, return std::size_t{1} << 29;)
PIANOLA_DEVICE_INFO(image2d_max_height, return std::size_t{1} << 29;)
PIANOLA_DEVICE_INFO(image3d_max_width, return std::size_t{1} << 29;)
PIANOLA_DEVICE_INFO(image3d_max_height, return std::size_t{1} << 29;)
PIANOLA_DEVICE_INFO(image3d_max_depth, return std::size_t{1} << 29;)
PIANOLA_DEVICE_INFO(image_max_buffer_size, return p.max_allocation_bytes / 16;)
PIANOLA_DEVICE_INFO(max_samplers, return 128;)
PIANOLA_DEVICE_INFO(max_parameter_size, return p.max_parameter_bytes;)
PIANOLA_DEVICE_INFO(mem_base_addr_align, return 8 * alignof(std::max_align_t);)
PIANOLA_DEVICE_INFO(half_fp_config, return {info::fp_config::denorm, info::fp_config::inf_nan,
                                            info::fp_config::round_to_nearest};)
PIANOLA_DEVICE_INFO(single_fp_config, return ieee_arithmetic();)
PIANOLA_DEVICE_INFO(double_fp_config, return ieee_arithmetic();)
PIANOLA_DEVICE_INFO(global_mem_cache_type, return p.cache_bytes == 0
                                                      ? info::global_mem_cache_type::none
                                                      : info::global_mem_cache_type::read_write;)
PIANOLA_DEVICE_INFO(global_mem_cache_line_size, return p.cache_line_bytes;)
PIANOLA_DEVICE_INFO(global_mem_cache_size, return p.cache_bytes;)
PIANOLA_DEVICE_INFO(global_mem_size, return p.global_memory_bytes;)
PIANOLA_DEVICE_INFO(max_constant_buffer_size, return p.max_allocation_bytes;)
PIANOLA_DEVICE_INFO(max_constant_args, return 8;)
PIANOLA_DEVICE_INFO(local_mem_type, return p.local_memory_bytes == 0
                                               ? info::local_mem_type::none
                                               : (d.get_backend() == backend::cuda ||
                                                          d.get_backend() == backend::hip
                                                      ? info::local_mem_type::local
                                                      : info::local_mem_type::global);)
PIANOLA_DEVICE_INFO(local_mem_size, return p.local_memory_bytes;)
PIANOLA_DEVICE_INFO(error_correction_support, return p.error_correction;)
PIANOLA_DEVICE_INFO(host_unified_memory, return p.memory == pianola::model::host_memory;)
PIANOLA_DEVICE_INFO(usm_device_allocations, return d.has(aspect::usm_device_allocations);)
PIANOLA_DEVICE_INFO(usm_host_allocations, return d.has(aspect::usm_host_allocations);)
PIANOLA_DEVICE_INFO(usm_shared_allocations, return d.has(aspect::usm_shared_allocations);)
PIANOLA_DEVICE_INFO(usm_system_allocations, return d.has(aspect::usm_system_allocations);)
PIANOLA_DEVICE_INFO(atomic_memory_order_capabilities, return all_memory_orders();)
PIANOLA_DEVICE_INFO(atomic_fence_order_capabilities, return all_memory_orders();)
PIANOLA_DEVICE_INFO(atomic_memory_scope_capabilities, return all_memory_scopes();)
PIANOLA_DEVICE_INFO(atomic_fence_scope_capabilities, return all_memory_scopes();)
PIANOLA_DEVICE_INFO(profiling_timer_resolution, return p.timer_nanoseconds;)
PIANOLA_DEVICE_INFO(is_endian_little, return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;)
// A device that is lost is one no more.
PIANOLA_DEVICE_INFO(is_available, return pianola::runtime::is_usable(device_access::id(d));)
PIANOLA_DEVICE_INFO(is_compiler_available, return d.has(aspect::online_compiler);)
PIANOLA_DEVICE_INFO(is_linker_available, return d.has(aspect::online_linker);)
PIANOLA_DEVICE_INFO(execution_capabilities, return {info::execution_capability::exec_kernel};)
PIANOLA_DEVICE_INFO(reference_count, return 1;)
PIANOLA_DEVICE_INFO(queue_profiling, return d.has(aspect::queue_profiling);)
PIANOLA_DEVICE_INFO(built_in_kernels, return {};)
PIANOLA_DEVICE_INFO(platform, return d.get_platform();)
PIANOLA_DEVICE_INFO(name, return p.name;)
PIANOLA_DEVICE_INFO(vendor, return p.vendor;)
PIANOLA_DEVICE_INFO(driver_version, return p.driver_version;)
PIANOLA_DEVICE_INFO(profile, return "FULL_PROFILE";)
PIANOLA_DEVICE_INFO(version, return "2020";)
PIANOLA_DEVICE_INFO(backend_version, return p.driver_version;)
PIANOLA_DEVICE_INFO(aspects, std::vector<aspect> all;
                    for (unsigned a = 0; a < pianola::model::aspect_count;
                         ++a) if (d.has(static_cast<aspect>(a)))
                        all.push_back(static_cast<aspect>(a));
                    return all;)
PIANOLA_DEVICE_INFO(extensions, return {};)
// The least that the standard allows, and what CUDA has; on processors nothing limits it.
PIANOLA_DEVICE_INFO(printf_buffer_size, return std::size_t{1} << 20;)
PIANOLA_DEVICE_INFO(preferred_interop_user_sync, return true;)
PIANOLA_DEVICE_INFO(parent_device,
                    if (!p.parent.valid())
                        throw_error(errc::invalid,
                                    fmt::format("info::device::parent_device: {} is no sub-device",
                                                p.name));
                    return device_access::make(p.parent);)
PIANOLA_DEVICE_INFO(partition_max_sub_devices, return p.max_sub_devices;)
PIANOLA_DEVICE_INFO(partition_properties, std::vector<info::partition_property> all;
                    if (p.max_sub_devices != 0)
                        all = {info::partition_property::partition_equally,
                               info::partition_property::partition_by_counts};
                    if (!p.affinity_domains.empty())
                        all.push_back(info::partition_property::partition_by_affinity_domain);
                    return all;)
PIANOLA_DEVICE_INFO(partition_affinity_domains, std::vector<info::partition_affinity_domain> all;
                    for (const pianola::model::affinity_domain domain : p.affinity_domains)
                        all.push_back(static_cast<info::partition_affinity_domain>(domain));
                    if (!all.empty())
                        all.push_back(info::partition_affinity_domain::next_partitionable);
                    return all;)
PIANOLA_DEVICE_INFO(partition_type_property,
                    return static_cast<info::partition_property>(p.partitioned);)
PIANOLA_DEVICE_INFO(partition_type_affinity_domain,
                    return static_cast<info::partition_affinity_domain>(p.partitioned_along);)
static_assert(static_cast<int>(info::partition_property::partition_by_affinity_domain) ==
                      static_cast<int>(pianola::model::partition_property::by_affinity_domain) &&
                  static_cast<int>(info::partition_affinity_domain::next_partitionable) ==
                      static_cast<int>(pianola::model::affinity_domain::next),
              "both enumerations of each are the same");

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
