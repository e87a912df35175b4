// SPDX-License-Identifier: Apache-2.0
// Places of storage in the runtime's frame: as many roundings as there are sizes, however many requests. Were each place
// rounded behind the last, then the optimiser would expand all of them wherever it meets one, and a kernel of
// fifty group algorithms would compile for a minute.
// RUN: %lowered
#include "kernel.hpp"

struct wide {
  unsigned parts[60];
};

template <class T>
inline __attribute__((always_inline)) unsigned exchange(unsigned own) {
  T* const values = static_cast<T*>(__pianola_group_storage(sizeof(T)));
  *reinterpret_cast<unsigned*>(&values[x()]) = own;
  barrier();
  return *reinterpret_cast<unsigned*>(&values[x() ^ 1]);
}

template <class... Ts>
inline __attribute__((always_inline)) unsigned exchange_all(unsigned own) {
  ((own = exchange<Ts>(own)), ...);
  return own;
}

void many_places(unsigned* out) {
  // CHECK-LABEL: define internal void @{{.*}}11many_places{{.*}}.work_group"(
  // CHECK-COUNT-3: and i64 %
  // CHECK-NOT: and i64
  // CHECK: call {{.*}}ptr @pianola_work_group_frame_v1
  // CHECK-NOT: and i64
  // CHECK: ret void
  launch<1>(
      [=] {
        unsigned own = out[x()];
        own = exchange_all<wide, unsigned, std::uint64_t, wide, unsigned, std::uint64_t>(own);
        own = exchange_all<wide, unsigned, std::uint64_t, wide, unsigned, std::uint64_t>(own);
        own = exchange_all<wide, unsigned, std::uint64_t, wide, unsigned, std::uint64_t>(own);
        out[x()] = own;
      },
      all, group);
}
