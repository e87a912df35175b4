// SPDX-License-Identifier: Apache-2.0
// What plans say of memory: peaks, places of temporary buffers, evictions; and what verify makes of wrong ones.
#include <map>

#include <pianola/model/saturating.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/memory_uses.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/planner/text.hpp>

#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

constexpr std::uint64_t size = 64;  // elements: 256 bytes

class MemoryPlan : public ::testing::Test {
 protected:
  model::buffer_id buffer(bool temporary, bool evictable, std::uint64_t elements = size) {
    model::buffer_info info = row(elements);
    info.temporary = temporary;
    info.evictable = evictable;
    buffers.push_back(info);
    return model::buffer_id(static_cast<std::uint32_t>(buffers.size() - 1));
  }
  [[nodiscard]] box all(model::buffer_id b) const {
    return box::of(buffers[b.value()].grid.range());
  }
  [[nodiscard]] model::requirement reads(model::buffer_id b) const {
    return needs(b, access_mode::read, all(b));
  }
  [[nodiscard]] model::requirement replaces(model::buffer_id b) const {
    return needs(b, access_mode::write, all(b), true);
  }
  [[nodiscard]] model::requirement changes(model::buffer_id b) const {
    return needs(b, access_mode::read_write, all(b));
  }
  // Comes after the command before it.
  void add_next(std::vector<model::requirement> requirements) {
    std::vector<std::uint64_t> after;
    if (commands.size() != 0) after.push_back(commands.size() - 1);
    commands.add(device1, std::move(requirements), std::move(after));
  }
  planner::plan make() {
    planner::plan p = planner::make_plan(commands.all(), buffers, machine, options);
    EXPECT_EQ(wrong(p), "");
    return p;
  }
  [[nodiscard]] std::string wrong(const planner::plan& p) const {
    const auto violation = planner::verify(commands.all(), buffers, machine, p);
    return violation ? violation->reason : "";
  }
  static planner::memory_use use_of(const planner::plan& p, memory_id m) {
    for (const planner::memory_use& u : p.memories)
      if (u.memory == m) return u;
    return {};
  }
  static std::vector<transfer_step> transfers(const planner::plan& p) {
    std::vector<transfer_step> result;
    for (const auto& s : p.steps)
      if (const auto* t = std::get_if<transfer_step>(&s.action)) result.push_back(*t);
    return result;
  }
  // in -> a -> b -> c -> out, all on device 1.
  void record_chain() {
    const auto in = buffer(false, false), a = buffer(true, false), b = buffer(true, false),
               c = buffer(true, false), out = buffer(false, false);
    commands.add(device1, {reads(in), replaces(a)});
    commands.add(device1, {reads(a), replaces(b)});
    commands.add(device1, {reads(b), replaces(c)});
    commands.add(device1, {reads(c), replaces(out)});
  }

  model::topology machine = four_devices(links::all, 4);
  planner::options options;
  std::vector<model::buffer_info> buffers;
  command_list commands;
};

TEST_F(MemoryPlan, counts_every_buffer_where_it_is_used) {
  const auto a = buffer(false, false, 10), b = buffer(false, false, 100);
  commands.add(device1, {reads(a), replaces(b)});
  commands.add(cpu, {reads(b)});
  const auto p = make();
  EXPECT_EQ(use_of(p, memory1).peak, 440U);
  EXPECT_EQ(use_of(p, host).peak, 400U);
  EXPECT_EQ(p.memories.size(), 2U);
  EXPECT_TRUE(p.slots.empty());
}

