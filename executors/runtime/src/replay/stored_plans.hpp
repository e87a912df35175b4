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

#include "replay/graph.hpp"

namespace pianola::runtime {

// A file of format pianola.plan/1, or a folder with such files, whose names end in ".plan.json": of a folder the plan is
// taken that was made for the graph's structural hash, which stands in the first part of each file. Thread-safe.
class stored_plans {
 public:
  // Of PIANOLA_PLAN; null if it is not set.
  [[nodiscard]] static stored_plans* from_environment();
  // `named_by` is what messages call it by.
  stored_plans(std::string path, std::string named_by);

  // The plan of this graph for this machine, found right by planner::verify. Nothing if there is none that fits: the log
  // says why in one line, a warning where `warn`. Throws model::user_error (invalid) if a file that was named itself
  // cannot be read or is no plan at all.
  [[nodiscard]] std::optional<planner::plan> find(const graph::snapshot& of, bool warn);

 private:
  struct indexed;
  [[nodiscard]] std::vector<std::string> files_for(std::uint64_t hash);
  void index_folder();

  std::string path_;
  std::string named_by_;
  std::mutex mutex_;
  enum class what { unknown, file, folder } what_ = what::unknown;
  std::multimap<std::uint64_t, std::string> files_;  // of a folder, by hash; by name within one
};

}  // namespace pianola::runtime
