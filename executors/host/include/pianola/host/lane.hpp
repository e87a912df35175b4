// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include <pianola/executors/backend.hpp>
#include <pianola/executors/progress.hpp>

#include "claim.hpp"

namespace pianola::host {

class host_graph;
class team;
struct record;

// What a backend on the team does its own way. Called on the thread that runs the step; a failure is
// thrown (it stays inside of the backend and reaches the observer).
class step_hooks {
 public:
  virtual ~step_hooks() = default;
  virtual void copy(const executors::resolved_copy&) = 0;
  virtual void fill(const executors::resolved_fill&) = 0;
  // The step may take long without using the processor (a simulated slow link): it then runs on a
  // thread of its own, like a host task.
  [[nodiscard]] virtual bool blocks(const executors::resolved_action&) const noexcept = 0;
  // Kernels of this backend may be spread over the team.
  [[nodiscard]] virtual bool parallel_kernels() const noexcept = 0;
};

// A first-in first-out sequence of steps. One thread at a time appends; one thread at a time runs
// (whoever has taken the lane). Steps live in memory blocks that are used again, so submitting
// allocates nothing once warm.
class lane final : public executors::lane {
 public:
  // `home`: whose workers run it.
  lane(step_hooks& hooks, const executors::step_observer& observer, team& home) noexcept
      : hooks_(hooks), observer_(observer), home_(home) {}
  ~lane() override;
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;

  [[nodiscard]] const executors::progress& completion() const noexcept override {
    return progress_;
  }

  // Appends a step and makes it visible. `graph` non-null: a replay.
  void submit(const executors::step_submission& step, host_graph* graph);
  // A replay on the calling thread, which may wait, and whoever helps; returns when it is over. By who submits steps, while
  // none is in the lane: it is none itself. `context` as that of a step.
  void run_now(host_graph& graph, const void* context) noexcept;

  [[nodiscard]] bool has_steps() const noexcept {
    return published_.load(std::memory_order_acquire) != progress_.finished();
  }
  // To be taken by who calls `ready` and `run`.
  [[nodiscard]] claim& running() noexcept { return running_; }
  [[nodiscard]] const claim& running() const noexcept { return running_; }

  // Whether there is a step that waits for no other lane.
  [[nodiscard]] bool ready() noexcept;

  enum class outcome {
    ran,          // at least one step was run; the lane is still the caller's
    empty,        // nothing to run; the same
    blocked,      // the next step waits for another lane; the same
    handed_over,  // another thread has the lane now
  };
  // Runs steps, at most `limit`, stops early when `target` (may be null) has come to `position`.
  outcome run(unsigned thread, unsigned limit, const executors::progress* target,
              std::uint64_t position) noexcept;

  // Owned by the team, under its lock, except for the unlocked look in submit.
  std::atomic<bool> active{false};

 private:
  struct block;
  void* reserve(std::size_t bytes);
  // The first record that has not been run, of those published.
  record& first_record() noexcept;
  [[nodiscard]] static bool may_begin(const record& r) noexcept;
  void execute(record& r, unsigned thread) noexcept;
  void advance(const record& r) noexcept;
  static void run_detached_step(void* self) noexcept;

  step_hooks& hooks_;
  const executors::step_observer& observer_;
  team& home_;

  // Appending side.
  block* write_block_ = nullptr;
  std::size_t write_offset_ = 0;
  std::uint64_t submitted_ = 0;
  alignas(64) std::atomic<std::uint64_t> published_{0};
  // Running side.
  alignas(64) claim running_;
  block* read_block_ = nullptr;
  std::size_t read_offset_ = 0;
  executors::progress progress_;
  // Between the two.
  std::mutex free_mutex_;
  block* free_blocks_ = nullptr;
  unsigned free_count_ = 0;
};

}  // namespace pianola::host
