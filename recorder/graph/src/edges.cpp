// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/edges.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>

#include <pianola/model/error.hpp>

namespace pianola::recorder {

std::vector<std::uint32_t> in_order(std::uint32_t count, const std::vector<command_edge>& edges) {
  std::vector<std::vector<std::uint32_t>> successors(count);
  std::vector<std::uint32_t> open_predecessors(count, 0);
  for (const auto& [from, to] : edges) {
    successors[from].push_back(to);
    ++open_predecessors[to];
  }
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < count; ++i)
    if (open_predecessors[i] == 0) ready.push(i);
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    const std::uint32_t i = ready.top();
    ready.pop();
    order.push_back(i);
    for (const std::uint32_t t : successors[i])
      if (--open_predecessors[t] == 0) ready.push(t);
  }
  return order;
}

template <class F>
void graph_edges::for_each_predecessor(const command_graph& commands, std::uint32_t of,
                                       F&& f) const {
  for (const std::uint64_t a : commands.command(model::command_id(of)).after)
    f(static_cast<std::uint32_t>(a));
  if (const auto against = backward_into_.find(of); against != backward_into_.end())
    std::for_each(against->second.begin(), against->second.end(), f);
}

void graph_edges::add(command_graph& commands, model::command_id from, model::command_id to,
                      bool look_for_cycle) {
  const bool as_recorded = from < to;
  // Without edges against it, the order of recording is right.
  if (look_for_cycle && !(as_recorded && backward_.empty()) &&
      !put_before(commands, from.value(), to.value()))
    throw model::user_error(model::error_code::invalid, "make_edge: the edge would close a cycle");
  if (as_recorded) {
    commands.add_edge(from, to);
    return;
  }
  backward_.emplace_back(from.value(), to.value());
  backward_into_[to.value()].push_back(from.value());
}

bool graph_edges::put_before(const command_graph& commands, std::uint32_t earlier,
                             std::uint32_t later) {
  for (auto i = static_cast<std::uint32_t>(order_.size()); i < commands.size(); ++i) {
    order_.push_back(i);
    place_.push_back(i);
  }
  const std::uint32_t first = place_[later], last = place_[earlier];
  if (last < first) return true;
  // What comes before `earlier`, of all that is not before `later` already: it goes there together.
  std::vector<char> goes(last - first + 1, 0);
  goes.back() = 1;
  looked_at_ += goes.size();
  for (std::uint32_t at = last; at > first; --at) {
    if (goes[at - first] == 0) continue;
    for_each_predecessor(commands, order_[at], [&](std::uint32_t p) {
      if (place_[p] >= first) goes[place_[p] - first] = 1;
    });
  }
  if (goes.front() != 0) return false;
  std::uint32_t at = first;
  const auto from = order_.begin() + first;
  std::vector<std::uint32_t> moved(from, from + static_cast<std::ptrdiff_t>(goes.size()));
  for (const char which : {1, 0})
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (goes[i] != which) continue;
      order_[at] = moved[i];
      place_[moved[i]] = at++;
    }
  return true;
}

bool graph_edges::close_cycle(const command_graph& commands) const {
  const auto count = static_cast<std::uint32_t>(commands.size());
  std::vector<command_edge> edges;
  for (std::uint32_t i = 0; i < count; ++i)
    for_each_predecessor(commands, i, [&](std::uint32_t p) { edges.emplace_back(p, i); });
  return in_order(count, edges).size() != count;
}

std::vector<command_edge> graph_edges::all(const command_graph& commands) const {
  std::vector<command_edge> all = derive_(commands.commands(), commands.buffers());
  all.insert(all.end(), backward_.begin(), backward_.end());
  return all;
}

std::vector<char> graph_edges::ancestors(const command_graph& commands,
                                         const std::vector<std::uint32_t>& of) const {
  std::vector<char> reached(commands.size(), 0);
  std::vector<std::uint32_t> found;
  const auto reach = [&](std::uint32_t i) {
    if (reached[i] == 0) found.push_back(i);
    reached[i] = 1;
  };
  std::for_each(of.begin(), of.end(), reach);
  for (std::size_t at = 0; at < found.size(); ++at)
    for_each_predecessor(commands, found[at], reach);
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
