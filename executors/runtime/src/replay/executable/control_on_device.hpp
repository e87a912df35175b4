// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "replay/executable/control_step.hpp"

namespace pianola::runtime {

class graph_instance;
class process;

// The step is one of the device's: its graph runs the others, and nobody looks on.
class control_on_device final : public control_step {
 public:
  explicit control_on_device(const control& what);

  void bind(process& rt, const planned_graph& holder) override;
  [[nodiscard]] executors::resolved_action action() noexcept override;

 private:
  std::vector<std::shared_ptr<graph_instance>> bodies_;
  std::vector<model::array_view<const executors::graph_step>> steps_;  // index: as bodies_
};

}  // namespace pianola::runtime
