// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

namespace pianola::host {

// Which of a graph's two schedules runs next: the serial one, or the parallel one once there is one. Each is tried
// for a few runs, the faster one is kept, and the other is tried again once in a while. Times are nanoseconds.
class schedule_choice {
 public:
  // Runs of each schedule before the faster one is kept, and how often the other one is tried again.
  static constexpr unsigned trial_runs = 4;
  static constexpr std::uint64_t retry_every = 1024;
  // A schedule that was this much slower is not tried again.
  static constexpr double hopeless = 3.0;
  static constexpr double clearly_better = 0.8;
  // A second thread must win by more than the noise to be kept busy.
  static constexpr double tie = 0.95;
  // Below this a trial costs less than the wrong schedule may for ever: estimates are only estimates.
  static constexpr double long_run_nanoseconds = 1e7;

  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  // The latest times of the parallel schedule; 0: not measured.
  [[nodiscard]] double parallel_cost() const noexcept { return cost_[1]; }

  // The parallel schedule is another one from now on: what the old one cost says nothing about it.
  void forget_parallel() noexcept {
    cost_[1] = 0;
    samples_[1] = 0;
  }

  // For a graph that has a parallel schedule. `serial_estimate`: what its steps cost one after the other. `hold_up`: for
  // how long the other threads may be without a processor; 0: no longer than it takes to look at the clock.
  [[nodiscard]] bool prefers_parallel(double serial_estimate, double hold_up = 0) const noexcept {
    if (serial_estimate < hold_up) return false;
    if (runs_ == 0) return true;
    // Long graphs are not worth a trial of the other way when that is hopeless by what is known.
    if (samples_[1] != 0 && samples_[0] == 0 && cost_[1] >= long_run_nanoseconds &&
        cost_[1] < clearly_better * serial_estimate)
      return true;
    // One after the other, not in turns: a run whose data is in the other thread's cache says little.
    if (samples_[1] < trial_runs) return true;
    if (samples_[0] < trial_runs) return false;
    const bool better = cost_[1] < tie * cost_[0];
    if (runs_ % retry_every < trial_runs) {
      const double ratio = cost_[1] / cost_[0];
      if (ratio < hopeless && ratio > 1.0 / hopeless) return !better;
    }
    return better;
  }

  void measured(bool parallel, double nanoseconds) noexcept {
    ++runs_;
    double& cost = cost_[parallel ? 1 : 0];
    const bool trial = ++samples_[parallel ? 1 : 0] <= trial_runs;
    // Disturbances only ever add time, so smaller samples count for more; of the trials, with their cold
    // caches, the smallest alone.
    if (cost == 0 || nanoseconds < cost)
      cost = cost == 0 || trial ? nanoseconds : 0.5 * (cost + nanoseconds);
    else if (!trial)
      cost += 0.05 * std::min(nanoseconds - cost, cost);
  }

 private:
  std::uint64_t runs_ = 0;
  // Index: 0 serial, 1 parallel. Recent nanoseconds per run; 0: not measured.
  double cost_[2] = {0, 0};
  unsigned samples_[2] = {0, 0};
};

}  // namespace pianola::host
