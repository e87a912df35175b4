// SPDX-License-Identifier: Apache-2.0
// The one runtime of a process: devices, live data state, lanes, buffers, and the lock around them.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/runtime/runtime.hpp>

#include "core_mutex.hpp"
#include "device_table.hpp"
#include "failures.hpp"
#include "own_waits.hpp"
#include "step_context.hpp"
#include "wait_hint.hpp"

namespace pianola::runtime {

class eager_recorder;
class executable_graph;

// What travels with a transfer.
struct transfer_step_context {
  step_context context;
  touched_box touched;
  [[nodiscard]] model::array_view<const std::byte> bytes() const noexcept {
    return {reinterpret_cast<const std::byte*>(this), sizeof *this};
  }
};

// A device of the topology and where it comes from.
struct device_entry {
  executors::backend* owner = nullptr;
  std::uint32_t index = 0;  // within its backend
  // Devices of one domain wait for each other natively and take part in one graph.
  std::uint32_t domain = 0;
  bool needs_images = false;  // of kernels
};
inline constexpr std::uint32_t team_domain = 0;  // of everything that runs on the process-wide team
// Parts of devices have a domain each.

// A lane of the planner and what runs it. Host accesses have no executor: whoever made the access
// says when it has finished.
struct lane_entry {
  executors::backend* owner = nullptr;
  executors::lane* native = nullptr;  // null where the executor could not make it
  const executors::progress* completion = nullptr;
  std::unique_ptr<executors::progress> own;  // host accesses only

  // Steps that were planned and that the executor then did not take (a device that is lost, no memory left): the
  // lane counts on without them, and something else stands for each where others wait for it.
  struct refused_step {
    std::uint64_t position;  // as planned
    executors::lane_position stand_in;
  };
  std::vector<refused_step> refused;  // the latest ones, ascending
  std::uint64_t forgotten = 0;        // so many before them
  executors::lane_position hold_off;  // what comes next in the lane waits for this; null: nothing

  // Where a step of this position really is.
  [[nodiscard]] executors::lane_position place_of(std::uint64_t position) const noexcept {
    if (refused.empty() && forgotten == 0) [[likely]]
      return {completion, position};
    std::uint64_t before = forgotten;
    for (const refused_step& r : refused) {
      if (r.position == position) return r.stand_in;
      if (r.position < position) ++before;
    }
    return {completion, position - before};
  }
};

// A lane beside the planner's, for the parts of recorded graphs.
struct side_lane {
  model::device_id device;
  executors::backend* owner = nullptr;
  executors::lane* native = nullptr;
  std::uint64_t position = 0;  // of the last step
};

struct allocation {
  void* pointer = nullptr;
  bool owned = false;             // freed with the buffer
  bool from_usm = false;          // came from, and goes back to, USM allocation
  model::device_id device;        // through which it was allocated
  model::device_id locked_for{};  // host memory: the device whose driver has locked its pages
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
  host_mirror mirror;
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

  // ---- fixed after the start, but for parts of devices, which are added at the end under the lock ---------
  // Its devices never move; without the lock read only what a device_id names.
  model::topology topology;
  device_table<model::device_properties> properties;  // index: device_id
  device_table<device_entry> devices;                 // index: device_id
  std::vector<absent_backend> absent;
  // The device through which host memory is allocated and host accesses are planned.
  model::device_id host_device;
  std::size_t listed_devices = 0;  // the first so many are shown to the program
  bool staging_needed = false;     // some memories are only connected through the host's
  // Nanoseconds until a thread that may wait for itself is told so; nothing: never.
  std::optional<std::uint64_t> hint_after;

  // ---- under the lock ------------------------------------------------------------------------
  core_mutex mutex;
  planner::planning_state state;
  planner::plan scratch_plan;
  std::vector<lane_entry> lanes;               // index: lane_id
  std::vector<model::lane_id> executor_lanes;  // all but those of host accesses
  std::deque<buffer_entry> buffers;            // index: buffer_id
  std::vector<retired_storage> retired;
  std::vector<model::lane_id> free_host_lanes;
  held_accesses held;
  // Lanes and accesses that host accesses have looked at to begin inside of others, for tests of what they cost.
  std::uint64_t looked_at_for_accesses = 0;
  std::vector<std::vector<model::lane_id>> free_graph_lanes;  // index: device_id
  // By device_id: lanes for events of the program's, and streams that host tasks of the program work with.
  std::map<std::uint32_t, model::lane_id> adopting_lanes;
  std::map<std::uint32_t, void*> task_streams;
  std::vector<side_lane> free_side_lanes;
  std::vector<executable_graph*> executables;
  failure_registry failures;
  statistics counted;  // all but what backends count
  std::uint64_t reinstantiations_before = 0;
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

