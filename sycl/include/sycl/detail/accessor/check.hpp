// SPDX-License-Identifier: Apache-2.0
// Subscripts that are compared with what the accessor names, in programs that are compiled with PIANOLA_CHECK_ACCESSES
// (docs/checking.md). In others they cost nothing.
#pragma once

#include <cstddef>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
/// Throws exception (errc::accessor): no such element. Arrays of `dimensions`.
[[noreturn]] void refuse_subscript(int dimensions, const std::size_t* index,
                                   const std::size_t* range);
}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#if defined(PIANOLA_CHECK_ACCESSES)

#include <pianola/runtime/access_checks.hpp>

#include <sycl/detail/accessor/storage.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

/// Before a subscript operator: it throws and has a name of its own, so that files that are compiled without checks can be
/// linked with it. pianolacc knows it by that name.
#define PIANOLA_SUBSCRIPT [[gnu::abi_tag("checked")]]
#define PIANOLA_SUBSCRIPT_NOEXCEPT
#define PIANOLA_CHECKED(index, shape) ::sycl::detail::checked_index(index, shape)

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

inline const bool accesses_are_checked = (pianola::runtime::expect_access_checks(), true);

/// Whether indices are compared here: devices have no exceptions.
inline bool compares_indices() noexcept {
#if defined(__PIANOLACC__)
  return __pianola_is_device() == 0;
#else
  return true;
#endif
}

/// One of several dimensions, in a[i][j].
inline std::size_t checked_coordinate(std::size_t index, std::size_t extent) {
  if (compares_indices() && index >= extent) refuse_subscript(1, &index, &extent);
  return index;
}

template <int Dimensions>
inline void check_index(const id<Dimensions>& index, const range<Dimensions>& extents) {
  for (int d = 0; d < Dimensions; ++d)
    if (index.get(d) >= extents.get(d)) {
      std::size_t indices[Dimensions], sizes[Dimensions];
      for (int i = 0; i < Dimensions; ++i) {
        indices[i] = index.get(i);
        sizes[i] = extents.get(i);
      }
      refuse_subscript(Dimensions, indices, sizes);
    }
}

/// The index. An accessor that does not know its range takes any.
template <int Dimensions, class Shape>
inline auto checked_index(const id<Dimensions>& index, const Shape& shape)
    -> decltype(shape.access_range(), id<Dimensions>()) {
  if (compares_indices()) check_index(index, range<Dimensions>(shape.access_range()));
  return index;
}
template <int Dimensions>
inline const id<Dimensions>& checked_index(const id<Dimensions>& index,
                                           const shape_none<Dimensions>&) {
  return index;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#else

#define PIANOLA_SUBSCRIPT
#define PIANOLA_SUBSCRIPT_NOEXCEPT noexcept
#define PIANOLA_CHECKED(index, shape) index

#endif
