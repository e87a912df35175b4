// SPDX-License-Identifier: Apache-2.0
// What code that pianolacc made of kernels calls.
#pragma once
#include <cstdint>

extern "C" {

// Memory of the calling thread for one work-group, aligned to 64 bytes, uninitialised; good until the next
// call on this thread: a thread runs one work-group at a time. Throws user_error (memory_allocation).
void* pianola_work_group_frame_v1(std::uint64_t bytes);

// A work-group's objects need so many bytes, more than model::host_local_memory_bytes. Throws user_error (memory_allocation).
[[noreturn]] void pianola_refuse_group_objects_v1(std::uint64_t bytes);

// Runs one work-item from `place` to its next wait, whose place it returns; 0: it has left. The highest bit is set if the
// wait is for the group, not only for the sub-group. `own` is what it keeps from one call to the next.
using pianola_resume_item = std::uint32_t(const void* kernel, const void* launch, const void* group,
                                          void* own, std::uint32_t place, std::uint64_t linear_id);

// The work-items of a group do not agree about a branch that decides about a barrier (`where` it is; null: they are run one
// by one from the start, and may agree). Memory of zeros for what they keep, `bytes` each, and behind it 8 bytes each. Throws user_error (memory_allocation; kernel if
// PIANOLA_CHECK_BARRIERS is on).
void* pianola_memory_apart_v1(const char* where, std::uint64_t items, std::uint64_t bytes);

// Runs them to their ends, from the places that the first four bytes of what they keep say. Who has left counts as
// arrived at every barrier. Frees the memory.
void pianola_run_apart_v1(pianola_resume_item* resume, std::uint64_t items, std::uint64_t bytes,
                          std::uint32_t sub_group_size, void* memory, const void* kernel,
                          const void* launch, const void* group);

// Of opinions of `items` work-items, `bytes` each: 1 if those of any one sub-group differ, else 0.
std::uint32_t pianola_sub_groups_differ_v1(const void* opinions, std::uint64_t items,
                                           std::uint32_t bytes, std::uint32_t sub_group_size);

// Of the marks of `items` work-items, not 0 for those that have come to a place: how many have, times 2^32, and how many
// before `item` have. And: `item` if it has, else the first one that has.
std::uint64_t pianola_items_here_v1(const std::uint64_t* marks, std::uint64_t items,
                                    std::uint64_t item);
std::uint32_t pianola_source_here_v1(const std::uint64_t* marks, std::uint64_t items,
                                     std::uint64_t item);

// As runtime::address_space_of.
std::uint32_t pianola_address_space_v1(const void* pointer);

// Before a kernel whose code was compiled so touches `bytes` bytes. flags: 1 writes them. `where`: the place in the source,
// null where it is not known. Throws user_error (accessor) if they belong to a buffer and no accessor of the running kernel
// names them, or none that writes. Outside of kernels it does nothing.
void pianola_check_access_v1(const void* pointer, std::uint64_t bytes, std::uint32_t flags,
                             const char* where);
// The next subscript of an accessor on this thread is at this place in the source.
void pianola_note_place_v1(const char* where);

// A function that only makes sense inside of a kernel (`name`: of the compiler's intrinsic) was called
// elsewhere. Throws user_error (kernel).
[[noreturn]] void pianola_intrinsic_outside_kernel_v1(const char* name);
}
