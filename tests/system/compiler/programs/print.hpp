// SPDX-License-Identifier: Apache-2.0
// What a program computed, to the last bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

template <class T>
void print(const char* what, const T* values, std::size_t count) {
  static_assert(std::is_arithmetic<T>::value, "padding has no defined value");
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &values[i], sizeof(T));
    hash = (hash ^ bits) * 1099511628211U;
  }
  std::printf("%s: %zu values, hash %016llx:", what, count, static_cast<unsigned long long>(hash));
  for (std::size_t i = 0; i < count && i < 6; ++i)
    std::printf(" %.17g", static_cast<double>(values[i]));
  std::printf(" ... %.17g\n", static_cast<double>(values[count - 1]));
}

template <class T>
void print(const char* what, const std::vector<T>& values) {
  print(what, values.data(), values.size());
}
