// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "lane.hpp"
#include "team.hpp"

namespace pianola::host {

// One step of a graph, ready to run.
struct graph_node {
  executors::resolved_action action;
  step_hooks* hooks = nullptr;
  std::uint32_t first_wait = 0;
  std::uint32_t wait_count = 0;
  std::uint32_t context_offset = 0;
};

// Nanoseconds that the step is expected to take on one thread, from measurement or a guess.
[[nodiscard]] double expected_cost(const executors::resolved_action& action) noexcept;

// A static assignment of the steps (and of parts of large ones) to strands: lists that one thread
// each follows, waiting for each other point to point. Built once, run many times.
class graph_schedule {
 public:
  // Everything in order on one strand.
  static graph_schedule serial(const std::vector<graph_node>& nodes);
  // List scheduling onto `threads` strands with the costs known so far; kernels that are worth it are
  // cut into one part per strand.
  static graph_schedule parallel(const std::vector<graph_node>& nodes,
                                 const std::vector<std::uint32_t>& waits, unsigned threads);

  struct item {
    std::uint32_t node;
    std::uint32_t first_wait;
    std::uint32_t wait_count;
    bool whole;       // the whole kernel, else `part`
    model::box part;  // of the index space
  };
  struct strand_wait {
    std::uint32_t strand;
    std::uint32_t count;  // items that must have finished there
  };
  [[nodiscard]] const std::vector<std::vector<item>>& strands() const noexcept { return strands_; }
  [[nodiscard]] const std::vector<strand_wait>& waits() const noexcept { return waits_; }
  // Whether a wait was left out because of what arguments point to.
  [[nodiscard]] bool relies_on_arguments() const noexcept { return relies_on_arguments_; }

 private:
  std::vector<std::vector<item>> strands_;
  std::vector<strand_wait> waits_;
  bool relies_on_arguments_ = false;
};

// A recorded plan on the team. Keeps a serial and a parallel schedule and uses the one that has
// measured faster: for small graphs a plain loop on one thread beats any synchronisation.
class host_graph final : public executors::native_graph {
 public:
  host_graph(std::vector<graph_node> nodes, std::vector<std::uint32_t> waits,
             std::vector<std::byte> contexts, const executors::step_observer& observer);
  ~host_graph() override;

  // Runs everything once on the calling thread and whoever helps; returns when all is done. One run
  // at a time. Failures go to the observer.
  void run(unsigned thread) noexcept;

  [[nodiscard]] bool has_blocking_steps() const noexcept { return has_blocking_steps_; }
  // Only while no run is under way.
  void replace(std::uint32_t index, executors::resolved_action action);

 private:
  struct gang;
  void run_serial(unsigned thread) noexcept;
  void run_parallel(unsigned thread) noexcept;
  void run_item(const graph_schedule::item& item, unsigned thread, bool timing) noexcept;
  [[nodiscard]] bool choose_parallel() noexcept;
  void measured(bool parallel, double nanoseconds) noexcept;
  // The parts of a step that is cut share its fate: the observer hears of it once.
  [[nodiscard]] bool admit_part(std::uint32_t node, const void* context) noexcept;
  [[nodiscard]] bool fails_first(std::uint32_t node) noexcept;

  std::vector<graph_node> nodes_;
  std::vector<std::uint32_t> waits_;
  std::vector<std::byte> contexts_;
  const executors::step_observer& observer_;
  bool has_blocking_steps_ = false;

  enum class fate : unsigned char { open, admitted, skipped, failed };
  std::mutex fates_mutex_;
  std::vector<fate> fates_;  // index: node; of this run
  bool fates_used_ = true;   // to be made, or made anew, before the next run in parts

  std::unique_ptr<graph_schedule> parallel_;
  bool remake_parallel_ = false;
  std::unique_ptr<gang> gang_;
  double serial_estimate_ = 0;  // nanoseconds, from what kernels have cost so far
  std::uint64_t runs_ = 0;
  // Recent nanoseconds per run of the serial and of the parallel schedule; 0: not measured.
  double cost_[2] = {0, 0};
  unsigned samples_[2] = {0, 0};
};

}  // namespace pianola::host
