// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>

namespace pianola::simulated {

using executors::status;
using model::error_code;

// Fresh device memory holds this, so that a missing transfer shows.
static constexpr int fresh_byte = 0xcd;

void device_memory::describe_links(model::array_view<const model::memory_id> memories,
                                   std::vector<model::link_description>& links) {
  for (const auto a : memories) {
    links.push_back({model::host_memory, a, 1e10, 1e-5});
    links.push_back({a, model::host_memory, 1e10, 1e-5});
    for (const auto b : memories)
      if (a != b) links.push_back({a, b, 2e10, 5e-6});
  }
}

status device_memory::allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                               std::size_t alignment, void*& out) noexcept {
  const std::size_t a = std::max(alignment, executors::usual_alignment);
  const std::size_t n = std::max<std::size_t>(bytes, 1);
  std::lock_guard<std::mutex> lock(mutex_);
  if (kind == executors::memory_kind::device) {
    std::uint64_t& countdown = fail_allocation_[device];
    if (countdown != 0 && --countdown == 0)
      return {error_code::memory_allocation,
              fmt::format("simulated device {} has no memory left for {} bytes (injected)", device,
                          bytes)};
    if (n > bytes_ - std::min(bytes_, allocated_[device]))
      return {
          error_code::memory_allocation,
          fmt::format("simulated device {} has no memory left for {} bytes: {} of {} are in use",
                      device, bytes, allocated_[device], bytes_)};
  }
  out = n > SIZE_MAX - a ? nullptr : std::aligned_alloc(a, (n + a - 1) / a * a);
  if (out == nullptr)
    return {error_code::memory_allocation,
            fmt::format("simulated device {} cannot allocate {} bytes", device, bytes)};
  if (kind == executors::memory_kind::device) {
    std::memset(out, fresh_byte, n);
    try {
      sizes_[out] = n;
    } catch (...) {
      std::free(out);
      return host::current_exception_status();
    }
    allocated_[device] += n;
  }
  return {};
}

void device_memory::deallocate(std::uint32_t device, void* pointer) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = sizes_.find(pointer);
  if (it != sizes_.end()) {
    allocated_[device] -= it->second;
    sizes_.erase(it);
  }
  std::free(pointer);
}

std::uint64_t device_memory::begin_copy(const executors::resolved_copy& c) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (fail_copy_ != 0 && --fail_copy_ == 0)
    throw model::user_error(error_code::runtime,
                            fmt::format("copy from memory {} to memory {} failed (injected)",
                                        c.from.value(), c.to.value()));
  if (c.from == c.to) return 0;
  link& l = links_[c.from.value() % max_memories][c.to.value() % max_memories];
  ++l.counted.copies;
  l.counted.bytes += c.width * c.height * c.depth;
  return l.delay;
}

bool device_memory::delays(const executors::resolved_copy& c) const noexcept {
  if (!any_delay_.load(std::memory_order_relaxed)) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  return links_[c.from.value() % max_memories][c.to.value() % max_memories].delay != 0;
}

link_counters device_memory::counters(unsigned from, unsigned to) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  return links_[from % max_memories][to % max_memories].counted;
}

void device_memory::reset_counters() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& row : links_)
    for (auto& l : row) l.counted = {};
}

void device_memory::fail_allocation(unsigned device, std::uint64_t nth) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  fail_allocation_[device % max_devices] = nth;
}

void device_memory::fail_copy(std::uint64_t nth) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  fail_copy_ = nth;
}

void device_memory::delay_link(unsigned from, unsigned to, std::uint64_t nanoseconds) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  links_[from % max_memories][to % max_memories].delay = nanoseconds;
  if (nanoseconds != 0) any_delay_.store(true, std::memory_order_relaxed);
}

std::uint64_t device_memory::allocated(unsigned device) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  return allocated_[device % max_devices];
}

bool device_memory::lose_device(unsigned device, bool lost) noexcept {
  if (!can_lose_) return false;
  const std::uint64_t bit = std::uint64_t{1} << (device % max_devices);
  if (lost)
    lost_.fetch_or(bit);
  else
    lost_.fetch_and(~bit);
  return true;
}

}  // namespace pianola::simulated
