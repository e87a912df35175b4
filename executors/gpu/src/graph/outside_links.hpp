// SPDX-License-Identifier: Apache-2.0
// Where a graph of the driver and what is outside of it wait for each other in the middle: nodes that record events,
// and nodes that wait for those of other graphs.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

class engine;

// How far the launches of a graph have come at one of its steps: progress counts launches. Every launch records an
// event of its own, unless the event of the one before has been reached: then that is used again.
// Members belong to who holds the mutex of the lane that the graph is launched in, except where said otherwise.
class graph_signal final : public executors::progress_source {
 public:
  graph_signal(engine& e, std::uint32_t step, std::uint32_t device)
      : step(step), device(device), engine_(e), progress_(*this) {}
  // No launch is under way.
  ~graph_signal() override;
  graph_signal(const graph_signal&) = delete;
  graph_signal& operator=(const graph_signal&) = delete;

  const std::uint32_t step;
  const std::uint32_t device;

  // The event of the launch that was issued last; also for graphs that are issued after it.
  [[nodiscard]] event last() const noexcept { return event_; }
  [[nodiscard]] const executors::progress& reached() const noexcept { return progress_; }

  code add_to(graph g, const std::vector<node>& after);
  void instantiated() noexcept { in_executable_ = in_graph_; }
  void updated() noexcept { in_executable_ = {}; }
  // Before a launch: finds an event that nobody waits for any more. Where the driver gives none, those who wait for
  // earlier launches wait for the next one.
  void renew() noexcept;
  code exchange(executable e) noexcept;
  code record(stream where) noexcept;

  // Launch `number` is the lane's step `position`. Not recorded: all of the lane's step has to be waited for.
  void issued(const executors::progress& lane, std::uint64_t number, std::uint64_t position,
              bool recorded) noexcept;
  // Finishes what has been reached, as everything up to the lane's step `lane_reached` has; true if that was something.
  bool poll(std::uint64_t lane_reached) noexcept;
  [[nodiscard]] bool under_way() const noexcept { return count_ != 0 || rest_.number != 0; }
  void finish(std::uint64_t number) noexcept { progress_.finish(number); }

  // By any thread.
  void wait(const executors::progress&, std::uint64_t position) noexcept override;
  void look(const executors::progress&) noexcept override;

 private:
  struct launch {
    std::uint64_t number = 0;
    std::uint64_t position = 0;
    event recorded;
  };
  [[nodiscard]] launch& at(std::size_t i) noexcept {
    return launches_[(first_ + i) % launches_.size()];
  }
  void give_back(event) noexcept;

  engine& engine_;
  executors::progress progress_;
  std::atomic<const executors::progress*> lane_{nullptr};
  node node_;
  event event_, in_graph_, in_executable_;
  // Not known to have reached the step, in order. Of more than there is room for, the last stands for all.
  std::array<launch, 8> launches_;
  std::size_t first_ = 0, count_ = 0;
  launch rest_;
};

// All of one graph.
class outside_links {
 public:
  explicit outside_links(engine& e) noexcept : engine_(e) {}

  // `first`: the number of the first of them.
  void collect(const engine& e, std::uint32_t first,
               model::array_view<const executors::graph_step> steps);
  [[nodiscard]] bool empty() const noexcept { return signals_.empty() && waits_.empty(); }
  [[nodiscard]] bool any_signals() const noexcept { return !signals_.empty(); }
  [[nodiscard]] bool waits_at(std::uint32_t step) noexcept { return !waits_of(step).empty(); }
  // Null if the step does not signal.
  [[nodiscard]] graph_signal* signal_of(std::uint32_t step) const noexcept;

  // Building: what a step waits for outside is added to `after`; a step that signals comes after `after`.
  code add_waits(graph g, std::uint32_t step, std::vector<node>& after);
  code add_record(graph g, std::uint32_t step, const std::vector<node>& after);
  // The executable has the events that the graph has.
  void instantiated() noexcept;
  // The executable was changed as a whole, and may have any.
  void updated() noexcept;

  // A launch: gives the executable the events of this launch.
  code prepare_launch(executable e) noexcept;
  void launched() noexcept { recorded_ = true; }
  // Some signal was not: whoever waits for one waits for the launch.
  void not_recorded() noexcept { recorded_ = false; }
  // A graph that is run step by step. The stream is of the step's device.
  void begin_steps() noexcept;
  [[nodiscard]] bool has(std::uint32_t step) noexcept {
    return waits_at(step) || signal_of(step) != nullptr;
  }
  code wait_at(std::uint32_t step, stream where) noexcept;
  code record_at(std::uint32_t step, stream where) noexcept;
  // Counting launches.
  void submitted() noexcept { submitted_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t submissions() const noexcept {
    return submitted_.load(std::memory_order_relaxed);
  }
  void issued(const executors::progress& lane, std::uint64_t position) noexcept;

  // True if some signal was reached.
  bool poll(std::uint64_t lane_reached) noexcept;
  [[nodiscard]] bool under_way() const noexcept;
  // Everything submitted counts as done.
  void abandon() noexcept;

 private:
  struct outside_wait {
    std::uint32_t step;
    std::uint32_t device;
    const graph_signal* on;
    node native;
    event in_graph, in_executable;
  };
  [[nodiscard]] model::array_view<outside_wait> waits_of(std::uint32_t step) noexcept;

  engine& engine_;
  std::vector<std::unique_ptr<graph_signal>> signals_;  // ascending by step
  std::vector<outside_wait> waits_;                     // ascending by step
  std::atomic<std::uint64_t> submitted_{0};
  std::uint64_t issued_ = 0;
  bool recorded_ = false;
};

}  // namespace pianola::gpu
