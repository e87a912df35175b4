// SPDX-License-Identifier: Apache-2.0
// What the units of external_test.sh define and call. Light: sycl.hpp takes most of the time that a unit needs.
#pragma once

#include <sycl/version.hpp>

// twice.cpp
SYCL_EXTERNAL int twice(int x);

// table.cpp: constants of its own, and functions that other units have copies of, too.
namespace table {
struct row {
  int value;
  SYCL_EXTERNAL explicit row(int number);
  SYCL_EXTERNAL int plus(int x) const;
};
template <class T>
SYCL_EXTERNAL T entry(T number);
inline constexpr int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
inline int prime(int number) { return primes[number & 7]; }
template <class T>
T sum_of_primes(T count) {
  T sum = 0;
  for (T i = 0; i < count; ++i) sum += prime(i);
  return sum;
}
}  // namespace table

// ping.cpp calls pong.cpp, which calls it back.
extern SYCL_EXTERNAL int ping(int x);
extern SYCL_EXTERNAL int pong(int x);
SYCL_EXTERNAL int middle(int x);
