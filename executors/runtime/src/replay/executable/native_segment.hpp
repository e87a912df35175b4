// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include <pianola/executors/backend.hpp>
#include <pianola/planner/schedule/arrange_segments.hpp>

#include "failures/step_context.hpp"

namespace pianola::runtime {

// What the domain of a segment runs as one native graph.
struct native_segment : planner::arranged_segment {
  executors::backend* owner = nullptr;
  std::vector<context_head> contexts;  // of its steps; the native graph refers to them
  std::unique_ptr<executors::native_graph> native;
  std::uint64_t position = 0;  // of this replay, in its side lane
};

}  // namespace pianola::runtime
