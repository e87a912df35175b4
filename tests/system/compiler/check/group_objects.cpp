// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
// Objects of a work-group are named by global variables, which need be no constants: nobody reads them. A variable of the
// work-item has the address of an object.
#include "kernel.hpp"

extern "C" __attribute__((pure, nothrow)) void* __pianola_group_object(const void*, const char*,
                                                                       unsigned long, unsigned long,
                                                                       unsigned long);

struct variable {
  __attribute__((always_inline)) int& get() const {
    return *static_cast<int*>(__pianola_group_object(this, nullptr, 0, 4, 4));
  }
  const void* memory = nullptr;
};
variable global;

void make(int* p) {
  static variable of_block;
  launch([=] { p[0] = global.get() + of_block.get(); });
  // CHECK: group_objects.cpp:{{.*}}: error: kernel 'make(int*)::$_1': uses the variable 'make(int*)::of_block', which is not a constant
  // CHECK: group_objects.cpp:{{.*}}: error: kernel 'make(int*)::$_1': uses the variable 'global', which is not a constant
  // CHECK: group_objects.cpp:{{.*}}: error: kernel 'make(int*)::$_1': asks for memory of its work-group in a way that does not say which
  launch([=] { p[0] = (p[1] > 0 ? global : of_block).get(); });
  // CHECK-NOT: $_2
  launch([=] {
    const variable own{&global.get()};
    p[0] = own.get();
  });
  // CHECK: group_objects.cpp:{{.*}}: error: kernel 'make(int*)::$_3': asks for memory
  launch([=] { p[0] = reinterpret_cast<const variable*>(p)->get(); });
}
