// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "completion/device_resources.hpp"
#include "completion/health.hpp"
#include "completion/service.hpp"
#include "engine/locked_pages.hpp"
#include "images/image_store.hpp"
#include "images/texture_store.hpp"
#include "images/variable_store.hpp"
#include "operations/step_operations.hpp"
#include "pianola/gpu/driver.hpp"
#include "pianola/gpu/gpu_counters.hpp"

namespace pianola::gpu {

struct live_counters {
  std::atomic<std::uint64_t> issued{0};
  std::atomic<std::uint64_t> deferred{0};
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> stepwise{0};
  std::atomic<std::uint64_t> markers{0};
  std::atomic<std::uint64_t> events_made{0};
  std::atomic<std::uint64_t> modules_loaded{0};
  std::atomic<std::uint64_t> instantiations{0};
  std::atomic<std::uint64_t> node_updates{0};
  std::atomic<std::uint64_t> graph_updates{0};
  std::atomic<std::uint64_t> reinstantiations{0};
  std::atomic<std::uint64_t> event_nodes{0};
  std::atomic<std::uint64_t> overlapping{0};
  std::atomic<std::uint64_t> not_overlapping{0};
  std::atomic<std::uint64_t> conditional_nodes{0};
};

[[nodiscard]] std::exception_ptr exception_of(const executors::status&);

// What a backend's lanes and graphs have in common. Devices are the driver's.
class engine {
 public:
  engine(std::unique_ptr<driver> d, const executors::runtime_services& s,
         std::vector<std::uint32_t> ordinals_of_devices);
  // Nothing is under way.
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  // Destroyed last.
  std::unique_ptr<driver> owned_driver;
  driver& drv;
  const executors::runtime_services& services;
  const executors::step_observer& observer;
  const std::vector<std::uint32_t> ordinals;  // index: device of the backend
  live_counters counters;
  health state;
  variable_store variables;
  image_store images;
  texture_store textures;
  service helper;
  locked_pages pages;

  // The driver may return from the call for it only when it is done, and all that is in front of it in the stream.
  [[nodiscard]] bool blocks(const executors::resolved_action& action) const noexcept;

  [[nodiscard]] device_resources& resources(std::uint32_t device) noexcept {
    return *resources_[device];
  }
  void set_memories(model::array_view<const model::memory_id> memories);
  // The device that has this memory, or on_host.
  [[nodiscard]] std::int32_t device_with(model::memory_id m) const noexcept {
    return m.value() < device_of_memory_.size() ? device_of_memory_[m.value()] : on_host;
  }

  // What a failure means for a step, as text and code; a fatal one ends the devices.
  executors::status failure(code c, std::string_view doing);

  // What the driver is to do for an action on this device; kernels through `loaded` if that is given.
  executors::status prepare(std::uint32_t device, const executors::resolved_action& action,
                            loaded_kernel* loaded, step_operations& out);
  executors::status prepare(std::uint32_t device, const executors::resolved_kernel& kernel,
                            loaded_kernel& loaded, step_operations& out);
  code issue(stream where, step_operations& operations) noexcept;
  // Calls a function of the program's that puts work into the stream, or nodes into the graph, that it is given.
  std::exception_ptr call(std::uint32_t device, executors::resolved_host_task& task) noexcept;
  // Of a kernel that offers to overlap those in front of it.
  void count_overlap(bool does) noexcept {
    (does ? counters.overlapping : counters.not_overlapping)
        .fetch_add(1, std::memory_order_relaxed);
  }

  executors::status allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                             std::size_t alignment, void*& out);
  void deallocate(std::uint32_t device, executors::memory_kind kind, void* pointer) noexcept;
  // Null where the driver has no pages, or memory of that kind none.
  std::unique_ptr<executors::page_store> open_pages(std::uint32_t device,
                                                    executors::memory_kind kind);

  // Whether graphs may be linked by events; asks the driver the first time.
  [[nodiscard]] bool event_nodes() noexcept;

  // Whether graphs of the device may loop and choose; asks the driver, and tries it, the first time.
  [[nodiscard]] bool conditional_nodes(std::uint32_t device) noexcept;

 private:
  void deallocate_native(std::uint32_t device, executors::memory_kind kind, void* pointer) noexcept;
  // In parts, where it is of memory that is locked in part: drivers refuse that.
  void add_copy(const executors::resolved_copy&, std::uint32_t device, step_operations& out);

  std::vector<std::unique_ptr<device_resources>> resources_;  // index: driver's device
  std::vector<std::int32_t> device_of_memory_;                // index: memory
  std::mutex probe_mutex_;
  enum class answer : unsigned char { unknown, yes, no };
  answer event_nodes_ = answer::unknown;
  std::vector<answer> conditional_nodes_;  // index: driver's device; empty: nobody has asked
  std::mutex memory_mutex_;
  std::map<void*, void*> moved_;  // allocations that begin before the address handed out
};

}  // namespace pianola::gpu
