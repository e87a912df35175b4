// SPDX-License-Identifier: Apache-2.0
// From a kernel's function object to its description: one kernel_descriptor per function object type,
// whose entry point runs parts of the index space on the host.
#pragma once

#include <cstdint>
#include <type_traits>

#include <pianola/model/array_view.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>

#include <sycl/glue/kernel_arguments.hpp>
#include <sycl/glue/kernel_launcher_nd_range.hpp>
#include <sycl/glue/kernel_launcher_range.hpp>
#include <sycl/glue/kernel_name.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
// Not every kernel can be vectorised; that is no news to the user.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace pianola::glue {

/// parallel_for over a range. WithOffset: the deprecated form with an offset.
template <int Dimensions, bool WithOffset>
struct range_shape {
  using index = sycl::item<Dimensions, WithOffset>;
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry& geometry,
                  const model::box& part) {
    run_items<Dimensions, WithOffset>(kernel, geometry, part);
  }
};

template <int Dimensions>
struct nd_range_shape {
  using index = sycl::nd_item<Dimensions>;
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry& geometry,
                  const model::box& part) {
    run_groups<Dimensions>(kernel, geometry, part);
  }
};

struct single_task_shape {
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry&, const model::box&) {
    if constexpr (std::is_invocable_v<const Kernel&, sycl::kernel_handler>)
      kernel(sycl::kernel_handler());
    else
      kernel();
  }
};

/// The entry point of a kernel: contract in model::host_entry.
template <class Kernel, class Shape>
void kernel_entry(const void* arguments, const model::launch_geometry& geometry,
                  const model::box& part, model::array_view<const model::argument_slot> local_slots,
                  const model::group_resources& resources) {
  const localised_kernel<Kernel> kernel(*static_cast<const Kernel*>(arguments), local_slots,
                                        resources.local_memory);
  Shape::run(kernel.get(), geometry, part);
}

/// Name: what the user called the kernel; void for an unnamed one.
template <class Name, class Kernel, class Shape>
const model::kernel_descriptor& describe_kernel() {
  static_assert(!std::is_const_v<Kernel> && !std::is_reference_v<Kernel>);
  static model::kernel_statistics statistics;
  static const model::kernel_descriptor descriptor{
      model::kernel_id(type_hash<Kernel>(__BASE_FILE__)),
      readable_type_name<std::conditional_t<std::is_void_v<Name>, Kernel, Name>>(),
      &kernel_entry<Kernel, Shape>,
      static_cast<std::uint32_t>(sizeof(Kernel)),
      static_cast<std::uint32_t>(alignof(Kernel)),
      operations_or_null<Kernel>(),
      &statistics};
  return descriptor;
}

}  // namespace pianola::glue

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
