// SPDX-License-Identifier: Apache-2.0
// Property lists whose members are known to the compiler (sycl_ext_oneapi_properties).
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>

#define SYCL_EXT_ONEAPI_PROPERTIES 1

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

template <class Property, class = void>
struct key_of_property {
  using type = Property;
};
template <class Property>
struct key_of_property<Property, std::void_t<typename Property::key_t>> {
  using type = typename Property::key_t;
};
template <class Property>
using key_of_property_t = typename key_of_property<Property>::type;

/// One property of a list, found by its key.
template <class Key, class Property>
struct keyed_property {
  Property property;
};
template <class... Entries>
struct property_entries : Entries... {};
template <class Key, class Property>
Property property_with_key(const keyed_property<Key, Property>&);
template <class Key, class... Properties>
using stored_property = decltype(property_with_key<Key>(
    std::declval<
        const property_entries<keyed_property<key_of_property_t<Properties>, Properties>...>&>()));

}  // namespace detail

namespace ext {
namespace oneapi {
namespace experimental {

/// A property whose value is part of its type.
template <class Key, class... Values>
struct property_value {
  using key_t = Key;
};

/// Whether T names a property: a class with a value of its own, or the key of property_values. Specialise for a property
/// of your own.
template <class T>
struct is_property_key : std::false_type {};
template <class T>
inline constexpr bool is_property_key_v = is_property_key<T>::value;

/// Whether objects of class Object may have the property. Specialise for a property of your own.
template <class Key, class Object>
struct is_property_key_of : std::false_type {};
template <class Key, class Object>
inline constexpr bool is_property_key_of_v = is_property_key_of<Key, Object>::value;

template <class T>
struct is_property_value : is_property_key<sycl::detail::key_of_property_t<T>> {};
template <class T>
inline constexpr bool is_property_value_v = is_property_value<T>::value;

template <class T, class Object>
struct is_property_value_of : is_property_key_of<sycl::detail::key_of_property_t<T>, Object> {};
template <class T, class Object>
inline constexpr bool is_property_value_of_v = is_property_value_of<T, Object>::value;

/// A list with at most one property of each key.
template <class... Properties>
struct properties
    : private sycl::detail::keyed_property<sycl::detail::key_of_property_t<Properties>,
                                           Properties>... {
  static_assert((is_property_value_v<Properties> && ...),
                "properties: every argument is a property (is_property_value)");

  constexpr properties(Properties... given)
      : sycl::detail::keyed_property<sycl::detail::key_of_property_t<Properties>, Properties>{
            given}... {}

  template <class Key>
  static constexpr bool has_property() {
    return (std::is_same<Key, sycl::detail::key_of_property_t<Properties>>::value || ...);
  }

  /// Of a property that is all type no object is needed.
  template <class Key>
  static constexpr auto get_property(
      std::enable_if_t<std::is_empty<sycl::detail::stored_property<Key, Properties...>>::value>* =
          nullptr) {
    return sycl::detail::stored_property<Key, Properties...>();
  }
  template <class Key>
  constexpr auto get_property(
      std::enable_if_t<!std::is_empty<sycl::detail::stored_property<Key, Properties...>>::value>* =
          nullptr) const {
    return static_cast<const sycl::detail::keyed_property<
        Key, sycl::detail::stored_property<Key, Properties...>>&>(*this)
        .property;
  }
};
template <class... Properties>
properties(Properties...) -> properties<Properties...>;

using empty_properties_t = properties<>;

template <class T>
struct is_property_list : std::false_type {};
template <class... Properties>
struct is_property_list<properties<Properties...>> : std::true_type {};
template <class T>
inline constexpr bool is_property_list_v = is_property_list<T>::value;

}  // namespace experimental
}  // namespace oneapi
}  // namespace ext
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
