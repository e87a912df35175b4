// SPDX-License-Identifier: Apache-2.0
// Pages of memory that are put behind addresses.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "conformance.hpp"

namespace pianola::test {
namespace {

using bytes = std::vector<unsigned char>;

class pages : public conformance {
 protected:
  std::unique_ptr<executors::page_store> open() {
    return r.backend().open_pages(0, executors::memory_kind::device);
  }
  void* reserve(executors::page_store& store, std::uint64_t n) {
    void* address = nullptr;
    const executors::status s = store.reserve(n, address);
    EXPECT_TRUE(s.ok()) << s.reason;
    return address;
  }
  static void expect_ok(const executors::status& s) { EXPECT_TRUE(s.ok()) << s.reason; }
};
PIANOLA_FOR_EVERY_BACKEND(pages);

#define PIANOLA_NEEDS_PAGES(store) \
  if ((store) == nullptr) GTEST_SKIP() << "addresses of the device's memory are its bytes"

TEST_P(pages, are_there_at_several_addresses) {
  const auto store = open();
  PIANOLA_NEEDS_PAGES(store);
  const std::uint64_t page = store->page_bytes();
  ASSERT_EQ(page & (page - 1), 0U);
  EXPECT_GE(store->most_bytes(), 8 * page);
  auto* const first = static_cast<unsigned char*>(reserve(*store, 3 * page));
  auto* const second = static_cast<unsigned char*>(reserve(*store, 2 * page));
  expect_ok(store->grow(4 * page));
  expect_ok(store->map(first, 3 * page, 0));
  expect_ok(store->map(second, 2 * page, 2 * page));
  std::mt19937 random(7);
  bytes whole(4 * page);
  for (auto& b : whole) b = static_cast<unsigned char>(random());
  r.upload(first, whole.data(), 3 * page);
  bytes seen(page);
  r.download(seen.data(), second, page);
  EXPECT_TRUE(std::equal(seen.begin(), seen.end(), whole.begin() + static_cast<long>(2 * page)));
  // Over the border of what was put there piece by piece.
  r.upload(second + page / 2, whole.data() + page, page);
  r.download(seen.data(), first + 2 * page, page);
  std::copy_n(whole.begin() + static_cast<long>(page), page / 2,
              whole.begin() + static_cast<long>(2 * page + page / 2));
  EXPECT_TRUE(std::equal(seen.begin(), seen.end(), whole.begin() + static_cast<long>(2 * page)));
}

TEST_P(pages, are_reached_by_kernels) {
  const auto store = open();
  PIANOLA_NEEDS_PAGES(store);
  const std::uint64_t page = store->page_bytes(), n = page / sizeof(std::uint64_t);
  void* const first = reserve(*store, page);
  auto* const growing = static_cast<std::uint64_t*>(reserve(*store, 4 * page));
  expect_ok(store->grow(2 * page));
  expect_ok(store->map(growing, page, page));
  expect_ok(store->map(first, page, 0));
  expect_ok(store->grow(3 * page));
  expect_ok(store->map(growing + n, page, 2 * page));
  const std::vector<std::uint64_t> before(2 * n, 5);
  r.upload(growing, before.data(), 2 * page);
  affine_object a{};
  a.data = growing;
  a.addend = 2;
  auto& lane = r.lane();
  r.submit(lane, affine_kernel().with(a, 2 * n));
  r.wait(lane);
  EXPECT_EQ(r.log.of(0).failed, 0) << r.log.of(0).error;
  std::vector<std::uint64_t> after(2 * n);
  r.download(after.data(), growing, 2 * page);
  EXPECT_EQ(after, std::vector<std::uint64_t>(2 * n, affine_kernel::apply(5, 2)));
}

TEST_P(pages, more_than_the_device_has_are_refused_and_none_is_left_behind) {
  const auto store = open();
  PIANOLA_NEEDS_PAGES(store);
  if (GetParam() == "openmp") GTEST_SKIP() << "the machine's memory is not to be used up";
  const std::uint64_t page = store->page_bytes();
  const std::uint64_t most = store->most_bytes() / page * page;
  void* address = nullptr;
  EXPECT_EQ(store->reserve(most + page, address).code, model::error_code::memory_allocation);
  expect_ok(store->grow(page));
  const executors::status refused = store->grow(most + page);
  EXPECT_EQ(refused.code, model::error_code::memory_allocation);
  EXPECT_FALSE(refused.reason.empty());
  expect_ok(store->grow(2 * page));
}

TEST_P(pages, of_a_driver_that_refuses_tell_its_reason_and_go_on) {
  if (GetParam() != "cuda" || control_of(GetParam()) == nullptr)
    GTEST_SKIP() << "only the test double is told to fail";
  constexpr int out_of_memory = 2;
  const auto store = open();
  const std::uint64_t page = store->page_bytes();
  const auto told = [](const executors::status& s) {
    EXPECT_EQ(s.code, model::error_code::memory_allocation);
    EXPECT_THAT(s.reason, testing::HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  };
  const auto fail = [&](const char* call, std::uint64_t nth) {
    control_of(GetParam())->reset();
    control_of(GetParam())->fail(call, nth, out_of_memory);
  };
  void* address = nullptr;
  fail("cuMemAddressReserve", 1);
  told(store->reserve(4 * page, address));
  expect_ok(store->reserve(4 * page, address));
  fail("cuMemCreate", 3);
  told(store->grow(4 * page));
  expect_ok(store->grow(4 * page));
  fail("cuMemMap", 3);
  told(store->map(address, 4 * page, 0));
  fail("cuMemSetAccess", 1);
  told(store->map(address, 4 * page, 0));
  expect_ok(store->map(address, 4 * page, 0));
  control_of(GetParam())->reset();
  const bytes data(4 * page, 9);
  r.upload(address, data.data(), data.size());
  bytes seen(data.size());
  r.download(seen.data(), address, seen.size());
  EXPECT_EQ(seen, data);
}

}  // namespace
}  // namespace pianola::test
