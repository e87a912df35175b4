// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// A property class may be another name of a property: it derives from that one and names it
/// `same_property_as`. Both find each other in a property_list.
template <class Property, class = void>
struct canonical_property {
  using type = Property;
};
template <class Property>
struct canonical_property<Property, std::void_t<typename Property::same_property_as>> {
  using type = typename Property::same_property_as;
};
template <class Property>
using canonical_property_t = typename canonical_property<Property>::type;

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
