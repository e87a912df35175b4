// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/interop.hpp"

#include <string>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "machine/lane_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/capturing.hpp"
#include "queues/queue.hpp"
#include "replay/executable/executable_graph.hpp"
#include "submit/submit.hpp"

namespace pianola::runtime {

using executors::native_request;
using model::error_code;
using model::native_kind;
using model::user_error;

namespace {

void* ask(executors::backend& b, const native_request& request) {
  void* handle = nullptr;
  const executors::status s = b.native_handle(request, handle);
  if (!s.ok()) throw user_error(s.code, s.reason);
  return handle;
}

const device_entry& entry_of(const machine& m, model::device_id d) {
  m.check(d);
  return m.device(d);
}

// Everything that the queue gets from now on goes to this lane. The runtime's lock is held.
void pin(process& rt, queue& q) {
  if (q.lane.valid()) return;
  q.lane = rt.lanes.add_private(q.description().device);
}

// What the queue got before is waited for on its lane.
void gather(queue& q) {
  submission s;
  s.payload = model::barrier_command{};
  s.has_payload = true;
  (void)submit(q, s);
}

}  // namespace

void* native_handle(model::device_id device, native_kind what) {
  process& rt = process::instance();
  const device_entry& d = entry_of(rt.machine, device);
  native_request request;
  request.what = what;
  request.device = d.index;
  return ask(*d.owner, request);
}

void* native_handle(queue& q) {
  if (capturing* const c = capturing::active()) c->host_waits_for(q);
  process& rt = process::instance();
  const device_entry& d = entry_of(rt.machine, q.description().device);
  native_request request;
  request.what = native_kind::queue;
  request.device = d.index;
  bool fresh = false;
  {
    const std::lock_guard lock(rt.mutex);
    if (!q.recording.expired())
      throw user_error(
          error_code::invalid,
          "a queue that records has no stream: what is submitted to it becomes nodes of a "
          "graph; end the recording first, or submit a native command");
    fresh = !q.lane.valid();
    pin(rt, q);
    request.where = rt.lanes.ready(q.lane).native;
  }
  // Before the queue is told that it has a stream: a backend without streams says so here.
  if (fresh) (void)ask(*d.owner, request);
  if (fresh) gather(q);
  return ask(*d.owner, request);
}

void* native_handle(const event& e) {
  if (was_held_back(e)) return native_handle(capturing::of_held_back().settled(e));
  if (is_recorded(e))
    throw user_error(
        error_code::invalid,
        "the event stands for a node of a graph, which has no event of the driver's; ask the "
        "event of the graph's submission");
  process& rt = process::instance();
  native_request request;
  request.what = native_kind::event;
  request.position = e.position;
  executors::backend* owner = nullptr;
  {
    const std::lock_guard lock(rt.mutex);
    if (const lane_entry* l = rt.lanes.run_by_executor(e.lane)) {
      request.where = l->native;
      owner = l->owner;
    }
  }
  if (owner == nullptr)
    throw user_error(
        error_code::feature_not_supported,
        "the event is not of a command that ran on a device with a driver of its own, so no "
        "event of a driver stands for it");
  return ask(*owner, request);
}

void* native_handle(const executable_graph& g, native_kind what) { return g.native_handle(what); }

model::device_id device_of_native(const char* backend, void* device) {
  process& rt = process::instance();
  for (std::size_t i = 0; i < rt.machine.listed_devices(); ++i) {
    const device_entry& d = rt.machine.device(model::device_id(static_cast<std::uint16_t>(i)));
    if (d.owner->name() != backend) continue;
    native_request request;
    request.what = native_kind::device;
    request.device = d.index;
    if (ask(*d.owner, request) == device) return model::device_id(static_cast<std::uint16_t>(i));
  }
  throw user_error(error_code::invalid,
                   fmt::format("no device of backend '{}' that this program uses has this handle; "
                               "see PIANOLA_DEVICES and `pianola devices`",
                               backend));
}

model::device_id device_of_stream(model::array_view<const model::device_id> devices, void* stream) {
  process& rt = process::instance();
  const device_entry& first = entry_of(rt.machine, *devices.begin());
  std::uint32_t index = 0;
  const executors::status s = first.owner->device_of_stream(stream, index);
  if (s.code == error_code::feature_not_supported && devices.size() == 1) return *devices.begin();
  if (!s.ok())
    throw user_error(s.code, s.code == error_code::feature_not_supported
                                 ? s.reason + "; give make_queue a context of that device alone"
                                 : s.reason);
  for (const model::device_id d : devices)
    if (const device_entry& e = entry_of(rt.machine, d); e.owner == first.owner && e.index == index)
      return d;
  throw user_error(
      error_code::invalid,
      fmt::format("the stream is of device {} of backend '{}', which is not one of the context's",
                  index, first.owner->name()));
}

std::shared_ptr<queue> adopt_queue(queue_description description, void* stream) {
  process& rt = process::instance();
  const device_entry& d = entry_of(rt.machine, description.device);
  executors::lane* native = nullptr;
  const executors::status s = d.owner->adopt_lane(d.index, stream, native);
  if (!s.ok()) throw user_error(s.code, s.reason);
  auto q = create_queue(std::move(description));
  const std::lock_guard lock(rt.mutex);
  q->lane = rt.lanes.add_private(q->description().device, *d.owner, *native);
  return q;
}

event adopt_event(model::device_id device, void* native_event) {
  process& rt = process::instance();
  const device_entry& d = entry_of(rt.machine, device);
  queue_description description;
  description.device = device;
  const auto q = create_queue(std::move(description));
  executors::lane* lane = nullptr;
  {
    const std::lock_guard lock(rt.mutex);
    // Of one device one after the other on one lane: lanes are for ever.
    q->lane = rt.lanes.adopting(device);
    lane = rt.lanes.ready(q->lane).native;
  }
  const executors::status s = d.owner->wait_for_native(*lane, native_event);
  if (!s.ok()) throw user_error(s.code, s.reason);
  submission empty;
  empty.payload = model::empty_command{};
  empty.has_payload = true;
  return submit(*q, empty);
}

}  // namespace pianola::runtime
