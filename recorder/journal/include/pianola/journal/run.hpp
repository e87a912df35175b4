// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>
#include <pianola/recorder/command_graph.hpp>
#include <pianola/recorder/measured_times.hpp>

namespace pianola::journal {

// What a program did outside of graphs, as a graph and the plan that ran.
struct recorded_run {
  recorder::command_graph graph;
  planner::plan plan;
  model::topology topology;
  recorder::measured_times measured;
  bool cut_off = false;          // the journal's last block is not there as a whole
  std::uint64_t damaged_at = 0;  // the byte from which on it is no journal; 0: it is one
  // What commands name, commands that the host may wait for and boxes of data, to put it together; for tests of what that costs.
  std::uint64_t looked_at = 0;
};

// Throws model::user_error (invalid) with the path if it cannot be read or is no journal, or if what it tells takes very
// much more memory or time than it has bytes.
[[nodiscard]] recorded_run read_run(const std::string& path);
// Of an open file, from its start.
[[nodiscard]] recorded_run read_run(int descriptor);

// `base`.graph.json, .plan.json and .dot, or none of them. Throws model::user_error (invalid) if one cannot be written, or
// would be larger than `most` bytes; without `most`, than what is read (formats::maximum_file_bytes).
void write_files(const recorded_run& run, const std::string& base);
void write_files(const recorded_run& run, const std::string& base, std::uint64_t most);

}  // namespace pianola::journal
