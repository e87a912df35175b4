// SPDX-License-Identifier: Apache-2.0
// Buffers as the SYCL interface sees them: how they begin, and where their storage is.
#include "pianola/runtime/buffers.hpp"

#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <pianola/model/error.hpp>
#include <pianola/runtime/constant_buffers.hpp>

#include "data/buffer_table.hpp"
#include "data/memory_parameters.hpp"
#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// What such a program computes is a matter of luck.
void warn_of_shared_memory(const void* memory) {
  constexpr unsigned often_enough = 3;
  static std::atomic<unsigned> warnings{0};
  if (warnings.fetch_add(1, std::memory_order_relaxed) >= often_enough) return;
  log_warn(
      "two buffers that live at once are made over the same memory, at {}: a buffer owns what it "
      "is made over (SYCL 2020, "
      "4.7.2), and nothing orders commands on the one and on the other; make one buffer with "
      "sub-buffers, or give each "
      "memory of its own",
      memory);
}

}  // namespace

buffer_key create_buffer(const buffer_description& d) {
  process& rt = process::instance();
  if (d.info.grid.range() == model::extent3{} || volume(d.info.grid.range()) == 0)
    throw user_error(error_code::invalid, "a buffer must have at least one element");
  std::lock_guard lock(rt.mutex);
  if (rt.buffers.any_retired()) rt.buffers.collect_retired();
  model::memory_set valid;
  if (d.use != host_data_use::none) valid.add(model::host_memory);
  for (std::size_t i = 0; i < d.external_count; ++i) {
    if (d.external[i].device.value() >= rt.machine.device_count())
      throw user_error(error_code::invalid, "a USM allocation names a device that is not there");
    if (d.external[i].pointer == nullptr)
      throw user_error(error_code::invalid, "a USM allocation for a buffer is a null pointer");
    const model::memory_id m = rt.machine.memory_of(d.external[i].device);
    for (std::size_t k = 0; k < i; ++k)
      if (rt.machine.memory_of(d.external[k].device) == m)
        throw user_error(error_code::invalid,
                         "two USM allocations for one buffer are on devices that share a memory");
    if (d.external[i].holds_data) valid.add(m);
  }
  const model::buffer_id id = rt.buffers.add(d.info, valid);
  buffer_entry& b = rt.buffers[id];
  b.label = d.label;
  b.own = d.own;
  b.unwritten = valid.empty() && d.external_count == 0 && !d.own;
  b.mirror = d.mirror;
  try {
    for (std::size_t i = 0; i < d.external_count; ++i) {
      const external_allocation& e = d.external[i];
      const model::memory_id m = rt.machine.memory_of(e.device);
      if (b.allocations.size() <= m.value()) b.allocations.resize(m.value() + 1);
      b.allocations[m.value()] = {e.pointer, e.owned, true, e.device};
    }
    if (d.use == host_data_use::in_place) {
      if (b.allocations.empty()) b.allocations.resize(1);
      b.allocations[0] = {d.host_data, false, false, rt.machine.host_device()};
      b.in_place_host = true;
      if (!pointer_registry::instance().add_borrowed(d.host_data, d.info.bytes(),
                                                     rt.machine.host_device()))
        warn_of_shared_memory(d.host_data);
    } else if (d.use == host_data_use::copied) {
      std::memcpy(rt.buffers.ensure_allocation(id, model::host_memory), d.host_data,
                  d.info.bytes());
    }
  } catch (...) {
    rt.buffers.release(id);
    throw;
  }
  return buffer_table::key_of(id, b);
}

namespace {

// The keys of constant buffers, and whether these are portable; the runtime's lock is held. Never destroyed: static objects
// may hold the last of them.
std::unordered_map<std::uint64_t, bool>& keys_of_constants() {
  static auto* const keys = new std::unordered_map<std::uint64_t, bool>;
  return *keys;
}

}  // namespace

