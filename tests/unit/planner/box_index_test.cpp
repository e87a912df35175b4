// SPDX-License-Identifier: Apache-2.0
// The index of boxes that verify uses, beside one that remembers each element. The seed is printed; PIANOLA_SEED repeats a
// run.
#include "verify/box_index.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <tuple>

#include <gtest/gtest.h>

namespace {

using namespace pianola;
using planner::verification::box_index;

constexpr std::uint64_t side = 8;
using element = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;

template <class F>
void for_each_element(const model::box& b, F&& f) {
  for (std::uint64_t x = b.lo[0]; x < b.hi[0]; ++x)
    for (std::uint64_t y = b.lo[1]; y < b.hi[1]; ++y)
      for (std::uint64_t z = b.lo[2]; z < b.hi[2]; ++z) f(element(x, y, z));
}

TEST(box_index, holds_what_was_put_there_last) {
  const char* given = std::getenv("PIANOLA_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::cout << "PIANOLA_SEED=" << seed << std::endl;  // a crash loses what is not flushed
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 20; ++round) {
    box_index index;
    std::map<element, std::uint32_t> oracle;
    std::vector<model::box> known;  // the same boxes come again, as in programs
    for (std::uint32_t step = 1; step < 200; ++step) {
      model::box b;
      for (int d = 0; d < 3; ++d) {
        b.lo[d] = below(side);
        b.hi[d] = b.lo[d] + 1 + below(std::min<std::uint64_t>(3, side - b.lo[d]));
      }
      if (!known.empty() && below(2) == 0) b = known[below(known.size())];
      known.push_back(b);
      if (below(4) == 0) {
        std::map<element, std::uint32_t> inside;
        for (const box_index::entry& e : index.cut_out(b))
          for_each_element(intersection(e.where, b), [&](element x) { inside[x] = e.value; });
        for_each_element(b, [&](element x) {
          const auto was = oracle.find(x);
          EXPECT_EQ(was == oracle.end() ? 0 : was->second, inside.count(x) == 0 ? 0 : inside[x]);
          oracle.erase(x);
        });
      } else {
        index.replace(b, step);
        for_each_element(b, [&](element x) { oracle[x] = step; });
      }
      std::map<element, std::uint32_t> held;
      std::uint64_t elements = 0;
      for (const box_index::entry& e : index.meeting(model::box::of({{side, side, side}}))) {
        elements += e.where.count();
        for_each_element(e.where, [&](element x) { held[x] = e.value; });
      }
      ASSERT_EQ(held, oracle) << "round " << round << ", step " << step;
      ASSERT_EQ(elements, oracle.size()) << "entries meet each other";
    }
  }
}

}  // namespace
