// SPDX-License-Identifier: Apache-2.0
// Products of sizes that a program gives, where they come in: no wrapped one goes any further.
#pragma once

#include <cstddef>
#include <string>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Whether a * b is less than 2^64; it is in `product` then.
inline bool multiply(std::size_t a, std::size_t b, std::size_t& product) noexcept {
  return !__builtin_mul_overflow(a, b, &product);
}

/// count * size. Throws exception (errc::invalid) if that is 2^63 or more, as no memory is: a negative number that became
/// a size is.
std::size_t checked_bytes(const char* who, std::size_t count, std::size_t size);

/// Throws exception (errc::memory_allocation): no local memory has room for so many elements.
[[noreturn]] void refuse_local_size(std::size_t count, std::size_t element_bytes);

/// Elements of so many rows of local memory. Throws exception (errc::memory_allocation) for 2^64 or more.
std::size_t local_elements(std::size_t rows, std::size_t row_bytes, std::size_t element_bytes);

/// Whether the number of elements is less than 2^64; it is in `count` then.
template <int Dimensions>
bool count_of(const range<Dimensions>& r, std::size_t& count) noexcept {
  count = 1;
  bool fits = true;
  for (int d = 0; d < Dimensions; ++d) {
    if (r.get(d) == 0) {
      count = 0;
      return true;
    }
    fits = fits && multiply(count, r.get(d), count);
  }
  return fits;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
