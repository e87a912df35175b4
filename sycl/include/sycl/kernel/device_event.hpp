// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/memory_enums.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
struct device_event_access;
}

/// What async_work_group_copy returns (SYCL 2020, 4.7.8). Like the copy, wait() is for all work-items of
/// the work-group to reach.
class device_event {
 public:
  device_event() = delete;

  /// Returns when the copy has been made and every work-item of the group can see it.
  void wait() const noexcept {
#if defined(__PIANOLACC__)
    __pianola_group_barrier(static_cast<std::uint32_t>(memory_scope::work_group));
#else
    if (context_ != nullptr) context_->barrier(*context_);
#endif
  }

 private:
  friend struct detail::device_event_access;
  explicit device_event(const pianola::glue::group_context* context) noexcept : context_(context) {}

  [[maybe_unused]] const pianola::glue::group_context* context_;
};

namespace detail {

struct device_event_access {
  static device_event make(const pianola::glue::group_context* context) noexcept {
    return device_event(context);
  }
};

/// Which elements of a copy by the whole work-group the calling work-item takes. `leader`: whether it is
/// the group's first.
struct copy_share {
  std::size_t first;
  std::size_t step;
};
inline copy_share share_of_copy([[maybe_unused]] std::size_t count, bool leader) {
#if defined(__PIANOLACC__)
  // The work-items that there are: a group of a hierarchical kernel has one.
  if (__pianola_is_device()) {
    const std::size_t x = __pianola_local_size_x(), y = __pianola_local_size_y();
    return {(__pianola_local_id_z() * y + __pianola_local_id_y()) * x + __pianola_local_id_x(),
            x * y * __pianola_local_size_z()};
  }
#endif
  // On the CPU one loop is best.
  return {leader ? 0 : count, 1};
}

/// Pointers into local memory and into global memory.
template <class Destination, class Source, class = void>
inline constexpr bool are_local_and_global = false;
template <class Destination, class Source>
inline constexpr bool are_local_and_global<
    Destination, Source,
    std::void_t<decltype(Destination::address_space), decltype(Source::address_space)>> =
    (Destination::address_space == access::address_space::local_space &&
     Source::address_space == access::address_space::global_space) ||
    (Destination::address_space == access::address_space::global_space &&
     Source::address_space == access::address_space::local_space);

/// DataT: void, or the type of the elements.
template <class DataT, class Destination, class Source>
using if_copied =
    std::enable_if_t<are_local_and_global<Destination, Source> &&
                         (std::is_void_v<DataT> ||
                          std::is_same_v<DataT, std::remove_const_t<typename Source::value_type>>),
                     int>;

/// The stride counts elements of global memory; local memory is filled or read without gaps.
template <class Destination, class Source>
void copy_in_group(Destination destination, Source source, std::size_t count, std::size_t stride,
                   bool leader) {
  const copy_share share = share_of_copy(count, leader);
  if (share.first >= count) return;
  constexpr bool gathers = Destination::address_space == access::address_space::local_space;
  auto* const to = &*destination;
  const auto* const from = &*source;
  for (std::size_t i = share.first; i < count; i += share.step)
    to[gathers ? i : i * stride] = from[gathers ? i * stride : i];
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
