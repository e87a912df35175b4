// SPDX-License-Identifier: Apache-2.0
#include "support/plan_log.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "support/log.hpp"

namespace pianola::runtime {

namespace {

class logging_observer final : public planner::pass_observer {
 public:
  void after(std::string_view pass, const std::string& text) override {
    // A line of the log for each of the text, so that each says where it comes from.
    log_line(log_level::plan, fmt::format("after {}:", pass));
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      log_line(log_level::plan, std::string_view(text).substr(at, end - at));
      at = end + 1;
    }
  }
};

planner::options options_from_environment() noexcept {
  static logging_observer observer;
  planner::options made;
  if (current_log_level() >= log_level::plan) made.observer = &observer;
  return made;
}

}  // namespace

const planner::options& planning_options() noexcept {
  static const planner::options chosen = options_from_environment();
  return chosen;
}

}  // namespace pianola::runtime