constant_buffer::constant_buffer(const void* bytes, std::size_t size, const char* label,
                                 bool portable) {
  buffer_description d;
  d.info.grid = model::page_grid(model::extent3{{1, 1, size}});
  d.info.element_size = 1;
  d.host_data = const_cast<void*>(bytes);
  d.use = host_data_use::copied;
  d.label = label;
  key_ = create_buffer(d);
  try {
    const std::lock_guard lock(process::instance().mutex);
    keys_of_constants().emplace(key_.value(), portable);
  } catch (...) {
    destroy_buffer(key_, false);
    throw;
  }
}

constant_buffer::~constant_buffer() {
  if (process* const rt = process::started()) {
    const std::lock_guard lock(rt->mutex);
    keys_of_constants().erase(key_.value());
  }
  destroy_buffer(key_, false);
}

constants constants_in(buffer_key key) {
  process& rt = process::instance();
  const std::lock_guard lock(rt.mutex);
  const auto known = keys_of_constants().find(key.value());
  if (known == keys_of_constants().end()) return {};
  // The host's copy is the first one, and never out of date.
  const model::buffer_id id = buffer_table::id_of(key);
  return {{static_cast<const char*>(rt.buffers.ensure_allocation(id, model::host_memory)),
           static_cast<std::size_t>(rt.buffers[id].info.bytes())},
          known->second};
}

void set_write_back(buffer_key key, write_back w) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  rt.buffers.living(key).on_end = std::move(w);
}

host_mirror mirror_of(buffer_key key) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  return rt.buffers.living(key).mirror;
}

bool buffer_alive(buffer_key key) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return false;
  std::lock_guard lock(rt->mutex);
  return rt->buffers.find_living(key) != nullptr;
}

bool was_buffer(buffer_key key) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return false;
  std::lock_guard lock(rt->mutex);
  return rt->buffers.existed(key);
}

bool has_allocation(buffer_key key, model::device_id device) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  const buffer_entry& b = rt.buffers.living(key);
  const model::memory_id m = rt.machine.memory_of(device);
  return m.value() < b.allocations.size() && b.allocations[m.value()].pointer != nullptr;
}

void* device_pointer(buffer_key key, model::device_id device) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  rt.buffers.living(key);
  return rt.buffers.ensure_allocation(buffer_table::id_of(key), rt.machine.memory_of(device));
}

void* host_storage(buffer_key key) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  buffer_entry& b = rt.buffers.living(key);
  if (!b.parameter)
    return rt.buffers.ensure_allocation(buffer_table::id_of(key), model::host_memory);
  if (b.parameter_on_host == nullptr)
    b.parameter_on_host = memory_parameters::instance().add(b.info.bytes(), usm_kind::host,
                                                            rt.machine.host_device(), key);
  return b.parameter_on_host;
}

void set_allocation_owned(buffer_key key, model::device_id device, bool owned) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  buffer_entry& b = rt.buffers.living(key);
  const model::memory_id m = rt.machine.memory_of(device);
  if (m.value() >= b.allocations.size() || b.allocations[m.value()].pointer == nullptr)
    throw user_error(error_code::invalid, "the buffer has no allocation on this device yet");
  allocation& a = b.allocations[m.value()];
  if (a.owned == owned) return;
  if (!a.from_usm) {
    // Becomes an ordinary USM allocation of the program.
    if (b.in_place_host && m == model::host_memory)
      throw user_error(error_code::invalid,
                       "the buffer works on host memory of the program, which it never owns");
    pointer_registry::instance().remove(a.pointer);
    pointer_registry::instance().add(a.pointer, b.info.bytes(),
                                     m == model::host_memory ? usm_kind::host : usm_kind::device,
                                     a.device, allocation_use::program);
    a.from_usm = true;
  }
  a.owned = owned;
}

bool is_allocation_owned(buffer_key key, model::device_id device) {
  process& rt = process::instance();
  std::lock_guard lock(rt.mutex);
  const buffer_entry& b = rt.buffers.living(key);
  const model::memory_id m = rt.machine.memory_of(device);
  return m.value() < b.allocations.size() && b.allocations[m.value()].owned;
}

}  // namespace pianola::runtime
