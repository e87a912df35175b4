// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <sycl/detail/accessor/forward.hpp>
#include <sycl/detail/buffer/forward.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class context;

namespace property {

/// The accessor's old contents are not needed: never causes a transfer (SYCL 2020, 4.7.6.4).
class no_init : detail::no_init_property {};

namespace queue {

/// Events of the queue carry profiling times (SYCL 2020, 4.6.5.2).
class enable_profiling {};
/// Commands run in submission order (SYCL 2020, 4.6.5.2).
class in_order {};

}  // namespace queue

namespace buffer {

/// The host pointer is the buffer's storage (SYCL 2020, 4.7.2.2). Throws from the buffer's
/// constructor if the host data cannot serve as storage (const or misaligned data).
class use_host_ptr {};

/// Locked while the buffer reads or writes the host data (SYCL 2020, 4.7.2.2). The mutex must
/// outlive the buffer.
class use_mutex {
 public:
  use_mutex(std::mutex& mutex) : mutex_(&mutex) {}
  std::mutex* get_mutex_ptr() const { return mutex_; }

 private:
  std::mutex* mutex_;
};

/// The buffer is used in one context only (SYCL 2020, 4.7.2.2).
class context_bound {
 public:
  template <class Context, class = std::enable_if_t<std::is_same<Context, context>::value>>
  context_bound(Context bound) : bound_(std::make_shared<const Context>(std::move(bound))) {}
  template <class Context = context>
  Context get_context() const {
    return *bound_;
  }

 private:
  std::shared_ptr<const context> bound_;
};

}  // namespace buffer
}  // namespace property

inline constexpr property::no_init no_init{};

template <>
struct is_property<property::no_init>
    : detail::known_property<detail::property_key("property::no_init")> {};
template <>
struct is_property<property::queue::enable_profiling>
    : detail::known_property<detail::property_key("property::queue::enable_profiling")> {};
template <>
struct is_property<property::queue::in_order>
    : detail::known_property<detail::property_key("property::queue::in_order")> {};
template <>
struct is_property<property::buffer::use_host_ptr>
    : detail::known_property<detail::property_key("property::buffer::use_host_ptr")> {};
template <>
struct is_property<property::buffer::use_mutex>
    : detail::known_property<detail::property_key("property::buffer::use_mutex")> {};
template <>
struct is_property<property::buffer::context_bound>
    : detail::known_property<detail::property_key("property::buffer::context_bound")> {};

class queue;

template <>
struct is_property_of<property::queue::enable_profiling, queue> : std::true_type {};
template <>
struct is_property_of<property::queue::in_order, queue> : std::true_type {};
template <class T>
struct is_property_of<property::no_init, T> : std::bool_constant<detail::is_accessor_class<T>> {};
template <class T>
struct is_property_of<property::buffer::use_host_ptr, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};
template <class T>
struct is_property_of<property::buffer::use_mutex, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};
template <class T>
struct is_property_of<property::buffer::context_bound, T>
    : std::bool_constant<detail::is_buffer_class<T>> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
