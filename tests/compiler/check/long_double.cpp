// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

void make(double* p) {
  // CHECK: long_double.cpp:[[@LINE+1]]:{{[0-9]+}}: error: kernel 'make(double*)::$_0': uses 'long double', which devices do not have
  launch([=] { p[0] = static_cast<double>(static_cast<long double>(p[1]) * p[2]); });
  // CHECK: error: kernel 'make(double*)::$_1': uses '__float128', which devices do not have
  launch([=] { p[0] = static_cast<double>(static_cast<__float128>(p[1]) * p[2] * p[3]); });
  launch([=] { p[0] = static_cast<double>(2.5L) * p[1]; });
}
