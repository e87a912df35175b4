// SPDX-License-Identifier: Apache-2.0
// 3.9.2: bit_cast and span, which C++20 has too.
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "checked.hpp"

namespace {

TEST(bit_cast, gives_an_object_with_the_same_bytes) {
  static_assert(sycl::bit_cast<unsigned>(1.0f) == 0x3f800000u);
  struct two_shorts {
    short low, high;
  };
  const auto parts = sycl::bit_cast<two_shorts>(0x00020001);
  EXPECT_EQ(parts.low, 1);
  EXPECT_EQ(parts.high, 2);
}

// Which spans there are.
using sycl::span;
static_assert(sycl::dynamic_extent == static_cast<std::size_t>(-1) &&
              span<int>::extent == sycl::dynamic_extent);
static_assert(std::is_convertible_v<span<int, 4>, span<int>> &&
              !std::is_convertible_v<span<int>, span<int, 4>>);
static_assert(std::is_constructible_v<span<int, 4>, span<int>> &&
              std::is_convertible_v<span<int>, span<const int>>);
static_assert(!std::is_constructible_v<span<int>, span<const int>> &&
              !std::is_constructible_v<span<int, 3>, int (&)[4]>);
static_assert(std::is_default_constructible_v<span<int>> &&
              !std::is_default_constructible_v<span<int, 2>>);
static_assert(!std::is_constructible_v<span<int>, const std::vector<int>&> &&
              !std::is_constructible_v<span<long>, std::vector<int>&>);
static_assert(sizeof(span<int, 4>) == sizeof(int*) && std::is_trivially_copyable_v<span<int>>);

TEST(span, is_made_of_arrays_and_containers) {
  int raw[] = {1, 2, 3, 4};
  std::array<int, 3> array = {5, 6, 7};
  std::vector<int> vector = {8, 9};
  const std::vector<int> constant = {10};
  span a(raw);
  span b(array);
  span c(vector);
  span d(constant);
  span e(vector.data(), 1);
  span f(raw, raw + 2);
  static_assert(std::is_same_v<decltype(a), span<int, 4>> &&
                std::is_same_v<decltype(b), span<int, 3>>);
  static_assert(std::is_same_v<decltype(c), span<int>> &&
                std::is_same_v<decltype(d), span<const int>>);
  EXPECT_EQ(a.size() + b.size() + c.size() + d.size() + e.size() + f.size(),
            4u + 3 + 2 + 1 + 1 + 2);
  EXPECT_EQ(b[2] + c.back() + d.front(), 7 + 9 + 10);
  EXPECT_EQ(a.size_bytes(), sizeof(raw));
  EXPECT_TRUE(span<int>().empty());
  EXPECT_EQ(span<int>().data(), nullptr);
}

TEST(span, gives_parts_and_iterators) {
  int raw[] = {1, 2, 3, 4, 5};
  const span<int> all(raw);
  const span<int, 5> fixed(raw);
  EXPECT_EQ(all.first(2).back(), 2);
  EXPECT_EQ(all.last(2).front(), 4);
  EXPECT_EQ(all.subspan(1).size(), 4u);
  EXPECT_EQ(all.subspan(1, 2).back(), 3);
  static_assert(decltype(fixed.first<2>())::extent == 2 && decltype(fixed.last<3>())::extent == 3);
  static_assert(decltype(fixed.subspan<1>())::extent == 4 &&
                decltype(all.subspan<1>())::extent == sycl::dynamic_extent);
  EXPECT_EQ((fixed.subspan<1, 3>().back()), 4);
  int sum = 0;
  for (const int i : fixed) sum += i;
  EXPECT_EQ(sum, 15);
  EXPECT_EQ(fixed.last<3>().front() + fixed.first<2>().back(), 3 + 2);
  EXPECT_EQ(*all.rbegin(), 5);
  EXPECT_EQ(*(all.crend() - 1), 1);
  EXPECT_EQ(sycl::as_bytes(fixed).size(), sizeof(raw));
  sycl::as_writable_bytes(all)[0] = std::byte{7};
  EXPECT_EQ(raw[0] & 0xff, 7);
}

TEST(span, goes_to_kernels) {
  sycl::queue q;
  int* const memory = sycl::malloc_shared<int>(8, q);
  const span<int> all(memory, 8);
  const span<int, 4> upper(memory + 4, 4);
  q.parallel_for(4, [=](sycl::id<1> i) {
     all[i[0]] = static_cast<int>(i[0]);
     upper[i[0]] = static_cast<int>(all.size() * 10 + i[0] + upper.size());
   }).wait();
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(memory[i], i);
    EXPECT_EQ(memory[4 + i], 84 + i);
  }
  sycl::free(memory, q);
}

}  // namespace
