// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../engine/engine.hpp"
#include "hip_abi.hpp"

#define PIANOLA_HIP_ENTRY extern "C" __attribute__((visibility("default"))) int

namespace pianola::test::drivers::hip {

/// What only HIP has.
namespace codes {
enum : int { invalid_memcpy_direction = 21 };
}

/// As hipRuntimeGetVersion counts.
int runtime_version();
/// The thread's device.
unsigned& device();
/// What the device has in the place of a context; made when it is used first.
const std::shared_ptr<context>& context_of(unsigned device);
/// The thread's device's, which must be usable.
const std::shared_ptr<context>& current();
/// Of the thread's device for null.
std::shared_ptr<stream> stream_of(void* s);

template <class T>
T& result(T* out, const char* what = "the result") {
  if (out == nullptr) violate(drivers::codes::invalid_value, std::string(what) + " is null");
  return *out;
}

/// A copy of `kind` (hipMemcpyKind).
void set_kind(copy_box& box, int kind);
copy_box box_of(const hipMemcpy3DParms_t& d);
/// Of a copy that is told in rows.
void check_pitches(std::size_t from, std::size_t to);

/// A call of the program: the first one initialises.
template <class F>
int enter(const char* name, F&& f) {
  return engine::instance().enter(name, false, [&](lock& held) {
    engine::instance().initialise();
    if constexpr (std::is_void_v<decltype(f(held))>) {
      f(held);
      return 0;
    } else {
      return static_cast<int>(f(held));
    }
  });
}

inline engine& e() { return engine::instance(); }

}  // namespace pianola::test::drivers::hip
