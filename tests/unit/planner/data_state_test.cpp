// SPDX-License-Identifier: Apache-2.0
// The rules of the data state: what is moved when, and what is valid where afterwards.
#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using DataState = Planning;

TEST_F(DataState, a_reader_fetches_what_is_outdated_and_nothing_twice) {
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::read, all(b))});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].from, host);
  EXPECT_EQ(transfers()[0].to, memory1);
  EXPECT_EQ(transfers()[0].elements, all(b));
  EXPECT_EQ(valid(b, 0), model::memory_set(host) | model::memory_set(memory1));
  submit(device1, {needs(b, access_mode::read, all(b))});
  EXPECT_TRUE(transfers().empty());
}

TEST_F(DataState, a_writer_outdates_its_page_range_everywhere_else) {
  const auto b = buffer(row(100, 10));
  submit(device1, {needs(b, access_mode::read, all(b))});
  submit(device1, {needs(b, access_mode::read_write, span(15, 25))});
  EXPECT_EQ(valid(b, 9), model::memory_set(host) | model::memory_set(memory1));
  EXPECT_EQ(valid(b, 10), model::memory_set(memory1));
  EXPECT_EQ(valid(b, 29), model::memory_set(memory1));
  EXPECT_EQ(valid(b, 30), model::memory_set(host) | model::memory_set(memory1));
}

TEST_F(DataState, a_partial_write_without_no_init_brings_the_page_first) {
  const auto b = buffer(row(100, 10));
  submit(device1, {needs(b, access_mode::write, span(12, 14))});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].elements, span(10, 20));
}

TEST_F(DataState, no_init_never_transfers) {
  const auto b = buffer(row(100, 10));
  submit(device1, {needs(b, access_mode::write, span(12, 14), true)});
  EXPECT_TRUE(transfers().empty());
  submit(device2, {needs(b, access_mode::read_write, all(b), true)});
  EXPECT_TRUE(transfers().empty());
  EXPECT_EQ(valid(b, 0), model::memory_set(memory2));
}

TEST_F(DataState, uninitialised_data_never_transfers) {
  const auto b = buffer(row(100, 10), {});
  submit(device1, {needs(b, access_mode::read, all(b))});
  EXPECT_TRUE(transfers().empty());
  EXPECT_EQ(valid(b, 0), model::memory_set());
  submit(device2, {needs(b, access_mode::read_write, span(0, 10))});
  EXPECT_TRUE(transfers().empty());
  EXPECT_EQ(valid(b, 5), model::memory_set(memory2));
  submit(device1, {needs(b, access_mode::read, all(b))});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].elements, span(0, 10));
}

TEST_F(DataState, two_devices_that_fill_the_halves_of_one_page_lose_nothing) {
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::write, span(0, 50), true)});
  submit(device2, {needs(b, access_mode::write, span(50, 100), true)});
  EXPECT_EQ(valid(b, 49), model::memory_set(memory1));
  EXPECT_EQ(valid(b, 50), model::memory_set(memory2));
  submit({}, {needs(b, access_mode::read, all(b))}, {}, model::host_access_command{},
         state.add_private_lane(cpu));
  const auto gathered = transfers();
  ASSERT_EQ(gathered.size(), 2U);
  EXPECT_EQ(gathered[0].from, memory1);
  EXPECT_EQ(gathered[0].elements, span(0, 50));
  EXPECT_EQ(gathered[1].from, memory2);
  EXPECT_EQ(gathered[1].elements, span(50, 100));
}

TEST_F(DataState, elements_beside_a_no_init_write_keep_their_validity) {
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::write, span(20, 30), true)});
  EXPECT_EQ(valid(b, 19), model::memory_set(host));
  EXPECT_EQ(valid(b, 20), model::memory_set(memory1));
  EXPECT_EQ(valid(b, 30), model::memory_set(host));
}

TEST_F(DataState, without_a_direct_link_data_hops_over_the_host_and_is_valid_there_too) {
  machine = four_devices(links::host_only);
  const auto b = buffer(row(100), model::memory_set(memory1));
  submit(device2, {needs(b, access_mode::read, all(b))});
  const auto hops = transfers();
  ASSERT_EQ(hops.size(), 2U);
  EXPECT_EQ(hops[0].from, memory1);
  EXPECT_EQ(hops[0].to, host);
  EXPECT_EQ(hops[1].from, host);
  EXPECT_EQ(hops[1].to, memory2);
  ASSERT_EQ(plan.steps[1].wait_count, 1U);
  EXPECT_EQ(plan.waits_of(plan.steps[1])[0].value(), plan.first_step);
  EXPECT_EQ(valid(b, 0),
            model::memory_set(host) | model::memory_set(memory1) | model::memory_set(memory2));
}

TEST_F(DataState, of_several_memories_the_cheapest_one_is_the_source) {
  for (auto& l : machine.links) l.bandwidth = l.from == memory2 && l.to == memory3 ? 5e10 : 1e10;
  const auto b = buffer(
      row(1000), model::memory_set(host) | model::memory_set(memory1) | model::memory_set(memory2));
  submit(device3, {needs(b, access_mode::read, all(b))});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].from, memory2);
}

TEST_F(DataState, a_slow_direct_link_is_better_than_two_hops) {
  for (auto& l : machine.links)
    if (l.from == memory1 && l.to == memory2) l.bandwidth = 1e3;
  const auto b = buffer(row(1000), model::memory_set(memory1));
  submit(device2, {needs(b, access_mode::read, all(b))});
  EXPECT_EQ(transfers().size(), 1U);
}

