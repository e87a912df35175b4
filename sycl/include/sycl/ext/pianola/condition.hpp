// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <pianola/runtime/submission.hpp>

#include <sycl/buffer.hpp>
#include <sycl/detail/accessor/bind.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

/// The value that decides how often a graph within a graph runs, or which one: an integer, a bool or an enumerator that
/// kernels write, in a buffer of one element or in USM of the host or of the device of the graph.
class condition {
  template <class T>
  static constexpr bool is_value =
      (std::is_integral<T>::value || std::is_enum<T>::value) && sizeof(T) <= sizeof(std::uint64_t);

 public:
  /// Throws exception (errc::invalid) if the buffer does not have exactly one element.
  template <class T, int Dimensions, class AllocatorT>
  condition(const buffer<T, Dimensions, AllocatorT>& value)
      : bytes_(sizeof(T)), is_signed_(sign<T>()), in_buffer_(true) {
    static_assert(is_value<std::remove_const_t<T>>,
                  "a condition is an integer, a bool or an enumerator");
    if (value.size() != 1)
      sycl::detail::throw_error(errc::invalid, "condition: the buffer has " +
                                                   std::to_string(value.size()) +
                                                   " elements; a condition is one value");
    request_ = sycl::detail::make_request(value, access_mode::read, false, value.get_range(),
                                          id<Dimensions>(), "condition");
  }
  /// Throws exception (errc::invalid) for a null pointer.
  template <class T>
  condition(const T* value) : pointer_(value), bytes_(sizeof(T)), is_signed_(sign<T>()) {
    static_assert(is_value<T>, "a condition is an integer, a bool or an enumerator");
    if (value == nullptr)
      sycl::detail::throw_error(errc::invalid, "condition: the pointer is null");
  }

  /// For functions that take conditions.
  const ::pianola::runtime::accessor_request* request() const noexcept {
    return in_buffer_ ? &request_ : nullptr;
  }
  const void* pointer() const noexcept { return pointer_; }
  std::uint32_t bytes() const noexcept { return bytes_; }
  bool is_signed() const noexcept { return is_signed_; }

 private:
  template <class T>
  static constexpr bool sign() noexcept {
    if constexpr (std::is_enum<T>::value)
      return std::is_signed<std::underlying_type_t<T>>::value;
    else
      return std::is_signed<T>::value;
  }

  ::pianola::runtime::accessor_request request_;
  const void* pointer_ = nullptr;
  std::uint32_t bytes_;
  bool is_signed_;
  bool in_buffer_ = false;
};

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