TEST_F(MemoryPlan, counts_what_commands_allocate_once_where_it_is_shared) {
  const auto allocate = [](std::uint64_t name, std::uint64_t place, std::uint64_t bytes) {
    model::allocate_command a;
    a.allocation = name;
    a.place = place;
    a.bytes = bytes;
    a.memory = memory1;
    return a;
  };
  model::free_command end;
  end.allocation = 1;
  commands.add(device1, {}, {}, allocate(1, 0, 1000));
  commands.add(device1, {}, {0}, end);
  commands.add(device1, {}, {1}, allocate(2, 256, 100));
  commands.add(device1, {}, {}, allocate(3, 4096, 1));
  const auto p = make();
  const auto use = use_of(p, memory1);
  EXPECT_EQ(use.peak, 1024U + 256U);
  EXPECT_EQ(use.allocated, 1024U + 256U);
  EXPECT_EQ(use.allocated_apart, 1024U + 256U + 256U);
  EXPECT_EQ(use.saved(), 256U);
  EXPECT_EQ(planner::memory_text(p, machine),
            "memory peak memory1: 1.2 KiB, 1.2 KiB of them shared by 1.5 KiB that commands "
            "allocate; sharing saves 256 B\n");
  for (auto lie : {&planner::memory_use::allocated, &planner::memory_use::allocated_apart}) {
    auto changed = p;
    changed.memories.back().*lie += 256;
    EXPECT_NE(wrong(changed).find("allocations of commands"), std::string::npos) << wrong(changed);
  }
  auto older = p;
  older.memories.back().allocated = older.memories.back().allocated_apart = 0;
  EXPECT_EQ(wrong(older), "");
  // A graph that is nested twice brings its memory once.
  end.allocation = 2;
  commands.add(device1, {}, {2}, end);
  commands.add(device1, {}, {4}, allocate(2, 256, 100));
  EXPECT_EQ(use_of(make(), memory1).saved(), 256U);
}

TEST_F(MemoryPlan, has_temporary_buffers_of_a_chain_in_the_room_of_two) {
  record_chain();
  const auto p = make();
  auto silent = p;
  silent.memories.clear();
  machine.memories[1].bytes = 1500;
  const auto told = planner::memory_uses(commands.all(), buffers, machine, silent, 2000);
  ASSERT_EQ(told.size(), p.memories.size());
  EXPECT_EQ(told.back().peak, p.memories.back().peak);
  EXPECT_EQ(told.back().budget, 1500U);
  EXPECT_EQ(use_of(p, memory1).block, 512U);
  EXPECT_EQ(use_of(p, memory1).apart, 768U);
  EXPECT_EQ(use_of(p, memory1).peak, 1024U);
  ASSERT_EQ(p.slots.size(), 3U);
  EXPECT_EQ(p.slots[0].offset, p.slots[2].offset);
  EXPECT_NE(p.slots[0].offset, p.slots[1].offset);
  for (const auto* list : {&p.contract, &p.exit})
    for (const auto& e : *list) EXPECT_FALSE(buffers[e.buffer.value()].temporary);
}

TEST_F(MemoryPlan, lets_nothing_wait_for_a_place) {
  for (int branch = 0; branch < 2; ++branch) {
    const auto in = buffer(false, false), t = buffer(true, false), out = buffer(false, false);
    commands.add(device1, {reads(in), replaces(t)});
    commands.add(device1, {reads(t), replaces(out)});
  }
  const auto p = make();
  EXPECT_EQ(use_of(p, memory1).block, 512U);
  EXPECT_TRUE(p.waits.empty());
  EXPECT_EQ(p.lanes.size(), 2U);
}

TEST_F(MemoryPlan, refuses_a_temporary_buffer_that_is_read_before_it_is_written) {
  const auto t = buffer(true, false);
  commands.add(device1, {reads(t)});
  options.buffer_name = [](model::buffer_id) { return "buffer 'scratch'"; };
  try {
    static_cast<void>(planner::make_plan(commands.all(), buffers, machine, options));
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::invalid);
    EXPECT_NE(std::string(e.what()).find("command 0 reads buffer 'scratch'"), std::string::npos)
        << e.what();
  }
}

TEST_F(MemoryPlan, evicts_who_is_needed_again_last_and_drops_what_the_host_has) {
  const auto a = buffer(false, true), b = buffer(false, true), c = buffer(false, true);
  machine.memories[1].bytes = 512;
  for (const auto& x : {a, b, c, a, b}) add_next({reads(x)});
  const auto p = make();
  EXPECT_EQ(use_of(p, memory1).peak, 512U);
  EXPECT_EQ(use_of(p, memory1).budget, 512U);
  std::map<std::uint32_t, int> fetched;
  for (const transfer_step& t : transfers(p)) {
    EXPECT_EQ(t.from, host);
    ++fetched[t.buffer.value()];
  }
  EXPECT_EQ(fetched[a.value()], 1);
  EXPECT_EQ(fetched[b.value()], 2);
  EXPECT_EQ(fetched[c.value()], 1);
}

