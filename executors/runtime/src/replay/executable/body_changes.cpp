// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/body_changes.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "commands/names.hpp"
#include "replay/executable/command_changes.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

namespace {

using model::error_code;
using model::user_error;

class body_change {
 public:
  body_change(const std::shared_ptr<const recorder::command_graph>& origin,
              const std::vector<node_change>& changes, const graph_snapshot& buffers)
      : origin_(origin), changes_(changes), buffers_(buffers) {}

  [[nodiscard]] bool make(graph_snapshot& to) const {
    bool any = false;
    // Until all commands that run them have others.
    std::vector<std::shared_ptr<const void>> replaced;
    for (model::command& c : to.commands) {
      const control* const what = control_of(c);
      if (what == nullptr) continue;
      std::shared_ptr<control> made = changed(*what);
      if (made == nullptr) continue;
      std::get<model::subgraph_command>(c.payload).graph = made.get();
      const auto kept = std::find_if(to.kept_alive.begin(), to.kept_alive.end(),
                                     [&](const auto& k) { return k.get() == what; });
      if (kept == to.kept_alive.end())
        to.kept_alive.push_back(std::move(made));
      else
        replaced.push_back(std::exchange(*kept, std::move(made)));
      any = true;
    }
    return any;
  }

 private:
  // Another one, as others may run what this one does; null: it has nothing to do with the graph.
  [[nodiscard]] std::shared_ptr<control> changed(const control& what) const {
    std::shared_ptr<control> made;
    for (std::size_t i = 0; i < what.bodies.size(); ++i) {
      graph_snapshot next = what.bodies[i].recorded.copy();
      bool any = make(next);
      if (next.storage == origin_) {
        exchange(next, what.bodies[i].own_commands);
        any = true;
      }
      if (!any) continue;
      if (made == nullptr) {
        made = std::make_shared<control>(what);
        for (control::body& b : made->bodies) b.recorded.refer();
      }
      made->bodies[i].recorded = std::move(next);
    }
    return made;
  }
  void exchange(graph_snapshot& next, std::size_t own_commands) const {
    next.exchanged.resize(next.commands.size());
    for (node_change change : changes_) {
      if (change.index >= own_commands)
        throw user_error(error_code::invalid,
                         "a node to update an executable graph with was added after the graph of "
                         "the loop or branch was finalized");
      const std::uint32_t at = next.place.empty() ? change.index : next.place[change.index];
      model::command& now = next.commands[at];
      change.command.after = now.after;
      change.command.device = now.device;
      change.command.candidates = now.candidates;
      describe(change, buffers_);
      if (!has_same_names(change, buffers_, next)) translate(change, buffers_, next);
      if (!plan_holds(now, change.command))
        throw user_error(
            error_code::invalid,
            fmt::format("an update of '{}', a node of a graph that a loop or branch runs, with "
                        "another kernel or other data, would need another plan of that: add the "
                        "loop or branch to another graph, and update from the whole of it",
                        display_name(now)));
      now = change.command;
      next.exchanged[at] = std::move(change.refers_to);
    }
  }

  const std::shared_ptr<const recorder::command_graph>& origin_;
  const std::vector<node_change>& changes_;
  const graph_snapshot& buffers_;
};

}  // namespace

bool change_bodies(graph_snapshot& to, const std::shared_ptr<const recorder::command_graph>& origin,
                   const std::vector<node_change>& changes, const graph_snapshot& buffers) {
  return body_change(origin, changes, buffers).make(to);
}

}  // namespace pianola::runtime
