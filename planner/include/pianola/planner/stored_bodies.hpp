// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/model/topology.hpp>

#include "graph_of_command.hpp"
#include "plan_json.hpp"

namespace pianola::planner {

// The graphs that commands of a graph run, as its file has them. Refers to the graph.
class stored_bodies {
 public:
  // Of anything that looks like recorder::command_graph. Reads their plans, and throws as read_plan.
  template <class Graph>
  stored_bodies(const Graph& graph, const model::topology& machine, std::string_view source)
      : all_(read(graph, machine, std::string(source))) {}
  stored_bodies(const stored_bodies&) = delete;
  stored_bodies& operator=(const stored_bodies&) = delete;

  [[nodiscard]] const std::vector<graph_of_command>& all() const noexcept { return all_; }

 private:
  template <class Graph>
  std::vector<graph_of_command> read(const Graph& graph, const model::topology& machine,
                                     const std::string& source) {
    std::vector<graph_of_command> found;
    for (const auto& b : graph.bodies()) {
      const std::string place =
          source + ": a graph that command " + std::to_string(b.command.value()) + " runs";
      const graph_view view(*b.graph);
      plans_.push_back(read_plan(b.plan, view, machine, place));
      const plan& how = plans_.back();
      found.push_back({b.command.value(), b.buffers, view, &how, read(*b.graph, machine, place)});
    }
    return found;
  }

  std::deque<plan> plans_;
  std::vector<graph_of_command> all_;
};

}  // namespace pianola::planner
