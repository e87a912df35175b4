// SPDX-License-Identifier: Apache-2.0
// 5.9: plain pointers and references reach private, local, global and constant memory, and have the type of any pointer.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace {

constexpr int at_namespace_scope[] = {100, 200, 300};
struct of_class {
  static constexpr int values[] = {7, 8};
};

int sum_of(const int* p, std::size_t count) {
  int sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += p[i];
  return sum;
}
void double_all(int* p, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) p[i] *= 2;
}
/// Which of them is decided as the kernel runs.
int* either(bool first, int* a, int* b) { return first ? a : b; }
struct node {
  int value;
  node* next;
};

TEST(address_spaces, are_no_part_of_the_type_of_plain_pointers) {
  std::vector<int> result(6, 0);
  {
    sycl::buffer<int, 1> b(result);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor global(b, h, sycl::read_write);
      sycl::local_accessor<int> local(2, h);
      h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        int own[2] = {1, 2};
        static_assert(std::is_same_v<decltype(&own[0]), int*>);
        static_assert(std::is_same_v<decltype(&global[0]), int*>);
        static_assert(std::is_same_v<decltype(&local[0]), int*>);
        static_assert(std::is_same_v<decltype(&at_namespace_scope[0]), const int*>);
        local[0] = 10;
        local[1] = 20;
        global[0] = 1000;
        global[1] = 2000;
        double_all(own, 2);
        double_all(&local[0], 2);
        double_all(&global[0], 2);
        global[2] = sum_of(own, 2) + sum_of(&local[0], 2) + sum_of(&global[0], 2);
        global[3] = sum_of(at_namespace_scope, 3) + sum_of(of_class::values, 2);
        // A chain through three kinds of memory.
        node in_private{1, nullptr};
        node* const last = &in_private;
        node middle{2, last};
        int length = 0;
        for (const node* n = &middle; n != nullptr; n = n->next) length += n->value;
        global[4] = length;
        int& reference = local[1];
        reference += 1;
        global[5] = local[1];
      });
    });
  }
  EXPECT_EQ(result[2], 6 + 60 + 6000);
  EXPECT_EQ(result[3], 615);
  EXPECT_EQ(result[4], 3);
  EXPECT_EQ(result[5], 41);
}

TEST(address_spaces, of_one_pointer_may_depend_on_data) {
  std::vector<int> result(8, 0);
  {
    sycl::buffer<int, 1> b(result);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor global(b, h, sycl::read_write);
      sycl::local_accessor<int> local(4, h);
      h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) {
        int own = -1;
        const std::size_t at = i.get_local_id(0);
        local[at] = -2;
        *either(i.get_global_id(0) % 2 == 0, &own, &local[at]) = static_cast<int>(at) + 1;
        global[i.get_global_id(0)] = own * 10 + local[at];
      });
    });
  }
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(result[static_cast<std::size_t>(i)],
              i % 2 == 0 ? (i % 4 + 1) * 10 - 2 : -10 + i % 4 + 1);
}

TEST(address_spaces, of_pointer_classes_are_kept_by_plain_pointers_and_back) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(2, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(1, h);
     h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
       using sycl::access::address_space;
       local[0] = 3;
       const auto p = local.get_multi_ptr<sycl::access::decorated::no>();
       int* const raw = p.get_raw();
       const auto again =
           sycl::address_space_cast<address_space::local_space, sycl::access::decorated::no>(raw);
       *again += 1;
       const auto global =
           sycl::address_space_cast<address_space::global_space, sycl::access::decorated::no>(out);
       *global = *p;
       int own = 5;
       const auto mine =
           sycl::address_space_cast<address_space::private_space, sycl::access::decorated::no>(
               &own);
       out[1] = *mine;
     });
   }).wait();
  EXPECT_EQ(out[0], 4);
  EXPECT_EQ(out[1], 5);
  sycl::free(out, q);
}

/// 1 global, 2 local, 4 private, 8 generic: what address_space_cast takes the pointer for.
template <class T>
int cast_to(T* p) {
  using sycl::access::address_space;
  constexpr auto raw = sycl::access::decorated::no;
  return (sycl::address_space_cast<address_space::global_space, raw>(p).get() == p ? 1 : 0) +
         (sycl::address_space_cast<address_space::local_space, raw>(p).get() == p ? 2 : 0) +
         (sycl::address_space_cast<address_space::private_space, raw>(p).get() == p ? 4 : 0) +
         (sycl::address_space_cast<address_space::generic_space, raw>(p).get() == p ? 8 : 0);
}

