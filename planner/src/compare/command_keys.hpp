// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>

#include "pianola/planner/compare/difference.hpp"
#include "pianola/planner/graph_view.hpp"

namespace pianola::planner {

// How much of a command has to be the same for another one to be the same.
enum class likeness : std::uint8_t {
  all,         // but for numbers of buffers, which `buffer_key` says something about
  structure,   // without names
  where_runs,  // without names and devices: what it does to which buffers
  name         // kind and name; which buffers it uses, if it has none
};

// `buffer_key`: a number that buffers of two graphs share if they are taken for the same.
using buffer_keys = std::vector<std::uint64_t>;

[[nodiscard]] std::uint64_t key_of(const model::command& c, const buffer_keys& buffers,
                                   likeness how);

// Of shape and, with names, label.
[[nodiscard]] buffer_keys shape_keys(const graph_view& graph, bool with_names);

// What is different about two commands. `buffers`: those of a in b.
[[nodiscard]] command_match compared(const graph_view& a, model::command_id in_a,
                                     const graph_view& b, model::command_id in_b,
                                     const std::vector<model::buffer_id>& buffers);

}  // namespace pianola::planner
