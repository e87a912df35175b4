// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/text.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "display.hpp"

namespace pianola::planner {

namespace {

std::string counted(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::size_t shown_of(std::size_t count, std::size_t maximum) {
  return maximum == 0 ? count : std::min(count, maximum);
}

std::string left_out(std::size_t count, std::size_t shown, const char* what) {
  if (count == shown) return {};
  return fmt::format("  ... and {} more {} (raise --limit)\n", count - shown, what);
}

std::string buffer_line(const graph_view& graph, model::buffer_id id) {
  const model::buffer_info& b = graph.buffers()[id.value()];
  std::string line =
      fmt::format("  {}{}  {} elements of {}, {}", display::padded(fmt::to_string(id.value()), 4),
                  display::padded(display::buffer_name(graph, id), 16),
                  formats::extent_text(b.grid.range(), b.dimensions),
                  formats::bytes(b.element_size), formats::bytes(b.bytes()));
  if (!b.grid.single_page())
    line += ", pages of " + formats::extent_text(b.grid.page(), b.dimensions);
  if (b.temporary) line += ", temporary";
  if (b.evictable) line += ", evictable";
  return line + "\n";
}

std::string command_lines(const graph_view& graph, std::size_t id) {
  const model::command& c = graph.commands()[id];
  std::string text = fmt::format("  {}{}", display::padded(fmt::to_string(id), 4),
                                 display::padded(formats::kind_name(c), 11));
  const std::string name = display::command_name(c), detail = display::command_detail(c);
  if (name != formats::kind_name(c)) text += "  " + name;
  if (!detail.empty()) text += "  " + detail;
  if (c.device.valid()) text += fmt::format("  on device {}", c.device.value());
  if (!c.after.empty()) {
    text += "  after";
    for (const std::uint64_t a : c.after) text += fmt::format(" {}", a);
  }
  text += "\n";
  for (std::size_t i = 0; i < c.requirements.size(); ++i)
    text += fmt::format("        {}\n", display::requirement_text(graph, c, i));
  for (const std::uint32_t a :
       graph.allocations_of(model::command_id(static_cast<std::uint32_t>(id))))
    if (a != model::no_allocation) text += fmt::format("        allocation {}\n", a);
  return text;
}

std::string step_line(const graph_view& graph, const plan& p, const model::topology& topology,
                      std::size_t index) {
  const step& s = p.steps[index];
  std::string text = fmt::format("    {}", display::padded(fmt::to_string(index), 5));
  if (const auto* e = std::get_if<execute_step>(&s.action)) {
    text += display::padded(fmt::format("#{}", e->command.value()), 6) +
            display::command_name(graph.commands()[e->command.value()]);
  } else {
    const auto& t = std::get<transfer_step>(s.action);
    text += fmt::format(
        "{}{}  {} -> {}  {}", display::padded("move", 6),
        display::box_of_buffer(graph, t.buffer, t.elements), display::memory_name(topology, t.from),
        display::memory_name(topology, t.to), formats::bytes(display::transfer_bytes(graph, t)));
  }
  if (s.wait_count != 0) {
    text += "  waits for";
    for (const model::step_id w : p.waits_of(s)) text += fmt::format(" {}", w.value());
  }
  return text + "\n";
}

std::string validity_lines(const graph_view& graph, const model::topology& topology,
                           const char* title, const std::vector<validity_entry>& entries,
                           std::size_t maximum) {
  if (entries.empty()) return std::string(title) + ": nothing\n";
  std::string text = std::string(title) + ":\n";
  const std::size_t shown = shown_of(entries.size(), maximum);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("  {} in {}\n",
                        display::box_of_buffer(graph, entries[i].buffer, entries[i].elements),
                        display::memory_names(topology, entries[i].memories));
  return text + left_out(entries.size(), shown, "boxes");
}

std::string access_lines(const graph_view& graph, const plan& p, std::size_t maximum) {
  if (p.accesses.empty()) return {};
  std::string text = "accesses:\n";
  const std::size_t shown = shown_of(p.accesses.size(), maximum);
  for (std::size_t i = 0; i < shown; ++i)
    text +=
        fmt::format("  {}{}\n", p.accesses[i].written ? "writes " : "reads  ",
                    display::box_of_buffer(graph, p.accesses[i].buffer, p.accesses[i].elements));
  return text + left_out(p.accesses.size(), shown, "boxes");
}

std::string slot_lines(const graph_view& graph, const plan& p, const model::topology& topology,
                       std::size_t maximum) {
  if (p.slots.empty()) return {};
  std::string text = "slots:\n";
  const std::size_t shown = shown_of(p.slots.size(), maximum);
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("  {}\n", display::slot_text(graph, topology, p.slots[i]));
  return text + left_out(p.slots.size(), shown, "slots");
}

struct traffic {
  std::uint64_t transfers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pages = 0;

  void add(const graph_view& graph, const transfer_step& t) {
    ++transfers;
    bytes += display::transfer_bytes(graph, t);
    pages += display::transfer_pages(graph, t);
  }
  [[nodiscard]] std::string text() const {
    return fmt::format("{}, {}, {}", counted(transfers, "transfer", "transfers"),
                       counted(pages, "page", "pages"), formats::bytes(bytes));
  }
};

}  // namespace

std::string memory_text(const plan& p, const model::topology& topology) {
  std::string text;
  for (const memory_use& m : p.memories) {
    text += fmt::format("memory peak {}: {}", display::memory_name(topology, m.memory),
                        formats::bytes(m.peak));
    if (m.budget != 0) text += " of " + formats::bytes(m.budget);
    if (m.block != 0)
      text += fmt::format(", {} of them shared by {} of buffers", formats::bytes(m.block),
                          formats::bytes(m.apart));
    if (m.allocated_apart > m.allocated)
      text += fmt::format(", {} of them shared by {} that commands allocate",
                          formats::bytes(m.allocated), formats::bytes(m.allocated_apart));
    if (m.saved() != 0) text += fmt::format("; sharing saves {}", formats::bytes(m.saved()));
    text += "\n";
  }
  return text;
}

std::string to_text(const graph_view& graph, const model::topology& topology, std::size_t maximum) {
  std::string text = fmt::format("graph {}: {}, {}, {}\n", formats::hex(graph.structural_hash()),
                                 counted(graph.commands().size(), "command", "commands"),
                                 counted(graph.buffers().size(), "buffer", "buffers"),
                                 counted(topology.devices.size(), "device", "devices"));
  if (!topology.devices.empty()) text += "devices:\n";
  const std::size_t devices = shown_of(topology.devices.size(), maximum);
  for (std::size_t i = 0; i < devices; ++i) {
    const auto& d = topology.devices[i];
    text += fmt::format("  {}{}  {}, {}\n", display::padded(fmt::to_string(i), 4),
                        display::padded(formats::one_line(d.backend, 16), 10),
                        formats::one_line(d.name, 48), display::memory_name(topology, d.memory));
  }
  text += left_out(topology.devices.size(), devices, "devices");

  if (!graph.buffers().empty()) text += "buffers:\n";
  const std::size_t buffers = shown_of(graph.buffers().size(), maximum);
  for (std::size_t i = 0; i < buffers; ++i)
    text += buffer_line(graph, model::buffer_id(static_cast<std::uint32_t>(i)));
  text += left_out(graph.buffers().size(), buffers, "buffers");

  if (!graph.allocations().empty()) text += "allocations:\n";
  const std::size_t allocations = shown_of(graph.allocations().size(), maximum);
  for (std::size_t i = 0; i < allocations; ++i) {
    static constexpr const char* kinds[] = {"host", "device", "shared"};
    const model::usm_allocation& a = graph.allocations()[i];
    text += fmt::format("  {}{}  {} in {}\n", display::padded(fmt::to_string(i), 4),
                        display::padded(kinds[static_cast<int>(a.what)], 8),
                        formats::bytes(a.bytes), display::memory_name(topology, a.memory));
  }
  text += left_out(graph.allocations().size(), allocations, "allocations");

  if (!graph.commands().empty()) text += "commands:\n";
  const std::size_t commands = shown_of(graph.commands().size(), maximum);
  for (std::size_t i = 0; i < commands; ++i) text += command_lines(graph, i);
  return text + left_out(graph.commands().size(), commands, "commands");
}

std::string to_text(const graph_view& graph, const plan& p, const model::topology& topology,
                    std::size_t maximum) {
  traffic all;
  std::map<std::pair<model::memory_id, model::memory_id>, traffic> by_link;
  for (const step& s : p.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action)) {
      all.add(graph, *t);
      by_link[{t->from, t->to}].add(graph, *t);
    }
  std::string text = fmt::format("plan: {} on {}, {}\n{}", counted(p.steps.size(), "step", "steps"),
                                 counted(p.lanes.size(), "lane", "lanes"), all.text(),
                                 display::replays_line(graph));

