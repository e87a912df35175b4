// SPDX-License-Identifier: Apache-2.0
// Figures of classes of devices, for those that nobody has measured: machine_costs takes them where the topology says
// nothing, and nobody else does.
#pragma once

namespace pianola::planner {

struct device_estimates {
  double launch;           // seconds of each kernel, besides its work-items
  double bandwidth;        // bytes per second of its memory
  double work_items;       // per second, of kernels of which nothing is known
  double operations;       // per second, in additions of independent numbers
  double host_task;        // seconds of each, besides its bytes
  double group_work_item;  // one of a kernel with groups counts for so many
};

// One thread of a processor: 10 GB/s is about what one core copies. Work-items of groups do more, or have barriers.
inline constexpr device_estimates processor_estimates{
    .launch = 1e-6,
    .bandwidth = 1e10,
    .work_items = 1e9,
    .operations = 8e9,
    .host_task = 1e-6,
    .group_work_item = 30.0,
};

// A graphics processor: every kernel counts for about what a small one takes, and a little more with its size.
inline constexpr device_estimates graphics_estimates{
    .launch = 3e-6,
    .bandwidth = 1e12,
    .work_items = 5e10,
    .operations = 1e13,
    .host_task = 1e-6,
    .group_work_item = 1.0,
};

}  // namespace pianola::planner
