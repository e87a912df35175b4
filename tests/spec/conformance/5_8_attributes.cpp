// SPDX-License-Identifier: Apache-2.0
// 5.8: attributes of kernels and device functions. Compilers other than pianolacc leave them out, without a warning.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <vector>

#include "errors.hpp"

namespace {

using sycl::aspect;

[[sycl::device_has(aspect::fp64)]] double half_of(double x) { return x / 2; }

struct with_attributes {
  sycl::accessor<int, 1, sycl::access_mode::read_write> to;
  [[sycl::reqd_work_group_size(4), sycl::work_group_size_hint(4)]] void operator()(
      sycl::nd_item<1> i) const {
    to[i.get_global_id()] = static_cast<int>(i.get_local_range(0));
  }
};

template <class F>
std::vector<int> run(const F& group) {
  std::vector<int> result(16, 0);
  {
    sycl::buffer<int, 1> b(result.data(), sycl::range<1>(16));
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor to(b, h, sycl::read_write);
      group(h, to);
    });
  }
  return result;
}

TEST(attributes, of_function_objects_and_lambdas_leave_kernels_running) {
  EXPECT_EQ(run([](sycl::handler& h, auto to) {
              h.parallel_for(sycl::nd_range<1>(16, 4), with_attributes{to});
            }),
            std::vector<int>(16, 4));
  EXPECT_EQ(run([](sycl::handler& h, auto to) {
              h.parallel_for(sycl::nd_range<1>(16, 8),
                             [=](sycl::nd_item<1> i)
                                 [[sycl::reqd_work_group_size(8)]] { to[i.get_global_id()] = 2; });
            }),
            std::vector<int>(16, 2));
  EXPECT_EQ(run([](sycl::handler& h, auto to) {
              h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> i) [[sycl::vec_type_hint(float)]] {
                to[i] = static_cast<int>(half_of(6));
              });
            }),
            std::vector<int>(16, 3));
  EXPECT_EQ(run([](sycl::handler& h, auto to) {
              h.parallel_for(sycl::range<1>(16),
                             [=](sycl::id<1> i) [[sycl::device_has(aspect::fp64)]] {
                               to[i] = static_cast<int>(half_of(8));
                             });
            }),
            std::vector<int>(16, 4));
}

#if defined(__PIANOLACC__)

TEST(attributes, that_a_launch_does_not_meet_refuse_it) {
  EXPECT_EQ(code_of([] {
              run([](sycl::handler& h, auto to) {
                h.parallel_for(sycl::nd_range<1>(16, 8), with_attributes{to});
              });
            }),
            sycl::errc::nd_range);
  EXPECT_EQ(code_of([] {
              run([](sycl::handler& h, auto to) {
                h.parallel_for(sycl::nd_range<1>(16, 8),
                               [=](sycl::nd_item<1> i)
                                   [[sycl::reqd_sub_group_size(2)]] { to[i.get_global_id()] = 1; });
              });
            }),
            sycl::errc::kernel_not_supported);
  EXPECT_EQ(code_of([] {
              run([](sycl::handler& h, auto to) {
                h.single_task([=]() [[sycl::device_has(aspect::custom)]] { to[0] = 1; });
              });
            }),
            sycl::errc::kernel_not_supported);
}

#endif

class lambda_with_size;

TEST(attributes, are_told_by_kernel_objects) {
  sycl::queue q;
  run([](sycl::handler& h, auto to) {
    h.parallel_for<lambda_with_size>(
        sycl::nd_range<1>(16, 2),
        [=](sycl::nd_item<1> i) [[sycl::reqd_work_group_size(2)]] { to[i.get_global_id()] = 2; });
  });
  const auto k =
      sycl::get_kernel_bundle<lambda_with_size, sycl::bundle_state::executable>(q.get_context())
          .get_kernel<lambda_with_size>();
  namespace specific = sycl::info::kernel_device_specific;
  const sycl::range<3> size = k.get_info<specific::compile_work_group_size>(q.get_device());
#if defined(__PIANOLACC__)
  EXPECT_EQ(size, sycl::range<3>(1, 1, 2));
#else
  EXPECT_EQ(size, sycl::range<3>(0, 0, 0));
#endif
}

// DPC++ had the attributes in a scope of its own, which many programs still name.
TEST(attributes, may_be_written_with_the_scope_of_dpcpp) {
  EXPECT_EQ(run([](sycl::handler& h, auto to) {
              h.parallel_for(sycl::nd_range<1>(16, 8),
                             [=](sycl::nd_item<1> i)
                                 [[intel::reqd_work_group_size(8)]] { to[i.get_global_id()] = 5; });
            }),
            std::vector<int>(16, 5));
}

}  // namespace
