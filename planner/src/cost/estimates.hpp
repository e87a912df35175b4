// SPDX-License-Identifier: Apache-2.0
// Figures of classes of devices, for those that nobody has measured: machine_costs takes them where the topology says
// nothing, and nobody else does.
#pragma once

namespace pianola::planner {

struct device_estimates {
  double launch;      // seconds of each kernel, besides its work-items
  double bandwidth;   // bytes per second of its memory
  double operations;  // per second
  double host_task;   // seconds of each, besides its bytes
  double
      group_work_item;  // operations of a work-item of a kernel with groups of which nothing is known
};

// One thread of a processor: 10 GB/s is about what one core copies. Work-items of groups do more, or have barriers.
inline constexpr device_estimates processor_estimates{
    .launch = 1e-6,
    .bandwidth = 1e10,
    .operations = 1e9,
    .host_task = 1e-6,
    .group_work_item = 30.0,
};

// A graphics processor: every kernel counts for about what a small one takes, and a little more with its size.
inline constexpr device_estimates graphics_estimates{
    .launch = 3e-6,
    .bandwidth = 1e12,
    .operations = 5e10,
    .host_task = 1e-6,
    .group_work_item = 1.0,
};

}  // namespace pianola::planner
