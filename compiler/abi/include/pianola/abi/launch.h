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
