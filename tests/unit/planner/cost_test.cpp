// SPDX-License-Identifier: Apache-2.0
// What planning costs where it must not grow: memory over a long life, allocations once warm.
#include <atomic>
#include <cstdlib>
#include <new>
#include <random>

#include <pianola/test/counts_allocations.hpp>

#include "planning_fixture.hpp"
#include "state/state.hpp"

#if PIANOLA_TEST_COUNTS_ALLOCATIONS
namespace {
std::atomic<std::size_t> allocations{0};
}

// Not inlined: a compiler that sees through one of them alone warns of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(bytes == 0 ? 1 : bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

namespace pianola::test {
namespace {

using Cost = Planning;

#if PIANOLA_TEST_COUNTS_ALLOCATIONS
TEST_F(Cost, planning_one_command_on_whole_buffers_allocates_nothing_once_warm) {
  const auto a = buffer(row(100)), b = buffer(row(100));
  std::vector<model::requirement> read_write{needs(a, access_mode::read_write, all(a))};
  std::vector<model::requirement> two{needs(a, access_mode::read, all(a)),
                                      needs(b, access_mode::write, all(b), true)};
  std::size_t warm = 0;
  for (int i = 0; i < 3000; ++i) {
    if (i == 1000) warm = allocations;
    model::command c;
    c.requirements = i % 2 == 0 ? read_write : two;
    // Back and forth between devices, so that there are transfers as well.
    c.device = i % 10 < 5 ? cpu : device1;
    planner::plan_window({&c, 1}, state, machine, options, false, plan);
    if (state.next_step().value() > 50)
      state.retire_below(model::step_id(state.next_step().value() - 50));
  }
  EXPECT_EQ(allocations - warm, 0U);
}
#endif

TEST_F(Cost, a_million_commands_leave_no_more_behind_than_a_few_thousand) {
  const auto b = buffer(row(1 << 16, 64)), c = buffer(plane(512, 512, 16, 16)), d = buffer(row(10));
  std::mt19937_64 random(7);
  planner::state_size early{};
  std::size_t boxes = 0, readers = 0, lanes = 0;
  // What grows is counted, and no sanitizer is needed to see it.
  constexpr int commands = PIANOLA_TEST_COUNTS_ALLOCATIONS != 0 ? 1000000 : 100000;
  for (int i = 0; i < commands; ++i) {
    const auto draw = random();
    const auto mode = static_cast<access_mode>(draw % 3);
    const bool no_init = mode != access_mode::read && draw / 3 % 4 == 0;
    box where;
    model::buffer_id which = b;
    if (draw / 12 % 3 == 0) {
      const std::uint64_t from = random() % (1 << 16);
      where = span(from, std::min<std::uint64_t>(1 << 16, from + 1 + random() % 3000));
    } else if (draw / 12 % 3 == 1) {
      which = c;
      const std::uint64_t i0 = random() % 512, j0 = random() % 512;
      where = {{{0, i0, j0}},
               {{1, std::min<std::uint64_t>(512, i0 + 1 + random() % 90),
                 std::min<std::uint64_t>(512, j0 + 1 + random() % 90)}}};
    } else {
      which = d;
      where = all(d);
    }
    model::command command;
    const model::requirement r = needs(which, mode, where, no_init);
    command.requirements = {&r, 1};
    command.device = model::device_id(static_cast<std::uint16_t>(draw / 64 % 4));
    planner::plan_window({&command, 1}, state, machine, options, false, plan);
    if (i % 100 == 0 && state.next_step().value() > 500)
      state.retire_below(model::step_id(state.next_step().value() - 500));
    if (i % 1000 == 0) {
      const planner::state_size now = planner::size_of(state);
      if (i <= 50000) {
        early.validity_boxes = std::max(early.validity_boxes, now.validity_boxes);
        early.history_boxes = std::max(early.history_boxes, now.history_boxes);
        early.readers = std::max(early.readers, now.readers);
        lanes = state.lane_count();
      }
      boxes = std::max(boxes, now.validity_boxes + now.history_boxes);
      readers = std::max(readers, now.readers);
    }
  }
  EXPECT_LE(boxes, 2 * (early.validity_boxes + early.history_boxes));
  EXPECT_LE(readers, 2 * early.readers);
  EXPECT_EQ(state.lane_count(), lanes);
}

TEST_F(Cost, readers_of_a_buffer_that_nobody_writes_do_not_pile_up) {
  const auto b = buffer(row(100));
  for (int i = 0; i < 100000; ++i) submit(cpu, {needs(b, access_mode::read, all(b))});
  // Nothing was ever retired: one reader per lane stands for all before it.
  EXPECT_LE(planner::size_of(state).readers, 40U);
}

// Room is made where few are forgotten, else a list that is nearly full is gone through at each read. Some of these numbers are
// nearly as many as there is room for, whatever that is.
TEST_F(Cost, one_that_reads_again_and_again_beside_others_is_looked_at_a_few_times) {
  constexpr std::uint64_t times = 500;
  for (std::uint64_t others = 40; others < 100; ++others) {
    const auto b = buffer(row(100));
    const auto read = [&](model::lane_id lane) {
      submit(cpu, {needs(b, access_mode::read, all(b))}, {}, model::host_access_command{}, lane);
    };
    const std::uint64_t before = state.internals().reader_lanes_looked_at;
    for (std::uint64_t i = 0; i < others; ++i) read(state.add_private_lane(cpu));
    const model::lane_id again = state.add_private_lane(cpu);
    for (std::uint64_t i = 0; i < times; ++i) read(again);
    EXPECT_LE(state.internals().reader_lanes_looked_at - before, 16 * (others + times)) << others;
  }
}

// As accesses by the host that go on: each has a lane of its own, and none has finished.
TEST_F(Cost, readers_in_lanes_of_their_own_are_looked_at_a_few_times_each) {
  const auto b = buffer(row(100));
  constexpr std::uint64_t readers = 3000;
  std::vector<std::uint64_t> last;
  for (std::uint64_t i = 0; i < readers; ++i) {
    const model::lane_id lane = state.add_private_lane(cpu);
    for (std::uint64_t times = 1 + i % 2; times != 0; --times) {
      last.resize(i + 1);
      last[i] = submit(cpu, {needs(b, access_mode::read, all(b))}, {}, model::host_access_command{},
                       lane);
    }
  }
  EXPECT_LE(state.internals().reader_lanes_looked_at, 16 * readers);
  EXPECT_GE(state.internals().reader_lanes_looked_at, readers);
  // All of them are in the way of who writes, the latest of each lane for the lane.
  submit(cpu, {needs(b, access_mode::write, all(b))}, {}, model::host_access_command{},
         state.add_private_lane(cpu));
  EXPECT_EQ(waits(), last);
}

TEST_F(Cost, a_command_and_its_transfers_have_clocks_for_the_lanes_that_they_meet) {
  constexpr int accesses = 1000;
  std::vector<model::buffer_id> buffers;
  std::vector<std::uint64_t> steps;
  for (int i = 0; i < accesses; ++i) {
    buffers.push_back(buffer(row(10)));
    steps.push_back(submit(cpu, {needs(buffers.back(), access_mode::read_write, span(0, 10))}, {},
                           model::host_access_command{}, state.add_private_lane(cpu)));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    submit(device1, {needs(buffers[i], access_mode::read_write, span(0, 10))});
    ASSERT_EQ(plan.steps.size(), 2U);
    EXPECT_EQ(plan.waits_of(plan.steps[0]).size(), 1U);
    EXPECT_TRUE(after(steps[i]));
    ASSERT_LE(state.internals().scratch.clocks.size(), 64U);
  }
}

// Against a plain list, over many lives.
TEST(LaneNumbers, are_given_in_the_order_in_which_lanes_come) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  planner::lane_numbers numbers;
  for (int round = 0; round < 200; ++round) {
    numbers.clear();
    std::vector<std::uint32_t> plain;
    const std::uint32_t lanes = 1 + random() % 60;
    for (std::uint32_t i = random() % 40; i != 0; --i) {
      const std::uint32_t lane = random() % lanes;
      const bool fresh = std::find(plain.begin(), plain.end(), lane) == plain.end();
      ASSERT_EQ(numbers.add(lane), fresh);
      if (fresh) plain.push_back(lane);
    }
    ASSERT_EQ(numbers.size(), plain.size());
    for (std::uint32_t lane = 0; lane < 80; ++lane) {
      const auto at = std::find(plain.begin(), plain.end(), lane);
      ASSERT_EQ(numbers.find(lane), at == plain.end()
                                        ? planner::lane_numbers::none
                                        : static_cast<std::uint32_t>(at - plain.begin()));
    }
  }
}

TEST_F(Cost, a_buffer_of_a_million_pages_used_as_a_whole_is_one_box) {
  const auto b = buffer(row(1000000, 1));
  for (int i = 0; i < 10; ++i)
    submit(i % 2 == 0 ? device1 : cpu, {needs(b, access_mode::read_write, all(b))});
  EXPECT_EQ(planner::size_of(state).validity_boxes, 1U);
  EXPECT_EQ(planner::size_of(state).history_boxes, 1U);
  for (std::uint64_t k = 0; k < 100; ++k)
    submit(cpu, {needs(b, access_mode::read_write, span(k * 10000, (k + 1) * 10000))});
  EXPECT_LE(planner::size_of(state).history_boxes, 100U);
  submit(cpu, {needs(b, access_mode::read_write, all(b))});
  EXPECT_EQ(planner::size_of(state).history_boxes, 1U);
}

}  // namespace
}  // namespace pianola::test
