// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/accessor/check.hpp>

#include <string>

#include <fmt/format.h>

#include <pianola/runtime/access_checks.hpp>

#include <sycl/detail/translate.hpp>
#include <sycl/exception.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

static std::string in_braces(int count, const std::size_t* numbers) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
  return text + "}";
}

void refuse_subscript(int dimensions, const std::size_t* index, const std::size_t* range) {
  throw_error(errc::accessor,
              fmt::format("{}an accessor has no element {}, its range is {}",
                          pianola::runtime::place_of_subscript(), in_braces(dimensions, index),
                          in_braces(dimensions, range)));
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
