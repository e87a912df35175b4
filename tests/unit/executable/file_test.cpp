// SPDX-License-Identifier: Apache-2.0
// What is written comes back, and what is not sound does not.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/model/error.hpp>
#include <pianola/planner/verify.hpp>

#include "layout.hpp"
#include "sample_contents.hpp"
#include "use_file.hpp"

namespace {

using namespace pianola;
using namespace pianola::testing;
using ::testing::HasSubstr;

class executable_file : public ::testing::Test {
 protected:
  // The file with a change that its checksum does not give away.
  template <class Record>
  Record& record(std::size_t section, std::size_t index) {
    const auto* header = reinterpret_cast<const executable::file_header*>(bytes_.data());
    return *reinterpret_cast<Record*>(bytes_.data() + header->places[section].offset +
                                      index * sizeof(Record));
  }
  executable::file_header& header() {
    return *reinterpret_cast<executable::file_header*>(bytes_.data());
  }
  void sum_up() { pianola::testing::sum_up(bytes_); }
  std::string refusal() {
    try {
      (void)load_bytes(bytes_);
    } catch (const model::user_error& e) {
      EXPECT_EQ(e.code(), model::error_code::invalid);
      return e.what();
    }
    return "none";
  }
  void start_again() { bytes_ = executable::to_bytes(sample_.what); }

