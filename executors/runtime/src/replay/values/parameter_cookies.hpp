// SPDX-License-Identifier: Apache-2.0
// Dynamic parameters: cookies in the arguments of commands, in front of values that recorded graphs can change.
#pragma once
#include <cstdint>
#include <cstring>

#include <pianola/model/command.hpp>
#include <pianola/runtime/cookie.hpp>

namespace pianola::runtime {

[[nodiscard]] inline bool is_parameter(std::uint64_t word) noexcept {
  return is_cookie(parameter_cookie_prefix, word) || is_cookie(dynamic_memory_cookie_prefix, word);
}

// Calls see(offset, cookie) for each place of a parameter.
template <class F>
void for_each_parameter(const model::argument_block& block, const F& see) {
  const auto* bytes = static_cast<const unsigned char*>(block.bytes);
  for (std::uint32_t at = 0; at + 8 <= block.size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes + at, 8);
    if (is_parameter(word)) see(at, word);
  }
}

// A value lies right behind its cookie.
inline constexpr std::uint32_t parameter_value_offset = 8;

// Calls see(address) for each value of this parameter, if it has as many bytes as are there.
template <class F>
void for_each_value(const model::argument_block& block, std::uint64_t cookie, std::uint32_t size,
                    const F& see) {
  for_each_parameter(block, [&](std::uint32_t at, std::uint64_t word) {
    if (word == cookie && size <= block.size - at - parameter_value_offset)
      see(static_cast<unsigned char*>(block.bytes) + at + parameter_value_offset);
  });
}

}  // namespace pianola::runtime
