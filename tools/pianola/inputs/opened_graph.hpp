// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <pianola/planner/plan.hpp>
#include <pianola/recorder/graph_json.hpp>

namespace pianola::tool {

// What stands for a graph on the command line: a file of format pianola.graph/1, a journal of a recording, the name of a
// file that the journal would become, or the folder that holds either. But for the first they have the plan that ran.
struct opened_graph {
  recorder::loaded_graph loaded;
  std::optional<planner::plan> plan;
};

// Throws model::user_error (invalid) if it is neither. Says on standard error that a journal is cut off.
[[nodiscard]] opened_graph open_graph(const std::string& path);
[[nodiscard]] opened_graph open_journal(const std::string& path);
// Whether it is a file of format pianola.plan/1, by its beginning.
[[nodiscard]] bool is_plan(const std::string& path);
// The files that it may read for this. Some of them need not exist.
[[nodiscard]] std::vector<std::string> files_for_graph(const std::string& path);

// Paths of journals there.
[[nodiscard]] std::vector<std::string> journals_in(const std::string& folder);

// Turns the journal of a process that has ended into files beside it, and removes it, unless it is damaged. False if the
// process still writes.
bool recover(const std::string& journal);

}  // namespace pianola::tool
