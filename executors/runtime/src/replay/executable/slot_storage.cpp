// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/slot_storage.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include <pianola/executors/backend.hpp>
#include <pianola/model/error.hpp>

#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

slot_storage::slot_storage(const machine& m, const planner::plan& p) {
  for (const planner::memory_use& use : p.memories) {
    if (use.block == 0) continue;
    const bool on_host = use.memory == model::host_memory;
    const auto kind = on_host ? executors::memory_kind::host : executors::memory_kind::device;
    const model::device_id device = on_host ? m.host_device() : m.device_with(use.memory);
    const device_entry& d = m.device(device);
    void* pointer = nullptr;
    const executors::status s = d.owner->allocate(d.index, kind, use.block, 0, pointer);
    if (!s.ok())
      throw user_error(
          s.code,
          s.code != error_code::memory_allocation
              ? s.reason
              : fmt::format(
                    "{}; temporary and evictable buffers of the graph need {} bytes on '{}'. Free "
                    "memory there, or give the graph a smaller property::graph::memory_budget",
                    s.reason, use.block, m.topology().devices[device.value()].name));
    blocks_.resize(std::max<std::size_t>(blocks_.size(), use.memory.value() + std::size_t{1}));
    blocks_[use.memory.value()].reset(pointer, [&d, kind](void* block) {
      pointer_registry::instance().remove(block);
      d.owner->deallocate(d.index, kind, block);
    });
    pointer_registry::instance().add(pointer, use.block,
                                     on_host ? usm_kind::host : usm_kind::device, device,
                                     allocation_use::buffer);
    bytes_ += use.block;
  }
}

void* slot_storage::address(const planner::plan& p, model::buffer_id buffer,
                            model::memory_id memory, std::size_t step) const noexcept {
  const planner::storage_slot* slot = p.slot_of(buffer, memory, step);
  if (slot == nullptr) return nullptr;
  return static_cast<unsigned char*>(blocks_[memory.value()].get()) + slot->offset;
}

}  // namespace pianola::runtime
