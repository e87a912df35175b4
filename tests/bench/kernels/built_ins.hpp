// SPDX-License-Identifier: Apache-2.0
// Built-in functions in loops: out[i] = f(in[i]). Compiled by pianolacc (bench::compiled), by g++ without it
// (bench::library), and as plain OpenMP by g++ with -ffast-math (bench::reference).
#pragma once
#include <cstddef>
#include <vector>

#include "../comparison.hpp"

namespace bench {

enum class built_in : unsigned char { sin, exp, log, pow, sqrt, tanh, erf, count };
inline constexpr const char* built_in_names[] = {"sin", "exp", "log", "pow", "sqrt", "tanh", "erf"};

/// Within every function's domain.
template <class T>
T built_in_argument(std::size_t i) {
  return static_cast<T>(0.01) + static_cast<T>(i % 4093) * static_cast<T>(0.002);
}

#define PIANOLA_DECLARE_SIDE(side)                     \
  namespace side {                                     \
  subject built_in_of_float(built_in, std::size_t n);  \
  subject built_in_of_double(built_in, std::size_t n); \
  }
PIANOLA_DECLARE_SIDE(compiled)
PIANOLA_DECLARE_SIDE(library)
PIANOLA_DECLARE_SIDE(reference)
#undef PIANOLA_DECLARE_SIDE

void add_built_ins(std::vector<comparison>& all, bool small);

}  // namespace bench
