// SPDX-License-Identifier: Apache-2.0
#include "outputs/explanation.hpp"

#include <pianola/planner/explain/report.hpp>

namespace pianola::tool {

namespace {

// Explains what is asked for, and gives that to `write`; nothing is asked for: `list`.
template <class Write, class List>
struct explaining {
  const planner::explainer& of;
  const Write& write;
  const List& list;

  std::string operator()(std::monostate) const { return list(); }
  std::string operator()(const asked_edge& e) const { return write(of.edge(e.from, e.to)); }
  std::string operator()(model::step_id s) const { return write(of.transfer(s)); }
  std::string operator()(model::command_id c) const { return write(of.command(c)); }
};
template <class Write, class List>
std::string explained(const question& asked, const planner::explainer& of, const Write& write,
                      const List& list) {
  return std::visit(explaining<Write, List>{of, write, list}, asked);
}

}  // namespace

std::string explained_text(const question& asked, const planner::explainer& of, std::size_t limit) {
  return explained(
      asked, of, [&](const auto& e) { return planner::to_text(e, of, limit); },
      [&] { return planner::summary_text(of, limit); });
}

std::string explained_json(const question& asked, const planner::explainer& of) {
  return explained(
      asked, of, [&](const auto& e) { return planner::to_json(e, of); },
      [&] { return planner::summary_json(of); });
}

}  // namespace pianola::tool
