// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/recorder/command_graph.hpp>

#include "replay/recorded/graph.hpp"

namespace pianola::runtime {

// A copy of what files and pictures show, without arguments and without anything of the library that a kernel is of:
// that may be gone when the copy is used.
[[nodiscard]] recorder::command_graph graph_for_files(const graph::snapshot& s);
// Writes graph and plan to the directory that PIANOLA_RECORD names, if it is set.
void write_recorded_graph(const executable_graph& g);

}  // namespace pianola::runtime
