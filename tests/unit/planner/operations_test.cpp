// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <pianola/planner/operations.hpp>

namespace pianola::planner {
namespace {

using kind = model::index_factor::kind;

struct called_object {
  std::uint64_t n = 0;
  std::int32_t count = 0;
};

// Three operations in each of `count` rounds.
struct counted_kernel {
  called_object object;
  model::index_term count{1, {{kind::unsigned64, 0}}};
  model::index_term id{1, {{kind::id, 2}}};
  model::counted_loop loop;
  model::access_condition condition;
  model::counted_operations operations;
  model::kernel_facts facts;
  model::kernel_descriptor descriptor;
  model::kernel_command command;

  counted_kernel() {
    loop.count = {&count, 1};
    operations.simple = 3;
    operations.divisions = 1;
    operations.loops = {&loop, 1};
    facts.operations = {&operations, 1};
    facts.operations_known = true;
    descriptor.facts = &facts;
    command.kernel = &descriptor;
    command.geometry.global = {{1, 1, 10}};
    command.arguments.bytes = &object;
    command.arguments.size = sizeof object;
  }
  [[nodiscard]] double simple() const {
    const auto all = count_operations(command);
    return all ? all->simple : -1;
  }
};

TEST(count_operations, multiplies_rounds_and_work_items) {
  counted_kernel k;
  k.object.n = 5;
  const auto all = count_operations(k.command);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->simple, 3 * 5 * 10);
  EXPECT_EQ(all->divisions, 5 * 10);
  EXPECT_EQ(all->functions, 0);
}

TEST(count_operations, counts_those_who_meet_conditions) {
  counted_kernel k;
  k.object.n = 4;
  k.operations.loops = {};
  k.condition.what = model::access_condition::kind::below;
  k.condition.a = {&k.id, 1};
  k.condition.b = {&k.count, 1};
  k.operations.conditions = {&k.condition, 1};
  EXPECT_EQ(k.simple(), 3 * 4);
  k.object.n = 100;
  EXPECT_EQ(k.simple(), 3 * 10) << "there are no more";
}

TEST(count_operations, adds_up_rounds_that_grow_with_the_id) {
  counted_kernel k;
  k.loop.count = {&k.id, 1};
  k.loop.extra = 1;
  EXPECT_EQ(k.simple(), 3 * 55);
  k.command.geometry.global = {{1, 7, 10}};
  EXPECT_EQ(k.simple(), 3 * 55 * 7);
  k.loop.divisor = 2;
  EXPECT_EQ(k.simple(), -1) << "every other one makes a round more";
}

TEST(count_operations, counts_members_of_groups) {
  counted_kernel k;
  k.object.n = 1;
  k.command.geometry.global = {{1, 1, 12}};
  k.command.geometry.local = {{1, 1, 4}};
  k.command.geometry.grouped = true;
  // 0 >= id - group * size: the first of each group.
  const model::index_term local[2] = {{1, {{kind::id, 2}}},
                                      {-1, {{kind::group, 2}, {kind::local_size, 2}}}};
  k.condition.what = model::access_condition::kind::at_least;
  k.condition.b = local;
  k.operations.conditions = {&k.condition, 1};
  EXPECT_EQ(k.simple(), 3 * 3);
}

TEST(count_operations, tells_nothing_where_a_number_of_rounds_is_not_known) {
  counted_kernel k;
  k.object.n = static_cast<std::uint64_t>(-3);
  EXPECT_EQ(k.simple(), -1);
  k.loop.least = 0;
  EXPECT_EQ(k.simple(), 0);
  k.facts.operations_known = false;
  EXPECT_EQ(k.simple(), -1);
  k.descriptor.facts = nullptr;
  EXPECT_EQ(k.simple(), -1);
}

TEST(count_operations, is_not_fooled_by_huge_arguments) {
  counted_kernel k;
  const model::counted_loop loops[3] = {k.loop, k.loop, k.loop};
  k.operations.loops = loops;
  k.object.n = std::uint64_t{1} << 60;
  EXPECT_EQ(k.simple(), -1);
}

TEST(count_operations, with_32_bits_holds_where_they_are_enough) {
  counted_kernel k;
  k.operations.narrow = true;
  k.count.factors[0] = {kind::signed32, 8};
  k.object.count = 6;
  EXPECT_EQ(k.simple(), 3 * 6 * 10);
  k.object.count = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(k.simple(), -1);
}

}  // namespace
}  // namespace pianola::planner
