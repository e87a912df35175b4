// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::runtime {

// Whether the devices of this machine can do what a plan from a file has them do: run the kernels, reach the memories, have
// so many lanes. Each says why not, as a part of a sentence; nothing if they can. Every id is known, and each step has a lane;
// planner::verify knows what is right, wherever it runs.
class run_check {
 public:
  // The topology must outlive this.
  explicit run_check(const model::topology& topology)
      : topology_(topology), known_(topology.devices.size()) {}

  [[nodiscard]] std::optional<std::string> cannot_execute(const model::command& c,
                                                          model::device_id device);
  // Lanes and transfers.
  [[nodiscard]] std::optional<std::string> cannot_arrange(const planner::plan& plan) const;

 private:
  [[nodiscard]] std::string name(model::device_id d) const;

  const model::topology& topology_;
  // Of each device, the kernels that it can run, and the last of them that was asked for.
  struct known_kernels {
    std::unordered_set<const model::kernel_descriptor*> all;
    const model::kernel_descriptor* last = nullptr;
  };
  std::vector<known_kernels> known_;
};

// All of it.
[[nodiscard]] std::optional<std::string> cannot_run(
    const planner::plan& plan, model::array_view<const model::command> commands,
    const model::topology& topology);

}  // namespace pianola::runtime
