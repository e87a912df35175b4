// SPDX-License-Identifier: Apache-2.0
// A library with variables of devices. START tells two builds of it apart, whose variables have the same names.
#include <sycl/sycl.hpp>

#ifndef START
#define START 10
#endif

namespace experimental = sycl::ext::oneapi::experimental;

namespace {
experimental::device_global<int> calls;  // of this file alone
}
experimental::device_global<int> counter{START};

// What the counter is then, times 100, and how often this was called.
extern "C" int count(int by) {
  sycl::queue q{sycl::property::queue::in_order()};
  q.single_task([=] {
    counter = counter + by;
    calls = calls + 1;
  });
  int value = 0, called = 0;
  q.copy(counter, &value);
  q.copy(calls, &called).wait();
  return value * 100 + called;
}

// From the host, to the device's object.
extern "C" void set(int value) {
  sycl::queue q;
  q.copy(&value, counter).wait();
}
