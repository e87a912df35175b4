// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/step_maker.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/file_bytes.hpp>
#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>
#include <pianola/planner/cost/machine_costs.hpp>

#include "commands/accessible_boxes.hpp"
#include "commands/addresses.hpp"
#include "commands/argument_slots.hpp"
#include "commands/names.hpp"
#include "data/buffer_table.hpp"
#include "execute/native_access.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/control_step.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

using planner::execute_step;
using planner::transfer_step;

namespace {

bool runs_host_tasks(const model::command& c) {
  if (std::holds_alternative<model::host_task_command>(c.payload)) return true;
  const control* const what = control_of(c);
  return what != nullptr &&
         std::any_of(what->bodies.begin(), what->bodies.end(), [](const control::body& b) {
           return std::any_of(b.recorded.commands.begin(), b.recorded.commands.end(),
                              runs_host_tasks);
         });
}

// Alignment included.
std::size_t own_argument_bytes(const model::command& c) {
  const model::argument_block* const a = model::arguments_of(c.payload);
  return a == nullptr || a->operations != nullptr ? 0 : a->size + a->alignment;
}

}  // namespace

// All in one walk: commands may be more than caches hold.
void step_maker::make_controls(bool node_times) {
  argument_bytes_ = 0;
  for (std::size_t i = 0; i < g_.recorded.commands.size(); ++i) {
    argument_bytes_ += own_argument_bytes(g_.recorded.commands[i]);
    has_host_tasks_ = has_host_tasks_ || runs_host_tasks(g_.recorded.commands[i]);
    const control* const what = control_of(g_.recorded.commands[i]);
    if (what == nullptr) continue;
    controls_.resize(g_.recorded.commands.size());
    controls_[i] = make_control_step(*what, running_, i, node_times);
  }
}

void step_maker::begin() {
  accessible_.clear();
  arguments_.clear();
  formats::reserve_for_filling(arguments_, g_.plan.steps.size());
  arguments_.resize(g_.plan.steps.size());
  const auto room = arena_.reserve(argument_bytes_);
  formats::want_large_pages(room.data(), argument_bytes_);
}

void step_maker::begin_again() { arguments_.resize(g_.plan.steps.size()); }

void step_maker::make(process& rt, std::uint32_t step, const planner::machine_costs& costs,
                      executors::graph_step& out) {
  const planner::step& s = g_.plan.steps[step];
  const device_entry& d = rt.machine.device(g_.plan.lanes[s.lane.value()].device);
  const auto* const e = std::get_if<execute_step>(&s.action);
  if (e != nullptr) touch_buffers(rt, *e, step);
  resolve(rt, s, out.action);
  out.owner = d.owner;
  out.device = d.index;
  out.lane = s.lane.value();
  out.expected = expected(s, costs);
  out.timed = g_.times != nullptr && !g_.times->of_launches && e != nullptr;
  out.stamped = g_.places != nullptr && does_something(s);
}

double step_maker::expected(const planner::step& s, const planner::machine_costs& costs) const {
  constexpr double second = 1e9;
  if (const auto* const e = std::get_if<planner::execute_step>(&s.action))
    return second *
           costs.seconds(g_.recorded.commands[e->command.value()], g_.recorded.buffers, e->device);
  const auto& t = std::get<planner::transfer_step>(s.action);
  return second *
         costs.seconds(t.from, t.to,
                       t.elements.count() * g_.recorded.buffers[t.buffer.value()].element_size);
}

// What only stands for an order has no times.
bool step_maker::does_something(const planner::step& s) const {
  const auto* const e = std::get_if<planner::execute_step>(&s.action);
  if (e == nullptr) return false;
  switch (model::kind_of(g_.recorded.commands[e->command.value()].payload)) {
    case model::command_kind::kernel:
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::host_task:
    case model::command_kind::subgraph:
      return true;
    case model::command_kind::empty:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::allocate:
    case model::command_kind::free:
      break;
  }
  return false;
}

context_head step_maker::context_of(std::uint32_t step) const noexcept {
  context_head head;
  head.replay = &running_;
  head.step = step;
  if (const auto* const e = std::get_if<execute_step>(&g_.plan.steps[step].action))
    head.command = static_cast<std::uint32_t>(e->command.value());
  return head;
}

model::memory_id step_maker::memory_of(process& rt, const model::command& command,
                                       std::uint32_t requirement) {
  const model::requirement& r = command.requirements[requirement];
  return r.memory.valid() ? r.memory : rt.machine.memory_of(command.device);
}

void* step_maker::address_of(process& rt, model::buffer_id buffer, model::memory_id memory,
                             std::size_t step) const {
  if (!g_.plan.slots.empty())
    if (void* const slot = slots_.address(g_.plan, buffer, memory, step)) return slot;
  if (known_ == nullptr) return rt.buffers.ensure_allocation(g_.live[buffer.value()], memory);
  void*& known = known_->of(buffer, memory);
  if (known == nullptr) known = rt.buffers.ensure_allocation(g_.live[buffer.value()], memory);
  return known;
}

