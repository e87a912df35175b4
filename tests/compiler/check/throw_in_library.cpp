// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <array>
#include <vector>

void make(int* p, std::array<int, 4> a) {
  // The index is known to be good.
  launch([=] {
    for (int i = 0; i < 4; ++i) p[i] = a.at(i);
  });
  // CHECK: array:{{[0-9]+}}:{{[0-9]+}}: error: kernel 'make(int*, std::array<int, 4ul>)::$_1': throws an exception (calls 'std::__throw_out_of_range_fmt(char const*, ...)')
  // CHECK: note: called from 'make({{.*}})::$_1::operator()() const' at {{.*}}throw_in_library.cpp:[[@LINE+1]]:
  launch([=] { p[0] = a.at(p[1]); });
}
