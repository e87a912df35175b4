// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/planner/compare/difference.hpp>

namespace pianola::tool {

// "bytes>+5%": how much a figure of a changed program may be.
class limit_of_figure {
 public:
  // Throws model::user_error (invalid) with what it takes.
  [[nodiscard]] static limit_of_figure read(const std::string& text);

  // What is too large, in a sentence; empty if nothing is.
  [[nodiscard]] std::string violation(const planner::graph_figures& a,
                                      const planner::graph_figures& b) const;

 private:
  enum class figure { commands, edges, transfers, bytes, seconds, measured };
  enum class unit { absolute, more, percent_more };
  [[nodiscard]] double of(const planner::graph_figures& f) const noexcept;

  std::string text_;
  figure figure_ = figure::bytes;
  unit unit_ = unit::absolute;
  double amount_ = 0;
};

}  // namespace pianola::tool
