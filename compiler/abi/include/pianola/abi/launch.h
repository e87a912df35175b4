/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiled kernel is told about its launch. Three numbers are in the order of a row-major index:
 * [0] slowest (z), [1] (y), [2] fastest (x); spaces of fewer dimensions are padded on the left. */
#ifndef PIANOLA_ABI_LAUNCH_H
#define PIANOLA_ABI_LAUNCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The second parameter of every kernel of a device image; the first one is the function object. Both are
 * passed by value. */
struct pianola_launch {
  uint64_t global[3]; /* work-items in all; the groups of a range kernel may cover more */
  uint64_t offset[3]; /* added to global ids */
};

/* The second parameter, in the place of pianola_launch, of a kernel's entry point for parts (PIANOLA_KERNEL_PARTS). Ids and
 * ranges are those of the whole launch. */
struct pianola_part_launch {
  struct pianola_launch whole;
  uint64_t first
      [3]; /* added to what the grid says: to ids of a range, to those of groups of an nd_range */
  uint64_t end[3]; /* of a range: ids from here on do nothing */
};

/* The work-group that a kernel lowered for the host runs. */
struct pianola_work_group {
  uint64_t group_id[3];
  uint64_t group_count[3];
  uint32_t local_size[3];
  uint32_t reserved;
  void* local_memory; /* at least what the launch asked for, aligned to 64 bytes */
};

#ifdef __cplusplus
}
#endif

#endif
