// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <pianola/executors/resolved_step.hpp>

namespace pianola::host {

class team;

// Runs a kernel on the calling thread, with the help of the team if it is worth it. Exceptions of
// the kernel come out (the first one) after all threads have stopped.
void run_kernel(const executors::resolved_kernel& kernel, team& home, unsigned thread,
                bool may_spread);

// One part on the calling thread.
void run_part(const executors::resolved_kernel& kernel, const model::box& part);
// The same, and remembers what a unit has cost.
void run_part_timed(const executors::resolved_kernel& kernel, const model::box& part);

// Nanoseconds that the whole kernel is expected to take on one thread; negative if unknown.
[[nodiscard]] double expected_nanoseconds(const executors::resolved_kernel& kernel) noexcept;

// The slice [index, index + 1) of `count` about equal slices of these units, cut along the outermost dimension that is
// long enough.
[[nodiscard]] model::box slice_of(const model::box& units, std::uint64_t index,
                                  std::uint64_t count) noexcept;
// Into how many slices so many units can be cut at most along that dimension.
[[nodiscard]] std::uint64_t max_slices(const model::extent3& units, std::uint64_t wanted) noexcept;

// Local memory of the calling thread, at least that large, aligned for any type.
[[nodiscard]] model::group_resources local_memory(std::uint32_t bytes);
[[nodiscard]] bool is_in_local_memory(const void* pointer) noexcept;

// The kernel that the calling thread is running; null if it runs none.
[[nodiscard]] const executors::resolved_kernel* kernel_here() noexcept;
// Where the stack of the kernel begins that the calling thread is running: what lies at lower addresses is the kernel's own.
// Null if it runs none.
[[nodiscard]] const void* kernel_frame() noexcept;
// Whether that kernel's work-groups have one work-item each.
[[nodiscard]] bool runs_groups_of_one() noexcept;
// Whether it points into that kernel's function object, of which every work-item has a copy as far as it can tell.
[[nodiscard]] bool is_in_kernel_arguments(const void* pointer) noexcept;

}  // namespace pianola::host
