// SPDX-License-Identifier: Apache-2.0
// Parts of devices, which join the table of devices when the program asks for them.
#include <algorithm>
#include <string>

#include "core.hpp"
#include "log.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

model::device_id core::add_part(model::device_id parent, executors::sub_device part) {
  executors::backend* const owner = devices[parent.value()].owner;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i].owner == owner && devices[i].index == part.index)
      return model::device_id(static_cast<std::uint16_t>(i));
  if (devices.size() == maximum_devices)
    throw user_error(error_code::runtime,
                     "more than " + std::to_string(maximum_devices) +
                         " devices: partition in the same ways again, which gives the same "
                         "sub-devices");
  const model::device_id id(static_cast<std::uint16_t>(devices.size()));
  model::device_properties p = std::move(part.properties);
  p.parent = parent;
  p.memory = topology.memory_of(parent);
  topology.devices.push_back(
      {p.name, p.backend, p.memory, topology.devices[parent.value()].maximum_lanes});
  // A domain of its own: no native graph spans it and another device, and host tasks are none of its work.
  domains_.push_back(p.backend + "/" + std::to_string(id.value()));
  log_info("device {}: {} of the {} compute units of device {}", id.value(), p.compute_units,
           properties[parent.value()].compute_units, parent.value());
  properties.push_back(std::move(p));
  devices.push_back({owner, part.index, static_cast<std::uint32_t>(domains_.size() - 1),
                     devices[parent.value()].needs_images});
  return id;
}

std::vector<model::device_id> create_sub_devices(model::device_id d, const model::partition& how) {
  core& c = core::instance();
  if (d.value() >= c.devices.size())
    throw user_error(error_code::invalid, "there is no device " + std::to_string(d.value()));
  std::lock_guard lock(c.mutex);
  const device_entry& e = c.devices[d.value()];
  std::vector<executors::sub_device> parts;
  const executors::status s = e.owner->make_sub_devices(e.index, how, parts);
  if (!s.ok())
    throw user_error(
        s.code, "device::create_sub_devices: '" + c.properties[d.value()].name + "': " + s.reason);
  std::vector<model::device_id> ids;
  ids.reserve(parts.size());
  for (executors::sub_device& part : parts) ids.push_back(c.add_part(d, std::move(part)));
  return ids;
}

}  // namespace pianola::runtime
