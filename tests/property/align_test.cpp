// SPDX-License-Identifier: Apache-2.0
// Sequences that are aligned against the table of all prefixes, and changed graphs against the changes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <pianola/planner/compare/align.hpp>
#include <pianola/planner/compare/difference.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;
using words = std::vector<std::uint64_t>;

// The length of the longest common subsequence.
std::size_t most_in_common(const words& a, const words& b) {
  std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      best[i][j] =
          a[i - 1] == b[j - 1] ? best[i - 1][j - 1] + 1 : std::max(best[i - 1][j], best[i][j - 1]);
  return best[a.size()][b.size()];
}

words some_words(std::uint64_t alphabet, int longest) {
  return *rc::gen::resize(longest, rc::gen::container<words>(test::number<std::uint64_t>(
                                       0, std::max<std::uint64_t>(alphabet, 1))));
}

void expect_ascending_and_equal(const words& a, const words& b,
                                const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    RC_ASSERT(pairs[i].first < a.size());
    RC_ASSERT(pairs[i].second < b.size());
    RC_ASSERT(a[pairs[i].first] == b[pairs[i].second]);
    if (i > 0) {
      RC_ASSERT(pairs[i - 1].first < pairs[i].first);
      RC_ASSERT(pairs[i - 1].second < pairs[i].second);
    }
  }
}

RC_GTEST_PROP(Alignment, matches_as_many_values_as_any_other, ()) {
  const auto alphabet = *test::number<std::uint64_t>(1, 12);
  const words a = some_words(alphabet, 60), b = some_words(alphabet, 60);
  const auto pairs = planner::align({a.data(), a.size()}, {b.data(), b.size()});
  expect_ascending_and_equal(a, b, pairs);
  RC_ASSERT(pairs.size() == most_in_common(a, b));
}

RC_GTEST_PROP(Alignment, with_too_many_differences_is_still_one, ()) {
  const auto alphabet = *test::number<std::uint64_t>(1, 12);
  const auto most = *test::number<std::uint32_t>(0, 10);
  const words a = some_words(alphabet, 60), b = some_words(alphabet, 60);
  const auto pairs = planner::align({a.data(), a.size()}, {b.data(), b.size()}, most);
  expect_ascending_and_equal(a, b, pairs);
  // Where few enough differences are left, none is missed.
  const std::size_t common = most_in_common(a, b);
  if (a.size() + b.size() - 2 * common <= most) RC_ASSERT(pairs.size() == common);
}

TEST(Alignment, does_not_count_what_only_one_has_as_differences) {
  words a, b;
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (std::uint64_t n = 0; n < 50; ++n) a.push_back(1000 + 50 * i + n);
    for (std::uint64_t n = 0; n < 30; ++n) b.push_back(100000 + 30 * i + n);
    a.push_back(i);
    b.push_back(i);
  }
  const auto pairs = planner::align({a.data(), a.size()}, {b.data(), b.size()}, 10);
  ASSERT_EQ(pairs.size(), 100U);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(a[pairs[i].first], i);
}

// Many more differences than are looked for: what is between those found from both ends is aligned as well.
TEST(Alignment, goes_on_to_the_middle_of_sequences_that_differ_much) {
  constexpr std::size_t block = 100, count = 200;
  words a, b;
  for (std::uint64_t i = 0; i < count * block; ++i) a.push_back(i);
  std::mt19937_64 random(3);
  for (std::size_t i = 0; i < count; ++i) {
    words part(a.begin() + static_cast<std::ptrdiff_t>(i * block),
               a.begin() + static_cast<std::ptrdiff_t>((i + 1) * block));
    std::shuffle(part.begin(), part.end(), random);
    b.insert(b.end(), part.begin(), part.end());
  }
  std::vector<std::size_t> found(count, 0);
  for (const auto& [x, y] : planner::align({a.data(), a.size()}, {b.data(), b.size()}))
    ++found[a[x] / block];
  // Two times the square root of a hundred at random; a cut within a block costs some.
  for (std::size_t i = 0; i < count; ++i) EXPECT_GE(found[i], 8U) << i;
  EXPECT_GE(std::accumulate(found.begin(), found.end(), std::size_t{0}), 15 * count);
}

