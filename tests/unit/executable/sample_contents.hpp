// SPDX-License-Identifier: Apache-2.0
// An executable graph with everything that a file can hold.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <pianola/executable/file.hpp>
#include <pianola/planner/make_plan.hpp>

namespace pianola::testing {

// A graph that commands of the sample run: it fills a buffer of that one and copies from memory.
struct nested_sample {
  nested_sample(const model::topology& machine, const model::buffer_info& buffer,
                const executable::named_allocation& memory) {
    info = buffer;
    info.temporary = false;
    required.buffer = model::buffer_id(0);
    required.mode = model::access_mode::write;
    required.elements = model::box::of(info.grid.range());
    commands.resize(2);
    model::fill_command fill;
    fill.destination.requirement = 0;
    fill.width = 512;
    fill.pattern_bytes = 1;
    commands[0].payload = fill;
    model::copy_command copy;
    copy.source.byte_offset = 128;
    copy.destination.requirement = 0;
    copy.width = 8;
    commands[1].payload = copy;
    commands[1].after = {&first, 1};
    for (model::command& c : commands) {
      c.device = model::device_id(0);
      c.label = "";
      c.requirements = {&required, 1};
    }
    plan = planner::make_plan(commands, {&info, 1}, machine);
    what.graph_hash = 43;
    what.device = model::device_id(1);
    what.machine = &machine;
    what.plan = &plan;
    what.commands = commands;
    what.operands.resize(2);
    what.operands[1].allocation[0] = 0;
    what.buffers.push_back({info, "", true});
    what.allocations.push_back({memory.what, ""});
  }
  nested_sample(const nested_sample&) = delete;
  nested_sample& operator=(const nested_sample&) = delete;

  model::buffer_info info;
  model::requirement required;
  std::uint64_t first = 0;
  std::vector<model::command> commands;
  planner::plan plan;
  executable::contents what;
};

struct sample {
  sample() {
    machine.memories = {{"host", 0}, {"Card", 1 << 20}};
    machine.devices.resize(2);
    machine.devices[0] = {"Processor", "openmp", model::memory_id(0), 8, {}, false};
    machine.devices[1] = {"Card", "simulated", model::memory_id(1), 4, {}};
    machine.links.resize(2);
    machine.links[0].from = machine.links[1].to = model::memory_id(0);
    machine.links[0].to = machine.links[1].from = model::memory_id(1);
    kernel.id = model::kernel_id(0x123456789abcdef0U);
    kernel.name = "stencil";
    kernel.argument_bytes = sizeof arguments[0];
    kernel.argument_alignment = 8;

    buffers.resize(2);
    buffers[0].grid = model::page_grid({{1, 8, 16}}, {{1, 4, 16}});
    buffers[0].element_size = 4;
    buffers[0].dimensions = 2;
    buffers[1].grid = model::page_grid(model::extent3{{1, 1, 64}});
    buffers[1].element_size = 8;
    buffers[1].temporary = true;
    for (std::size_t i = 0; i < 2; ++i)
      what.buffers.push_back({buffers[i], i == 0 ? "field" : "", i == 1});
    what.buffers[0].bound_page = {{1, 8, 16}};
    what.parameters.push_back({"weight", 4, {{0, 24}, {3, 24}}});
    what.allocations.push_back(
        {{model::usm_kind::host, model::host_memory, 4096}, "memory of the host"});

    requirements.reserve(16);
    slots.reserve(16);
    after.reserve(16);
    commands.reserve(16);
    add_kernel(0);
    add_copy();
    add_fill();
    add_kernel(1);
    add_hints();
    add_loops();
    what.operands.resize(commands.size());
    what.operands[1].allocation[1] = 0;
    what.operands[4].allocation[0] = what.operands[5].allocation[0] = 0;
    what.words.push_back({0, 16, 0, 128});
    what.words.push_back({3, 16, model::no_allocation, 0});
    plan = planner::make_plan(commands, buffers, machine);
    what.graph_hash = 42;
    what.device = model::device_id(1);
    what.machine = &machine;
    what.plan = &plan;
    what.commands = commands;
  }
  sample(const sample&) = delete;
  sample& operator=(const sample&) = delete;

