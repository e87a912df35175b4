// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/ids.hpp>

namespace pianola::recorder {

// What commands of a graph took when they ran, for files. Seconds; 0: not known.
class measured_times {
 public:
  void set(model::command_id command, double seconds) {
    if (seconds_.size() <= command.value()) seconds_.resize(command.value() + 1, 0.0);
    seconds_[command.value()] = seconds;
  }
  [[nodiscard]] double of(model::command_id command) const noexcept {
    return command.value() < seconds_.size() ? seconds_[command.value()] : 0.0;
  }
  [[nodiscard]] bool empty() const noexcept { return seconds_.empty(); }

 private:
  std::vector<double> seconds_;  // index: command; as long as it has to be
};

}  // namespace pianola::recorder
