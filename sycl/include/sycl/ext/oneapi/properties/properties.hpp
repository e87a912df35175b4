// SPDX-License-Identifier: Apache-2.0
// Property lists whose members are known to the compiler (sycl_ext_oneapi_properties).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>

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

/// What a property_value with these values tells of them.
template <class... Values>
struct values_of_property {};
template <class Value>
struct values_of_property<Value> {
  using value_t = Value;
};
template <class T, T Value>
struct values_of_property<std::integral_constant<T, Value>> {
  using value_t = std::integral_constant<T, Value>;
  static constexpr T value = Value;
};

/// The same for no other class, but for classes that other sources keep to themselves.
template <class T>
constexpr std::string_view text_of_class() {
  return __PRETTY_FUNCTION__;
}
template <class... Properties>
constexpr auto order_by_key() {
  constexpr std::size_t n = sizeof...(Properties);
  const std::array<std::string_view, n> texts{text_of_class<key_of_property_t<Properties>>()...};
  std::array<std::size_t, n> order{};
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t at = i;
    for (; at > 0 && texts[i] < texts[order[at - 1]]; --at) order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

/// Of all properties in the order of their keys, the one in the place that Property has in the list as it is given.
template <class Property, class... Properties>
struct property_in_place_of {
  static constexpr auto order = order_by_key<Properties...>();
  static constexpr std::size_t place() {
    constexpr bool here[] = {std::is_same<Property, Properties>::value...};
    std::size_t i = 0;
    while (!here[i]) ++i;
    return i;
  }
  using type = std::tuple_element_t<order[place()], std::tuple<Properties...>>;
};
template <class Property>
struct property_in_place_of<Property, Property> {
  using type = Property;
};

template <class T, class... Others>
struct is_among : std::disjunction<std::is_same<T, Others>...> {};

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

/// A property whose value is part of its type. With one class among its arguments that is value_t, and if it is a constant,
/// `value` is what it stands for.
template <class Key, class... Values>
struct property_value : sycl::detail::values_of_property<Values...> {
  using key_t = Key;
};
template <class Key, class... A, class... B>
constexpr bool operator==(const property_value<Key, A...>&, const property_value<Key, B...>&) {
  return std::is_same<property_value<Key, A...>, property_value<Key, B...>>::value;
}
template <class Key, class... A, class... B>
constexpr bool operator!=(const property_value<Key, A...>& a, const property_value<Key, B...>& b) {
  return !(a == b);
}

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

/// A list with at most one property of each key. Lists of the same properties have the same type, in whatever order they are
/// given.
template <class... Properties>
struct properties
    : private sycl::detail::keyed_property<sycl::detail::key_of_property_t<Properties>,
                                           Properties>... {
  static_assert((is_property_value_v<Properties> && ...),
                "properties: every argument is a property (is_property_value)");

  template <class... Given, std::enable_if_t<sizeof...(Given) == sizeof...(Properties) &&
                                             (sycl::detail::is_among<Given, Properties...>::value &&
                                              ...)>* = nullptr>
  constexpr properties(Given... given) : properties(std::tuple<Given...>(given...)) {}

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

 private:
  template <class... Given>
  constexpr explicit properties(const std::tuple<Given...>& given)
      : sycl::detail::keyed_property<sycl::detail::key_of_property_t<Properties>, Properties>{
            std::get<Properties>(given)}... {}
};
template <class... Properties>
properties(Properties...)
    -> properties<typename sycl::detail::property_in_place_of<Properties, Properties...>::type...>;

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