  model::command& add(model::command_payload payload, std::uint16_t device, const char* label) {
    model::command& c = commands.emplace_back();
    c.payload = payload;
    c.device = model::device_id(device);
    c.label = label;
    if (commands.size() > 1) {
      after.push_back(commands.size() - 2);
      c.after = {&after.back(), 1};
    }
    return c;
  }
  void require(model::command& c, std::uint32_t buffer, model::access_mode mode, bool no_init) {
    model::requirement& r = requirements.emplace_back();
    r.buffer = model::buffer_id(buffer);
    r.mode = mode;
    r.no_init = no_init;
    r.elements = model::box::of(buffers[buffer].grid.range());
    c.requirements = {&r - c.requirements.size(), c.requirements.size() + 1};
  }
  void add_kernel(int number) {
    model::kernel_command k;
    k.kernel = &kernel;
    k.id = kernel.id;
    k.geometry.global = {{1, 8, 16}};
    k.geometry.local = {{1, 2, 4}};
    k.geometry.dimensions = 2;
    k.geometry.grouped = true;
    if (number == 1) k.geometry.part = &part;
    k.local_memory_bytes = 256;
    k.work = {1024, 2048};
    for (std::size_t i = 0; i < sizeof arguments[number]; ++i)
      arguments[number][i] = static_cast<unsigned char>(i + 1);
    k.arguments = {arguments[number], sizeof arguments[number], 8, nullptr};
    slots.push_back({0, model::argument_slot::kind::buffer, 0, 64});
    slots.push_back({8, model::argument_slot::kind::local_memory, 0, 32});
    k.slots = {&slots.back() - 1, 2};
    model::command& c = add(k, 1, number == 0 ? "first" : "");
    require(c, 0, model::access_mode::read_write, false);
    require(c, 1, model::access_mode::write, true);
  }
  void add_copy() {
    model::copy_command copy;
    copy.source.requirement = 0;
    copy.source.byte_offset = 64;
    copy.source.row_pitch = 64;
    copy.destination.byte_offset = 512;
    copy.destination.row_pitch = 32;
    copy.width = 32;
    copy.height = 3;
    require(add(copy, 0, "save"), 0, model::access_mode::read, false);
  }
  void add_fill() {
    model::fill_command fill;
    fill.destination.requirement = 0;
    fill.width = 512;
    fill.pattern_bytes = 32;
    for (std::size_t i = 0; i < sizeof pattern; ++i) pattern[i] = static_cast<unsigned char>(i * 3);
    fill.large_pattern = pattern;
    require(add(fill, 0, ""), 1, model::access_mode::write, true);
  }
  void add_hints() {
    const auto* const at = reinterpret_cast<const void*>(std::uintptr_t{96});
    add(model::prefetch_command{at, 1000}, 0, "");
    add(model::advise_command{at, 1000, 3}, 0, "");
    add(model::barrier_command{}, 1, "");
    add(model::empty_command{}, 1, "");
    require(add(model::acquire_command{true}, 1, ""), 0, model::access_mode::read, false);
  }

  // One that runs three times, and one that a value in memory chooses from.
  void add_loops() {
    nested = std::make_unique<nested_sample>(machine, buffers[1], what.allocations[0]);
    const executable::nested_graph<const executable::contents*> body{&nested->what, {1}, {0}};
    model::subgraph_command repeat{nullptr, 2, model::control_kind::repeat, 3, 1};
    require(add(repeat, 0, "thrice"), 1, model::access_mode::write, true);
    what.controls.emplace_back();
    what.controls[0].command = static_cast<std::uint32_t>(commands.size() - 1);
    what.controls[0].bodies = {body};
    model::subgraph_command choice{nullptr, 4, model::control_kind::choice, 1, 2};
    require(add(choice, 0, "one of two"), 1, model::access_mode::read_write, false);
    auto& c = what.controls.emplace_back();
    c.command = static_cast<std::uint32_t>(commands.size() - 1);
    c.condition_bytes = 4;
    c.is_signed = true;
    c.byte_offset = 96;
    c.allocation = 0;
    c.bodies = {body, body};
  }

  model::topology machine;
  model::kernel_descriptor kernel;
  std::vector<model::buffer_info> buffers;
  std::vector<model::requirement> requirements;
  std::vector<model::argument_slot> slots;
  std::vector<std::uint64_t> after;
  unsigned char arguments[2][40];
  unsigned char pattern[32];
  model::box part{{{0, 1, 0}}, {{1, 3, 4}}};  // of four by four groups
  std::vector<model::command> commands;
  planner::plan plan;
  std::unique_ptr<nested_sample> nested;
  executable::contents what;
};

inline std::shared_ptr<executable::file> load_bytes(const std::string& bytes) {
  return executable::file::from_bytes(formats::file_bytes::copy_of(bytes), "file");
}

}  // namespace pianola::testing
