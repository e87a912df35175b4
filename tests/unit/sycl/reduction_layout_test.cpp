// SPDX-License-Identifier: Apache-2.0
// What a reduction's kernels capture is searched for addresses when a graph is saved: no byte of it is left as it was.
#include <cstddef>
#include <cstring>
#include <new>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

template <class T>
class reduction_layout : public ::testing::Test {};
using types = ::testing::Types<short, int, long, float, double>;
TYPED_TEST_SUITE(reduction_layout, types);

template <class Part>
void expect_filled(const Part& (*make)(void*)) {
  constexpr int left = 0xaa;
  alignas(alignof(Part)) unsigned char bytes[sizeof(Part)];
  std::memset(bytes, left, sizeof bytes);
  make(bytes);
  // An empty function object has one byte, which is not enough for an address.
  for (std::size_t i = 1; i < sizeof bytes; ++i) EXPECT_NE(bytes[i], left) << "byte " << i;
}

TYPED_TEST(reduction_layout, with_an_identity_has_no_gaps) {
  using rules = sycl::detail::reduction_rules<TypeParam, sycl::plus<>, true>;
  using part = sycl::detail::finish_part<sycl::detail::reduction_part<rules, 0>>;
  expect_filled<part>(+[](void* at) -> const part& {
    return *new (at) part{{rules{{sycl::plus<>()}, TypeParam(1)}, 64}, nullptr, 1};
  });
}

TYPED_TEST(reduction_layout, without_an_identity_has_no_gaps) {
  using rules = sycl::detail::reduction_rules<TypeParam, sycl::plus<>, false>;
  using part = sycl::detail::finish_part<sycl::detail::reduction_part<rules, 0>>;
  expect_filled<part>(+[](void* at) -> const part& {
    return *new (at) part{{rules{{sycl::plus<>()}}, 64}, nullptr, 1};
  });
}

}  // namespace
