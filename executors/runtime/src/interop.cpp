// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/interop.hpp"

#include <string>

#include <pianola/model/error.hpp>

#include "core.hpp"
#include "executable.hpp"
#include "queue_impl.hpp"
#include "submit.hpp"

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

const device_entry& entry_of(core& c, model::device_id d) {
  if (d.value() >= c.devices.size())
    throw user_error(error_code::invalid, "there is no device " + std::to_string(d.value()));
  return c.devices[d.value()];
}

// Everything that the queue gets from now on goes to this lane. The runtime's lock is held.
void pin(core& c, queue& q) {
  if (q.lane.valid()) return;
  c.add_missing_lanes();
  q.lane = c.state.add_private_lane(q.description().device);
  c.add_missing_lanes();
}

// What the queue got before is waited for on its lane.
void gather(queue& q) {
  submission s;
  s.payload = model::barrier_command{};
  s.has_payload = true;
  (void)submit(q, s);
}

}  // namespace

void give_access(core& c, model::device_id device, executors::resolved_action& action) {
  auto* task = std::get_if<executors::resolved_host_task>(&action);
  if (task == nullptr || task->invoke_with_access == nullptr) return;
  task->access.device = device;
  if (task->enqueues) return;  // the lane's own
  const auto [at, fresh] = c.task_streams.try_emplace(device.value(), nullptr);
  if (fresh) {
    const device_entry& d = c.devices[device.value()];
    native_request request;
    request.what = native_kind::queue;
    request.device = d.index;
    // No stream is no error before the task asks for one.
    if (d.owner->make_lane(d.index, request.where).ok())
      (void)d.owner->native_handle(request, at->second);
  }
  task->access.stream = at->second;
}

void* native_handle(model::device_id device, native_kind what) {
  core& c = core::instance();
  const device_entry& d = entry_of(c, device);
  native_request request;
  request.what = what;
  request.device = d.index;
  return ask(*d.owner, request);
}

void* native_handle(queue& q) {
  core& c = core::instance();
  const device_entry& d = entry_of(c, q.description().device);
  native_request request;
  request.what = native_kind::queue;
  request.device = d.index;
  bool fresh = false;
  {
    const std::lock_guard lock(c.mutex);
    if (!q.recording.expired())
      throw user_error(
          error_code::invalid,
          "a queue that records has no stream: what is submitted to it becomes nodes of a "
          "graph; end the recording first, or submit a native command");
    fresh = !q.lane.valid();
    pin(c, q);
    request.where = c.lane(q.lane).native;
  }
  // Before the queue is told that it has a stream: a backend without streams says so here.
  if (fresh) (void)ask(*d.owner, request);
  if (fresh) gather(q);
  return ask(*d.owner, request);
}

void* native_handle(const event& e) {
  if (is_recorded(e))
    throw user_error(
        error_code::invalid,
        "the event stands for a node of a graph, which has no event of the driver's; ask the "
        "event of the graph's submission");
  core& c = core::instance();
  native_request request;
  request.what = native_kind::event;
  request.position = e.position;
  executors::backend* owner = nullptr;
  {
    const std::lock_guard lock(c.mutex);
    for (const lane_entry& l : c.lanes)
      if (e.lane != nullptr && l.completion == e.lane && l.native != nullptr) {
        request.where = l.native;
        owner = l.owner;
        break;
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
  core& c = core::instance();
  for (std::size_t i = 0; i < c.listed_devices; ++i) {
    const device_entry& d = c.devices[i];
    if (d.owner->name() != backend) continue;
    native_request request;
    request.what = native_kind::device;
    request.device = d.index;
    if (ask(*d.owner, request) == device) return model::device_id(static_cast<std::uint16_t>(i));
  }
  throw user_error(error_code::invalid,
                   std::string("no device of backend '") + backend +
                       "' that this program uses has this handle; see PIANOLA_DEVICES "
                       "and `pianola devices`");
}

model::device_id device_of_stream(model::array_view<const model::device_id> devices, void* stream) {
  core& c = core::instance();
  const device_entry& first = entry_of(c, *devices.begin());
  std::uint32_t index = 0;
  const executors::status s = first.owner->device_of_stream(stream, index);
  if (s.code == error_code::feature_not_supported && devices.size() == 1) return *devices.begin();
  if (!s.ok())
    throw user_error(s.code, s.code == error_code::feature_not_supported
                                 ? s.reason + "; give make_queue a context of that device alone"
                                 : s.reason);
  for (const model::device_id d : devices)
    if (const device_entry& e = entry_of(c, d); e.owner == first.owner && e.index == index)
      return d;
  throw user_error(error_code::invalid, "the stream is of device " + std::to_string(index) +
                                            " of backend '" + std::string(first.owner->name()) +
                                            "', which is not one of the context's");
}

std::shared_ptr<queue> adopt_queue(queue_description description, void* stream) {
  core& c = core::instance();
  const device_entry& d = entry_of(c, description.device);
  executors::lane* native = nullptr;
  const executors::status s = d.owner->adopt_lane(d.index, stream, native);
  if (!s.ok()) throw user_error(s.code, s.reason);
  auto q = create_queue(std::move(description));
  const std::lock_guard lock(c.mutex);
  c.add_missing_lanes();
  q->lane = c.state.add_private_lane(q->description().device);
  lane_entry e;
  e.owner = d.owner;
  e.native = native;
  e.completion = &native->completion();
  c.append_lane(std::move(e));
  return q;
}

event adopt_event(model::device_id device, void* native_event) {
  core& c = core::instance();
  const device_entry& d = entry_of(c, device);
  queue_description description;
  description.device = device;
  const auto q = create_queue(std::move(description));
  executors::lane* lane = nullptr;
  {
    const std::lock_guard lock(c.mutex);
    // Of one device one after the other on one lane: lanes are for ever.
    model::lane_id& kept = c.adopting_lanes[device.value()];
    if (!kept.valid()) {
      pin(c, *q);
      kept = q->lane;
    }
    q->lane = kept;
    lane = c.lane(kept).native;
  }
  const executors::status s = d.owner->wait_for_native(*lane, native_event);
  if (!s.ok()) throw user_error(s.code, s.reason);
  submission empty;
  empty.payload = model::empty_command{};
  empty.has_payload = true;
  return submit(*q, empty);
}

}  // namespace pianola::runtime
