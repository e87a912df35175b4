// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "driver.hpp"
#include "gpu_counters.hpp"

namespace pianola::gpu {

class engine;
class lane_list;

// A backend on a vendor's driver. A lane is one stream of it; a recorded plan is one graph of it. What a step
// waits for decides who gives it to the driver: the thread that submits it if the driver can do the waiting
// itself, a thread of the backend otherwise. Nobody is told by the driver that something has finished; it is
// asked by whoever wants to know.
//
// The observer's `admit`, `failed` and `times` are called, functions of the program that work with the driver
// themselves run, and function objects are destroyed, by threads that wait and by the backend's own, never
// inside of submit, launch, update or progress_source::look. In a graph, such functions run in instantiate.
class gpu_backend final : public executors::backend {
 public:
  // Device i of the backend is the driver's device ordinals[i]. `services` lives as long as the process.
  gpu_backend(std::unique_ptr<driver>, const executors::runtime_services& services,
              std::vector<std::uint32_t> ordinals);
  // Waits for what the driver was given; steps that still wait for others are dropped.
  ~gpu_backend() override;
  gpu_backend(const gpu_backend&) = delete;
  gpu_backend& operator=(const gpu_backend&) = delete;

  [[nodiscard]] std::string_view name() const noexcept override;
  [[nodiscard]] std::string_view domain() const noexcept override { return name(); }
  [[nodiscard]] const std::vector<model::device_properties>& devices() const noexcept override {
    return devices_;
  }
  void describe_links(model::array_view<const model::memory_id> memories,
                      std::vector<model::link_description>& links) const override;
  void set_memories(model::array_view<const model::memory_id> memories) override;

  executors::status allocate(std::uint32_t device, executors::memory_kind kind, std::size_t bytes,
                             std::size_t alignment, void*& out) noexcept override;
  void deallocate(std::uint32_t device, executors::memory_kind kind,
                  void* pointer) noexcept override;
  std::unique_ptr<executors::page_store> open_pages(std::uint32_t device,
                                                    executors::memory_kind kind) noexcept override;
  executors::status free_memory(std::uint32_t device, std::uint64_t& bytes) noexcept override;
  bool lock_pages(std::uint32_t device, void* start, std::size_t bytes) noexcept override;
  void unlock_pages(std::uint32_t device, void* start) noexcept override;

  [[nodiscard]] bool usable(std::uint32_t device) const noexcept override;

  executors::status make_lane(std::uint32_t device, executors::lane*& out) noexcept override;
  executors::status submit(executors::lane& where,
                           const executors::step_submission& step) noexcept override;
  [[nodiscard]] bool holds_control(std::uint32_t device, model::control_kind what,
                                   std::size_t bodies) noexcept override;
  [[nodiscard]] executors::graph_links links() noexcept override;
  executors::status instantiate(executors::graph_steps& steps,
                                std::unique_ptr<executors::native_graph>& out) noexcept override;
  executors::status launch(executors::lane& where, executors::native_graph& graph,
                           const executors::step_submission& step) noexcept override;
  // Only while no launch of the graph waits to be given to the driver; launches under way keep what they have.
  executors::status update(executors::native_graph& graph,
                           model::array_view<const std::uint32_t> indices,
                           model::array_view<const executors::graph_step> steps) noexcept override;

  [[nodiscard]] bool needs_images() const noexcept override { return true; }
  [[nodiscard]] int choose_image(
      std::uint32_t device, model::array_view<const pianola_image> images) const noexcept override;
  [[nodiscard]] executors::status no_image(
      std::uint32_t device, const model::kernel_descriptor& kernel,
      model::array_view<const pianola_image> images) const noexcept override;
  executors::status ask_kernel(std::uint32_t device, const model::kernel_descriptor& kernel,
                               std::uint64_t group_size, std::uint64_t local_bytes,
                               executors::kernel_on_device& out) noexcept override;
  // Waits for what the driver was given.
  void forget_images(const pianola_image_set& images) noexcept override;
  executors::status find_variable(std::uint32_t device, const executors::device_variable& variable,
                                  void*& out) noexcept override;
  void forget_variable(const void* address) noexcept override;

  [[nodiscard]] std::uint64_t reinstantiations() const noexcept override {
    return counters().reinstantiations;
  }
  executors::status native_handle(const executors::native_request& request,
                                  void*& out) noexcept override;
  executors::status device_of_stream(void* stream, std::uint32_t& device) noexcept override;
  executors::status adopt_lane(std::uint32_t device, void* stream,
                               executors::lane*& out) noexcept override;
  executors::status wait_for_native(executors::lane& where, void* event) noexcept override;

  [[nodiscard]] gpu_counters counters() const noexcept;

  // The process ends: the backend's thread stops, and the driver is called from now on only by who still waits
  // or submits, and only if it stands that. Called by std::exit for every backend that lives.
  void shut_down() noexcept;

 private:
  std::unique_ptr<engine> engine_;
  std::unique_ptr<lane_list> lanes_;
  std::vector<model::device_properties> devices_;
};

// Empty `ordinals`: all devices of the driver.
[[nodiscard]] std::unique_ptr<gpu_backend> make_gpu_backend(
    std::unique_ptr<driver>, const executors::runtime_services&,
    const std::vector<std::uint32_t>& ordinals);

}  // namespace pianola::gpu
