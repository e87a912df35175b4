// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/dot.hpp"

#include <algorithm>
#include <functional>
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "display.hpp"
#include "dot_writer.hpp"
#include "drawn_edges.hpp"

namespace pianola::planner {

namespace {

// More than this no picture can show, and finding its edges costs the square.
constexpr std::size_t most_nodes = 4000;
constexpr std::size_t lines_of_requirements = 6;
constexpr std::size_t lines_of_states = 12;
// More than this are drawn closer together, as most of the picture is else the space between edges, and their places in a row
// are found in a bounded number of steps, which halves the time where each has many edges.
constexpr std::size_t crowd = 100;

constexpr const char* header =
    "digraph pianola {\n"
    "  graph [rankdir=TB, fontname=\"Helvetica\", fontsize=11, nodesep=0.25, ranksep=0.35];\n"
    "  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f3f4f6\", color=\"#6b7280\", "
    "fontname=\"Helvetica\", fontsize=10, margin=\"0.12,0.06\"];\n"
    "  edge [color=\"#374151\", arrowsize=0.6, fontname=\"Helvetica\", fontsize=9, "
    "fontcolor=\"#6b7280\"];\n";

std::string header_of(std::size_t nodes) {
  return std::string(header) +
         (nodes > crowd ? "  graph [nodesep=0.06, ranksep=0.2, nslimit=2];\n" : "");
}

const char* fill_colour(const model::command& c) {
  switch (kind_of(c.payload)) {
    case model::command_kind::kernel:
      return "#dbeafe";
    case model::command_kind::copy:
    case model::command_kind::fill:
      return "#fef3c7";
    case model::command_kind::host_task:
      return "#dcfce7";
    case model::command_kind::subgraph:
      return "#ede9fe";
    case model::command_kind::allocate:
    case model::command_kind::free:
      return "#cffafe";
    case model::command_kind::empty:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
      break;
  }
  return "#f3f4f6";
}

std::string command_label(const graph_view& graph, std::size_t id, const dot_options& options,
                          const std::string& step) {
  const model::command& c = graph.commands()[id];
  std::string text = fmt::format("{}\n#{}{}", display::command_name(c), id, step);
  if (const std::string detail = display::command_detail(c); !detail.empty()) text += "  " + detail;
  if (!options.requirements) return text;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < c.requirements.size(); ++i)
    lines.push_back(display::requirement_text(graph, c, i));
  if (!lines.empty()) text += "\n" + first_lines(lines, lines_of_requirements);
  return text;
}

std::size_t drawn_count(std::size_t count, const dot_options& options) {
  const std::size_t limit =
      options.maximum_nodes == 0 ? most_nodes : std::min(options.maximum_nodes, most_nodes);
  return std::min(count, limit);
}

std::string drawn_node(const std::string& name, const std::string& label,
                       const std::string& attributes) {
  return fmt::format("  {} [label={}{}];\n", name, dot_quoted(label),
                     attributes.empty() ? "" : ", " + attributes);
}

std::string note(const std::string& name, const std::string& label) {
  return drawn_node(name, label, "shape=note, style=filled, fillcolor=\"#fffbeb\", fontsize=9");
}

std::string left_out(const std::string& name, std::size_t count, std::size_t drawn,
                     const char* what) {
  if (count == drawn) return {};
  return note(name, fmt::format("cut here: {} of {} {} are not drawn", count - drawn, count, what));
}

// The edges of a picture. Graphviz takes minutes where nodes have dozens of edges each, and nobody can follow them.
class drawn_edges {
 public:
  explicit drawn_edges(const dot_options& options) : most_(5 * drawn_count(most_nodes, options)) {}
  // In ascending order of predecessors; the last one of a node is drawn in any case.
  void add(std::string text, bool last_of_node) {
    edges_.push_back({std::move(text), last_of_node});
  }

  [[nodiscard]] std::string text(const std::string& prefix = {}) const {
    std::size_t rest = most_;
    for (const edge& e : edges_) rest -= e.last_of_node && rest != 0 ? 1 : 0;
    std::string out;
    std::size_t drawn = 0;
    for (const edge& e : edges_) {
      if (!e.last_of_node && rest == 0) continue;
      if (!e.last_of_node) --rest;
      out += e.text;
      ++drawn;
    }
    return left_out(prefix + "edges_left_out", edges_.size(), drawn, "edges") + out;
  }

