// SPDX-License-Identifier: Apache-2.0
#include "commands/narrow_modes.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace {

using namespace pianola;
using model::access_mode;

// A kernel with two accessors, at 0 and 16 of its function object, and a plain pointer at 32.
class narrow_modes : public ::testing::Test {
 protected:
  narrow_modes() {
    for (const std::uint32_t offset : {0U, 16U, 32U}) {
      model::argument_use use;
      use.offset = offset;
      use.read = true;
      uses.push_back(use);
    }
    facts.only_uses = true;
    descriptor.facts = &facts;
    for (std::uint32_t i = 0; i < 2; ++i) {
      slots.push_back({16 * i, model::argument_slot::kind::buffer, i, 0});
      model::requirement r;
      r.buffer = model::buffer_id(i);
      requirements.push_back(r);
    }
  }
  access_mode mode_of(std::size_t requirement) {
    facts.uses = uses;
    model::kernel_command command;
    command.kernel = &descriptor;
    std::vector<model::requirement> changed = requirements;
    runtime::narrow_modes(model::command_payload(command), {slots, {}, {}}, changed);
    return changed[requirement].mode;
  }

  std::vector<model::argument_use> uses;
  model::kernel_facts facts;
  model::kernel_descriptor descriptor;
  std::vector<model::argument_slot> slots;
  std::vector<model::requirement> requirements;
};

TEST_F(narrow_modes, an_accessor_that_is_only_read_through_is_a_reader) {
  uses[1].written = true;
  EXPECT_EQ(mode_of(0), access_mode::read);
  EXPECT_EQ(mode_of(1), access_mode::read_write);
}

TEST_F(narrow_modes, an_accessor_that_is_not_used_is_a_reader) {
  uses.erase(uses.begin());
  EXPECT_EQ(mode_of(0), access_mode::read);
}

TEST_F(narrow_modes, one_that_is_required_and_not_captured_keeps_its_mode) {
  slots.erase(slots.begin());
  EXPECT_EQ(mode_of(0), access_mode::read_write);
}

TEST_F(narrow_modes, one_that_is_captured_twice_is_a_reader_only_if_both_are) {
  slots.push_back({32, model::argument_slot::kind::buffer, 0, 0});
  EXPECT_EQ(mode_of(0), access_mode::read);
  uses[2].written = true;
  EXPECT_EQ(mode_of(0), access_mode::read_write);
}

TEST_F(narrow_modes, a_kernel_that_writes_through_a_plain_pointer_may_mean_a_buffer) {
  uses[2].written = true;
  EXPECT_EQ(mode_of(0), access_mode::read_write);
}

TEST_F(narrow_modes, other_memory_may_be_a_buffers) {
  facts.only_uses = false;
  EXPECT_EQ(mode_of(0), access_mode::read_write);
}

TEST_F(narrow_modes, pointers_that_cannot_be_followed_may_be_written_through) {
  uses[0].unknown = uses[0].written = true;
  EXPECT_EQ(mode_of(0), access_mode::read_write);
}

TEST_F(narrow_modes, writing_accessors_keep_their_mode) {
  requirements[0].mode = access_mode::write;
  requirements[1].no_init = true;
  EXPECT_EQ(mode_of(0), access_mode::write);
  EXPECT_EQ(mode_of(1), access_mode::read_write);
}

TEST_F(narrow_modes, without_facts_nothing_changes) {
  descriptor.facts = nullptr;
  EXPECT_EQ(mode_of(0), access_mode::read_write);
}

}  // namespace
