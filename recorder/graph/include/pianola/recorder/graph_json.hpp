// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include <pianola/model/topology.hpp>

#include "command_graph.hpp"
#include "measured_times.hpp"

namespace pianola::recorder {

// The file format pianola.graph/1 (docs/file-formats.md): everything planning depends on and what
// helps to recognise it; no addresses, no argument bytes. Reading what was written and writing it
// again gives the same bytes. Names that are not UTF-8 are repaired.
[[nodiscard]] std::string to_json(const command_graph&, const model::topology&,
                                  const measured_times& measured = {});
// The same text, in pieces.
void write_json(const command_graph&, const model::topology&, const measured_times& measured,
                const std::function<void(std::string_view)>& to);

struct loaded_graph {
  command_graph graph;  // its kernels have no descriptor, so it can be planned and shown, not run
  model::topology topology;
  measured_times measured;
};

// Throws model::user_error (invalid) with the text "<source>: <JSON path>: <reason>". A graph that
// comes back is safe to plan, verify and show: every id is known, every box lies in its buffer, no
// size overflows, every edge leads forward.
[[nodiscard]] loaded_graph read_graph(std::string_view text, std::string_view source = "graph");
[[nodiscard]] loaded_graph load_graph(const std::string& path);

}  // namespace pianola::recorder
