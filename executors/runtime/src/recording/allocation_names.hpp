// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/recorder/command_graph.hpp>

#include "data/pointer_registry.hpp"

namespace pianola::runtime {

// As files tell of it.
[[nodiscard]] model::usm_allocation allocation_for_files(const model::topology& topology,
                                                         const user_allocation& found);

// USM allocations of the program, numbered as a graph for files meets them: files hold no addresses.
class allocation_names {
 public:
  // The id in the graph, which is added where it is new; no_allocation if the program allocated nothing there.
  std::uint32_t name(recorder::command_graph& graph, const model::topology& topology,
                     const user_allocation& found);
  // Adds those of the payload's operands, as the graph lists them, and has offsets count from their start. Nothing where
  // no operand is in an allocation.
  void name(recorder::command_graph& graph, const model::topology& topology,
            model::command_payload& payload, std::vector<std::uint32_t>& to);

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> ids_;  // by serial number
};

}  // namespace pianola::runtime
