// SPDX-License-Identifier: Apache-2.0
// What things take: the one model that everything asks which decides by time before there is a measurement. Times
// are nanoseconds unless a name says otherwise. Kernels that have run are known better: their measured cost goes before.
#pragma once
#include <algorithm>
#include <cstdint>

#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

namespace pianola::planner {

// Of a class of devices.
struct device_costs {
  double kernel;        // of each kernel, besides its work-items
  double work_item;     // of a kernel
  double least_kernel;  // a kernel takes so long at least
  double copy;          // of each copy, besides its bytes
  double copied_bytes_per_ns;
  double fill;  // of each fill, besides its bytes
  double filled_bytes_per_ns;
  double
      other;  // host tasks, barriers and whatever else: all that is known is that it takes something
};

// One thread of a processor. Estimates: kernels are measured when they run, so these stand for those that never have; 10
// GB/s is about what one core copies.
inline constexpr device_costs processor_costs{
    .kernel = 0,
    .work_item = 1.0,
    .least_kernel = 1000.0,
    .copy = 0,
    .copied_bytes_per_ns = 10.0,
    .fill = 0,
    .filled_bytes_per_ns = 10.0,
    .other = 10.0,
};
// Instead of `work_item`, for kernels with work-groups: they do more per work-item, or have barriers. An estimate.
inline constexpr double processor_group_work_item = 30.0;

// A graphics processor, for nodes of a driver's graph. Estimates, as nothing is measured there: every kernel counts for
// about what a small one takes, and a little more with its size; a copy for its start and the 20 GB/s of a bus, a fill for
// its start and the 1000 GB/s of a device's memory.
inline constexpr device_costs graphics_costs{
    .kernel = 3000.0,
    .work_item = 0.02,
    .least_kernel = 0,
    .copy = 5000.0,
    .copied_bytes_per_ns = 20.0,
    .fill = 2000.0,
    .filled_bytes_per_ns = 1000.0,
    .other = 0,
};

// `measured`: what it took when it ran, if it has; else negative.
[[nodiscard]] constexpr double kernel_cost(const device_costs& d, std::uint64_t work_items,
                                           double measured = -1.0) noexcept {
  if (measured >= 0) return measured;
  return std::max(d.least_kernel, d.kernel + d.work_item * static_cast<double>(work_items));
}
[[nodiscard]] constexpr double copy_cost(const device_costs& d, std::uint64_t bytes) noexcept {
  return d.copy + static_cast<double>(bytes) / d.copied_bytes_per_ns;
}
[[nodiscard]] constexpr double fill_cost(const device_costs& d, std::uint64_t bytes) noexcept {
  return d.fill + static_cast<double>(bytes) / d.filled_bytes_per_ns;
}

// Threads of a processor that run one graph together. A handover is one way of a cache line from core to core, of which
// there and back takes 60 to 500 ns (tests/bench/core_distance.cpp measures it). The others are where cutting a kernel
// was found to pay.
struct strand_costs {
  double handover = 150.0;   // waiting for what another thread does
  double cut_from = 2000.0;  // kernels that take less run on one thread
  double cut_in_chain_from =
      400.0;  // if the next step waits for it: half of it is saved at the price of a handover
};

// Seconds over a link, which says what it takes.
[[nodiscard]] inline double transfer_seconds(const model::link_description& link,
                                             std::uint64_t bytes) noexcept {
  return link.latency + static_cast<double>(bytes) / link.bandwidth;
}
// Negative if the memories are not linked.
[[nodiscard]] inline double transfer_seconds(const model::topology& machine, model::memory_id from,
                                             model::memory_id to, std::uint64_t bytes) noexcept {
  const model::link_description* const link = machine.link(from, to);
  return link == nullptr ? -1.0 : transfer_seconds(*link, bytes);
}
// What goes over the link in the time of its latency.
[[nodiscard]] inline double bytes_worth_latency(const model::link_description& link) noexcept {
  return link.latency * link.bandwidth;
}

}  // namespace pianola::planner
