// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace pianola::tool {

// The number that the digits say; nothing if there is anything else, or too much.
template <class Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view digits) {
  Number value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace pianola::tool