TEST_F(MemoryPlan, writes_back_what_has_changed_and_rests_on_the_host) {
  const auto a = buffer(false, true), b = buffer(false, true);
  machine.memories[1].bytes = 256;
  add_next({changes(a)});
  add_next({changes(b)});
  add_next({reads(a)});
  const auto p = make();
  EXPECT_EQ(transfers(p).size(), 5U);
  for (const auto* list : {&p.contract, &p.exit})
    for (const auto& e : *list) EXPECT_EQ(e.memories, model::memory_set(host));
}

TEST_F(MemoryPlan, does_not_move_temporary_data_that_nobody_reads_again) {
  const auto a = buffer(true, false), b = buffer(true, false);
  machine.memories[1].bytes = 256;
  add_next({replaces(a)});
  add_next({reads(a)});
  add_next({replaces(b)});
  add_next({reads(b)});
  add_next({replaces(a)});
  EXPECT_TRUE(transfers(make()).empty());
}

TEST_F(MemoryPlan, runs_commands_in_an_order_that_moves_less_where_they_may_be_exchanged) {
  const auto a = buffer(false, true), b = buffer(false, true), sum = buffer(false, false);
  machine.memories[1].bytes = 512;
  for (const auto& x : {a, b, a, b}) commands.add(device1, {reads(x), reads(sum)});
  EXPECT_EQ(transfers(make()).size(), 2U);
}

TEST_F(MemoryPlan, takes_the_budget_that_it_is_given) {
  const auto a = buffer(false, true), b = buffer(false, true);
  commands.add(device1, {reads(a)});
  commands.add(device1, {reads(b)});
  EXPECT_TRUE(make().slots.empty());
  options.memory_budget = 300;
  EXPECT_EQ(use_of(make(), memory1).peak, 256U);
}

TEST_F(MemoryPlan, says_which_buffers_are_too_large_for_a_budget) {
  const auto a = buffer(false, false, 10), b = buffer(false, false, 1000), c = buffer(false, true);
  machine.memories[1].bytes = 4000;
  commands.add(device1, {reads(a), reads(b), reads(c)});
  try {
    static_cast<void>(planner::make_plan(commands.all(), buffers, machine, options));
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::memory_allocation);
    const std::string text = e.what();
    EXPECT_NE(text.find("needs 4040 bytes in memory 'memory1'"), std::string::npos) << text;
    EXPECT_NE(text.find("buffer 1 with 4000, buffer 0 with 40"), std::string::npos) << text;
  }
}

TEST_F(MemoryPlan, says_which_command_is_too_large_for_a_budget) {
  const auto a = buffer(false, true), b = buffer(false, true), c = buffer(false, true);
  machine.memories[1].bytes = 512;
  machine.memories[1].name = "small\none";
  commands.add(device1, {reads(a)});
  commands.add(device1, {reads(a), reads(b), reads(c)});
  try {
    static_cast<void>(planner::make_plan(commands.all(), buffers, machine, options));
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::memory_allocation);
    EXPECT_NE(std::string(e.what()).find(
                  "command 1 needs 768 bytes at a time in memory 'small one', where"),
              std::string::npos)
        << e.what();
  }
}

TEST_F(MemoryPlan, puts_a_commands_buffers_side_by_side_where_pieces_are_too_small) {
  // Pieces of 256 bytes stay between the others' places: a buffer of 512 fits only when all have left.
  const auto a = buffer(false, true), b = buffer(false, true), c = buffer(false, true),
             d = buffer(false, true), large = buffer(false, true, 128);
  machine.memories[1].bytes = 1024;
  commands.add(device1, {changes(a), changes(b), changes(c), changes(d)});
  commands.add(device1, {changes(b), changes(large)});
  commands.add(device1, {changes(a), changes(c), changes(large)});
  EXPECT_EQ(use_of(make(), memory1).peak, 1024U);
}

constexpr std::uint64_t huge = std::uint64_t{1} << 60;  // elements: 2^62 bytes

