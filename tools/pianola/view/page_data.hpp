// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <pianola/model/topology.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/recorder/measured_times.hpp>

namespace pianola::tool {

// What the page of `pianola view` shows.
struct page_content {
  std::string title;    // name of the graph's file
  std::string planned;  // where the plan is from, in a few words
  std::string timed;    // where the times are from, likewise
  std::string
      served;  // which state of the files it is, to be named with questions; empty: nobody answers any
  planner::graph_view graph;
  const planner::plan& plan;
  const model::topology& machine;
  const planner::simulation& times;
  const recorder::measured_times& measured;
};

// The content as the page's script reads it (tools/view/src/model/content.ts): JSON in columns, one list for each member
// of all commands, requirements or steps, since that is what takes little room and time for 100,000 of them. Safe within
// a script element: it has none of < > &, whatever names hold.
[[nodiscard]] std::string page_data(const page_content&);

}  // namespace pianola::tool
