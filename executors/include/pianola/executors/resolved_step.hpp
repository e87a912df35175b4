// SPDX-License-Identifier: Apache-2.0
// A step with its addresses filled in from the binding table: what a backend gets to see.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <variant>

#include <pianola/model/accessible_box.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/control_kind.hpp>

#include "progress.hpp"

namespace pianola::executors {

struct resolved_kernel {
  const model::kernel_descriptor* kernel = nullptr;
  model::launch_geometry geometry;
  // Buffer slots are patched. Blocks with operations, and large ones, are heap blocks that the
  // backend takes over in eager mode: it destroys the object and frees it with operator delete.
  model::argument_block arguments;
  bool owns_arguments = false;
  std::uint32_t local_memory_bytes = 0;
  model::array_view<const model::argument_slot> local_slots;
  // Each a model::texture_argument whose `texels` are patched. Executors with texture units may put handles into a
  // copy of theirs.
  model::array_view<const model::argument_slot> texture_slots;
  // Of kernels with checks_accesses that run on the host: all that they may touch of buffers.
  model::array_view<const model::accessible_box> accessible;
};

struct resolved_copy {
  void* destination = nullptr;
  const void* source = nullptr;
  model::memory_id to;
  model::memory_id from;
  std::uint64_t width = 0;  // bytes
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  std::uint64_t source_row_pitch = 0;
  std::uint64_t source_slice_pitch = 0;
  std::uint64_t destination_row_pitch = 0;
  std::uint64_t destination_slice_pitch = 0;
};

struct resolved_fill {
  static constexpr std::uint32_t inline_pattern_bytes = 16;
  void* destination = nullptr;
  model::memory_id memory;
  std::uint64_t width = 0;
  std::uint64_t height = 1;
  std::uint64_t depth = 1;
  std::uint64_t row_pitch = 0;
  std::uint64_t slice_pitch = 0;
  std::uint32_t pattern_bytes = 1;
  unsigned char pattern[inline_pattern_bytes] = {};
  const void* large_pattern = nullptr;  // copied by the backend
};

struct resolved_host_task {
  model::argument_block arguments;
  bool owns_arguments = false;
  void (*invoke)(void* arguments) = nullptr;
  // Called instead where set. An executor with streams of its own fills in the stream, or the graph, where `enqueues`.
  void (*invoke_with_access)(void* arguments, const model::native_access&) = nullptr;
  model::native_access access;
  bool enqueues = false;

  void operator()() const {
    if (invoke_with_access != nullptr)
      invoke_with_access(arguments.bytes, access);
    else
      invoke(arguments.bytes);
  }
};

struct graph_step;

// Runs other steps in the device's own graph: so many times, for as long as a number is not zero, or by choice. Only in
// graphs of backends that hold such.
struct resolved_control {
  model::control_kind what = model::control_kind::repeat;
  std::uint64_t count = 0;    // repeat
  void* condition = nullptr;  // others: an unsigned integer that the device reads
  std::uint32_t bytes = 0;    // of it: 1, 2, 4 or 8
  // Looked at while the graph is instantiated or updated, not afterwards.
  model::array_view<const model::array_view<const graph_step>> bodies;
};

struct resolved_nothing {};

using resolved_action = std::variant<resolved_nothing, resolved_kernel, resolved_copy,
                                     resolved_fill, resolved_host_task, resolved_control>;

struct lane_position {
  const progress* lane = nullptr;
  std::uint64_t position = 0;
};

// Called by executors around steps, on the thread that runs the step. `context` are the bytes that
// came with the step. None may throw. They take the runtime's lock, under which submissions are made: never call
// one with a lock held that a submission takes. A timed step is told of once, before its lane's progress says that
// it has finished, also if it was skipped.
struct step_observer {
  // Only called while `attention` is set: false skips the step (it counts as finished).
  bool (*admit)(const void* context) = nullptr;
  void (*failed)(const void* context, std::exception_ptr error) = nullptr;
  // Before the steps of a graph are run, with the context of the launch.
  void (*entering)(const void* context) = nullptr;
  // Only for steps with `timed`.
  void (*started)(const void* context) = nullptr;
  void (*finished)(const void* context) = nullptr;
  // Instead of both, with nanoseconds on the clock of host::nanoseconds_now, by executors that learn of them
  // afterwards.
  void (*times)(const void* context, std::uint64_t started, std::uint64_t finished) = nullptr;
  // Raised while something has failed and not everything that depends on it has been dealt with.
  const std::atomic<bool>* attention = nullptr;
};

}  // namespace pianola::executors
