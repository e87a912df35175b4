// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Gives an accessor of zero dimensions its conversion to the element. A base class, because a
/// conversion function template would not take part in `a + 1`.
template <class Self, class Reference, bool Enabled>
class converts_to_element {
 public:
  operator Reference() const noexcept { return *static_cast<const Self&>(*this).get_pointer(); }
};

template <class Self, class Reference>
class converts_to_element<Self, Reference, false> {};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
