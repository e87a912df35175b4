// SPDX-License-Identifier: Apache-2.0
// Which commands of two graphs are the same, against all ways to pair them.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <pianola/recorder/match_commands.hpp>
#include <utility>
#include <vector>

namespace pianola::recorder {
namespace {

struct small_graph {
  std::vector<std::vector<std::uint64_t>> after;
  std::vector<bool> barrier;

  [[nodiscard]] std::vector<model::command> commands() const {
    std::vector<model::command> made(after.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      made[i].after = after[i];
      if (barrier[i]) made[i].payload = model::barrier_command();
    }
    return made;
  }
};

small_graph any_graph(std::size_t commands) {
  small_graph g;
  g.after.resize(commands);
  for (std::size_t to = 0; to < commands; ++to) {
    g.barrier.push_back(*rc::gen::inRange(0, 4) == 0);
    for (std::size_t from = 0; from < to; ++from)
      if (*rc::gen::inRange(0, 3) == 0) g.after[to].push_back(from);
  }
  return g;
}

// The same commands in another order that respects the edges.
small_graph in_another_order(const small_graph& g) {
  std::vector<std::size_t> order, place(g.after.size());
  std::vector<char> placed(g.after.size(), 0);
  while (order.size() < g.after.size()) {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < g.after.size(); ++i)
      if (placed[i] == 0 &&
          std::all_of(g.after[i].begin(), g.after[i].end(), [&](auto a) { return placed[a] != 0; }))
        ready.push_back(i);
    const std::size_t next = *rc::gen::elementOf(ready);
    placed[next] = 1;
    place[next] = order.size();
    order.push_back(next);
  }
  small_graph moved;
  for (const std::size_t i : order) {
    moved.barrier.push_back(g.barrier[i]);
    moved.after.emplace_back();
    for (const std::uint64_t a : g.after[i]) moved.after.back().push_back(place[a]);
  }
  return moved;
}

bool is_match(const small_graph& one, const small_graph& other,
              const std::vector<std::uint32_t>& counterpart) {
  for (std::size_t i = 0; i < one.after.size(); ++i) {
    if (one.barrier[i] != other.barrier[counterpart[i]]) return false;
    std::vector<std::uint64_t> there;
    for (const std::uint64_t a : one.after[i]) there.push_back(counterpart[a]);
    std::vector<std::uint64_t> wanted = other.after[counterpart[i]];
    std::sort(there.begin(), there.end());
    std::sort(wanted.begin(), wanted.end());
    if (there != wanted) return false;
  }
  return true;
}

bool are_the_same(const small_graph& one, const small_graph& other) {
  std::vector<std::uint32_t> pairing(one.after.size());
  std::iota(pairing.begin(), pairing.end(), 0U);
  do {
    if (is_match(one, other, pairing)) return true;
  } while (std::next_permutation(pairing.begin(), pairing.end()));
  return false;
}

// All graphs of so few commands are told apart by their classes.
RC_GTEST_PROP(MatchCommands, pairs_commands_if_and_only_if_the_graphs_are_the_same, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 7);
  const small_graph one = any_graph(size);
  const small_graph other = *rc::gen::arbitrary<bool>() ? in_another_order(one) : any_graph(size);
  const command_match found = match_commands(one.commands(), other.commands());
  const bool same = are_the_same(one, other);
  RC_TAG(same ? "same" : "others");
  RC_ASSERT(static_cast<bool>(found) == same);
  if (!found) {
    RC_ASSERT(found.differs < size);
    return;
  }
  std::vector<std::uint32_t> once = found.counterpart;
  std::sort(once.begin(), once.end());
  for (std::uint32_t i = 0; i < size; ++i) RC_ASSERT(once[i] == i);
  RC_ASSERT(is_match(one, other, found.counterpart));
}

RC_GTEST_PROP(MatchCommands, finds_larger_graphs_in_another_order, ()) {
  const small_graph one = any_graph(*rc::gen::inRange<std::size_t>(8, 30));
  const small_graph other = in_another_order(one);
  const command_match found = match_commands(one.commands(), other.commands());
  RC_ASSERT(static_cast<bool>(found));
  RC_ASSERT(is_match(one, other, found.counterpart));
}

}  // namespace
}  // namespace pianola::recorder
