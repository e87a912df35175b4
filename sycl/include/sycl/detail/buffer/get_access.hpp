// SPDX-License-Identifier: Apache-2.0
// The members of buffer that return accessors.
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/accessor.hpp>
#include <sycl/detail/buffer/definition.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/host_accessor.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <class T, int Dimensions, class AllocatorT>
template <access_mode Mode, target Targ>
accessor<T, Dimensions, Mode, detail::target_in_commands(Targ), PIANOLA_DEDUCED_VARIANT(unranged)>
buffer<T, Dimensions, AllocatorT>::get_access(handler& commandGroupHandler) {
  return {*this, commandGroupHandler};
}

template <class T, int Dimensions, class AllocatorT>
template <access_mode Mode, target Targ>
accessor<T, Dimensions, Mode, detail::target_in_commands(Targ), PIANOLA_DEDUCED_VARIANT(ranged)>
buffer<T, Dimensions, AllocatorT>::get_access(handler& commandGroupHandler,
                                              range<Dimensions> accessRange,
                                              id<Dimensions> accessOffset) {
  return {*this, commandGroupHandler, accessRange, accessOffset};
}

template <class T, int Dimensions, class AllocatorT>
template <access_mode Mode>
accessor<T, Dimensions, Mode, target::host_buffer, accessor_variant::false_t>
buffer<T, Dimensions, AllocatorT>::get_access() {
  return {*this};
}

template <class T, int Dimensions, class AllocatorT>
template <access_mode Mode>
accessor<T, Dimensions, Mode, target::host_buffer, accessor_variant::false_t>
buffer<T, Dimensions, AllocatorT>::get_access(range<Dimensions> accessRange,
                                              id<Dimensions> accessOffset) {
  return {*this, accessRange, accessOffset};
}

template <class T, int Dimensions, class AllocatorT>
template <class... Args, std::enable_if_t<!detail::is_handler_and_range<Dimensions, Args...>, int>,
          accessor_variant>
auto buffer<T, Dimensions, AllocatorT>::get_access(Args&&... args) {
  return accessor(*this, std::forward<Args>(args)...);
}

template <class T, int Dimensions, class AllocatorT>
template <class... Args>
auto buffer<T, Dimensions, AllocatorT>::get_host_access(Args&&... args) {
  return host_accessor(*this, std::forward<Args>(args)...);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
