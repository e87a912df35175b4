// SPDX-License-Identifier: Apache-2.0
#include "commands/reaching_device.hpp"

#include <variant>

#include <pianola/model/payload_members.hpp>
#include <pianola/runtime/usm.hpp>

#include "machine/machine.hpp"

namespace pianola::runtime {

void locate_pointers(const machine& m, model::command_payload& payload) {
  const auto locate = [&](model::memory_operand& o, const auto&) {
    if (o.requirement != model::memory_operand::no_requirement) return;
    const pointer_query q = query_pointer(o.pointer);
    o.memory =
        q.kind == usm_kind::device && q.device.valid() ? m.memory_of(q.device) : model::host_memory;
  };
  model::for_each_operand(payload, locate);
}

reaching_device find_reaching_device(const machine& m, const model::command_payload& payload,
                                     model::device_id device) {
  using model::command_kind;
  const model::memory_id memory = m.memory_of(device);
  // A device that reaches the memory of every plain pointer; data of accessors meets it in the host's memory if the
  // queue's own device does not.
  const auto choose = [&](const model::memory_operand& a,
                          const model::memory_operand& b) -> reaching_device {
    const auto is_pointer = [](const model::memory_operand& o) {
      return o.requirement == model::memory_operand::no_requirement;
    };
    const auto reached_by = [&](model::device_id d) {
      return (!is_pointer(a) || m.reaches(d, a.memory)) &&
             (!is_pointer(b) || m.reaches(d, b.memory));
    };
    if (reached_by(device)) return {device, memory, {}};
    for (const model::memory_operand* o : {&a, &b})
      if (is_pointer(*o) && reached_by(m.device_with(o->memory)))
        return {m.device_with(o->memory), model::host_memory, {}};
    return {{}, model::host_memory, {}};
  };
  switch (kind_of(payload)) {
    case command_kind::host_task: {
      const auto& task = *std::get_if<model::host_task_command>(&payload);
      const model::device_id runs =
          task.enqueues || m.runs_on_team(device) ? device : m.host_device();
      return {runs, model::host_memory, task.works_with_device() ? memory : model::memory_id()};
    }
    case command_kind::acquire:
      if (std::get_if<model::acquire_command>(&payload)->on_device) break;
      return {m.runs_on_team(device) ? device : m.host_device(), model::host_memory, {}};
    case command_kind::copy: {
      const auto& copy = *std::get_if<model::copy_command>(&payload);
      return choose(copy.source, copy.destination);
    }
    case command_kind::fill: {
      const model::memory_operand& to = std::get_if<model::fill_command>(&payload)->destination;
      if (to.requirement == model::memory_operand::no_requirement &&
          to.memory == model::host_memory && memory != model::host_memory &&
          !m.runs_on_team(device)) {
        // Drivers fill only memory of the host that they have allocated.
        const model::device_id owner = query_pointer(to.pointer).device;
        if (!owner.valid() || m.domain_of(owner) != m.domain_of(device))
          return {m.host_device(), model::host_memory, {}};
      }
      return choose(to, to);
    }
    case command_kind::empty:
    case command_kind::kernel:
    case command_kind::barrier:
    case command_kind::prefetch:
    case command_kind::advise:
    case command_kind::host_access:
    case command_kind::subgraph:
    case command_kind::allocate:
    case command_kind::free:
      break;
  }
  return {device, memory, {}};
}

}  // namespace pianola::runtime
