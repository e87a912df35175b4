// SPDX-License-Identifier: Apache-2.0
// sycl_khr_dynamic_addrspace_cast, and sycl_ext_oneapi_address_cast.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using space = sycl::access::address_space;
using sycl::access::decorated;

// 1 global, 2 local, 4 private: what the pointer can be cast to.
template <class T>
int spaces_of(T* p) {
  return (sycl::khr::dynamic_addrspace_cast<space::global_space>(p).get() == p ? 1 : 0) +
         (sycl::khr::dynamic_addrspace_cast<space::local_space>(p).get() == p ? 2 : 0) +
         (sycl::khr::dynamic_addrspace_cast<space::private_space>(p).get() == p ? 4 : 0);
}

struct result {
  int usm, accessor, local, object, own, own_after, element, null_pointer, generic;
};

void check(const std::vector<result>& results) {
  for (const result& r : results) {
    EXPECT_EQ(r.usm, 1);
    EXPECT_EQ(r.accessor, 1);
    EXPECT_EQ(r.local, 2);
    EXPECT_EQ(r.object, 2);
    EXPECT_EQ(r.own, 4);
    EXPECT_EQ(r.own_after, 4);
    EXPECT_EQ(r.element, 4);
    EXPECT_EQ(r.null_pointer, 7) << "null is null in every space";
    EXPECT_EQ(r.generic, 1);
  }
}

TEST(dynamic_addrspace_cast, finds_what_a_pointer_points_into) {
  sycl::queue q;
  constexpr std::size_t n = 32;
  int* const usm = sycl::malloc_device<int>(n, q);
  std::vector<result> results(n);
  // Buffers may use memory of the program, on the stack of the thread that helps to run the kernel.
  int data[n] = {};
  {
    sycl::buffer<int> b(data, n);
    sycl::buffer<result> out(results);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      sycl::accessor o(out, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<int, 1> local(sycl::range<1>(16), h);
      h.parallel_for(sycl::nd_range<1>(n, 16), [=](sycl::nd_item<1> it) {
        const std::size_t i = it.get_global_id(0);
        int own = static_cast<int>(i);
        int several[4] = {own, own, own, own};
        int* const object =
            sycl::ext::oneapi::group_local_memory_for_overwrite<int[16]>(it.get_group())[0];
        result r{};
        r.own = spaces_of(&own);
        r.usm = spaces_of(usm + i);
        r.accessor = spaces_of(&a[i]);
        r.local = spaces_of(&local[it.get_local_id(0)]);
        r.object = spaces_of(object + it.get_local_id(0));
        sycl::group_barrier(it.get_group());
        own += several[i % 4];
        r.own_after = spaces_of(&own);
        r.element = spaces_of(&several[i % 4]);
        r.null_pointer = spaces_of(static_cast<int*>(nullptr));
        const sycl::multi_ptr<int, space::generic_space, decorated::yes> generic(usm + i);
        const auto global = sycl::khr::dynamic_addrspace_cast<space::global_space>(generic);
        static_assert(
            std::is_same_v<decltype(global),
                           const sycl::multi_ptr<int, space::global_space, decorated::yes>>);
        r.generic =
            (global.get() == usm + i ? 1 : 0) +
            (sycl::khr::dynamic_addrspace_cast<space::local_space>(generic).get() != nullptr ? 2
                                                                                             : 0);
        o[i] = r;
      });
    });
  }
  check(results);
  sycl::free(usm, q);
}

TEST(dynamic_addrspace_cast, works_in_kernels_without_groups_too) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(4, q);
  q.parallel_for(sycl::range<1>(2), [=](sycl::id<1> i) {
     int own[2] = {static_cast<int>(i[0]), 1};
     out[i] = spaces_of(out + i[0]) * 10 + spaces_of(&own[i[0]]);
   }).wait();
  q.single_task([=] {
     const float own = 1;
     static_assert(
         std::is_same_v<decltype(exp::dynamic_address_cast<exp::private_space>(&own)),
                        sycl::multi_ptr<const float, space::private_space, decorated::no>>);
     out[2] = exp::dynamic_address_cast<exp::private_space>(&own).get() == &own ? 1 : 0;
     out[3] = exp::dynamic_address_cast<exp::global_space>(&own).get() == nullptr &&
                      exp::dynamic_address_cast<exp::generic_space>(&own).get() == &own &&
                      exp::static_address_cast<exp::private_space>(&own).get() == &own
                  ? 1
                  : 0;
   }).wait();
  EXPECT_EQ(out[0], 14);
  EXPECT_EQ(out[1], 14);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], 1);
  sycl::free(out, q);
}

// Large arrays do not lie on the stack of what pianolacc makes of a kernel.
TEST(dynamic_addrspace_cast, knows_large_arrays_and_objects) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(64, q);
  q.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> it) {
     const std::size_t i = it.get_global_id(0);
     int own[100];
     for (int k = 0; k < 100; ++k) own[k] = k + static_cast<int>(i);
     auto object = sycl::ext::oneapi::group_local_memory_for_overwrite<int[1000]>(it.get_group());
     (*object)[it.get_local_id(0)] = own[i];
     sycl::group_barrier(it.get_group());
     out[i] = spaces_of(&own[(*object)[31 - it.get_local_id(0)] % 100]) * 10 +
              spaces_of(&(*object)[it.get_local_id(0)]);
   }).wait();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], 42) << i;
  sycl::free(out, q);
}

}  // namespace
