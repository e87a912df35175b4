// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace pianola::tool {

// One graph of a folder that PIANOLA_RECORD wrote.
struct recorded_file {
  std::string name;   // "eager", "graph-0": what it is called in every recording of the program
  std::string graph;  // path of a graph or of a journal
  std::string plan;   // path of the plan that ran; empty: none, or it is in the journal
};

// Ascending by name, numbers in it as numbers.
[[nodiscard]] std::vector<recorded_file> find_recordings(const std::string& folder);
// The same. Throws model::user_error (invalid) if there is none.
[[nodiscard]] std::vector<recorded_file> recordings_in(const std::string& folder);

}  // namespace pianola::tool
