// SPDX-License-Identifier: Apache-2.0
// What a command needs that runs other plans, element by element.
#include <gtest/gtest.h>

#include <pianola/planner/bodies.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace pianola::planner {
namespace {

using model::box;
using model::buffer_id;
using model::memory_id;

constexpr std::uint64_t elements = 12;

box between(std::uint64_t lo, std::uint64_t hi) { return {{{0, 0, lo}}, {{1, 1, hi}}}; }

// Bit m is memory m.
model::memory_set bits(std::uint64_t word) { return model::memory_set::of_words(&word, 1); }

plan writing(std::uint64_t lo, std::uint64_t hi, std::uint64_t where) {
  plan p;
  p.accesses.push_back({buffer_id(0), between(0, elements), true});
  p.exit.push_back({buffer_id(0), between(lo, hi), bits(where)});
  return p;
}

const std::vector<buffer_id> same_names{buffer_id(0), buffer_id(1)};

body_requirements of(const std::vector<plan>& plans, bool always) {
  std::vector<body> bodies;
  for (const plan& p : plans) bodies.push_back({&p, same_names});
  return requirements_of(bodies, memory_id(1), always);
}

TEST(bodies, what_may_not_be_written_has_to_be_there_before) {
  const auto surely = of({writing(2, 5, 0b10)}, true), perhaps = of({writing(2, 5, 0b10)}, false);
  ASSERT_EQ(surely.needed.size(), 1U);
  EXPECT_EQ(surely.needed[0].mode, model::access_mode::write);
  EXPECT_TRUE(surely.needed[0].no_init);
  EXPECT_EQ(surely.needed[0].memory, memory_id(1));
  ASSERT_EQ(perhaps.needed.size(), 2U);
  EXPECT_EQ(perhaps.needed[0].mode, model::access_mode::read);
  EXPECT_EQ(perhaps.needed[0].elements, perhaps.needed[1].elements);
}

TEST(bodies, what_they_leave_in_different_memories_is_told) {
  const auto found = of({writing(0, 6, 0b01), writing(5, 9, 0b10)}, false);
  EXPECT_EQ(found.apart, std::vector<buffer_id>{buffer_id(0)});
}

TEST(bodies, a_plan_follows_itself_where_it_leaves_what_it_needs) {
  plan p = writing(0, 6, 0b10);
  p.contract.push_back({buffer_id(0), between(0, 3), bits(0b10)});
  EXPECT_TRUE(follows_itself(p));
  p.contract.push_back({buffer_id(0), between(3, 9), bits(0b11)});
  EXPECT_FALSE(follows_itself(p));
}

// Disjoint random parts of two buffers.
std::vector<validity_entry> random_entries(std::mt19937& rng) {
  std::vector<validity_entry> all;
  for (std::uint32_t b = 0; b < 2; ++b)
    for (std::uint64_t at = 0; at < elements;) {
      const std::uint64_t end = std::min<std::uint64_t>(elements, at + 1 + rng() % 5);
      if (rng() % 3 != 0)
        all.push_back({buffer_id(b), between(at, end), bits(4U | (1U + rng() % 7))});
      at = end;
    }
  return all;
}

TEST(bodies, any_of_them_need_and_leave_what_a_look_at_each_element_says) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 rng(seed);
    std::vector<plan> plans(1 + rng() % 3);
    using place = std::pair<std::uint32_t, std::uint64_t>;
    std::map<place, model::memory_set> left, needed;
    for (plan& p : plans) {
      p.contract = random_entries(rng);
      p.exit = random_entries(rng);
      p.accesses.push_back({buffer_id(0), between(0, elements), true});
      p.accesses.push_back({buffer_id(1), between(2, 7), true});
      for (const validity_entry& e : p.contract)
        for (std::uint64_t i = e.elements.lo.c[2]; i < e.elements.hi.c[2]; ++i)
          needed[{e.buffer.value(), i}] |= e.memories;
      for (const validity_entry& e : p.exit)
        for (std::uint64_t i = e.elements.lo.c[2]; i < e.elements.hi.c[2]; ++i)
          if (e.buffer.value() == 0 || (i >= 2 && i < 7)) {
            const auto known = left.try_emplace({e.buffer.value(), i}, e.memories).first;
            known->second &= e.memories;
          }
    }
    const body_requirements found = of(plans, false);
    ASSERT_TRUE(found.apart.empty());  // memory 2 is in all of them
    std::map<place, model::memory_set> read, written;
    for (const model::requirement& r : found.needed)
      for (std::uint64_t i = r.elements.lo.c[2]; i < r.elements.hi.c[2]; ++i) {
        const place at{r.buffer.value(), i};
        if (r.mode == model::access_mode::read) {
          read[at].add(r.memory);
        } else {
          EXPECT_EQ(written.count(at), 0U);
          written[at] = model::memory_set(r.memory);
        }
      }
    for (std::uint32_t b = 0; b < 2; ++b)
      for (std::uint64_t i = 0; i < elements; ++i) {
        const place at{b, i};
        ASSERT_EQ(written.count(at), left.count(at)) << b << " " << i;
        if (written.count(at) != 0) {
          EXPECT_TRUE(left[at].contains(written[at])) << b << " " << i;
        }
        EXPECT_EQ(read[at], needed[at] | written[at]) << b << " " << i;
      }
  }
}

}  // namespace
}  // namespace pianola::planner
