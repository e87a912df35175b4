// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "../engine/engine.hpp"
#include "cuda_abi.hpp"

#define PIANOLA_CUDA_ENTRY extern "C" __attribute__((visibility("default"))) int

namespace pianola::test::drivers::cuda {

/// The thread's context, which must be usable.
const std::shared_ptr<context>& current();
/// The same, or null.
context* current_or_null();
void set_current(context* c);
void push_current(context* c);
/// Null: there is none.
context* pop_current();

/// What a call writes through a pointer.
template <class T>
T& result(T* out, const char* what = "the result") {
  if (out == nullptr) violate(codes::invalid_value, std::string(what) + " is null");
  return *out;
}

inline void* pointer_to(CUdeviceptr_t a) { return reinterpret_cast<void*>(a); }
inline CUdeviceptr_t address_of(const void* p) { return reinterpret_cast<CUdeviceptr_t>(p); }

/// As cuDriverGetVersion tells it.
int driver_version();

/// A CUdevice_attribute of all devices.
std::size_t limit(int attribute);

copy_box box_of(const CUDA_MEMCPY2D_t& d);
/// `peer`: the contexts are given, otherwise they must be null.
copy_box box_of(const CUDA_MEMCPY3D_t& d, bool peer);

/// A call of the program that needs cuInit.
template <class F>
int enter(const char* name, F&& f) {
  return engine::instance().enter(name, true, [&](lock& held) {
    if constexpr (std::is_void_v<decltype(f(held))>) {
      f(held);
      return 0;
    } else {
      return static_cast<int>(f(held));
    }
  });
}

inline engine& e() { return engine::instance(); }

}  // namespace pianola::test::drivers::cuda
