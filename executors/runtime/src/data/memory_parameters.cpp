// SPDX-License-Identifier: Apache-2.0
#include "data/memory_parameters.hpp"

#include <mutex>

#include <pianola/model/error.hpp>
#include <pianola/runtime/cookie.hpp>
#include <pianola/runtime/graph_parameters.hpp>

#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Each begins in a block of its own, far enough in it: a bool or an integer that a kernel has captured in front of the last
// bytes of an address, which padding may hold, makes an address in front of it.
constexpr std::uintptr_t block = std::uintptr_t{1} << 24;
constexpr std::uintptr_t first_in_block = 0xb5b580;
constexpr std::uintptr_t room = std::uintptr_t{1} << 48;

}  // namespace

memory_parameters::memory_parameters() : next_(memory_parameter_prefix + block) {}

memory_parameters& memory_parameters::instance() {
  static memory_parameters& all = *new memory_parameters;
  return all;
}

void* memory_parameters::add(std::size_t bytes, usm_kind kind, model::device_id device,
                             buffer_key buffer) {
  std::uintptr_t begin = 0;
  {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t left = room - block - (next_ - memory_parameter_prefix);
    if (left < block || bytes >= left - first_in_block)
      throw user_error(error_code::memory_allocation,
                       "there are no addresses left for graph parameters of memory");
    begin = next_ + first_in_block;
    // One address behind the end is still this parameter's.
    next_ += (first_in_block + bytes) / block * block + block;
    parameters_.emplace(begin, parameter{begin, bytes, kind, device, buffer});
    any_.store(true, std::memory_order_release);
  }
  auto* const pointer = reinterpret_cast<void*>(begin);
  if (buffer.valid()) return pointer;
  // Copies and fills are placed by what they point into.
  pointer_registry::instance().add(pointer, bytes, kind, device, allocation_use::other);
  return pointer;
}

memory_parameters::parameter memory_parameters::find(std::uintptr_t address) const noexcept {
  if (address >> 48 != memory_parameter_prefix >> 48 || !any()) return {};
  const std::shared_lock lock(mutex_);
  auto after = parameters_.upper_bound(address);
  if (after == parameters_.begin()) return {};
  const parameter& p = std::prev(after)->second;
  return address - p.begin <= p.bytes ? p : parameter{};
}

void* create_memory_parameter(std::size_t bytes, usm_kind kind, model::device_id device) {
  if (bytes == 0)
    throw user_error(error_code::invalid, "a graph parameter has to have at least one element");
  if (kind == usm_kind::unknown)
    throw user_error(error_code::invalid,
                     "a graph parameter stands for a USM allocation: device, host or shared");
  process& rt = process::instance();
  rt.machine.check(device);
  return memory_parameters::instance().add(bytes, kind, device);
}

void make_parameter(buffer_key key) {
  process& rt = process::instance();
  const std::lock_guard lock(rt.mutex);
  buffer_entry& b = rt.buffers.living(key);
  if (b.info.temporary || b.info.evictable)
    throw user_error(error_code::invalid,
                     "a graph parameter stands for a buffer of the program, which is neither "
                     "temporary nor evictable");
  if (!b.allocations.empty())
    throw user_error(error_code::invalid, "a buffer that has storage cannot be a graph parameter");
  b.parameter = true;
}

}  // namespace pianola::runtime