TEST_F(DataState, a_requirement_may_name_a_memory_of_its_own) {
  const auto b = buffer(row(100, 10));
  submit(device1, {needs(b, access_mode::read, span(0, 10), false, memory2),
                   needs(b, access_mode::read, span(0, 10), false, memory3)});
  ASSERT_EQ(transfers().size(), 2U);
  EXPECT_EQ(transfers()[0].to, memory2);
  EXPECT_EQ(transfers()[1].to, memory3);
  EXPECT_EQ(valid(b, 0),
            model::memory_set(host) | model::memory_set(memory2) | model::memory_set(memory3));
}

TEST_F(DataState, pieces_of_several_requirements_of_one_command_move_together) {
  const auto b = buffer(row(100, 10));
  submit(device1, {needs(b, access_mode::read, span(0, 30)),
                   needs(b, access_mode::read_write, span(20, 60))});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].elements, span(0, 60));
  EXPECT_EQ(valid(b, 19), model::memory_set(host) | model::memory_set(memory1));
  EXPECT_EQ(valid(b, 20), model::memory_set(memory1));
}

TEST_F(DataState, needs_of_a_command_are_met_before_its_writes_count) {
  const auto b = buffer(row(100, 10));
  submit(device1, {needs(b, access_mode::write, span(0, 20), true),
                   needs(b, access_mode::read, span(10, 30))});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].elements, span(10, 30));
}

TEST_F(DataState, scattered_outdated_pages_move_as_few_boxes) {
  const auto b = buffer(plane(64, 64, 8, 8));
  submit(device1, {needs(b, access_mode::read, all(b))});
  // A frame of pages is written elsewhere, page by page.
  auto page = [](std::uint64_t i, std::uint64_t j) {
    return box{{{0, i * 8, j * 8}}, {{1, i * 8 + 8, j * 8 + 8}}};
  };
  for (std::uint64_t k = 0; k < 8; ++k) {
    submit(cpu, {needs(b, access_mode::read_write, page(0, k))});
    if (k > 0) submit(cpu, {needs(b, access_mode::read_write, page(k, 0))});
    if (k > 0) submit(cpu, {needs(b, access_mode::read_write, page(7, k))});
    if (k > 0 && k < 7) submit(cpu, {needs(b, access_mode::read_write, page(k, 7))});
  }
  submit(device1, {needs(b, access_mode::read, all(b))});
  EXPECT_EQ(transfers().size(), 4U);
  std::uint64_t moved = 0;
  for (const auto& t : transfers()) moved += t.elements.count();
  EXPECT_EQ(moved, 28U * 64U);
}

TEST_F(DataState, validity_can_be_set_from_outside_and_is_waited_for) {
  const auto b = buffer(row(100, 10));
  const auto other = submit(device1, {});
  state.set_validity(b, span(0, 50), model::memory_set(memory1), model::step_id(other));
  submit(device2, {needs(b, access_mode::read, span(0, 50))});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].from, memory1);
  EXPECT_TRUE(after(other));
}

TEST_F(DataState, a_graph_launch_fetches_exactly_what_its_contract_names) {
  const auto b = buffer(row(100, 10));
  submit(device1, {needs(b, access_mode::read, span(12, 14), false, memory2)}, {},
         model::subgraph_command{});
  ASSERT_EQ(transfers().size(), 1U);
  EXPECT_EQ(transfers()[0].elements, span(12, 14));
  submit(device1, {needs(b, access_mode::write, span(0, 10), true)}, {}, model::subgraph_command{});
  EXPECT_EQ(valid(b, 0), model::memory_set(host))
      << "only the exit state says what a launch writes";
}

TEST_F(DataState, ids_of_removed_buffers_are_used_again) {
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::read, all(b))});
  state.remove_buffer(b);
  const auto c = buffer(row(7), {});
  EXPECT_EQ(b, c);
  EXPECT_EQ(valid(c, 0), model::memory_set());
}

TEST_F(DataState, bad_commands_are_refused_and_change_nothing) {
  const auto b = buffer(row(100));
  const auto gone = buffer(row(100));
  state.remove_buffer(gone);
  const auto whole = needs(b, access_mode::read_write, all(b));
  EXPECT_THROW(submit(model::device_id(9), {whole}), model::user_error);
  EXPECT_THROW(submit({}, {whole}), model::user_error);
  EXPECT_THROW(submit(device1, {whole, needs(gone, access_mode::read, span(0, 1))}),
               model::user_error);
  EXPECT_THROW(submit(device1, {whole, needs(b, access_mode::read, span(0, 101))}),
               model::user_error);
  EXPECT_THROW(submit(device1, {whole, needs(b, access_mode::read, all(b), false, memory_id(9))}),
               model::user_error);
  EXPECT_THROW(submit(device1, {whole}, {12}), model::user_error);
  EXPECT_THROW(submit(device1, {whole}, {}, model::kernel_command{}, model::lane_id(3)),
               model::user_error);
  EXPECT_EQ(state.next_step().value(), 0U);
  EXPECT_EQ(valid(b, 0), model::memory_set(host));
}

TEST_F(DataState, a_memory_out_of_reach_of_the_host_is_refused) {
  machine.links.pop_back();
  while (machine.links.back().from == memory3) machine.links.pop_back();
  try {
    submit(device1, {});
    FAIL();
  } catch (const model::user_error& e) {
    EXPECT_NE(std::string(e.what()).find("memory 3"), std::string::npos) << e.what();
  }
}

TEST_F(DataState, an_empty_box_needs_nothing) {
  const auto b = buffer(row(100));
  submit(device1, {needs(b, access_mode::read_write, span(5, 5))});
  EXPECT_TRUE(transfers().empty());
  EXPECT_EQ(valid(b, 5), model::memory_set(host));
}

}  // namespace
}  // namespace pianola::test
