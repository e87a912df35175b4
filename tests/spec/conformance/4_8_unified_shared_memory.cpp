// SPDX-License-Identifier: Apache-2.0
// 4.8: unified shared memory.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

struct alignas(64) wide {
  int value;
  int more[15];
};

struct usm : testing::Test {
  sycl::queue q;
  const sycl::device device = q.get_device();
  const sycl::context context = q.get_context();
};

TEST_F(usm, kinds_are_allocated_by_every_form_and_told_from_their_pointers) {
  using sycl::usm::alloc;
  struct form {
    void* pointer;
    alloc kind;
  };
  const std::vector<form> forms = {
      {sycl::malloc_device(64, device, context), alloc::device},
      {sycl::malloc_device(64, q), alloc::device},
      {sycl::malloc_device<int>(16, device, context), alloc::device},
      {sycl::malloc_device<int>(16, q), alloc::device},
      {sycl::aligned_alloc_device(128, 64, device, context), alloc::device},
      {sycl::aligned_alloc_device(128, 64, q), alloc::device},
      {sycl::aligned_alloc_device<int>(128, 16, device, context), alloc::device},
      {sycl::aligned_alloc_device<int>(128, 16, q), alloc::device},
      {sycl::malloc_host(64, context), alloc::host},
      {sycl::malloc_host(64, q), alloc::host},
      {sycl::malloc_host<int>(16, context), alloc::host},
      {sycl::malloc_host<int>(16, q), alloc::host},
      {sycl::aligned_alloc_host(128, 64, context), alloc::host},
      {sycl::aligned_alloc_host(128, 64, q), alloc::host},
      {sycl::aligned_alloc_host<int>(128, 16, context), alloc::host},
      {sycl::aligned_alloc_host<int>(128, 16, q), alloc::host},
      {sycl::malloc_shared(64, device, context), alloc::shared},
      {sycl::malloc_shared(64, q), alloc::shared},
      {sycl::malloc_shared<int>(16, device, context), alloc::shared},
      {sycl::malloc_shared<int>(16, q), alloc::shared},
      {sycl::aligned_alloc_shared(128, 64, device, context), alloc::shared},
      {sycl::aligned_alloc_shared(128, 64, q), alloc::shared},
      {sycl::aligned_alloc_shared<int>(128, 16, device, context), alloc::shared},
      {sycl::aligned_alloc_shared<int>(128, 16, q), alloc::shared},
      {sycl::malloc(64, device, context, alloc::device), alloc::device},
      {sycl::malloc(64, q, alloc::host), alloc::host},
      {sycl::malloc<int>(16, device, context, alloc::shared), alloc::shared},
      {sycl::malloc<int>(16, q, alloc::shared), alloc::shared},
      {sycl::aligned_alloc(128, 64, device, context, alloc::shared), alloc::shared},
      {sycl::aligned_alloc(128, 64, q, alloc::device), alloc::device},
      {sycl::aligned_alloc<int>(128, 16, device, context, alloc::host), alloc::host},
      {sycl::aligned_alloc<int>(128, 16, q, alloc::host), alloc::host},
  };
  for (size_t i = 0; i < forms.size(); ++i) {
    ASSERT_NE(forms[i].pointer, nullptr) << i;
    EXPECT_EQ(sycl::get_pointer_type(forms[i].pointer, context), forms[i].kind) << i;
    EXPECT_EQ(sycl::get_pointer_device(forms[i].pointer, context), device) << i;
    // A pointer into the middle belongs to the allocation too.
    EXPECT_EQ(sycl::get_pointer_type(static_cast<char*>(forms[i].pointer) + 63, context),
              forms[i].kind)
        << i;
  }
  for (size_t i = 0; i < forms.size(); ++i) {
    if (i % 2 == 0) {
      sycl::free(forms[i].pointer, context);
    } else {
      sycl::free(forms[i].pointer, q);
    }
  }
  EXPECT_EQ(sycl::get_pointer_type(forms[0].pointer, context), alloc::unknown);
  int on_the_stack = 0;
  EXPECT_EQ(sycl::get_pointer_type(&on_the_stack, context), alloc::unknown);
  EXPECT_EQ(code_of([&] { (void)sycl::get_pointer_device(&on_the_stack, context); }),
            sycl::errc::invalid);
}