TEST(address_spaces, that_a_pointer_is_not_of_are_found_by_address_space_cast) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(8 * 32, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(16, h);
     h.parallel_for(sycl::nd_range<1>(32, 16), [=](sycl::nd_item<1> it) {
       const std::size_t i = it.get_local_id(0);
       int own = static_cast<int>(i);
       int several[4] = {own, own, own, own};
       int* const r = out + it.get_global_id(0) * 8;
       local[i] = own;
       r[0] = cast_to(r);
       r[1] = cast_to(&local[i]);
       r[2] = cast_to(&own);
       sycl::group_barrier(it.get_group());
       own += local[15 - i];
       r[3] = cast_to(&own);
       r[4] = cast_to(&several[own % 4]);
       r[5] = cast_to(static_cast<const int*>(nullptr));
       r[6] = cast_to(&local[15 - i]);
       r[7] = own;
     });
   }).wait();
  for (int i = 0; i < 32; ++i) {
    const int* const r = out + i * 8;
    EXPECT_EQ(r[0], 8 + 1);
    EXPECT_EQ(r[1], 8 + 2);
    EXPECT_EQ(r[2], 8 + 4);
    EXPECT_EQ(r[3], 8 + 4);
    EXPECT_EQ(r[4], 8 + 4);
    EXPECT_EQ(r[5], 15) << "null stays null";
    EXPECT_EQ(r[6], 8 + 2);
    EXPECT_EQ(r[7], 15);
  }
  q.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) {
     int own[2] = {1, 2};
     out[i] = cast_to(out + i[0]) * 100 + cast_to(&own[i[0] % 2]);
   }).wait();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(out[i], 912);
  sycl::free(out, q);
}

TEST(address_spaces, of_what_a_kernel_has_captured_are_private) {
  sycl::queue q;
  if (q.get_backend() != sycl::backend::openmp)
    GTEST_SKIP() << "devices keep arguments where they like";
  int* const out = sycl::malloc_shared<int>(2, q);
  const std::array<int, 4> captured = {5, 6, 7, 8};
  q.single_task([=] {
     out[0] = cast_to(&captured[0]);
     const auto p = sycl::address_space_cast<sycl::access::address_space::private_space,
                                             sycl::access::decorated::no>(&captured[1]);
     out[1] = p[2] + p[-1];
   }).wait();
  EXPECT_EQ(out[0], 8 + 4);
  EXPECT_EQ(out[1], 8 + 5);
  q.parallel_for(sycl::nd_range<1>(4, 2), [=](sycl::nd_item<1> it) {
     sycl::group_barrier(it.get_group());
     if (it.get_global_id(0) == 3) out[0] = cast_to(&captured[it.get_local_id(0)]);
   }).wait();
  EXPECT_EQ(out[0], 8 + 4);
  sycl::free(out, q);
}

TEST(address_spaces, of_variables_of_a_group_in_hierarchical_kernels_are_private_or_local) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(4, q);
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(8), [=](sycl::group<1> g) {
       int of_group[8] = {};
       g.parallel_for_work_item(
           [&](sycl::h_item<1> i) { of_group[i.get_local_id(0)] = static_cast<int>(g[0]); });
       out[2 * g[0]] = cast_to(&of_group[g[0]]);
       out[2 * g[0] + 1] = cast_to(out) + of_group[7] - static_cast<int>(g[0]);
     });
   }).wait();
  EXPECT_EQ(out[0], 8 + 4 + 2);
  EXPECT_EQ(out[1], 8 + 1);
  EXPECT_EQ(out[2], 8 + 4 + 2);
  EXPECT_EQ(out[3], 8 + 1);
  sycl::free(out, q);
}

TEST(address_spaces, are_not_asked_for_outside_of_kernels) {
  int here = 1;
  const int there[1] = {2};
  EXPECT_EQ(cast_to(&here), 15);
  EXPECT_EQ(cast_to(there), 15);
  static constexpr int constant = 3;
  constexpr auto p = sycl::address_space_cast<sycl::access::address_space::global_space,
                                              sycl::access::decorated::no>(&constant);
  EXPECT_EQ(*p, 3);
}

}  // namespace
