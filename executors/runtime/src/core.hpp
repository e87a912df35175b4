// SPDX-License-Identifier: Apache-2.0
// The one runtime of a process: devices, live data state, lanes, buffers, and the lock around them.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/runtime/runtime.hpp>

#include "failures.hpp"
#include "step_context.hpp"

namespace pianola::runtime {

class eager_recorder;
class executable_graph;

// A device of the topology and where it comes from.
struct device_entry {
  executors::backend* owner = nullptr;
  std::uint32_t index = 0;  // within its backend
};

// A lane of the planner and what runs it. Host accesses have no executor: whoever made the access
// says when it has finished.
struct lane_entry {
  executors::backend* owner = nullptr;
  executors::lane* native = nullptr;
  const executors::progress* completion = nullptr;
  std::unique_ptr<executors::progress> own;  // host accesses only
};

struct allocation {
  void* pointer = nullptr;
  bool owned = false;       // freed with the buffer
  bool from_usm = false;    // came from, and goes back to, USM allocation
  model::device_id device;  // through which it was allocated
};

// A buffer, at the index that the live data state gave it. Stays for as long as a graph refers to it,
// also after the user's buffer has ended.
struct buffer_entry {
  std::uint32_t generation = 0;
  bool exists = false;  // the slot is in use
  bool alive = false;   // the user's buffer has not ended
  bool in_place_host = false;
  model::buffer_info info;
  std::vector<allocation> allocations;  // index: memory_id
  write_back on_end;
  std::weak_ptr<queue> last_queue;
  std::uint32_t graph_uses = 0;
  std::string label;
};

// Storage of a buffer that has ended, kept until the last command on it has finished.
struct retired_storage {
  std::vector<executors::lane_position> users;
  std::vector<allocation> allocations;
};

class core {
 public:
  // Starts the runtime on first use. Throws model::user_error (platform) for a bad PIANOLA_DEVICES;
  // the next use tries again. Also throws in a process that was forked after the start.
  static core& instance();
  // The runtime if it was started, else null; never starts it.
  static core* started() noexcept;

  // ---- fixed after the start -----------------------------------------------------------------
  model::topology topology;
  std::vector<model::device_properties> properties;  // index: device_id
  std::vector<device_entry> devices;                 // index: device_id
  std::vector<absent_backend> absent;
  // The device through which host memory is allocated and host accesses are planned.
  model::device_id host_device;
  std::size_t listed_devices = 0;  // the first so many are shown to the program
  bool staging_needed = false;     // some memories are only connected through the host's

  // ---- under the lock ------------------------------------------------------------------------
  std::mutex mutex;
  planner::planning_state state;
  planner::plan scratch_plan;
  std::vector<lane_entry> lanes;     // index: lane_id
  std::deque<buffer_entry> buffers;  // index: buffer_id
  std::vector<retired_storage> retired;
  std::vector<model::lane_id> free_host_lanes;
  std::vector<std::vector<model::lane_id>> free_graph_lanes;  // index: device_id
  std::vector<executable_graph*> executables;
  failure_registry failures;
  statistics counted;
  // The graph whose replays were the last things planned: further ones need no look at its buffers.
  executable_graph* last_replayed = nullptr;
  bool replays_disturbed = false;             // a failure has changed the state meanwhile
  std::unique_ptr<eager_recorder> recording;  // PIANOLA_RECORD
  std::unordered_map<std::uint64_t, std::weak_ptr<queue>> queues;
  std::uint64_t next_queue = 1;

  // Everything below expects the lock to be held unless it says otherwise.

  // Throws model::user_error if the key names no living buffer.
  buffer_entry& living(buffer_key);
  [[nodiscard]] static model::buffer_id id_of(buffer_key k) noexcept {
    return model::buffer_id(static_cast<std::uint32_t>(k.value()));
  }
  [[nodiscard]] static buffer_key key_of(model::buffer_id id, const buffer_entry& b) noexcept {
    return buffer_key(std::uint64_t{b.generation} << 32 | id.value());
  }

  // Address of the buffer in a memory; allocates. `device`: any device with that memory.
  void* ensure_allocation(model::buffer_id, model::memory_id);
  [[nodiscard]] model::device_id device_with(model::memory_id) const noexcept;
  void free_allocation(const allocation&) noexcept;
  void collect_retired() noexcept;
  void release_buffer_slot(model::buffer_id) noexcept;

  // Plans the commands and hands the transfers among their steps to the executors; calls
  // `execute(step id, step, waits)` for each step that executes a command. Waits that are over
  // are not listed.
  template <class F>
  void plan_and_transfer(model::array_view<const model::command> commands, F&& execute);

  [[nodiscard]] executors::lane_position position_of(model::step_id) const;
  [[nodiscard]] bool finished(model::step_id) const;
  void retire_finished_steps() noexcept;
  lane_entry& lane(model::lane_id);
  void add_missing_lanes();
  void submit_transfer(const planner::transfer_step& t, const planner::step& s, model::step_id id);
  // Lane positions of the plan's waits for this step that are not over yet, in scratch storage.
  model::array_view<const executors::lane_position> waits_of(const planner::step& s);
  // Brings the live state up to date after replays that were planned without a look at buffers.
  void settle_replays();
  model::lane_id take_host_lane();

  // Waits without the lock.
  void wait(model::array_view<const executors::lane_position>) noexcept;

  const executors::step_observer& observer() const noexcept { return observer_; }
  std::atomic<bool> attention{false};

 private:
  core();
  void discover();
  void add_backend(const std::string& name, const std::string& options, bool explicitly);
  friend void shut_down_runtime();

  executors::step_observer observer_;
  std::vector<std::unique_ptr<executors::backend>> backends_;
  std::vector<executors::lane_position> scratch_waits_;
  // Looking at lanes costs cache misses, so it is done once in a while.
  static constexpr std::uint32_t retire_every = 64;
  std::uint32_t since_retire_ = 0;
};

// Fills a 3-D copy of a box between two allocations of one buffer.
[[nodiscard]] executors::resolved_copy copy_of_box(const model::buffer_info& info,
                                                   const model::box& elements, void* to,
                                                   model::memory_id to_memory, const void* from,
                                                   model::memory_id from_memory) noexcept;

template <class F>
void core::plan_and_transfer(model::array_view<const model::command> commands, F&& execute) {
  if (++since_retire_ >= retire_every || !retired.empty() || !failures.empty()) {
    since_retire_ = 0;
    retire_finished_steps();
  }
  planner::plan_window(commands, state, topology, {}, false, scratch_plan);
  if (lanes.size() < state.lane_count()) add_missing_lanes();
  for (std::size_t i = 0; i < scratch_plan.steps.size(); ++i) {
    const planner::step& s = scratch_plan.steps[i];
    if (const auto* t = std::get_if<planner::transfer_step>(&s.action))
      submit_transfer(*t, s, model::step_id(scratch_plan.first_step + i));
    else
      execute(model::step_id(scratch_plan.first_step + i), s, waits_of(s));
  }
}

}  // namespace pianola::runtime
