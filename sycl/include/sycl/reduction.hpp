// SPDX-License-Identifier: Apache-2.0
// Reduction variables (SYCL 2020, 4.9.2): what is given to parallel_for before the kernel.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <sycl/detail/buffer/definition.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/cell.hpp>
#include <sycl/functional.hpp>
#include <sycl/kernel/device_copyable.hpp>
#include <sycl/property_list.hpp>
#include <sycl/reducer.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class handler;

namespace property::reduction {

/// The variable's old value does not count (SYCL 2020, 4.9.2.2).
class initialize_to_identity {};

}  // namespace property::reduction

template <>
struct is_property<property::reduction::initialize_to_identity>
    : detail::known_property<detail::property_key("property::reduction::initialize_to_identity")> {
};

namespace detail {

struct reduction_tag {};

template <class T>
inline constexpr bool is_reduction = std::is_base_of_v<reduction_tag, std::decay_t<T>>;
template <class T>
using if_reduction = std::enable_if_t<is_reduction<T>, int>;

/// Extent: 0 for one variable. Variables: a pointer or a buffer.
template <class T, class Operation, std::size_t Extent, bool HasIdentity, class Variables>
struct reduction_object : reduction_tag {
  static_assert(is_device_copyable_v<T>,
                "the type of a reduction variable is copied as bytes between work-items");
  static_assert(std::is_invocable_v<const Operation&, const T&, const T&>,
                "the combiner of a reduction takes two values of the variable's type");
  using value_type = T;
  using rules_type = reduction_rules<T, Operation, HasIdentity>;
  static constexpr std::size_t extent = Extent;

  reduction_object(Variables where, const rules_type& how, const property_list& properties)
      : variables(std::move(where)),
        rules(how),
        initialise(
            properties.template has_property<property::reduction::initialize_to_identity>()) {}

  Variables variables;
  rules_type rules;
  bool initialise;
};

template <class T, class Operation>
constexpr auto rules_for(const Operation& op) {
  if constexpr (has_known_identity_v<Operation, T>)
    return reduction_rules<T, Operation, true>{{op}, known_identity_v<Operation, T>};
  else
    return reduction_rules<T, Operation, false>{{op}};
}

template <std::size_t Extent, class Rules, class Variables>
auto make_reduction(Variables variables, const Rules& rules, const property_list& properties) {
  return reduction_object<typename Rules::value, typename Rules::operation, Extent,
                          Rules::has_identity, Variables>(std::move(variables), rules, properties);
}

template <class T, class AllocatorT>
const buffer<T, 1, AllocatorT>& check_one_element(const buffer<T, 1, AllocatorT>& b) {
  if (b.size() != 1)
    throw_error(errc::invalid, "reduction: the buffer has " + std::to_string(b.size()) +
                                   " elements; it must have exactly one");
  return b;
}
template <class T, int Dimensions, class AllocatorT>
buffer<T, 1, AllocatorT> as_one_element(const buffer<T, Dimensions, AllocatorT>& b) {
  if constexpr (Dimensions == 1) {
    return check_one_element(b);
  } else {
    buffer<T, Dimensions, AllocatorT> copy = b;
    return check_one_element(copy.template reinterpret<T, 1>());
  }
}

/// sycl::span and std::span of a fixed extent. ::value is their extent.
template <class Span, class = void>
struct fixed_span : std::false_type {};
template <class Span>
struct fixed_span<Span, std::void_t<typename Span::element_type, decltype(Span::extent),
                                    decltype(std::declval<const Span&>().data())>>
    : std::bool_constant<Span::extent != static_cast<std::size_t>(-1) && Span::extent != 0> {};
template <class Span>
using if_fixed_span = std::enable_if_t<fixed_span<Span>::value, int>;

}  // namespace detail

/// Of a buffer of one element, whose old value counts unless the property says otherwise. Without an
/// identity, known or given, work-items that combine nothing leave nothing. Throws exception
/// (errc::invalid) if the buffer has not exactly one element.
template <class T, int Dimensions, class AllocatorT, class BinaryOperation>
auto reduction(const buffer<T, Dimensions, AllocatorT>& variable, handler&,
               BinaryOperation combiner, const property_list& properties = {}) {
  return detail::make_reduction<0>(detail::as_one_element(variable), detail::rules_for<T>(combiner),
                                   properties);
}
template <class T, int Dimensions, class AllocatorT, class BinaryOperation>
auto reduction(const buffer<T, Dimensions, AllocatorT>& variable, handler&,
               const typename buffer<T, Dimensions, AllocatorT>::value_type& identity,
               BinaryOperation combiner, const property_list& properties = {}) {
  return detail::make_reduction<0>(
      detail::as_one_element(variable),
      detail::reduction_rules<T, BinaryOperation, true>{{combiner}, identity}, properties);
}

/// Of a variable that the device can access.
template <class T, class BinaryOperation>
auto reduction(T* variable, BinaryOperation combiner, const property_list& properties = {}) {
  return detail::make_reduction<0>(variable, detail::rules_for<T>(combiner), properties);
}
template <class T, class BinaryOperation>
auto reduction(T* variable, const std::common_type_t<T>& identity, BinaryOperation combiner,
               const property_list& properties = {}) {
  return detail::make_reduction<0>(
      variable, detail::reduction_rules<T, BinaryOperation, true>{{combiner}, identity},
      properties);
}

/// Of as many variables as the span has; its extent is fixed.
template <class Span, class BinaryOperation, detail::if_fixed_span<Span> = 0>
auto reduction(Span variables, BinaryOperation combiner, const property_list& properties = {}) {
  return detail::make_reduction<Span::extent>(
      variables.data(), detail::rules_for<typename Span::element_type>(combiner), properties);
}
template <class Span, class BinaryOperation, detail::if_fixed_span<Span> = 0>
auto reduction(Span variables, const typename Span::element_type& identity,
               BinaryOperation combiner, const property_list& properties = {}) {
  return detail::make_reduction<Span::extent>(
      variables.data(),
      detail::reduction_rules<typename Span::element_type, BinaryOperation, true>{{combiner},
                                                                                  identity},
      properties);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
