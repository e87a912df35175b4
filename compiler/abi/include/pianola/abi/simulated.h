/* SPDX-License-Identifier: Apache-2.0 */
/* Device images of the architecture "pianola-sim": device code that runs on the CPU under a driver.
 *
 * An image is an ELF shared object for this processor. It exports one function per kernel, of the type
 * pianola_sim_kernel and with the name pianola_kernel.symbol, which runs ONE work-item. What a GPU would do
 * beyond ordinary instructions is a call to the driver: barriers, exchange within sub-groups, atomics, output,
 * traps. Everything else is the code that goes to GPUs, optimised as for them.
 *
 * The object's undefined symbols are functions of the C mathematical library and memcpy, memmove, memset;
 * whoever loads it has them loaded (every C++ program has). It has no constructors, and no data that changes but for the
 * pointers of pianola_image_set.variables;
 * unload it with dlclose when no work-item is left.
 *
 * The driver runs the work-items of a group so that each can wait in a barrier while others go on: as fibers,
 * or as threads. One work-item is run by one thread at a time but may change threads in every call. Sub-groups
 * are consecutive work-items in linear order, (z * size_y + y) * size_x + x; the last may be smaller. A range
 * kernel may be given more work-items than its launch says: those outside do nothing.
 *
 * Three numbers are in the order of a row-major index: [0] slowest (z), [1] (y), [2] fastest (x). */
#ifndef PIANOLA_ABI_SIMULATED_H
#define PIANOLA_ABI_SIMULATED_H

#include <pianola/abi/launch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of struct pianola_sim_item; an image says which one it was made for, see below. */
#define PIANOLA_SIM_VERSION 4
/* Images of this version and later run under today's drivers: what came since is at the end of pianola_sim_calls and of
 * pianola_sim_kernel_info. */
#define PIANOLA_SIM_OLDEST_VERSION 2

/* Bytes of local memory that a group has for group algorithms, besides what the launch asks for. */
#define PIANOLA_SIM_GROUP_SCRATCH_BYTES 1024

struct pianola_sim_item;

enum pianola_sim_order {
  PIANOLA_SIM_RELAXED = 0,
  PIANOLA_SIM_ACQUIRE = 2,
  PIANOLA_SIM_RELEASE = 3,
  PIANOLA_SIM_ACQ_REL = 4,
  PIANOLA_SIM_SEQ_CST = 5
};

/* How far an access is ordered: the values of sycl::memory_scope. */
enum pianola_sim_scope {
  PIANOLA_SIM_WORK_ITEM = 0,
  PIANOLA_SIM_SUB_GROUP = 1,
  PIANOLA_SIM_WORK_GROUP = 2,
  PIANOLA_SIM_DEVICE = 3,
  PIANOLA_SIM_SYSTEM = 4
};

enum pianola_sim_operation {
  PIANOLA_SIM_LOAD = 0,  /* operand is 0 */
  PIANOLA_SIM_STORE = 1, /* the result is not used */
  PIANOLA_SIM_EXCHANGE = 2,
  PIANOLA_SIM_COMPARE_EXCHANGE =
      3, /* stores operand where the value equals expected; never fails otherwise */
  PIANOLA_SIM_ADD = 4,
  PIANOLA_SIM_SUB = 5,
  PIANOLA_SIM_AND = 6,
  PIANOLA_SIM_NAND = 7,
  PIANOLA_SIM_OR = 8,
  PIANOLA_SIM_XOR = 9,
  PIANOLA_SIM_MAX = 10, /* of signed numbers */
  PIANOLA_SIM_MIN = 11,
  PIANOLA_SIM_UMAX = 12,
  PIANOLA_SIM_UMIN = 13,
  PIANOLA_SIM_FADD = 14, /* of float (4 bytes) or double (8 bytes) */
  PIANOLA_SIM_FSUB = 15,
  PIANOLA_SIM_FMAX = 16, /* as fmax and fmin of C */
  PIANOLA_SIM_FMIN = 17
};

struct pianola_sim_atomic {
  void* address;      /* aligned to `bytes` */
  uint64_t operand;   /* bits of a value of `bytes` bytes, the others 0 */
  uint64_t expected;  /* of a comparison; likewise */
  uint32_t operation; /* of enum pianola_sim_operation */
  uint32_t bytes;     /* 1, 2, 4 or 8 */
  uint32_t order;     /* of enum pianola_sim_order */
  uint32_t scope;     /* of enum pianola_sim_scope */
};