  // These need no lock.
  [[nodiscard]] bool runs_on_team(model::device_id d) const noexcept {
    return devices[d.value()].domain == team_domain;
  }
  // Whether the device can copy from and to the memory.
  [[nodiscard]] bool reaches(model::device_id d, model::memory_id m) const noexcept {
    return m == model::host_memory ||
           devices[device_with(m).value()].domain == devices[d.value()].domain;
  }

  // Has the pages of the buffer's host memory locked, if a device has a copy of it and that is wanted.
  void lock_host_storage(buffer_entry& b);
  // Address of the buffer in a memory; allocates. `device`: any device with that memory.
  void* ensure_allocation(model::buffer_id, model::memory_id);
  [[nodiscard]] model::device_id device_with(model::memory_id) const noexcept;
  void free_allocation(const allocation&) noexcept;
  void collect_retired() noexcept;
  void release_buffer_slot(model::buffer_id) noexcept;

  // Plans the commands and hands the transfers among their steps to the executors; calls
  // `execute(step id, step, waits)` for each step that executes a command. Waits that are over
  // are not listed. If a step is refused (model::user_error), neither it nor those after it are made: it is as if
  // they had not been planned, and the error comes out. `context(step id)` then tells what such a command would
  // have written: the bytes of a step_context, or nothing.
  template <class F, class G>
  void plan_and_transfer(model::array_view<const model::command> commands, F&& execute,
                         G&& context);
  template <class F>
  void plan_and_transfer(model::array_view<const model::command> commands, F&& execute) {
    plan_and_transfer(commands, execute,
                      [](model::step_id) { return model::array_view<const std::byte>(); });
  }

  [[nodiscard]] executors::lane_position position_of(model::step_id) const;
  [[nodiscard]] bool finished(model::step_id) const;
  void retire_finished_steps() noexcept;
  // Throws model::user_error where the executor cannot make it.
  lane_entry& lane(model::lane_id);
  void add_missing_lanes();
  // A part of a device, which the device's backend has made; the one that is there already, if it is.
  model::device_id add_part(model::device_id parent, executors::sub_device part);
  // Everything, as it is now. Needs the lock not to be held.
  [[nodiscard]] model::topology whole_topology() {
    std::lock_guard<core_mutex> lock(mutex);
    return topology;
  }
  void submit_transfer(const planner::transfer_step& t, const planner::step& s, model::step_id id);
  [[nodiscard]] transfer_step_context transfer_context(const planner::transfer_step& t,
                                                       model::step_id id) const noexcept;
  // Lane positions of the plan's waits for this step that are not over yet, in scratch storage.
  model::array_view<const executors::lane_position> waits_of(const planner::step& s);
  // Brings the live state up to date after replays that were planned without a look at buffers.
  void settle_replays();
  model::lane_id take_host_lane();
  // Of host accesses; invalid for that of an executor.
  [[nodiscard]] model::lane_id host_lane_of(const executors::progress* p) const noexcept {
    const auto it = host_lanes_.find(p);
    return it == host_lanes_.end() ? model::lane_id() : it->second;
  }
  // The next one that the planner's state has. Nothing has happened if it throws std::bad_alloc.
  void append_lane(lane_entry&& e);
  // The lane of the device that commands with this wish share.
  model::lane_id preferred_lane(model::device_id, std::uint32_t number);
  // The executor did not take this planned step. What it would have written is where it was.
  void refuse(const planner::step& s, model::step_id id, model::array_view<const std::byte> context,
              const std::exception_ptr& cause);
  // Once this is reached, all refusals so far have been dealt with; null if they have.
  [[nodiscard]] executors::lane_position end_of_refusals() const noexcept {
    if (stand_ins_.native == nullptr) return {};
    return {&stand_ins_.native->completion(), stand_ins_.position};
  }
  // Tells the recording of what is planned outside of graphs, if there is one.
  void note_planned(model::array_view<const model::command> commands) {
    if (recording != nullptr) [[unlikely]]
      record_planned(commands);
  }
  // The host has waited for the step, or seen that it has finished. Takes the lock.
  static void note_host_wait(model::step_id step, const char* how) noexcept;

