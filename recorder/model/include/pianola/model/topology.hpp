// SPDX-License-Identifier: Apache-2.0
// The machine as planning sees it. A plain struct, so that a plan can be made for a machine that is
// not here.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ids.hpp"

namespace pianola::model {

struct memory_description {
  std::string name;
  std::uint64_t bytes = 0;
};

// What a device was measured to do. 0: nobody measured it, and costs are estimated from the kind of device.
struct device_speed {
  double launch = 0;      // seconds that a kernel takes besides its work
  double bandwidth = 0;   // bytes per second that kernels read and write of the device's memory
  double operations = 0;  // arithmetic operations per second, of the whole device
  double host_task = 0;   // seconds that a task of the host takes besides its work
};

struct device_description {
  std::string name;
  std::string backend;
  memory_id memory;
  std::uint32_t maximum_lanes = 8;
  device_speed speed{};
  bool listed = true;  // programs see it; else it is there for what the host itself does
};

// A directed connection. Time to move n bytes: latency + n / bandwidth.
struct link_description {
  static constexpr std::uint32_t own_bus = 0xffffffffU;
  memory_id from;
  memory_id to;
  double bandwidth = 1e10;      // bytes per second
  double latency = 1e-5;        // seconds
  std::uint32_t bus = own_bus;  // links of one bus that are in use together share its bandwidth
};

// What a kernel was measured to take on a device: seconds = start + units * per_unit, with launch_geometry::units.
struct kernel_time {
  kernel_id kernel;
  device_id device;
  double start = 0;
  double per_unit = 0;
};

struct topology {
  std::vector<memory_description> memories;  // index: memory_id; [0] is the host's
  std::vector<device_description> devices;   // index: device_id
  std::vector<link_description> links;       // at most one per ordered pair; absent: not connected
  std::vector<kernel_time> kernel_times;     // at most one per kernel and device

  [[nodiscard]] memory_id memory_of(device_id d) const { return devices[d.value()].memory; }
};

}  // namespace pianola::model
