// SPDX-License-Identifier: Apache-2.0
#include "state.hpp"

#include <cstring>

namespace pianola::planner {

// Every submission pays for this: most name one or two buffers, each of which is alike in all of its elements, with short lists.
template <class T>
[[gnu::always_inline]] inline state_before::noted<T>& state_before::notes<T>::add(
    model::buffer_id b, const T& value) {
  if (count == all.size()) [[unlikely]]
    all.emplace_back();
  noted<T>& n = all[count];
  n.buffer = b;
  n.flat = value.is_flat();
  if (n.flat) [[likely]]
    std::memcpy(n.bytes.data(), static_cast<const void*>(&value), sizeof(T));
  else
    n.value.take(value);
  ++count;
  return n;
}

template <class T>
[[gnu::always_inline]] inline void state_before::note(const region_map<T>& map,
                                                      const model::requirement& r,
                                                      const model::page_grid& grid, notes<T>& to) {
  if (const T* const all = map.uniform()) [[likely]] {
    to.add(r.buffer, *all).whole = true;
    return;
  }
  map.visit(grid.page_aligned(r.elements), [&](const model::box& where, const T& value) {
    noted<T>& n = to.add(r.buffer, value);
    n.whole = false;
    n.where = where;
  });
}

void state_before::note(const planning_state::implementation& state,
                        model::array_view<const model::command> commands) {
  validities_.count = 0;
  histories_.count = 0;
  last_host_access_ = state.last_host_access;
  for (const model::command& c : commands)
    for (const model::requirement& r : c.requirements) {
      if (r.elements.empty() || !state.knows(r.buffer)) continue;
      const buffer_state& b = state.buffers[r.buffer.value()];
      note(b.valid, r, b.info.grid, validities_);
      note(b.history, r, b.info.grid, histories_);
    }
}

template <class T>
void state_before::restore(region_map<T>& map, const noted<T>& before) {
  if (before.whole && map.uniform() == nullptr) map.assign(T());
  map.update(before.whole ? map.domain() : before.where, [&](const model::box&, T& value) {
    if (value == before.get()) return false;
    value.take(before.get());
    return true;
  });
}

void state_before::restore(planning_state::implementation& state, const window& planned) noexcept {
  // What a command names twice was noted twice, the same both times.
  for (std::size_t i = 0; i < validities_.count; ++i)
    restore(state.at(validities_.all[i].buffer).valid, validities_.all[i]);
  for (std::size_t i = 0; i < histories_.count; ++i)
    restore(state.at(histories_.all[i].buffer).history, histories_.all[i]);
  state.last_host_access = last_host_access_;
  const auto held_at = [&](std::uint64_t step) -> std::uint64_t {
    if (step == no_step || step < planned.retired) return 0;
    return step < planned.first ? state.steps.at(step).held
                                : planned.nodes[step - planned.first].held;
  };
  for (std::size_t i = planned.nodes.size(); i-- > 0;) {
    const node& n = planned.nodes[i];
    if (n.position == 0) continue;  // it has no lane yet
    lane_state& l = state.lanes[n.lane];
    l.length = n.position - 1;
    l.tail = n.previous;
    l.held = held_at(n.previous);
  }
}

}  // namespace pianola::planner
