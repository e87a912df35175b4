// SPDX-License-Identifier: Apache-2.0
// Long texts are cut without being looked at as a whole.
#include <pianola/formats/text.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "allocation_count.hpp"

#if PIANOLA_TEST_COUNTS_ALLOCATIONS
#include <malloc.h>

namespace pianola::testing {
std::atomic<std::size_t> allocated_bytes{0};
std::atomic<std::size_t> live_bytes{0};
std::atomic<std::size_t> peak_bytes{0};
}  // namespace pianola::testing

using pianola::testing::allocated_bytes;
using pianola::testing::live_bytes;
using pianola::testing::peak_bytes;

// Not inlined: a compiler that sees through one of them alone warns of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
  void* p = std::malloc(bytes == 0 ? 1 : bytes);
  if (p == nullptr) throw std::bad_alloc();
  const std::size_t live = live_bytes += ::malloc_usable_size(p);
  if (live > peak_bytes) peak_bytes = live;
  return p;
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  live_bytes -= ::malloc_usable_size(p);
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
#endif

namespace {

using pianola::formats::one_line;
using pianola::formats::utf8_character;

#if PIANOLA_TEST_COUNTS_ALLOCATIONS
TEST(abbreviation, of_a_hundred_megabytes_takes_no_memory_worth_mentioning) {
  const std::string digits(std::size_t{100} << 20, '7');
  const std::size_t before = allocated_bytes;
  EXPECT_EQ(one_line(digits, 12), "7777...77777");
  EXPECT_LT(allocated_bytes - before, 10000U);
}
#endif

// Every character on its own, then the middle taken out.
std::string obvious(std::string_view text, std::size_t characters) {
  std::vector<std::string> shown;
  while (!text.empty()) {
    const std::size_t n = utf8_character(text.substr(0, 4));
    shown.push_back(one_line(text.substr(0, n == 0 ? 1 : n)));
    text.remove_prefix(n == 0 ? 1 : n);
  }
  if (shown.size() > characters && characters > 3) {
    const std::size_t head = (characters - 3) / 2, tail = characters - 3 - head;
    shown.erase(shown.begin() + static_cast<std::ptrdiff_t>(head),
                shown.end() - static_cast<std::ptrdiff_t>(tail));
    shown.insert(shown.begin() + static_cast<std::ptrdiff_t>(head), "...");
  }
  std::string out;
  for (const std::string& s : shown) out += s;
  return out;
}

TEST(abbreviation, is_the_same_as_taking_the_middle_out_of_all_characters) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::string> parts = {
      "a",        "\x1b", "\xC3\xA9", "\xE2\x86\x92", "\xF0\x9F\x8E\xB9",
      "\xC2\x9B", "\xA9", "\xF0\x9F", "\xC3",         "\xFF"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (std::size_t n = random() % 60; n != 0; --n) text += parts[random() % parts.size()];
    const std::size_t characters = random() % 50;
    ASSERT_EQ(one_line(text, characters), obvious(text, characters)) << "at most " << characters;
  }
}

}  // namespace
