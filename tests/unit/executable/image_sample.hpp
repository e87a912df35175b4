// SPDX-License-Identifier: Apache-2.0
// An executable graph of a kernel that reads an image through a texture, and constants of the library's own.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <pianola/executable/file.hpp>
#include <pianola/model/texture.hpp>
#include <pianola/planner/make_plan.hpp>

namespace pianola::testing {

struct image_sample {
  static constexpr std::uint32_t image_at = 8;  // in the arguments
  static constexpr std::size_t image_bytes = 4 * 3 * 16;
  static constexpr std::size_t constant_bytes = 100;

  image_sample() {
    machine.memories = {{"host", 0}};
    machine.devices.resize(1);
    machine.devices[0] = {"Processor", "openmp", model::memory_id(0), 8, {}};
    kernel.id = model::kernel_id(0x1234U);
    kernel.name = "sampler";
    kernel.argument_bytes = sizeof arguments;
    kernel.argument_alignment = 8;
    model::texture_argument asked;
    asked.marker = 1;
    asked.description.row_pitch = 64;
    asked.description.width = 4;
    asked.description.height = 3;
    asked.description.type = model::texel_type::float32;
    std::memcpy(arguments + image_at, &asked, sizeof asked);
    for (const std::size_t bytes : {image_bytes, constant_bytes}) {
      model::buffer_info& b = buffers.emplace_back();
      b.grid = model::page_grid(model::extent3{{1, 1, bytes}});
      b.element_size = 1;
      b.dimensions = 1;
      model::requirement& r = requirements.emplace_back();
      r.buffer = model::buffer_id(static_cast<std::uint32_t>(buffers.size() - 1));
      r.elements = model::box::of(b.grid.range());
    }
    constexpr auto texels = static_cast<std::uint32_t>(offsetof(model::texture_argument, texels));
    slots = {{0, model::argument_slot::kind::buffer, 1, 0},
             {image_at + texels, model::argument_slot::kind::buffer, 0, 0},
             {image_at, model::argument_slot::kind::texture, 0, 0}};
    model::kernel_command k;
    k.kernel = &kernel;
    k.id = kernel.id;
    k.geometry.global = {{1, 1, 4}};
    k.geometry.dimensions = 1;
    k.arguments = {arguments, sizeof arguments, 8, nullptr};
    k.slots = slots;
    commands.resize(1);
    commands[0].payload = k;
    commands[0].device = model::device_id(0);
    commands[0].label = "sample";
    commands[0].requirements = requirements;
    plan = planner::make_plan(commands, buffers, machine);
    what.device = model::device_id(0);
    what.machine = &machine;
    what.plan = &plan;
    what.commands = commands;
    what.buffers.push_back({buffers[0], "image"});
    what.buffers.push_back({buffers[1], "", true});
    for (std::size_t i = 0; i < constant_bytes; ++i)
      what.buffers[1].constants.push_back(static_cast<char>(i * 7));
  }
  image_sample(const image_sample&) = delete;
  image_sample& operator=(const image_sample&) = delete;

  model::topology machine;
  model::kernel_descriptor kernel;
  std::vector<model::buffer_info> buffers;
  std::vector<model::requirement> requirements;
  std::vector<model::argument_slot> slots;
  alignas(8) unsigned char arguments[8 + sizeof(model::texture_argument)]{};
  std::vector<model::command> commands;
  planner::plan plan;
  executable::contents what;
};

}  // namespace pianola::testing
