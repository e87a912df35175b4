// SPDX-License-Identifier: Apache-2.0
// What compiled kernels ask the compiler for. None of these functions exists: pianolacc replaces every
// call, differently for each target. `x` is the fastest dimension, SYCL's last.
#pragma once

#if defined(__PIANOLACC__)

#include <cstdint>

#include <pianola/abi/launch.h>

#define PIANOLA_CONVERGENT __attribute__((convergent, nothrow))
#define PIANOLA_CONSTANT __attribute__((const, nothrow))
#define PIANOLA_READS_ONLY __attribute__((pure, nothrow))

extern "C" {

PIANOLA_CONSTANT std::uint32_t __pianola_local_id_x();
PIANOLA_CONSTANT std::uint32_t __pianola_local_id_y();
PIANOLA_CONSTANT std::uint32_t __pianola_local_id_z();
PIANOLA_CONSTANT std::uint64_t __pianola_group_id_x();
PIANOLA_CONSTANT std::uint64_t __pianola_group_id_y();
PIANOLA_CONSTANT std::uint64_t __pianola_group_id_z();
PIANOLA_CONSTANT std::uint32_t __pianola_local_size_x();
PIANOLA_CONSTANT std::uint32_t __pianola_local_size_y();
PIANOLA_CONSTANT std::uint32_t __pianola_local_size_z();
PIANOLA_CONSTANT std::uint64_t __pianola_group_count_x();
PIANOLA_CONSTANT std::uint64_t __pianola_group_count_y();
PIANOLA_CONSTANT std::uint64_t __pianola_group_count_z();

/// Devices only, of kernels over a range: where the ids of this launch begin, which the grid's are added to, and where they
/// end. Of a launch that is no part 0 and the range.
PIANOLA_CONSTANT std::uint64_t __pianola_part_first_x();
PIANOLA_CONSTANT std::uint64_t __pianola_part_first_y();
PIANOLA_CONSTANT std::uint64_t __pianola_part_first_z();
PIANOLA_CONSTANT std::uint64_t __pianola_part_end_x();
PIANOLA_CONSTANT std::uint64_t __pianola_part_end_y();
PIANOLA_CONSTANT std::uint64_t __pianola_part_end_z();

/// 1 in a device image, 0 in code for the host.
PIANOLA_CONSTANT std::int32_t __pianola_is_device();

/// Base of the work-group's local memory, which local accessors hold offsets into.
PIANOLA_CONSTANT void* __pianola_local_memory();
/// Devices only: 1024 bytes of local memory per work-group, for group algorithms.
PIANOLA_CONSTANT void* __pianola_group_scratch();
/// Host only: `bytes_per_item` (a constant) for every work-item of the group, aligned to 64 bytes; each call
/// in the source has its own, which lives as long as the group.
PIANOLA_CONSTANT void* __pianola_group_storage(std::uint64_t bytes_per_item);

/// `bytes` bytes of the work-group's memory, aligned to `alignment`: one object for each `key` (null, or the address
/// of a global object), `file` (null, or a string literal) and `place`. All arguments are constants. Uninitialised.
/// `key` may also be a variable of the work-item that has the address of such an object in its first bytes, which this
/// reads: that object.
PIANOLA_READS_ONLY void* __pianola_group_object(const void* key, const char* file,
                                                std::uint64_t place, std::uint64_t bytes,
                                                std::uint64_t alignment);

/// 1: local memory of the work-group, 2: memory of the work-item, 0: any other. On the host also 3: memory of the
/// group's only work-item, 4: not asked by a kernel.
PIANOLA_CONSTANT std::uint32_t __pianola_address_space(const void* pointer);

/// `scope`: int(sycl::memory_scope), how far memory accesses are ordered.
PIANOLA_CONVERGENT void __pianola_group_barrier(std::uint32_t scope);
PIANOLA_CONVERGENT void __pianola_sub_group_barrier(std::uint32_t scope);

/// Devices only: `pointer`, for atomic accesses that reach as far as `scope`. Elsewhere, and where the scope is
/// not known when the program is compiled, they reach as far as the system.
PIANOLA_CONSTANT void* __pianola_in_scope(void* pointer, std::uint32_t scope);
/// Devices only. `order`: __ATOMIC_ACQUIRE and the like.
void __pianola_fence(std::uint32_t order, std::uint32_t scope) __attribute__((nothrow));

/// Devices only. which: 0 the kernels behind this one may be started; 1 wait until those in front of this one have
/// finished. Nothing where kernels do not overlap.
void __pianola_dependent_launch(std::uint32_t which) __attribute__((nothrow));

/// The largest number of work-items in a sub-group.
PIANOLA_CONSTANT std::uint32_t __pianola_sub_group_size();
/// `value` of the work-item with this local id in the caller's sub-group.
PIANOLA_CONVERGENT std::uint32_t __pianola_shuffle_32(std::uint32_t value, std::uint32_t lane);
PIANOLA_CONVERGENT std::uint64_t __pianola_shuffle_64(std::uint64_t value, std::uint32_t lane);
/// The same for some lanes of the sub-group, a bit for each, all of which come by, whatever the others do. On the
/// host all of the sub-group must come by: where that is not certain, the kernel is refused.
PIANOLA_CONVERGENT std::uint32_t __pianola_shuffle_32_among(std::uint32_t value, std::uint32_t lane,
                                                            std::uint64_t lanes);
PIANOLA_CONVERGENT void __pianola_sub_group_barrier_among(std::uint32_t scope, std::uint64_t lanes);
/// Host only: refuses the kernel if the call is not found to be unreachable.
PIANOLA_CONVERGENT void __pianola_refuse_small_sub_group();
/// A bit for each work-item of the sub-group: whether its predicate is not 0.
PIANOLA_CONVERGENT std::uint64_t __pianola_ballot(std::int32_t predicate);

// Host only: work-items that come to a place together, where others of their group may have left. As long as nobody has,
// nobody asks.

/// `apart` where the work-items of the group are run one by one, because they do not agree where to go; else `together`.
PIANOLA_CONSTANT std::uint32_t __pianola_if_apart(std::uint32_t apart, std::uint32_t together);
// What these give is of use only as `apart` of the above.
/// A bit for each work-item of the sub-group that has come here.
PIANOLA_CONVERGENT std::uint64_t __pianola_lanes_here();
/// How many of the work-group's have come here, times 2^32, and how many of them are before the caller.
PIANOLA_CONVERGENT std::uint64_t __pianola_items_here();
/// `item`, a linear local id, if that work-item has come here; else the first one that has.
PIANOLA_CONVERGENT std::uint32_t __pianola_source_here(std::uint32_t item);

/// Devices only, where the executor has put a texture's handle into the function object: what the texture unit makes of
/// a coordinate. Channels are read as the texture's format says: floating-point numbers, or integers.
using __pianola_texel_float = float __attribute__((vector_size(16)));
using __pianola_texel_signed = std::int32_t __attribute__((vector_size(16)));
using __pianola_texel_unsigned = std::uint32_t __attribute__((vector_size(16)));
__pianola_texel_float __pianola_texture_float(std::uint64_t texture, float x, float y)
    __attribute__((pure, nothrow));
__pianola_texel_signed __pianola_texture_signed(std::uint64_t texture, float x, float y)
    __attribute__((pure, nothrow));
__pianola_texel_unsigned __pianola_texture_unsigned(std::uint64_t texture, float x, float y)
    __attribute__((pure, nothrow));

/// Of the name of a global object; the same for the host and for devices.
PIANOLA_CONSTANT std::uint64_t __pianola_name_hash(const void* object);
/// `body` of the next three is a kernel_body function.
PIANOLA_CONSTANT std::uint64_t __pianola_kernel_id(const void* body);
/// What the kernel's attributes require, 0 if nothing. which: 0 the sub-group size; 1, 2, 3 the work-group
/// size in model::kernel_requirements's dimensions 0, 1, 2; 4 the set of aspects.
PIANOLA_CONSTANT std::uint64_t __pianola_kernel_requirement(const void* body, std::uint32_t which);
/// Host only: runs all work-items of one work-group.
void __pianola_work_group(const void* body, const void* kernel, const pianola_launch* launch,
                          const pianola_work_group* group);
}

#undef PIANOLA_CONVERGENT
#undef PIANOLA_CONSTANT
#undef PIANOLA_READS_ONLY

#endif
