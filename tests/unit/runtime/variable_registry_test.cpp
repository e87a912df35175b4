// SPDX-License-Identifier: Apache-2.0
#include "kernels/variable_registry.hpp"

#include <cstring>
#include <vector>

#include <gmock/gmock.h>

namespace {

using pianola::executors::device_variable;
using pianola::runtime::variable_registry;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(variable_registry, finds_a_variable_by_name_and_by_address_with_what_it_began_with) {
  int numbers[2] = {3, 4};
  int zero = 0;
  const pianola_variable variables[] = {{"numbers", numbers, sizeof numbers},
                                        {"zero", &zero, sizeof zero}};
  const pianola_variable_set set{PIANOLA_VARIABLE_SET_VERSION, 0, 2, variables};
  variable_registry registry;
  EXPECT_EQ(registry.find("numbers"), nullptr);
  registry.add(&set);
  numbers[0] = 5;  // by a constructor of the program
  registry.keep_values();
  numbers[1] = zero = 9;  // by a kernel of the processor
  const device_variable* found = registry.find("numbers");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found, registry.find_at(numbers));
  EXPECT_EQ(found->bytes, sizeof numbers);
  int initial[2] = {};
  ASSERT_NE(found->initial, nullptr);
  std::memcpy(initial, found->initial, sizeof initial);
  EXPECT_THAT(initial, ElementsAre(5, 4));
  EXPECT_EQ(registry.find("zero")->initial, nullptr) << "zeros need no copy";
  EXPECT_THAT(registry.remove(&set), ElementsAre(numbers, &zero));
  EXPECT_EQ(registry.find("numbers"), nullptr);
  EXPECT_EQ(registry.find_at(&zero), nullptr);
  EXPECT_THAT(registry.remove(&set), IsEmpty()) << "nothing is removed twice";
}

// An inline variable of two units.
TEST(variable_registry, keeps_what_several_sets_share_until_the_last_one_goes) {
  int shared = 1;
  const pianola_variable variable{"shared", &shared, sizeof shared};
  const pianola_variable_set first{PIANOLA_VARIABLE_SET_VERSION, 0, 1, &variable};
  const pianola_variable_set second{PIANOLA_VARIABLE_SET_VERSION, 0, 1, &variable};
  variable_registry registry;
  registry.add(&first);
  registry.add(&second);
  EXPECT_THAT(registry.remove(&first), IsEmpty());
  EXPECT_NE(registry.find("shared"), nullptr);
  EXPECT_THAT(registry.remove(&second), ElementsAre(&shared));
  EXPECT_EQ(registry.find("shared"), nullptr);
}

TEST(variable_registry, finds_the_first_of_several_with_one_name_that_is_left) {
  int here = 1, there = 2;
  const pianola_variable variables[] = {{"value", &here, sizeof here},
                                        {"value", &there, sizeof there}};
  const pianola_variable_set first{PIANOLA_VARIABLE_SET_VERSION, 0, 1, &variables[0]};
  const pianola_variable_set second{PIANOLA_VARIABLE_SET_VERSION, 0, 1, &variables[1]};
  variable_registry registry;
  registry.add(&first);
  registry.add(&second);
  EXPECT_EQ(registry.find("value")->address, &here);
  EXPECT_THAT(registry.remove(&first), ElementsAre(&here));
  EXPECT_EQ(registry.find("value")->address, &there);
}

TEST(variable_registry, ignores_sets_of_another_version) {
  int value = 1;
  const pianola_variable variable{"value", &value, sizeof value};
  const pianola_variable_set set{PIANOLA_VARIABLE_SET_VERSION + 1, 0, 1, &variable};
  variable_registry registry;
  registry.add(&set);
  EXPECT_EQ(registry.find("value"), nullptr);
  EXPECT_THAT(registry.remove(&set), IsEmpty());
}

}  // namespace
