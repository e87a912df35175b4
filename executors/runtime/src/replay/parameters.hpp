// SPDX-License-Identifier: Apache-2.0
// Dynamic parameters: cookies in the arguments of commands, in front of values that recorded graphs can change.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>

#include <pianola/model/command.hpp>
#include <pianola/runtime/cookie.hpp>

namespace pianola::runtime {

class graph;

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

// The graph that the parameter was made for. Null if it is any graph's, or its graph is gone: then it may also be a word
// that something left behind.
[[nodiscard]] std::shared_ptr<graph> owner_of_parameter(std::uint64_t cookie);

}  // namespace pianola::runtime
