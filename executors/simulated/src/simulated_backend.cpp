// SPDX-License-Identifier: Apache-2.0
// Devices with memories of their own on the processors of this process: what one copies to add a
// backend, and what makes every multi-device rule testable anywhere.
#include "simulated_backend.hpp"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include <pianola/host/host_backend.hpp>
#include <pianola/host/memory_steps.hpp>

namespace pianola::simulated {

namespace {

using executors::status;

class simulated_backend final : public host::host_backend {
 public:
  simulated_backend(std::vector<model::device_properties> devices, device_memory& memory,
                    const executors::step_observer& observer)
      : host_backend("simulated", std::move(devices), observer), memory_(memory) {}

  void describe_links(model::array_view<const model::memory_id> memories,
                      std::vector<model::link_description>& links) const override {
    device_memory::describe_links(memories, links);
  }
  status allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                  std::size_t alignment, void*& out) noexcept override {
    return memory_.allocate(device, kind, bytes, alignment, out);
  }
  void deallocate(std::uint32_t device, executors::memory_kind, void* pointer) noexcept override {
    memory_.deallocate(device, pointer);
  }
  std::unique_ptr<executors::page_store> open_pages(std::uint32_t device,
                                                    executors::memory_kind kind) noexcept override {
    return memory_.open_pages(device, kind);
  }
  void copy(const executors::resolved_copy& c) override {
    const std::uint64_t wait = memory_.begin_copy(c);
    if (wait != 0) std::this_thread::sleep_for(std::chrono::nanoseconds(wait));
    host::copy_bytes(c);
  }
  void fill(const executors::resolved_fill& f) override { host::fill_bytes(f); }
  [[nodiscard]] bool blocks(const executors::resolved_action& action) const noexcept override {
    const auto* c = std::get_if<executors::resolved_copy>(&action);
    return c != nullptr && memory_.delays(*c);
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return false; }

 private:
  device_memory& memory_;
};

}  // namespace

executors::backend* make_backend_on_the_team(std::vector<model::device_properties> devices,
                                             device_memory& memory,
                                             const executors::step_observer& observer) {
  return new simulated_backend(std::move(devices), memory, observer);
}

}  // namespace pianola::simulated
