/* SPDX-License-Identifier: Apache-2.0 */
/* What an object file compiled by pianolacc carries, and how the runtime learns of it. All pointers are to
 * constants that live as long as the object file is loaded. */
#ifndef PIANOLA_ABI_IMAGE_H
#define PIANOLA_ABI_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PIANOLA_IMAGE_SET_VERSION 4
#define PIANOLA_VARIABLE_SET_VERSION 1

/* Instead of an architecture: the set's kernel calls a function of another translation unit, and its code for devices would
 * have been made by pianolacc as the linker. The image is the function's name, for people, and no code. */
#define PIANOLA_ARCHITECTURE_UNLINKED "unlinked"

/* Code of every kernel of the set for one architecture. */
struct pianola_image {
  /* "sm_90" (cubin), "ptx:sm_75" (PTX text, ends with a null), "gfx90a" (code object), "pianola-sim" (shared
   * object, see simulated.h), or PIANOLA_ARCHITECTURE_UNLINKED. */
  const char* architecture;
  const void* bytes;
  uint64_t size;
};

enum pianola_use_flags {
  PIANOLA_USE_READ = 1,
  PIANOLA_USE_WRITTEN = 2,
  /* Every access is inside the interval of bytes that `terms` and `element_bytes` describe. */
  PIANOLA_USE_ELEMENT_WISE = 4,
  /* A pointer is stored at this place of the function object. */
  PIANOLA_USE_POINTER = 8,
  /* The pointer goes where the compiler cannot follow it: assume READ and WRITTEN. */
  PIANOLA_USE_UNKNOWN = 16,
  /* With ELEMENT_WISE: the kernel computes the interval's position with 32-bit integers, so the description
   * holds only where the terms' absolute values, each with its largest factors, add up to less than 2^31. */
  PIANOLA_USE_NARROW = 32,
  /* Whatever is touched through the pointer is in one of `accesses`. */
  PIANOLA_USE_LISTED = 64
};

/* A factor of a term: what it is in the upper four bits, where in the others. */
#define PIANOLA_FACTOR_KIND_SHIFT 28
#define PIANOLA_FACTOR_WHERE_MASK 0x0fffffffu
enum pianola_factor_kind {
  PIANOLA_FACTOR_U64 = 0, /* at this byte of the function object */
  PIANOLA_FACTOR_S32 = 1,
  PIANOLA_FACTOR_U32 = 2,
  PIANOLA_FACTOR_ID =
      3, /* global id of the work-item, without the offset, in this dimension (0, 1, 2) */
  PIANOLA_FACTOR_GLOBAL = 4, /* pianola_launch.global of this dimension */
  PIANOLA_FACTOR_OFFSET = 5, /* pianola_launch.offset of this dimension */
  /* Of nd_ranges only, and in `accesses` only: */
  PIANOLA_FACTOR_GROUP = 6,      /* id of the work-group in this dimension */
  PIANOLA_FACTOR_LOCAL_SIZE = 7, /* of the work-group in this dimension */
  PIANOLA_FACTOR_GROUPS = 8,     /* number of work-groups in this dimension */
  PIANOLA_FACTOR_ONE = 15        /* of a term that has fewer factors */
};
#define PIANOLA_TERM_FACTORS 4

/* coefficient times the product of the factors, modulo 2^64. */
struct pianola_index_term {
  int64_t coefficient; /* in bytes */
  uint32_t factors[PIANOLA_TERM_FACTORS];
};

/* The terms' sum. No term has more than one factor of kind ID or GROUP. */
struct pianola_index_sum {
  uint64_t term_count;
  const struct pianola_index_term* terms;
};

enum pianola_loop_flags {
  /* The count is a number without a sign: where the sum is negative, nothing is known. */
  PIANOLA_LOOP_UNSIGNED = 1
};

/* Around an access, or around operations. With n = (max(sum, least) + plus) / divisor, rounded down, there are n + extra
 * rounds; where n is negative, nothing is known. Each round the access is `stride` bytes further on. */
