// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_clock.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

// Twice in a work-item, with work between that nobody can leave out.
template <exp::clock_scope Scope>
bool goes_on(sycl::queue& q) {
  std::uint64_t* const times = sycl::malloc_shared<std::uint64_t>(2, q);
  volatile int* const sum = sycl::malloc_shared<int>(1, q);
  q.single_task([=] {
     times[0] = exp::clock<Scope>();
     for (int i = 0; i < 1000; ++i) *sum = i;
     times[1] = exp::clock<Scope>();
   }).wait();
  const bool later = times[0] != 0 && times[1] > times[0];
  sycl::free(times, q);
  sycl::free(const_cast<int*>(sum), q);
  return later;
}

TEST(clock_of_kernels, goes_on) {
  sycl::queue q;
  ASSERT_TRUE(q.get_device().has(sycl::aspect::ext_oneapi_clock_work_group));
  EXPECT_TRUE(goes_on<exp::clock_scope::sub_group>(q));
  EXPECT_TRUE(goes_on<exp::clock_scope::work_group>(q));
  EXPECT_TRUE(goes_on<exp::clock_scope::device>(q));
}

}  // namespace
