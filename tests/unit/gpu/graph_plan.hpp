// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <pianola/test/graph_steps.hpp>

#include "gpu_rig.hpp"

namespace pianola::test {

// Steps with their waits; keeps what they refer to.
class plan {
 public:
  explicit plan(gpu_rig& rig) : rig_(rig) {}
  std::uint32_t add(executors::resolved_action action, std::vector<std::uint32_t> waits = {},
                    std::uint32_t device = 0) {
    waits_.push_back(std::move(waits));
    executors::graph_step s;
    s.action = std::move(action);
    s.owner = rig_.backend.get();
    s.device = device;
    s.waits = waits_.back();
    s.context = rig_.tag(100 + steps.size());
    s.expected = 1000;
    steps.push_back(std::move(s));
    return static_cast<std::uint32_t>(steps.size() - 1);
  }
  [[nodiscard]] std::unique_ptr<executors::native_graph> make() {
    std::unique_ptr<executors::native_graph> g;
    const auto s = try_to_make(g);
    EXPECT_TRUE(s.ok()) << s.reason;
    return g;
  }
  [[nodiscard]] executors::status try_to_make(std::unique_ptr<executors::native_graph>& g) {
    few_steps some(steps);
    return rig_.backend->instantiate(some, g);
  }
  std::vector<executors::graph_step> steps;

 private:
  gpu_rig& rig_;
  std::deque<std::vector<std::uint32_t>> waits_;
};

inline fake_nodes nodes_of(gpu_rig& rig, executors::native_graph& g) {
  executors::native_request request;
  request.what = model::native_kind::graph;
  request.graph = &g;
  void* handle = nullptr;
  EXPECT_TRUE(rig.backend->native_handle(request, handle).ok());
  return rig.driver->nodes_of({handle});
}

inline executors::resolved_fill fill_of(void* to, int value, std::uint64_t count) {
  executors::resolved_fill f;
  f.destination = to;
  f.width = count * 4;
  f.row_pitch = f.slice_pitch = f.width;
  f.pattern_bytes = 4;
  std::memcpy(f.pattern, &value, 4);
  return f;
}

inline executors::resolved_copy copy_of(void* to, const void* from, std::uint64_t bytes) {
  executors::resolved_copy c;
  c.destination = to;
  c.source = from;
  c.width = bytes;
  return c;
}

}  // namespace pianola::test
