// SPDX-License-Identifier: Apache-2.0
// Words that reports of explanations, advice and differences share. Everything returned fits on one line.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <pianola/model/topology.hpp>

#include "pianola/planner/explain/change.hpp"
#include "pianola/planner/explain/explain.hpp"
#include "pianola/planner/graph_view.hpp"

namespace pianola::planner::wording {

[[nodiscard]] std::string counted(std::uint64_t n, const char* one);
// "#3 stencil".
[[nodiscard]] std::string command(const graph_view&, model::command_id);
// Where its source is, "main.cpp:12", if its name says so, as the compiler's names of lambdas do; else empty.
[[nodiscard]] std::string source_line(const model::command&);
[[nodiscard]] std::string access(const graph_view&, const access_place&);
// "-48 B, -1 transfer, -10 us of 42 us": only what is different.
[[nodiscard]] std::string gain(const tried_change&);
// ", in 1000 replays -10 ms"; empty of one, or where no time is gained.
[[nodiscard]] std::string gain_of_runs(const tried_change&, std::uint64_t runs);
[[nodiscard]] const char* cause(edge_reason::cause) noexcept;
// "tried 2 of 5 changes; ..." if some were not tried; with a newline, else empty.
[[nodiscard]] std::string effort(std::size_t tried, std::size_t not_tried);

}  // namespace pianola::planner::wording
