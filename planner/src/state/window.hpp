// SPDX-License-Identifier: Apache-2.0
// What the passes work on: the commands of one window and what is known about them so far. Flat
// arrays that are kept from window to window, so that planning allocates nothing once warm.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "clock_rows.hpp"
#include "lane_numbers.hpp"
#include "pianola/planner/options.hpp"

namespace pianola::planner {

struct chosen_placement;

// Where a command runs and the memory it works on.
struct placement {
  model::device_id device;
  model::memory_id memory;
};

// A command needs whole pages, except that a graph launch needs just what its contract names.
inline bool needs_pages(const model::command& c) noexcept {
  return !std::holds_alternative<model::subgraph_command>(c.payload);
}

// A transfer that the window needs.
struct pending_transfer {
  model::buffer_id buffer;
  model::memory_id from;
  model::memory_id to;
  model::box elements;
};

// A step to be: a command or a transfer. Nodes are in topological order; node i becomes step
// window.first + i.
struct node {
  std::uint32_t index = 0;  // into commands, or into transfers
  bool transfer = false;
  model::device_id device;
  std::uint32_t lane = 0;
  std::uint32_t column = 0;    // of its lane in the clocks, where there are any
  std::uint64_t position = 0;  // in its lane, counted from 1
  std::uint64_t previous = model::step_id::invalid_value;  // the step before it in its lane
  // One past the latest access by the host that the step comes after, by edges or by its lane; 0: none.
  // Such an access ends when the user's program says so, for which it may be waiting for other steps.
  std::uint64_t held = 0;
  // edges[first_edge, first_edge + edge_count): steps that must come first. Before
  // derive_dependencies: data_edges.
  std::uint32_t first_edge = 0;
  std::uint32_t edge_count = 0;
};

// A box of one command's data that is outdated where the command needs it.
struct outdated_box {
  std::uint32_t level = 0;  // 0: the source is there; n: needs a box of level n - 1 first
  model::buffer_id buffer;
  model::memory_id from;
  model::memory_id to;
  model::box elements;
};

// Where a buffer is in a memory between two nodes, in a block that the graph has there. Those that come later may lie
// over it.
struct window_slot {
  model::buffer_id buffer;
  model::memory_id memory;
  std::uint64_t offset = 0;
  std::uint32_t first = 0;  // nodes
  std::uint32_t last = 0;
  std::vector<std::uint32_t> over{};  // slots that had a part of its room last
};

// A node that has to come after an earlier one because of the room that both use.
struct slot_edge {
  std::uint32_t later = 0;
  std::uint32_t earlier = 0;
};

struct window {
  // Input.
  model::array_view<const model::command> commands;
  const model::topology* machine = nullptr;
  const planner::options* wanted = nullptr;
  std::uint64_t retired = 0;  // steps before are finished
  std::uint64_t first = 0;    // step id of node 0
  bool relative = false;      // command::after counts commands of this window
  bool recorded = false;      // planned on its own: nothing came before, nothing comes after
  // Recorded only. Bytes that buffers which may leave have in each memory; index: memory, empty if there is room for
  // all.
  std::vector<std::uint64_t> room;
  // Recorded only. What place_commands has chosen, or is to choose if nothing is in it yet.
  chosen_placement* chosen = nullptr;
  // Recorded only. What has to come before what, sorted; null: where a memory is short of room the commands stay in
  // their order.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>* edges_of_commands = nullptr;

  // place_commands
  std::vector<placement> places;             // index: command
  std::vector<std::uint32_t> planned_order;  // recorded only; empty: nobody has chosen devices

  // order_commands: all of them, in the order in which they become nodes; empty: as they are
  std::vector<std::uint32_t> sequence;

  // choose_entry: whether a buffer is valid on the host, and only there, before the first command and after the last;
  // index: buffer, empty if there is room for all
  std::vector<char> rests_on_host;

  // insert_transfers, coalesce_transfers
  std::vector<node> nodes;
  std::vector<std::uint32_t> node_of_command;
  std::vector<pending_transfer> transfers;
  std::vector<std::uint64_t> data_edges;  // steps that make data valid where it is needed
  std::vector<window_slot> slots;         // in the order of their first nodes; see `room`

  // order_slots: sorted by `later`
  std::vector<slot_edge> slot_edges;

  // derive_dependencies, prune_edges: sorted downwards, without duplicates
  std::vector<std::uint64_t> edges;

  // assign_lanes: a row per node, a column per lane that the window meets (see lane_clocks.hpp). Not
  // filled for a window of one step.
  clock_rows clocks;
  lane_numbers columns;                // of the lanes in the clocks
  std::vector<std::uint64_t> origins;  // index: column; steps in the lane when it was met

  // Scratch of single passes.
  std::vector<outdated_box> outdated;
  std::vector<model::box> boxes;
  std::vector<std::uint64_t> found;
  lane_numbers seen;

  // What has no allocation of its own there but is in a block of the graph's.
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
  [[nodiscard]] bool may_leave(const model::buffer_info& b, model::memory_id m) const noexcept {
    return m.value() < room.size() && room[m.value()] != unlimited && (b.temporary || b.evictable);
  }

  // The command that comes at this position.
  [[nodiscard]] std::uint32_t command_at(std::size_t position) const noexcept {
    return sequence.empty() ? static_cast<std::uint32_t>(position) : sequence[position];
  }

  void start() {
    places.clear();
    planned_order.clear();
    sequence.clear();
    rests_on_host.clear();
    nodes.clear();
    node_of_command.clear();
    transfers.clear();
    data_edges.clear();
    edges.clear();
    slots.clear();
    slot_edges.clear();
  }
};

}  // namespace pianola::planner