void step_maker::touch_buffers(process& rt, const planner::execute_step& e,
                               std::size_t step) const {
  const model::command& c = g_.recorded.commands[e.command.value()];
  for (std::uint32_t i = 0; i < c.requirements.size(); ++i)
    static_cast<void>(address_of(rt, c.requirements[i].buffer, memory_of(rt, c, i), step));
}

// Where its accessor may be behind a pointer, a host task works where the buffer was when it was recorded. Plain bytes hold
// pointers of the program's at most: the accessor is there for the order.
void step_maker::check_out_of_reach(const process& rt, const model::command& command,
                                    model::buffer_id buffer) const {
  if (model::arguments_of(command.payload)->operations == nullptr) return;
  const model::buffer_id live = g_.live[buffer.value()];
  if (live == buffer_table::id_of(g_.recorded.key(buffer.value())) && !rt.buffers[live].moved)
    return;
  throw model::user_error(
      model::error_code::invalid,
      fmt::format("'{}' of a graph has an accessor that is not among the captures of its function "
                  "object, so that it cannot work on {}: capture the accessor itself, by value",
                  display_name(command),
                  rt.buffers[live].moved ? "its buffer, which has ended and moved out of the "
                                           "memory of the program"
                                         : "another buffer than the recorded one"));
}

void step_maker::patch(process& rt, std::size_t step, void* bytes) const {
  const auto& e = std::get<execute_step>(g_.plan.steps[step].action);
  const model::command& command = g_.recorded.commands[e.command.value()];
  const auto* const slots = model::slots_of(command.payload);
  for (const model::argument_slot& slot :
       slots == nullptr ? model::array_view<const model::argument_slot>() : *slots) {
    if (slot.what != model::argument_slot::kind::buffer) continue;
    const model::requirement& r = command.requirements[slot.requirement];
    if (slot.offset == out_of_reach) {
      check_out_of_reach(rt, command, r.buffer);
      continue;
    }
    auto address = reinterpret_cast<std::uintptr_t>(
        address_of(rt, r.buffer, memory_of(rt, command, slot.requirement), step));
    address += slot.byte_offset;
    std::memcpy(static_cast<unsigned char*>(bytes) + slot.offset, &address, sizeof address);
  }
  if (!g_.bound.memory.empty()) g_.uses->write_arguments(e.command.value(), bytes, g_.bound.memory);
}

namespace {

// What a command's requirements mean for a step.
template <class Address, class Memory>
class step_addresses final : public address_book {
 public:
  step_addresses(Address address, Memory memory) : address_(address), memory_(memory) {}
  [[nodiscard]] void* address(std::uint32_t requirement) const override {
    return address_(requirement);
  }
  [[nodiscard]] model::memory_id memory(std::uint32_t requirement) const override {
    return memory_(requirement);
  }

 private:
  Address address_;
  Memory memory_;
};

}  // namespace

void step_maker::resolve(process& rt, const planner::step& s, executors::resolved_action& action) {
  const auto step = static_cast<std::size_t>(&s - g_.plan.steps.data());
  if (const auto* t = std::get_if<transfer_step>(&s.action)) {
    action = copy_of_box(g_.recorded.buffers[t->buffer.value()], t->elements,
                         address_of(rt, t->buffer, t->to, step), t->to,
                         address_of(rt, t->buffer, t->from, step), t->from);
    return;
  }
  const auto& e = std::get<execute_step>(s.action);
  const model::command& command = g_.recorded.commands[e.command.value()];
  switch (kind_of(command.payload)) {
    case model::command_kind::kernel:
      return resolve_kernel(rt, step, command,
                            *std::get_if<model::kernel_command>(&command.payload),
                            action.emplace<executors::resolved_kernel>());
    case model::command_kind::host_task: {
      const auto& task = *std::get_if<model::host_task_command>(&command.payload);
      auto& r = action.emplace<executors::resolved_host_task>();
      r.invoke = task.invoke;
      r.invoke_with_access = task.invoke_with_access;
      r.enqueues = task.enqueues;
      r.arguments = copy_arguments(rt, step, task.arguments);
      return give_access(rt.lanes, task.queue_device.valid() ? task.queue_device : g_.device,
                         action);
    }
    case model::command_kind::subgraph:
      action = resolve_control(rt, step);
      return;
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::allocate:
      return resolve_memory_command(rt, step, e.command.value(), action);
    case model::command_kind::empty:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::free:
      return;
  }
}

// Every instantiated step works on its own copy of the arguments, with addresses filled in.
model::argument_block step_maker::copy_arguments(process& rt, std::size_t step,
                                                 const model::argument_block& source) {
  model::argument_block own = source;
  if (source.size == 0) return own;
  own_arguments& kept = arguments_[step];
  if (kept.bytes() == nullptr && source.operations != nullptr) {
    kept = own_arguments(source);
  } else if (kept.bytes() == nullptr) {
    kept = own_arguments(arena_.allocate(source.size, source.alignment));
    std::memcpy(kept.bytes(), source.bytes, source.size);
  }
  own.bytes = kept.bytes();
  patch(rt, step, own.bytes);
  return own;
}

