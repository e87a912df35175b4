// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>
#include <vector>

#include "expect_error.hpp"

namespace {

class buffer_usm : public ::testing::Test {
 protected:
  sycl::queue q;
  sycl::device device = q.get_device();
};

TEST_F(buffer_usm, a_buffer_works_on_the_programs_allocation) {
  int* const p = sycl::malloc_device<int>(4, q);
  {
    sycl::buffer<int> b({sycl::buffer_allocation::empty_view(p, device)}, sycl::range<1>(4));
    ASSERT_TRUE(b.has_allocation(device));
    EXPECT_EQ(b.get_pointer(device), p);
    EXPECT_FALSE(b.get_allocation(device).is_owned);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      g.parallel_for(4, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]) + 5; });
    });
  }
  // The end has waited: the allocation holds the data and is ours again.
  sycl::buffer<int> again({sycl::buffer_allocation::view(p, device)}, sycl::range<1>(4));
  EXPECT_EQ(sycl::host_accessor(again, sycl::read_only)[3], 8);
  again = sycl::buffer<int>(1);
  sycl::free(p, q);
}

TEST_F(buffer_usm, an_allocation_is_made_by_use_and_found_by_pointer) {
  sycl::buffer<int> b{4};
  EXPECT_FALSE(b.has_allocation(device));
  EXPECT_EQ(b.get_pointer(device), nullptr);
  EXPECT_EQ(error_code_of([&] { static_cast<void>(b.get_allocation(device)); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { b.own_allocation(device); }), sycl::errc::invalid);
  q.submit([&](sycl::handler& g) {
     sycl::accessor a{b, g};
     g.single_task([=] { a[0] = 3; });
   }).wait();
  int* const p = b.get_pointer(device);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(b.get_allocation(p).ptr, p);
  EXPECT_TRUE(b.get_allocation(p).is_owned);
  int unrelated = 0;
  EXPECT_EQ(error_code_of([&] { static_cast<void>(b.get_allocation(&unrelated)); }),
            sycl::errc::invalid);
  std::size_t found = 0;
  b.for_each_allocation([&](const auto& a) {
    EXPECT_NE(a.ptr, nullptr);
    ++found;
  });
  EXPECT_EQ(found, 1U);
  // Usable by USM operations.
  int value = 0;
  q.memcpy(&value, p, sizeof(int)).wait();
  EXPECT_EQ(value, 3);
}

TEST_F(buffer_usm, pointers_of_parts_name_the_allocation) {
  sycl::buffer<int> b{8};
  q.submit([&](sycl::handler& g) {
     sycl::accessor a{b, g};
     g.parallel_for(8, [=](sycl::id<1> i) { a[i] = static_cast<int>(i[0]); });
   }).wait();
  sycl::buffer<int> part(b, sycl::id<1>(4), sycl::range<1>(4));
  int* const first = b.get_pointer(device);
  EXPECT_EQ(part.get_pointer(device), first + 4);
  EXPECT_EQ(part.get_allocation(first + 4).ptr, first);
  EXPECT_EQ(part.get_allocation(first).ptr, first);
  part.disown_allocation(first + 4);
  EXPECT_FALSE(b.get_allocation(device).is_owned);
  part.own_allocation(first + 4);
  EXPECT_TRUE(b.get_allocation(device).is_owned);
  EXPECT_EQ(error_code_of([&] { static_cast<void>(part.get_allocation(first + 1)); }),
            sycl::errc::invalid);
  int seen = 0;
  part.for_each_allocation([&](auto& allocation) { seen += allocation.ptr == first ? 1 : 0; });
  EXPECT_EQ(seen, 1);
}

TEST_F(buffer_usm, a_disowned_allocation_outlives_the_buffer) {
  int* p = nullptr;
  {
    auto b = sycl::make_sync_buffer<int>(sycl::range{4});
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      g.parallel_for(4, [=](sycl::id<1> i) { a[i] = 6; });
    });
    p = b.get_pointer(device);
    b.disown_allocation(device);
    EXPECT_FALSE(b.get_allocation(device).is_owned);
    b.own_allocation(p);
    EXPECT_TRUE(b.get_allocation(device).is_owned);
    b.disown_allocation(p);
  }
  int value = 0;
  q.memcpy(&value, p + 3, sizeof(int)).wait();
  EXPECT_EQ(value, 6);
  sycl::free(p, q);
}

TEST_F(buffer_usm, a_buffer_can_take_an_allocation_over) {
  int* const p = sycl::malloc_device<int>(4, q);
  {
    const auto b = sycl::make_sync_usm_view<int>(
        {sycl::buffer_allocation::empty_view(p, device, sycl::buffer_allocation::take_ownership)},
        sycl::range{4});
    EXPECT_TRUE(b.get_allocation(device).is_owned);
  }
  EXPECT_EQ(error_code_of([&] { sycl::free(p, q); }), sycl::errc::invalid);
}

TEST_F(buffer_usm, bad_lists_are_refused) {
  using sycl::buffer_allocation::view;
  int* const p = sycl::malloc_device<int>(8, q);
  using list = std::vector<sycl::buffer_allocation::tracked_descriptor<int>>;
  const auto refused = [&](const list& l) {
    return error_code_of([&] { sycl::buffer<int> b(l, sycl::range<1>(4)); }) == sycl::errc::invalid;
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({view(static_cast<int*>(nullptr), device)}));
  EXPECT_TRUE(refused({view(p, device), view(p + 4, device)}));
  EXPECT_TRUE(refused({view(reinterpret_cast<int*>(reinterpret_cast<char*>(p) + 1), device)}));
  sycl::free(p, q);
}

}  // namespace
