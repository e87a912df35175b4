// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <pianola/model/ids.hpp>

namespace pianola::recorder {

// What commands of a graph took when they ran, and when they began, for files. Seconds.
class measured_times {
 public:
  static constexpr double unknown = -1;

  // `started`: after the recording began.
  void set(model::command_id command, double seconds, double started = unknown) {
    if (seconds_.size() <= command.value()) seconds_.resize(command.value() + 1, 0.0);
    seconds_[command.value()] = seconds;
    if (started < 0) return;
    if (started_.size() <= command.value()) started_.resize(command.value() + 1, unknown);
    started_[command.value()] = started;
  }
  // 0: not known.
  [[nodiscard]] double of(model::command_id command) const noexcept {
    return command.value() < seconds_.size() ? seconds_[command.value()] : 0.0;
  }
  // Or `unknown`.
  [[nodiscard]] double started(model::command_id command) const noexcept {
    return command.value() < started_.size() ? started_[command.value()] : unknown;
  }
  [[nodiscard]] bool empty() const noexcept { return seconds_.empty(); }
  // Nothing is known of when any began.
  [[nodiscard]] bool has_no_starts() const noexcept { return started_.empty(); }

 private:
  std::vector<double> seconds_, started_;  // index: command; as long as they have to be
};

}  // namespace pianola::recorder
