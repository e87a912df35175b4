// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// With and without optimisation, inlined or not, the chain is the one of the source.
// RUN: not %{clang} -O2 -mllvm -pianola-targets=simulated -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %{clang} -g -mllvm -pianola-targets=simulated -c %s -o %t.o 2>&1 | FileCheck %s
#include "kernel.hpp"

int elsewhere(int);

namespace app {
int innermost(int x) {
  return elsewhere(x) + 1;  // line 12
}
template <class T>
T middle(T x) {
  return innermost(x) * 2;  // line 16
}
struct solver {
  int outer(int x) const { return middle(x) - 1; }  // line 19
};
}  // namespace app

struct named {
  void operator()() const { *p = app::solver().outer(*p); }  // line 24
  int* p;
};

// CHECK: call_chain.cpp:12:10: error: kernel 'named': calls 'elsewhere(int)', which this translation unit does not define
// CHECK: note: called from 'int app::middle<int>(int)' at {{.*}}call_chain.cpp:16:10
// CHECK: note: called from 'app::solver::outer(int) const' at {{.*}}call_chain.cpp:19:35
// CHECK: note: called from 'named::operator()() const' at {{.*}}call_chain.cpp:24:48
// CHECK-NOT: note:
// CHECK: 1 error generated
void make(int* p) { launch(named{p}); }
