// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

bool is_aligned(const void* p, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

TEST(usm, every_kind_is_known_by_its_pointers) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  for (const auto kind :
       {sycl::usm::alloc::host, sycl::usm::alloc::device, sycl::usm::alloc::shared}) {
    int* p = sycl::malloc<int>(10, q, kind);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(sycl::get_pointer_type(p, c), kind);
    EXPECT_EQ(sycl::get_pointer_type(p + 9, c), kind);
    if (kind != sycl::usm::alloc::host) {
      EXPECT_EQ(sycl::get_pointer_device(p, c), d);
    }
    sycl::free(p, q);
    EXPECT_EQ(sycl::get_pointer_type(p, c), sycl::usm::alloc::unknown);
  }
}

TEST(usm, an_ordinary_pointer_is_unknown_and_has_no_device) {
  sycl::queue q;
  int x = 0;
  EXPECT_EQ(sycl::get_pointer_type(&x, q.get_context()), sycl::usm::alloc::unknown);
  EXPECT_EQ(error_code_of([&] { sycl::get_pointer_device(&x, q.get_context()); }),
            sycl::errc::invalid);
}

TEST(usm, all_forms_of_allocation_give_usable_memory) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  const std::vector<void*> all{
      sycl::malloc_device(8, d, c),
      sycl::malloc_device(8, q),
      sycl::malloc_device<double>(1, d, c),
      sycl::malloc_device<double>(1, q),
      sycl::malloc_shared(8, d, c),
      sycl::malloc_shared(8, q),
      sycl::malloc_shared<double>(1, d, c),
      sycl::malloc_shared<double>(1, q),
      sycl::malloc_host(8, c),
      sycl::malloc_host(8, q),
      sycl::malloc_host<double>(1, c),
      sycl::malloc_host<double>(1, q),
      sycl::malloc(8, d, c, sycl::usm::alloc::device),
      sycl::malloc(8, q, sycl::usm::alloc::shared, sycl::property_list{}),
      sycl::malloc<double>(1, d, c, sycl::usm::alloc::host),
  };
  for (void* p : all) {
    ASSERT_NE(p, nullptr);
    q.memset(p, 1, 8).wait();
    sycl::free(p, c);
  }
}

TEST(usm, alignment_is_kept_and_must_be_a_power_of_two) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  for (void* p :
       {sycl::aligned_alloc_device(4096, 10, d, c), sycl::aligned_alloc_device(4096, 10, q),
        sycl::aligned_alloc_shared(4096, 10, d, c), sycl::aligned_alloc_shared(4096, 10, q),
        sycl::aligned_alloc_host(4096, 10, c), sycl::aligned_alloc_host(4096, 10, q),
        static_cast<void*>(sycl::aligned_alloc_host<int>(4096, 10, q)),
        static_cast<void*>(sycl::aligned_alloc_shared<int>(4096, 10, q)),
        static_cast<void*>(sycl::aligned_alloc_device<int>(4096, 10, d, c)),
        sycl::aligned_alloc(4096, 10, q, sycl::usm::alloc::host),
        static_cast<void*>(sycl::aligned_alloc<int>(4096, 10, d, c, sycl::usm::alloc::device))}) {
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(is_aligned(p, 4096));
    sycl::free(p, q);
  }
  struct alignas(256) wide {
    int x;
  };
  wide* w = sycl::malloc_shared<wide>(3, q);
  EXPECT_TRUE(is_aligned(w, 256));
  sycl::free(w, q);
  EXPECT_EQ(sycl::aligned_alloc_device(24, 10, q), nullptr);
}

TEST(usm, nothing_and_too_much_are_null) {
  sycl::queue q;
  EXPECT_EQ(sycl::malloc_device(0, q), nullptr);
  EXPECT_EQ(sycl::malloc_shared<int>(0, q), nullptr);
  EXPECT_EQ(sycl::malloc_host<int>(SIZE_MAX / 2, q), nullptr);  // overflows in bytes
  EXPECT_EQ(sycl::malloc_device(SIZE_MAX / 2, q), nullptr);
}

TEST(usm, null_may_be_freed_and_foreign_pointers_may_not) {
  sycl::queue q;
  sycl::free(nullptr, q);
  int x = 0;
  EXPECT_EQ(error_code_of([&] { sycl::free(&x, q); }), sycl::errc::invalid);
  int* p = sycl::malloc_shared<int>(4, q);
  EXPECT_EQ(error_code_of([&] { sycl::free(p + 1, q); }), sycl::errc::invalid);
  sycl::free(p, q);
  EXPECT_EQ(error_code_of([&] { sycl::free(p, q); }), sycl::errc::invalid);
}

TEST(usm, an_allocation_survives_the_buffers_that_worked_on_it) {
  sycl::queue q;
  int* const p = sycl::malloc_shared<int>(8, q);
  for (const int first : {0, 2}) {
    sycl::buffer<int, 1> b(p + first, sycl::range<1>(4));
  }
  EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), sycl::usm::alloc::shared);
  EXPECT_EQ(sycl::get_pointer_type(p + 3, q.get_context()), sycl::usm::alloc::shared);
  sycl::free(p, q);
  EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), sycl::usm::alloc::unknown);
}

TEST(usm, a_device_outside_of_the_context_is_refused) {
  const auto all = sycl::device::get_devices();
  if (all.size() < 2) GTEST_SKIP() << "there is one device; set PIANOLA_DEVICES";
  EXPECT_EQ(error_code_of([&] { sycl::malloc_device(8, all[1], sycl::context(all[0])); }),
            sycl::errc::invalid);
}

TEST(usm, unknown_is_no_kind_of_allocation) {
  sycl::queue q;
  EXPECT_EQ(error_code_of([&] { sycl::malloc(8, q, sycl::usm::alloc::unknown); }),
            sycl::errc::invalid);
}

TEST(usm_allocator, serves_a_vector_that_kernels_use) {
  sycl::queue q;
  using allocator = sycl::usm_allocator<int, sycl::usm::alloc::shared, 64>;
  std::vector<int, allocator> v(100, 1, allocator(q));
  v.push_back(1);
  EXPECT_TRUE(is_aligned(v.data(), 64));
  EXPECT_EQ(sycl::get_pointer_type(v.data(), q.get_context()), sycl::usm::alloc::shared);
  int* p = v.data();
  q.parallel_for(101, [=](sycl::id<1> i) { p[i] += static_cast<int>(i[0]); }).wait();
  EXPECT_EQ(v[100], 101);
  const auto copy = v;
  EXPECT_EQ(copy, v);
}

TEST(usm_allocator, allocators_of_one_context_and_device_are_equal) {
  sycl::queue q;
  const sycl::usm_allocator<int, sycl::usm::alloc::host> a(q), b(q.get_context(), q.get_device());
  const sycl::usm_allocator<double, sycl::usm::alloc::host> c(a);
  EXPECT_TRUE(a == b);
  EXPECT_TRUE(a == c);
  EXPECT_FALSE(a != c);
  const sycl::usm_allocator<int, sycl::usm::alloc::host> d(sycl::context(q.get_device()),
                                                           q.get_device());
  EXPECT_TRUE(a != d);
}

TEST(usm_allocator, throws_where_there_is_no_memory) {
  sycl::queue q;
  sycl::usm_allocator<int, sycl::usm::alloc::shared> a(q);
  EXPECT_EQ(error_code_of([&] { (void)a.allocate(SIZE_MAX / 2); }), sycl::errc::memory_allocation);
}

}  // namespace
