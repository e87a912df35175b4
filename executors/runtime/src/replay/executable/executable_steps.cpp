// SPDX-License-Identifier: Apache-2.0
// Steps as executors take them: with addresses, and with arguments of their own.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>
#include <pianola/planner/planning_state.hpp>

#include "commands/accessible_boxes.hpp"
#include "commands/addresses.hpp"
#include "data/buffer_table.hpp"
#include "execute/native_access.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "recording/graph_times.hpp"
#include "replay/executable/control_step.hpp"
#include "replay/executable/executable.hpp"

namespace pianola::runtime {

using model::user_error;
using planner::execute_step;
using planner::transfer_step;

model::memory_id executable_graph::memory_of(process& rt, const model::command& command,
                                             std::uint32_t requirement) const {
  const model::requirement& r = command.requirements[requirement];
  return r.memory.valid() ? r.memory : rt.machine.memory_of(command.device);
}

void* executable_graph::address_of(process& rt, model::buffer_id buffer, model::memory_id memory,
                                   std::size_t step) const {
  if (!plan_.slots.empty())
    if (void* const slot = slots_.address(plan_, buffer, memory, step)) return slot;
  if (known_ == nullptr) return rt.buffers.ensure_allocation(live_[buffer.value()], memory);
  void*& known = known_->of(buffer, memory);
  if (known == nullptr) known = rt.buffers.ensure_allocation(live_[buffer.value()], memory);
  return known;
}

void executable_graph::touch_buffers(process& rt, const planner::execute_step& e,
                                     std::size_t step) const {
  const model::command& c = recorded_.commands[e.command.value()];
  for (std::uint32_t i = 0; i < c.requirements.size(); ++i)
    static_cast<void>(address_of(rt, c.requirements[i].buffer, memory_of(rt, c, i), step));
}

void executable_graph::patch(process& rt, std::size_t step, void* bytes) const {
  const auto& e = std::get<execute_step>(plan_.steps[step].action);
  const model::command& command = recorded_.commands[e.command.value()];
  model::array_view<const model::argument_slot> slots;
  if (const auto* k = std::get_if<model::kernel_command>(&command.payload)) slots = k->slots;
  if (const auto* t = std::get_if<model::host_task_command>(&command.payload)) slots = t->slots;
  for (const model::argument_slot& slot : slots) {
    if (slot.what != model::argument_slot::kind::buffer) continue;
    const model::requirement& r = command.requirements[slot.requirement];
    auto address = reinterpret_cast<std::uintptr_t>(
        address_of(rt, r.buffer, memory_of(rt, command, slot.requirement), step));
    address += slot.byte_offset;
    std::memcpy(static_cast<unsigned char*>(bytes) + slot.offset, &address, sizeof address);
  }
  if (!bound_.memory.empty()) uses_->write_arguments(e.command.value(), bytes, bound_.memory);
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

void executable_graph::resolve(process& rt, const planner::step& s,
                               executors::resolved_action& action) {
  const auto step = static_cast<std::size_t>(&s - plan_.steps.data());
  if (const auto* t = std::get_if<transfer_step>(&s.action)) {
    action = copy_of_box(recorded_.buffers[t->buffer.value()], t->elements,
                         address_of(rt, t->buffer, t->to, step), t->to,
                         address_of(rt, t->buffer, t->from, step), t->from);
    return;
  }
  const auto& e = std::get<execute_step>(s.action);
  const model::command& command = recorded_.commands[e.command.value()];
  if (const auto* kernel = std::get_if<model::kernel_command>(&command.payload)) {
    resolve_kernel(rt, step, command, *kernel, action.emplace<executors::resolved_kernel>());
  } else if (const auto* task = std::get_if<model::host_task_command>(&command.payload)) {
    auto& r = action.emplace<executors::resolved_host_task>();
    r.invoke = task->invoke;
    r.invoke_with_access = task->invoke_with_access;
    r.enqueues = task->enqueues;
    r.arguments = copy_arguments(rt, step, task->arguments);
    give_access(rt.lanes, task->queue_device.valid() ? task->queue_device : device_, action);
  } else if (std::holds_alternative<model::subgraph_command>(command.payload)) {
    action = resolve_control(rt, step);
  } else {
    resolve_memory_command(rt, step, e.command.value(), action);
  }
}

// Every instantiated step works on its own copy of the arguments, with addresses filled in.
model::argument_block executable_graph::copy_arguments(process& rt, std::size_t step,
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

void executable_graph::resolve_kernel(process& rt, std::size_t step, const model::command& command,
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
      [&](model::buffer_id b) -> const model::buffer_info& { return recorded_.buffers[b.value()]; },
      boxes);
  r.accessible = boxes;
}

// A copy or a fill, or what comes to one.
void executable_graph::resolve_memory_command(process& rt, std::size_t step, std::uint32_t index,
                                              executors::resolved_action& action) {
  const model::command& command = recorded_.commands[index];
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
    if (!bound_.memory.empty()) {
      located.source.pointer = uses_->translate(copy->source.pointer, bound_.memory);
      located.destination.pointer = uses_->translate(copy->destination.pointer, bound_.memory);
    }
    executors::resolved_copy r = resolve_copy(located, addresses);
    for (std::size_t i = 0; i < recorded_.staged.size(); ++i) {
      void* const at = static_cast<unsigned char*>(staging_.get()) + staging_offsets_[i];
      if (recorded_.staged[i].in == index) r.destination = at;
      if (recorded_.staged[i].out == index) r.source = at;
    }
    action = r;
  } else if (const auto* fill = std::get_if<model::fill_command>(&command.payload)) {
    model::fill_command located = *fill;
    if (!bound_.memory.empty())
      located.destination.pointer = uses_->translate(fill->destination.pointer, bound_.memory);
    action = resolve_fill(located, addresses);
  } else if (executors::resolved_fill zeroed; zeroes(command.payload, zeroed)) {
    action = zeroed;
  }
}

bool executable_graph::begins_with(model::buffer_id b, std::ptrdiff_t step) const {
  if (!recorded_.buffers[b.value()].temporary || plan_.slots.empty()) return false;
  auto slot = std::partition_point(plan_.slots.begin(), plan_.slots.end(),
                                   [&](const auto& other) { return other.buffer < b; });
  for (; slot != plan_.slots.end() && slot->buffer == b; ++slot)
    if (slot->first < step) return false;
  return true;
}

void executable_graph::name_buffers(const process& rt) {
  running_->least_times = times_ != nullptr && !times_->of_launches ? times_->least.get() : nullptr;
  generation_.clear();
  for (const model::buffer_id id : live_) generation_.push_back(rt.buffers[id].generation);
}

context_head executable_graph::context_of(std::uint32_t step) const noexcept {
  context_head head;
  head.replay = running_.get();
  head.step = step;
  if (const auto* const e = std::get_if<execute_step>(&plan_.steps[step].action))
    head.command = static_cast<std::uint32_t>(e->command.value());
  return head;
}

void executable_graph::describe(const process& rt, std::uint32_t step,
                                std::vector<std::byte>& bytes) const {
  std::vector<touched_box> touched;
  touch_all(rt, step, touched);
  step_context context;
  context.head = context_of(step);
  context.touched_count = static_cast<std::uint32_t>(touched.size());
  if (const auto* const move = std::get_if<transfer_step>(&plan_.steps[step].action)) {
    context.transfer = true;
    context.transfer_to = move->to;
  }
  const std::size_t behind = touched.size() * sizeof(touched_box);
  bytes.resize(sizeof context + behind);
  std::memcpy(bytes.data(), static_cast<const void*>(&context), sizeof context);
  // A step may touch nothing.
  if (behind != 0)
    std::memcpy(bytes.data() + sizeof context, static_cast<const void*>(touched.data()), behind);
}

void executable_graph::touch_all(const process& rt, std::uint32_t step,
                                 std::vector<touched_box>& touched) const {
  const planner::step& s = plan_.steps[step];
  const bool one_memory = !rt.machine.has_several_memories();
  const auto touch = [&](model::buffer_id plan_id) -> touched_box& {
    touched_box& t = touched.emplace_back();
    t.buffer = live_[plan_id.value()];
    t.generation = generation_[plan_id.value()];
    t.before = planner::mask_of(model::host_memory);
    // Within a graph only a single memory leaves no question where the old data is.
    t.uniform = one_memory;
    return t;
  };
  if (const auto* move = std::get_if<transfer_step>(&s.action)) {
    touched_box& t = touch(move->buffer);
    t.memory = move->from;
    t.reads = true;
    t.elements = move->elements;
    return;
  }
  const model::command& command =
      recorded_.commands[std::get<execute_step>(s.action).command.value()];
  const model::memory_id here = rt.machine.memory_of(command.device);
  for (const model::requirement& r : command.requirements) {
    touched_box& t = touch(r.buffer);
    t.memory = r.memory.valid() ? r.memory : here;
    // The first to use a temporary buffer finds nothing, so what went wrong in another replay does not matter.
    const bool fresh = begins_with(r.buffer, step);
    t.reads = r.needs_data() && !fresh;
    t.writes = writes(r.mode);
    t.replaces = r.no_init || fresh;
    if (t.reads && t.writes && !one_memory) {
      // Whatever there was before, it has been brought there.
      t.before = planner::mask_of(t.memory);
      t.uniform = true;
    }
    t.elements =
        r.no_init ? r.elements : recorded_.buffers[r.buffer.value()].grid.page_aligned(r.elements);
  }
}

void executable_graph::exchange_steps(process& rt, const std::vector<std::uint32_t>& steps) {
  std::vector<segment_change> changes(segments_.size());
  for (const std::uint32_t i : steps) add_change(rt, i, changes);
  update_native_graphs(changes);
}

void executable_graph::add_change(process& rt, std::uint32_t step,
                                  std::vector<segment_change>& changes) {
  segment_change& of_segment = changes[cut_.segment_of[step]];
  of_segment.indices.push_back(cut_.index_of[step]);
  resolve(rt, plan_.steps[step], of_segment.steps.emplace_back().action);
}

void executable_graph::update_native_graphs(const std::vector<segment_change>& changes) {
  executors::status failure;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (changes[i].indices.empty()) continue;
    executors::status status =
        segments_[i].owner->update(*segments_[i].native, changes[i].indices, changes[i].steps);
    if (failure.ok()) failure = std::move(status);
  }
  if (!failure.ok()) throw user_error(failure.code, failure.reason);
}

}  // namespace pianola::runtime
