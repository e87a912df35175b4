// SPDX-License-Identifier: Apache-2.0
// A command: what is to be done (a closed set of variants), which pages it needs, after what.
// Free of addresses of buffer storage: those come from a binding table at instantiation.
#pragma once
#include <cstdint>
#include <variant>

#include "array_view.hpp"
#include "command_kind.hpp"
#include "control_kind.hpp"
#include "footprint.hpp"
#include "ids.hpp"
#include "kernel.hpp"
#include "native_access.hpp"
#include "requirement.hpp"

namespace pianola::model {

// Arguments of a kernel or host task: the bytes of the user's function object. The storage belongs
// to whoever holds the command (the command graph's arena, or the submission in eager mode).
struct argument_block {
  void* bytes = nullptr;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  const object_operations* operations = nullptr;  // null: trivially copyable
};

// What all work-items of a launch do together. 0: not known.
struct kernel_work {
  double bytes = 0;       // read and written
  double operations = 0;  // arithmetic, in additions: what takes longer counts for several
};

// Where a kernel finds how much of its geometry it runs, see kernel_descriptor::read_range. For display; the kernel knows.
struct indirect_range {
  static constexpr std::uint32_t in_memory = 0xffffffffU;
  bool used = false;
  std::uint32_t requirement = in_memory;  // index into the command's requirements; in_memory: USM
};

struct kernel_command {
  const kernel_descriptor* kernel = nullptr;  // null in a graph that was loaded from a file
  kernel_id id;
  launch_geometry geometry;
  std::uint32_t local_memory_bytes = 0;
  argument_block arguments;
  array_view<const argument_slot> slots;
  // Of a hierarchical kernel, which is launched with one work-item in each group: those that a group stands for. All
  // zero for other kernels.
  extent3 logical_group{{0, 0, 0}};
  kernel_work work{};
  array_view<const footprint> footprints;  // ascending by requirement; at most one for each
  indirect_range indirect{};
};

// One side of a copy or fill: a place in a buffer (named by a requirement) or a plain pointer.
struct memory_operand {
  static constexpr std::uint32_t no_requirement = 0xffffffffU;
  std::uint32_t requirement = no_requirement;  // index into the command's requirements
  memory_id memory = host_memory;              // plain pointer: the memory it points into
  void* pointer = nullptr;                     // plain pointer
  std::uint64_t byte_offset = 0;               // from the buffer's start or from `pointer`
  std::uint64_t row_pitch = 0;                 // bytes from row to row
  std::uint64_t slice_pitch = 0;               // bytes from slice to slice
};

// Copies `depth` slices of `height` rows of `width` bytes. Contiguous data has height = depth = 1.
struct copy_command {
  memory_operand source;
  memory_operand destination;
  std::uint64_t width = 0;
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
};

struct fill_command {
  static constexpr std::uint32_t inline_pattern_bytes = 16;
  memory_operand destination;
  std::uint64_t width = 0;  // bytes; a multiple of pattern_bytes
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  std::uint32_t pattern_bytes = 1;
  unsigned char pattern[inline_pattern_bytes] = {};
  const void* large_pattern = nullptr;  // used when pattern_bytes exceeds inline_pattern_bytes
};

struct host_task_command {
  argument_block arguments;
  void (*invoke)(void* arguments) = nullptr;
  array_view<const argument_slot> slots;
  // Called instead of `invoke` where set.
  void (*invoke_with_access)(void* arguments, const native_access&) = nullptr;
  // It does not work on the host but puts work on the device's stream or into its graph, and returns.
  bool enqueues = false;
  // Of the queue that it was submitted to, for what it asks of the device; the task itself may run elsewhere. Invalid:
  // known from elsewhere.
  device_id queue_device;

  // Whether requirements of the device's data are met in the device's memory rather than in the host's.
  [[nodiscard]] bool works_with_device() const noexcept { return invoke_with_access != nullptr; }
};

// Does nothing; completes when everything before it that it depends on has.
struct empty_command {};
struct barrier_command {};

struct prefetch_command {
  const void* pointer = nullptr;
  std::uint64_t bytes = 0;
};
struct advise_command {
  const void* pointer = nullptr;
  std::uint64_t bytes = 0;
  int advice = 0;
};

// The host reads or writes a buffer from now on until it says that it has finished.
struct host_access_command {};

// Only the requirements matter: brings the pages where they are needed (update, prefetch of a buffer).
struct acquire_command {
  bool on_device = false;  // to the queue's device rather than to the host; read when it is placed
};

// One replay of an executable graph, or, as a command of a graph, what runs other graphs as `control` says. `graph` is the
// runtime's handle, `nodes` the size for display.
struct subgraph_command {
  void* graph = nullptr;
  std::uint64_t nodes = 0;
  control_kind control = control_kind::once;
  std::uint64_t count = 1;  // repeat: of iterations
  std::uint32_t bodies = 1;
  // Which requirement, of one element in the host's memory or where the command runs, is the condition; no_requirement:
  // there is none, or it is in memory of the program's.
  std::uint32_t condition = memory_operand::no_requirement;
};

// Memory that belongs to the program from here on (asynchronous allocation), until the command that frees it.
struct allocate_command {
  void* pointer = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t allocation = 0;  // shared with the command that frees it
  std::uint64_t place = 0;  // equal for the same bytes, of whatever address; from 0 in a graph made
  bool zero = false;        // filled with zeroes
  memory_id memory = host_memory;
};
struct free_command {
  void* pointer = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t allocation = 0;
};

template <class, class... Payloads>
struct variant_of {
  using type = std::variant<Payloads...>;
};
#define PIANOLA_PAYLOAD(kind) , kind##_command
using command_payload = variant_of<void PIANOLA_COMMAND_KINDS(PIANOLA_PAYLOAD)>::type;
#undef PIANOLA_PAYLOAD

constexpr command_kind kind_of(const command_payload& p) noexcept {
  return static_cast<command_kind>(p.index());
}

constexpr node_kind node_kind_of(const command_payload& p) noexcept {
  switch (kind_of(p)) {
    case command_kind::empty:
      return node_kind::empty;
    case command_kind::kernel:
      return node_kind::kernel;
    case command_kind::copy:
      return node_kind::memcpy;
    case command_kind::fill:
      return std::get_if<fill_command>(&p)->pattern_bytes == 1 ? node_kind::memset
                                                               : node_kind::fill;
    case command_kind::host_task:
      return node_kind::host_task;
    case command_kind::barrier:
      return node_kind::barrier;
    case command_kind::prefetch:
      return node_kind::prefetch;
    case command_kind::advise:
      return node_kind::memadvise;
    case command_kind::host_access:
      return node_kind::host_access;
    case command_kind::acquire:
      return node_kind::update;
    case command_kind::subgraph:
      return node_kind::subgraph;
    case command_kind::allocate:
      return node_kind::async_malloc;
    case command_kind::free:
      return node_kind::async_free;
  }
  return node_kind::empty;
}

struct command {
  command_payload payload;
  array_view<const requirement> requirements;
  // Explicit order: events, in-order queues, graph edges. Step ids in eager mode (the live data
  // state numbers steps), command ids in a recorded graph; both as plain numbers of that space.
  array_view<const std::uint64_t> after;
  device_id device;  // placement asked for by the queue
  // Where it may run instead, if planning is to choose: ascending, with `device` among them. Empty: there only.
  array_view<const device_id> candidates;
  lane_id lane;  // invalid: the planner chooses
  const char* label = "";
};

}  // namespace pianola::model