TEST_F(MemoryPlan, of_more_bytes_than_64_bits_can_count_fits_no_budget) {
  machine.memories[1].bytes = 1 << 20;
  std::vector<model::requirement> all_of_them;
  for (int i = 0; i < 4; ++i) all_of_them.push_back(reads(buffer(false, false, huge)));
  commands.add(device1, all_of_them);
  try {
    static_cast<void>(planner::make_plan(commands.all(), buffers, machine, options));
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::memory_allocation);
    EXPECT_NE(std::string(e.what()).find("needs 18446744073709551615 bytes"), std::string::npos)
        << e.what();
  }
}

TEST_F(MemoryPlan, of_a_command_with_more_evictable_bytes_than_can_be_counted_fits_no_budget) {
  machine.memories[1].bytes = 1 << 20;
  std::vector<model::requirement> all_of_them;
  for (int i = 0; i < 4; ++i) all_of_them.push_back(reads(buffer(false, true, huge)));
  commands.add(device1, all_of_them);
  EXPECT_THROW(static_cast<void>(planner::make_plan(commands.all(), buffers, machine, options)),
               model::user_error);
}

TEST_F(MemoryPlan, of_temporary_buffers_with_more_bytes_than_can_be_counted_is_refused) {
  std::vector<model::requirement> all_of_them;
  for (int i = 0; i < 5; ++i) all_of_them.push_back(replaces(buffer(true, false, huge)));
  commands.add(device1, all_of_them);
  try {
    static_cast<void>(planner::make_plan(commands.all(), buffers, machine, options));
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_EQ(e.code(), model::error_code::memory_allocation);
    EXPECT_NE(std::string(e.what()).find("more than 2^64 bytes"), std::string::npos) << e.what();
  }
}

TEST_F(MemoryPlan, with_more_bytes_than_can_be_counted_is_found_over_its_budget_by_verify) {
  for (int i = 0; i < 4; ++i) commands.add(device1, {reads(buffer(false, false, huge))});
  planner::plan p = make();
  EXPECT_EQ(use_of(p, memory1).peak, ~std::uint64_t{0});
  machine.memories[1].bytes = 1 << 20;
  EXPECT_NE(wrong(p).find("whose budget is 1048576"), std::string::npos) << wrong(p);
}

TEST(SaturatingSums, stay_at_the_largest_number) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  EXPECT_EQ(model::saturating_add(1, 2), 3U);
  EXPECT_EQ(model::saturating_add(most - 1, 1), most);
  EXPECT_EQ(model::saturating_add(most, 1), most);
  EXPECT_EQ(model::saturating_round_up(1, 256), 256U);
  EXPECT_EQ(model::saturating_round_up(256, 256), 256U);
  EXPECT_EQ(model::saturating_round_up(most - 3, 256), most - 255);
}

TEST_F(MemoryPlan, spreads_commands_that_may_run_anywhere_where_the_quickest_places_do_not_fit) {
  static constexpr model::device_id anywhere[] = {device1, device2};
  const auto in = buffer(false, false), middle = buffer(false, false), out = buffer(false, false);
  commands.add(device1, {reads(in), replaces(middle)}, {}, model::kernel_command());
  commands.add(device1, {reads(middle), replaces(out)}, {}, model::kernel_command());
  for (model::command& c : commands.all()) c.candidates = anywhere;
  options.place = planner::placing::anywhere;
  EXPECT_EQ(use_of(make(), memory1).peak + use_of(make(), memory2).peak, 3 * 256U);
  options.memory_budget = 512;
  const auto p = make();
  EXPECT_EQ(use_of(p, memory1).peak, 512U);
  EXPECT_EQ(use_of(p, memory2).peak, 512U);
  // No placement fits this one: the first reason is told.
  options.memory_budget = 300;
  try {
    static_cast<void>(make());
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_NE(std::string(e.what()).find("needs 768 bytes"), std::string::npos) << e.what();
  }
}

