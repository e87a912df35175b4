// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/recorder/command_graph.hpp>

#include "graph_impl.hpp"

namespace pianola::runtime {

void write_text(const std::string& path, const std::string& text);
// A copy of what files and pictures show, without arguments.
[[nodiscard]] recorder::command_graph graph_for_files(const graph::snapshot& s);
// Writes graph and plan to the directory that PIANOLA_RECORD names, if it is set.
void write_recorded_graph(const executable_graph& g);

}  // namespace pianola::runtime
