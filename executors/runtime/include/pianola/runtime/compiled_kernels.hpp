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

// As runtime::address_space_of.
std::uint32_t pianola_address_space_v1(const void* pointer);

// A function that only makes sense inside of a kernel (`name`: of the compiler's intrinsic) was called
// elsewhere. Throws user_error (kernel).
[[noreturn]] void pianola_intrinsic_outside_kernel_v1(const char* name);
}
