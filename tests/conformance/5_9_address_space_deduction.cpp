// SPDX-License-Identifier: Apache-2.0
// 5.9: plain pointers and references reach private, local, global and constant memory, and have the type of any pointer.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

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

}  // namespace
