// SPDX-License-Identifier: Apache-2.0
// Kernels whose range is computed on the device. Described in docs/recorded-graphs.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <pianola/model/kernel.hpp>

#include <sycl/accessor.hpp>
#include <sycl/detail/accessor/copy.hpp>
#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/ext/oneapi/experimental/kernel_properties.hpp>
#include <sycl/ext/pianola/is_device_code.hpp>
#include <sycl/glue/invoke.hpp>
#include <sycl/glue/reads_its_range.hpp>
#include <sycl/handler.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/nd_item.hpp>
#include <sycl/kernel/nd_range.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Where the numbers are: at the beginning of what an accessor covers, or in USM.
template <class Source>
struct range_numbers;
template <class T, access_mode Mode, target Target, accessor_variant Variant>
struct range_numbers<accessor<T, 1, Mode, Target, Variant>> {
  using source = accessor<T, 1, Mode, Target, Variant>;
  using type = std::remove_const_t<T>;
  static_assert(Mode == access_mode::read || Mode == access_mode::read_write,
                "indirect_range: the kernel reads its range through the accessor");
  static_assert(Target == target::device, "indirect_range: the accessor is a kernel's");
  static_assert(names_buffer(Variant), "indirect_range: give an accessor that knows its range");

  static type number(const source& from, std::size_t at) { return from[at]; }
  static void require(const source& from, std::size_t needed) {
    if (from.size() < needed)
      throw_error(errc::invalid, "indirect_range: the accessor covers " +
                                     std::to_string(from.size()) + " elements, the range has " +
                                     std::to_string(needed) + " dimensions");
  }
  static std::uint32_t requirement(handler& group, const source& from) {
    return request_index(handler_access::submission_of(group), from);
  }
};
template <class T>
struct range_numbers<const T*> {
  using type = T;
  static type number(const T* from, std::size_t at) { return from[at]; }
  static void require(const T* from, std::size_t /*needed*/) {
    if (from == nullptr) throw_error(errc::invalid, "indirect_range: the pointer is null");
  }
  static std::uint32_t requirement(handler&, const T*) {
    return pianola::model::indirect_range::in_memory;
  }
};

/// One of them. What is negative is beyond any bound.
template <class Source>
inline __attribute__((always_inline)) std::uint64_t range_number(const Source& from,
                                                                 std::size_t at) {
  using type = typename range_numbers<Source>::type;
  static_assert(std::is_integral_v<type> && sizeof(type) <= sizeof(std::uint64_t),
                "indirect_range: a range is read from integers");
  const type value = range_numbers<Source>::number(from, at);
  if constexpr (std::is_signed_v<type>)
    if (value < 0) return pianola::model::no_such_range;
  return static_cast<std::uint64_t>(value);
}

/// Runs a kernel where the numbers say so. The index space is that of the bound.
template <class Kernel, class Source, class Index>
struct kernel_of_indirect_range : pianola::glue::reads_its_range {
  static constexpr int dimensions = Index::dimensions;
  static constexpr bool grouped = std::is_same_v<Index, nd_item<dimensions>>;
  Source numbers;
  Kernel kernel;

  kernel_of_indirect_range(const Source& n, const Kernel& k) : numbers(n), kernel(k) {}

  void operator()(Index at) const {
    // On the host whoever runs the kernel has asked read_range.
    if (ext::pianola::is_device_code() && !runs(at)) return;
    pianola::glue::invoke(kernel, at);
  }

  static pianola::model::extent3 read_range(const void* arguments) {
    const auto& self = *static_cast<const kernel_of_indirect_range*>(arguments);
    pianola::model::extent3 read{{1, 1, 1}};
    for (int d = 0; d < dimensions; ++d)
      read.c[3 - dimensions + d] = range_number(self.numbers, static_cast<std::size_t>(d));
    return read;
  }

  properties_of_kernel_t<Kernel> get(
      ext::oneapi::experimental::properties_tag) const;  // asked for its type only