/* How the four channels of a texture are read. */
enum pianola_sim_texels {
  PIANOLA_SIM_TEXELS_FLOAT = 0,
  PIANOLA_SIM_TEXELS_SIGNED = 1, /* of 32 bits */
  PIANOLA_SIM_TEXELS_UNSIGNED = 2
};

/* What the driver provides. The table lives as long as any work-item that points to it; functions may be
 * called by several threads at once if the driver has several. */
struct pianola_sim_calls {
  /* Returns when every work-item of the group (sub-group) that has not ended is in the call. `scope` is how
   * far memory accesses are ordered. */
  void (*group_barrier)(struct pianola_sim_item* item, uint32_t scope);
  void (*sub_group_barrier)(struct pianola_sim_item* item, uint32_t scope);
  /* Every work-item of the sub-group makes the same call. The value of the work-item with the local id `lane`
   * in the sub-group; any value if there is none. */
  uint32_t (*shuffle_32)(struct pianola_sim_item* item, uint32_t value, uint32_t lane);
  uint64_t (*shuffle_64)(struct pianola_sim_item* item, uint64_t value, uint32_t lane);
  /* A bit for each work-item of the sub-group. */
  uint64_t (*ballot)(struct pianola_sim_item* item, int32_t predicate);
  /* The bits of the value before, extended with zeros. `access` lives as long as the call. */
  uint64_t (*atomic)(struct pianola_sim_item* item, const struct pianola_sim_atomic* access);
  void (*fence)(struct pianola_sim_item* item, uint32_t order, uint32_t scope);
  /* As printf; the strings live as long as the call. */
  int (*print)(struct pianola_sim_item* item, const char* format, ...);
  /* Does not return: the work-item failed an assertion or was told to stop. */
  void (*trap)(struct pianola_sim_item* item);
  /* What the texture with this handle, which whoever launched the kernel put into the function object, has at a
   * coordinate. `texels`: of enum pianola_sim_texels; `texel`: four numbers of 4 bytes, aligned to 16. */
  void (*texture)(struct pianola_sim_item* item, uint64_t handle, float x, float y, uint32_t texels,
                  void* texel);
};

/* One work-item. The driver fills it in before it calls the kernel and leaves it as it is until the work-item
 * ends; code of the image only reads it. */
struct pianola_sim_item {
  uint32_t local_id[3];
  uint32_t local_size[3];
  uint64_t group_id[3];
  uint64_t group_count[3];
  uint32_t
      sub_group_size; /* the largest number of work-items in a sub-group, a power of two, 64 at most */
  uint32_t local_memory_bytes;
  void* local_memory;  /* the group's, at least what the launch asked for, aligned to 64 bytes */
  void* group_scratch; /* the group's, PIANOLA_SIM_GROUP_SCRATCH_BYTES and behind them the kernel's
                          group_object_bytes, aligned to as much as any of these wants */
  const struct pianola_sim_calls* calls;
  void* driver; /* the driver's own */
};

/* `functor` points to the function object and lives, with `launch`, as long as the work-item. For the entry point for
 * parts `launch` is the beginning of a pianola_part_launch. */
typedef void (*pianola_sim_kernel)(const void* functor, const struct pianola_launch* launch,
                                   struct pianola_sim_item* item);

/* For each kernel an image exports `const struct pianola_sim_kernel_info <symbol>_info`: what a driver knows of
 * the kernels of a real image, too. */
struct pianola_sim_kernel_info {
  uint32_t argument_bytes; /* size of the function object */
  uint32_t argument_alignment;
  uint32_t sub_group_size;     /* that the kernel requires; 0: any */
  uint32_t group_object_bytes; /* of local memory whose size is not the launch's to say */
  uint32_t
      launch_bytes; /* size of the second parameter; since version 4, before it is pianola_launch */
};
#define PIANOLA_SIM_FIRST_VERSION_WITH_LAUNCH_BYTES 4

/* Every image also exports `const uint32_t pianola_sim_version`, the PIANOLA_SIM_VERSION it was made for. */

#ifdef __cplusplus
}
#endif

#endif
