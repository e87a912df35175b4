// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <stdexcept>
#include <string>

int checked(int x) {
  // What is computed for the message is not reported besides.
  if (x > 3) throw std::out_of_range("no such thing: " + std::to_string(x));
  return x;
}

int never_throws(int x) noexcept {
  try {
    return x + 1;
  } catch (...) {
    throw;
  }
}

int provably_fine(int x) {
  if (x * 0 == 1) throw x;
  return x;
}

void make(int* p) {
  // CHECK: throw.cpp:[[@LINE-18]]:14: error: kernel 'make(int*)::$_0': throws an exception{{$}}
  // CHECK: note: called from 'make(int*)::$_0::operator()() const' at {{.*}}throw.cpp:[[@LINE+1]]:24
  launch([=] { p[0] += checked(p[1]); });
  // CHECK: throw.cpp:[[@LINE+4]]:{{[0-9]+}}: error: kernel 'make(int*)::$_1': throws an exception{{$}}
  launch([=] {
    try {
      p[0] = never_throws(provably_fine(p[1]));
      throw 1;
    } catch (int) {
      p[0] = 2;
    }
  });
  launch([=] { p[0] = never_throws(provably_fine(p[1])); });
}
