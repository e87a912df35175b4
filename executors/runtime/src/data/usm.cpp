// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/usm.hpp"

#include <mutex>

#include <pianola/model/error.hpp>

#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

executors::memory_kind memory_kind_of(usm_kind k) noexcept {
  switch (k) {
    case usm_kind::host:
      return executors::memory_kind::host;
    case usm_kind::shared:
      return executors::memory_kind::shared;
    case usm_kind::device:
    case usm_kind::unknown:
      break;
  }
  return executors::memory_kind::device;
}

void* usm_allocate(usm_kind kind, std::size_t bytes, std::size_t alignment,
                   model::device_id device) noexcept {
  try {
    process& rt = process::instance();
    if (bytes == 0 || device.value() >= rt.machine.device_count() || kind == usm_kind::unknown)
      return nullptr;
    const device_entry& d = rt.machine.device(device);
    void* pointer = nullptr;
    if (!d.owner->allocate(d.index, memory_kind_of(kind), bytes, alignment, pointer).ok())
      return nullptr;
    pointer_registry::instance().add(pointer, bytes, kind, device, allocation_use::program);
    return pointer;
  } catch (...) {
    return nullptr;
  }
}

void free_usm_allocation(void* base) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return;
  const pointer_query q = pointer_registry::instance().remove(base);
  if (q.kind == usm_kind::unknown) return;
  const device_entry& d = rt->machine.device(q.device);
  d.owner->deallocate(d.index, memory_kind_of(q.kind), base);
}

void usm_free(void* pointer) {
  if (pointer == nullptr) return;
  if (!pointer_registry::instance().is_user_allocation(pointer))
    throw model::user_error(
        model::error_code::invalid,
        "sycl::free takes the start of a USM allocation that was not freed yet; "
        "this pointer is none");
  free_usm_allocation(pointer);
}

pointer_query query_pointer(const void* pointer) noexcept {
  return pointer_registry::instance().find(pointer);
}

}  // namespace pianola::runtime
