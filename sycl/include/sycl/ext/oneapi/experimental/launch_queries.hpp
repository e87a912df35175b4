// SPDX-License-Identifier: Apache-2.0
// What a kernel may be launched with on a queue (sycl_ext_oneapi_launch_queries): parameters of
// kernel::ext_oneapi_get_info.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <sycl/context.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/device.hpp>
#include <sycl/ext/oneapi/device_info.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/queue.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext {
namespace oneapi {
namespace experimental {
namespace info {

namespace kernel_queue_specific {
template <std::uint32_t Dimensions>
struct max_work_item_sizes;
struct max_work_group_size;
struct max_num_work_groups;
struct max_sub_group_size;
struct num_sub_groups;
}  // namespace kernel_queue_specific

/// The names that the queries had before.
namespace kernel {
using namespace kernel_queue_specific;
}  // namespace kernel

}  // namespace info
}  // namespace experimental
}  // namespace oneapi
}  // namespace ext

namespace detail {

/// A kernel on a queue's device.
struct launch_limits {
  const pianola::model::kernel_descriptor& kernel;
  const device the_device;
  bool runs;  // the device can run it at all

  const pianola::model::device_properties& properties() const {
    return device_access::properties(the_device);
  }
  pianola::runtime::kernel_limits with(std::size_t group, std::size_t local_bytes) const {
    return translate([&] {
      return pianola::runtime::limits_of(kernel, device_access::id(the_device), group, local_bytes);
    });
  }
  /// The largest work-group; 0: the kernel does not run.
  std::size_t items() const {
    return runs ? kernel_limit_info<info::kernel_device_specific::work_group_size>::get(
                      kernel, properties(), with(0, 0))
                : 0;
  }
  std::uint32_t sub_group_size() const { return kernel_sub_group_size(kernel, properties()); }

  template <int Dimensions>
  bool fits(const range<Dimensions>& group) const {
    if (!runs || group.size() > items()) return false;
    const auto& required = kernel.requirements.work_group_size;
    for (int d = 0; d < 3; ++d) {
      const std::size_t n = d < 3 - Dimensions ? 1 : group.get(d - (3 - Dimensions));
      if (n > properties().max_work_item_sizes[d]) return false;
      if (required.c[2] != 0 && n != required.c[d]) return false;
    }
    return true;
  }
};

template <int Dimensions>
void check_group_of_query(const range<Dimensions>& group) {
  if (group.size() == 0)
    throw_error(errc::invalid, "kernel::ext_oneapi_get_info: the work-group has no work-items");
}

template <class Param>
struct launch_query;

template <std::uint32_t Dimensions>
struct launch_query<
    ext::oneapi::experimental::info::kernel_queue_specific::max_work_item_sizes<Dimensions>> {
  static id<static_cast<int>(Dimensions)> get(const launch_limits& l) {
    constexpr int count = static_cast<int>(Dimensions);
    id<count> most;
    const auto& required = l.kernel.requirements.work_group_size;
    for (int d = 0; d < count && l.runs; ++d) {
      const int of = 3 - count + d;
      const std::size_t limit = l.properties().max_work_item_sizes[of];
      most[d] = required.c[2] != 0 ? required.c[of] : limit < l.items() ? limit : l.items();
    }
    return most;
  }
};
template <>
struct launch_query<ext::oneapi::experimental::info::kernel_queue_specific::max_work_group_size> {
  static std::size_t get(const launch_limits& l) { return l.items(); }
};
/// Groups that run at the same time, as far as the device's driver tells: on the CPU one for each compute unit.
template <>
struct launch_query<ext::oneapi::experimental::info::kernel_queue_specific::max_num_work_groups> {
  template <int Dimensions>
  static std::size_t get(const launch_limits& l, const range<Dimensions>& group,
                         std::size_t bytes = 0) {
    check_group_of_query(group);
    if (!l.fits(group) || bytes > l.properties().local_memory_bytes) return 0;
    return static_cast<std::size_t>(l.with(group.size(), bytes).resident_groups);
  }
};
template <>
struct launch_query<ext::oneapi::experimental::info::kernel_queue_specific::max_sub_group_size> {
  template <int Dimensions>
  static std::uint32_t get(const launch_limits& l, const range<Dimensions>& group) {
    check_group_of_query(group);
    if (!l.fits(group)) return 0;
    const std::uint32_t size = l.sub_group_size();
    return group.size() < size ? static_cast<std::uint32_t>(group.size()) : size;
  }
};
template <>
struct launch_query<ext::oneapi::experimental::info::kernel_queue_specific::num_sub_groups> {
  template <int Dimensions>
  static std::uint32_t get(const launch_limits& l, const range<Dimensions>& group) {
    check_group_of_query(group);
    if (!l.fits(group)) return 0;
    const std::uint32_t size = l.sub_group_size();
    return static_cast<std::uint32_t>((group.size() + size - 1) / size);
  }
};

}  // namespace detail

template <class Param, class... Arguments>
auto kernel::ext_oneapi_get_info(const queue& q, const Arguments&... arguments) const {
  const device d = q.get_device();
  const detail::launch_limits limits{detail::kernel_id_access::descriptor(id_), d,
                                     data_->has(id_, d)};
  return detail::launch_query<Param>::get(limits, arguments...);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
