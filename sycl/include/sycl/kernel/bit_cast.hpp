// SPDX-License-Identifier: Apache-2.0
// bit_cast (SYCL 2020, 3.9.2: what C++20 has).
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// C++20's std::bit_cast for every standard: an object of type To with the bytes of `from`.
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From), "bit_cast: both types must be equally large");
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>,
                "bit_cast: both types must be trivially copyable");
  return __builtin_bit_cast(To, from);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
