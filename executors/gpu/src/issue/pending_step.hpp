// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <pianola/executors/backend.hpp>

#include "issue/record_queue.hpp"

namespace pianola::gpu {

class gpu_graph;

// A step that is not given to the driver yet, or that the driver did not take. Has copies of everything that
// its submission only lent.
struct pending_step {
  pending_step(const executors::step_submission& step, gpu_graph* launched,
               executors::status why_not, record& kept);
  pending_step(const pending_step&) = delete;
  pending_step& operator=(const pending_step&) = delete;

  record& of;
  executors::resolved_action action;
  gpu_graph* graph;
  std::vector<executors::lane_position> waits, begun;
  executors::status failure;  // not ok: it is not to be tried
  bool blocks = false;        // see engine::blocks()

 private:
  std::vector<std::byte> bytes_;  // arguments that are not owned, or a large pattern
  std::vector<model::argument_slot> local_slots_;
  std::vector<model::argument_slot> texture_slots_;
  model::box part_;
};

}  // namespace pianola::gpu
