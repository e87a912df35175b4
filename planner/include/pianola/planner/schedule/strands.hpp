// SPDX-License-Identifier: Apache-2.0
// Which thread does which step of a graph: strands, which one thread each follows, waiting for each other point to point.
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/array_view.hpp>
#include <pianola/model/geometry.hpp>

#include "pianola/planner/cost/thread_costs.hpp"

namespace pianola::planner {

// In which order the nodes get their places.
enum class strand_order : std::uint8_t {
  as_given,  // that of the nodes, which is where they lie in memory and how they were submitted
  by_urgency,  // first that from which the way to the end of the graph is the longest; of equals as given
  shorter  // by urgency where that makes the graph clearly shorter, else as given
};

struct strand_node {
  double cost = 0;  // nanoseconds on one thread
  // waits[first_wait, first_wait + wait_count): the nodes before it that it waits for.
  std::uint32_t first_wait = 0;
  std::uint32_t wait_count = 0;
  bool divisible = false;      // can be cut into as many parts as there are strands
  bool touches_known = false;  // it may be asked whether its parts are independent of others'
  bool blocking =
      false;  // may wait for anything: stays with the thread that runs the graph, on strand 0
};

// What somebody else knows of what nodes touch.
class part_knowledge {
 public:
  // Of two nodes that are cut: whether a part of `later` needs only the same part of `earlier`.
  [[nodiscard]] virtual bool independent(std::uint32_t earlier, std::uint32_t later) const = 0;

 protected:
  ~part_knowledge() = default;
};

struct strand_item {
  std::uint32_t node;
  std::uint32_t first_wait;  // into strand_schedule::waits
  std::uint32_t wait_count;
  bool whole;       // the whole node, else the strand's part of it
  model::box part;  // of the index space; for whoever knows that
  // So many items of the strand, from this one on, go piece by piece. Those after this one wait for nothing.
  std::uint32_t run_length = 1;
  std::uint32_t pieces = 1;
};

struct strand_wait {
  std::uint32_t strand;
  std::uint32_t count;  // items that must have finished there
};

// What a node in parts still has to do with the nodes before it.
struct part_relations {
  // Nodes in parts of which it needs only the same part, on its own strand.
  std::vector<std::uint32_t> open;
  // Nodes of which all parts have finished when a part of it starts. What those follow is not listed.
  std::vector<std::uint32_t> ended;
  bool in_parts = false;
};

struct strand_schedule {
  double makespan = 0;  // nanoseconds, by the costs
  std::vector<std::vector<strand_item>> strands;
  std::vector<strand_wait> waits;
  std::vector<part_relations> relations;  // index: node
  bool relies_on_knowledge = false;       // a wait was left out because parts are independent
};

// List scheduling onto so many strands: each node in turn goes where it ends first, and those that are worth it are cut into
// one part per strand. What follows from other waits is waited for once. Whatever the order, a node that may block gets its
// place after all that are given before it: what it waits for may need those in ways that nobody here knows of.
[[nodiscard]] strand_schedule assign_strands(model::array_view<const strand_node> nodes,
                                             model::array_view<const std::uint32_t> waits,
                                             unsigned strands, const part_knowledge& parts,
                                             const strand_costs& costs = {},
                                             strand_order order = strand_order::shorter);

}  // namespace pianola::planner
