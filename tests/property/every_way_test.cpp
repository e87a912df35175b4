// SPDX-License-Identifier: Apache-2.0
// Random programs, each of which is run in one of the ways that there are to run one: command by command, on queues that
// capture, as graphs that are updated, recorded anew, cut at waits, or launched on other data. Programs follow each other on the
// same data. The numbers must be those of an interpreter, whatever the way.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <exception>
#include <vector>

#include "every_way/world.hpp"

TEST(programs_run_in_every_way, give_the_numbers_of_an_interpreter) {
  EXPECT_TRUE(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const auto actions = *rc::gen::scale(
        0.1, rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>()));
    try {
      every_way::world w(seed);
      w.make_parameters();
      for (const std::uint64_t a : actions) w.act(a);
      w.check();
    } catch (const std::exception& e) {
      RC_FAIL(e.what());
    }
  }));
}
