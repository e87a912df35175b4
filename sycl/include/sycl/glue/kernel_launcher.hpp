// SPDX-License-Identifier: Apache-2.0
// From a kernel's function object to its description: one kernel_descriptor per function object type,
// whose entry point runs parts of the index space on the host.
#pragma once

#include <cstdint>
#include <type_traits>

#include <pianola/model/array_view.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/kernel.hpp>
#if defined(__PIANOLACC__)
#include <pianola/runtime/images.hpp>
#endif

#include <sycl/detail/mode.hpp>
#include <sycl/glue/invoke.hpp>
#include <sycl/glue/kernel_arguments.hpp>
#include <sycl/glue/kernel_body.hpp>
#include <sycl/glue/kernel_launcher_nd_range.hpp>
#include <sycl/glue/kernel_launcher_range.hpp>
#include <sycl/glue/kernel_name.hpp>
#include <sycl/glue/kernel_requirements.hpp>
#include <sycl/glue/reads_its_range.hpp>

#if defined(__clang__)
#pragma clang diagnostic push
// Not every kernel can be vectorised; that is no news to the user.
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace pianola::glue {
// Whose code depends on the compile mode differ in name, and with them every template below.
inline namespace PIANOLA_SYCL_VERSION {

/// parallel_for over a range. WithOffset: the deprecated form with an offset.
template <int Dimensions, bool WithOffset>
struct range_shape {
  static constexpr int kind = WithOffset ? 3 : 1;
  static constexpr int dimensions = Dimensions;
  using index = sycl::item<Dimensions, WithOffset>;
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry& geometry,
                  const model::box& part, const model::group_resources&) {
    run_items<Dimensions, WithOffset>(kernel, geometry, part);
  }
};

template <int Dimensions>
struct nd_range_shape {
  static constexpr int kind = 2;
  static constexpr int dimensions = Dimensions;
  using index = sycl::nd_item<Dimensions>;
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry& geometry,
                  const model::box& part, const model::group_resources& resources) {
    run_groups<Dimensions>(kernel, geometry, part, resources);
  }
};

struct single_task_shape {
  static constexpr int kind = 0;
  static constexpr int dimensions = 1;
  using index = void;
  template <class Kernel>
  static void run(const Kernel& kernel, const model::launch_geometry&, const model::box&,
                  const model::group_resources&) {
    invoke_task(kernel);
  }
};

/// What is added to the offsets of local accessors before the kernel runs: compiled kernels add the base
/// of local memory themselves.
inline void* local_accessor_base([[maybe_unused]] const model::group_resources& resources) {
#if defined(__PIANOLACC__)
  return nullptr;
#else
  return resources.local_memory;
#endif
}

template <class Kernel, class Shape>
std::uint64_t kernel_hash() noexcept {
#if defined(__PIANOLACC__)
  return __pianola_kernel_id(
      reinterpret_cast<const void*>(&kernel_body<Kernel, Shape::kind, Shape::dimensions>));
#else
  // A function object may be launched over spaces of several kinds.
  constexpr std::uint64_t shape = Shape::kind * 4 + Shape::dimensions;
  return (type_hash<Kernel>(__BASE_FILE__) ^ shape) * 0x100000001b3ULL;
#endif
}

template <class Kernel, class Shape>
model::kernel_requirements requirements_of() noexcept {
  model::kernel_requirements r = property_requirements<Kernel>;
#if defined(__PIANOLACC__)
  // A constant: the compiler must see the function in the call.
  constexpr auto body = &kernel_body<Kernel, Shape::kind, Shape::dimensions>;
  r.sub_group_size = static_cast<std::uint32_t>(
      __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 0));
  r.aspects |= __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 4);
  if (r.work_group_size.c[2] == 0) {
    r.work_group_size.c[0] = __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 1);
    r.work_group_size.c[1] = __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 2);
    r.work_group_size.c[2] = __pianola_kernel_requirement(reinterpret_cast<const void*>(body), 3);
  }
#endif
  if constexpr (std::is_base_of_v<chooses_work_groups, Kernel>) r.work_group_size = {{0, 0, 0}};
  return r;
}

/// What the compiler found out about the kernel's accesses, which it thinks all work-items of a launch make.
template <class Kernel, class Shape>
const model::kernel_facts* facts_of() noexcept {
#if defined(__PIANOLACC__)
  if constexpr (!std::is_base_of_v<reads_its_range, Kernel>)
    return runtime::find_kernel_facts(model::kernel_id(kernel_hash<Kernel, Shape>()));
#endif
  return nullptr;
}

// pianolacc asks: where it lets kernels check their accesses, and where it parses a program a second time.
#if defined(__PIANOLACC__) && (defined(PIANOLA_CHECK_ACCESSES) || defined(__PIANOLA_DEVICE_PASS__))
#define PIANOLA_ENTRY [[clang::annotate("pianola.entry")]]
#else
#define PIANOLA_ENTRY
#endif

/// The entry point of a kernel: contract in model::host_entry.
template <class Kernel, class Shape>
PIANOLA_ENTRY void kernel_entry(const void* arguments, const model::launch_geometry& geometry,
                                const model::box& part,
                                model::array_view<const model::argument_slot> local_slots,
                                const model::group_resources& resources) {
  const localised_kernel<Kernel> kernel(*static_cast<const Kernel*>(arguments), local_slots,
                                        local_accessor_base(resources));
  Shape::run(kernel.get(), geometry, part, resources);
}

/// How much of its geometry a kernel runs, if it reads that itself.
template <class Kernel>
constexpr model::range_reader range_reader_of() noexcept {
  if constexpr (std::is_base_of_v<reads_its_range, Kernel>)
    return &Kernel::read_range;
  else
    return nullptr;
}

/// Whether pianolacc has kernels ask before they touch memory.
#if defined(__PIANOLACC__) && defined(PIANOLA_CHECK_ACCESSES)
inline constexpr bool checks_accesses = true;
#else
inline constexpr bool checks_accesses = false;
#endif

/// Name: what the user called the kernel; void for an unnamed one.
template <class Name, class Kernel, class Shape>
const model::kernel_descriptor& describe_kernel() {
  static_assert(!std::is_const_v<Kernel> && !std::is_reference_v<Kernel>);
  static model::kernel_statistics statistics;
  static const model::kernel_descriptor descriptor{
      model::kernel_id(kernel_hash<Kernel, Shape>()),
      readable_type_name<std::conditional_t<std::is_void_v<Name>, Kernel, Name>>(),
      &kernel_entry<Kernel, Shape>,
      static_cast<std::uint32_t>(sizeof(Kernel)),
      static_cast<std::uint32_t>(alignof(Kernel)),
      operations_or_null<Kernel>(),
      &statistics,
      requirements_of<Kernel, Shape>(),
      facts_of<Kernel, Shape>(),
      range_reader_of<Kernel>(),
      checks_accesses};
  return descriptor;
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace pianola::glue

#if defined(__clang__)
#pragma clang diagnostic pop
#endif
