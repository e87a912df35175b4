// SPDX-License-Identifier: Apache-2.0
// Kernels that require what no device here has are compiled, and refused when they are submitted. Only pianolacc knows
// the attributes; the lines are the same where they are dropped.
#include <cstdio>
#include <sycl/sycl.hpp>

template <class Submit>
void expect_refusal(const char* what, Submit submit) {
  const char* found = "is accepted";
  try {
    submit();
  } catch (const sycl::exception& e) {
    found = e.code() == sycl::errc::kernel_not_supported ? "is refused as not supported"
                                                         : "is refused as something else";
  }
#if !defined(__PIANOLACC__)
  found = "is refused as not supported";
#endif
  std::printf("%s %s\n", what, found);
}

int main() {
  sycl::queue queue;
  expect_refusal("a sub-group of 7", [&] {
    queue.parallel_for(sycl::nd_range<1>(64, 32),
                       [](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(7)]] {});
  });
  expect_refusal("a sub-group of 128", [&] {
    queue.parallel_for(sycl::nd_range<1>(256, 128),
                       [](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(128)]] {});
  });
  expect_refusal("a sub-group of 7 of a range", [&] {
    queue.parallel_for(sycl::range<1>(64), [](sycl::item<1>) [[sycl::reqd_sub_group_size(7)]] {});
  });
  expect_refusal("a sub-group of 7 of one work-item",
                 [&] { queue.single_task([]() [[sycl::reqd_sub_group_size(7)]] {}); });
  expect_refusal("a work-group of 2^30", [&] {
    queue.parallel_for(sycl::nd_range<1>(64, 32),
                       [](sycl::nd_item<1>) [[sycl::reqd_work_group_size(1073741824)]] {});
  });
  expect_refusal("a work-group of 2^30, launched so", [&] {
    queue.parallel_for(sycl::nd_range<1>(1073741824, 1073741824),
                       [](sycl::nd_item<1>) [[sycl::reqd_work_group_size(1073741824)]] {});
  });
  // Sizes of more than 32 bits, and whose product has more than 64.
  expect_refusal("a sub-group of 2^32 + 8", [&] {
    queue.parallel_for(sycl::nd_range<1>(64, 32),
                       [](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(4294967304)]] {});
  });
  expect_refusal("a work-group of 2^62", [&] {
    queue.parallel_for(sycl::nd_range<1>(std::size_t{1} << 62, std::size_t{1} << 62),
                       [](sycl::nd_item<1>) [[sycl::reqd_work_group_size(4611686018427387904)]] {});
  });
  expect_refusal("a work-group of 2^32 x 2^32", [&] {
    queue.parallel_for(sycl::nd_range<2>({4, 4}, {2, 2}),
                       [](sycl::nd_item<2>)
                           [[sycl::reqd_work_group_size(4294967296, 4294967296)]] {});
  });
  // In a hierarchical kernel, whose work-groups it is no matter how they are run.
  expect_refusal("a hierarchical work-group of 2^32", [&] {
    queue.submit([&](sycl::handler& h) {
      h.parallel_for_work_group(sycl::range<1>(4294967296), sycl::range<1>(4294967296),
                                [](sycl::group<1>) [[sycl::reqd_work_group_size(4294967296)]] {});
    });
  });
  int sum = 0;
  {
    sycl::buffer<int> b(&sum, 1);
    queue.submit([&](sycl::handler& h) {
      const sycl::accessor a(b, h);
      h.parallel_for_work_group(
          sycl::range<2>(1, 1), sycl::range<2>(2, 4),
          [=](sycl::group<2> g) [[sycl::reqd_work_group_size(2, 4)]] {
            g.parallel_for_work_item([&](sycl::h_item<2> i) {
              const sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>
                  all(a[0]);
              all += static_cast<int>(i.get_local().get_linear_id());
            });
          });
    });
  }
  std::printf("one of 2 x 4 that has them adds up to %d\n", sum);
  queue.wait_and_throw();
}