  const std::size_t shown = shown_of(p.steps.size(), maximum);
  std::vector<std::vector<std::size_t>> lanes(p.lanes.size());
  for (std::size_t i = 0; i < shown; ++i) lanes[p.steps[i].lane.value()].push_back(i);
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (lanes[l].empty()) continue;
    text += fmt::format("  lane {}, {}:\n", l, display::device_name(topology, p.lanes[l].device));
    for (const std::size_t i : lanes[l]) text += step_line(graph, p, topology, i);
  }
  text += left_out(p.steps.size(), shown, "steps");

  const std::size_t finished = shown_of(p.finished.size(), maximum);
  for (std::size_t i = 0; i < finished; ++i)
    text += fmt::format("  before step {}: all below {} had finished\n", p.finished[i].step.value(),
                        p.finished[i].below.value());
  text += left_out(p.finished.size(), finished, "of these");

  for (const auto& [link, moved] : by_link)
    text += fmt::format("moved {} -> {}: {}\n", display::memory_name(topology, link.first),
                        display::memory_name(topology, link.second), moved.text());
  text += validity_lines(graph, topology, "valid at entry", p.contract, maximum);
  text += validity_lines(graph, topology, "changed at exit", p.exit, maximum);
  return text + access_lines(graph, p, maximum) + memory_text(p, topology) +
         slot_lines(graph, p, topology, maximum);
}

std::string detail_text(const model::command& c) { return display::command_detail(c); }

}  // namespace pianola::planner
