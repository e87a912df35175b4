// SPDX-License-Identifier: Apache-2.0
// RUN: %refused
// RUN: %host_only
#include "kernel.hpp"

#include <array>
#include <exception>
#include <typeinfo>
#include <vector>

struct base {
  virtual ~base() = default;
};
struct derived : base {
  int x = 0;
};

void make(int* p, std::array<int, 4> a) {
  // The index is known to be good.
  launch([=] {
    for (int i = 0; i < 4; ++i) p[i] = a.at(i);
  });
  // CHECK: array:{{[0-9]+}}:{{[0-9]+}}: error: kernel 'make(int*, std::array<int, 4ul>)::$_1': throws an exception (calls 'std::__throw_out_of_range_fmt(char const*, ...)')
  // CHECK: note: called from 'make({{.*}})::$_1::operator()() const' at {{.*}}throw_in_library.cpp:[[@LINE+1]]:
  launch([=] { p[0] = a.at(p[1]); });
}

void make(int* p, base* b, std::exception_ptr* e) {
  // CHECK: error: kernel 'make({{.*}})::$_0': uses run-time type information
  // CHECK: error: kernel 'make({{.*}})::$_0': throws an exception (calls '__cxa_bad_cast')
  launch([=] { p[0] = dynamic_cast<derived&>(*b).x; });
  // CHECK: error: kernel 'make({{.*}})::$_1': throws an exception (calls '__cxa_bad_typeid')
  launch([=] { p[0] = typeid(*b) == typeid(*b); });
  // CHECK: error: kernel 'make({{.*}})::$_2': throws an exception (calls 'std::rethrow_exception(std::__exception_ptr::exception_ptr)')
  launch([=] { std::rethrow_exception(static_cast<std::exception_ptr&&>(*e)); });
}
