// SPDX-License-Identifier: Apache-2.0
#include "replay/recorded/graph_memory.hpp"

#include <iterator>
#include <string>

#include <fmt/format.h>

#include <pianola/executors/backend.hpp>
#include <pianola/model/error.hpp>

#include "data/pointer_registry.hpp"
#include "execute/memory_pools.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

graph_memory::~graph_memory() {
  process* rt = process::started();
  if (rt == nullptr) return;
  const device_entry& d = rt->machine.device(device_);
  for (std::size_t k = 0; k < std::size(regions_); ++k)
    for (void* block : regions_[k].blocks) {
      pointer_registry::instance().remove(block);
      d.owner->deallocate(d.index, memory_kind_of(static_cast<usm_kind>(k)), block);
    }
}

graph_memory::place graph_memory::add(usm_kind kind, std::uint64_t bytes,
                                      const std::vector<char>& gone) {
  std::lock_guard lock(mutex_);
  region& r = regions_[static_cast<std::size_t>(kind)];
  const planner::growing_storage::place at = r.storage.find(bytes, gone);
  if (at.new_block) {
    const device_entry& d = process::instance().machine.device(device_);
    void* base = nullptr;
    const executors::status status =
        d.owner->allocate(d.index, memory_kind_of(kind), at.block_bytes, 0, base);
    if (!status.ok())
      throw user_error(error_code::memory_allocation,
                       fmt::format("async_malloc of {} bytes while a graph is recorded: {}", bytes,
                                   status.reason));
    pointer_registry::instance().add(base, at.block_bytes, kind, device_, allocation_use::other);
    r.blocks.push_back(base);
    r.numbers.push_back(memory_pools::instance().number_bytes(at.block_bytes));
  }
  r.storage.add(bytes, at);
  return {static_cast<unsigned char*>(r.blocks[at.block]) + at.offset,
          r.numbers[at.block] + at.offset};
}

std::uint64_t graph_memory::bytes() const noexcept {
  std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const region& r : regions_) sum += r.storage.bytes();
  return sum;
}

}  // namespace pianola::runtime
