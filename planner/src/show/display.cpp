// SPDX-License-Identifier: Apache-2.0
#include "display.hpp"

#include <variant>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

namespace pianola::planner::display {

namespace {

constexpr std::size_t label_characters = 32;

std::uint64_t operand_bytes(std::uint64_t width, std::uint64_t height, std::uint64_t depth) {
  return width * height * depth;
}

std::string condition_text(const model::subgraph_command& c) {
  if (c.condition == model::memory_operand::no_requirement) return ", by memory of the program";
  return fmt::format(", by requirement {}", c.condition);
}

std::string range_source(const model::indirect_range& r) {
  if (r.requirement == model::indirect_range::in_memory) return ", read from memory of the program";
  return fmt::format(", read from requirement {}", r.requirement);
}

class detail_writer {
 public:
  std::string operator()(const model::kernel_command& c) const {
    const model::launch_geometry& g = c.geometry;
    std::string text = "range " + formats::extent_text(g.global, g.dimensions);
    if (g.grouped) text += " in groups of " + formats::extent_text(g.local, g.dimensions);
    if (g.part != nullptr)
      text += (g.grouped ? ", groups " : ", items ") + formats::box_text(*g.part, g.dimensions);
    if (c.indirect.used) text = fmt::format("at most {}{}", text, range_source(c.indirect));
    return text;
  }
  std::string operator()(const model::copy_command& c) const {
    return formats::bytes(operand_bytes(c.width, c.height, c.depth));
  }
  std::string operator()(const model::fill_command& c) const {
    return formats::bytes(operand_bytes(c.width, c.height, c.depth));
  }
  std::string operator()(const model::prefetch_command& c) const { return formats::bytes(c.bytes); }
  std::string operator()(const model::advise_command& c) const { return formats::bytes(c.bytes); }
  std::string operator()(const model::subgraph_command& c) const {
    const std::string nodes = fmt::format("{} nodes", c.nodes);
    switch (c.control) {
      case model::control_kind::once:
        break;
      case model::control_kind::repeat:
        return fmt::format("{} times {}", c.count, nodes);
      case model::control_kind::loop:
      case model::control_kind::branch:
      case model::control_kind::choice:
        return fmt::format("{} in {}{}{}", nodes, c.bodies, c.bodies == 1 ? " graph" : " graphs",
                           condition_text(c));
    }
    return nodes;
  }
  std::string operator()(const model::allocate_command& c) const {
    return fmt::format("{} at {}{}", formats::bytes(c.bytes), formats::bytes(c.place),
                       c.zero ? ", zeroed" : "");
  }
  std::string operator()(const model::free_command& c) const { return formats::bytes(c.bytes); }
  std::string operator()(const model::empty_command&) const { return {}; }
  std::string operator()(const model::host_task_command&) const { return {}; }
  std::string operator()(const model::barrier_command&) const { return {}; }
  std::string operator()(const model::host_access_command&) const { return {}; }
  std::string operator()(const model::acquire_command&) const { return {}; }
};

}  // namespace

std::string buffer_name(const graph_view& graph, model::buffer_id id) {
  const std::string label = formats::one_line(graph.buffer_label(id), label_characters);
  return label.empty() ? fmt::format("buffer {}", id.value()) : label;
}

std::string memory_name(const model::topology& topology, model::memory_id id) {
  if (!id.valid()) return "no memory";
  std::string name;
  if (id.value() < topology.memories.size())
    name = formats::one_line(topology.memories[id.value()].name, label_characters);
  return name.empty() ? fmt::format("memory {}", id.value()) : name;
}

std::string memory_names(const model::topology& topology, const model::memory_set& memories) {
  std::string names;
  memories.for_each([&](model::memory_id m) {
    if (!names.empty()) names += ", ";
    names += memory_name(topology, m);
  });
  return names.empty() ? "no memory" : names;
}

std::string device_name(const model::topology& topology, model::device_id id) {
  if (!id.valid()) return "no device";
  std::string text = fmt::format("device {}", id.value());
  if (id.value() < topology.devices.size()) {
    const auto& d = topology.devices[id.value()];
    const std::string name = formats::one_line(d.name, label_characters);
    text +=
        fmt::format(" ({})", name.empty() ? formats::one_line(d.backend, label_characters) : name);
  }
  return text;
}

std::string command_name(const model::command& c) {
  const std::string name = formats::short_name(formats::full_name(c));
  return name.empty() ? formats::kind_name(c) : name;
}

std::string command_detail(const model::command& c) {
  return std::visit(detail_writer(), c.payload);
}

std::string box_of_buffer(const graph_view& graph, model::buffer_id id, const model::box& b) {
  const model::buffer_info& info = graph.buffers()[id.value()];
  std::string text = buffer_name(graph, id);
  if (b != model::box::of(info.grid.range())) text += " " + formats::box_text(b, info.dimensions);
  return text;
}

std::string requirement_text(const graph_view& graph, const model::command& command,
                             std::size_t index) {
  const model::requirement& r = command.requirements[index];
  std::string text = model::name_of(r.mode);
  if (r.no_init) text += " no_init";
  text += " " + box_of_buffer(graph, r.buffer, r.elements);
  if (r.memory.valid()) text += fmt::format(" in memory {}", r.memory.value());
  if (const auto* kernel = std::get_if<model::kernel_command>(&command.payload))
    for (const model::footprint& f : kernel->footprints)
      if (const auto by = reduction_of(f);
          f.requirement == index && by != model::reduction_operation::none)
        text += std::string(", reduced by ") + model::name_of(by);
  return text;
}

std::string slot_text(const graph_view& graph, const model::topology& topology,
                      const storage_slot& s) {
  return fmt::format("{} in {} at {} in steps {} to {}", buffer_name(graph, s.buffer),
                     memory_name(topology, s.memory), s.offset, s.first, s.last);
}

std::string replays_line(const graph_view& graph) {
  std::size_t count = 0;
  for (const model::command& c : graph.commands())
    if (std::holds_alternative<model::subgraph_command>(c.payload)) ++count;
  if (count == 0) return {};
  return fmt::format(
      "not counted: what {} move{} within a graph; its own plan tells (graph-*.plan.json beside "
      "the recording of a run)\n",
      count == 1 ? std::string("1 replay") : fmt::format("{} replays", count),
      count == 1 ? "s" : "");
}

std::uint64_t transfer_bytes(const graph_view& graph, const transfer_step& t) {
  return t.elements.count() * graph.buffers()[t.buffer.value()].element_size;
}

std::uint64_t transfer_pages(const graph_view& graph, const transfer_step& t) {
  return graph.buffers()[t.buffer.value()].grid.page_count(t.elements);
}

}  // namespace pianola::planner::display
