// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include <pianola/host/clock.hpp>
#include <pianola/host/team.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/planning_state.hpp>
#include <pianola/runtime/auto_capture.hpp>
#include <pianola/runtime/host_storage.hpp>

#include "data/buffer_table.hpp"
#include "data/failure_registry.hpp"
#include "data/held_accesses.hpp"
#include "execute/dispatcher.hpp"
#include "execute/wait_hint.hpp"
#include "failures/observer.hpp"
#include "kernels/image_registry.hpp"
#include "kernels/variable_registry.hpp"
#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "queues/capturing.hpp"
#include "queues/queue_table.hpp"
#include "recording/eager_recorder.hpp"
#include "replay/executable/loop_watch.hpp"
#include "replay/executable/replay_table.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

process::process(runtime::machine& machine, std::optional<std::uint64_t> hint_after,
                 planner::planning_state& state, runtime::lane_table& lanes,
                 runtime::buffer_table& buffers, runtime::failure_registry& failures,
                 runtime::queue_table& queues, runtime::held_accesses& held,
                 runtime::dispatcher& dispatcher, runtime::replay_table& replays,
                 eager_recorder* recording) noexcept
    : machine(machine),
      hint_after(hint_after),
      state(state),
      lanes(lanes),
      buffers(buffers),
      failures(failures),
      queues(queues),
      held(held),
      dispatcher(dispatcher),
      replays(replays),
      recording(recording) {}

namespace {

// What the process refers to, and owns.
struct owned_objects {
  owned_objects()
      : observer_(make_observer(failures_.attention())),
        services_(make_services(observer_)),
        machine_(services_),
        lanes_(machine_, state_),
        buffers_(machine_, state_, failures_),
        recording_(eager_recorder::from_environment(machine_.topology(), machine_.host_device())) {}

  static executors::runtime_services make_services(const executors::step_observer& observer) {
    executors::runtime_services services;
    services.observer = &observer;
    services.find_kernel = [](model::kernel_id id) {
      return image_registry::instance().find_kernel(id);
    };
    services.find_images = [](model::kernel_id id) {
      return image_registry::instance().find_images(id);
    };
    services.find_variables = [](model::kernel_id id) {
      return image_registry::instance().find_variables(id);
    };
    services.find_variable = [](const pianola_variable& v) {
      variable_registry& all = variable_registry::instance();
      return v.address != nullptr ? all.find_at(v.address) : all.find(v.symbol);
    };
    return services;
  }

  failure_registry failures_;
  executors::step_observer observer_;
  executors::runtime_services services_;
  machine machine_;
  planner::planning_state state_;
  lane_table lanes_;
  buffer_table buffers_;
  queue_table queues_;
  held_accesses held_;
  replay_table replays_;
  std::unique_ptr<eager_recorder> recording_;
};

struct whole_process final : private owned_objects, public process {
  whole_process()
      : process(machine_, wait_hint_from_environment(), state_, lanes_, buffers_, failures_,
                queues_, held_, dispatcher_, replays_, recording_.get()),
        dispatcher_(*this) {
    variable_registry::instance().keep_values();
    // A mistake in the environment is told now.
    static_cast<void>(get_host_storage_mode());
    static_cast<void>(is_auto_capture_default());
  }

  runtime::dispatcher dispatcher_;
};

std::atomic<process*> the_process{nullptr};
std::atomic<bool> forked{false};
std::mutex start_mutex;

// What a program may have forgotten to wait for gets so long at its end: output of kernels and host tasks is
// seldom later. Nobody hangs for a command that does not end.
constexpr std::chrono::milliseconds last_commands(1000);

// Leaves the work to the threads that do it anyway: here it could not be left again.
void let_commands_end(process& rt, std::chrono::nanoseconds at_most) {
  std::vector<lane_position> ends;
  {
    std::unique_lock lock(rt.mutex, std::try_to_lock);
    if (!lock.owns_lock()) return;
    for (const model::lane_id lane : rt.lanes.of_executors()) {
      const model::step_id last = rt.state.tail(lane);
      if (last.valid() && !rt.lanes.finished(last)) ends.push_back(rt.lanes.position_of(last));
    }
  }
  host::patience left(static_cast<std::uint64_t>(at_most.count()));
  for (const lane_position& end : ends)
    while (!end.lane->reached(end.position)) {
      if (left.look() == 0) return;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (executors::progress_source* source = end.lane->source()) source->look(*end.lane);
    }
}

void shut_down() {
  process* rt = the_process.load();
  if (rt == nullptr || forked.load()) return;
  if (capturing* const c = capturing::active()) c->ends();
  loop_watch::stop();
  // A command that ends the program would wait for itself.
  if (host::team::current_thread() == 0) let_commands_end(*rt, last_commands);
  host::team::instance().shut_down();
  std::unique_lock lock(rt->mutex, std::try_to_lock);
  if (lock.owns_lock() && rt->recording != nullptr) rt->recording->write();
}

}  // namespace

process& process::instance() {
  process* rt = the_process.load(std::memory_order_acquire);
  if (rt != nullptr && !forked.load(std::memory_order_relaxed)) [[likely]]
    return *rt;
  if (forked.load())
    throw user_error(error_code::runtime,
                     "this process was forked after Pianola had started: its threads and devices "
                     "stayed in the parent; fork before the first use of SYCL, or exec");
  std::lock_guard<std::mutex> lock(start_mutex);
  rt = the_process.load(std::memory_order_acquire);
  if (rt != nullptr) return *rt;
  // Leaked on purpose: static queues and buffers end after every destructor of ours would have run.
  rt = new whole_process();
  pthread_atfork(nullptr, nullptr, [] {
    forked.store(true);
    capturing::stay_in_parent();
  });
  std::atexit([] { shut_down(); });
  the_process.store(rt, std::memory_order_release);
  return *rt;
}

model::topology process::whole_topology() {
  std::lock_guard lock(mutex);
  return machine.topology();
}

process* process::started() noexcept {
  return forked.load(std::memory_order_relaxed) ? nullptr
                                                : the_process.load(std::memory_order_acquire);
}

}  // namespace pianola::runtime
