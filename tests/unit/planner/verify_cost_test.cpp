// SPDX-License-Identifier: Apache-2.0
// What verifying costs follows from the boxes that meet, not from where their faces are.
#include <random>

#include "planning_fixture.hpp"
#include "verify/box_index.hpp"
#include "verify/checker.hpp"

namespace pianola::test {
namespace {

using planner::verification::box_index;

model::buffer_info space(std::uint64_t n) {
  model::buffer_info info;
  info.grid = model::page_grid({{n, n, n}}, {{1, 1, 1}});
  info.element_size = 4;
  info.dimensions = 3;
  return info;
}

TEST(VerifyCost, follows_from_the_boxes_that_meet) {
  // Twelve layers of twelve rows of twelve bricks, each of its own size: 1,728 boxes, of which no two faces align.
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const model::topology machine = four_devices();
  const model::buffer_id b(0);
  const std::vector<model::buffer_info> buffers{space(12000)};
  const auto within = [&](std::uint64_t at) { return 1000 * at + random() % 800; };
  std::vector<model::box> boxes;
  for (std::uint64_t i = 0; i < 12; ++i)
    for (std::uint64_t j = 0; j < 12; ++j)
      for (std::uint64_t k = 0; k < 12; ++k) {
        const model::point3 lo{{within(i), within(j), within(k)}};
        boxes.push_back({lo, {{lo.c[0] + 200, lo.c[1] + 200, lo.c[2] + 200}}});
      }
  command_list commands;
  for (int round = 0; round < 2; ++round)
    for (const model::box& x : boxes)
      commands.add(round == 0 ? device1 : device2,
                   {needs(b, access_mode::read_write, x, round == 0)});
  const planner::plan plan = planner::make_plan(commands.all(), buffers, machine);
  planner::verification::checker check(commands.all(), {buffers.data(), 1}, machine, plan);
  const auto violation = check.run();
  EXPECT_FALSE(violation.has_value()) << violation->reason;
  EXPECT_LT(check.boxes_met(), 100 * boxes.size());
}

TEST(VerifyCost, of_boxes_that_were_overwritten_is_forgotten) {
  std::mt19937 random(7);
  box_index index;
  const model::box all = model::box::of({{4000, 4000, 4000}});
  for (std::uint32_t i = 0; i < 2000; ++i) {
    model::box x;
    for (int d = 0; d < 3; ++d) {
      x.lo.c[d] = random() % 2000;
      x.hi.c[d] = x.lo.c[d] + 1 + random() % 2000;
    }
    index.cut_out(x);
    index.add(x, i);
    if (i % 500 == 499) {
      index.cut_out(all);
      EXPECT_EQ(index.size(), 0U);
    }
  }
}

TEST(VerifyBoxes, hold_what_an_array_holds) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::uint64_t n = 9;
  const auto draw = [&] {
    model::box x;
    for (int d = 0; d < 3; ++d) {
      x.lo.c[d] = random() % n;
      x.hi.c[d] = x.lo.c[d] + 1 + random() % (n - x.lo.c[d]);
    }
    return x;
  };
  const auto each = [](const model::box& x, auto f) {
    for (std::uint64_t i = x.lo.c[0]; i < x.hi.c[0]; ++i)
      for (std::uint64_t j = x.lo.c[1]; j < x.hi.c[1]; ++j)
        for (std::uint64_t k = x.lo.c[2]; k < x.hi.c[2]; ++k) f((i * n + j) * n + k);
  };
  for (int round = 0; round < 30; ++round) {
    box_index index;
    std::vector<int> oracle(n * n * n, -1);
    for (int step = 0; step < 120; ++step) {
      const model::box x = draw();
      index.cut_out(x);
      const bool fill = random() % 3 != 0;
      if (fill) index.add(x, static_cast<std::uint32_t>(step));
      each(x, [&](std::size_t e) { oracle[e] = fill ? step : -1; });

      const model::box asked = draw();
      std::vector<int> found(oracle.size(), -1);
      for (const auto& e : index.meeting(asked))
        each(e.where, [&](std::size_t at) {
          ASSERT_EQ(found[at], -1) << "twice";
          found[at] = static_cast<int>(e.value);
        });
      bool whole = true;
      each(asked, [&](std::size_t at) {
        ASSERT_EQ(found[at], oracle[at]);
        whole = whole && oracle[at] != -1;
      });
      const auto gap = index.gap(asked);
      ASSERT_EQ(gap.has_value(), !whole);
      if (gap) {
        ASSERT_TRUE(contains(asked, *gap));
        each(*gap, [&](std::size_t at) { ASSERT_EQ(oracle[at], -1); });
      }
    }
  }
}

}  // namespace
}  // namespace pianola::test
