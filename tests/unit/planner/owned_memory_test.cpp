// SPDX-License-Identifier: Apache-2.0
// Memory that a graph allocates: who may use it, and who may have it after whom.
#include <pianola/planner/owned_memory.hpp>

#include <cstring>

#include <gmock/gmock.h>

#include <pianola/planner/command_edges.hpp>

#include "planning_fixture.hpp"

namespace pianola::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OwnedMemory : public ::testing::Test {
 protected:
  std::uint64_t allocate(std::uint64_t from, std::uint64_t bytes,
                         std::vector<std::uint64_t> after = {}) {
    model::allocate_command c;
    c.pointer = memory + from;
    c.bytes = bytes;
    c.place = from;
    c.allocation = ++names;
    return commands.add(cpu, {}, std::move(after), c);
  }
  // The latest allocation, or the one of this name.
  std::uint64_t free(std::vector<std::uint64_t> after, std::uint64_t name = 0) {
    model::free_command c;
    c.allocation = name == 0 ? names : name;
    return commands.add(cpu, {}, std::move(after), c);
  }
  std::uint64_t fill(std::uint64_t at, std::vector<std::uint64_t> after) {
    model::fill_command c;
    c.destination.pointer = memory + at;
    c.width = 1;
    return commands.add(cpu, {}, std::move(after), c);
  }
  std::vector<std::string> misuses() {
    std::vector<std::string> found;
    for (const auto& m : planner::misuses_of_owned_memory(
             commands.all(), planner::command_edges(commands.all(), buffers)))
      found.push_back(std::to_string(m.command) + (m.certain ? " " : " perhaps ") + m.what);
    return found;
  }
  std::string complaint() {
    const planner::plan plan = planner::make_plan(commands.all(), buffers, machine);
    const auto v = planner::verify(commands.all(), buffers, machine, plan);
    return v ? v->reason : "none";
  }

  unsigned char memory[4096];
  std::uint64_t names = 0;
  model::topology machine = four_devices();
  std::vector<model::buffer_info> buffers;
  command_list commands;
};

TEST_F(OwnedMemory, may_be_used_between_its_two_commands) {
  const auto born = allocate(0, 100);
  const auto a = fill(0, {born}), b = fill(99, {born});
  const auto died = free({a, b});
  const auto again = allocate(0, 50, {died});
  fill(0, {again});  // never freed
  fill(2000, {});    // somebody else's
  EXPECT_THAT(misuses(), IsEmpty());
  EXPECT_EQ(complaint(), "none");
}

TEST_F(OwnedMemory, is_not_to_be_used_before_it_is_there_or_when_it_has_gone) {
  const auto born = allocate(0, 100);
  const auto early = fill(0, {});
  const auto died = free({born});
  const auto beside = fill(0, {born});
  const auto late = fill(0, {died});
  EXPECT_THAT(misuses(),
              ::testing::ElementsAre(
                  HasSubstr(std::to_string(early) + " uses memory without coming after command 0"),
                  HasSubstr(std::to_string(beside) + " uses memory after command 2 has freed it"),
                  HasSubstr(std::to_string(late) + " uses memory after command 2 has freed it")));
}

TEST_F(OwnedMemory, is_freed_after_it_was_allocated) {
  allocate(0, 100);
  free({});
  EXPECT_THAT(misuses(), ::testing::ElementsAre(HasSubstr("frees memory without coming after")));
}

TEST_F(OwnedMemory, may_lie_where_other_memory_was) {
  const auto first = allocate(0, 100);
  const auto died = free({first});
  const auto second = allocate(50, 100, {died});
  fill(60, {second});
  EXPECT_THAT(misuses(), IsEmpty());
  fill(10, {second});  // the first one's
  EXPECT_THAT(misuses(), ::testing::ElementsAre(HasSubstr("after command 1 has freed it")));
}

TEST_F(OwnedMemory, is_looked_for_in_the_arguments_of_kernels) {
  const auto born = allocate(0, 100);
  free({born});
  unsigned char* argument = memory + 4;
  model::kernel_command kernel;
  kernel.arguments.bytes = &argument;
  kernel.arguments.size = sizeof argument;
  commands.add(cpu, {}, {}, kernel);
  EXPECT_THAT(misuses(), ::testing::ElementsAre(HasSubstr("2 perhaps uses memory without")));
}

TEST_F(OwnedMemory, is_not_allocated_while_others_have_it) {
  const auto first = allocate(0, 100);
  free({first});
  allocate(0, 100);  // after nobody
  EXPECT_THAT(complaint(), HasSubstr("which frees the memory that it allocates"));
}

TEST_F(OwnedMemory, that_is_never_freed_is_not_allocated_again) {
  const auto first = allocate(0, 100);
  allocate(99, 100, {first});
  EXPECT_THAT(complaint(), HasSubstr("has allocated and nothing has freed"));
}

TEST_F(OwnedMemory, is_not_freed_by_who_does_not_have_it) {
  const auto first = allocate(0, 100);
  free({first}, 77);
  EXPECT_THAT(complaint(), HasSubstr("frees memory that no command before it allocates"));
}

}  // namespace
}  // namespace pianola::test
