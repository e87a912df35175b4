// SPDX-License-Identifier: Apache-2.0
#include "every_way/interpreter.hpp"

#include <cstdint>

namespace every_way {

void data_of_all::run(const step& s, const binding& at, std::size_t iteration) {
  const word salt = s.salt(iteration);
  const std::size_t n = length;
  if (s.in_memory()) return run_in_memory(s, at, salt);
  numbers& to = buffer[at.data[s.to]];
  const numbers from = buffer[at.data[s.from]];
  const std::size_t end = s.first + s.count;
  switch (s.what) {
    case task::update:
    case task::part:
    case task::square:
    case task::on_host:
      for (std::size_t i = s.first; i < end; ++i)
        to[i] = 3 * to[i] + from[(i + 5) % n] + salt + static_cast<word>(i);
      break;
    case task::overwrite:
      for (std::size_t i = s.first; i < end; ++i) to[i] = salt ^ static_cast<word>(i);
      break;
    case task::fill:
      for (std::size_t i = s.first; i < end; ++i) to[i] = salt;
      break;
    case task::copy:
      for (std::size_t i = s.first; i < end; ++i) to[i] = from[i];
      break;
    case task::pairs:
      for (std::size_t i = 0; i < n; i += 2) {
        std::uint64_t pair = to[i] | std::uint64_t{to[i + 1]} << 32;
        pair = pair * 3 + salt;
        to[i] = static_cast<word>(pair);
        to[i + 1] = static_cast<word>(pair >> 32);
      }
      break;
    case task::groups: {
      const numbers old = to;
      for (std::size_t i = 0; i < n; ++i)
        to[i] = old[i / group * group + (i + 1) % group] * 5 + from[i] + salt;
      break;
    }
    case task::redirected:
      for (word& w : buffer[at.data[s.place(iteration)]]) w = w * 5 + s.seed;
      break;
    case task::sized:
      for (std::size_t i = s.first; i < s.first + (from[s.first] ^ s.seed) % (s.count + 1); ++i)
        to[i] = 3 * to[i] + salt;
      break;
    case task::failing:
      ++errors;
      for (std::size_t i = 0; i < victim.size(); ++i) victim[i] = salt + static_cast<word>(i);
      break;
    case task::scratch:
      for (std::size_t i = 0; i < n; ++i) to[i] += s.seed + salt;
      break;
    case task::repeat:
      for (word k = s.seed % 4; k > 0; --k) run(s.inner, at, iteration);
      break;
    case task::loop:
      for (word k = (from[s.first] ^ s.seed) % 4; k > 0; --k) run(s.inner, at, iteration);
      break;
    case task::branch:
      if ((from[s.first] ^ s.seed) % 2 != 0) run(s.inner, at, iteration);
      break;
    default:
      break;
  }
}

void data_of_all::run_in_memory(const step& s, const binding& at, word salt) {
  numbers& to = memory[at.memory[s.to]];
  const numbers& from = memory[at.memory[s.from]];
  const numbers& b = buffer[at.data[s.data]];
  for (std::size_t i = s.first; i < s.first + s.count; ++i) {
    if (s.what == task::memory)
      to[i] = 3 * to[i] + from[i] + b[i] + salt;
    else if (s.what == task::memory_fill)
      to[i] = salt;
    else if (s.what == task::memory_copy)
      to[i] = from[i];
    else
      to[i] = b[i];
  }
}

}  // namespace every_way
