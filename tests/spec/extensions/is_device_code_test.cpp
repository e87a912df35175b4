// SPDX-License-Identifier: Apache-2.0
// sycl::ext::pianola::is_device_code.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

namespace {

bool runs_images(const sycl::device& d) {
#if defined(__PIANOLACC__)
  return d.get_backend() == sycl::backend::cuda || d.get_backend() == sycl::backend::hip;
#else
  static_cast<void>(d);
  return false;
#endif
}

TEST(is_device_code, tells_images_from_code_for_the_host) {
  EXPECT_FALSE(sycl::ext::pianola::is_device_code());
  sycl::queue q;
  int* seen = sycl::malloc_shared<int>(2, q);
  q.submit([&](sycl::handler& h) {
     EXPECT_FALSE(sycl::ext::pianola::is_device_code());
     h.single_task([=] { seen[0] = sycl::ext::pianola::is_device_code() ? 1 : 0; });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.host_task([=] { seen[1] = sycl::ext::pianola::is_device_code() ? 1 : 0; });
   }).wait();
  EXPECT_EQ(seen[0] != 0, runs_images(q.get_device()));
  EXPECT_EQ(seen[1], 0);
  sycl::free(seen, q);
}

}  // namespace
