// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/recorder/command_graph.hpp>

#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

class executable_graph;

// A copy of what files and pictures show, without arguments and without anything of the library that a kernel is of:
// that may be gone when the copy is used.
[[nodiscard]] recorder::command_graph graph_for_files(const graph_snapshot& s);
// A picture of it. Throws user_error (runtime) if the file cannot be written.
void write_dot(const graph_snapshot& s, const std::string& path, bool verbose);
// Writes graph and plan to the directory that PIANOLA_RECORD names, if it is set.
void write_recorded_graph(const executable_graph& g);

}  // namespace pianola::runtime
