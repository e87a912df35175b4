// SPDX-License-Identifier: Apache-2.0
#include "machine/lane_table.hpp"

#include <algorithm>
#include <utility>

#include <pianola/model/error.hpp>

#include "machine/machine.hpp"
#include "support/log.hpp"

namespace pianola::runtime {

using model::user_error;

const lane_entry* lane_table::run_by_executor(
    const executors::progress* completion) const noexcept {
  const auto found = std::find_if(lanes_.begin(), lanes_.end(), [&](const lane_entry& e) {
    return e.completion == completion && e.native != nullptr;
  });
  return completion == nullptr || found == lanes_.end() ? nullptr : &*found;
}

void lane_table::start(lane_entry& e, model::device_id device) {
  const device_entry& d = machine_.device(device);
  const executors::status s = d.owner->make_lane(d.index, e.native);
  if (!s.ok()) throw user_error(s.code, s.reason);
  e.completion = &e.native->completion();
}

void lane_table::append(lane_entry&& e) {
  const model::lane_id id(static_cast<std::uint32_t>(lanes_.size()));
  if (lanes_.size() == lanes_.capacity()) lanes_.reserve(2 * lanes_.size() + 8);
  if (e.own == nullptr)
    of_executors_.push_back(id);
  else
    host_lanes_.emplace(e.own.get(), id);
  lanes_.push_back(std::move(e));  // does not throw now
}

void lane_table::add_missing() {
  while (lanes_.size() < state_.lane_count()) {
    const model::lane_id id(static_cast<std::uint32_t>(lanes_.size()));
    const model::device_id device = state_.device_of(id);
    lane_entry e;
    e.owner = machine_.device(device).owner;
    e.completion = &nothing_;
    append(std::move(e));
    try {
      start(lanes_.back(), device);
    } catch (const user_error& failure) {
      // Steps are planned there already. The first one to be submitted tries again, and tells its queue.
      log_info("a lane of device {} could not be made: {}", device.value(), failure.what());
    }
  }
}

model::lane_id lane_table::add_private(model::device_id device) {
  follow_planner();
  const model::lane_id id = state_.add_private_lane(device);
  follow_planner();
  return id;
}

model::lane_id lane_table::add_private(model::device_id device, executors::backend& owner,
                                       executors::lane& native) {
  follow_planner();
  const model::lane_id id = state_.add_private_lane(device);
  lane_entry e;
  e.owner = &owner;
  e.native = &native;
  e.completion = &native.completion();
  append(std::move(e));
  return id;
}

model::lane_id lane_table::preferred(model::device_id device, std::uint32_t number) {
  preferred_.resize(machine_.device_count());
  std::vector<model::lane_id>& of_device = preferred_[device.value()];
  of_device.resize(std::max(1U, machine_.topology().devices[device.value()].maximum_lanes));
  model::lane_id& chosen = of_device[number % of_device.size()];
  if (!chosen.valid()) chosen = add_private(device);
  return chosen;
}

model::lane_id lane_table::adopting(model::device_id device) {
  model::lane_id& kept = adopting_[device.value()];
  if (!kept.valid()) kept = add_private(device);
  return kept;
}

model::lane_id lane_table::take_for_host() {
  if (!free_host_lanes_.empty()) {
    const model::lane_id id = free_host_lanes_.back();
    free_host_lanes_.pop_back();
    return id;
  }
  follow_planner();
  // What ends an access cannot fail.
  if (free_host_lanes_.capacity() <= host_lanes_.size())
    free_host_lanes_.reserve(2 * host_lanes_.size() + 8);
  const model::lane_id id = state_.add_private_lane(machine_.host_device());
  lane_entry e;
  e.own = std::make_unique<executors::progress>();
  e.completion = e.own.get();
  append(std::move(e));
  return id;
}

model::lane_id lane_table::take_for_graph(model::device_id device) {
  if (device.value() < free_graph_lanes_.size() && !free_graph_lanes_[device.value()].empty()) {
    const model::lane_id id = free_graph_lanes_[device.value()].back();
    free_graph_lanes_[device.value()].pop_back();
    return id;
  }
  return add_private(device);
}

void lane_table::give_back_from_graph(model::device_id device, model::lane_id id) {
  if (free_graph_lanes_.size() <= device.value()) free_graph_lanes_.resize(device.value() + 1);
  free_graph_lanes_[device.value()].push_back(id);
}

side_lane lane_table::take_side_lane(model::device_id device) {
  const auto found = std::find_if(free_side_lanes_.begin(), free_side_lanes_.end(),
                                  [&](const side_lane& l) { return l.device == device; });
  if (found != free_side_lanes_.end()) {
    const side_lane taken = *found;
    free_side_lanes_.erase(found);
    return taken;
  }
  const device_entry& d = machine_.device(device);
  side_lane made{device, d.owner, nullptr, 0};
  const executors::status status = d.owner->make_lane(d.index, made.native);
  if (!status.ok()) throw user_error(status.code, status.reason);
  return made;
}

void* lane_table::task_stream(model::device_id device) {
  const auto [at, fresh] = task_streams_.try_emplace(device.value(), nullptr);
  if (fresh) {
    const device_entry& d = machine_.device(device);
    executors::native_request request;
    request.what = model::native_kind::queue;
    request.device = d.index;
    // No stream is no error before the task asks for one.
    if (d.owner->make_lane(d.index, request.where).ok())
      (void)d.owner->native_handle(request, at->second);
  }
  return at->second;
}

}  // namespace pianola::runtime
