// SPDX-License-Identifier: Apache-2.0
// Why a transfer is made, or a command waits for another one, and what would remove that.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "change.hpp"
#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// Why a command comes after another one.
struct edge_reason {
  enum class cause : std::uint8_t {
    asked_for,         // by an event, an in-order queue, an edge of the graph: no accesses
    read_after_write,  // the data that it reads
    write_after_read,
    write_after_write
  };
  cause why = cause::asked_for;
  access_place first, second;
  model::buffer_id buffer;
  model::box pages;     // that both use
  model::box elements;  // that both use; empty: they share pages, and no data

  // A dependency that smaller pages would remove.
  [[nodiscard]] bool only_pages() const noexcept {
    return why != cause::asked_for && elements.empty();
  }
};

struct edge_explanation {
  model::command_id from, to;
  std::vector<edge_reason> reasons;
  bool direct = false;  // planning derives this edge; else others imply it, or nothing does
  // Without reasons, or not direct: commands from `from` to `to`, each of which comes after the one before it. Empty:
  // none is needed, or nothing orders the two.
  std::vector<model::command_id> way;
  std::vector<tried_change> suggestions;  // with gain, best first
  std::size_t tried = 0, not_tried = 0;
};

// Where data came from: a command that wrote it, a transfer that brought it, or what was valid before.
struct data_origin {
  model::step_id step;  // invalid: from before the graph
  model::box elements;
  std::uint32_t depth =
      0;  // 0: where the transfer took it; n + 1: where that of depth n before it took it
};
struct data_use {
  model::step_id step;
  access_place access;
  model::box elements;
};

struct transfer_explanation {
  model::step_id step;
  transfer_step what;
  std::uint64_t bytes = 0;
  double seconds = 0;          // alone
  std::vector<data_use> uses;  // commands that need it there; empty: the exit, or another transfer
  std::vector<model::step_id> passed_on;  // transfers that take it from there
  std::vector<data_origin> origins;       // the way back to where it was written, depth first
  std::size_t origins_left_out = 0;
  // Whoever wrote the data has made what was in the target memory outdated; else it has never been there.
  bool was_there = false;
  std::vector<tried_change> suggestions;
  std::size_t tried = 0, not_tried = 0;
};

struct command_explanation {
  model::command_id command;
  model::step_id step;
  std::vector<edge_explanation> waits_for;  // without suggestions of their own
  std::vector<model::command_id> awaited_by;
  std::vector<transfer_explanation> transfers;  // that it needs; likewise
  std::vector<tried_change> suggestions;
  std::size_t tried = 0, not_tried = 0;
};

// Explains one plan of one graph on one machine. The baseline of all gains is the graph as planner::make_plan plans
// it here, whatever plan is explained. All that is given must outlive this. For one thread at a time: what several
// explanations need is found out for the first one.
class explainer {
 public:
  // Changes are planned until so many commands have been planned altogether; at least one is tried. 0: all are.
  static constexpr std::uint64_t usual_effort = 100000;

  // `is_usual`: the plan is what planner::make_plan makes of the graph.
  explainer(const graph_view& graph, const planner::plan& plan, const model::topology& machine,
            std::uint64_t effort = usual_effort, bool is_usual = false);
  explainer(const explainer&) = delete;
  explainer& operator=(const explainer&) = delete;
  ~explainer();

  // These throw model::user_error (invalid) if there is no such command, or no transfer with this number.
  [[nodiscard]] edge_explanation edge(model::command_id from, model::command_id to) const;
  [[nodiscard]] transfer_explanation transfer(model::step_id step) const;
  [[nodiscard]] command_explanation command(model::command_id command) const;
  // The first transfers of the plan and the first edges, without suggestions.
  [[nodiscard]] std::vector<transfer_explanation> transfers(std::size_t maximum = SIZE_MAX) const;
  [[nodiscard]] std::vector<edge_explanation> edges(std::size_t maximum = SIZE_MAX) const;
  [[nodiscard]] std::size_t edge_count() const;
  // Finds out what the three above need, side by side.
  void prepare() const;

  [[nodiscard]] const graph_view& graph() const noexcept { return graph_; }
  [[nodiscard]] const planner::plan& plan() const noexcept { return plan_; }
  [[nodiscard]] const model::topology& machine() const noexcept { return machine_; }

 private:
  struct found_out;
  [[nodiscard]] edge_explanation explained_edge(model::command_id from, model::command_id to,
                                                bool direct) const;
  [[nodiscard]] transfer_explanation explained_transfer(std::size_t step) const;

  const graph_view& graph_;
  const planner::plan& plan_;
  const model::topology& machine_;
  std::uint64_t effort_;
  bool is_usual_;
  std::unique_ptr<found_out> found_;
};

}  // namespace pianola::planner
