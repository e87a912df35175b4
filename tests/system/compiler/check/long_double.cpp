// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

struct pair {
  int n;
  long double x;
};

void make(double* p) {
  // CHECK: long_double.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(double*)::$_0': uses 'long double', which devices do not have
  launch([=] { p[0] = static_cast<double>(static_cast<long double>(p[1]) * p[2]); });
  // CHECK: error: kernel 'make(double*)::$_1': uses '__float128', which devices do not have
  launch([=] { p[0] = static_cast<double>(static_cast<__float128>(p[1]) * p[2] * p[3]); });
  // As part of something larger, of which only another part is used.
  // CHECK: error: kernel 'make(double*)::$_2': uses 'long double', which devices do not have
  launch([=] {
    pair both[2] = {};
    both[static_cast<int>(p[1])].n = 4;
    p[0] = both[static_cast<int>(p[2])].n;
  });
  launch([=] { p[0] = static_cast<double>(2.5L) * p[1]; });
}
