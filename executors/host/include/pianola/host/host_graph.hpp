// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "lane.hpp"
#include "schedule_choice.hpp"
#include "team.hpp"

namespace pianola::planner {
struct strand_item;  // of a graph_schedule
}

namespace pianola::host {

// One step of a graph, ready to run.
struct graph_node {
  executors::resolved_action action;
  step_hooks* hooks = nullptr;
  std::uint32_t first_wait = 0;
  std::uint32_t wait_count = 0;
  const void* context = nullptr;  // of who instantiates
  // Which of the graph's signalling steps it is, in order; `no_signal`: none.
  std::uint32_t signal = no_signal;
  static constexpr std::uint32_t no_signal = ~std::uint32_t{0};
  bool timed = false;    // graph_step::timed
  bool stamped = false;  // graph_step::stamped
  double expected = 0;   // graph_step::expected
};

// Nanoseconds that the step is expected to take on one thread: what was measured of its kernel, else what came with it.
[[nodiscard]] double expected_cost(const graph_node& node) noexcept;

class graph_schedule;

// A recorded plan on the team. Keeps a serial and a parallel schedule and uses the one that has
// measured faster: for small graphs a plain loop on one thread beats any synchronisation.
class host_graph final : public executors::native_graph {
 public:
  // Of its nodes, from who has just seen them: they may be more than caches hold.
  struct summary {
    std::uint32_t signals = 0;  // how many signal
    bool blocks = false;        // some run host tasks, or wait otherwise
    bool timed = false;         // some are
    void add(const graph_node& node) noexcept;
  };
  // Contexts outlive it.
  host_graph(std::vector<graph_node> nodes, std::vector<std::uint32_t> waits,
             const executors::step_observer& observer, const summary& of_nodes);
  ~host_graph() override;

  // By who submits launches.
  [[nodiscard]] executors::lane_position signal(std::uint32_t step) const noexcept override;
  // To be called by the same before each launch can begin.
  void count_launch() noexcept { launches_.fetch_add(1, std::memory_order_relaxed); }

  // Runs everything once on the calling thread and whoever of the team helps; returns when all is done.
  // One run at a time, always on the same team. Failures go to the observer.
  void run(team& home, unsigned thread) noexcept;
  // Instead of a run, where the launch is not to have any effect.
  void leave_out(team& home) noexcept;

  [[nodiscard]] bool has_blocking_steps() const noexcept { return has_blocking_steps_; }
  // Only while no run is under way. A context, if there is one, takes the place of the one that was there.
  void replace(std::uint32_t index, executors::resolved_action action,
               const void* context = nullptr);

 private:
  struct parallel_run;
  void run_serial(unsigned thread) noexcept;
  void run_parallel(unsigned thread) noexcept;
  void run_item(const planner::strand_item& item, unsigned thread, bool timing) noexcept;
  // The run that begins with this item; returns its length.
  std::uint32_t run_items(const planner::strand_item* first, unsigned thread, bool timing) noexcept;
  // Of each step that is cut there is one on each strand.
  void prepare_parts(std::size_t strands);
  void prepare_serial() noexcept;
  void item_done(const planner::strand_item& item) noexcept;
  void part_done(std::uint32_t signal, bool whole) noexcept;
  void make_parallel();
  [[nodiscard]] bool can_make_parallel() noexcept;
  [[nodiscard]] bool choose_parallel() noexcept;
  // The parts of a step that is cut share its fate: the observer hears of it once.
  [[nodiscard]] bool admit_part(std::uint32_t node, const void* context) noexcept;
  [[nodiscard]] bool fails_first(std::uint32_t node) noexcept;

  std::vector<graph_node> nodes_;
  std::vector<std::uint32_t> waits_;
  const executors::step_observer& observer_;
  bool has_blocking_steps_ = false;
  bool timed_ = false;    // some steps are: all run one after the other, each with the whole team
  team* home_ = nullptr;  // of the run

  enum class fate : unsigned char { open, admitted, skipped, failed };
  std::mutex fates_mutex_;
  std::vector<fate> fates_;  // index: node; of this run
  bool fates_used_ = true;   // to be made, or made anew, before the next run in parts

  // Each run moves `done` on by one, as a lane's step does: what it counts are launches.
  struct signalling_step {
    executors::progress done;
    std::atomic<std::uint32_t> parts_left{0};  // of this run
  };
  std::unique_ptr<signalling_step[]> signals_;
  std::uint32_t signal_count_ = 0;
  std::atomic<std::uint64_t> launches_{0};  // submitted

  // Null: every step as a whole.
  std::unique_ptr<graph_schedule> serial_;
  bool remake_serial_ = true;
  // With the parallel schedule; null: there is none.
  parallel_run* parallel_ = nullptr;
  bool remake_parallel_ = false;
  double serial_estimate_ = 0;  // nanoseconds, from what kernels have cost so far
  schedule_choice choice_;
};

}  // namespace pianola::host
