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
#include <pianola/recorder/return_watch.hpp>

namespace {

using pianola::recorder::repeat_finder;
using pianola::recorder::return_watch;
using numbers = std::vector<std::uint64_t>;

// Whether each of the last `count` numbers is equal to the one `period` before it.
bool repeats(const numbers& all, std::size_t period, std::size_t count) {
  if (all.size() < period + count) return false;
  for (std::size_t i = 1; i <= count; ++i)
    if (all[all.size() - i] != all[all.size() - i - period]) return false;
  return true;
}

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
          RC_ASSERT(repeats(all, period, std::max<std::size_t>(period, asked)));
        }
      if (random() % 8 == 0) {
        finder.forget();
        all.clear();
      }
    }
  });
  EXPECT_TRUE(passed);
}

// A body of numbers that each occur once is found when it has come twice; one in which some do, at the latest when it has come
// three times.
TEST(RepeatFinder, finds_a_loop_when_it_has_come_twice) {
  const bool passed = rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    repeat_finder finder(2048);
    for (std::uint64_t n = random() % 3000; n > 0; --n) static_cast<void>(finder.add(random()));
    numbers body;
    for (std::uint64_t n = 1 + random() % 40; n > 0; --n) body.push_back(random());
    std::size_t found = 0;
    for (std::size_t i = 0; i < 2 * body.size() && found == 0; ++i)
      if (finder.add(body[i % body.size()]) == body.size()) found = i + 1;
    RC_ASSERT(found == 2 * body.size());
  });
  EXPECT_TRUE(passed);
  // Parts of it repeat themselves, and were reported before.
  repeat_finder finder(64);
  std::uint32_t found = 0;
  for (const std::uint64_t x : {1, 2, 3, 1, 2, 1, 2, 3, 1, 2}) found = finder.add(x);
  EXPECT_EQ(found, 5U);
}

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
    for (std::size_t i = 0; i < 3 * body.size(); ++i)
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

// Whatever came before, a loop gives a sign before it has come for long; and there are few where nothing repeats itself.
TEST(ReturnWatch, gives_a_sign_of_each_loop_soon) {
  const bool passed = rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    return_watch watch;
    const std::uint64_t before = 1 + random() % 200;
    for (std::uint64_t n = random() % 9000; n > 0; --n)
      static_cast<void>(watch.add(static_cast<std::uint8_t>(random() % before)));
    const std::size_t longest = random() % 4 == 0 ? return_watch::longest : 100;
    std::vector<std::uint8_t> body(1 + random() % longest);
    for (std::uint8_t& x : body) x = static_cast<std::uint8_t>(random());
    std::uint64_t soonest = 0;
    for (std::uint64_t i = 0; i < 10 * body.size() + 256 && soonest == 0; ++i)
      if (watch.add(body[i % body.size()])) {
        const return_watch::sign sign = watch.latest_sign();
        RC_ASSERT(sign.level < return_watch::levels);
        RC_ASSERT(sign.apart % body.size() == 0U || body.size() < 8U);
        soonest = i + 1;
      }
    RC_ASSERT(soonest != 0U);
  });
  EXPECT_TRUE(passed);
}

// Of few numbers, of which every eight in a row may come several times in a body.
TEST(ReturnWatch, gives_signs_of_loops_of_few_numbers) {
  const bool passed = rc::check([] {
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<std::uint8_t> body(1 + random() % 60);
    for (std::uint8_t& x : body) x = static_cast<std::uint8_t>(random() % 3);
    return_watch watch;
    std::uint32_t signs = 0;
    for (std::uint64_t i = 0; i < 12 * body.size() + 256; ++i)
      signs += watch.add(body[i % body.size()]) ? 1 : 0;
    RC_ASSERT(signs > 0U);
  });
  EXPECT_TRUE(passed);
}

TEST(ReturnWatch, gives_no_signs_where_nothing_comes_back) {
  std::mt19937_64 random(7);
  return_watch watch;
  int signs = 0;
  for (int i = 0; i < 300'000; ++i)
    signs += watch.add(static_cast<std::uint8_t>(random() % 40)) ? 1 : 0;
  EXPECT_EQ(signs, 0);
}

}  // namespace