 private:
  struct edge {
    std::string text;
    bool last_of_node;
  };
  std::size_t most_;
  std::vector<edge> edges_;
};

// Name of the first buffer that orders two commands; empty if none does.
std::string conflict(const graph_view& graph, const model::command& a, const model::command& b) {
  for (const auto& x : a.requirements)
    for (const auto& y : b.requirements) {
      if (x.buffer != y.buffer || (!writes(x.mode) && !writes(y.mode))) continue;
      const model::page_grid& grid = graph.buffers()[x.buffer.value()].grid;
      if (overlap(grid.pages_of(x.elements), grid.pages_of(y.elements)))
        return display::buffer_name(graph, x.buffer);
    }
  return {};
}

}  // namespace

namespace {

// Commands and the edges between them; what nodes are called begins with `prefix`.
std::string drawn_commands(const graph_view& graph, const std::string& prefix,
                           const dot_options& options) {
  const auto commands = graph.commands();
  const std::size_t count = drawn_count(commands.size(), options);
  std::string out;
  drawn_edges edges(options);
  edge_reducer reducer(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = fmt::format("{}c{}", prefix, i);
    out += drawn_node(name, command_label(graph, i, options, ""),
                      fmt::format("fillcolor=\"{}\"", fill_colour(commands[i])));
    std::vector<std::size_t> predecessors;
    std::vector<std::string> reasons;
    for (std::size_t k = 0; k < i; ++k) {
      const auto& after = commands[i].after;
      const bool asked = std::find(after.begin(), after.end(), k) != after.end();
      std::string buffer = conflict(graph, commands[k], commands[i]);
      if (!asked && buffer.empty()) continue;
      predecessors.push_back(k);
      reasons.push_back(std::move(buffer));
    }
    std::size_t at = 0;
    const std::vector<std::size_t> drawn = reducer.add_node(predecessors);
    for (const std::size_t p : drawn) {
      while (predecessors[at] != p) ++at;
      edges.add(
          fmt::format("  {}c{} -> {}{};\n", prefix, p, name,
                      reasons[at].empty() ? " [style=dashed]"
                                          : fmt::format(" [label={}]", dot_quoted(reasons[at]))),
          p == drawn.back());
    }
  }
  return out + left_out(prefix + "left_out", commands.size(), count, "commands") +
         edges.text(prefix);
}

// `node_of(command)`: the node that has the body; empty: it is not drawn, nor is the body.
using node_function = std::function<std::string(std::uint32_t)>;
std::string drawn_bodies(const std::vector<drawn_body>& bodies, const std::string& prefix,
                         const node_function& node_of, const dot_options& options) {
  std::string out;
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const drawn_body& b = bodies[k];
    const std::string node = node_of(b.command);
    if (node.empty() || b.graph.commands().empty()) continue;
    const std::string name = fmt::format("{}b{}", prefix, k), inner = name + "_";
    const auto inner_node = [&](std::uint32_t c) {
      return c < drawn_count(b.graph.commands().size(), options) ? fmt::format("{}c{}", inner, c)
                                                                 : std::string();
    };
    out += fmt::format(
        "  subgraph cluster_{} {{\n    label={};\n    style=\"rounded,dashed\"; color=\"#a78bfa\"; "
        "fontcolor=\"#374151\";\n{}{}  }}\n",
        name, dot_quoted(b.title), drawn_commands(b.graph, inner, options),
        drawn_bodies(b.bodies, inner, inner_node, options));
    out += fmt::format("  {} -> {}c0 [lhead=cluster_{}, style=dotted, arrowhead=none];\n", node,
                       inner, name);
  }
  return out;
}

std::string drawn_bodies(const dot_options& options, const node_function& node_of) {
  if (options.bodies == nullptr || options.bodies->empty()) return {};
  return "  graph [compound=true];\n" + drawn_bodies(*options.bodies, "", node_of, options);
}

}  // namespace

std::string to_dot(const graph_view& graph, const dot_options& options) {
  const std::size_t count = drawn_count(graph.commands().size(), options);
  return fmt::format("{}{}{}}}\n", header_of(count), drawn_commands(graph, "", options),
                     drawn_bodies(options, [&](std::uint32_t c) {
                       return c < count ? fmt::format("c{}", c) : std::string();
                     }));
}

