// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// SYCL 2020, 4.7.6.2. The last three are deprecated there and kept for older programs.
enum class access_mode { read, write, read_write, discard_write, discard_read_write, atomic };

/// SYCL 2020, 4.7.6.3. Everything after host_task is deprecated there and kept for older programs.
enum class target {
  device,
  host_task,
  constant_buffer,
  local,
  host_buffer,
  image,  // these three of SYCL 1.2.1, whose images there are not: only names
  host_image,
  image_array,
  global_buffer = device
};

/// SYCL 2020, 4.15.3.
enum class memory_order : int { relaxed, acquire, release, acq_rel, seq_cst };

inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

/// SYCL 2020, 3.8.3.2: ordered from the narrowest to the widest.
enum class memory_scope : int { work_item, sub_group, work_group, device, system };

inline constexpr memory_scope memory_scope_work_item = memory_scope::work_item;
inline constexpr memory_scope memory_scope_sub_group = memory_scope::sub_group;
inline constexpr memory_scope memory_scope_work_group = memory_scope::work_group;
inline constexpr memory_scope memory_scope_device = memory_scope::device;
inline constexpr memory_scope memory_scope_system = memory_scope::system;

namespace access {

using mode = sycl::access_mode;
using target = sycl::target;

/// SYCL 2020, 4.9.1.6 (nd_item::barrier and mem_fence).
enum class fence_space : char { local_space, global_space, global_and_local };

/// SYCL 2020, 4.7.7.1.
enum class address_space : int {
  global_space,
  local_space,
  constant_space,
  private_space,
  generic_space,
  ext_intel_global_device_space = global_space,
  ext_intel_global_host_space = global_space
};

/// SYCL 2020, 4.7.7.1.
enum class decorated : int { no, yes, legacy };

}  // namespace access
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
