// SPDX-License-Identifier: Apache-2.0
// Devices with memories of their own on the processors of this process: what one copies to add a
// backend, and what makes every multi-device rule testable anywhere.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include <pianola/host/host_backend.hpp>
#include <pianola/host/memory_steps.hpp>
#include <pianola/simulated/control.hpp>

namespace pianola::simulated {

namespace {

using executors::status;
using model::error_code;

constexpr unsigned max_devices = 62;
constexpr unsigned max_memories = 64;
// Fresh device memory holds this, so that a missing transfer shows.
constexpr int fresh_byte = 0xcd;

class simulated_backend final : public host::host_backend, public control {
 public:
  simulated_backend(std::vector<model::device_properties> devices,
                    const executors::step_observer& observer)
      : host_backend("simulated", std::move(devices), observer) {}

  void describe_links(model::array_view<const model::memory_id> memories,
                      std::vector<model::link_description>& links) const override {
    for (const auto a : memories) {
      links.push_back({model::host_memory, a, 1e10, 1e-5});
      links.push_back({a, model::host_memory, 1e10, 1e-5});
      for (const auto b : memories)
        if (a != b) links.push_back({a, b, 2e10, 5e-6});
    }
  }

  status allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                  std::size_t alignment, void*& out) noexcept override {
    const std::size_t a = std::max<std::size_t>(alignment, 64);
    const std::size_t n = std::max<std::size_t>(bytes, 1);
    std::lock_guard<std::mutex> lock(mutex_);
    if (kind == executors::memory_kind::device) {
      std::uint64_t& countdown = fail_allocation_[device];
      if (countdown != 0 && --countdown == 0)
        return {error_code::memory_allocation, "simulated device " + std::to_string(device) +
                                                   " has no memory left for " +
                                                   std::to_string(bytes) + " bytes (injected)"};
    }
    out = n > SIZE_MAX - a ? nullptr : std::aligned_alloc(a, (n + a - 1) / a * a);
    if (out == nullptr)
      return {error_code::memory_allocation, "simulated device " + std::to_string(device) +
                                                 " cannot allocate " + std::to_string(bytes) +
                                                 " bytes"};
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
  void deallocate(std::uint32_t device, executors::memory_kind, void* pointer) noexcept override {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto it = sizes_.find(pointer);
    if (it != sizes_.end()) {
      allocated_[device] -= it->second;
      sizes_.erase(it);
    }
    std::free(pointer);
  }

  void copy(const executors::resolved_copy& c) override {
    std::uint64_t wait = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (fail_copy_ != 0 && --fail_copy_ == 0)
        throw model::user_error(error_code::runtime,
                                "copy from memory " + std::to_string(c.from.value()) +
                                    " to memory " + std::to_string(c.to.value()) +
                                    " failed (injected)");
      if (c.from != c.to) {
        link& l = links_[c.from.value() % max_memories][c.to.value() % max_memories];
        ++l.counted.copies;
        l.counted.bytes += c.width * c.height * c.depth;
        wait = l.delay;
      }
    }
    if (wait != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
    host::copy_bytes(c);
  }
  void fill(const executors::resolved_fill& f) override { host::fill_bytes(f); }
  [[nodiscard]] bool blocks(const executors::resolved_action& action) const noexcept override {
    const auto* c = std::get_if<executors::resolved_copy>(&action);
    if (c == nullptr || !any_delay_.load(std::memory_order_relaxed)) return false;
    std::lock_guard<std::mutex> lock(mutex_);
    return links_[c->from.value() % max_memories][c->to.value() % max_memories].delay != 0;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return false; }

  [[nodiscard]] link_counters counters(unsigned from, unsigned to) const noexcept override {
    std::lock_guard<std::mutex> lock(mutex_);
    return links_[from % max_memories][to % max_memories].counted;
  }
  void reset_counters() noexcept override {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto& row : links_)
      for (auto& l : row) l.counted = {};
  }
  void fail_allocation(unsigned device, std::uint64_t nth) noexcept override {
    std::lock_guard<std::mutex> lock(mutex_);
    fail_allocation_[device % max_devices] = nth;
  }
  void fail_copy(std::uint64_t nth) noexcept override {
    std::lock_guard<std::mutex> lock(mutex_);
    fail_copy_ = nth;
  }
  void delay_link(unsigned from, unsigned to, std::uint64_t nanoseconds) noexcept override {
    std::lock_guard<std::mutex> lock(mutex_);
    links_[from % max_memories][to % max_memories].delay = nanoseconds;
    if (nanoseconds != 0) any_delay_.store(true, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t allocated(unsigned device) const noexcept override {
    std::lock_guard<std::mutex> lock(mutex_);
    return allocated_[device % max_devices];
  }

 private:
  struct link {
    link_counters counted;
    std::uint64_t delay = 0;
  };
  mutable std::mutex mutex_;
  std::atomic<bool> any_delay_{false};
  link links_[max_memories][max_memories];
  std::uint64_t fail_allocation_[max_devices] = {};
  std::uint64_t fail_copy_ = 0;
  std::uint64_t allocated_[max_devices] = {};
  std::map<void*, std::size_t> sizes_;
};

std::atomic<simulated_backend*> the_backend{nullptr};

executors::backend* create(const char* options, const executors::step_observer* observer,
                           char* reason, std::size_t reason_bytes, int* user_fault) noexcept {
  char* end = nullptr;
  const unsigned long n = *options == '\0' ? 1 : std::strtoul(options, &end, 10);
  if ((end != nullptr && *end != '\0') || n < 1 || n > max_devices) {
    std::snprintf(reason, reason_bytes,
                  "simulated:N takes a number of devices from 1 to %u, got '%s'", max_devices,
                  options);
    *user_fault = 1;
    return nullptr;
  }
  try {
    std::vector<model::device_properties> devices(n);
    for (unsigned long i = 0; i < n; ++i) {
      auto& d = devices[i];
      d.name = "Simulated device " + std::to_string(i);
      d.vendor = "Pianola";
      d.driver_version = "1";
      d.backend = "simulated";
      d.type = model::device_type::accelerator;
      d.sub_group_sizes = {8, 16};
      d.global_memory_bytes = std::uint64_t{1} << 34;
      d.max_allocation_bytes = d.global_memory_bytes;
      d.local_memory_bytes = std::uint64_t{1} << 20;
    }
    auto* b = new simulated_backend(std::move(devices), *observer);
    the_backend.store(b);
    return b;
  } catch (...) {
    std::snprintf(reason, reason_bytes, "%s", host::current_exception_status().reason.c_str());
    *user_fault = 0;
    return nullptr;
  }
}

}  // namespace

}  // namespace pianola::simulated

extern "C" {
extern const pianola::executors::backend_factory pianola_backend_v1;
const pianola::executors::backend_factory pianola_backend_v1{
    pianola::executors::backend_interface_version, &pianola::simulated::create};

pianola::simulated::control* pianola_simulated_control() {
  return pianola::simulated::the_backend.load();
}
}
