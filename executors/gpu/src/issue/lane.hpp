// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "completion/patient_thread.hpp"
#include "completion/served.hpp"
#include "graph/graph_watcher.hpp"
#include "issue/record_queue.hpp"
#include "operations/step_operations.hpp"
#include "pianola/gpu/driver.hpp"

namespace pianola::gpu {

class engine;
struct pending_step;

// An event on a lane's stream, recorded after the step `position`.
struct marker {
  event native;
  std::uint64_t position = 0;
  std::uint32_t users = 0;  // beside the lane's list
  bool listed = false;
  bool reached = false;
  bool watched = false;  // a thread sleeps in the driver until it is reached
};

// Markers of other lanes that a step is about to wait for.
class held_markers;

// One stream. Steps are first `submitted`, then `issued` (given to the driver), then finished; each in order.
// How far the device has come is known through markers, which are recorded when somebody wants to know.
class lane final : public executors::lane,
                   public executors::progress_source,
                   public served,
                   public graph_watcher {
 public:
  // `owns_stream`: it goes with the lane.
  lane(engine& e, std::uint32_t device, stream native, bool owns_stream);
  // The driver has finished everything.
  ~lane() override;
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;

  [[nodiscard]] const executors::progress& completion() const noexcept override {
    return progress_;
  }
  [[nodiscard]] std::uint32_t device() const noexcept { return device_; }
  [[nodiscard]] stream native() const noexcept { return stream_; }
  [[nodiscard]] std::uint64_t issued() const noexcept {
    return issued_.load(std::memory_order_acquire);
  }

  // `graph` non-null: a launch of it.
  executors::status submit(const executors::step_submission& step, gpu_graph* graph);

  void wait(const executors::progress&, std::uint64_t position) noexcept override;
  void look(const executors::progress&) noexcept override;

  [[nodiscard]] std::chrono::nanoseconds serve() noexcept override;
  [[nodiscard]] bool has_pending() const noexcept override {
    return deferred_.load(std::memory_order_relaxed) != 0;
  }

  void stop_patient_thread() noexcept { patient_.stop(); }
  void leave_patient_thread() noexcept { patient_.leave(); }

  // A marker that is not before `position`, which has been issued; kept until it is released.
  code hold(std::uint64_t position, marker*& out);
  void release(marker*) noexcept;
  // An event of its own that is reached when the steps up to `position` have finished.
  executors::status lend_event(std::uint64_t position, event& out);
  // What is submitted from now on waits for an event of the program's.
  executors::status wait_for(event e);

  void forget_kernels() noexcept;
  void forget(gpu_graph&) noexcept override;
  // Returns when the driver has finished what it was given so far.
  void drain() noexcept;
  // The driver is gone: everything counts as finished.
  void abandon() noexcept;

 private:
  using guard = std::unique_lock<std::mutex>;
  enum class readiness : unsigned char { ready, not_yet, broken };
  struct cached_kernel {
    model::kernel_id id;
    std::shared_ptr<loaded_kernel> kernel;
  };

  // Null if the progress is not that of a lane of this backend.
  [[nodiscard]] lane* lane_of(const executors::progress&) const noexcept;

  // Submission and issue; lane/issue.cpp.
  executors::status defer(const executors::step_submission& step, gpu_graph* graph,
                          executors::status failure);
  void note_ends(record& r, const executors::step_submission& step) const;
  void commit(record& r, const executors::step_submission& step);
  void count_issued(bool native, bool may_print) noexcept;
  readiness hold_waits(model::array_view<const executors::lane_position> waits,
                       model::array_view<const executors::lane_position> begun, held_markers& held,
                       code& why);
  [[nodiscard]] readiness all_reached(
      model::array_view<const executors::lane_position> waits) const;
  executors::status prepare(const executors::resolved_action& action);
  // Gives the prepared step to the driver.
  code issue(record& r, gpu_graph* graph, step_operations& operations);
  // While the driver is in the call, nobody else uses the stream, and the mutex is free.
  code issue_unlocked(guard& lock, record& r, gpu_graph* graph, step_operations& operations);
  // So that it is known what a kernel reads as its range.
  code watch_range(record& r, step_operations& operations);
  code begin_times(record& r);
  code end_times(record& r);
  // For the lane's own thread: also calls of the driver that may take long.
  void issue_patiently() noexcept;
  // Steps whose call may take long only up to this position, which the calling thread waits for.
  bool issue_pending(std::uint64_t may_block_through) noexcept;
  [[nodiscard]] bool blocks(const pending_step& p) const noexcept;
  // No other thread is in a long call for the stream.
  void wait_for_stream(guard& lock);
  void run_pending(guard& lock, pending_step& p, const held_markers& held);
  void run_steps(guard& lock, gpu_graph& graph);
  // The graph's launch is the last step that was issued.
  void watch_signals(gpu_graph& graph) noexcept;
  // A function of the program that puts work into a stream.
  std::exception_ptr run_task(guard& lock, executors::resolved_host_task& task,
                              std::uint32_t device, stream where);
  readiness wait_natively(const held_markers& held, code& why) noexcept;
  [[nodiscard]] readiness not_ordered(code c, code& why) const noexcept;

  // Completion, with the lock held; lane/lane.cpp.
  code cover(std::uint64_t position, marker*& out);
  void drop(marker&) noexcept;
  void unlist_through(std::uint64_t position) noexcept;
  void note_reached(std::uint64_t position) noexcept;
  void look_at_signals() noexcept;
  code poll() noexcept;
  // Asks the driver how far the device has come, without waiting.
  void ask() noexcept;
  [[nodiscard]] bool in_doubt(code why) noexcept;
  void fail(code why) noexcept;
  // Finishes what the device has finished. False if there was nothing to do.
  bool retire(guard& lock, bool may_call_out) noexcept;
  // Of another lane, that the next step to finish is to end after; null: nothing, or the device is not so far.
  [[nodiscard]] const executors::lane_position* held_up() noexcept;
  void finish_what_holds_up(guard& lock, bool may_call_out) noexcept;
  // If the device has come so far.
  void finish_through(std::uint64_t position, bool may_call_out) noexcept;
  void call_out(record& r, const std::exception_ptr& failure) noexcept;
  void tell_times(record& r) noexcept;
  void tell_ranges(record& r) noexcept;
  void publish() noexcept;
  static void tell_hosts() noexcept;
  void synchronise(guard& lock, std::uint64_t position) noexcept;

  engine& engine_;
  const std::uint32_t device_;
  const stream stream_;
  const bool owns_stream_;
  executors::progress progress_;

  std::mutex mutex_;
  std::condition_variable changed_;
  record_queue records_;
  std::uint64_t submitted_ = 0;
  std::uint64_t finished_ = 0;  // as in progress_
  std::atomic<std::uint64_t> issued_{0};
  std::uint64_t native_ = 0;   // the last step that the driver has anything to do for
  std::uint64_t reached_ = 0;  // what the device has finished
  std::uint32_t doubts_ = 0;   // questions that the driver did not answer, one after the other
  bool retiring_ = false;      // a thread calls out for the first record
  bool issuing_ = false;       // a thread is at the first pending step
  bool in_call_ = false;       // and in a call for the stream that may take long, without the mutex
  std::uint64_t may_print_ = 0;  // the last step issued that may have printed something
  std::uint64_t printed_ = 0;    // what has been printed up to this one has come out
  bool gated_ = false;   // the stream was told to wait for something after the last step issued
  bool served_ = false;  // the backend's thread looks at this lane
  std::deque<std::unique_ptr<pending_step>> pending_;
  std::atomic<std::size_t> deferred_{0};  // size of pending_

  std::vector<marker*> markers_;  // ascending by position, none known to be reached
  std::vector<marker*> spare_markers_;
  std::vector<std::unique_ptr<marker>> all_markers_;
  std::vector<event> lent_;
  gpu_graph* signalling_ =
      nullptr;                  // the first with signals that are not known to have been reached
  std::exception_ptr failure_;  // of the records that failed
  std::uint64_t last_end_ = 0;  // of timed steps

  step_operations operations_;
  std::array<cached_kernel, 64> kernels_;
  std::shared_ptr<loaded_kernel> part_kernel_;  // that the last part was of

  std::uint64_t signals_reached_ = 0;
  patient_thread patient_{[this] { issue_patiently(); }};

  std::atomic<std::uint64_t> next_look_{0};  // nanoseconds

  // Of the backend's thread, in nanoseconds; 0: not so.
  std::uint64_t busy_since_ = 0;  // without a step issued or finished, or a signal reached
  std::uint64_t changes_seen_ = 0;
  std::uint64_t idle_since_ = 0;
};

class held_markers {
 public:
  held_markers() = default;
  ~held_markers() { clear(); }
  held_markers(const held_markers&) = delete;
  held_markers& operator=(const held_markers&) = delete;
  struct entry {
    lane* where;
    marker* what;
  };
  void add(lane& where, marker* what) {
    if (count_ < few) {
      first_[count_++] = {&where, what};
      return;
    }
    more_.push_back({&where, what});
  }
  void clear() noexcept {
    for (std::size_t i = 0; i < count_; ++i) first_[i].where->release(first_[i].what);
    for (const entry& e : more_) e.where->release(e.what);
    count_ = 0;
    more_.clear();
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  template <class F>
  code for_each(F&& f) const noexcept {
    for (std::size_t i = 0; i < count_; ++i)
      if (const code c = f(first_[i].what->native); c != success) return c;
    for (const entry& e : more_)
      if (const code c = f(e.what->native); c != success) return c;
    return success;
  }

 private:
  static constexpr std::size_t few = 8;
  entry first_[few];
  std::size_t count_ = 0;
  std::vector<entry> more_;
};

}  // namespace pianola::gpu
