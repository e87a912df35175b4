// SPDX-License-Identifier: Apache-2.0
// What a kernel's properties and, in compiled mode, its attributes require of a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <pianola/model/kernel_requirements.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/ext/pianola/dependent_launch.hpp>

namespace pianola::glue {

/// Base of kernels over a range that run in work-groups of Pianola's choice: to the user they have none, whose size
/// a requirement could be about.
struct chooses_work_groups {};

template <std::uint32_t Size>
constexpr void add_requirement(model::kernel_requirements& r,
                               sycl::ext::oneapi::experimental::sub_group_size_value<Size>*) {
  r.sub_group_size = Size;
}
template <std::size_t... Sizes>
constexpr void add_requirement(model::kernel_requirements& r,
                               sycl::ext::oneapi::experimental::work_group_size_value<Sizes...>*) {
  constexpr std::size_t sizes[] = {Sizes...};
  constexpr std::size_t given = sizeof...(Sizes);
  for (std::size_t d = 0; d < 3; ++d)
    r.work_group_size.c[d] = d + given < 3 ? 1 : sizes[d + given - 3];
}

/// Hints, and properties of the launch rather than the kernel.
template <class Property>
constexpr void add_requirement(model::kernel_requirements&, Property*) {
  static_assert(!std::is_same_v<Property, sycl::ext::oneapi::experimental::work_group_scratch_size>,
                "work_group_scratch_size is a property of a launch: give it to a launch_config, as "
                "nd_launch takes it; a kernel does not know it");
}

/// Of the attribute device_has as well: the compiler calls it with the attribute's arguments.
template <class... Aspects>
constexpr std::uint64_t mask_of_aspects(Aspects... aspects) {
  static_assert((std::is_same_v<Aspects, sycl::aspect> && ...),
                "device_has takes enumerators of sycl::aspect");
  return (std::uint64_t{0} | ... | (std::uint64_t{1} << static_cast<unsigned>(aspects)));
}
template <sycl::aspect... Aspects>
constexpr void add_requirement(model::kernel_requirements& r,
                               sycl::ext::oneapi::experimental::device_has_value<Aspects...>*) {
  r.aspects |= mask_of_aspects(Aspects...);
}

constexpr void add_requirement(model::kernel_requirements& r,
                               sycl::ext::pianola::programmatic_dependent_launch_value*) {
  r.dependent_launch = true;
}

template <class... Properties>
constexpr model::kernel_requirements requirements_from(
    sycl::ext::oneapi::experimental::properties<Properties...>*) {
  model::kernel_requirements r;
  (add_requirement(r, static_cast<Properties*>(nullptr)), ...);
  return r;
}

/// Of the kernel's properties alone.
template <class Kernel>
inline constexpr model::kernel_requirements property_requirements =
    requirements_from(static_cast<sycl::detail::properties_of_kernel_t<Kernel>*>(nullptr));

}  // namespace pianola::glue
