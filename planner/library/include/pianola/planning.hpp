// SPDX-License-Identifier: Apache-2.0
// Planning without SYCL: graphs of commands that are built by hand or read from files, plans of them for machines that need
// not be here, and what those plans come to. Link Pianola::planner (find_package(Pianola COMPONENTS planner)); C++17.
//
//   namespace pl = pianola::planning;
//   pl::machine machine = pl::load_machine("machine.json");
//   pl::graph graph(machine);
//   pl::buffer_id u = graph.add_buffer({"u", {1024, 1024}, 4});
//   graph.add_kernel("start", pl::device_id{1}, {1024, 1024}, {pl::overwrites(u)});
//   pl::plan plan = pl::make_plan(graph);
//   double seconds = plan.simulate().makespan;
//
// Times are in seconds, sizes in bytes unless something else is said. Ids number things in the order in which they were
// added, from 0. Bad input, by whomever, gives planning::error, whose text is one line and says what to do.
// docs/planning-library.md has the whole of it with examples.
#pragma once
#include "planning/graph.hpp"
#include "planning/machine.hpp"
#include "planning/plan.hpp"
#include "planning/types.hpp"
