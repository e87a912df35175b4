// SPDX-License-Identifier: Apache-2.0
// Information descriptors (SYCL 2020, 4.6): each is a type that names what its query returns. Those
// that SYCL 2020 has for images' and programs' sake are there with the values of a device without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <sycl/aspect.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class context;
class device;
class event;
class platform;
class queue;

namespace detail {

template <class Descriptor, class Owner>
struct is_info_of : std::false_type {};

/// What a query returns, if it is one of Owner's.
template <class Descriptor, class Owner>
using info_result =
    typename std::enable_if_t<is_info_of<Descriptor, Owner>::value, Descriptor>::return_type;

template <class Owner, class Return>
struct info_descriptor {
  using return_type = Return;
  using owner = Owner;
};

}  // namespace detail

namespace info {

enum class device_type : unsigned int { cpu, gpu, accelerator, custom, automatic, host, all };
enum class partition_property : int {
  no_partition,
  partition_equally,
  partition_by_counts,
  partition_by_affinity_domain
};
enum class partition_affinity_domain : int {
  not_applicable,
  numa,
  L4_cache,
  L3_cache,
  L2_cache,
  L1_cache,
  next_partitionable
};
enum class local_mem_type : int { none, local, global };
enum class fp_config : int {
  denorm,
  inf_nan,
  round_to_nearest,
  round_to_zero,
  round_to_inf,
  fma,
  correctly_rounded_divide_sqrt,
  soft_float
};
enum class global_mem_cache_type : int { none, read_only, read_write };
enum class execution_capability : unsigned int { exec_kernel, exec_native_kernel };
/// ext_oneapi_unknown (sycl_ext_oneapi_discard_queue_events) is never told: events of such queues know their status.
enum class event_command_status : int { submitted, running, complete, ext_oneapi_unknown = -1 };

#define PIANOLA_INFO(owner, name, ...) \
  struct name : sycl::detail::info_descriptor<sycl::owner, __VA_ARGS__> {};

namespace platform {
PIANOLA_INFO(platform, profile, std::string)
PIANOLA_INFO(platform, version, std::string)
PIANOLA_INFO(platform, name, std::string)
PIANOLA_INFO(platform, vendor, std::string)
PIANOLA_INFO(platform, extensions, std::vector<std::string>)
}  // namespace platform

namespace context {
PIANOLA_INFO(context, platform, sycl::platform)
PIANOLA_INFO(context, devices, std::vector<sycl::device>)
PIANOLA_INFO(context, atomic_memory_order_capabilities, std::vector<sycl::memory_order>)
PIANOLA_INFO(context, atomic_fence_order_capabilities, std::vector<sycl::memory_order>)
PIANOLA_INFO(context, atomic_memory_scope_capabilities, std::vector<sycl::memory_scope>)
PIANOLA_INFO(context, atomic_fence_scope_capabilities, std::vector<sycl::memory_scope>)
}  // namespace context

namespace queue {
PIANOLA_INFO(queue, context, sycl::context)
PIANOLA_INFO(queue, device, sycl::device)
// Of AdaptiveCpp: a number that no other queue has.
PIANOLA_INFO(queue, AdaptiveCpp_node_group, std::size_t)
}  // namespace queue

namespace event {
PIANOLA_INFO(event, command_execution_status, event_command_status)
}  // namespace event

namespace event_profiling {
PIANOLA_INFO(event, command_submit, std::uint64_t)
PIANOLA_INFO(event, command_start, std::uint64_t)
PIANOLA_INFO(event, command_end, std::uint64_t)
}  // namespace event_profiling

namespace device {
PIANOLA_INFO(device, device_type, info::device_type)
PIANOLA_INFO(device, vendor_id, std::uint32_t)
PIANOLA_INFO(device, max_compute_units, std::uint32_t)
PIANOLA_INFO(device, max_work_item_dimensions, std::uint32_t)
template <int Dimensions = 3>
struct max_work_item_sizes : sycl::detail::info_descriptor<sycl::device, sycl::range<Dimensions>> {
};
PIANOLA_INFO(device, max_work_group_size, std::size_t)
PIANOLA_INFO(device, max_num_sub_groups, std::uint32_t)
PIANOLA_INFO(device, sub_group_sizes, std::vector<std::size_t>)
// Of DPC++ and AdaptiveCpp.
PIANOLA_INFO(device, sub_group_independent_forward_progress, bool)
PIANOLA_INFO(device, preferred_vector_width_char, std::uint32_t)
PIANOLA_INFO(device, preferred_vector_width_short, std::uint32_t)
PIANOLA_INFO(device, preferred_vector_width_int, std::uint32_t)
PIANOLA_INFO(device, preferred_vector_width_long, std::uint32_t)
/// Of SYCL 1.2.1.
PIANOLA_INFO(device, preferred_vector_width_long_long, std::uint32_t)
PIANOLA_INFO(device, preferred_vector_width_float, std::uint32_t)
PIANOLA_INFO(device, preferred_vector_width_double, std::uint32_t)
PIANOLA_INFO(device, preferred_vector_width_half, std::uint32_t)
PIANOLA_INFO(device, native_vector_width_char, std::uint32_t)
PIANOLA_INFO(device, native_vector_width_short, std::uint32_t)
PIANOLA_INFO(device, native_vector_width_int, std::uint32_t)
PIANOLA_INFO(device, native_vector_width_long, std::uint32_t)
/// Of SYCL 1.2.1.
PIANOLA_INFO(device, native_vector_width_long_long, std::uint32_t)
PIANOLA_INFO(device, native_vector_width_float, std::uint32_t)
PIANOLA_INFO(device, native_vector_width_double, std::uint32_t)
PIANOLA_INFO(device, native_vector_width_half, std::uint32_t)
PIANOLA_INFO(device, max_clock_frequency, std::uint32_t)
PIANOLA_INFO(device, address_bits, std::uint32_t)
PIANOLA_INFO(device, max_mem_alloc_size, std::uint64_t)
PIANOLA_INFO(device, image_support, bool)
PIANOLA_INFO(device, max_read_image_args, std::uint32_t)
PIANOLA_INFO(device, max_write_image_args, std::uint32_t)
PIANOLA_INFO(device, image2d_max_width, std::size_t)
PIANOLA_INFO(device, image2d_max_height, std::size_t)
PIANOLA_INFO(device, image3d_max_width, std::size_t)
PIANOLA_INFO(device, image3d_max_height, std::size_t)
PIANOLA_INFO(device, image3d_max_depth, std::size_t)
PIANOLA_INFO(device, image_max_buffer_size, std::size_t)
PIANOLA_INFO(device, max_samplers, std::uint32_t)
PIANOLA_INFO(device, max_parameter_size, std::size_t)
PIANOLA_INFO(device, mem_base_addr_align, std::uint32_t)
PIANOLA_INFO(device, half_fp_config, std::vector<fp_config>)
PIANOLA_INFO(device, single_fp_config, std::vector<fp_config>)
PIANOLA_INFO(device, double_fp_config, std::vector<fp_config>)
PIANOLA_INFO(device, global_mem_cache_type, info::global_mem_cache_type)
PIANOLA_INFO(device, global_mem_cache_line_size, std::uint32_t)
PIANOLA_INFO(device, global_mem_cache_size, std::uint64_t)
PIANOLA_INFO(device, global_mem_size, std::uint64_t)
PIANOLA_INFO(device, max_constant_buffer_size, std::uint64_t)
PIANOLA_INFO(device, max_constant_args, std::uint32_t)
PIANOLA_INFO(device, local_mem_type, info::local_mem_type)
PIANOLA_INFO(device, local_mem_size, std::uint64_t)
PIANOLA_INFO(device, error_correction_support, bool)
PIANOLA_INFO(device, host_unified_memory, bool)
// Before SYCL 2020 made aspects of them; programs still ask so.
PIANOLA_INFO(device, usm_device_allocations, bool)
PIANOLA_INFO(device, usm_host_allocations, bool)
PIANOLA_INFO(device, usm_shared_allocations, bool)
PIANOLA_INFO(device, usm_system_allocations, bool)
PIANOLA_INFO(device, atomic_memory_order_capabilities, std::vector<sycl::memory_order>)
PIANOLA_INFO(device, atomic_fence_order_capabilities, std::vector<sycl::memory_order>)
PIANOLA_INFO(device, atomic_memory_scope_capabilities, std::vector<sycl::memory_scope>)
PIANOLA_INFO(device, atomic_fence_scope_capabilities, std::vector<sycl::memory_scope>)
PIANOLA_INFO(device, profiling_timer_resolution, std::size_t)
PIANOLA_INFO(device, is_endian_little, bool)
PIANOLA_INFO(device, is_available, bool)
PIANOLA_INFO(device, is_compiler_available, bool)
PIANOLA_INFO(device, is_linker_available, bool)
PIANOLA_INFO(device, execution_capabilities, std::vector<execution_capability>)
PIANOLA_INFO(device, queue_profiling, bool)
PIANOLA_INFO(device, built_in_kernels, std::vector<std::string>)
PIANOLA_INFO(device, platform, sycl::platform)
PIANOLA_INFO(device, name, std::string)
PIANOLA_INFO(device, vendor, std::string)
PIANOLA_INFO(device, driver_version, std::string)
PIANOLA_INFO(device, profile, std::string)
PIANOLA_INFO(device, version, std::string)
PIANOLA_INFO(device, backend_version, std::string)
PIANOLA_INFO(device, aspects, std::vector<sycl::aspect>)
PIANOLA_INFO(device, extensions, std::vector<std::string>)
PIANOLA_INFO(device, printf_buffer_size, std::size_t)
PIANOLA_INFO(device, preferred_interop_user_sync, bool)
PIANOLA_INFO(device, parent_device, sycl::device)
/// Of SYCL 1.2.1, and of no use: 1.
PIANOLA_INFO(device, reference_count, std::uint32_t)
PIANOLA_INFO(device, partition_max_sub_devices, std::uint32_t)
PIANOLA_INFO(device, partition_properties, std::vector<partition_property>)
PIANOLA_INFO(device, partition_affinity_domains, std::vector<partition_affinity_domain>)
PIANOLA_INFO(device, partition_type_property, partition_property)
PIANOLA_INFO(device, partition_type_affinity_domain, partition_affinity_domain)
}  // namespace device

#undef PIANOLA_INFO

}  // namespace info

namespace detail {

/// Descriptors of events come in two families, which share an owner.
template <class Descriptor>
inline constexpr bool is_profiling_info =
    std::is_same<Descriptor, info::event_profiling::command_submit>::value ||
    std::is_same<Descriptor, info::event_profiling::command_start>::value ||
    std::is_same<Descriptor, info::event_profiling::command_end>::value;

template <class D>
struct is_info_of<D, typename D::owner> : std::bool_constant<!is_profiling_info<D>> {};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
