// SPDX-License-Identifier: Apache-2.0
// What commands and transfers take on the devices and links of one machine: THE cost model, which placement, splitting,
// simulation and, through what they are told of each step, the backends go by. Measured figures of the topology go before
// estimates from the kind of device.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>

#include "links.hpp"

namespace pianola::planner {

// Between which memories a copy goes, on a device with the memory `here`.
[[nodiscard]] std::pair<model::memory_id, model::memory_id> copied_memories(
    const model::copy_command& copy, const model::command& command, model::memory_id here) noexcept;

class machine_costs {
 public:
  // The machine must outlive this.
  explicit machine_costs(const model::topology& machine);

  // Seconds of the command alone on the device, with its data there. Of a kernel: what was measured of it, else a
  // roofline of its bytes and operations: those of its requirements where nobody knows better, and an operation, or an
  // estimate, for each work-item.
  // Of a copy between two memories: of the transfer.
  [[nodiscard]] double seconds(const model::command& command,
                               model::array_view<const model::buffer_info> buffers,
                               model::device_id device) const;

  // Seconds of a transfer alone, over the host's memory where there is no link. Infinite if there is no way; 0 from a
  // memory to itself.
  [[nodiscard]] double seconds(model::memory_id from, model::memory_id to,
                               std::uint64_t bytes) const noexcept {
    return links_.between(from, to).seconds(bytes);
  }

  // A number for each device, the same for those on which every command takes the same, apart from copies.
  [[nodiscard]] std::vector<std::uint32_t> alike_devices() const;

  [[nodiscard]] const model::topology& machine() const noexcept { return machine_; }
  [[nodiscard]] const planner::connections& links() const noexcept { return links_; }

 private:
  [[nodiscard]] double kernel_seconds(const model::kernel_command& kernel, double bytes,
                                      model::device_id device) const;

  const model::topology& machine_;
  planner::connections links_;
  std::vector<model::device_speed> speeds_;  // index: device_id; nothing is 0
  // Index: device_id; seconds of a work-item of which nothing is known, without and with groups.
  std::vector<double> items_, grouped_items_;
  std::vector<model::kernel_time> times_;  // sorted by kernel, then device
};

}  // namespace pianola::planner
