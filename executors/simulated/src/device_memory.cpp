// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>
#include <pianola/host/page_file.hpp>

namespace pianola::simulated {

using executors::status;
using model::error_code;

// Fresh device memory holds this, so that a missing transfer shows.
static constexpr int fresh_byte = 0xcd;

void device_memory::describe_links(model::array_view<const model::memory_id> memories,
                                   std::vector<model::link_description>& links) {
  for (const auto a : memories) {
    links.push_back({model::host_memory, a, 0, 0});
    links.push_back({a, model::host_memory, 0, 0});
    if (memories.size() > most_linked_devices) continue;
    for (const auto b : memories)
      if (a != b) links.push_back({a, b, 0, 0});
  }
}

status device_memory::take(std::uint32_t device, std::uint64_t bytes) noexcept {
  std::uint64_t& countdown = fail_allocation_[device];
  const bool injected = countdown != 0 && --countdown == 0;
  std::uint64_t& allocated = allocated_[device];
  if (!injected && bytes <= bytes_ - std::min(bytes_, allocated)) {
    allocated += bytes;
    return {};
  }
  try {
    return {error_code::memory_allocation,
            fmt::format("simulated device {} has no memory left for {} bytes{}", device, bytes,
                        injected ? " (injected)"
                                 : fmt::format(": {} of {} are in use", allocated, bytes_))};
  } catch (...) {
    return host::current_exception_status();
  }
}

status device_memory::allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                               std::size_t alignment, void*& out) noexcept {
  const std::size_t a = std::max(alignment, executors::usual_alignment);
  const std::size_t n = std::max<std::size_t>(bytes, 1);
  const bool counts = kind == executors::memory_kind::device;
  std::lock_guard<std::mutex> lock(mutex_);
  if (counts)
    if (status s = take(device, n); !s.ok()) return s;
  out = n > SIZE_MAX - a ? nullptr : std::aligned_alloc(a, (n + a - 1) / a * a);
  if (out == nullptr) {
    if (counts) allocated_[device] -= n;
    return {error_code::memory_allocation,
            fmt::format("simulated device {} cannot allocate {} bytes", device, bytes)};
  }
  if (counts) {
    std::memset(out, fresh_byte, n);
    try {
      sizes_[out] = n;
    } catch (...) {
      allocated_[device] -= n;
      std::free(out);
      return host::current_exception_status();
    }
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

class device_memory::pages final : public executors::page_store {
 public:
  pages(device_memory& memory, std::uint32_t device, std::unique_ptr<host::page_file> file) noexcept
      : memory_(memory), device_(device), file_(std::move(file)) {}
  ~pages() override {
    std::lock_guard<std::mutex> lock(memory_.mutex_);
    memory_.allocated_[device_] -= bytes_;
  }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;

  [[nodiscard]] std::uint64_t page_bytes() const noexcept override { return file_->page_bytes(); }
  [[nodiscard]] std::uint64_t most_bytes() const noexcept override {
    return std::min(memory_.bytes_, file_->most_bytes());
  }
  status reserve(std::uint64_t bytes, void*& address) noexcept override {
    if (bytes <= most_bytes()) return file_->reserve(bytes, address);
    try {
      return {error_code::memory_allocation,
              fmt::format("simulated device {} has {} bytes", device_, most_bytes())};
    } catch (...) {
      return host::current_exception_status();
    }
  }
  status grow(std::uint64_t bytes) noexcept override {
    if (bytes <= bytes_) return {};
    {
      std::lock_guard<std::mutex> lock(memory_.mutex_);
      if (status s = memory_.take(device_, bytes - bytes_); !s.ok()) return s;
    }
    status s = file_->grow(bytes);
    if (s.ok()) s = file_->fill(bytes_, bytes - bytes_, fresh_byte);
    if (s.ok()) {
      bytes_ = bytes;
      return s;
    }
    std::lock_guard<std::mutex> lock(memory_.mutex_);
    memory_.allocated_[device_] -= bytes - bytes_;
    return s;
  }
  status map(void* address, std::uint64_t bytes, std::uint64_t offset) noexcept override {
    return file_->map(address, bytes, offset);
  }

 private:
  device_memory& memory_;
  const std::uint32_t device_;
  const std::unique_ptr<host::page_file> file_;
  std::uint64_t bytes_ = 0;  // that count as allocated
};

std::unique_ptr<executors::page_store> device_memory::open_pages(
    std::uint32_t device, executors::memory_kind kind) noexcept {
  std::unique_ptr<host::page_file> file = host::page_file::open();
  if (file == nullptr || kind != executors::memory_kind::device) return file;
  return std::unique_ptr<executors::page_store>(new (std::nothrow)
                                                    pages(*this, device, std::move(file)));
}

std::uint64_t device_memory::begin_copy(const executors::resolved_copy& c) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (fail_copy_ != 0 && --fail_copy_ == 0)
    throw model::user_error(error_code::runtime,
                            fmt::format("copy from memory {} to memory {} failed (injected)",
                                        c.from.value(), c.to.value()));
  if (c.from == c.to) return 0;
  link& l = links_[{c.from.value(), c.to.value()}];
  ++l.counted.copies;
  l.counted.bytes += c.width * c.height * c.depth;
  return l.delay;
}

bool device_memory::delays(const executors::resolved_copy& c) const noexcept {
  if (!any_delay_.load(std::memory_order_relaxed)) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto known = links_.find({c.from.value(), c.to.value()});
  return known != links_.end() && known->second.delay != 0;
}

link_counters device_memory::counters(unsigned from, unsigned to) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto known = links_.find({from, to});
  return known == links_.end() ? link_counters() : known->second.counted;
}

void device_memory::reset_counters() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [between, l] : links_) l.counted = {};
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
  links_[{from, to}].delay = nanoseconds;
  if (nanoseconds != 0) any_delay_.store(true, std::memory_order_relaxed);
}

std::uint64_t device_memory::allocated(unsigned device) const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  return allocated_[device % max_devices];
}

bool device_memory::lose_device(unsigned device, bool lost) noexcept {
  if (!can_lose_) return false;
  lost_[device % max_devices].store(lost);
  return true;
}

}  // namespace pianola::simulated
