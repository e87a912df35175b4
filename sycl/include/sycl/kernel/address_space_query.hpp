// SPDX-License-Identifier: Apache-2.0
// Which memory a pointer of a kernel points into.
#pragma once

#include <cstdint>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/memory_enums.hpp>
#if defined(__PIANOLACC__)
#include <sycl/glue/intrinsics.hpp>
#else
#include <pianola/runtime/address_spaces.hpp>

#include <sycl/glue/group_objects.hpp>
#endif

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// As pianola::runtime::address_space_of counts; asked by a work-item about what it may access.
enum class known_space : std::uint32_t {
  global = 0,  // all that is not one of these
  local = 1,
  own = 2,  // private
  of_lone_item =
      3,  // private, or a variable of the group in a hierarchical kernel: its only work-item's
  outside = 4,  // asked by the host program
};

__attribute__((always_inline)) inline known_space space_of(const volatile void* pointer) {
#if defined(__PIANOLACC__)
  const auto space =
      static_cast<known_space>(__pianola_address_space(const_cast<const void*>(pointer)));
  // Variables of the group are its only work-item's on devices as well.
  if (__pianola_is_device() && space == known_space::own &&
      __pianola_local_size_x() * __pianola_local_size_y() * __pianola_local_size_z() == 1)
    return known_space::of_lone_item;
  return space;
#else
  const void* const p = const_cast<const void*>(pointer);
  const pianola::glue::group_objects* const group = pianola::glue::current_group_objects();
  return group != nullptr && group->hold(p)
             ? known_space::local
             : static_cast<known_space>(pianola::runtime::address_space_of(p));
#endif
}

/// Whether a pointer that is known to be of one space may be used as one of `Space`.
template <access::address_space Space>
constexpr bool may_be_in(known_space known) noexcept {
  constexpr bool to_local = Space == access::address_space::local_space;
  constexpr bool to_private = Space == access::address_space::private_space;
  switch (known) {
    case known_space::local:
      return to_local;
    case known_space::own:
      return to_private;
    case known_space::of_lone_item:
      return to_local || to_private;
    case known_space::outside:
      return true;
    case known_space::global:
      break;
  }
  return !to_local && !to_private;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
