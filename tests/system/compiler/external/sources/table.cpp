// SPDX-License-Identifier: Apache-2.0
#include "functions.hpp"

namespace {
constexpr int squares[] = {0, 1, 4, 9, 16, 25, 36, 49};
int helper(int x) { return squares[x & 7]; }
}  // namespace

extern const int of_the_unit[4];
const int of_the_unit[4] = {100, 200, 300, 400};

namespace table {
row::row(int number) : value(of_the_unit[number & 3]) {}
int row::plus(int x) const { return value + helper(x) + sum_of_primes(3); }
template <class T>
T entry(T number) {
  return number * helper(2);
}
template int entry<int>(int);
}  // namespace table
