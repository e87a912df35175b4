// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>

namespace pianola::planner {

// Which commands come after which because the program asks for it. A barrier may come after all that there is, and each of
// its edges be asked about, so nothing goes through its list for that.
class asked_edges {
 public:
  explicit asked_edges(model::array_view<const model::command> commands) {
    for (std::uint32_t to = 0; to < commands.size(); ++to) {
      first_.push_back(from_.size());
      from_.insert(from_.end(), commands[to].after.begin(), commands[to].after.end());
      std::sort(from_.begin() + static_cast<std::ptrdiff_t>(first_.back()), from_.end());
    }
    first_.push_back(from_.size());
  }

  [[nodiscard]] bool contains(model::command_id from, model::command_id to) const noexcept {
    const auto at = [this](std::size_t i) {
      return from_.begin() + static_cast<std::ptrdiff_t>(first_[i]);
    };
    return std::binary_search(at(to.value()), at(to.value() + 1), std::uint64_t{from.value()});
  }

 private:
  std::vector<std::uint64_t> from_;  // by command, ascending
  std::vector<std::size_t> first_;   // index: command
};

}  // namespace pianola::planner
