// SPDX-License-Identifier: Apache-2.0
// What finds repetitions as they come, against looking at all of the sequence each time.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <pianola/recorder/repeat_finder.hpp>

namespace {

using pianola::recorder::repeat_finder;
using numbers = std::vector<std::uint64_t>;

// Whether each of the last `count` numbers is equal to the one `period` before it.
bool repeats(const numbers& all, std::size_t period, std::size_t count) {
  if (all.size() < period + count) return false;
  for (std::size_t i = 1; i <= count; ++i)
    if (all[all.size() - i] != all[all.size() - i - period]) return false;
  return true;
}

std::size_t needed(std::size_t period) { return period < 4 ? 2 * period : period; }

// The period that some numbers have if they are repeated.
std::size_t root_of(const numbers& body) {
  for (std::size_t p = 1; p < body.size(); ++p) {
    if (body.size() % p != 0) continue;
    bool equal = true;
    for (std::size_t i = p; i < body.size(); ++i) equal = equal && body[i] == body[i - p];
    if (equal) return p;
  }
  return body.size();
}

TEST(RepeatFinder, reports_what_is_repeated_and_nothing_else) {
  const bool passed = rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    const std::uint64_t different = 1 + random() % 6;
    const std::uint32_t asked = random() % 3 == 0 ? static_cast<std::uint32_t>(random() % 20) : 0;
    repeat_finder finder(64);
    finder.ask_for(asked);
    numbers all, body;
    for (int part = 0; part < 12; ++part) {
      // Something new, or a part of what was, again and again.
      if (body.empty() || random() % 2 == 0) {
        body.clear();
        for (std::size_t n = 1 + random() % 40; n > 0; --n) body.push_back(random() % different);
      }
      for (std::uint64_t times = 1 + random() % 4; times > 0; --times)
        for (const std::uint64_t x : body) {
          all.push_back(x);
          const std::uint32_t period = finder.add(x);
          RC_ASSERT(finder.back(0) == x);
          if (period == 0) continue;
          RC_ASSERT(period < 64U);
          RC_ASSERT(repeats(all, period, std::max<std::size_t>(needed(period), asked)));
        }
      if (random() % 8 == 0) {
        finder.forget();
        all.clear();
      }
    }
  });
  EXPECT_TRUE(passed);
}

// A body in which a number occurs once is found at the latest when it has come three times, one of less than four numbers
// four times.
TEST(RepeatFinder, finds_a_loop_of_which_a_part_is_unique_when_it_has_come_three_times) {
  const bool passed = rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    repeat_finder finder(2048);
    for (std::uint64_t n = random() % 3000; n > 0; --n) static_cast<void>(finder.add(random()));
    numbers body;
    for (std::uint64_t n = random() % (random() % 8 == 0 ? 1500 : 30); n > 0; --n)
      body.push_back(random() % 5);
    body.insert(body.begin() + static_cast<std::ptrdiff_t>(random() % (body.size() + 1)), 77);
    std::size_t found = 0;
    const std::size_t times = body.size() < 4 ? 4 : 3;
    for (std::size_t i = 0; i < times * body.size(); ++i)
      if (finder.add(body[i % body.size()]) == body.size() && found == 0) found = i + 1;
    RC_ASSERT(found != 0U);
  });
  EXPECT_TRUE(passed);
}

// Also where every number occurs several times in it, if not as soon.
TEST(RepeatFinder, finds_loops_of_few_numbers) {
  const bool passed = rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    repeat_finder finder(1024);
    numbers body;
    for (std::uint64_t n = 1 + random() % 100; n > 0; --n) body.push_back(random() % 2);
    const std::size_t root = root_of(body);
    bool found = false;
    for (std::size_t i = 0; i < 600 + 12 * body.size(); ++i)
      found = finder.add(body[i % body.size()]) == root || found;
    RC_ASSERT(found);
  });
  EXPECT_TRUE(passed);
}

// Wherever these could be found, a shorter period had just been reported.
TEST(RepeatFinder, finds_loops_in_which_parts_repeat_themselves) {
  for (const char* body : {"100010111001011", "01101000011101101000111", "101100011011001"}) {
    const std::size_t size = std::strlen(body);
    repeat_finder finder(1024);
    std::size_t found = 0;
    for (std::size_t i = 0; i < 12 * size && found == 0; ++i)
      if (finder.add(static_cast<std::uint64_t>(body[i % size])) == size) found = i + 1;
    EXPECT_GT(found, 0U) << body;
    EXPECT_LE(found, 3 * size) << body;
  }
}

}  // namespace