// They come one kind after the other, those of buffers first.
static model::array_view<const model::argument_slot> slots_of_kind(
    const model::kernel_command& kernel, model::argument_slot::kind what) {
  if (kernel.slots.empty() || kernel.slots.back().what == model::argument_slot::kind::buffer)
    return {};
  const auto* const first = std::find_if(kernel.slots.begin(), kernel.slots.end(),
                                         [&](const auto& slot) { return slot.what == what; });
  const auto* const end =
      std::find_if(first, kernel.slots.end(), [&](const auto& slot) { return slot.what != what; });
  return {first, static_cast<std::size_t>(end - first)};
}

void step_maker::resolve_kernel(process& rt, std::size_t step, const model::command& command,
                                const model::kernel_command& kernel,
                                executors::resolved_kernel& r) {
  r.kernel = kernel.kernel;
  r.geometry = kernel.geometry;
  r.local_memory_bytes = kernel.local_memory_bytes;
  r.arguments = copy_arguments(rt, step, kernel.arguments);
  r.local_slots = slots_of_kind(kernel, model::argument_slot::kind::local_memory);
  r.texture_slots = slots_of_kind(kernel, model::argument_slot::kind::texture);
  if (!kernel.kernel->checks_accesses) [[likely]]
    return;
  std::vector<model::accessible_box>& boxes = accessible_[step];
  boxes.clear();
  find_accessible_boxes(
      kernel.slots, command.requirements,
      [&](model::buffer_id b) -> const model::buffer_info& {
        return g_.recorded.buffers[b.value()];
      },
      boxes);
  r.accessible = boxes;
}

// A copy or a fill, or what comes to one.
void step_maker::resolve_memory_command(process& rt, std::size_t step, std::uint32_t index,
                                        executors::resolved_action& action) {
  const model::command& command = g_.recorded.commands[index];
  const auto memory = [&](std::uint32_t requirement) {
    return memory_of(rt, command, requirement);
  };
  const step_addresses addresses(
      [&](std::uint32_t requirement) {
        return address_of(rt, command.requirements[requirement].buffer, memory(requirement), step);
      },
      memory);
  if (const auto* copy = std::get_if<model::copy_command>(&command.payload)) {
    model::copy_command located = *copy;
    if (!g_.bound.memory.empty()) {
      located.source.pointer = g_.uses->translate(copy->source.pointer, g_.bound.memory);
      located.destination.pointer = g_.uses->translate(copy->destination.pointer, g_.bound.memory);
    }
    executors::resolved_copy r = resolve_copy(located, addresses);
    for (std::size_t i = 0; i < g_.recorded.staged.size(); ++i) {
      void* const at = staging_.address(i);
      if (g_.recorded.staged[i].in == index) r.destination = at;
      if (g_.recorded.staged[i].out == index) r.source = at;
    }
    action = r;
  } else if (const auto* fill = std::get_if<model::fill_command>(&command.payload)) {
    model::fill_command located = *fill;
    if (!g_.bound.memory.empty())
      located.destination.pointer = g_.uses->translate(fill->destination.pointer, g_.bound.memory);
    action = resolve_fill(located, addresses);
  } else if (executors::resolved_fill zeroed; zeroes(command.payload, zeroed)) {
    action = zeroed;
  }
}

void step_maker::check_addresses_of_bodies(process& rt) const {
  for (const auto& c : controls_)
    if (c != nullptr) c->check_addresses(rt);
}

executors::resolved_action step_maker::resolve_control(process& rt, std::size_t step) const {
  const auto& e = std::get<planner::execute_step>(g_.plan.steps[step].action);
  const model::command& command = g_.recorded.commands[e.command.value()];
  const control* const what = control_of(command);
  if (what == nullptr) return {};
  control_step& runner = *controls_[e.command.value()];
  runner.bind(rt, g_);
  if (what->pointer != nullptr && !g_.bound.memory.empty())
    runner.find_condition(g_.uses->translate(const_cast<void*>(what->pointer), g_.bound.memory));
  const std::uint32_t condition = std::get<model::subgraph_command>(command.payload).condition;
  if (condition != model::memory_operand::no_requirement)
    runner.find_condition(
        static_cast<const unsigned char*>(address_of(rt, command.requirements[condition].buffer,
                                                     memory_of(rt, command, condition), step)) +
        what->byte_offset);
  return runner.action();
}

// A step's own copy of its arguments gets new contents. The object that was there ends with `replaced`.
void step_maker::take_arguments(std::size_t step, const model::argument_block& source,
                                std::vector<own_arguments>& replaced) {
  own_arguments& kept = arguments_[step];
  if (kept.bytes() == nullptr || source.size == 0) return;
  if (source.operations == nullptr) {
    std::memcpy(kept.bytes(), source.bytes, source.size);
    return;
  }
  // The new object first: if it cannot be made, the graph is as it was.
  own_arguments fresh(source);
  replaced.push_back(std::move(kept));
  kept = std::move(fresh);
}

}  // namespace pianola::runtime
