// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <pianola/model/payload_members.hpp>
#include <string>
#include <vector>

namespace pianola::model {
namespace {

// Each operand as "0r6", its offset, whether it is written, and its bytes; each hint as its address.
std::vector<std::string> memory_of(const command_payload& payload) {
  std::vector<std::string> found;
  for_each_memory(
      payload,
      [&](const memory_operand& o, const operand_use& use) {
        found.push_back(std::to_string(o.byte_offset) + (use.written ? "w" : "r") +
                        std::to_string(use.bytes()));
      },
      [&](const void* pointer) {
        found.push_back(std::to_string(reinterpret_cast<std::uintptr_t>(pointer)));
      });
  return found;
}

using words = std::vector<std::string>;

TEST(payload_members, copies_read_one_operand_and_write_the_other) {
  copy_command c;
  c.source.byte_offset = 1;
  c.destination.byte_offset = 2;
  c.width = 4;
  c.height = 3;
  c.depth = 2;
  EXPECT_EQ(memory_of(c), (words{"1r24", "2w24"}));
  std::size_t operands = 0;
  const command_payload payload(c);
  for_each_operand(payload, [&](const memory_operand&, const auto&) { ++operands; });
  EXPECT_EQ(operands, 2U);
}

TEST(payload_members, fills_write_one) {
  fill_command f;
  f.destination.byte_offset = 7;
  f.width = 5;
  EXPECT_EQ(memory_of(f), (words{"7w5"}));
}

TEST(payload_members, of_hints_are_the_pointers_they_are_about) {
  prefetch_command p;
  p.pointer = reinterpret_cast<const void*>(16);
  EXPECT_EQ(memory_of(p), words{"16"});
  advise_command a;
  a.pointer = reinterpret_cast<const void*>(32);
  EXPECT_EQ(memory_of(a), words{"32"});
  command_payload changed(a);
  for_each_memory(
      changed, [](memory_operand&, const auto&) {},
      [](const void*& pointer) { pointer = nullptr; });
  EXPECT_EQ(memory_of(changed), words{"0"});
  const command_payload payload(p);
  for_each_operand(payload, [](const auto&, const auto&) { FAIL(); });
}

TEST(payload_members, commands_that_work_on_no_memory_of_that_kind_have_none) {
  allocate_command made;
  made.pointer = reinterpret_cast<void*>(64);
  for (const command_payload& p :
       {command_payload(empty_command()), command_payload(kernel_command()),
        command_payload(host_task_command()), command_payload(barrier_command()),
        command_payload(host_access_command()), command_payload(acquire_command()),
        command_payload(subgraph_command()), command_payload(made),
        command_payload(free_command())})
    EXPECT_TRUE(memory_of(p).empty()) << p.index();
}

TEST(payload_members, kernels_and_host_tasks_alone_have_function_objects) {
  command_payload kernel{kernel_command()}, task{host_task_command()};
  for (command_payload* p : {&kernel, &task}) {
    ASSERT_NE(arguments_of(*p), nullptr);
    ASSERT_NE(slots_of(*p), nullptr);
    arguments_of(*p)->size = 24;
    argument_slot slot;
    *slots_of(*p) = {&slot, 1};
  }
  EXPECT_EQ(std::get<kernel_command>(kernel).arguments.size, 24U);
  EXPECT_EQ(std::get<kernel_command>(kernel).slots.size(), 1U);
  EXPECT_EQ(std::get<host_task_command>(task).arguments.size, 24U);
  EXPECT_EQ(std::get<host_task_command>(task).slots.size(), 1U);
  const command_payload copy{copy_command()};
  EXPECT_EQ(arguments_of(copy), nullptr);
  EXPECT_EQ(slots_of(copy), nullptr);
}

}  // namespace
}  // namespace pianola::model
