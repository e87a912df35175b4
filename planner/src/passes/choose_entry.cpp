// SPDX-License-Identifier: Apache-2.0
#include "choose_entry.hpp"

#include <cstddef>
#include <vector>

#include "cost/routes.hpp"

namespace pianola::planner {

using model::box;
using model::memory_id;

namespace {

constexpr bool one_memory(memory_mask m) noexcept { return (m & (m - 1)) == 0; }

void choose_fixed_point(window& window, planning_state& state) {
  planning_state::implementation& im = state.internals();
  struct use {
    memory_mask memories = 0;
    bool written = false;
  };
  std::vector<use> uses(im.buffers.size());
  auto memory_of = [&](std::size_t command, const model::requirement& r) {
    return r.memory.valid() ? r.memory : window.places[command].memory;
  };
  for (std::size_t i = 0; i < window.commands.size(); ++i)
    for (const model::requirement& r : window.commands[i].requirements) {
      use& u = uses[r.buffer.value()];
      u.memories |= mask_of(memory_of(i, r));
      u.written = u.written || writes(r.mode);
    }

  bool several = false;
  std::vector<region_map<memory_mask>> valid(im.buffers.size());
  // Whether what holds at the start is settled without a look at the commands.
  const auto settled = [&](std::size_t b) {
    return im.buffers[b].info.temporary || one_memory(uses[b].memories) ||
           (!window.rests_on_host.empty() && window.rests_on_host[b] != 0);
  };
  if (!window.room.empty()) {
    window.rests_on_host.assign(im.buffers.size(), 0);
    for (std::size_t b = 0; b < im.buffers.size(); ++b)
      for (std::uint16_t m = 0; m < window.room.size(); ++m)
        if ((uses[b].memories >> m & 1) != 0 && !im.buffers[b].info.temporary &&
            window.may_leave(im.buffers[b].info, memory_id(m)))
          window.rests_on_host[b] = 1;
  }
  for (std::size_t b = 0; b < im.buffers.size(); ++b) {
    buffer_state& buffer = im.buffers[b];
    buffer.read_only = !uses[b].written;
    if (settled(b)) {
      validity start;
      if (!window.rests_on_host.empty() && window.rests_on_host[b] != 0)
        start.valid = mask_of(model::host_memory);
      else if (!buffer.info.temporary)
        start.valid = uses[b].memories;
      buffer.valid = region_map<validity>(box::of(buffer.info.grid.range()), start);
    } else {
      valid[b] =
          region_map<memory_mask>(box::of(buffer.info.grid.range()), mask_of(model::host_memory));
      several = true;
    }
  }
  if (!several) return;

  for (std::size_t position = 0; position < window.commands.size(); ++position) {
    const std::size_t i = window.command_at(position);
    const auto requirements = window.commands[i].requirements;
    for (const model::requirement& r : requirements) {
      if (settled(r.buffer.value()) || !r.needs_data() || r.elements.empty()) continue;
      const memory_id memory = memory_of(i, r);
      const model::buffer_info& info = im.at(r.buffer).info;
      const box needed =
          needs_pages(window.commands[i]) ? info.grid.page_aligned(r.elements) : r.elements;
      const std::uint64_t bytes = needed.count() * info.element_size;
      valid[r.buffer.value()].update(needed, [&](const box&, memory_mask& v) {
        if ((v & mask_of(memory)) != 0) return false;
        if (choose_route(*window.machine, v, memory, bytes).over_host)
          v |= mask_of(model::host_memory);
        v |= mask_of(memory);
        return true;
      });
    }
    for (const model::requirement& r : requirements) {
      if (settled(r.buffer.value()) || !writes(r.mode) || r.elements.empty()) continue;
      const memory_mask here = mask_of(memory_of(i, r));
      const box touched =
          r.needs_data() ? im.at(r.buffer).info.grid.page_aligned(r.elements) : r.elements;
      valid[r.buffer.value()].update(touched, [&](const box&, memory_mask& v) {
        if (v == here) return false;
        v = here;
        return true;
      });
    }
  }

  for (std::size_t b = 0; b < im.buffers.size(); ++b) {
    if (settled(b)) continue;
    valid[b].visit(valid[b].domain(), [&](const box& where, memory_mask m) {
      im.buffers[b].valid.update(where, [&](const box&, validity& v) {
        v.valid = m;
        return true;
      });
    });
  }
}

// Buffers that make room for others rest on the host whatever is asked for.
void take_entry_of(const std::vector<validity_entry>& asked, const window& window,
                   planning_state& state) {
  planning_state::implementation& im = state.internals();
  for (const validity_entry& e : asked) {
    const std::size_t b = e.buffer.value();
    if (im.buffers[b].info.temporary ||
        (!window.rests_on_host.empty() && window.rests_on_host[b] != 0))
      continue;
    im.buffers[b].valid.update(e.elements, [&e](const box&, validity& v) {
      v.valid = e.memories;
      return true;
    });
  }
}

}  // namespace

void choose_entry(window& window, planning_state& state) {
  choose_fixed_point(window, state);
  if (window.wanted->entry != nullptr) take_entry_of(*window.wanted->entry, window, state);
}

}  // namespace pianola::planner
