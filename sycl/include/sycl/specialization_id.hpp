// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
struct specialization_access;
}

/// Declares a specialization constant and holds its default value (SYCL 2020, 4.9.5). An object of namespace
/// scope or a static member, which is named as a template argument wherever it is used.
template <class T>
class specialization_id {
  static_assert(std::is_trivially_copyable_v<T>,
                "the value of a specialization constant is copied to devices as bytes");

 public:
  using value_type = T;

  template <class... Arguments, class = std::enable_if_t<std::is_constructible_v<T, Arguments...>>>
  explicit constexpr specialization_id(Arguments&&... arguments)
      : default_(std::forward<Arguments>(arguments)...) {}

  specialization_id(const specialization_id&) = delete;
  specialization_id(specialization_id&&) = delete;
  specialization_id& operator=(const specialization_id&) = delete;
  specialization_id& operator=(specialization_id&&) = delete;

 private:
  friend struct detail::specialization_access;
  T default_;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
