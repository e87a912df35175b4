// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "device_memory.hpp"

namespace pianola::simulated {

// What the lanes of all separate devices share.
struct separate_machine {
  separate_machine(device_memory& m, const executors::step_observer& o) : memory(m), observer(o) {}
  device_memory& memory;
  const executors::step_observer& observer;
  // Memories of these devices, as bits; only these and the host's can be reached.
  std::uint64_t reachable = 0;

  // Steps that were submitted and are not yet seen to be finished.
  std::atomic<std::uint64_t> outstanding{0};
  std::mutex mutex;
  std::condition_variable any_outstanding;
  std::condition_variable finished;  // for threads of the program
  std::atomic<unsigned> waiting{0};  // so many of them
};

class separate_lane;

// What wakes the thread of a device.
struct device_thread {
  std::mutex mutex;
  std::condition_variable news;
  std::uint64_t submissions = 0;
  // Lanes that have got work since it last looked, or may have more: of many lanes few do.
  std::vector<separate_lane*> lanes;
};

// Runs one action on the calling thread. Throws what fails.
void run_on_device(separate_machine& machine, const executors::resolved_action& action,
                   bool copy_has_begun);

// Everything that the steps refer to outlives it.
class separate_graph final : public executors::native_graph {
 public:
  explicit separate_graph(separate_machine& machine) noexcept : machine_(machine) {}
  void add(const executors::graph_step& step);
  [[nodiscard]] int most_urgent() const noexcept { return most_urgent_; }
  // In any order that the edges allow, another one each time.
  void run() noexcept;
  void replace(std::uint32_t index, const executors::resolved_action& action,
               model::array_view<const std::byte> context) {
    nodes_[index].action = action;
    if (context.size() != 0) nodes_[index].context.assign(context.begin(), context.end());
  }

 private:
  struct node {
    executors::resolved_action action;
    std::vector<std::uint32_t> successors;
    std::uint32_t wait_count = 0;
    bool stamped = false;
    std::vector<std::byte> context;
  };
  separate_machine& machine_;
  std::vector<node> nodes_;
  int most_urgent_ = 0;
  std::uint64_t random_ = 1;
};

// A lane as a driver has it: its device's thread runs the steps, and how far it has come is only known to who
// asks, here or through its progress.
class separate_lane final : public executors::lane, public executors::progress_source {
 public:
  separate_lane(separate_machine& machine, device_thread& thread, std::uint32_t device) noexcept
      : machine_(machine), thread_(thread), device_(device), progress_(*this) {}

  [[nodiscard]] const executors::progress& completion() const noexcept override {
    return progress_;
  }
  [[nodiscard]] std::uint32_t device() const noexcept { return device_; }
  // Under the mutex of the device's thread: whether it is among that one's lanes.
  bool listed = false;

  // Throws std::bad_alloc; then nothing was taken over.
  void submit(const executors::step_submission& step, separate_graph* graph);

  enum class outcome { ran, blocked, empty };
  // For the device's thread: at most one step.
  outcome run_one() noexcept;

  void wait(const executors::progress& lane, std::uint64_t position) noexcept override;
  void look(const executors::progress& lane) noexcept override;

 private:
  struct step {
    executors::resolved_action action;
    std::vector<executors::lane_position> waits;
    std::vector<std::byte> context;
    std::vector<std::max_align_t> arguments;
    std::vector<model::argument_slot> slots;
    std::vector<model::accessible_box> accessible;
    std::vector<std::byte> pattern;
    separate_graph* graph = nullptr;
    bool timed = false;
    enum class fate : unsigned char { open, begun, skipped } decided = fate::open;
  };
  struct times {
    std::uint64_t position;
    std::uint64_t started;
    std::uint64_t ended;
    std::vector<std::byte> context;
  };
  [[nodiscard]] static bool over(const executors::lane_position& w) noexcept;
  void decide(step& s) noexcept;

  separate_machine& machine_;
  device_thread& thread_;
  std::uint32_t device_;
  executors::progress progress_;
  std::atomic<std::uint64_t> done_{0};  // by the device
  std::uint64_t submitted_ = 0;         // touched by who submits

  std::mutex steps_mutex_;
  std::deque<std::unique_ptr<step>> steps_;
  std::deque<times> times_;
  std::mutex publish_mutex_;
};

}  // namespace pianola::simulated
