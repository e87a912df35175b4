// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <sycl/detail/accessor/forward.hpp>
#include <sycl/detail/buffer/forward.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// What an accessor of a command group is of where the program names this target. Before SYCL 2020 host tasks took
/// accessors to target::host_buffer.
constexpr target target_in_commands(target named) noexcept {
  return named == target::host_buffer ? target::host_task : named;
}

template <class Iterator, class = void>
inline constexpr bool is_input_iterator = false;
template <class Iterator>
inline constexpr bool is_input_iterator<
    Iterator, std::void_t<typename std::iterator_traits<Iterator>::iterator_category>> =
    std::is_base_of<std::input_iterator_tag,
                    typename std::iterator_traits<Iterator>::iterator_category>::value;

/// Contiguous containers of T, const or not: std::data and std::size work (SYCL 2020, 4.7.2).
template <class Container, class T, class = void>
inline constexpr bool is_container_of = false;
template <class Container, class T>
inline constexpr bool is_container_of<
    Container, T,
    std::void_t<decltype(std::data(std::declval<Container&>())),
                decltype(std::size(std::declval<Container&>()))>> =
    std::is_convertible<decltype(std::data(std::declval<Container&>())), const T*>::value &&
    std::is_same<
        std::remove_cv_t<std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))>>,
        std::remove_cv_t<T>>::value;

template <class AllocatorT>
inline constexpr bool is_standard_allocator = false;
template <class T>
inline constexpr bool is_standard_allocator<std::allocator<T>> = true;

template <class T>
struct shared_or_weak_ptr : std::false_type {};
template <class T>
struct shared_or_weak_ptr<std::shared_ptr<T>> : std::true_type {
  using weak = std::weak_ptr<T>;
};
template <class T>
struct shared_or_weak_ptr<std::weak_ptr<T>> : std::true_type {
  using weak = std::weak_ptr<T>;
};

/// The arguments of get_access that have a declaration of their own: a handler, or with it a range
/// and an offset, which may be given as integers.
template <int Dimensions, class... Args>
inline constexpr bool is_handler_and_range = false;
template <int Dimensions>
inline constexpr bool is_handler_and_range<Dimensions, handler&> = true;
template <int Dimensions, class Range>
inline constexpr bool is_handler_and_range<Dimensions, handler&, Range> =
    std::is_convertible<Range, range<Dimensions>>::value;
template <int Dimensions, class Range, class Offset>
inline constexpr bool is_handler_and_range<Dimensions, handler&, Range, Offset> =
    std::is_convertible<Range, range<Dimensions>>::value &&
    std::is_convertible<Offset, id<Dimensions>>::value;

/// Memory for `count` objects from the user's allocator, given back when the last pointer goes.
template <class T, class AllocatorT>
std::shared_ptr<void> allocate_with(const AllocatorT& allocator, std::size_t count) {
  using rebound = typename std::allocator_traits<AllocatorT>::template rebind_alloc<T>;
  using traits = std::allocator_traits<rebound>;
  rebound mine(allocator);
  const auto pointer = traits::allocate(mine, count);
  return std::shared_ptr<void>(std::addressof(*pointer), [mine, pointer, count](void*) mutable {
    traits::deallocate(mine, pointer, count);
  });
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
