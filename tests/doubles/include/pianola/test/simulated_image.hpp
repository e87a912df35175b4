// SPDX-License-Identifier: Apache-2.0
// Kernels of "pianola-sim" images written by hand: for tests that need device code where there is no pianolacc.
// A file with such kernels is made a shared object by pianola_test_image() and read by read_image().
#pragma once

#include <cstdint>

#include <pianola/abi/simulated.h>

/// Begins the kernel `name`; its body sees `object` (of the type Object), `launch` and `item`.
#define PIANOLA_TEST_KERNEL(name, Object) PIANOLA_TEST_ENTRY(name, Object, pianola_launch)
/// Begins the entry point for parts of the kernel `name`; `launch` is a pianola_part_launch.
#define PIANOLA_TEST_PART(name, Object) PIANOLA_TEST_ENTRY(name##_part, Object, pianola_part_launch)

#define PIANOLA_TEST_ENTRY(name, Object, Launch)                                               \
  static void name##_body(const Object& object, const Launch& launch, pianola_sim_item& item); \
  extern "C" {                                                                                 \
  PIANOLA_TEST_EXPORT extern const pianola_sim_kernel_info name##_info;                        \
  const pianola_sim_kernel_info name##_info = {sizeof(Object), alignof(Object), 0, 0,          \
                                               sizeof(Launch)};                                \
  PIANOLA_TEST_EXPORT void name(const void* object, const pianola_launch* launch,              \
                                pianola_sim_item* item) {                                      \
    name##_body(*static_cast<const Object*>(object), *reinterpret_cast<const Launch*>(launch), \
                *item);                                                                        \
  }                                                                                            \
  }                                                                                            \
  static void name##_body([[maybe_unused]] const Object& object,                               \
                          [[maybe_unused]] const Launch& launch,                               \
                          [[maybe_unused]] pianola_sim_item& item)

/// Once per image.
#define PIANOLA_TEST_IMAGE                                            \
  extern "C" {                                                        \
  PIANOLA_TEST_EXPORT extern const std::uint32_t pianola_sim_version; \
  const std::uint32_t pianola_sim_version = PIANOLA_SIM_VERSION;      \
  }

#define PIANOLA_TEST_EXPORT __attribute__((visibility("default")))

namespace pianola::test {

/// The work-item's global id in a dimension (0: slowest), without the offset.
inline std::uint64_t global_id(const pianola_sim_item& item, int dimension) {
  return item.group_id[dimension] * item.local_size[dimension] + item.local_id[dimension];
}

/// Whether a work-item of a range kernel is one that the launch asks for.
inline bool is_inside(const pianola_sim_item& item, const pianola_launch& launch) {
  for (int i = 0; i < 3; ++i)
    if (global_id(item, i) >= launch.global[i]) return false;
  return true;
}

}  // namespace pianola::test
