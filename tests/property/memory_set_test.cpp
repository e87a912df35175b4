// SPDX-License-Identifier: Apache-2.0
// Sets of memories against std::set: within one word and beyond it, and back.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <pianola/model/memory_set.hpp>

namespace {

using namespace pianola;
using model::memory_id;
using model::memory_set;

// Mostly small, often about where a word ends, sometimes as large as there are.
memory_id id_of(std::uint16_t drawn) {
  const std::uint16_t n = drawn / 4;
  switch (drawn % 4) {
    case 0:
      return memory_id(n % 8);
    case 1:
      return memory_id(60 + n % 8);
    case 2:
      return memory_id(124 + n % 8);
    default:
      return memory_id(n % model::max_memories);
  }
}

struct pair_of {
  memory_set set;
  std::set<memory_id> oracle;
};

pair_of built(const std::vector<std::uint16_t>& members) {
  pair_of p;
  for (const std::uint16_t m : members) {
    p.set.add(id_of(m));
    p.oracle.insert(id_of(m));
  }
  return p;
}

void check(const pair_of& p) {
  std::vector<memory_id> members;
  p.set.for_each([&](memory_id m) { members.push_back(m); });
  RC_ASSERT(members == std::vector<memory_id>(p.oracle.begin(), p.oracle.end()));
  RC_ASSERT(p.set.size() == p.oracle.size());
  RC_ASSERT(p.set.empty() == p.oracle.empty());
  RC_ASSERT(p.set.at_most_one() == (p.oracle.size() <= 1));
  if (!p.oracle.empty()) {
    RC_ASSERT(p.set.lowest() == *p.oracle.begin());
  }
  for (const std::uint16_t m : {0, 1, 62, 63, 64, 127, 128, 1023, 0xffff})
    RC_ASSERT(p.set.contains(memory_id(m)) == (p.oracle.count(memory_id(m)) != 0));
  // As words, and from them.
  std::vector<std::uint64_t> words;
  for (std::size_t w = 0; w < p.set.word_count(); ++w) words.push_back(p.set.word(w));
  RC_ASSERT((words.empty() || words.back() != 0));
  RC_ASSERT(p.set.word(words.size()) == 0U);
  for (const memory_id m : p.oracle)
    RC_ASSERT((words[m.value() / 64U] >> m.value() % 64U & 1U) != 0);
  words.resize(model::max_memories / 64, 0);
  RC_ASSERT(memory_set::of_words(words.data(), words.size()) == p.set);
}

// The greater member in which they differ decides, as it does among numbers.
bool less(const std::set<memory_id>& a, const std::set<memory_id>& b) {
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

RC_GTEST_PROP(MemorySets, are_sets,
              (const std::vector<std::uint16_t>& first, const std::vector<std::uint16_t>& second,
               const std::vector<std::pair<bool, std::uint16_t>>& changes)) {
  pair_of a = built(first);
  const pair_of b = built(second);
  check(a);
  const auto with = [&](auto&& combine) {
    std::set<memory_id> out;
    combine(a.oracle.begin(), a.oracle.end(), b.oracle.begin(), b.oracle.end(),
            std::inserter(out, out.end()));
    return out;
  };
  const auto sets = [](auto... all) { return std::set_union(all...); };
  check({a.set | b.set, with(sets)});
  check({a.set & b.set, with([](auto... all) { return std::set_intersection(all...); })});
  check({a.set - b.set, with([](auto... all) { return std::set_difference(all...); })});
  RC_ASSERT((a.set == b.set) == (a.oracle == b.oracle));
  RC_ASSERT((a.set < b.set) == less(a.oracle, b.oracle));
  RC_ASSERT(a.set.intersects(b.set) == !(a.set & b.set).empty());
  RC_ASSERT(a.set.contains(b.set) ==
            std::includes(a.oracle.begin(), a.oracle.end(), b.oracle.begin(), b.oracle.end()));
  // What was copied stays, what was moved is there.
  const memory_set copy = a.set;
  for (const auto& [add, m] : changes) {
    if (add) {
      a.set.add(id_of(m));
      a.oracle.insert(id_of(m));
    } else {
      a.set.remove(id_of(m));
      a.oracle.erase(id_of(m));
    }
    check(a);
  }
  check({copy, built(first).oracle});
  memory_set other = b.set;
  other = a.set;
  RC_ASSERT(other == a.set);
  other = std::move(a.set);
  check({other, a.oracle});
  check({memory_set(std::move(other)), a.oracle});
}

RC_GTEST_PROP(MemorySets, of_the_first_hold_so_many, (std::uint16_t drawn)) {
  const std::size_t count = drawn % (model::max_memories + 1);
  pair_of p{memory_set::first(count), {}};
  for (std::size_t m = 0; m < count; ++m) p.oracle.insert(memory_id(static_cast<std::uint16_t>(m)));
  check(p);
}

}  // namespace
