// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "lane.hpp"

namespace pianola::host {

class team;

// What backends whose devices are threads of this process have in common: lanes and graphs on the
// process-wide team. A backend of this kind says what its devices are, where their memory comes from
// and how a copy is made.
class host_backend : public executors::backend, public step_hooks {
 public:
  host_backend(std::string name, std::vector<model::device_properties> devices,
               const executors::step_observer& observer);

  [[nodiscard]] std::string_view name() const noexcept override { return name_; }
  [[nodiscard]] const std::vector<model::device_properties>& devices() const noexcept override {
    return devices_;
  }
  [[nodiscard]] std::string_view domain() const noexcept override { return "host"; }
  void set_memories(model::array_view<const model::memory_id> memories) override;

  executors::status make_lane(std::uint32_t device, executors::lane*& out) noexcept override;
  executors::status submit(executors::lane& where,
                           const executors::step_submission& step) noexcept override;
  [[nodiscard]] executors::graph_links links() noexcept override { return {true, false}; }
  executors::status instantiate(executors::graph_steps& steps,
                                std::unique_ptr<executors::native_graph>& out) noexcept override;
  executors::status launch(executors::lane& where, executors::native_graph& graph,
                           const executors::step_submission& step) noexcept override;
  executors::status update(executors::native_graph& graph,
                           model::array_view<const std::uint32_t> indices,
                           model::array_view<const executors::graph_step> steps) noexcept override;

 protected:
  // Who runs lanes of the device. May start threads; throws what that throws.
  [[nodiscard]] virtual team& team_of(std::uint32_t device);
  [[nodiscard]] const std::vector<model::memory_id>& memories() const noexcept { return memories_; }

 private:
  std::string name_;
  std::vector<model::device_properties> devices_;
  const executors::step_observer& observer_;
  std::vector<model::memory_id> memories_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<lane>> lanes_;
};

// The status that describes the exception being handled.
[[nodiscard]] executors::status current_exception_status() noexcept;

}  // namespace pianola::host