TEST_F(usm, is_aligned_as_asked_for) {
  for (const size_t alignment : {8, 64, 256, 1024}) {
    void* const pointers[] = {sycl::aligned_alloc_device(alignment, 24, q),
                              sycl::aligned_alloc_host(alignment, 24, q),
                              sycl::aligned_alloc_shared(alignment, 24, q)};
    for (void* const p : pointers) {
      ASSERT_NE(p, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignment, 0u);
      sycl::free(p, q);
    }
  }
  wide* const p = sycl::malloc_shared<wide>(3, q);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % alignof(wide), 0u);
  sycl::free(p, q);
}

TEST_F(usm, of_no_bytes_can_be_freed) {
  sycl::free(sycl::malloc_device(0, q), q);
  sycl::free(sycl::malloc_shared<int>(0, q), q);
  sycl::free(nullptr, q);
  sycl::free(nullptr, context);
}

TEST_F(usm, more_than_there_is_gives_null) {
  EXPECT_EQ(sycl::malloc_device(std::size_t{1} << 60, q), nullptr);
}

TEST_F(usm, of_the_device_is_reached_by_copies_and_kernels) {
  constexpr size_t n = 1000;
  int* const data = sycl::malloc_device<int>(n, q);
  std::vector<int> in(n), out(n, -1);
  for (size_t i = 0; i < n; ++i) in[i] = static_cast<int>(i);
  const sycl::event copied = q.memcpy(data, in.data(), n * sizeof(int));
  const sycl::event added =
      q.parallel_for(sycl::range<1>(n), copied, [=](sycl::id<1> i) { data[i] += 1; });
  q.copy(data, out.data(), n, added).wait();
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], static_cast<int>(i) + 1);
  q.fill(data, 7, n).wait();
  q.memset(data, 1, 4 * sizeof(int)).wait();
  q.copy(data, out.data(), n).wait();
  EXPECT_EQ(out[3], 0x01010101);
  EXPECT_EQ(out[4], 7);
  sycl::free(data, q);
}

TEST_F(usm, of_the_host_and_shared_is_reached_from_both_sides) {
  int* const host = sycl::malloc_host<int>(4, q);
  int* const shared = sycl::malloc_shared<int>(4, q);
  for (int i = 0; i < 4; ++i) host[i] = i, shared[i] = 10 * i;
  q.prefetch(shared, 4 * sizeof(int));
  q.mem_advise(shared, 4 * sizeof(int), 0);
  q.wait();
  q.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) {
     const int old = host[i];
     host[i] = shared[i];
     shared[i] = old;
   }).wait();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(host[i], 10 * i);
    EXPECT_EQ(shared[i], i);
  }
  sycl::free(host, q);
  sycl::free(shared, q);
}

TEST_F(usm, allocator_works_in_containers) {
  using shared = sycl::usm_allocator<int, sycl::usm::alloc::shared>;
  using host = sycl::usm_allocator<double, sycl::usm::alloc::host, 256>;
  static_assert(std::is_same_v<shared::value_type, int>);
  static_assert(std::is_same_v<std::allocator_traits<shared>::rebind_alloc<float>,
                               sycl::usm_allocator<float, sycl::usm::alloc::shared>>);
  std::vector<int, shared> data(100, 1, shared(q));
  int* const p = data.data();
  q.parallel_for(sycl::range<1>(100), [=](sycl::id<1> i) { p[i] += static_cast<int>(i); }).wait();
  EXPECT_EQ(data[99], 100);
  EXPECT_EQ(sycl::get_pointer_type(p, context), sycl::usm::alloc::shared);
  std::vector<double, host> aligned(3, host(context, device));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned.data()) % 256, 0u);
  EXPECT_EQ(sycl::get_pointer_type(aligned.data(), context), sycl::usm::alloc::host);
  EXPECT_TRUE(shared(q) == shared(q));
  EXPECT_FALSE(shared(q) != shared(context, device));
}

TEST_F(usm, allocators_are_equal_of_one_kind_alignment_context_and_device) {
  using sycl::usm::alloc;
  const sycl::usm_allocator<int, alloc::shared, 8> a(q);
  EXPECT_TRUE((a == sycl::usm_allocator<float, alloc::shared, 8>(q)));
  EXPECT_FALSE((a != sycl::usm_allocator<float, alloc::shared, 8>(q)));
  EXPECT_FALSE((a == sycl::usm_allocator<int, alloc::host, 8>(q)));
  EXPECT_TRUE((a != sycl::usm_allocator<int, alloc::host, 8>(q)));
  EXPECT_FALSE((a == sycl::usm_allocator<int, alloc::shared, 64>(q)));
  EXPECT_TRUE((a != sycl::usm_allocator<int, alloc::shared, 64>(q)));
  EXPECT_FALSE((a == sycl::usm_allocator<int, alloc::shared, 8>(sycl::context(device), device)));
}

}  // namespace
