// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <pianola/planner/compare/difference.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/test/scenario.hpp>

namespace {

using namespace pianola;
using model::access_mode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A program on one or two devices, with buffers of 16 numbers.
struct program {
  program() {
    s.machine.memories = {{"host", 0}, {"left", 0}, {"right", 0}};
    s.machine.devices = {{"left device", "", model::memory_id(1), 8},
                         {"right device", "", model::memory_id(2), 8}};
    for (std::uint16_t from = 0; from < 3; ++from)
      for (std::uint16_t to = 0; to < 3; ++to)
        if (from != to)
          s.machine.links.push_back({model::memory_id(from), model::memory_id(to), 1e6, 1e-5});
  }
  program& buffers(std::size_t n, std::uint64_t page = 16) {
    for (std::size_t i = 0; i < n; ++i)
      s.buffers.push_back({model::page_grid({{1, 1, 16}}, {{1, 1, page}}), 4, 1});
    return *this;
  }
  // Reads one buffer and writes another one.
  program& kernel(const char* label, std::uint32_t from, std::uint32_t to, std::uint16_t device = 0,
                  std::uint64_t size = 16) {
    model::requirement read, write;
    read.buffer = model::buffer_id(from);
    read.mode = access_mode::read;
    write.buffer = model::buffer_id(to);
    write.mode = access_mode::write;
    write.no_init = true;
    read.elements = write.elements = {{{0, 0, 0}}, {{1, 1, 16}}};
    model::kernel_command k;
    k.geometry.global = {{1, 1, size}};
    s.commands.add(model::device_id(device), {read, write}, {}, k);
    s.commands.all().back().label = label;
    return *this;
  }
  test::scenario s;
};

struct compared {
  compared(const program& first, const program& second)
      : a(first.s.commands.all(), first.s.buffers, 1),
        b(second.s.commands.all(), second.s.buffers, 2),
        plan_a(planner::make_plan(a.commands(), a.buffers(), first.s.machine)),
        plan_b(planner::make_plan(b.commands(), b.buffers(), second.s.machine)),
        in_a{a, plan_a, first.s.machine},
        in_b{b, plan_b, second.s.machine},
        d(planner::difference_of(in_a, in_b)) {}

