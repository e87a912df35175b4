// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/edges.hpp"

#include <algorithm>
#include <cstddef>

#include <pianola/model/error.hpp>

namespace pianola::recorder {

void graph_edges::add(command_graph& commands, model::command_id from, model::command_id to,
                      bool look_for_cycle) {
  const bool as_recorded = from < to;
  const bool cycle_possible = look_for_cycle && (!as_recorded || !backward_.empty());
  if (cycle_possible && ancestors(commands, {from.value()})[to.value()] != 0)
    throw model::user_error(model::error_code::invalid, "make_edge: the edge would close a cycle");
  if (as_recorded)
    commands.add_edge(from, to);
  else
    backward_.emplace_back(from.value(), to.value());
}

bool graph_edges::close_cycle(const command_graph& commands) const {
  // A cycle goes back in the order of recording at least once, and then forth again.
  return std::any_of(backward_.begin(), backward_.end(), [&](const command_edge& edge) {
    return ancestors(commands, {edge.first})[edge.second] != 0;
  });
}

std::vector<command_edge> graph_edges::all(const command_graph& commands) const {
  std::vector<command_edge> all = derive_(commands.commands(), commands.buffers());
  all.insert(all.end(), backward_.begin(), backward_.end());
  return all;
}

std::vector<char> graph_edges::ancestors(const command_graph& commands,
                                         const std::vector<std::uint32_t>& of) const {
  std::vector<char> reached(commands.size(), 0);
  for (const std::uint32_t i : of) reached[i] = 1;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = reached.size(); i-- > 0;) {
      if (reached[i] == 0) continue;
      for (const std::uint64_t a :
           commands.command(model::command_id(static_cast<std::uint32_t>(i))).after)
        reached[a] = 1;
    }
    for (const auto& [from, to] : backward_)
      if (reached[to] != 0 && reached[from] == 0) {
        reached[from] = 1;
        again = true;
      }
  }
  return reached;
}

std::vector<std::uint64_t> graph_edges::leaves_among(
    const command_graph& commands, const std::vector<std::uint32_t>& which) const {
  std::vector<model::command> chosen;
  chosen.reserve(which.size());
  std::vector<model::buffer_id> used;
  std::size_t count = 0;
  for (const std::uint32_t i : which) {
    chosen.push_back(commands.command(model::command_id(i)));
    count += chosen.back().requirements.size();
    for (const model::requirement& r : chosen.back().requirements) used.push_back(r.buffer);
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  std::vector<model::buffer_info> buffers;
  buffers.reserve(used.size());
  for (const model::buffer_id b : used) buffers.push_back(commands.buffers()[b.value()]);
  std::vector<model::requirement> requirements;
  requirements.reserve(count);
  std::vector<char> followed(chosen.size(), 0);
  for (model::command& c : chosen) {
    for (const std::uint64_t a : c.after) {
      const auto found = std::lower_bound(which.begin(), which.end(), a);
      if (found != which.end() && *found == a)
        followed[static_cast<std::size_t>(found - which.begin())] = 1;
    }
    // Commands have other numbers among themselves, and so have their buffers.
    c.after = {};
    const std::size_t first = requirements.size();
    for (model::requirement r : c.requirements) {
      const auto at = std::lower_bound(used.begin(), used.end(), r.buffer) - used.begin();
      r.buffer = model::buffer_id(static_cast<std::uint32_t>(at));
      requirements.push_back(r);
    }
    c.requirements = {requirements.data() + first, requirements.size() - first};
  }
  for (const command_edge& edge : derive_(chosen, buffers)) followed[edge.first] = 1;
  std::vector<std::uint64_t> leaves;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (followed[i] == 0) leaves.push_back(which[i]);
  return leaves;
}

}  // namespace pianola::recorder
