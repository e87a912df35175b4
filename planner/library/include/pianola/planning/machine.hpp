// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "types.hpp"

namespace pianola::planning {

struct memory_description {
  std::string name{};
  std::uint64_t bytes = 0;
};

// Speeds are what was measured; 0: nobody has, and costs are estimated from the kind of device.
struct device_description {
  std::string name{};
  std::string backend = "simulated";  // as in files: openmp, simulated, cuda, hip
  memory_id memory = host_memory;
  std::uint32_t maximum_lanes = 8;
  double launch = 0;      // seconds that a kernel takes besides its work
  double bandwidth = 0;   // bytes per second that kernels read and write of the device's memory
  double operations = 0;  // arithmetic operations per second of the whole device
  double host_task = 0;   // seconds that a host task takes besides its work
  bool listed = true;     // programs see it; else it is there for what the host itself does
};

// One direction. n bytes take latency + n / bandwidth.
struct link_description {
  memory_id from = host_memory;
  memory_id to = host_memory;
  double bandwidth = 1e10;             // bytes per second
  double latency = 1e-5;               // seconds
  std::optional<std::uint32_t> bus{};  // links of one number share the bandwidth; none: its own
};

// A kernel was measured to take start + units * per_unit seconds; units are groups, or work-items where it has no groups.
struct kernel_time {
  std::uint64_t kernel = 0;  // command::kernel, or kernel_of(name)
  device_id device{};
  double start = 0;
  double per_unit = 0;
};

// A machine to plan for, as files of format pianola.topology/1 tell of it. Memory 0 is the host's, and each other memory
// has to be linked with it in both directions.
struct machine {
  std::vector<memory_description> memories{{"host", std::uint64_t{1} << 36}};
  std::vector<device_description> devices{};
  std::vector<link_description> links{};  // at most one for each ordered pair of memories
  std::vector<kernel_time> kernel_times{};

  memory_id add_memory(std::string name, std::uint64_t bytes);
  device_id add_device(device_description device);
  // Both directions.
  void connect(memory_id a, memory_id b, double bandwidth, double latency);
};

// The id of kernels that are added to graphs by this name.
[[nodiscard]] std::uint64_t kernel_of(std::string_view name) noexcept;

// These throw planning::error: "<source>: <JSON path>: <reason>". `to_json` does for a machine that could not be read again.
[[nodiscard]] machine read_machine(std::string_view json, std::string_view source = "machine");
[[nodiscard]] machine load_machine(const std::string& path);
[[nodiscard]] std::string to_json(const machine&);
void save(const machine&, const std::string& path);

}  // namespace pianola::planning
