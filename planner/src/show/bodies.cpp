// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "pianola/planner/text.hpp"

namespace pianola::planner {

std::string title_of_graph(const model::subgraph_command& what, std::size_t which) {
  switch (what.control) {
    case model::control_kind::once:
      break;
    case model::control_kind::repeat:
      return fmt::format("repeated {} times", what.count);
    case model::control_kind::loop:
      return "repeated while the condition holds";
    case model::control_kind::branch:
      return which == 0 ? "if the condition holds" : "otherwise";
    case model::control_kind::choice:
      return fmt::format("if the number is {}", which);
  }
  return "a graph";
}

std::string to_text(const graph_view& graph, const std::vector<graph_of_command>& graphs,
                    const model::topology& machine, std::size_t maximum) {
  std::string text;
  std::size_t which = 0;
  for (std::size_t i = 0; i < graphs.size(); ++i) {
    const graph_of_command& g = graphs[i];
    which = i != 0 && graphs[i - 1].command == g.command ? which + 1 : 0;
    const model::command& c = graph.commands()[g.command];
    text += fmt::format("command {} '{}' runs, {}:\n", g.command,
                        formats::one_line(formats::full_name(c), 80),
                        title_of_graph(std::get<model::subgraph_command>(c.payload), which));
    text += to_text(g.graph, *g.how, machine, maximum);
    text += to_text(g.graph, g.inner, machine, maximum);
  }
  return text;
}

}  // namespace pianola::planner
