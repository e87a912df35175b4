// SPDX-License-Identifier: Apache-2.0
// The one runtime of a process: what it consists of, and the lock around it. Each part has a header of its own; whoever
// works with a part includes that.
#pragma once
#include <cstdint>
#include <optional>

#include <pianola/runtime/statistics.hpp>

#include "support/runtime_mutex.hpp"

namespace pianola::model {
struct topology;
}
namespace pianola::planner {
class planning_state;
}

namespace pianola::runtime {

class machine;
class lane_table;
class buffer_table;
class failure_registry;
class queue_table;
class held_accesses;
class dispatcher;
class replay_table;
class eager_recorder;

class process {
 public:
  // Starts the runtime on first use. Throws model::user_error (platform) for a bad PIANOLA_DEVICES;
  // the next use tries again. Also throws in a process that was forked after the start.
  static process& instance();
  // The runtime if it was started, else null; never starts it.
  static process* started() noexcept;

  // Everything, as it is now. Needs the lock not to be held.
  [[nodiscard]] model::topology whole_topology();

  process(const process&) = delete;
  process& operator=(const process&) = delete;

  // Needs no lock.
  runtime::machine& machine;
  // Nanoseconds until a thread that may wait for itself is told so; nothing: never.
  const std::optional<std::uint64_t> hint_after;

  // Protects everything below.
  runtime_mutex mutex;
  planner::planning_state& state;  // the live one
  runtime::lane_table& lanes;
  runtime::buffer_table& buffers;
  runtime::failure_registry& failures;
  runtime::queue_table& queues;
  runtime::held_accesses& held;
  runtime::dispatcher& dispatcher;
  runtime::replay_table& replays;
  eager_recorder* const recording;  // PIANOLA_RECORD; null: not wanted
  statistics counted;               // all but what backends count
  std::uint64_t reinstantiations_before = 0;

 protected:
  process(runtime::machine&, std::optional<std::uint64_t> hint_after, planner::planning_state&,
          runtime::lane_table&, runtime::buffer_table&, runtime::failure_registry&,
          runtime::queue_table&, runtime::held_accesses&, runtime::dispatcher&,
          runtime::replay_table&, eager_recorder*) noexcept;
  ~process() = default;
};

}  // namespace pianola::runtime
