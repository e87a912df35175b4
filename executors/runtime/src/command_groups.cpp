// SPDX-License-Identifier: Apache-2.0
// Command groups that become several commands. Each carries what those before it require, so that the last one
// stands for all: who waits for it, or for any buffer of the command group, waits for the whole.
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>

#include "core.hpp"
#include "event_record.hpp"
#include "image_checks.hpp"
#include "pointers.hpp"
#include "queue_impl.hpp"
#include "submit.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

void check_command(const core& c, submission& s, model::device_id device) {
  auto* kernel = std::get_if<model::kernel_command>(&s.payload);
  if (kernel == nullptr) return;
  kernel->local_memory_bytes = s.local_memory_bytes;
  check_launch(*kernel, c.properties[device.value()]);
  check_image(c, *kernel, device);
}

void check_group(core& c, submission& first, model::device_id device, bool allocate) {
  for (submission* s = &first; s != nullptr; s = s->next.get()) {
    check_command(c, *s, device);
    static_cast<void>(find_slots(*s));
    const std::lock_guard lock(c.mutex);
    locate_pointers(c, s->payload);
    const placement where = place_command(c, s->payload, device);
    for (const accessor_request& a : s->accessors) {
      check_request(a, c.living(a.buffer));
      if (allocate) c.ensure_allocation(core::id_of(a.buffer), where.memory_of(a));
    }
  }
}

void note_requirements(submission& s, const std::vector<model::requirement>& requirements,
                       model::memory_id memory) {
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const model::requirement& r = requirements[i];
    s.accessors[i].mode = r.mode;
    s.accessors[i].memory = r.memory.valid() ? r.memory : memory;
  }
}

void carry_requirements(const core& c, const submission& before, submission& next,
                        model::device_id device) {
  const placement where = place_command(c, next.payload, device);
  const std::size_t own = next.accessors.size();
  for (const accessor_request& a : before.accessors) {
    // Only the runtime's own buffers between two commands are needed in different memories.
    bool moves = false;
    for (std::size_t i = 0; i < own; ++i) {
      const accessor_request& mine = next.accessors[i];
      moves = moves || (mine.buffer == a.buffer && where.memory_of(mine) != a.memory);
    }
    if (moves) continue;
    accessor_request carried = a;
    carried.cookie = 0;
    carried.for_order = true;
    next.accessors.push_back(carried);
  }
}

// A copy between devices of which neither reaches the other's memory: through memory of the host, in two commands.
event copy_over_host(queue& q, submission& s, place_in_group& place) {
  core& c = core::instance();
  const auto& copy = std::get<model::copy_command>(s.payload);
  const std::uint64_t row = copy.width, slice = row * copy.height, bytes = slice * copy.depth;
  const device_entry& host = c.devices[c.host_device.value()];
  model::memory_operand between;
  const executors::status status =
      host.owner->allocate(host.index, executors::memory_kind::host, bytes, 0, between.pointer);
  if (!status.ok())
    throw user_error(status.code, status.reason +
                                      "; a copy between devices of different backends "
                                      "goes through memory of the host");
  pointer_registry::instance().add(between.pointer, bytes, usm_kind::host, c.host_device, false);
  between.row_pitch = row;
  between.slice_pitch = slice;
  event last;
  const auto free_when_copied = [&] {
    std::lock_guard lock(c.mutex);
    std::vector<executors::lane_position> users;
    if (last.lane != nullptr) users.push_back({last.lane, last.position});
    c.retired.push_back({std::move(users), {{between.pointer, true, false, c.host_device}}});
  };
  const bool is_last = std::exchange(place.last, false);
  try {
    submission in, out;
    in.label = out.label = s.label;
    in.has_payload = out.has_payload = true;
    in.device = out.device = s.device;
    for (const event& e : s.after) in.after.push_back(e);
    for (const accessor_request& a : s.accessors) in.accessors.push_back(a);
    model::copy_command half = copy;
    half.destination = between;
    in.payload = half;
    last = submit_one(q, in, place);
    half = copy;
    half.source = between;
    out.payload = half;
    out.after.push_back(last);
    carry_requirements(c, in, out, s.device.valid() ? s.device : device_of(q));
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

event submit(queue& q, submission& s) {
  place_in_group place;
  if (s.next == nullptr) [[likely]]
    return submit_one(q, s, place);
  core& c = core::instance();
  const model::device_id device = s.device.valid() ? s.device : device_of(q);
  if (device.value() >= c.devices.size())
    throw user_error(error_code::invalid, "there is no device " + std::to_string(device.value()));
  check_group(c, s, device, !is_recording(q));
  place.last = false;
  event last = submit_one(q, s, place);
  place.first = false;
  const submission* before = &s;
  for (submission* next = s.next.get(); next != nullptr; next = next->next.get()) {
    next->device = s.device;
    next->preferred_lane = s.preferred_lane;
    carry_requirements(c, *before, *next, device);
    next->after.push_back(std::move(last));
    place.last = next->next == nullptr;
    last = submit_one(q, *next, place);
    before = next;
  }
  return last;
}

}  // namespace pianola::runtime
