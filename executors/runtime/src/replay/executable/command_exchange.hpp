// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/model/command.hpp>

#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

// Another command in the place of one of a graph.
struct node_change {
  std::uint32_t index;
  model::command command;
  std::shared_ptr<const void> refers_to;  // null: to what the graph keeps anyway
};

// What an update exchanges, of commands that the plan holds for: all that was recorded, or some commands. One of both is null.
struct command_exchange {
  graph_snapshot* whole = nullptr;
  std::vector<node_change>* nodes = nullptr;
  std::vector<std::uint32_t> changed;
  // What ends without the lock, as destructors are the program's.
  graph_snapshot before{};
  std::vector<std::shared_ptr<const void>> dropped{};
};

}  // namespace pianola::runtime
