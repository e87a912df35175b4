// SPDX-License-Identifier: Apache-2.0
// Files that were changed at random, with a checksum that is right: each is refused, or safe to use. PIANOLA_SEED repeats
// a run.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "image_sample.hpp"
#include "sample_contents.hpp"
#include "use_file.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;

// Files with changes: each is refused, or safe to use.
void change_at_random(const std::string& bytes) {
  const char* given = std::getenv("PIANOLA_SEED");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device()();
  SCOPED_TRACE("PIANOLA_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  ASSERT_TRUE(use_file(bytes));
  constexpr std::uint64_t edges[] = {0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, ~0ULL};
  int used = 0;
  for (int round = 0; round < 30000; ++round) {
    std::string changed = bytes;
    const std::size_t changes = 1 + below(3);
    for (std::size_t c = 0; c < changes; ++c) {
      const std::size_t at = below(changed.size());
      switch (below(6)) {
        case 0:
          changed[at] = static_cast<char>(changed[at] ^ (1 << below(8)));
          break;
        case 1:
          changed[at] = static_cast<char>(below(256));
          break;
        case 2: {  // a number that is at some edge
          const std::uint64_t value = edges[below(std::size(edges))];
          const std::size_t width = std::size_t{1} << below(4);
          const std::size_t from = at / width * width;
          if (from + width <= changed.size()) std::memcpy(changed.data() + from, &value, width);
          break;
        }
        case 3:
          changed.resize(1 + below(changed.size()));
          break;
        case 4:
          changed.append(1 + below(200), static_cast<char>(below(256)));
          break;
        default: {  // a piece of it somewhere else
          const std::size_t size = std::min({below(64) + 1, changed.size() - at});
          const std::size_t from = below(changed.size() - size + 1);
          std::memmove(changed.data() + at, changed.data() + from, size);
          break;
        }
      }
      if (changed.empty()) break;
    }
    sum_up(changed);
    if (use_file(changed)) ++used;
  }
  // Both happen, or the changes are too small or too large to show anything.
  EXPECT_GT(used, 300);
  EXPECT_LT(used, 29000);
}

TEST(mutated_executables, are_refused_or_safe_to_use) {
  const sample good;
  change_at_random(executable::to_bytes(good.what));
}

TEST(mutated_executables, with_constants_and_images_are_refused_or_safe_to_use) {
  const image_sample good;
  change_at_random(executable::to_bytes(good.what));
}

}  // namespace
