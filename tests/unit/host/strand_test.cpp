// SPDX-License-Identifier: Apache-2.0
// Two threads that go through two lists of items which wait for each other, in every interleaving; one of them may lose its
// processor for ever between any two items.
// compiled alone: others have its short names, too.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/host/strand.hpp>

#include "interleavings.hpp"

namespace pianola::host {
namespace {

using test::explored_atomic;
using test::explored_system;
using test::interleavings;

// Like basic_strand, with a mistake.
struct whose_claims_know_no_run : basic_strand<explored_system> {
  bool claim(std::uint32_t run, std::uint32_t at, std::uint32_t n) {
    return basic_strand::claim(run, at, n) || basic_strand::claim(run + 1, at, n);
  }
};
struct that_is_finished_when_claimed : basic_strand<explored_system> {
  bool claim(std::uint32_t run, std::uint32_t at, std::uint32_t n) {
    if (!basic_strand::claim(run, at, n)) return false;
    finish(run, at + n);
    return true;
  }
};
struct that_belongs_to_who_came_first : basic_strand<explored_system> {
  explored_atomic<std::uint32_t> owner{0};
};

// A chain of two or three items, in turns on two strands: the first one of strand 0, that of strand 1, the second one of
// strand 0.
template <class Strand = basic_strand<explored_system>>
struct small_graph {
  interleavings all;
  const std::uint32_t items[2];
  Strand strands[2];
  explored_atomic<std::uint32_t> run{0};
  // How often each item of a strand has run.
  std::array<std::array<explored_atomic<std::uint32_t>, 2>, 2> times{
      {{explored_atomic<std::uint32_t>(0), explored_atomic<std::uint32_t>(0)},
       {explored_atomic<std::uint32_t>(0), explored_atomic<std::uint32_t>(0)}}};
  explored_atomic<std::uint32_t> wrong{0};
  explored_atomic<std::uint32_t> held{0};
  explored_atomic<std::uint32_t> nobody_tells{0};

  explicit small_graph(std::uint32_t length) : items{length / 2 + length % 2, length / 2} {}

  // So many of the other strand come before it.
  static std::uint32_t waits_for(std::uint32_t s, std::uint32_t at) { return at + s; }
  static bool may_claim(Strand&, std::uint32_t) { return true; }

  void do_item(std::uint32_t r, std::uint32_t s, std::uint32_t at) {
    const std::uint32_t before = waits_for(s, at);
    if (before != 0 && times[1 - s][before - 1].load() != r) wrong.store(1);
    if (times[s][at].fetch_add(1) != r - 1) wrong.store(2);
  }
  // One item of one of the two; false if none goes.
  bool advance(std::uint32_t r, std::uint32_t own) {
    for (const std::uint32_t s : {own, 1 - own}) {
      const std::uint32_t at = strands[s].finished(r);
      if (at >= items[s]) continue;
      const std::uint32_t before = waits_for(s, at);
      if (before != 0 && !strands[1 - s].reached(r, before)) continue;
      if (!may_claim(strands[s], own) || !strands[s].claim(r, at, 1)) continue;
      do_item(r, s, at);
      strands[s].finish(r, at + 1);
      return true;
    }
    return false;
  }
  bool ended(std::uint32_t r) {
    return strands[0].reached(r, items[0]) && strands[1].reached(r, items[1]);
  }
  void rest() { explored_system::wait(nobody_tells, 0, 1000); }

  // Begins so many runs, one after the other, and stays to their end. It knows which is under way.
  interleavings::thread owner(std::uint32_t runs) {
    return [this, runs](std::uint64_t known) -> std::uint64_t {
      auto r = static_cast<std::uint32_t>(known);
      if (r == 0 || ended(r)) {
        if (r == runs) return interleavings::end;
        ++r;
        strands[0].begin(r);
        strands[1].begin(r);
        run.store(r, std::memory_order_release);
        return r;
      }
      if (!advance(r, 0)) rest();
      return r;
    };
  }
  // Comes in at some time, and may be late.
  interleavings::thread helper(bool may_be_held) {
    return [this, may_be_held](std::uint64_t known) -> std::uint64_t {
      if (known == 0) {
        const std::uint32_t r = run.load();
        if (r == 0) rest();
        return r;
      }
      const auto r = static_cast<std::uint32_t>(known);
      if (may_be_held && held.load() != 0) {
        explored_system::wait(held, 1, 1'000'000'000);
        return r;
      }
      if (!advance(r, 1)) {
        if (ended(r)) return interleavings::end;
        rest();
      }
      return r;
    };
  }
  // The runs have ended, each item of them has run once, when it was to.
  std::string explore(std::uint32_t runs, bool holds) {
    std::vector<interleavings::thread> threads = {owner(runs), helper(holds)};
    if (holds) threads.push_back(interleavings::once([this] { held.store(1); }));
    return all.explore(threads, [&](const interleavings& at_end) {
      if (at_end.final(wrong.variable()) != 0) return false;
      for (std::uint32_t s = 0; s < 2; ++s)
        for (std::uint32_t i = 0; i < items[s]; ++i)
          if (at_end.final(times[s][i].variable()) != runs) return false;
      return true;
    });
  }
};

template <>
bool small_graph<that_belongs_to_who_came_first>::may_claim(that_belongs_to_who_came_first& s,
                                                            std::uint32_t thread) {
  std::uint32_t nobody = 0;
  return s.owner.compare_exchange_strong(nobody, thread + 1, std::memory_order_acq_rel,
                                         std::memory_order_relaxed) ||
         nobody == thread + 1;
}

TEST(strand, is_gone_through_once_and_in_order_by_two_threads) {
  small_graph<> g(3);
  EXPECT_EQ(g.explore(1, false), "");
  EXPECT_GT(g.all.states(), 100U);
}

TEST(strand, ends_though_a_thread_loses_its_processor_between_items) {
  small_graph<> g(3);
  EXPECT_EQ(g.explore(1, true), "");
}

TEST(strand, is_not_touched_by_a_thread_that_is_late_from_an_earlier_run) {
  small_graph<> g(2);
  EXPECT_EQ(g.explore(2, false), "");
}

// What the tests above would say of other strands.
TEST(strand, that_belongs_to_one_thread_waits_for_that_thread) {
  small_graph<that_belongs_to_who_came_first> g(3);
  EXPECT_NE(g.explore(1, true), "");
}

TEST(strand, whose_claims_do_not_name_the_run_is_touched_by_late_threads) {
  small_graph<whose_claims_know_no_run> g(2);
  EXPECT_NE(g.explore(2, false), "");
}

TEST(strand, that_is_finished_when_it_is_claimed_breaks_the_order) {
  small_graph<that_is_finished_when_claimed> g(3);
  EXPECT_NE(g.explore(1, false), "");
}

}  // namespace
}  // namespace pianola::host
