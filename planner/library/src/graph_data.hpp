// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include <pianola/model/topology.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/recorder/graph_json.hpp>

#include "pianola/planning/graph.hpp"

namespace pianola::planning::detail {

struct graph_data {
  recorder::loaded_graph loaded;
  planning::machine machine;  // loaded.topology, for those who ask

  explicit graph_data(recorder::loaded_graph g);

  [[nodiscard]] static planning::graph graph_of(std::shared_ptr<graph_data> data);
  [[nodiscard]] static const graph_data& of(const planning::graph& g) { return *g.data_; }
  [[nodiscard]] static std::shared_ptr<const graph_data> shared(const planning::graph& g) {
    return g.data_;
  }
};

// Appends the command. Throws planning::error for what makes no sense, and the graph is unchanged.
command_id add_command(graph_data& to, const command& c);
// What was appended, or read.
[[nodiscard]] command describe(const graph_data& g, model::command_id id);

}  // namespace pianola::planning::detail
