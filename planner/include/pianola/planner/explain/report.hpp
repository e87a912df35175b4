// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "advise.hpp"
#include "explain.hpp"

namespace pianola::planner {

// For people to read on a terminal, like planner::to_text. At most `maximum` of anything (0: all).
[[nodiscard]] std::string to_text(const edge_explanation&, const explainer&,
                                  std::size_t maximum = 400);
[[nodiscard]] std::string to_text(const transfer_explanation&, const explainer&,
                                  std::size_t maximum = 400);
[[nodiscard]] std::string to_text(const command_explanation&, const explainer&,
                                  std::size_t maximum = 400);
// One line for each transfer and each edge.
[[nodiscard]] std::string summary_text(const explainer&, std::size_t maximum = 400);
// `runs`: how often the graph ran; each gain is told for all of them, too.
[[nodiscard]] std::string to_text(const advice_list&, const graph_view&, const plan&,
                                  const model::topology&, std::size_t maximum = 400,
                                  std::uint64_t runs = 1);
// The change in words, with what must be true of the program for it: "pages of 4 elements for u, instead of 16".
[[nodiscard]] std::string to_text(const graph_change&, const graph_view&, const model::topology&);

// For programs: pianola.explanation/1 and pianola.advice/1 (docs/explaining.md).
[[nodiscard]] std::string to_json(const edge_explanation&, const explainer&);
[[nodiscard]] std::string to_json(const transfer_explanation&, const explainer&);
[[nodiscard]] std::string to_json(const command_explanation&, const explainer&);
// A graph that a command runs: a loop's body, a branch.
struct explained_body {
  std::uint32_t command;  // that runs it
  std::string how;        // as title_of_graph
  bool in_each_iteration = false;
  std::uint64_t bytes = 0, transfers = 0;  // that its plan moves
  std::string json;                        // what summary_json says of it
};
[[nodiscard]] std::string summary_json(const explainer&,
                                       const std::vector<explained_body>& bodies = {});
// `recording`: its name and how often it ran, where it is one of several; null: it is the only one.
struct advised_recording {
  std::string name;
  std::uint64_t runs = 1;
};
[[nodiscard]] std::string to_json(const advice_list&, const graph_view&, const plan&,
                                  const model::topology&,
                                  const advised_recording* recording = nullptr);

}  // namespace pianola::planner
