// SPDX-License-Identifier: Apache-2.0
// What a plan would take on a machine, which need not be here.
//
// The modelled machine: each lane runs its steps one after the other, each once what it waits for has ended. What runs at
// the same time on one device shares it evenly: of k kernels each goes on at 1/k of the speed that it has alone. So do
// transfers over one link, and over links of one bus. A transfer takes the latency first, in which it is in nobody's way.
// Host tasks run on threads of their own and share nothing. What things take alone, machine_costs says.
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

struct simulated_step {
  double start = 0;  // seconds from the start of the plan
  double end = 0;
};

struct device_use {
  double busy = 0;          // seconds in which it had something to do
  double work = 0;          // what its commands take alone, added up
  std::uint64_t steps = 0;  // commands, without those that share nothing
};

struct link_use {
  std::uint64_t bytes = 0;
  std::uint64_t transfers = 0;
};

struct simulation {
  std::vector<simulated_step> steps;  // index: that in plan.steps
  double makespan = 0;
  // Steps, each of which began when the one before it ended; the last one is one that ended last.
  std::vector<model::step_id> critical_path;
  std::vector<device_use> devices;  // index: device_id
  std::vector<link_use> links;      // index: that in topology.links
  // Bytes, index: memory_id. A buffer has its full size in each memory that it is used in, from then on, as the runtime
  // allocates it; memory that the graph allocates itself is shared as it says.
  std::vector<std::uint64_t> peak_memory;
  double work = 0;  // T1: all commands, one after the other, each alone and with its data in place
  // Tinf: the longest way through what the commands need of each other, if nothing had to be moved or shared.
  double span = 0;
};

// `plan` is one of this graph that is right (planner::verify). Takes O(n log n) for n steps and waits.
// Throws model::user_error (invalid) if the machine lacks a device or a link that the plan uses.
[[nodiscard]] simulation simulate(const graph_view& graph, const plan& plan,
                                  const model::topology& machine);

}  // namespace pianola::planner
