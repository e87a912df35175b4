// SPDX-License-Identifier: Apache-2.0
#include "window_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "show/display.hpp"

namespace pianola::planner {

namespace {

class writer {
 public:
  writer(const window& window, const planning_state& state, pass last, const graph_view& graph,
         std::size_t maximum)
      : window_(window),
        im_(state.internals()),
        last_(last),
        graph_(graph),
        maximum_(maximum == 0 ? SIZE_MAX : maximum) {}

  std::string run() {
    if (last_ == pass::choose_entry) entry();
    if (last_ < pass::insert_transfers)
      list(window_.commands.size(), "commands",
           [&](std::size_t i) { placed_command(window_.command_at(i)); });
    else
      list_steps();
    return std::move(text_);
  }

 private:
  template <class F>
  void list(std::size_t count, const char* what, F&& line) {
    for (std::size_t i = 0; i < std::min(count, maximum_); ++i) {
      line(i);
      text_ += "\n";
    }
    if (count > maximum_) text_ += fmt::format("  ... and {} more {}\n", count - maximum_, what);
  }

  void list_steps() {
    list(window_.nodes.size(), "steps", [&](std::size_t i) { step(i); });
    list(window_.slots.size(), "slots", [&](std::size_t i) {
      const window_slot& s = window_.slots[i];
      text_ += "  " + display::slot_text(graph_, *window_.machine,
                                         {s.buffer, s.memory, s.offset, s.first, s.last});
    });
  }

  void command(std::size_t i) {
    text_ +=
        display::padded(fmt::format("#{}", i), 6) + display::command_name(graph_.commands()[i]);
  }
  void placed_command(std::size_t i) {
    const placement& p = window_.places[i];
    text_ += "  ";
    command(i);
    text_ += fmt::format("  on {} in {}", display::device_name(*window_.machine, p.device),
                         display::memory_name(*window_.machine, p.memory));
  }

  void entry() {
    std::size_t boxes = 0;
    for (std::size_t b = 0; b < im_.buffers.size(); ++b)
      im_.buffers[b].valid.visit(im_.buffers[b].valid.domain(), [&](const model::box& where,
                                                                    const validity& v) {
        if (v.valid.empty() || ++boxes > maximum_) return;
        text_ += fmt::format(
            "  starts with {} in {}\n",
            display::box_of_buffer(graph_, model::buffer_id(static_cast<std::uint32_t>(b)), where),
            display::memory_names(*window_.machine, v.valid));
      });
    if (boxes > maximum_) text_ += fmt::format("  ... and {} more boxes\n", boxes - maximum_);
  }

  void step(std::size_t i) {
    const node& n = window_.nodes[i];
    text_ += fmt::format("  {}", display::padded(fmt::to_string(window_.first + i), 6));
    if (last_ >= pass::assign_lanes) text_ += display::padded(fmt::format("lane {}", n.lane), 9);
    if (n.transfer) {
      const pending_transfer& t = window_.transfers[n.index];
      text_ += fmt::format(
          "{}{}  {} -> {}  {}", display::padded("move", 6),
          display::box_of_buffer(graph_, t.buffer, t.elements),
          display::memory_name(*window_.machine, t.from),
          display::memory_name(*window_.machine, t.to),
          formats::bytes(t.elements.count() * graph_.buffers()[t.buffer.value()].element_size));
    } else {
      command(n.index);
    }
    // Until dependencies are derived, only where the data comes from is known.
    const bool derived = last_ >= pass::derive_dependencies;
    const std::vector<std::uint64_t>& edges = derived ? window_.edges : window_.data_edges;
    if (n.edge_count != 0) text_ += derived ? "  after" : "  data of";
    for (std::uint32_t e = 0; e < n.edge_count; ++e)
      text_ += fmt::format(" {}", edges[n.first_edge + e]);
    if (last_ == pass::order_slots) room(i);
  }
  // Whom the step comes after because of the room that both use.
  void room(std::size_t i) {
    const auto [first, last] =
        std::equal_range(window_.slot_edges.begin(), window_.slot_edges.end(),
                         slot_edge{static_cast<std::uint32_t>(i), 0},
                         [](const slot_edge& a, const slot_edge& b) { return a.later < b.later; });
    if (first != last) text_ += "  room of";
    for (auto e = first; e != last; ++e) text_ += fmt::format(" {}", window_.first + e->earlier);
  }

  const window& window_;
  const planning_state::implementation& im_;
  const pass last_;
  const graph_view& graph_;
  const std::size_t maximum_;
  std::string text_;
};

}  // namespace

const char* name_of(pass p) noexcept {
  switch (p) {
    case pass::place_commands:
      return "place_commands";
    case pass::order_commands:
      return "order_commands";
    case pass::choose_entry:
      return "choose_entry";
    case pass::insert_transfers:
      return "insert_transfers";
    case pass::coalesce_transfers:
      return "coalesce_transfers";
    case pass::order_slots:
      return "order_slots";
    case pass::derive_dependencies:
      return "derive_dependencies";
    case pass::order_steps:
      return "order_steps";
    case pass::assign_lanes:
      return "assign_lanes";
    case pass::share_slots:
      return "share_slots";
    case pass::prune_edges:
      return "prune_edges";
    case pass::summarise:
      return "summarise";
    case pass::measure_memory:
      break;
  }
  return "measure_memory";
}

std::string window_text(const window& window, const planning_state& state, pass last,
                        const graph_view& graph, std::size_t maximum) {
  return writer(window, state, last, graph, maximum).run();
}

}  // namespace pianola::planner
