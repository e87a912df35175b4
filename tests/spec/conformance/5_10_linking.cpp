// SPDX-License-Identifier: Apache-2.0
// 5.10: SYCL_EXTERNAL. (Of other translation units: tests/system/compiler/external.)
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#if !defined(SYCL_EXTERNAL)
#error "functions with external linkage are there"
#endif

SYCL_EXTERNAL int external_function(int x);

namespace elsewhere {
struct type_with_members {
  int value;
  SYCL_EXTERNAL int plus(int x) const;
  SYCL_EXTERNAL static int twice(int x);
};
extern SYCL_EXTERNAL int redeclared(int x);
SYCL_EXTERNAL int redeclared(int x);
}  // namespace elsewhere

namespace {

TEST(external_functions, are_called_by_kernels_and_by_the_host) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(4, q);
  q.single_task([=] {
     out[0] = external_function(1);
     out[1] = elsewhere::type_with_members{5}.plus(2);
     out[2] = elsewhere::type_with_members::twice(4);
     out[3] = elsewhere::redeclared(3);
   }).wait();
  EXPECT_EQ(out[0], external_function(1));
  EXPECT_EQ(out[0], 101);
  EXPECT_EQ(out[1], 7);
  EXPECT_EQ(out[2], 8);
  EXPECT_EQ(out[3], 6);
  sycl::free(out, q);
}

}  // namespace

SYCL_EXTERNAL int external_function(int x) { return x + 100; }
int elsewhere::type_with_members::plus(int x) const { return value + x; }
SYCL_EXTERNAL int elsewhere::type_with_members::twice(int x) { return 2 * x; }
int elsewhere::redeclared(int x) { return x + x; }
