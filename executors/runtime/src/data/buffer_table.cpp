// SPDX-License-Identifier: Apache-2.0
#include "data/buffer_table.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/executors/backend.hpp>
#include <pianola/model/error.hpp>
#include <pianola/runtime/host_storage.hpp>

#include "data/access_padding.hpp"
#include "data/failure_registry.hpp"
#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"

namespace pianola::runtime {

using executors::lane_position;
using model::error_code;
using model::user_error;

buffer_entry* buffer_table::find_living(buffer_key key) noexcept {
  const auto index = static_cast<std::uint32_t>(key.value());
  const auto generation = static_cast<std::uint32_t>(key.value() >> 32);
  if (!key.valid() || index >= buffers_.size() || buffers_[index].generation != generation ||
      !buffers_[index].alive)
    return nullptr;
  return &buffers_[index];
}

buffer_entry& buffer_table::living(buffer_key key) {
  buffer_entry* const found = find_living(key);
  if (found == nullptr)
    throw user_error(error_code::invalid,
                     "an accessor or call names a buffer that has ended (or was never made); keep "
                     "the sycl::buffer alive for as long as its accessors are used");
  return *found;
}

model::buffer_id buffer_table::add(const model::buffer_info& info,
                                   model::memory_set initially_valid) {
  const model::buffer_id id = state_.add_buffer(info, initially_valid);
  while (buffers_.size() <= id.value()) buffers_.emplace_back();
  buffer_entry& b = buffers_[id.value()];
  b.exists = b.alive = true;
  b.info = info;
  b.graph_uses = 0;
  return id;
}

void buffer_table::release(model::buffer_id id) noexcept {
  buffer_entry& b = buffers_[id.value()];
  failures_.end_buffer(id, b.generation, state_.next_step());
  ++b.generation;
  b.exists = b.alive = b.in_place_host = b.parameter = b.moved = b.lost = false;
  b.allocations.clear();
  b.mirror = {};
  b.on_end = {};
  b.last_queue.reset();
  b.label.clear();
  b.parameter_on_host = nullptr;
  state_.remove_buffer(id);
}

void* buffer_table::allocate(model::buffer_id id, model::memory_id memory) {
  buffer_entry& b = buffers_[id.value()];
  if (b.allocations.size() <= memory.value()) b.allocations.resize(memory.value() + 1);
  allocation& a = b.allocations[memory.value()];
  const model::device_id device = machine_.device_with(memory);
  const device_entry& d = machine_.device(device);
  void* pointer = nullptr;
  const std::size_t padding = padding_of_buffers();
  const executors::status s = d.owner->allocate(
      d.index,
      memory == model::host_memory ? executors::memory_kind::host : executors::memory_kind::device,
      b.info.bytes() + padding, 0, pointer);
  if (!s.ok())
    throw user_error(
        s.code,
        s.code != error_code::memory_allocation
            ? s.reason
            : fmt::format(
                  "{}; the buffer needs {} bytes on '{}'. Free memory there or use another device",
                  s.reason, b.info.bytes(), machine_.topology().devices[device.value()].name));
  a = {pointer, true, false, device};
  pointer_registry::instance().add(pointer, b.info.bytes(),
                                   memory == model::host_memory ? usm_kind::host : usm_kind::device,
                                   device, allocation_use::buffer, padding);
  lock_host_storage(b);
  return pointer;
}

void buffer_table::move_out_of_program(model::buffer_id id) noexcept {
  buffer_entry& b = buffers_[id.value()];
  const allocation programs =
      std::exchange(b.allocations[model::host_memory.value()], allocation());
  b.in_place_host = false;
  b.moved = true;
  try {
    std::memcpy(allocate(id, model::host_memory), programs.pointer, b.info.bytes());
  } catch (...) {
    b.lost = true;
  }
  pointer_registry::instance().remove_borrowed(programs.pointer);
  free(programs);
}

void buffer_table::lock_host_storage(buffer_entry& b) {
  // Locking takes longer than copying a few pages does.
  constexpr std::uint64_t worth_it = std::uint64_t{64} << 10;
  if (get_host_storage_mode() == host_storage_mode::pageable || b.info.bytes() < worth_it) return;
  if (b.allocations.empty()) return;
  allocation& host = b.allocations[model::host_memory.value()];
  if (host.pointer == nullptr || host.from_usm || host.locked_for.valid()) return;
  for (const allocation& a : b.allocations) {
    if (&a == &host || a.pointer == nullptr) continue;
    const device_entry& d = machine_.device(a.device);
    if (!d.owner->lock_pages(d.index, host.pointer, b.info.bytes())) continue;
    host.locked_for = a.device;
    return;
  }
}

void buffer_table::free(const allocation& a) noexcept {
  if (a.pointer == nullptr) return;
  if (a.locked_for.valid()) {
    const device_entry& d = machine_.device(a.locked_for);
    d.owner->unlock_pages(d.index, a.pointer);
  }
  if (a.from_usm && a.owned) {
    free_usm_allocation(a.pointer);
    return;
  }
  if (!a.owned) return;
  const auto known = pointer_registry::instance().remove(a.pointer);
  const device_entry& d = machine_.device(a.device);
  d.owner->deallocate(
      d.index,
      known.kind == usm_kind::host ? executors::memory_kind::host : executors::memory_kind::device,
      a.pointer);
}

void buffer_table::collect_retired() noexcept {
  for (std::size_t i = 0; i < retired_.size();) {
    auto& users = retired_[i].users;
    users.erase(std::remove_if(users.begin(), users.end(),
                               [](const lane_position& p) { return p.lane->reached(p.position); }),
                users.end());
    if (!users.empty()) {
      ++i;
      continue;
    }
    for (const allocation& a : retired_[i].allocations) free(a);
    if (i + 1 != retired_.size()) retired_[i] = std::move(retired_.back());
    retired_.pop_back();
  }
}

}  // namespace pianola::runtime