namespace {

std::string step_node(const graph_view& graph, const model::topology& topology, const step& s,
                      std::size_t index, const dot_options& options) {
  const std::string name = fmt::format("s{}", index), id = fmt::format("step {}", index);
  if (const auto* e = std::get_if<execute_step>(&s.action))
    return "  " + drawn_node(name, command_label(graph, e->command.value(), options, "  " + id),
                             fmt::format("fillcolor=\"{}\"",
                                         fill_colour(graph.commands()[e->command.value()])));
  const auto& t = std::get<transfer_step>(s.action);
  return "  " + drawn_node(name,
                           fmt::format("{}\n{} \u2192 {}\n{}  {}",
                                       display::box_of_buffer(graph, t.buffer, t.elements),
                                       display::memory_name(topology, t.from),
                                       display::memory_name(topology, t.to), id,
                                       formats::bytes(display::transfer_bytes(graph, t))),
                           "style=filled, fillcolor=\"#fed7aa\", color=\"#c2410c\"");
}

std::string state_note(const graph_view& graph, const model::topology& topology, const char* name,
                       const char* title, const std::vector<validity_entry>& entries) {
  if (entries.empty()) return {};
  std::vector<std::string> lines;
  for (const auto& e : entries)
    lines.push_back(fmt::format("{} in {}", display::box_of_buffer(graph, e.buffer, e.elements),
                                display::memory_names(topology, e.memories)));
  return note(name, fmt::format("{}\n{}", title, first_lines(lines, lines_of_states)));
}

}  // namespace

std::string to_dot(const graph_view& graph, const plan& p, const model::topology& topology,
                   const dot_options& options) {
  const std::size_t count = drawn_count(p.steps.size(), options);
  std::vector<std::vector<std::size_t>> lanes(p.lanes.size());
  drawn_edges edges(options);
  edge_reducer reducer(count);
  for (std::size_t i = 0; i < count; ++i) {
    const step& s = p.steps[i];
    std::vector<std::size_t>& lane = lanes[s.lane.value()];
    std::vector<std::size_t> predecessors;
    for (const model::step_id w : p.waits_of(s))
      predecessors.push_back(static_cast<std::size_t>(w.value() - p.first_step));
    if (!lane.empty()) predecessors.push_back(lane.back());
    std::sort(predecessors.begin(), predecessors.end());
    const std::vector<std::size_t> drawn = reducer.add_node(predecessors);
    for (const std::size_t k : drawn)
      edges.add(fmt::format("  s{} -> s{}{};\n", k, i,
                            p.steps[k].lane == s.lane ? " [color=\"#9ca3af\", weight=4]" : ""),
                k == drawn.back());
    lane.push_back(i);
  }

  std::string out = header_of(count);
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (lanes[l].empty()) continue;
    out += fmt::format(
        "  subgraph cluster_lane_{} {{\n    label={};\n    style=\"rounded\"; color=\"#d1d5db\"; "
        "fontcolor=\"#374151\";\n",
        l,
        dot_quoted(
            fmt::format("lane {}, {}", l, display::device_name(topology, p.lanes[l].device))));
    for (const std::size_t i : lanes[l]) out += step_node(graph, topology, p.steps[i], i, options);
    out += "  }\n";
  }
  const std::string contract =
      state_note(graph, topology, "contract", "valid at entry", p.contract);
  const std::string exit = state_note(graph, topology, "exit", "changed at exit", p.exit);
  if (!contract.empty()) out += contract + "  { rank=source; contract; }\n";
  if (!exit.empty()) out += exit + "  { rank=sink; exit; }\n";
  const auto step_of = [&](std::uint32_t command) {
    for (std::size_t i = 0; i < count; ++i)
      if (const auto* e = std::get_if<execute_step>(&p.steps[i].action);
          e != nullptr && e->command.value() == command)
        return fmt::format("s{}", i);
    return std::string();
  };
  return fmt::format("{}{}{}{}}}\n", out, left_out("left_out", p.steps.size(), count, "steps"),
                     edges.text(), drawn_bodies(options, step_of));
}

}  // namespace pianola::planner
