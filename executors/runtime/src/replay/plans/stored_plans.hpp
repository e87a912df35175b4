// SPDX-License-Identifier: Apache-2.0
// Plans that were written to files, in place of planning.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <pianola/planner/plan.hpp>

#include "replay/recorded/graph_snapshot.hpp"
#include "replay/recorded/split_snapshot.hpp"

namespace pianola::runtime {

// A file of format pianola.plan/1, or a folder with such files, whose names end in ".plan.json": of a folder the plan is
// taken that was made for the graph's structural hash, which stands in the first part of each file; so does the hash of the
// graph that was cut, where kernels are in parts. Thread-safe.
class stored_plans {
 public:
  // Of PIANOLA_PLAN; null if it is not set.
  [[nodiscard]] static stored_plans* from_environment();
  // `named_by` is what messages call it by.
  stored_plans(std::string path, std::string named_by);

  // What of a plan that is there and does not fit is a warning, not information.
  enum class warn_of { nothing, budgets, everything };
  // The plan of this graph for this machine, found right by planner::verify, and within the graph's memory budget.
  // Nothing if there is none that fits: the log says why in one line. Throws model::user_error (invalid) if a file that
  // was named itself cannot be read or is no plan at all.
  [[nodiscard]] std::optional<planner::plan> find(const graph_snapshot& of, warn_of warn);
  // The same of a plan that says how the graph is to be cut first (planner::cut_graph): cuts it so.
  struct plan_in_parts {
    planner::plan plan;
    split_snapshot parts;
  };
  [[nodiscard]] std::optional<plan_in_parts> find_in_parts(const graph_snapshot& whole,
                                                           warn_of warn);

 private:
  struct refusal {
    std::string why;
    bool over_budget = false;
  };
  // What fits the graph, else nothing, and why.
  [[nodiscard]] std::optional<planner::plan> use(const std::string& text, const std::string& path,
                                                 const graph_snapshot& of,
                                                 const model::topology& topology,
                                                 refusal& no) const;
  [[nodiscard]] std::vector<std::string> files_for(std::uint64_t hash);
  void index_folder();

  std::string path_;
  std::string named_by_;
  std::mutex mutex_;
  enum class what { unknown, file, folder } what_ = what::unknown;
  std::multimap<std::uint64_t, std::string> files_;  // of a folder, by hash; by name within one
};

}  // namespace pianola::runtime
