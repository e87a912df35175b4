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

struct device_description {
  std::string name;
  std::string backend;
  memory_id memory;
  std::uint32_t maximum_lanes = 8;
};

// A directed connection. Time to move n bytes: latency + n / bandwidth.
struct link_description {
  memory_id from;
  memory_id to;
  double bandwidth = 1e10;  // bytes per second
  double latency = 1e-5;    // seconds
};

struct topology {
  std::vector<memory_description> memories;  // index: memory_id; [0] is the host's
  std::vector<device_description> devices;   // index: device_id
  std::vector<link_description> links;       // at most one per ordered pair; absent: not connected

  [[nodiscard]] memory_id memory_of(device_id d) const { return devices[d.value()].memory; }

  [[nodiscard]] const link_description* link(memory_id from, memory_id to) const noexcept {
    for (const auto& l : links)
      if (l.from == from && l.to == to) return &l;
    return nullptr;
  }
};

}  // namespace pianola::model