// Kernels of a second each work through buffers that take a second to fetch, and have room for three of them.
TEST_F(MemoryPlan, brings_buffers_while_kernels_are_at_work_on_others) {
  constexpr int steps = 12;
  machine.memories[1].bytes = 3 * 256;
  for (model::device_description& d : machine.devices) d.speed = {0, 1e30, 1, 1};
  for (std::uint16_t d = 0; d < 4; ++d)
    machine.kernel_times.push_back({model::kernel_id(1), model::device_id(d), 0, 1});
  for (model::link_description& l : machine.links) l.bandwidth = 256, l.latency = 0;
  model::kernel_command k;
  k.id = model::kernel_id(1);
  k.geometry.global = {{1, 1, 1}};
  for (int i = 0; i < steps; ++i) commands.add(device1, {reads(buffer(false, true))}, {}, k);
  const auto p = make();
  EXPECT_EQ(transfers(p).size(), std::size_t{steps});
  const planner::simulation s =
      planner::simulate(planner::graph_view(commands.all(), buffers, 0), p, machine);
  // One after the other they would take twice as long as all fetches.
  EXPECT_LE(s.makespan, steps + 2);
}

// What verify says of plans that somebody has changed.
class WrongMemoryPlan : public MemoryPlan {
 protected:
  void SetUp() override {
    const auto a = buffer(false, true), b = buffer(false, true), c = buffer(false, true);
    machine.memories[1].bytes = 512;
    for (const auto& x : {a, b, c, a, b}) add_next({changes(x)});
    good = make();
  }
  planner::plan good;
};

TEST_F(WrongMemoryPlan, is_found_by_its_peak) {
  ++good.memories.back().peak;
  EXPECT_NE(wrong(good).find("has a peak of 513 bytes, and it is 512"), std::string::npos)
      << wrong(good);
}

TEST_F(WrongMemoryPlan, is_found_by_a_budget_that_it_exceeds) {
  machine.memories[1].bytes = 511;
  EXPECT_NE(wrong(good).find("whose budget is 511"), std::string::npos) << wrong(good);
}

TEST_F(WrongMemoryPlan, is_found_by_more_than_a_memory_has_where_it_says_nothing_of_memory) {
  machine.memories[1].bytes = 768;
  good = make();
  ASSERT_TRUE(good.slots.empty());
  good.memories.clear();
  EXPECT_EQ(wrong(good), "");
  machine.memories[1].bytes = 767;
  EXPECT_EQ(wrong(good), "the plan needs 768 bytes in memory 1, whose budget is 767");
  // Not of what ran, in which one may have ended before another began.
  good.finished.push_back({model::step_id(3), model::step_id(1)});
  EXPECT_EQ(wrong(good), "");
}

TEST_F(WrongMemoryPlan, is_found_by_a_slot_that_ends_too_soon) {
  ASSERT_GT(good.slots[0].last, good.slots[0].first);
  good.slots[0].last = good.slots[0].first;
  EXPECT_NE(wrong(good).find("while it has no slot there"), std::string::npos) << wrong(good);
}

TEST_F(WrongMemoryPlan, is_found_by_slots_that_lie_over_each_other) {
  for (auto& s : good.slots) s.offset = 0;
  EXPECT_NE(wrong(good).find("which goes on"), std::string::npos) << wrong(good);
}

TEST_F(WrongMemoryPlan, is_found_by_a_place_outside_of_its_block) {
  good.slots[0].offset = 512;
  EXPECT_NE(wrong(good).find("does not lie in the block"), std::string::npos) << wrong(good);
}

TEST_F(WrongMemoryPlan, is_found_by_a_slot_for_a_buffer_that_stays) {
  buffers[0].evictable = false;
  EXPECT_NE(wrong(good).find("neither temporary nor evictable"), std::string::npos) << wrong(good);
}

TEST_F(WrongMemoryPlan, is_found_by_data_that_is_gone_with_its_slot) {
  // The slot of what comes back begins anew: who brings it nothing finds nothing.
  for (auto& s : good.steps)
    if (auto* t = std::get_if<transfer_step>(&s.action); t != nullptr && t->from == host)
      t->elements = span(0, 1);
  EXPECT_NE(wrong(good), "");
}

TEST_F(WrongMemoryPlan, is_found_by_a_wait_that_is_missing) {
  // One wait after the other is left out; some follow from the rest, but not all.
  std::size_t found = 0;
  for (std::size_t s = 0; s < good.steps.size(); ++s) {
    planner::plan p = good;
    if (p.steps[s].wait_count == 0) continue;
    p.steps[s].wait_count = 0;
    if (!wrong(p).empty()) ++found;
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace pianola::test
