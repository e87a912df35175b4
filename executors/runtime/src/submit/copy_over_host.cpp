// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>

#include "commands/command_groups.hpp"
#include "commands/copy_halves.hpp"
#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "submit/submit.hpp"

namespace pianola::runtime {

using model::user_error;

event copy_over_host(queue& q, submission& s, place_in_group& place) {
  process& rt = process::instance();
  const auto& copy = std::get<model::copy_command>(s.payload);
  const std::uint64_t bytes = copy_halves::bytes_between(copy);
  const device_entry& host = rt.machine.device(rt.machine.host_device());
  void* between = nullptr;
  const executors::status status =
      host.owner->allocate(host.index, executors::memory_kind::host, bytes, 0, between);
  if (!status.ok())
    throw user_error(status.code, status.reason +
                                      "; a copy between devices of different backends "
                                      "goes through memory of the host");
  pointer_registry::instance().add(between, bytes, usm_kind::host, rt.machine.host_device(),
                                   allocation_use::other);
  const copy_halves halves(copy, between);
  event last;
  const auto free_when_copied = [&] {
    std::lock_guard lock(rt.mutex);
    std::vector<executors::lane_position> users;
    if (last.lane != nullptr) users.push_back({last.lane, last.position});
    rt.buffers.retire(std::move(users), {{between, true, false, rt.machine.host_device()}});
  };
  const bool is_last = std::exchange(place.last, false);
  try {
    submission in, out;
    in.label = out.label = s.label;
    in.has_payload = out.has_payload = true;
    in.device = out.device = s.device;
    for (const event& e : s.after) in.after.push_back(e);
    for (const accessor_request& a : s.accessors) in.accessors.push_back(a);
    in.payload = halves.in;
    last = submit_one(q, in, place);
    out.payload = halves.out;
    out.after.push_back(last);
    carry_requirements(rt.machine, in, out, s.device.valid() ? s.device : device_of(q));
    for (std::size_t i = 0; i < in.accessors.size(); ++i) s.accessors[i] = in.accessors[i];
    place.first = false;
    place.last = is_last;
    last = submit_one(q, out, place);
  } catch (...) {
    free_when_copied();
    throw;
  }
  free_when_copied();
  return last;
}

}  // namespace pianola::runtime
