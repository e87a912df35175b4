// SPDX-License-Identifier: Apache-2.0
// Ids, ranges, vectors and swizzles as text, as sycl::stream prints them. A program that prints includes <ostream> itself. Its
// own operators for these types are better matches than these, so that both may be there.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/marray.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/kernel/swizzle.hpp>
#include <sycl/kernel/type_traits.hpp>
#include <sycl/kernel/vec.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Elements of one byte are numbers here, not characters.
template <class Out, class Values>
Out& print_list(Out& out, const Values& values, int count) {
  for (int i = 0; i < count; ++i) {
    if (i != 0) out << ", ";
    const auto value = static_cast<element_type_t<Values>>(values[i]);
    using type = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<type, bool> || sizeof(type) > 1)
      out << value;
    else
      out << static_cast<int>(value);
  }
  return out;
}
template <class Out, class Index>
Out& print_position(Out& out, const Index& index) {
  out << "{";
  for (int d = 0; d < Index::dimensions; ++d) {
    if (d != 0) out << ", ";
    out << index.get(d);
  }
  out << "}";
  return out;
}

}  // namespace detail

// An id of one dimension and a vector of one element print as the number that they convert to.
template <class Traits, int D, std::enable_if_t<(D > 1), int> = 0>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const id<D>& value) {
  return detail::print_position(out, value);
}
template <class Traits, int D>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const range<D>& value) {
  return detail::print_position(out, value);
}
template <class Traits, class T, int N, std::enable_if_t<(N > 1), int> = 0>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const vec<T, N>& value) {
  return detail::print_list(out, value, N);
}
template <class Traits, class T, std::size_t N>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const marray<T, N>& value) {
  return detail::print_list(out, value, static_cast<int>(N));
}
template <class Traits, class S,
          std::enable_if_t<detail::is_swizzle_v<S> && (detail::element_count_v<S> > 1), int> = 0>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             const S& value) {
  return detail::print_list(out, value, detail::element_count_v<S>);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