struct pianola_access_loop {
  struct pianola_index_sum stride; /* without ids and groups; empty around operations */
  struct pianola_index_sum count;
  int64_t least;
  int64_t plus;
  uint64_t divisor; /* not 0 */
  uint32_t extra;
  uint32_t flags; /* of enum pianola_loop_flags */
};
#define PIANOLA_ACCESS_LOOPS 3

enum pianola_condition_kind {
  PIANOLA_CONDITION_AT_LEAST = 0,  /* a >= b, as signed numbers */
  PIANOLA_CONDITION_GREATER = 1,   /* a > b, as signed numbers */
  PIANOLA_CONDITION_BELOW = 2,     /* a < b, as unsigned numbers of 64 bits */
  PIANOLA_CONDITION_NOT_BELOW = 3, /* a >= b, as unsigned numbers of 64 bits */
  PIANOLA_CONDITION_DIFFERENT = 4  /* a != b */
};

struct pianola_access_condition {
  uint64_t kind;
  struct pianola_index_sum a;
  struct pianola_index_sum b;
};

enum pianola_access_flags {
  PIANOLA_ACCESS_READ = 1,
  PIANOLA_ACCESS_WRITTEN = 2,
  /* It happens for every work-item that meets the conditions, in every round. Without this flag it may happen. */
  PIANOLA_ACCESS_CERTAIN = 4,
  /* As PIANOLA_USE_NARROW, of every sum by itself, start and loops together. */
  PIANOLA_ACCESS_NARROW = 8
};

/* Of an access that reads: what it reads serves nothing but to be combined, by this operation, with what is written to
 * the same place. The access is one number, then. In the access's flags from this bit on. */
#define PIANOLA_ACCESS_REDUCTION_SHIFT 8
#define PIANOLA_ACCESS_REDUCTION_MASK 0xffu
enum pianola_reduction {
  PIANOLA_REDUCTION_NONE = 0, /* nothing is known of what becomes of it */
  PIANOLA_REDUCTION_ADD = 1,  /* of integers, which wrap around; subtracting is adding */
  PIANOLA_REDUCTION_MULTIPLY = 2,
  PIANOLA_REDUCTION_AND = 3,
  PIANOLA_REDUCTION_OR = 4,
  PIANOLA_REDUCTION_XOR = 5,
  PIANOLA_REDUCTION_MINIMUM = 6, /* of signed integers */
  PIANOLA_REDUCTION_MAXIMUM = 7,
  PIANOLA_REDUCTION_UNSIGNED_MINIMUM = 8,
  PIANOLA_REDUCTION_UNSIGNED_MAXIMUM = 9,
  PIANOLA_REDUCTION_FLOAT_ADD = 10, /* associative but for rounding */
  PIANOLA_REDUCTION_FLOAT_MULTIPLY = 11,
  PIANOLA_REDUCTION_FLOAT_MINIMUM = 12,
  PIANOLA_REDUCTION_FLOAT_MAXIMUM = 13
};

/* With p the pointer, s the sum `start` and k the rounds of the loops: [p + s + k * strides, plus bytes). */
struct pianola_access {
  uint32_t flags; /* of enum pianola_access_flags, and a reduction */
  uint32_t bytes;
  struct pianola_index_sum start;
  uint32_t loop_count; /* at most PIANOLA_ACCESS_LOOPS */
  uint32_t condition_count;
  const struct pianola_access_loop* loops;
  const struct pianola_access_condition* conditions;
};

/* What a kernel does through a pointer that its function object holds.
 * ELEMENT_WISE: with p the pointer and s the sum of the terms, work-items touch no bytes but
 * [p + s, p + s + element_bytes). No term has more than one factor of kind ID. */
struct pianola_argument_use {
  uint32_t offset;        /* of the pointer, in bytes from the start of the function object */
  uint32_t flags;         /* of enum pianola_use_flags */
  uint32_t element_bytes; /* 0 unless ELEMENT_WISE */
  uint32_t term_count;
  const struct pianola_index_term* terms;
  uint64_t access_count; /* 0 unless LISTED */
  const struct pianola_access* accesses;
};