  // What the next refused step must be known to come after, besides its waits.
  std::vector<executors::lane_position> begun_parts;

  // Tells every backend. Needs no lock.
  void forget_images(const pianola_image_set& images) noexcept {
    for (const auto& b : backends_) b->forget_images(images);
  }

  [[nodiscard]] std::uint64_t reinstantiations() const noexcept {
    std::uint64_t n = 0;
    for (const auto& b : backends_) n += b->reinstantiations();
    return n;
  }

  // Waits without the lock. `what`: for the hint that a thread gets which holds a host access that is in the way, other
  // than its access with the lane `mine`.
  void wait(model::array_view<const executors::lane_position>, std::string_view what = "commands",
            model::lane_id mine = {}) noexcept;

  const executors::step_observer& observer() const noexcept { return observer_; }
  std::atomic<bool> attention{false};

 private:
  void record_planned(model::array_view<const model::command> commands);
  core();
  void discover();
  void add_backend(const std::string& name, const std::string& options, bool explicitly);
  [[nodiscard]] std::uint32_t domain_of(std::string_view name);
  void start_lane(lane_entry& e, model::device_id device);
  friend void shut_down_runtime();
  void let_commands_end(std::chrono::nanoseconds at_most);

  executors::step_observer observer_;
  executors::runtime_services services_;
  std::vector<std::unique_ptr<executors::backend>> backends_;
  std::vector<std::string> domains_{"host"};
  std::vector<executors::lane_position> scratch_waits_;
  std::unordered_map<const executors::progress*, model::lane_id> host_lanes_;
  std::vector<std::vector<model::lane_id>> preferred_lanes_;  // by device and number
  executors::progress nothing_;  // of lanes that could not be made so far
  side_lane stand_ins_;          // made when the first step is refused
  // Looking at lanes costs cache misses, so it is done once in a while.
  static constexpr std::uint32_t retire_every = 64;
  std::uint32_t since_retire_ = 0;
};

// Fills a 3-D copy of a box between two allocations of one buffer.
[[nodiscard]] executors::resolved_copy copy_of_box(const model::buffer_info& info,
                                                   const model::box& elements, void* to,
                                                   model::memory_id to_memory, const void* from,
                                                   model::memory_id from_memory) noexcept;

template <class F, class G>
void core::plan_and_transfer(model::array_view<const model::command> commands, F&& execute,
                             G&& context) {
  if (++since_retire_ >= retire_every || !retired.empty() || !failures.empty()) {
    since_retire_ = 0;
    retire_finished_steps();
  }
  planner::plan_window(commands, state, topology, {}, false, scratch_plan);
  if (lanes.size() < state.lane_count()) add_missing_lanes();
  std::size_t i = 0;
  const auto id = [&] { return model::step_id(scratch_plan.first_step + i); };
  try {
    for (; i < scratch_plan.steps.size(); ++i) {
      const planner::step& s = scratch_plan.steps[i];
      if (const auto* t = std::get_if<planner::transfer_step>(&s.action))
        submit_transfer(*t, s, id());
      else
        execute(id(), s, waits_of(s));
      if (in_host_task()) [[unlikely]]
        note_submitted(position_of(id()), waits_of(s));
    }
  } catch (const model::user_error&) {
    const std::exception_ptr cause = std::current_exception();
    for (; i < scratch_plan.steps.size(); ++i) {
      const planner::step& s = scratch_plan.steps[i];
      if (const auto* t = std::get_if<planner::transfer_step>(&s.action))
        refuse(s, id(), transfer_context(*t, id()).bytes(), cause);
      else
        refuse(s, id(), context(id()), cause);
    }
    throw;
  }
  note_planned(commands);
}

}  // namespace pianola::runtime
