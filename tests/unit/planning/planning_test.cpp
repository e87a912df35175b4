// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/planning.hpp>

namespace {

namespace pl = pianola::planning;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

pl::machine two_devices() {
  pl::machine m;
  m.add_device({"processor", "openmp"});
  for (const char* name : {"left", "right"}) {
    const pl::memory_id memory = m.add_memory(name, std::uint64_t{1} << 30);
    m.connect(pl::host_memory, memory, 1e10, 1e-5);
    m.add_device({name, "simulated", memory});
  }
  return m;
}

constexpr pl::device_id processor{0}, left{1}, right{2};

// What it writes, by one device, the other reads.
struct pair_of_kernels {
  pl::graph graph{two_devices()};
  pl::buffer_id u = graph.add_buffer({"u", {1024}, 4, {256}});
  pl::command_id first = graph.add_kernel("first", left, {1024}, {pl::overwrites(u)});
  pl::command_id second =
      graph.add_kernel("second", right, {512}, {pl::reads(u, pl::box{{0}, {500}})});
};

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const pl::error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

std::vector<pl::transfer> transfers_of(const pl::plan& p) {
  std::vector<pl::transfer> all;
  for (const pl::step& s : p.steps())
    if (s.transfer) all.push_back(*s.transfer);
  return all;
}

TEST(planning, moves_the_pages_that_are_read_elsewhere) {
  const pair_of_kernels k;
  const pl::plan p = pl::make_plan(k.graph);
  EXPECT_FALSE(p.verify());
  const auto moved = transfers_of(p);
  ASSERT_EQ(moved.size(), 2U);  // over the host
  EXPECT_EQ(moved[0].elements, (pl::box{{0}, {512}}));
  EXPECT_EQ(moved[1].bytes, 2048U);
  EXPECT_EQ(moved[1].to, pl::memory_id{2});
  const pl::simulation s = p.simulate();
  EXPECT_EQ(s.steps.size(), p.step_count());
  EXPECT_THAT(s.peak_memory, ElementsAre(4096, 4096, 4096));
  EXPECT_NEAR(s.makespan, s.span + 2 * (1e-5 + 2048 / 1e10), 1e-12);
}

TEST(planning, keeps_graph_and_machine_in_the_plan) {
  std::vector<pl::plan> plans;
  {
    pair_of_kernels k;
    plans.push_back(pl::make_plan(k.graph));
    const pl::graph before = k.graph;
    k.graph.add_kernel("third", left, {1}, {pl::updates(k.u)});
    EXPECT_EQ(before.command_count(), 2U);
    EXPECT_EQ(k.graph.command_count(), 3U);
    EXPECT_EQ(k.graph.command(k.first).name, "first");
  }
  EXPECT_EQ(plans[0].graph().command_count(), 2U);
  EXPECT_FALSE(plans[0].verify());
  EXPECT_EQ(plans[0].machine().devices[2].name, "right");
}

TEST(planning, reads_what_it_has_written) {
  const pair_of_kernels k;
  const pl::plan p = pl::make_plan(k.graph);
  const pl::graph again = pl::read_graph(pl::to_json(k.graph));
  EXPECT_EQ(pl::to_json(again), pl::to_json(k.graph));
  EXPECT_EQ(pl::to_json(pl::read_plan(pl::to_json(p), again)), pl::to_json(p));
  pl::machine m = two_devices();
  m.links[1].bus = 3;
  m.kernel_times.push_back({pl::kernel_of("first"), left, 1e-6, 1e-9});
  EXPECT_EQ(pl::to_json(pl::read_machine(pl::to_json(m))), pl::to_json(m));
}

TEST(planning, takes_measured_times_by_the_names_of_kernels) {
  const pair_of_kernels k;
  pl::machine m = two_devices();
  m.kernel_times.push_back({pl::kernel_of("first"), left, 1.0, 0.0});
  m.kernel_times.push_back({pl::kernel_of("second"), right, 2.0, 0.0});
  EXPECT_NEAR(pl::make_plan(k.graph, m).simulate().makespan, 3.0, 1e-3);
}

TEST(planning, leaves_the_graph_unchanged_by_what_it_refuses) {
  pair_of_kernels k;
  const std::string before = pl::to_json(k.graph);
  const auto adding = [&](pl::command c) { return message_of([&] { k.graph.add(c); }); };
  pl::command c;
  c.name = "bad\nname";
  EXPECT_THAT(adding(c),
              AllOf(HasSubstr("command 2 (bad name): names no device"), Not(HasSubstr("\n"))));
  c.device = left;
  c.after = {pl::command_id{2}};
  EXPECT_THAT(adding(c), HasSubstr("record predecessors first"));
  c.after.clear();
  c.usm = {{pl::allocation_id{0}, 0, 8}};
  EXPECT_THAT(adding(c), HasSubstr("there is no allocation 0"));
  c.usm.clear();
  c.operations = std::numeric_limits<double>::infinity();
  EXPECT_THAT(adding(c), HasSubstr("finite"));
  c.operations = 0;
  c.measured = std::nan("");
  EXPECT_THAT(adding(c), HasSubstr("measured"));
  c.measured = 0;
  c.range = {std::uint64_t{1} << 40, std::uint64_t{1} << 40};
  EXPECT_THAT(adding(c), HasSubstr("2^62"));
  c.range = {16};
  c.requirements = {pl::reads(k.u, pl::box{{8}, {8}})};
  EXPECT_THAT(adding(c), HasSubstr("[8,8)"));
  c.kind = pl::command_kind::allocate;
  c.requirements.clear();
  EXPECT_THAT(adding(c), HasSubstr("only read from files"));
  EXPECT_THAT(message_of([&] { k.graph.add_buffer({"w", {std::uint64_t{1} << 62}, 4}); }),
              HasSubstr("2^62 bytes"));
  EXPECT_THAT(message_of([&] { (void)k.graph.buffer(pl::buffer_id{1}); }),
              HasSubstr("there is no buffer 1; the graph has 1"));
  EXPECT_EQ(pl::to_json(k.graph), before);
}

TEST(planning, works_on_the_host_in_its_memory) {
  pair_of_kernels k;
  pl::command look;
  look.kind = pl::command_kind::host_access;
  look.requirements = {pl::reads(k.u, k.graph.elements_of_bytes(k.u, 4092, 4096))};
  const pl::command_id id = k.graph.add(look);
  EXPECT_EQ(k.graph.command(id).device, processor);
  EXPECT_EQ(k.graph.command(id).requirements[0].memory, pl::host_memory);
  EXPECT_EQ(*k.graph.command(id).requirements[0].elements, (pl::box{{1023}, {1024}}));
  const auto moved = transfers_of(pl::make_plan(k.graph));
  ASSERT_EQ(moved.size(), 3U);
  EXPECT_EQ(moved[2].to, pl::host_memory);
  EXPECT_EQ(moved[2].bytes, 1024U);  // a page
}

TEST(planning, copies_boxes_of_one_shape) {
  pl::graph g(two_devices());
  const pl::buffer_id a = g.add_buffer({"a", {8, 8}, 4}), b = g.add_buffer({"b", {4, 16}, 4});
  pl::command c;
  c.kind = pl::command_kind::copy;
  c.device = left;
  c.requirements = {pl::reads(a, pl::box{{2, 2}, {4, 6}}),
                    pl::overwrites(b, pl::box{{0, 8}, {2, 12}})};
  g.add(c);
  EXPECT_THAT(pl::to_json(g), HasSubstr("\"byte_offset\": 72"));  // of element (2, 2)
  EXPECT_FALSE(pl::make_plan(g).verify());
  c.requirements[1].elements = pl::box{{0, 8}, {4, 10}};
  EXPECT_THAT(message_of([&] { g.add(c); }), HasSubstr("of one shape"));
}

TEST(planning, refuses_machines_that_nothing_can_be_planned_for) {
  pl::machine m = two_devices();
  m.links.pop_back();
  EXPECT_THAT(message_of([&] { (void)pl::graph(m); }), HasSubstr("machine: "));
  const pair_of_kernels k;
  pl::machine small;
  small.add_device({"processor", "openmp"});
  EXPECT_THAT(message_of([&] { (void)pl::make_plan(k.graph, small); }),
              HasSubstr("has 1 devices, and command 0 of the graph names number 1"));
}

}  // namespace
