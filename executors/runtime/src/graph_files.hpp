// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/recorder/command_graph.hpp>

#include "graph_impl.hpp"

namespace pianola::runtime {

// What a command is called in files: its label, or for a kernel its name, or its kind.
[[nodiscard]] std::string label_for_files(const model::command& c);
// A copy of what files and pictures show, without arguments and without anything of the library that a kernel is of:
// that may be gone when the copy is used.
[[nodiscard]] recorder::command_graph graph_for_files(const graph::snapshot& s);
// Writes graph and plan to the directory that PIANOLA_RECORD names, if it is set.
void write_recorded_graph(const executable_graph& g);

}  // namespace pianola::runtime