 private:
  static __attribute__((always_inline)) std::size_t id_of(const Index& at, int d) {
    if constexpr (grouped)
      return at.get_global_id(d) - at.get_offset()[d];
    else
      return at.get_id(d);
  }
  static __attribute__((always_inline)) std::size_t bound_of(const Index& at, int d) {
    if constexpr (grouped)
      return at.get_global_range(d);
    else
      return at.get_range(d);
  }
  static __attribute__((always_inline)) bool fits(const Index& at, int d, std::uint64_t number) {
    if constexpr (grouped)
      if (number % at.get_local_range(d) != 0) return false;
    return number <= bound_of(at, d);
  }
  __attribute__((always_inline)) bool runs(const Index& at) const {
    bool inside = true, first = true;
    std::uint64_t wrong = 0;
    for (int d = dimensions; d-- > 0;) {
      const std::uint64_t number = range_number(numbers, static_cast<std::size_t>(d));
      const std::size_t id = id_of(at, d);
      inside = inside && id < number;
      first = first && id == 0;
      if (!fits(at, d, number)) wrong = number;
    }
    if (wrong == 0) return inside;
    if (first) *beyond = wrong;
    return false;
  }
};

}  // namespace detail

namespace ext::pianola {

/// The range of a kernel that reads it when it starts: one integer for each dimension of the bound, from the beginning of an
/// accessor of its command group or of USM that its device reaches. Work-items run whose ids are less than those; of an
/// nd_range whole work-groups, so the numbers are multiples of their size. What the kernel asks for as its range is the bound. It must
/// not write the numbers itself. Where one is beyond the bound, negative or no such multiple nothing runs, and the queue gets an
/// asynchronous error (errc::invalid).
template <class Source, class Bound>
class indirect_range {
 public:
  static constexpr int dimensions = Bound::dimensions;

  /// Throws exception (errc::invalid) for a bound of no work-items, a null pointer, and an accessor of fewer elements than
  /// the bound has dimensions.
  indirect_range(const Source& numbers, const Bound& bound) : numbers_(numbers), bound_(bound) {
    sycl::detail::range_numbers<Source>::require(numbers, dimensions);
    if (extent().size() == 0)
      sycl::detail::throw_error(
          errc::invalid,
          "indirect_range: the bound has no work-items, so the kernel would never run");
  }
  const Source& numbers() const noexcept { return numbers_; }
  const Bound& bound() const noexcept { return bound_; }

 private:
  range<dimensions> extent() const {
    if constexpr (std::is_same_v<Bound, nd_range<dimensions>>)
      return bound_.get_global_range();
    else
      return bound_;
  }
  Source numbers_;
  Bound bound_;
};
template <class T, int Dimensions>
indirect_range(T*, range<Dimensions>) -> indirect_range<const T*, range<Dimensions>>;
template <class T, int Dimensions>
indirect_range(T*, nd_range<Dimensions>) -> indirect_range<const T*, nd_range<Dimensions>>;

/// The command of the group. The kernel takes what it takes over the bound, and no kernel_handler.
template <class KernelName = void, class Source, class Bound, class Kernel>
void parallel_for(handler& group, const indirect_range<Source, Bound>& extent,
                  const Kernel& kernel) {
  constexpr int dimensions = Bound::dimensions;
  using index = std::conditional_t<std::is_same_v<Bound, nd_range<dimensions>>, nd_item<dimensions>,
                                   item<dimensions, false>>;
  static_assert(::pianola::glue::takes_index<Kernel, index>,
                "the kernel of an indirect_range takes the index of its bound");
  using name = std::conditional_t<std::is_void_v<KernelName>, Kernel, KernelName>;
  group.parallel_for<name>(
      extent.bound(),
      sycl::detail::kernel_of_indirect_range<Kernel, Source, index>(extent.numbers(), kernel));
  auto& submission = sycl::detail::handler_access::submission_of(group);
  auto& indirect = std::get_if<::pianola::model::kernel_command>(&submission.payload)->indirect;
  indirect.used = true;
  indirect.requirement = sycl::detail::range_numbers<Source>::requirement(group, extent.numbers());
}

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