  planner::graph_view a, b;
  planner::plan plan_a, plan_b;
  planner::compared_graph in_a, in_b;
  planner::graph_difference d;
};

std::vector<std::uint32_t> numbers(const std::vector<model::command_id>& all) {
  std::vector<std::uint32_t> result;
  for (const model::command_id c : all) result.push_back(c.value());
  return result;
}

TEST(Difference, of_a_program_and_itself_is_none) {
  program p;
  p.buffers(3).kernel("one", 0, 1).kernel("two", 1, 2).kernel("one", 0, 1, 1);
  const compared c(p, p);
  EXPECT_TRUE(c.d.same_commands());
  EXPECT_THAT(c.d.edges_lost, IsEmpty());
  EXPECT_THAT(c.d.transfers_gained, IsEmpty());
}

TEST(Difference, looks_at_what_is_the_same_once_where_names_tell_buffers_apart) {
  constexpr std::size_t n = 50;
  program p, other, two;
  p.buffers(1);
  other.buffers(1);
  two.buffers(2);
  for (std::size_t i = 0; i < n; ++i) {
    p.kernel("one", 0, 0);
    other.kernel(i == n / 2 ? "another" : "one", 0, 0);
    two.kernel("one", 0, 1);
  }
  EXPECT_EQ(compared(p, p).d.looked_at, 2 * n);
  // The one that is different is found by what it does, twice.
  EXPECT_EQ(compared(p, other).d.looked_at, 2 * n + 2 * 2);
  EXPECT_EQ(compared(two, two).d.looked_at, 2 * 2 * n) << "their names are equal";
}

TEST(Difference, is_none_where_lines_of_the_source_have_moved) {
  program a, b;
  a.buffers(3).kernel("one at a.cpp:10", 0, 1).kernel("(lambda at a.cpp:20:5)", 1, 2);
  b.buffers(3).kernel("one at a.cpp:11", 0, 1).kernel("(lambda at a.cpp:21:5)", 1, 2);
  EXPECT_TRUE(compared(a, b).d.same_commands());
  // Commands of one name are still the same if they do something else now.
  program c;
  c.buffers(3).kernel("one at a.cpp:12", 0, 1, 1, 8).kernel("two", 1, 2);
  const compared other(a, c);
  ASSERT_EQ(other.d.matches.size(), 2U);
  EXPECT_FALSE(other.d.matches[0].name);
  EXPECT_TRUE(other.d.matches[0].size);
  EXPECT_TRUE(other.d.matches[1].name);
}

TEST(Difference, finds_the_iteration_that_is_gone_from_a_loop) {
  program a, b;
  a.buffers(2);
  b.buffers(2);
  for (int i = 0; i < 100; ++i) {
    a.kernel("there", 0, 1).kernel("back", 1, 0);
    if (i != 50) b.kernel("there", 0, 1).kernel("back", 1, 0);
  }
  const compared c(a, b);
  EXPECT_EQ(c.d.deleted.size(), 2U);
  EXPECT_THAT(c.d.inserted, IsEmpty());
  EXPECT_EQ(c.d.matches.size(), 198U);
  for (const planner::command_match& m : c.d.matches) EXPECT_TRUE(m.same());
}

TEST(Difference, knows_buffers_by_who_uses_them) {
  program a, b;
  a.buffers(3).kernel("one", 0, 1).kernel("two", 1, 2);
  // Another buffer comes first now, which moves the numbers of all others.
  b.buffers(4).kernel("new", 0, 0).kernel("one", 1, 2).kernel("two", 2, 3);
  const compared c(a, b);
  EXPECT_THAT(c.d.buffers,
              ElementsAre(model::buffer_id(1), model::buffer_id(2), model::buffer_id(3)));
  EXPECT_THAT(numbers(c.d.inserted), ElementsAre(0));
  for (const planner::command_match& m : c.d.matches) EXPECT_TRUE(m.same());
  EXPECT_THAT(planner::to_text(c.d, c.in_a, c.in_b), HasSubstr("+ buffer 0"));
}

TEST(Difference, tells_what_is_different_about_a_command) {
  program a, b;
  a.buffers(3).kernel("one", 0, 1).kernel("two", 1, 2).kernel("three", 2, 0).kernel("four", 0, 1);
  b.buffers(3)
      .kernel("uno", 0, 1)
      .kernel("two", 1, 2, 1)
      .kernel("three", 2, 0, 0, 8)
      .kernel("four", 0, 2);
  const compared c(a, b);
  ASSERT_EQ(c.d.matches.size(), 4U);
  const auto differ = [&](std::size_t i) {
    const planner::command_match& m = c.d.matches[i];
    return std::string(m.name ? "name " : "") + (m.device ? "device " : "") +
           (m.size ? "size " : "") + (m.accesses ? "accesses " : "");
  };
  EXPECT_EQ(differ(0), "name ");
  EXPECT_EQ(differ(1), "device ");
  EXPECT_EQ(differ(2), "size ");
  EXPECT_EQ(differ(3), "accesses ");
  EXPECT_GT(c.d.b.transfers, c.d.a.transfers);
  EXPECT_FALSE(c.d.transfers_gained.empty());
}

TEST(Difference, tells_what_has_moved) {
  program a, b;
  a.buffers(3).kernel("early", 0, 1).kernel("one", 1, 2).kernel("two", 2, 1).kernel("three", 1, 0);
  b.buffers(3).kernel("one", 1, 2).kernel("two", 2, 1).kernel("three", 1, 0).kernel("early", 0, 1);
  const compared c(a, b);
  EXPECT_THAT(c.d.moved, ElementsAre(std::make_pair(model::command_id(0), model::command_id(3))));
  EXPECT_THAT(c.d.deleted, IsEmpty());
  EXPECT_THAT(c.d.inserted, IsEmpty());
  EXPECT_FALSE(c.d.same_commands());
}

TEST(Difference, tells_of_edges_that_pages_made) {
  program a, b;
  a.buffers(1, 16);
  b.buffers(1, 8);
  for (program* p : {&a, &b})
    for (std::uint64_t half = 0; half < 2; ++half) {
      model::requirement r;
      r.buffer = model::buffer_id(0);
      r.mode = access_mode::write;
      r.no_init = true;
      r.elements = {{{0, 0, half * 8}}, {{1, 1, half * 8 + 8}}};
      p->s.commands.add(model::device_id(0), {r});
    }
  const compared c(a, b);
  EXPECT_EQ(c.d.matches.size(), 2U);
  EXPECT_THAT(c.d.edges_lost,
              ElementsAre(std::make_pair(model::command_id(0), model::command_id(1))));
  EXPECT_THAT(c.d.edges_gained, IsEmpty());
  EXPECT_THAT(planner::to_text(c.d, c.in_a, c.in_b), HasSubstr("pages of 16 -> 8"));
}

}  // namespace
