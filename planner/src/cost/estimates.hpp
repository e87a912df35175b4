// SPDX-License-Identifier: Apache-2.0
// Figures of classes of devices and of their links, for those that nobody has measured: machine_costs and estimate_links take
// them where the topology or a backend says nothing, and nobody else does. Those of threads, which only measurement of kernels
// replaces, are in thread_costs.hpp; what operations are worth beside additions is in operation_worth.hpp. A link
// that is described by nobody but its ends, as in the list of a plan's machine, has the defaults of model::link_description.
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

struct link_estimates {
  double bandwidth;  // bytes per second
  double latency;    // seconds
};
struct link_class_estimates {
  link_estimates with_host;
  link_estimates between_devices;
};

// Memories of graphics processors: a bus, and what goes from device to device past the host.
inline constexpr link_class_estimates graphics_link_estimates{
    .with_host = {.bandwidth = 2e10, .latency = 1e-5},
    .between_devices = {.bandwidth = 5e10, .latency = 8e-6},
};

// Memories of devices that the processor stands for: copies in its own memory.
inline constexpr link_class_estimates copied_link_estimates{
    .with_host = {.bandwidth = 1e10, .latency = 1e-5},
    .between_devices = {.bandwidth = 2e10, .latency = 5e-6},
};

}  // namespace pianola::planner
