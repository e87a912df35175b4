// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/runtime/submission.hpp>

namespace pianola::runtime {

// Commands of which nodes of a graph hold one (dynamic_command_group). Guarded by the graph's lock.
class alternatives {
 public:
  explicit alternatives(std::vector<std::unique_ptr<submission>> commands)
      : commands_(std::move(commands)) {}

  [[nodiscard]] submission& command(std::size_t index) { return *commands_[index]; }

 private:
  friend class graph;
  std::vector<std::unique_ptr<submission>> commands_;
  std::size_t chosen_ = 0;
};

}  // namespace pianola::runtime
