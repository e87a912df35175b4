// SPDX-License-Identifier: Apache-2.0
// Work-groups with barriers in library-only mode: every work-item runs on a fiber of the calling
// thread.
#pragma once
#include <cstdint>

namespace pianola::runtime {

// Passed to the body; hand it to group_barrier / sub_group_barrier from inside of a work-item.
struct fiber_group;

// Calls body(context, item, group) for item = 0 .. items-1, each on a fiber if any of them reaches a
// barrier. Returns true if all items were run. If the first item reaches no barrier, none should (a
// barrier is met by all or none): then returns false after item 0 and the caller runs items 1 ..
// items-1 in a plain loop, which is much faster, and calls start_late if one does reach a barrier. Exceptions of a
// work-item come out here after the group's fibers were unwound or finished; the first one wins.
bool run_work_group(std::uint32_t items, std::uint32_t sub_group_size,
                    void (*body)(void* context, std::uint32_t item, fiber_group& group),
                    void* context);

void group_barrier(fiber_group&);
void sub_group_barrier(fiber_group&);

// Returns once all of `members`, a bit for each work-item of the calling one's sub-group, have left or wait at a barrier
// of the same members.
void members_barrier(fiber_group&, std::uint64_t members);

// Returns once no work-item of the work-group can go on without it; the result is the members of the calling one's sub-group
// that wait at the same place.
[[nodiscard]] std::uint64_t meet_at(fiber_group&, std::uint64_t place);

// The work-item that calls it, which becomes known by running every work-item on a fiber: to be called by the first
// work-item if by any.
[[nodiscard]] std::uint32_t current_item(fiber_group&) noexcept;

// Two pointers per work-item of the running group, for the work-items to find each other's operands. The first is null for
// work-items that have left, and at the start.
void** group_slots(fiber_group&);

// Whether some work-items of the running group have left.
[[nodiscard]] bool some_have_left(const fiber_group&) noexcept;

// ---- The first work-item to reach a barrier is `item`, while run in a plain loop on the stack of the thread, behind
// others that reached none and have left.

// Those behind it go onto fibers; it stays where it is. The fiber_group is its group's until finish_late or fail_late.
fiber_group& start_late(std::uint32_t items, std::uint32_t sub_group_size, std::uint32_t item,
                        void (*body)(void* context, std::uint32_t item, fiber_group& group),
                        void* context);

// The waits of this work-item.
enum class late_wait : unsigned char { group, sub_group, members, meeting };
// `key`: the members, or the place.
void wait_late(fiber_group&, std::uint32_t item, late_wait where, std::uint64_t key);
// Behind a meeting: its members.
[[nodiscard]] std::uint64_t met_late(const fiber_group&, std::uint32_t item) noexcept;

// It has left, or ended by the current exception. Runs the others to their end, and throws the first error.
void finish_late(fiber_group&, std::uint32_t item);
void fail_late(fiber_group&, std::uint32_t item);

}  // namespace pianola::runtime