  sample sample_;
  std::string bytes_ = executable::to_bytes(sample_.what);
};

// Their places in the table of layout.hpp.
enum : std::size_t {
#define PIANOLA_NUMBER(name, record) section_##name,
  PIANOLA_EXECUTABLE_SECTIONS(PIANOLA_NUMBER)
#undef PIANOLA_NUMBER
};

TEST_F(executable_file, gives_back_the_machine_and_what_is_bound) {
  const auto file = load_bytes(bytes_);
  EXPECT_EQ(file->graph_hash(), 42U);
  EXPECT_EQ(file->device(), model::device_id(1));
  ASSERT_EQ(file->machine().devices.size(), 2U);
  EXPECT_EQ(file->machine().devices[1].name, "Card");
  EXPECT_EQ(file->machine().devices[1].backend, "simulated");
  EXPECT_FALSE(file->machine().devices[0].listed);
  EXPECT_TRUE(file->machine().devices[1].listed);
  EXPECT_EQ(file->machine().links.size(), 2U);
  ASSERT_EQ(file->kernels().size(), 1U);
  EXPECT_EQ(file->kernels()[0].name, "stencil");
  EXPECT_EQ(file->kernels()[0].id, sample_.kernel.id);
  ASSERT_EQ(file->buffers().size(), 2U);
  EXPECT_EQ(file->buffers()[0].name, "field");
  EXPECT_EQ(file->buffers()[0].info.grid.page(), sample_.buffers[0].grid.page());
  EXPECT_EQ(file->buffers()[0].bound_page, (model::extent3{{1, 8, 16}}));
  EXPECT_EQ(file->buffers()[1].bound_page, sample_.buffers[1].grid.page());
  EXPECT_FALSE(file->buffers()[0].own);
  EXPECT_TRUE(file->buffers()[1].own);
  EXPECT_FALSE(file->buffers()[0].info.temporary);
  EXPECT_TRUE(file->buffers()[1].info.temporary);
  ASSERT_EQ(file->parameters().size(), 1U);
  EXPECT_EQ(file->parameters()[0].name, "weight");
  EXPECT_EQ(file->parameters()[0].bytes, 4U);
  ASSERT_EQ(file->parameters()[0].places.size(), 2U);
  EXPECT_EQ(file->parameters()[0].places[1].command, 3U);
  EXPECT_EQ(file->parameters()[0].places[1].offset, 24U);
  ASSERT_EQ(file->allocations().size(), 1U);
  EXPECT_EQ(file->allocations()[0].what.bytes, 4096U);
  EXPECT_EQ(file->allocations_of(1), (std::vector<std::uint32_t>{model::no_allocation, 0}));
}

TEST_F(executable_file, gives_back_commands_on_what_they_are_bound_to) {
  const auto file = load_bytes(bytes_);
  const model::kernel_descriptor* const kernels[] = {&sample_.kernel};
  unsigned char memory[4096];
  void* const pointers[] = {memory};
  const std::vector<model::command> commands = file->take_commands(kernels, pointers);
  ASSERT_EQ(commands.size(), sample_.commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const model::command &was = sample_.commands[i], &is = commands[i];
    EXPECT_EQ(is.payload.index(), was.payload.index());
    EXPECT_EQ(is.device, was.device);
    EXPECT_STREQ(is.label, was.label);
    ASSERT_EQ(is.requirements.size(), was.requirements.size());
    for (std::size_t r = 0; r < is.requirements.size(); ++r) {
      EXPECT_EQ(is.requirements[r].buffer, was.requirements[r].buffer);
      EXPECT_EQ(is.requirements[r].mode, was.requirements[r].mode);
      EXPECT_EQ(is.requirements[r].no_init, was.requirements[r].no_init);
      EXPECT_EQ(is.requirements[r].elements, was.requirements[r].elements);
    }
    EXPECT_THAT(std::vector<std::uint64_t>(is.after.begin(), is.after.end()),
                ::testing::ElementsAreArray(was.after.begin(), was.after.end()));
  }
  const auto& first = std::get<model::kernel_command>(commands[0].payload);
  EXPECT_EQ(first.kernel, &sample_.kernel);
  EXPECT_EQ(first.geometry.local, (model::extent3{{1, 2, 4}}));
  EXPECT_EQ(first.geometry.part, nullptr);
  const model::launch_geometry& half =
      std::get<model::kernel_command>(commands[3].payload).geometry;
  ASSERT_NE(half.part, nullptr);
  EXPECT_EQ(*half.part, sample_.part);
  EXPECT_EQ(first.local_memory_bytes, 256U);
  EXPECT_EQ(first.work.operations, 2048);
  ASSERT_EQ(first.slots.size(), 2U);
  EXPECT_EQ(first.slots[1].what, model::argument_slot::kind::local_memory);
  EXPECT_EQ(first.slots[0].byte_offset, 64U);
  // An address that is filled in later; one that points into memory; and bytes.
  std::uint64_t words[5];
  std::memcpy(words, first.arguments.bytes, sizeof words);
  EXPECT_EQ(words[0], 0U);
  EXPECT_EQ(words[2], reinterpret_cast<std::uintptr_t>(memory + 128));
  EXPECT_EQ(std::memcmp(words + 3, sample_.arguments[0] + 24, 16), 0);
  std::memcpy(words, std::get<model::kernel_command>(commands[3].payload).arguments.bytes,
              sizeof words);
  EXPECT_EQ(words[2], 0U);

  const auto& copy = std::get<model::copy_command>(commands[1].payload);
  EXPECT_EQ(copy.source.requirement, 0U);
  EXPECT_EQ(copy.destination.pointer, memory);
  EXPECT_EQ(copy.destination.byte_offset, 512U);
  EXPECT_EQ(copy.height, 3U);
  const auto& fill = std::get<model::fill_command>(commands[2].payload);
  EXPECT_EQ(std::memcmp(fill.large_pattern, sample_.pattern, sizeof sample_.pattern), 0);
  EXPECT_EQ(std::get<model::prefetch_command>(commands[4].payload).pointer, memory + 96);
  EXPECT_EQ(std::get<model::advise_command>(commands[5].payload).advice, 3);
  EXPECT_TRUE(std::get<model::acquire_command>(commands[8].payload).on_device);
}

TEST_F(executable_file, gives_back_the_plan) {
  const auto file = load_bytes(bytes_);
  const planner::plan plan = file->plan();
  ASSERT_EQ(plan.steps.size(), sample_.plan.steps.size());
  EXPECT_GT(plan.steps.size(), sample_.commands.size()) << "there are transfers";
  EXPECT_EQ(plan.contract.size(), sample_.plan.contract.size());
  EXPECT_EQ(plan.accesses.size(), sample_.plan.accesses.size());
  EXPECT_FALSE(plan.slots.empty());
  EXPECT_EQ(plan.slots.size(), sample_.plan.slots.size());
  EXPECT_EQ(plan.memories.size(), sample_.plan.memories.size());
  const auto wrong = planner::verify(sample_.commands, sample_.buffers, sample_.machine, plan);
  EXPECT_FALSE(wrong.has_value()) << wrong->reason;
  executable::contents again = sample_.what;
  again.plan = &plan;
  EXPECT_EQ(executable::to_bytes(again), bytes_);
}

// Whether the page that holds this address, or where one would be, takes memory.
bool takes_memory(std::uintptr_t at) {
  unsigned char is = 0;
  EXPECT_EQ(::mincore(reinterpret_cast<void*>(at / 4096 * 4096), 4096, &is), 0);
  return (is & 1U) != 0;
}

TEST_F(executable_file, keeps_only_what_commands_refer_to_when_its_records_are_given_back) {
  std::vector<model::command> many(300'000);
  for (model::command& c : many) {
    c.device = model::device_id(0);
    c.label = "label";
  }
  executable::contents what = sample_.what;
  what.commands = many;
  what.operands.clear();
  what.words.clear();
  what.parameters.clear();
  what.controls.clear();
  const planner::plan plan = planner::make_plan(many, sample_.buffers, sample_.machine);
  what.plan = &plan;
  const auto file = load_bytes(executable::to_bytes(what));
  const std::vector<model::command> commands = file->take_commands({}, {});
  // Text comes behind the records, which take more than two large pages.
  constexpr std::uintptr_t large = std::uintptr_t{2} << 20;
  const std::uintptr_t behind = reinterpret_cast<std::uintptr_t>(commands[0].label);
  const std::uintptr_t among_records = behind / large * large - 1;
  EXPECT_TRUE(takes_memory(among_records));
  file->give_back_records();
  EXPECT_FALSE(takes_memory(among_records));
  EXPECT_STREQ(commands.back().label, "label");
  EXPECT_EQ(file->graph_hash(), what.graph_hash);
  EXPECT_EQ(file->command_count(), many.size());
}

TEST_F(executable_file, is_recognised_and_its_header_checked) {
  EXPECT_TRUE(executable::is_executable(bytes_));
  EXPECT_FALSE(executable::is_executable("{\"format\": \"pianola.graph/1\"}"));
  header().version = 1;
  EXPECT_THAT(refusal(), HasSubstr("file: unknown version 1; this program reads version 4"));
  start_again();
  header().byte_order = 0x04030201;
  EXPECT_THAT(refusal(), HasSubstr("another byte order"));
  start_again();
  bytes_ += '\0';
  EXPECT_THAT(refusal(), HasSubstr("it was cut or added to"));
  bytes_.resize(20);
  EXPECT_THAT(refusal(), HasSubstr("ends within its header"));
  bytes_.clear();
  EXPECT_THAT(refusal(), HasSubstr("is no executable graph"));
  start_again();
  header().places[section_steps].count = ~std::uint64_t{0} / 16;
  sum_up();
  EXPECT_THAT(refusal(), HasSubstr("steps: lies outside of the file"));
  start_again();
  header().places[section_text] = header().places[section_bytes];
  sum_up();
  EXPECT_THAT(refusal(), HasSubstr("text: lies in the section before it"));
}

TEST_F(executable_file, tells_of_every_bit_that_is_not_as_it_was_written) {
  for (std::size_t i = 0; i < bytes_.size(); ++i)
    for (const int bit : {0, 7}) {
      bytes_[i] = static_cast<char>(bytes_[i] ^ (1 << bit));
      EXPECT_NE(refusal(), "none") << i;
      bytes_[i] = static_cast<char>(bytes_[i] ^ (1 << bit));
    }
  EXPECT_EQ(refusal(), "none");
}

TEST_F(executable_file, refuses_what_would_leave_buffers_memory_or_arguments) {
  const auto expect = [&](const char* reason) {
    sum_up();
    EXPECT_THAT(refusal(), HasSubstr(reason));
    start_again();
  };
  record<executable::copy_record>(section_copies, 0).height = 9;
  expect("file: commands/1: leaves the memory that it works on");
  record<executable::copy_record>(section_copies, 0).destination.byte_offset = 4096 - 95;
  expect("commands/1: leaves the memory");
  record<executable::copy_record>(section_copies, 0).destination.row_pitch = ~std::uint64_t{0};
  expect("commands/1: leaves the memory");
  record<executable::copy_record>(section_copies, 0).destination.allocation = executable::none;
  expect("commands/1: copies from or to no memory");
  record<executable::fill_record>(section_fills, 0).width = 544;
  expect("commands/2: leaves the memory");
  record<executable::hint_record>(section_hints, 1).bytes = 4001;
  expect("hints/1: leaves its allocation");
  record<executable::slot_record>(section_slots, 0).offset = 33;
  expect("slots/0: lies outside of the arguments");
  record<executable::slot_record>(section_slots, 0).byte_offset = 513;
  expect("slots/0: begins behind its buffer");
  record<executable::slot_record>(section_slots, 2).requirement = 2;
  expect("slots/2: unknown requirement");
  record<executable::pointer_record>(section_pointers, 0).byte_offset = 4097;
  expect("pointers/0: leads behind its allocation");
  record<executable::launch_record>(section_launches, 1).arguments = 1 << 20;
  expect("launches/1: has arguments that are not there");
  record<executable::place_record>(section_places, 1).offset = 37;
  expect("places/1: lies outside of the arguments");
  record<executable::place_record>(section_places, 1).command = 1;
  expect("places/1: is in no kernel");
  record<executable::parameter_record>(section_parameters, 0).place_count = 3;
  expect("parameters/0: has places that are not there");
  record<executable::geometry_record>(section_geometries, 1).global[1] = 4;
  expect("geometries/1: is a part that its index space has not");
  record<executable::geometry_record>(section_geometries, 1).part = 1000;
  expect("geometries/1: is a part that its index space has not");
}

TEST_F(executable_file, gives_back_graphs_that_commands_run) {
  const auto file = load_bytes(bytes_);
  ASSERT_EQ(file->controls().size(), 2U);
  const auto& thrice = file->controls()[0];
  EXPECT_EQ(thrice.command, 9U);
  EXPECT_EQ(thrice.condition_bytes, 0U);
  ASSERT_EQ(thrice.bodies.size(), 1U);
  EXPECT_EQ(thrice.bodies[0].buffers, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(thrice.bodies[0].what->command_count(), 2U);
  EXPECT_EQ(thrice.bodies[0].what->graph_hash(), 43U);
  const auto& chosen = file->controls()[1];
  EXPECT_EQ(chosen.bodies.size(), 2U);
  EXPECT_EQ(chosen.condition_bytes, 4U);
  EXPECT_TRUE(chosen.is_signed);
  EXPECT_EQ(chosen.byte_offset, 96U);
  EXPECT_EQ(chosen.allocation, 0U);
  EXPECT_EQ(file->allocations_of(10), (std::vector<std::uint32_t>{0}));
  const model::kernel_descriptor* const kernels[] = {&sample_.kernel};
  unsigned char memory[4096];
  void* const pointers[] = {memory};
  const std::vector<model::command> commands = file->take_commands(kernels, pointers);
  const auto& repeat = std::get<model::subgraph_command>(commands[9].payload);
  EXPECT_EQ(repeat.control, model::control_kind::repeat);
  EXPECT_EQ(repeat.count, 3U);
  EXPECT_EQ(repeat.nodes, 2U);
  EXPECT_EQ(std::get<model::subgraph_command>(commands[10].payload).bodies, 2U);
  const std::vector<model::command> inner = chosen.bodies[1].what->take_commands({}, pointers);
  EXPECT_EQ(std::get<model::copy_command>(inner[1].payload).source.pointer, memory);
  EXPECT_EQ(chosen.bodies[1].what->plan().steps.size(), sample_.nested->plan.steps.size());
}

TEST_F(executable_file, refuses_graphs_that_do_not_belong_to_those_around_them) {
  const auto expect = [&](const char* reason) {
    sum_up();
    EXPECT_THAT(refusal(), HasSubstr(reason));
    start_again();
  };
  using executable::body_record;
  using executable::control_record;
  record<std::uint32_t>(section_outer, 0) = 0;
  expect("file: bodies/0: has other buffers than the graph around it");
  record<std::uint32_t>(section_outer, 1) = 1;
  expect("file: bodies/0: has other allocations");
  record<body_record>(section_bodies, 0).buffer_count = 0;
  expect("bodies/0: has other buffers");
  record<body_record>(section_bodies, 0).buffer_count = 100;
  expect("bodies/0: has buffers or allocations that are not there");
  record<body_record>(section_bodies, 1).place = 0;
  expect("bodies/1: lies outside of its section, or in another graph");
  record<body_record>(section_bodies, 2).bytes += 64;
  expect("bodies/2: lies outside of its section");
  record<body_record>(section_bodies, 2).bytes -= 8;
  expect("file: bodies/2: ");
  record<executable::command_record>(section_commands, 10).payload = 0;
  expect("commands/10: is not the next loop or branch");
  record<control_record>(section_controls, 1).first_body = 0;
  expect("controls/1: does not run the next graphs");
  record<control_record>(section_controls, 1).body_count = 3;
  expect("controls/1: does not run the next graphs");
  record<control_record>(section_controls, 0).kind = 0;
  expect("controls/0: is neither a loop nor a branch");
  record<control_record>(section_controls, 0).body_count = 2;
  expect("controls/0: has another number of graphs than it can run");
  record<control_record>(section_controls, 0).condition_bytes = 4;
  expect("controls/0: has a condition and no use of it");
  record<control_record>(section_controls, 1).condition_bytes = 3;
  expect("controls/1: its condition has 1, 2, 4 or 8 bytes");
  record<control_record>(section_controls, 1).byte_offset = 4093;
  expect("controls/1: its condition leaves the memory that it is in");
  record<control_record>(section_controls, 1).condition = 0;
  expect("controls/1: its condition is in one place");
  record<control_record>(section_controls, 1).allocation = 1;
  expect("controls/1: unknown allocation");
}

TEST_F(executable_file, says_where_data_is_in_more_memories_than_a_word_has_bits) {
  sample_.machine.memories.resize(100, {"another", 0});
  ASSERT_FALSE(sample_.plan.contract.empty());
  planner::validity_entry& first = sample_.plan.contract[0];
  first.memories.add(model::memory_id(64));
  first.memories.add(model::memory_id(99));
  start_again();
  const planner::plan plan = load_bytes(bytes_)->plan();
  ASSERT_EQ(plan.contract.size(), sample_.plan.contract.size());
  ASSERT_EQ(plan.exit.size(), sample_.plan.exit.size());
  for (std::size_t i = 0; i < plan.contract.size(); ++i) {
    EXPECT_EQ(plan.contract[i].memories, sample_.plan.contract[i].memories) << i;
    EXPECT_EQ(plan.contract[i].elements, sample_.plan.contract[i].elements) << i;
  }
  for (std::size_t i = 0; i < plan.exit.size(); ++i)
    EXPECT_EQ(plan.exit[i].memories, sample_.plan.exit[i].memories) << i;

  const auto expect = [&](const char* reason) {
    sum_up();
    EXPECT_THAT(refusal(), HasSubstr(reason));
    start_again();
  };
  record<executable::validity_record>(section_contract, 1).memories |= std::uint64_t{1} << 36;
  expect("contract/1: unknown memory");
  record<executable::validity_record>(section_contract, 1).buffer = 1;
  record<executable::validity_record>(section_contract, 1).box = 0;
  const std::string told = [&] {
    sum_up();
    return refusal();
  }();
  EXPECT_THAT(told, ::testing::AnyOf(HasSubstr("contract/1: does not go on with its entry"),
                                     HasSubstr("contract/1: names elements")));
}

TEST_F(executable_file, refuses_storage_outside_of_its_block) {
  const auto expect = [&](const char* reason) {
    sum_up();
    EXPECT_THAT(refusal(), HasSubstr(reason));
    start_again();
  };
  auto& storage = record<executable::storage_record>(section_storage, 0);
  storage.offset += 1 << 20;
  expect("storage/0: does not lie in the block of its memory");
  record<executable::storage_record>(section_storage, 0).offset += 8;
  expect("storage/0: does not lie in the block of its memory");
  record<executable::storage_record>(section_storage, 0).last = 1000;
  expect("storage/0: unknown steps");
  record<executable::storage_record>(section_storage, 0).buffer = 0;
  expect("storage/0: is for a buffer that is neither temporary nor evictable");
  record<executable::storage_record>(section_storage, 0).memory = 7;
  expect("storage/0: is in a memory of which nothing is used");
  record<executable::use_record>(section_uses, 0).memory = 7;
  expect("uses/0: they are of memories that there are");
  record<executable::buffer_record>(section_buffers, 0).bound_page[1] = 9;
  expect("buffers/0: a range has no zeroes, and pages lie within it");
}

TEST_F(executable_file, refuses_plans_that_run_something_twice_or_too_early) {
  const auto expect = [&](const char* reason) {
    sum_up();
    EXPECT_THAT(refusal(), HasSubstr(reason));
    start_again();
  };
  auto* step = &record<executable::step_record>(section_steps, 0);
  std::size_t second = 0;
  while ((step[second].action & executable::step_record::transfer_bit) != 0 ||
         step[second].action == 0)
    ++second;
  step[second].action = 0;
  expect("runs a command again");
  record<executable::command_record>(section_commands, 0).device = 0;
  expect("its lane is of another device than its command");
  record<std::uint32_t>(section_waits, 0) = 1000;
  expect("waits for a step that does not come before it");
  record<std::uint32_t>(section_after, 0) = 1;
  expect("commands/1: comes after a command that does not come before it");
}

TEST_F(executable_file, cannot_be_made_of_what_has_no_name_elsewhere) {
  const model::object_operations operations{nullptr, nullptr};
  std::get<model::kernel_command>(sample_.commands[0].payload).arguments.operations = &operations;
  EXPECT_THROW((void)executable::to_bytes(sample_.what), model::user_error);
  std::get<model::kernel_command>(sample_.commands[0].payload).arguments.operations = nullptr;
  sample_.commands[7].payload = model::host_access_command{};
  EXPECT_THROW((void)executable::to_bytes(sample_.what), model::user_error);
}

}  // namespace
