// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>

namespace bench {

// One round of it, and a sum over what it has computed.
struct workload {
  std::function<void()> round;
  std::function<double()> checksum;
};

enum class side { ours, openmp };

constexpr const char* workload_names[] = {"replay", "sections", "parallel_for"};

// replay: a graph of 2,000 nodes of 256 floats, 250 layers of 8 chains that exchange neighbours now and then; OpenMP: a
// parallel region with a loop, and so a barrier, per layer.
// sections: 50 kernels of 20,000 floats one after the other, then a wait; OpenMP: 50 parallel loops.
// parallel_for: one kernel of 200,000 floats and a wait; OpenMP: a parallel loop.
[[nodiscard]] workload make_workload(const std::string& name, side s);

}  // namespace bench