enum pianola_kernel_kind {
  PIANOLA_KERNEL_SINGLE_TASK = 0,
  PIANOLA_KERNEL_RANGE = 1,
  PIANOLA_KERNEL_ND_RANGE = 2
};

enum pianola_kernel_flags {
  /* `uses` lists every pointer of the function object that the kernel loads. Without this flag nothing is
   * known of any of them. */
  PIANOLA_KERNEL_USES_KNOWN = 1,
  /* Besides what `uses` describe the kernel touches only constants and memory of the work-item or of its
   * work-group, and it orders no memory beyond the group. */
  PIANOLA_KERNEL_USES_ONLY = 2,
  /* Images hold a second entry point, `symbol` and behind it PIANOLA_PART_SUFFIX, which runs a part of a launch and takes
   * a pianola_part_launch. The first one knows nothing of parts. */
  PIANOLA_KERNEL_PARTS = 4,
  /* `operations` lists all the arithmetic of a work-item. */
  PIANOLA_KERNEL_OPERATIONS_KNOWN = 8
};

enum pianola_operations_flags {
  /* As PIANOLA_USE_NARROW, of every sum by itself. */
  PIANOLA_OPERATIONS_NARROW = 1
};

/* Arithmetic that every work-item does which meets the conditions, once for each round of the loops. What only tells where
 * something is, how often a loop goes round or which way a branch takes is not counted. A vector counts for each of its
 * elements. */
struct pianola_operations {
  uint32_t flags; /* of enum pianola_operations_flags */
  uint32_t
      simple; /* sums, products, shifts, bits, minima; a fused multiplication and addition counts twice */
  uint32_t divisions; /* also remainders and square roots */
  uint32_t functions; /* calls of sin, exp and their like */
  uint32_t loop_count;
  uint32_t condition_count;
  const struct pianola_access_loop* loops;
  const struct pianola_access_condition* conditions;
};
#define PIANOLA_PART_SUFFIX "_part"

struct pianola_kernel {
  uint64_t id;        /* hash of translation unit and mangled name */
  const char* symbol; /* of the kernel in every image */
  const char* name;   /* for people */
  uint32_t kind;      /* of enum pianola_kernel_kind */
  uint32_t dimensions;
  uint32_t argument_bytes; /* size of the function object, the first parameter */
  uint32_t argument_alignment;
  uint32_t sub_group_size; /* that the kernel requires; 0: any */
  uint32_t flags;          /* of enum pianola_kernel_flags */
  uint64_t use_count;
  const struct pianola_argument_use* uses; /* ascending by offset */
  uint64_t operation_count;                /* 0 unless OPERATIONS_KNOWN */
  const struct pianola_operations* operations;
};

/* An object of the program that each device has one of. On a device it begins with what it holds when the first
 * kernel may run. */
struct pianola_variable {
  const char* symbol; /* of its pointer in images; the same for all units that share the variable */
  void*
      address; /* of the program's own one, which is that of the processor; null in an image set: whichever has the name */
  uint64_t bytes; /* 0 in an image set */
};

struct pianola_image_set {
  uint32_t version; /* PIANOLA_IMAGE_SET_VERSION */
  uint32_t image_count;
  const struct pianola_image* images;
  uint64_t kernel_count;
  const struct pianola_kernel* kernels;
  /* Whose pointers images may have. Whoever loads an image puts the address there that the variable has on the device, before
   * a kernel runs. */
  uint64_t variable_count;
  const struct pianola_variable* variables;
};

struct pianola_variable_set {
  uint32_t version; /* PIANOLA_VARIABLE_SET_VERSION */
  uint32_t reserved;
  uint64_t count;
  const struct pianola_variable* variables;
};

/* Called by the object file when it is loaded and before it is unloaded. A set whose version the library does
 * not know is reported and otherwise ignored. */
void pianola_register_images_v1(const struct pianola_image_set* set);
void pianola_unregister_images_v1(const struct pianola_image_set* set);
void pianola_register_variables_v1(const struct pianola_variable_set* set);
void pianola_unregister_variables_v1(const struct pianola_variable_set* set);

#ifdef __cplusplus
}
#endif

#endif
