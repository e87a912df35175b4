// SPDX-License-Identifier: Apache-2.0
// The suite's kernels as PTX, for real devices: clang++ --target=nvptx64-nvidia-cuda, no CUDA toolkit. The driver
// compiles the rest of the way.
namespace {

// Clang 19 generates no atomic loads and stores of these orders.
template <class T>
inline T load_acquire(const T* p) {
  const T value = *static_cast<const volatile T*>(p);
  __nvvm_membar_gl();
  return value;
}
template <class T>
inline void store_release(T* p, T value) {
  __nvvm_membar_gl();
  *static_cast<volatile T*>(p) = value;
}

}  // namespace

#define __atomic_load_n(pointer, order) load_acquire(pointer)
#define __atomic_store_n(pointer, value, order) store_release(pointer, value)
#include "suite_kernels.hpp"

#include <pianola/abi/launch.h>

extern "C" __attribute__((address_space(3), aligned(64))) unsigned char dynamic_local_memory[];

namespace {

using namespace pianola::test;

template <class Object>
inline void run(const Object& object, const pianola_part_launch& launch) {
  const std::uint64_t group[3] = {static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_z()),
                                  static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_y()),
                                  static_cast<unsigned>(__nvvm_read_ptx_sreg_ctaid_x())};
  const std::uint64_t size[3] = {static_cast<unsigned>(__nvvm_read_ptx_sreg_ntid_z()),
                                 static_cast<unsigned>(__nvvm_read_ptx_sreg_ntid_y()),
                                 static_cast<unsigned>(__nvvm_read_ptx_sreg_ntid_x())};
  const std::uint64_t item[3] = {static_cast<unsigned>(__nvvm_read_ptx_sreg_tid_z()),
                                 static_cast<unsigned>(__nvvm_read_ptx_sreg_tid_y()),
                                 static_cast<unsigned>(__nvvm_read_ptx_sreg_tid_x())};
  unit_context c{};
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t global = launch.whole.global[i];
    c.units[i] = Object::grouped ? global / size[i] : global;
    c.local[i] = size[i];
    c.id[i] = launch.first[i] + (Object::grouped ? group[i] : group[i] * size[i] + item[i]);
    if (Object::grouped ? item[i] != 0 : c.id[i] >= launch.end[i]) return;
  }
  c.local_memory = (void*)dynamic_local_memory;
  object(c);
}

inline pianola_part_launch all_of(const pianola_launch& launch) {
  return {launch, {0, 0, 0}, {launch.global[0], launch.global[1], launch.global[2]}};
}

}  // namespace

#define PIANOLA_SUITE_KERNEL(symbol, object_type)                                     \
  extern "C" __attribute__((nvptx_kernel, visibility("default"))) void symbol(        \
      const object_type object, const pianola_launch launch) {                        \
    run(object, all_of(launch));                                                      \
  }                                                                                   \
  extern "C" __attribute__((nvptx_kernel, visibility("default"))) void symbol##_part( \
      const object_type object, const pianola_part_launch launch) {                   \
    run(object, launch);                                                              \
  }
PIANOLA_SUITE_KERNELS(PIANOLA_SUITE_KERNEL)
