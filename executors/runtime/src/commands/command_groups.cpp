// SPDX-License-Identifier: Apache-2.0
#include "commands/command_groups.hpp"

#include <cstddef>
#include <mutex>

#include "commands/argument_slots.hpp"
#include "commands/launch_checks.hpp"
#include "commands/reaching_device.hpp"
#include "data/buffer_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

void check_group(process& rt, submission& first, model::device_id device, bool allocate) {
  for (submission* s = &first; s != nullptr; s = s->next.get()) {
    check_command(rt.machine, *s, device);
    static_cast<void>(find_slots(*s));
    const std::lock_guard lock(rt.mutex);
    locate_pointers(rt.machine, s->payload);
    const reaching_device where = find_reaching_device(rt.machine, s->payload, device);
    for (const accessor_request& a : s->accessors) {
      check_request(a, rt.buffers.living(a.buffer).info);
      if (allocate) rt.buffers.ensure_allocation(buffer_table::id_of(a.buffer), where.memory_of(a));
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

void carry_requirements(const machine& m, const submission& before, submission& next,
                        model::device_id device) {
  const reaching_device where = find_reaching_device(m, next.payload, device);
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
    carried.host_address = nullptr;
    carried.for_order = true;
    next.accessors.push_back(carried);
  }
}

}  // namespace pianola::runtime
