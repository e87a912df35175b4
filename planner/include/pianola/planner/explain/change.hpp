// SPDX-License-Identifier: Apache-2.0
// Changes of a program, tried on what was recorded of it: the graph is planned again with the change.
#pragma once
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <pianola/model/command.hpp>
#include <pianola/model/geometry.hpp>
#include <pianola/model/ids.hpp>
#include <pianola/model/topology.hpp>

#include "pianola/planner/graph_view.hpp"
#include "pianola/planner/plan.hpp"

namespace pianola::planner {

// One requirement of one command.
struct access_place {
  model::command_id command;
  std::uint32_t requirement = 0;  // index into the command's requirements

  friend bool operator==(const access_place& a, const access_place& b) noexcept {
    return a.command == b.command && a.requirement == b.requirement;
  }
};

struct page_change {
  model::buffer_id buffer;
  model::extent3 page;  // elements
};
// The accesses do not need what was there before, or do not write.
struct access_change {
  enum class to : std::uint8_t { no_init, read_only };
  std::vector<access_place> accesses;  // what a program says in one place: never empty, ascending
  to what = to::no_init;
};
struct device_change {
  std::vector<model::command_id> commands;  // never empty, ascending
  model::device_id device;
};
// A command of the host that reads goes to right before a later one, and sees what is there then.
struct move_change {
  model::command_id command;
  model::command_id before;
};
// Commands that the program orders, and that need no order: less is asked for.
struct order_change {
  std::vector<std::pair<model::command_id, model::command_id>> pairs;  // never empty
  bool everywhere = false;  // nothing is asked for any more but what accesses need
  // What commands come after instead, where that is something else than before.
  struct list {
    model::command_id command;
    std::vector<std::uint64_t> after;
  };
  std::vector<list> after;  // ascending
};
using graph_change =
    std::variant<page_change, access_change, device_change, move_change, order_change>;

// What planning makes of a graph, in figures.
struct graph_outcome {
  std::uint64_t bytes = 0;  // that transfers move
  std::uint64_t transfers = 0;
  std::uint64_t edges =
      0;  // pairs of commands that one waits for the other, before any is left out as implied
  double seconds = 0;  // makespan, as planner::simulate expects it
};

// A graph of its own with a change in it. Must not outlive what it was made of.
class changed_graph {
 public:
  // Throws model::user_error (invalid) if the graph has no such place.
  changed_graph(const graph_view& graph, const graph_change& change);
  changed_graph(const changed_graph&) = delete;
  changed_graph& operator=(const changed_graph&) = delete;

  [[nodiscard]] model::array_view<const model::command> commands() const noexcept {
    return {commands_.data(), commands_.size()};
  }
  [[nodiscard]] model::array_view<const model::buffer_info> buffers() const noexcept {
    return {buffers_.data(), buffers_.size()};
  }
  // Where a command of the graph is now.
  [[nodiscard]] model::command_id now(model::command_id before) const noexcept {
    return moved_.empty() ? before : moved_[before.value()];
  }

 private:
  void apply(const page_change& c);
  void apply(const access_change& c);
  void apply(const device_change& c);
  void apply(const move_change& c);
  void apply(const order_change& c);
  void own_requirements();
  [[nodiscard]] model::requirement& requirement(const access_place& a);

  std::vector<model::command> commands_;
  std::vector<model::buffer_info> buffers_;
  std::vector<model::requirement> requirements_;
  std::vector<std::size_t> first_requirement_;  // index: command
  std::vector<std::uint64_t> after_;
  std::vector<model::command_id> moved_;  // index: command of the graph; empty: none is elsewhere
};

// The figures of a plan of these commands.
[[nodiscard]] graph_outcome outcome_of(model::array_view<const model::command> commands,
                                       model::array_view<const model::buffer_info> buffers,
                                       const model::topology& machine, const plan& plan);

// What came of trying a change.
struct tried_change {
  graph_change change;
  graph_outcome before, after;

  // Better in something, and neither more bytes nor more time.
  [[nodiscard]] bool gains() const noexcept;
};

}  // namespace pianola::planner
