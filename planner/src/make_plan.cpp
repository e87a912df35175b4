// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/make_plan.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <pianola/model/error.hpp>

#include "passes/assign_lanes.hpp"
#include "passes/choose_entry.hpp"
#include "passes/coalesce_transfers.hpp"
#include "passes/derive_dependencies.hpp"
#include "passes/evict_buffers.hpp"
#include "passes/insert_transfers.hpp"
#include "passes/measure_memory.hpp"
#include "passes/order_commands.hpp"
#include "passes/order_steps.hpp"
#include "passes/place_commands.hpp"
#include "passes/prune_edges.hpp"
#include "passes/share_slots.hpp"
#include "passes/summarise.hpp"
#include "pianola/planner/command_edges.hpp"
#include "pianola/planner/placement.hpp"
#include "pianola/planner/text.hpp"
#include "state/state.hpp"
#include "state/window.hpp"
#include "window_text.hpp"

namespace pianola::planner {

namespace {

// THE list of passes; a recorded window goes on in plan_with_room. `after` is told of each.
template <class F>
void run_passes(window& window, planning_state& state, F&& after) {
  place_commands(window, state);
  after(pass::place_commands);
  if (window.recorded) {
    order_commands(window, state);
    after(pass::order_commands);
    choose_entry(window, state);
    after(pass::choose_entry);
  }
  insert_transfers(window, state);
  after(pass::insert_transfers);
  coalesce_transfers(window, state);
  after(pass::coalesce_transfers);
  if (window.recorded) {
    order_slots(window, state);
    after(pass::order_slots);
  }
  derive_dependencies(window, state);
  after(pass::derive_dependencies);
  if (window.recorded) {
    order_steps(window, state);
    after(pass::order_steps);
  }
  assign_lanes(window, state);
  after(pass::assign_lanes);
  if (window.recorded) {
    share_slots(window, state);
    after(pass::share_slots);
  }
  prune_edges(window, state);
  after(pass::prune_edges);
}

graph_view observed_view(model::array_view<const model::command> commands,
                         model::array_view<const model::buffer_info> buffers,
                         const pass_observer& observer) {
  return {commands, buffers, 0, &observer, [](const void* owner, model::buffer_id id) {
            return static_cast<const pass_observer*>(owner)->label_of(id);
          }};
}

// Apart, so that the way of those whom nobody observes stays short.
[[gnu::noinline]] void run_observed_passes(window& window, planning_state& state,
                                           pass_observer& observer) {
  std::vector<model::buffer_info> buffers;
  for (const buffer_state& b : state.internals().buffers) buffers.push_back(b.info);
  const graph_view view = observed_view(window.commands, buffers, observer);
  run_passes(window, state, [&](pass last) {
    observer.after(name_of(last), window_text(window, state, last, view, observer.maximum()));
  });
}

void plan_nodes(window& window, planning_state& state) {
  if (window.wanted->observer != nullptr)
    run_observed_passes(window, state, *window.wanted->observer);
  else
    run_passes(window, state, [](pass) {});
}

void write_steps(const window& window, plan& out) {
  out.first_step = window.first;
  const std::size_t n = window.nodes.size();
  out.steps.reserve(n);
  for (const node& from : window.nodes) {
    step& to = out.steps.emplace_back();
    if (from.transfer) {
      const pending_transfer& t = window.transfers[from.index];
      to.action = transfer_step{t.buffer, t.from, t.to, t.elements};
    } else {
      to.action = execute_step{model::command_id(from.index), from.device};
    }
    to.lane = model::lane_id(from.lane);
    to.first_wait = static_cast<std::uint32_t>(out.waits.size());
    to.wait_count = from.edge_count;
    const std::uint64_t* edges = window.edges.data() + from.first_edge;
    for (std::uint32_t e = 0; e < from.edge_count; ++e) out.waits.emplace_back(edges[e]);
  }
}

}  // namespace

void plan_window(model::array_view<const model::command> commands, planning_state& state,
                 const model::topology& topology, const options& options,
                 bool after_is_window_relative, plan& out) {
  out.clear();
  planning_state::implementation& im = state.internals();
  window& window = im.scratch;
  window.start();
  window.commands = commands;
  window.machine = &topology;
  window.wanted = &options;
  window.first = state.next_step().value();
  window.retired = state.retired().value();
  window.relative = after_is_window_relative;
  if (commands.empty()) return;
  im.before.note(im, commands);
  try {
    plan_nodes(window, state);
    write_steps(window, out);
    for (std::size_t i = 0; i < window.nodes.size(); ++i) {
      const node& n = window.nodes[i];
      im.steps.append(window.retired, window.first + i, {n.position, n.held, n.lane});
    }
  } catch (...) {
    im.before.restore(im, window);
    out.clear();
    throw;
  }
  // From here on nothing throws.
  planning_state::implementation::advance(state, window.nodes.size());
  for (const model::command& c : commands)
    for (const model::requirement& r : c.requirements) im.tidy(im.at(r.buffer), window.retired);
}

namespace {

void write_slots(const window& window, plan& out) {
  for (const window_slot& s : window.slots)
    out.slots.push_back({s.buffer, s.memory, s.offset, s.first, s.last});
  std::sort(out.slots.begin(), out.slots.end(), [](const storage_slot& a, const storage_slot& b) {
    return std::tie(a.buffer, a.memory, a.first) < std::tie(b.buffer, b.memory, b.first);
  });
}

using edge_list = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::uint64_t bytes_moved(const plan& p, model::array_view<const model::buffer_info> buffers) {
  std::uint64_t sum = 0;
  for (const step& s : p.steps)
    if (const auto* t = std::get_if<transfer_step>(&s.action))
      sum += t->elements.count() * buffers[t->buffer.value()].element_size;
  return sum;
}

void tell_of_plan(model::array_view<const model::command> commands,
                  model::array_view<const model::buffer_info> buffers,
                  const model::topology& topology, const plan& p, pass_observer& observer) {
  observer.after(name_of(pass::summarise), to_text(observed_view(commands, buffers, observer), p,
                                                   topology, observer.maximum()));
}
void tell_of_memory(const model::topology& topology, const plan& p, pass_observer& observer) {
  observer.after(name_of(pass::measure_memory), memory_text(p, topology));
}

// With `room` bytes (see window) for buffers that may leave; empty: enough for all. `chosen`: see window. `edges`: in
// another order, if that looks better.
plan plan_with_room(model::array_view<const model::command> commands,
                    model::array_view<const model::buffer_info> buffers,
                    const model::topology& topology, const options& options,
                    const std::vector<std::uint64_t>& room, chosen_placement& chosen,
                    const edge_list* edges = nullptr) {
  plan out;
  planning_state state;
  state.internals().buffers.reserve(buffers.size());
  for (const model::buffer_info& b : buffers) state.add_buffer(b, {});
  window& window = state.internals().scratch;
  window.commands = commands;
  window.machine = &topology;
  window.wanted = &options;
  window.relative = true;
  window.recorded = true;
  window.room = room;
  window.chosen = &chosen;
  window.edges_of_commands = edges;
  plan_nodes(window, state);
  write_steps(window, out);
  write_slots(window, out);
  pass_observer* const observer = options.observer;
  summarise(state, out);
  if (observer != nullptr) tell_of_plan(commands, buffers, topology, out, *observer);
  measure_memory(commands, buffers, topology, options, out);
  if (observer != nullptr) tell_of_memory(topology, out, *observer);
  return out;
}

}  // namespace

namespace {

// Throws model::user_error (memory_allocation) if it cannot be made to fit the budgets where `chosen` puts commands.
plan plan_within_budgets(model::array_view<const model::command> commands,
                         model::array_view<const model::buffer_info> buffers,
                         const model::topology& topology, const options& options,
                         chosen_placement& chosen) {
  std::vector<std::uint64_t> room;
  plan out = plan_with_room(commands, buffers, topology, options, room, chosen);
  // Each round is for another memory that has turned out to be too small.
  while (shrink_room(commands, buffers, topology, options, out, room))
    out = plan_with_room(commands, buffers, topology, options, room, chosen);
  if (!room.empty()) {
    const edge_list edges = command_edges(commands, buffers);
    plan other = plan_with_room(commands, buffers, topology, options, room, chosen, &edges);
    if (fits(other) && bytes_moved(other, buffers) < bytes_moved(out, buffers)) {
      out = std::move(other);
    } else if (options.observer != nullptr) {
      tell_of_plan(commands, buffers, topology, out, *options.observer);
      tell_of_memory(topology, out, *options.observer);
    }
  }
  return out;
}

bool may_be_placed(model::array_view<const model::command> commands, const options& options) {
  return options.place != placing::as_submitted &&
         std::any_of(commands.begin(), commands.end(),
                     [](const model::command& c) { return !c.candidates.empty(); });
}

}  // namespace

plan make_plan(model::array_view<const model::command> commands,
               model::array_view<const model::buffer_info> buffers, const model::topology& topology,
               const options& options) {
  chosen_placement chosen;
  if (options.chosen != nullptr) chosen = *options.chosen;
  try {
    return plan_within_budgets(commands, buffers, topology, options, chosen);
  } catch (const model::user_error& e) {
    if (e.code() != model::error_code::memory_allocation || !may_be_placed(commands, options))
      throw;
    // What is quick, or moves little, may have more in one memory than there is room for.
    planner::options least = options;
    least.objective = objective::memory;
    least.chosen = nullptr;
    chosen_placement spread = choose_placement(commands, buffers, topology, least);
    if (spread.devices == chosen.devices) throw;
    try {
      return plan_within_budgets(commands, buffers, topology, least, spread);
    } catch (const model::user_error&) {
      // The first reason is that of the placement that was asked for.
    }
    throw;
  }
}

void apply_exit_state(const plan& recorded, model::array_view<const model::buffer_id> buffers,
                      planning_state& state, model::step_id since) {
  for (const validity_entry& e : recorded.exit)
    state.set_validity(buffers[e.buffer.value()], e.elements, e.memories, since);
}

}  // namespace pianola::planner
