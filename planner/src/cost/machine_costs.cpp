// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/cost/machine_costs.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <pianola/model/backend_kind.hpp>

#include "cost/estimates.hpp"

namespace pianola::planner {

namespace {

bool is_processor(const model::device_description& d) {
  return d.memory == model::host_memory || model::runs_host_code(d.backend);
}

const device_estimates& estimates_of(const model::device_description& d) {
  return is_processor(d) ? processor_estimates : graphics_estimates;
}

// Figures of the class of device stand for those that nobody measured.
model::device_speed speed_of(const model::device_description& d) {
  const device_estimates& known = estimates_of(d);
  model::device_speed s = d.speed;
  if (s.launch == 0) s.launch = known.launch;
  if (s.bandwidth == 0) s.bandwidth = known.bandwidth;
  if (s.operations == 0) s.operations = known.operations;
  if (s.host_task == 0) s.host_task = known.host_task;
  return s;
}

// A part of a kernel takes what its own work-items take.
std::uint64_t work_items(const model::launch_geometry& g) {
  return g.part == nullptr ? volume(g.global) : g.ids_of(*g.part).count();
}

auto order_of(const model::kernel_time& t) { return std::tuple(t.kernel, t.device); }

}  // namespace

std::pair<model::memory_id, model::memory_id> copied_memories(const model::copy_command& copy,
                                                              const model::command& command,
                                                              model::memory_id here) noexcept {
  const auto memory_of = [&](const model::memory_operand& o) {
    if (o.requirement >= command.requirements.size()) return o.memory;
    const model::memory_id asked = command.requirements[o.requirement].memory;
    return asked.valid() ? asked : here;
  };
  return {memory_of(copy.source), memory_of(copy.destination)};
}

machine_costs::machine_costs(const model::topology& machine)
    : machine_(machine), links_(machine), times_(machine.kernel_times) {
  for (const model::device_description& d : machine.devices) {
    speeds_.push_back(speed_of(d));
    // Of work-items of which nothing is known, an operation each counts where operations were measured.
    const device_estimates& known = estimates_of(d);
    items_.push_back(1 / (d.speed.operations != 0 ? d.speed.operations : known.work_items));
    grouped_items_.push_back(items_.back() * known.group_work_item);
  }
  std::sort(times_.begin(), times_.end(),
            [](const auto& a, const auto& b) { return order_of(a) < order_of(b); });
}

std::vector<std::uint32_t> machine_costs::alike_devices() const {
  std::vector<std::vector<double>> figures(speeds_.size());
  for (std::size_t d = 0; d < speeds_.size(); ++d) {
    const model::device_speed& s = speeds_[d];
    figures[d] = {s.launch, s.bandwidth, s.operations, s.host_task, items_[d], grouped_items_[d]};
  }
  // By kernel, so that equal times are equal figures.
  for (const model::kernel_time& t : times_) {
    std::vector<double>& of = figures[t.device.value()];
    const std::uint64_t kernel = t.kernel.value();
    of.push_back(static_cast<double>(kernel >> 32));
    of.push_back(static_cast<double>(kernel & 0xffffffffU));
    of.push_back(t.start);
    of.push_back(t.per_unit);
  }
  std::map<std::vector<double>, std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  numbers.reserve(figures.size());
  for (std::vector<double>& f : figures)
    numbers.push_back(
        known.try_emplace(std::move(f), static_cast<std::uint32_t>(known.size())).first->second);
  return numbers;
}

double machine_costs::kernel_seconds(const model::kernel_command& kernel, double bytes,
                                     model::device_id device) const {
  const auto known = std::lower_bound(
      times_.begin(), times_.end(), std::tuple(kernel.id, device),
      [](const model::kernel_time& t, const auto& wanted) { return order_of(t) < wanted; });
  if (known != times_.end() && known->kernel == kernel.id && known->device == device)
    return known->start + static_cast<double>(kernel.geometry.launched().count()) * known->per_unit;
  const model::device_speed& speed = speeds_[device.value()];
  const auto arithmetic =
      kernel.work.operations > 0
          ? kernel.work.operations / speed.operations
          : static_cast<double>(work_items(kernel.geometry)) *
                (kernel.geometry.grouped ? grouped_items_ : items_)[device.value()];
  if (kernel.work.bytes > 0) bytes = kernel.work.bytes;
  return speed.launch + std::max(bytes / speed.bandwidth, arithmetic);
}

double machine_costs::seconds(const model::command& command,
                              model::array_view<const model::buffer_info> buffers,
                              model::device_id device) const {
  double bytes = 0;
  for (const model::requirement& r : command.requirements)
    bytes += static_cast<double>(r.elements.count() * buffers[r.buffer.value()].element_size) *
             (r.mode == model::access_mode::read_write ? 2.0 : 1.0);
  const model::device_speed& speed = speeds_[device.value()];
  struct visitor {
    const machine_costs& costs;
    const model::command& command;
    const model::device_speed& speed;
    double bytes;
    model::device_id device;
    static double moved(double start, double bytes, double bandwidth) {
      return start + bytes / bandwidth;
    }
    double operator()(const model::kernel_command& k) const {
      return costs.kernel_seconds(k, bytes, device);
    }
    double operator()(const model::copy_command& c) const {
      const std::uint64_t copied = c.width * c.height * c.depth;
      const auto [from, to] = copied_memories(c, command, costs.machine_.memory_of(device));
      if (from != to)
        if (const double way = costs.seconds(from, to, copied);
            way < std::numeric_limits<double>::infinity())
          return way;
      return moved(speed.launch, 2.0 * static_cast<double>(copied), speed.bandwidth);
    }
    double operator()(const model::fill_command& f) const {
      return moved(speed.launch, static_cast<double>(f.width * f.height * f.depth),
                   speed.bandwidth);
    }
    double operator()(const model::host_task_command&) const {
      return moved(speed.host_task, bytes, speed.bandwidth);
    }
    double operator()(const model::subgraph_command& g) const {
      // How often a condition holds nobody knows.
      return speed.launch * static_cast<double>(std::max<std::uint64_t>(g.nodes, 1)) *
             static_cast<double>(g.control == model::control_kind::repeat ? g.count : 1);
    }
    double operator()(const model::empty_command&) const { return 0; }
    double operator()(const model::barrier_command&) const { return 0; }
    double operator()(const model::prefetch_command&) const { return 0; }
    double operator()(const model::advise_command&) const { return 0; }
    double operator()(const model::host_access_command&) const { return 0; }
    double operator()(const model::acquire_command&) const { return 0; }
    double operator()(const model::allocate_command&) const { return 0; }
    double operator()(const model::free_command&) const { return 0; }
  };
  return std::visit(visitor{*this, command, speed, bytes, device}, command.payload);
}

}  // namespace pianola::planner
