// SPDX-License-Identifier: Apache-2.0
#include "choose_entry.hpp"

#include <cstddef>
#include <vector>

#include "cost/routes.hpp"

namespace pianola::planner {

using model::box;
using model::memory_id;

namespace {

// Which memories hold what when the plan begins, so that they hold it again when it ends: the commands are followed once.
class fixed_point {
 public:
  fixed_point(window& planned, planning_state& state)
      : window_(planned),
        im_(state.internals()),
        uses_(im_.buffers.size()),
        valid_(im_.buffers.size()) {}

  void choose() {
    note_uses();
    choose_what_rests_on_host();
    if (begin()) return;
    for (std::size_t position = 0; position < window_.commands.size(); ++position)
      follow(window_.command_at(position));
    keep();
  }

 private:
  struct use {
    model::memory_set memories;
    bool written = false;
  };

  [[nodiscard]] memory_id memory_of(std::size_t command, const model::requirement& r) const {
    return r.memory.valid() ? r.memory : window_.places[command].memory;
  }
  [[nodiscard]] bool rests_on_host(std::size_t b) const {
    return !window_.rests_on_host.empty() && window_.rests_on_host[b] != 0;
  }
  // Whether what holds at the start is settled without a look at the commands.
  [[nodiscard]] bool settled(std::size_t b) const {
    return im_.buffers[b].info.temporary || uses_[b].memories.at_most_one() || rests_on_host(b);
  }

  void note_uses() {
    for (std::size_t i = 0; i < window_.commands.size(); ++i)
      for (const model::requirement& r : window_.commands[i].requirements) {
        use& u = uses_[r.buffer.value()];
        u.memories.add(memory_of(i, r));
        u.written = u.written || writes(r.mode);
      }
  }

  void choose_what_rests_on_host() {
    if (window_.room.empty()) return;
    window_.rests_on_host.assign(im_.buffers.size(), 0);
    for (std::size_t b = 0; b < im_.buffers.size(); ++b)
      for (std::uint16_t m = 0; m < window_.room.size(); ++m)
        if (uses_[b].memories.contains(memory_id(m)) && !im_.buffers[b].info.temporary &&
            window_.may_leave(im_.buffers[b].info, memory_id(m)))
          window_.rests_on_host[b] = 1;
  }

  // What holds at the start, where that is settled; true if it is for all.
  bool begin() {
    bool all = true;
    for (std::size_t b = 0; b < im_.buffers.size(); ++b) {
      buffer_state& buffer = im_.buffers[b];
      buffer.read_only = !uses_[b].written;
      if (settled(b)) {
        validity start;
        if (rests_on_host(b))
          start.valid = model::memory_set(model::host_memory);
        else if (!buffer.info.temporary)
          start.valid = uses_[b].memories;
        buffer.valid = region_map<validity>(box::of(buffer.info.grid.range()), start);
      } else {
        valid_[b] = region_map<model::memory_set>(box::of(buffer.info.grid.range()),
                                                  model::memory_set(model::host_memory));
        all = false;
      }
    }
    return all;
  }

  void follow(std::size_t command) {
    const auto requirements = window_.commands[command].requirements;
    for (const model::requirement& r : requirements)
      if (!settled(r.buffer.value()) && r.needs_data() && !r.elements.empty()) bring(command, r);
    for (const model::requirement& r : requirements)
      if (!settled(r.buffer.value()) && writes(r.mode) && !r.elements.empty()) write(command, r);
  }

  void bring(std::size_t command, const model::requirement& r) {
    const memory_id memory = memory_of(command, r);
    const model::buffer_info& info = im_.at(r.buffer).info;
    const box needed =
        needs_pages(window_.commands[command]) ? info.grid.page_aligned(r.elements) : r.elements;
    const std::uint64_t bytes = needed.count() * info.element_size;
    valid_[r.buffer.value()].update(needed, [&](const box&, model::memory_set& v) {
      if (v.contains(memory)) return false;
      if (choose_route(im_.links, *window_.machine, v, memory, bytes).over_host)
        v.add(model::host_memory);
      v.add(memory);
      return true;
    });
  }

  void write(std::size_t command, const model::requirement& r) {
    const model::memory_set here(memory_of(command, r));
    const box touched =
        r.needs_data() ? im_.at(r.buffer).info.grid.page_aligned(r.elements) : r.elements;
    valid_[r.buffer.value()].update(touched, [&](const box&, model::memory_set& v) {
      if (v == here) return false;
      v = here;
      return true;
    });
  }

  // What holds behind the last command holds at the start.
  void keep() {
    for (std::size_t b = 0; b < im_.buffers.size(); ++b) {
      if (settled(b)) continue;
      valid_[b].visit(valid_[b].domain(), [&](const box& where, const model::memory_set& m) {
        im_.buffers[b].valid.update(where, [&](const box&, validity& v) {
          v.valid = m;
          return true;
        });
      });
    }
  }

  window& window_;
  planning_state::implementation& im_;
  std::vector<use> uses_;  // index: buffer
  std::vector<region_map<model::memory_set>>
      valid_;  // index: buffer; of those that are not settled
};

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
  fixed_point(window, state).choose();
  if (window.wanted->entry != nullptr) take_entry_of(*window.wanted->entry, window, state);
}

}  // namespace pianola::planner
