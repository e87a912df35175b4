// SPDX-License-Identifier: Apache-2.0
// One piece of code, checked on the host and in a kernel. It is a function object without state that returns 0, or the
// line of the first check that failed.
#pragma once

#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#define CHECK(...)                       \
  do {                                   \
    if (!(__VA_ARGS__)) return __LINE__; \
  } while (false)

namespace checked {

template <class Code>
int in_kernel() {
  int line = -1;
  {
    sycl::buffer<int> result(&line, 1);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { out[0] = Code()(); });
    });
  }
  return line;
}

/// Reports the lines.
template <class Code>
void everywhere() {
  EXPECT_EQ(Code()(), 0) << "the line of the check that fails on the host";
  EXPECT_EQ(in_kernel<Code>(), 0) << "the line of the check that fails in a kernel";
}

}  // namespace checked
