// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/recorder/command_graph.hpp>

namespace pianola::runtime {

class core;

// PIANOLA_RECORD=directory: keeps what an unmodified program submits eagerly, and writes it as a graph
// with its plan when the program ends.
class eager_recorder {
 public:
  // Null if the variable is not set. Throws model::user_error (invalid) if the directory is not
  // there and cannot be made, or cannot be written to.
  static std::unique_ptr<eager_recorder> from_environment(const model::topology& topology);

  eager_recorder(std::string directory, const model::topology& topology);

  void record(core& c, const model::command& command, model::step_id step);
  void write() noexcept;
  [[nodiscard]] std::string next_graph_name();
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

 private:
  std::string directory_;
  const model::topology& topology_;
  recorder::command_graph graph_;
  std::unordered_map<std::uint64_t, std::uint64_t> command_of_step_;
  unsigned written_ = 0;
};

}  // namespace pianola::runtime
