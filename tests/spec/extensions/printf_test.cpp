// SPDX-License-Identifier: Apache-2.0
// printf in kernels, of sycl::ext::oneapi::experimental, and assert.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cassert>
#include <cstdio>
#include <string>

namespace {

TEST(printf_in_kernels, prints_text_and_numbers) {
  sycl::queue q;
  testing::internal::CaptureStdout();
  q.single_task([] {
     sycl::ext::oneapi::experimental::printf("plain, ");
     sycl::ext::oneapi::experimental::printf("%d %s %.2f\n", 7, "text", 1.5F);
   }).wait();
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "plain, 7 text 1.50\n");
}

#if defined(__clang__)
// As DPC++ wants formats in code for devices.
TEST(printf_in_kernels, takes_a_format_in_the_constant_address_space) {
  sycl::queue q;
  testing::internal::CaptureStdout();
  q.single_task([] {
     static const __attribute__((opencl_constant)) char format[] = "answer %d\n";
     sycl::ext::oneapi::experimental::printf(format, 42);
   }).wait();
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "answer 42\n");
}
#endif

TEST(assert_in_kernels, lets_true_conditions_pass) {
  sycl::queue q;
  int* n = sycl::malloc_shared<int>(1, q);
  *n = 0;
  q.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) {
     assert(i[0] < 8);
     if (i[0] == 7) *n = 7;
   }).wait();
  EXPECT_EQ(*n, 7);
  sycl::free(n, q);
}

#if !defined(NDEBUG)
TEST(assert_in_kernels_deathtest, ends_the_program_where_a_condition_is_false) {
  if (!sycl::device().is_cpu())
    GTEST_SKIP() << "a device of its own reports the error to the queue";
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        sycl::queue q;
        q.single_task([] { assert(false && "as expected"); }).wait();
      },
      "as expected");
}
#endif

}  // namespace
