// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/accessor/forward.hpp>
#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <class T, int Dim = 1, access_mode M = detail::default_access_mode<T>,
          target Tgt = target::device>
using raw_accessor = accessor<T, Dim, M, Tgt, accessor_variant::raw>;

template <class T, int Dim = 1, access_mode M = detail::default_access_mode<T>,
          target Tgt = target::device>
using ranged_accessor = accessor<T, Dim, M, Tgt, accessor_variant::ranged>;

template <class T, int Dim = 1, access_mode M = detail::default_access_mode<T>,
          target Tgt = target::device>
using unranged_accessor = accessor<T, Dim, M, Tgt, accessor_variant::unranged>;

template <class T, int Dim = 1, access_mode M = detail::default_access_mode<T>,
          target Tgt = target::device>
using ranged_placeholder_accessor = accessor<T, Dim, M, Tgt, accessor_variant::ranged_placeholder>;

template <class T, int Dim = 1, access_mode M = detail::default_access_mode<T>,
          target Tgt = target::device>
using unranged_placeholder_accessor =
    accessor<T, Dim, M, Tgt, accessor_variant::unranged_placeholder>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
