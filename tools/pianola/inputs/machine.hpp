// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/model/topology.hpp>
#include <pianola/recorder/graph_json.hpp>

namespace pianola::tool {

// The machine of the file, or the graph's own if there is none. Throws model::user_error (invalid) if commands of the
// graph name devices or memories that it lacks.
[[nodiscard]] model::topology machine_for(const recorder::loaded_graph& graph,
                                          const std::string& path);

}  // namespace pianola::tool
