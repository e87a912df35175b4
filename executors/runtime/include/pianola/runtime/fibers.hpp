// SPDX-License-Identifier: Apache-2.0
// Work-groups with barriers in library-only mode: every work-item runs on a fiber of the calling
// thread.
#pragma once
#include <cstdint>

namespace pianola::runtime {

// Passed to the body; hand it to group_barrier / sub_group_barrier from inside of a work-item.
struct fiber_group;

// Calls body(context, item, group) for item = 0 .. items-1, each on a fiber if any of them reaches a
// barrier. Returns true if all items were run. If the first item reaches no barrier, none does (a
// barrier is met by all or none): then returns false after item 0 and the caller runs items 1 ..
// items-1 in a plain loop, which is much faster. Exceptions of a work-item come out here after the
// group's fibers were unwound or finished; the first one wins.
bool run_work_group(std::uint32_t items, std::uint32_t sub_group_size,
                    void (*body)(void* context, std::uint32_t item, fiber_group& group),
                    void* context);

void group_barrier(fiber_group&);
void sub_group_barrier(fiber_group&);

// Returns once all of `members`, a bit for each work-item of the calling one's sub-group, wait at a barrier of the same
// members.
void members_barrier(fiber_group&, std::uint64_t members);

// Returns once no work-item of the work-group can go on without it; the result is the members of the calling one's sub-group
// that wait at the same place.
[[nodiscard]] std::uint64_t meet_at(fiber_group&, std::uint64_t place);

// The work-item that calls it, which becomes known by running every work-item on a fiber: to be called by the first
// work-item if by any.
[[nodiscard]] std::uint32_t current_item(fiber_group&) noexcept;

// One pointer per work-item of the running group, for the work-items to find each other's operands.
void** group_slots(fiber_group&);

}  // namespace pianola::runtime