// A program, and the same after some changes. No two commands do the same.
struct changed_program {
  test::scenario before, after;
  std::deque<std::string> names;
  std::set<std::uint32_t> deleted, inserted;                        // in before, in after
  std::set<std::pair<std::uint32_t, std::uint32_t>> renamed, kept;  // in both

  void add(test::scenario& to, const model::command& c, std::uint64_t size,
           const std::string& name) {
    model::kernel_command kernel;
    kernel.id = model::kernel_id(std::hash<std::string>()(name));
    kernel.geometry.global = {{1, 1, size}};
    to.commands.add(c.device, {c.requirements.begin(), c.requirements.end()}, {}, kernel);
    to.commands.all().back().label = names.emplace_back(name).c_str();
  }
};

RC_GTEST_PROP(Difference, is_what_was_changed, ()) {
  const auto sketch = *rc::gen::arbitrary<test::sketch>();
  const test::scenario drawn = test::build(sketch);
  changed_program p;
  for (test::scenario* s : {&p.before, &p.after}) {
    s->machine = drawn.machine;
    s->buffers = drawn.buffers;
  }
  std::uint64_t size = 1;
  for (const model::command& c : drawn.commands.all()) {
    const auto what = *test::number<int>(0, 10);
    const std::uint32_t in_a = static_cast<std::uint32_t>(p.before.commands.size()),
                        in_b = static_cast<std::uint32_t>(p.after.commands.size());
    const std::string name = "kernel " + std::to_string(size);
    if (what == 0) {  // inserted
      p.add(p.after, c, size, name);
      p.inserted.insert(in_b);
    } else {
      p.add(p.before, c, size, name);
      if (what == 1) {
        p.deleted.insert(in_a);
      } else {
        p.add(p.after, c, size, what == 2 ? "renamed " + std::to_string(size) : name);
        (what == 2 ? p.renamed : p.kept).emplace(in_a, in_b);
      }
    }
    ++size;
  }
  const planner::graph_view a(p.before.commands.all(), p.before.buffers, 1),
      b(p.after.commands.all(), p.after.buffers, 2);
  const planner::plan plan_a = planner::make_plan(a.commands(), a.buffers(), p.before.machine),
                      plan_b = planner::make_plan(b.commands(), b.buffers(), p.after.machine);
  const planner::compared_graph first{a, plan_a, p.before.machine},
      second{b, plan_b, p.after.machine};
  const planner::graph_difference d = planner::difference_of(first, second);

  std::set<std::uint32_t> deleted, inserted;
  for (const model::command_id c : d.deleted) deleted.insert(c.value());
  for (const model::command_id c : d.inserted) inserted.insert(c.value());
  RC_ASSERT(deleted == p.deleted);
  RC_ASSERT(inserted == p.inserted);
  RC_ASSERT(d.moved.empty());
  std::set<std::pair<std::uint32_t, std::uint32_t>> renamed, kept;
  for (const planner::command_match& m : d.matches) {
    RC_ASSERT(!m.device && !m.size && !m.accesses);
    (m.name ? renamed : kept).emplace(m.a.value(), m.b.value());
  }
  RC_ASSERT(renamed == p.renamed);
  RC_ASSERT(kept == p.kept);
  RC_ASSERT(d.a.commands == p.before.commands.size());
  if (deleted.empty() && inserted.empty()) {
    RC_ASSERT(d.a.bytes == d.b.bytes);
    RC_ASSERT(d.edges_lost.empty() && d.edges_gained.empty());
    RC_ASSERT(d.transfers_lost.empty() && d.transfers_gained.empty());
  }
}

}  // namespace
