// SPDX-License-Identifier: Apache-2.0
// 5.6: what programs ask of __SYCL_DEVICE_ONLY__. Compiled, kernels are what is written where it is defined, on every device,
// and the host's code is the rest. Other compilers know no devices, and kernels are the host's code.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <array>
#include <vector>

#ifdef __SYCL_DEVICE_ONLY__
#define WHERE 2
#else
#define WHERE 1
#endif

namespace {

constexpr int on_host = 1;
#if defined(__PIANOLACC__)
constexpr int in_kernel = 2;
#else
constexpr int in_kernel = 1;
#endif

// Functions of one name that host and kernels call, inline, of this unit only, and of templates.
inline int where_inline() { return WHERE; }
static int where_static(int x) { return WHERE * 10 + x; }
template <class T>
struct where_in_template {
  static T get() {
    if constexpr (WHERE == 2)
      return T(20);
    else
      return T(10);
  }
};

// Constants of one name with different contents, and with the same.
constexpr std::array<int, 3> table{WHERE, 10 * WHERE, 7};
constexpr std::array<int, 3> same{3, 1, 4};
inline int look_up(const std::array<int, 3>& t, int i) { return t[static_cast<std::size_t>(i)]; }

// Function objects that count their copies on the host, and only there.
int copies_on_host = 0;
struct counts_copies {
  counts_copies() = default;
  counts_copies(const counts_copies& other) : value(other.value) {
#ifndef __SYCL_DEVICE_ONLY__
    ++copies_on_host;
#endif
  }
  int value = 5;
};

#if __SYCL_DEVICE_ONLY__
[[sycl::reqd_work_group_size(8)]]
#endif
void only_groups_of_8() {
}

constexpr sycl::specialization_id<int> constant(1);

TEST(device_pass, host_code_is_without_the_macro) {
  EXPECT_EQ(where_inline(), on_host);
  EXPECT_EQ(where_static(3), 13);
  EXPECT_EQ(where_in_template<int>::get(), 10);
  EXPECT_EQ(look_up(table, 1), 10);
  sycl::queue q;
  int seen = 0;
  q.submit([&](sycl::handler& h) { h.host_task([&] { seen = where_inline(); }); }).wait();
  EXPECT_EQ(seen, on_host);
#if defined(__SYCL_DEVICE_ONLY__) && defined(__SYCL_SINGLE_SOURCE__)
  ADD_FAILURE() << "a pass for devices alone makes no code for the host";
#endif
}

TEST(device_pass, kernels_of_every_shape_are_with_the_macro) {
  sycl::queue q;
  sycl::buffer<int> seen{sycl::range<1>(6)};
  q.submit([&](sycl::handler& h) {
    const sycl::accessor out(seen, h, sycl::write_only, sycl::no_init);
    h.single_task([=] {
      out[0] = WHERE;
      out[1] = where_inline();
    });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor out(seen, h, sycl::write_only);
    h.parallel_for(sycl::range<1>(1),
                   [=](sycl::id<1> i) { out[2 + i[0]] = where_static(static_cast<int>(i[0])); });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor out(seen, h, sycl::write_only);
    const sycl::local_accessor<int> shared(4, h);
    h.parallel_for(sycl::nd_range<1>(4, 4), [=](sycl::nd_item<1> it) {
      shared[it.get_local_id()] = where_in_template<int>::get();
      sycl::group_barrier(it.get_group());
      if (it.get_local_linear_id() == 0) out[3] = shared[3];
    });
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor out(seen, h, sycl::write_only);
    h.parallel_for_work_group(sycl::range<1>(1), sycl::range<1>(2), [=](sycl::group<1> g) {
      g.parallel_for_work_item([&](sycl::h_item<1> it) {
        if (it.get_local_id(0) == 1) out[4] = WHERE;
      });
    });
  });
  int* const sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for(sycl::range<1>(10), sycl::reduction(sum, sycl::plus<>()),
                 [=](sycl::id<1>, auto& total) { total += where_inline(); })
      .wait();
  const sycl::host_accessor result(seen, sycl::read_only);
  EXPECT_EQ(result[0], in_kernel);
  EXPECT_EQ(result[1], in_kernel);
  EXPECT_EQ(result[2], 10 * in_kernel);
  EXPECT_EQ(result[3], 10 * in_kernel);
  EXPECT_EQ(result[4], in_kernel);
  EXPECT_EQ(*sum, 10 * in_kernel);
  sycl::free(sum, q);
}

TEST(device_pass, constants_are_those_of_the_code_that_reads_them) {
  sycl::queue q;
  int* const seen = sycl::malloc_shared<int>(4, q);
  q.single_task([=] {
     for (int i = 0; i < 2; ++i) {
       seen[i] = look_up(table, i);
       seen[2 + i] = look_up(same, i);
     }
   }).wait();
  EXPECT_EQ(seen[0], in_kernel);
  EXPECT_EQ(seen[1], 10 * in_kernel);
  EXPECT_EQ(seen[2], 3);
  EXPECT_EQ(seen[3], 1);
  sycl::free(seen, q);
}

TEST(device_pass, function_objects_are_copied_by_each_side_in_its_way) {
  sycl::queue q;
  int* const seen = sycl::malloc_shared<int>(64, q);
  const counts_copies counting;
  copies_on_host = 0;
  q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
     const counts_copies own = counting;
     seen[i] = own.value;
   }).wait();
  EXPECT_GE(copies_on_host, 1);
#if defined(__PIANOLACC__)
  EXPECT_LT(copies_on_host, 60) << "the kernel's copies are not the host's";
#endif
  for (int i = 0; i < 64; ++i) EXPECT_EQ(seen[i], 5);
  sycl::free(seen, q);
}

TEST(device_pass, specialization_constants_are_the_same_objects) {
  sycl::queue q;
  int* const seen = sycl::malloc_shared<int>(1, q);
  q.submit([&](sycl::handler& h) {
     h.set_specialization_constant<constant>(WHERE * 100);
     h.single_task([=](sycl::kernel_handler kh) {
       seen[0] = kh.get_specialization_constant<constant>() + WHERE;
     });
   }).wait();
  EXPECT_EQ(seen[0], 100 * on_host + in_kernel);
  sycl::free(seen, q);
}

TEST(device_pass, attributes_of_device_code_count) {
  sycl::queue q;
  const auto launch = [&](std::size_t local) {
    q.parallel_for(sycl::nd_range<1>(16, local), [](sycl::nd_item<1>) {
       only_groups_of_8();
     }).wait();
  };
  launch(8);
#if defined(__PIANOLACC__)
  try {
    launch(4);
    ADD_FAILURE() << "the kernel reaches a function that requires groups of 8";
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), sycl::errc::nd_range);
  }
#endif
}

}  // namespace
