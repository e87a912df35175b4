// SPDX-License-Identifier: Apache-2.0
// Memory that graphs own, against every order in which the commands may run.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <pianola/planner/share_storage.hpp>
#include <random>
#include <utility>
#include <vector>

namespace pianola::planner {
namespace {

using edge_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct small_case {
  std::uint32_t commands = 1;
  edge_list edges;
  std::vector<storage_request> requests;
};

small_case any_case() {
  small_case c;
  c.commands = *rc::gen::inRange<std::uint32_t>(1, 7);
  for (std::uint32_t to = 1; to < c.commands; ++to)
    for (std::uint32_t from = 0; from < to; ++from)
      if (*rc::gen::inRange(0, 2) == 0) c.edges.emplace_back(from, to);
  std::sort(c.edges.begin(), c.edges.end());
  const auto n = *rc::gen::inRange<std::size_t>(0, 6);
  for (std::size_t i = 0; i < n; ++i) {
    storage_request r;
    r.bytes = *rc::gen::inRange<std::uint64_t>(0, 9) * 100;
    r.born = *rc::gen::inRange<std::uint32_t>(0, c.commands);
    const auto died = *rc::gen::inRange<std::uint32_t>(r.born, c.commands + 1);
    if (died > r.born && died < c.commands) {
      // The order of the two is the program's business.
      const std::pair<std::uint32_t, std::uint32_t> order(r.born, died);
      if (std::find(c.edges.begin(), c.edges.end(), order) == c.edges.end())
        c.edges.push_back(order);
      r.died = died;
    }
    c.requests.push_back(r);
  }
  std::sort(c.edges.begin(), c.edges.end());
  return c;
}

// Whether the two are there at the same time in some order of the commands.
bool ever_together(const small_case& c, const storage_request& a, const storage_request& b) {
  std::vector<std::uint32_t> order(c.commands);
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::uint32_t> place(c.commands);
  do {
    for (std::uint32_t i = 0; i < c.commands; ++i) place[order[i]] = i;
    if (std::any_of(c.edges.begin(), c.edges.end(),
                    [&](const auto& e) { return place[e.first] > place[e.second]; }))
      continue;
    const auto end = [&](const storage_request& r) {
      return r.died == storage_request::never ? c.commands : place[r.died];
    };
    if (place[a.born] <= end(b) && place[b.born] <= end(a)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

RC_GTEST_PROP(SharedStorage, is_shared_only_by_what_is_never_there_at_the_same_time, ()) {
  const small_case c = any_case();
  const storage_layout l = share_storage(c.requests, c.edges);
  RC_ASSERT(l.offsets.size() == c.requests.size());
  for (std::size_t i = 0; i < c.requests.size(); ++i) {
    RC_ASSERT(l.offsets[i] % 256 == 0);
    RC_ASSERT(l.offsets[i] + c.requests[i].bytes <= l.bytes);
    for (std::size_t k = 0; k < i; ++k) {
      const bool apart = l.offsets[i] + c.requests[i].bytes <= l.offsets[k] ||
                         l.offsets[k] + c.requests[k].bytes <= l.offsets[i];
      if (!apart) RC_ASSERT(!ever_together(c, c.requests[i], c.requests[k]));
    }
  }
}

RC_GTEST_PROP(SharedStorage, of_one_size_in_a_chain_is_as_little_as_can_be, ()) {
  const auto commands = *rc::gen::inRange<std::uint32_t>(2, 12);
  edge_list edges;
  for (std::uint32_t i = 1; i < commands; ++i) edges.emplace_back(i - 1, i);
  std::vector<storage_request> requests;
  // Born one after the other, as a program in order makes them.
  for (std::uint32_t born = 0; born + 1 < commands; ++born)
    if (*rc::gen::inRange(0, 3) != 0)
      requests.push_back({256, born, *rc::gen::inRange<std::uint32_t>(born + 1, commands)});
  std::uint64_t most = 0;
  for (std::uint32_t at = 0; at < commands; ++at) {
    std::uint64_t now = 0;
    for (const auto& r : requests) now += r.born <= at && at <= r.died ? 256 : 0;
    most = std::max(most, now);
  }
  RC_ASSERT(share_storage(requests, edges).bytes == most);
}

TEST(SharedStorage, that_is_never_given_back_is_nobody_elses) {
  const edge_list chain{{0, 1}, {1, 2}, {2, 3}};
  const std::vector<storage_request> requests{{100, 0, storage_request::never}, {100, 3, 3}};
  EXPECT_EQ(share_storage(requests, chain).bytes, 512U);
}

TEST(SharedStorage, of_small_ones_lies_where_a_large_one_was) {
  const edge_list chain{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const std::vector<storage_request> requests{{256, 2, 4}, {1024, 0, 1}, {512, 3, 4}};
  const storage_layout l = share_storage(requests, chain);
  EXPECT_EQ(l.bytes, 1024U);
}

// What one graph holds at the most in any order of its commands.
std::uint64_t most_at_once(const small_case& c) {
  std::vector<std::uint32_t> order(c.commands), place(c.commands);
  std::iota(order.begin(), order.end(), 0U);
  std::uint64_t most = 0;
  do {
    for (std::uint32_t i = 0; i < c.commands; ++i) place[order[i]] = i;
    if (std::any_of(c.edges.begin(), c.edges.end(),
                    [&](const auto& e) { return place[e.first] > place[e.second]; }))
      continue;
    for (std::uint32_t at = 0; at < c.commands; ++at) {
      std::uint64_t now = 0;
      for (const storage_request& r : c.requests)
        if (place[r.born] <= at && (r.died == storage_request::never || at <= place[r.died]))
          now += (std::max<std::uint64_t>(r.bytes, 1) + 255) / 256 * 256;
      most = std::max(most, now);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return most;
}

// Each takes bytes for some time on one line, and avoids those of others at that time.
timed_request on_a_line(std::uint64_t bytes, std::uint32_t first, std::uint32_t last) {
  const timed_request::span when{0, first, last};
  return {bytes, {when}, {when}};
}

RC_GTEST_PROP(TimedStorage, is_shared_only_by_what_is_never_there_at_the_same_time, ()) {
  struct life {
    std::uint32_t first, last;
  };
  const auto lines = *rc::gen::inRange<std::uint32_t>(1, 4);
  const auto n = *rc::gen::inRange<std::size_t>(0, 12);
  std::vector<timed_request> requests(n);
  std::vector<std::vector<life>> lives(n);  // index: request, line
  for (std::size_t i = 0; i < n; ++i) {
    requests[i].bytes = *rc::gen::inRange<std::uint64_t>(0, 9) * 100;
    for (std::uint32_t line = 0; line < lines; ++line) {
      const auto first = *rc::gen::inRange<std::uint32_t>(0, 9);
      const life l{first, first + *rc::gen::inRange<std::uint32_t>(0, 5)};
      lives[i].push_back(l);
      requests[i].takes.push_back({line, l.first, l.last});
      requests[i].avoids.push_back({line, l.first, l.last});
    }
  }
  const storage_layout l = share_storage(requests);
  for (std::size_t i = 0; i < n; ++i) {
    RC_ASSERT(l.offsets[i] % 256 == 0);
    RC_ASSERT(l.offsets[i] + requests[i].bytes <= l.bytes);
    for (std::size_t k = 0; k < i; ++k) {
      bool together = false;
      for (std::uint32_t line = 0; line < lines; ++line)
        together = together || (lives[i][line].first <= lives[k][line].last &&
                                lives[k][line].first <= lives[i][line].last);
      if (together)
        RC_ASSERT(l.offsets[i] + slot_bytes(requests[i].bytes) <= l.offsets[k] ||
                  l.offsets[k] + slot_bytes(requests[k].bytes) <= l.offsets[i]);
    }
  }
}

TEST(TimedStorage, of_many_looks_at_no_more_for_each_than_of_few) {
  const auto looked_at = [](std::uint32_t n, std::uint32_t length) {
    std::vector<timed_request> requests;
    for (std::uint32_t i = 0; i < n; ++i)
      requests.push_back(on_a_line(256 * (1 + i * 7919 % 100), i, i + 1 + i * 31 % length));
    return share_storage(requests).looked_at;
  };
  // A chain; lives of some steps; and all there at the same time.
  for (const std::uint32_t length : {1U, 20U}) {
    EXPECT_LE(looked_at(8000, length), 10 * looked_at(1000, length)) << length;
    EXPECT_GE(looked_at(1000, length), 1000U) << length;
  }
  const auto of_all_at_once = [](std::uint32_t n) {
    std::vector<timed_request> requests;
    for (std::uint32_t i = 0; i < n; ++i) requests.push_back(on_a_line(256, i, 2 * n));
    return share_storage(requests).looked_at;
  };
  EXPECT_LE(of_all_at_once(8000), 16 * of_all_at_once(1000));
}

TEST(TimedStorage, beyond_what_64_bits_can_count_has_no_end) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  const std::vector<timed_request> requests{on_a_line(half, 0, 0), on_a_line(half, 0, 0),
                                            on_a_line(half, 0, 0)};
  EXPECT_EQ(share_storage(requests).bytes, ~std::uint64_t{0});
}

RC_GTEST_PROP(GrowingStorage, gives_places_for_good_that_nobody_else_has_at_the_time, ()) {
  small_case c = any_case();
  // In the order in which they would be recorded.
  std::sort(c.requests.begin(), c.requests.end(),
            [](const storage_request& a, const storage_request& b) {
              return std::make_pair(a.born, a.bytes) < std::make_pair(b.born, b.bytes);
            });
  const bool in_place = *rc::gen::arbitrary<bool>();
  growing_storage storage(in_place ? growing_storage::growth::in_place
                                   : growing_storage::growth::by_blocks);
  std::vector<std::uint64_t> from;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < c.requests.size(); ++i) {
    const storage_request& r = c.requests[i];
    std::vector<char> gone;
    for (std::size_t k = 0; k < i; ++k) {
      const storage_request& other = c.requests[k];
      // What is recorded by then: edges to commands up to this one.
      std::vector<char> after(c.commands, 0);
      if (other.died != storage_request::never)
        for (const auto& [a, b] : c.edges)
          if (b <= r.born && (a == other.died || after[a] != 0)) after[b] = 1;
      gone.push_back(after[r.born]);
    }
    const growing_storage::place at = storage.find(r.bytes, gone);
    storage.add(r.bytes, at);
    from.push_back(storage.start_of(at.block) + at.offset);
    sum += (std::max<std::uint64_t>(r.bytes, 1) + 255) / 256 * 256;
    RC_ASSERT(from[i] % 256 == 0);
    RC_ASSERT(from[i] + r.bytes <= storage.bytes());
    for (std::size_t k = 0; k < i; ++k) {
      const bool apart = from[i] + std::max<std::uint64_t>(r.bytes, 1) <= from[k] ||
                         from[k] + std::max<std::uint64_t>(c.requests[k].bytes, 1) <= from[i];
      if (!apart) RC_ASSERT(!ever_together(c, r, c.requests[k]));
    }
  }
  RC_ASSERT(storage.bytes() <= sum);
  RC_ASSERT(storage.bytes() >= most_at_once(c));
}

TEST(GrowingStorage, takes_the_smallest_block_with_room_and_fills_what_is_left) {
  growing_storage s;
  const auto put = [&](std::uint64_t bytes, const std::vector<char>& gone) {
    const growing_storage::place at = s.find(bytes, gone);
    s.add(bytes, at);
    return s.start_of(at.block) + at.offset;
  };
  EXPECT_EQ(put(1024, {}), 0U);
  EXPECT_EQ(put(512, {0}), 1024U);
  EXPECT_EQ(put(100, {1, 1}), 1024U);
  EXPECT_EQ(put(200, {1, 1, 0}), 1280U);
  EXPECT_EQ(put(300, {1, 1, 0, 0}), 0U);
  EXPECT_EQ(put(512, {1, 1, 0, 0, 0}), 512U);
  EXPECT_EQ(s.bytes(), 1536U);
}

TEST(GrowingStorage, in_place_has_larger_and_larger_ones_where_the_ones_before_were) {
  growing_storage s(growing_storage::growth::in_place);
  std::vector<char> gone;
  for (std::uint64_t i = 1; i <= 100; ++i) {
    const growing_storage::place at = s.find(256 * i, gone);
    EXPECT_EQ(at.offset, 0U);
    EXPECT_EQ(at.new_block, i == 1);
    s.add(256 * i, at);
    gone.push_back(1);
  }
  EXPECT_EQ(s.bytes(), 256 * 100U);
  // Who lives stays, and who fits lies in the gap before.
  gone.back() = 0;
  growing_storage::place at = s.find(512, gone);
  EXPECT_EQ(at.offset, 256 * 100U);
  EXPECT_EQ(at.block_bytes, 256 * 102U);
}

TEST(GrowingStorage, of_many_at_once_is_found_without_looking_at_each_of_them_for_each_block) {
  growing_storage s;
  constexpr std::uint64_t requests = 300;
  std::uint64_t looked_at = 0;
  for (std::uint64_t i = 0; i < requests; ++i) {
    const growing_storage::place at = s.find(256, std::vector<char>(i, 0));
    EXPECT_TRUE(at.new_block);
    looked_at += at.looked_at;
    s.add(256, at);
  }
  EXPECT_LE(looked_at, requests * requests / 2);
  EXPECT_GE(looked_at, requests);
}

struct sequence {
  std::vector<storage_request> requests;
  edge_list chain;
  std::uint64_t most = 0;  // bytes at once
};

// Random lives, one command after the other.
sequence random_sequence(unsigned seed, std::size_t requests, std::size_t together) {
  std::minstd_rand random(seed);
  sequence s;
  std::vector<std::size_t> alive;
  std::uint32_t commands = 0;
  std::uint64_t now = 0;
  while (s.requests.size() < requests) {
    if (!alive.empty() && random() % 100 < (alive.size() > together ? 80U : 40U)) {
      const auto at = alive.begin() + static_cast<std::ptrdiff_t>(random() % alive.size());
      s.requests[*at].died = commands++;
      now -= s.requests[*at].bytes;
      alive.erase(at);
      continue;
    }
    const std::uint64_t bytes = (16 + random() % 1000) * 4096;
    alive.push_back(s.requests.size());
    s.requests.push_back({bytes, commands++, storage_request::never});
    now += bytes;
    s.most = std::max(s.most, now);
  }
  for (std::uint32_t i = 0; i + 1 < commands; ++i) s.chain.emplace_back(i, i + 1);
  return s;
}

// Which orders are tried is the same each time.
TEST(SharedStorage, of_a_sequence_is_hardly_more_than_what_is_there_at_once) {
  double sum = 0, timed_sum = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const sequence s = random_sequence(seed, 20 * seed, 12);
    const auto over = [&](const storage_layout& l) {
      EXPECT_LE(l.bytes, s.most + s.most / 10) << seed;
      return static_cast<double>(l.bytes) / static_cast<double>(s.most);
    };
    sum += over(share_storage(s.requests, s.chain, 4096));
    std::vector<timed_request> timed;
    for (const storage_request& r : s.requests)
      timed.push_back(on_a_line(
          r.bytes, r.born,
          r.died == storage_request::never ? static_cast<std::uint32_t>(s.chain.size()) : r.died));
    timed_sum += over(share_storage(timed, 4096));
  }
  EXPECT_LE(sum / 20, 1.02);
  EXPECT_LE(timed_sum / 20, 1.02);
  std::printf("storage over what is there at once: %.3f, by lines %.3f\n", sum / 20,
              timed_sum / 20);
}

TEST(SharedStorage, goes_round_what_has_a_place) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const sequence s = random_sequence(seed, 60, 8);
    // As it is where a graph was made of the first half before.
    sequence half = s;
    half.requests.resize(30);
    const storage_layout before = share_storage(half.requests, s.chain, 4096);
    std::vector<std::uint64_t> fixed(s.requests.size(), storage_request::anywhere);
    std::copy(before.offsets.begin(), before.offsets.end(), fixed.begin());
    const storage_layout l = share_storage(s.requests, s.chain, 4096, fixed);
    for (std::size_t i = 0; i < s.requests.size(); ++i) {
      const storage_request& r = s.requests[i];
      if (i < 30) {
        EXPECT_EQ(l.offsets[i], fixed[i]) << seed;
      }
      EXPECT_LE(l.offsets[i] + r.bytes, l.bytes) << seed;
      for (std::size_t k = 0; k < i; ++k) {
        const storage_request& other = s.requests[k];
        const bool apart =
            l.offsets[i] + r.bytes <= l.offsets[k] || l.offsets[k] + other.bytes <= l.offsets[i];
        EXPECT_TRUE(apart || other.died < r.born) << seed << ": " << k << ", " << i;
      }
    }
  }
}

TEST(SharedStorage, of_nothing_is_nothing) {
  EXPECT_EQ(share_storage(std::vector<storage_request>(), {}).bytes, 0U);
}

}  // namespace
}  // namespace pianola::planner
