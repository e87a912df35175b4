// SPDX-License-Identifier: Apache-2.0
// What is wrong with what a program does to USM, memory that commands name by pointers, whose order is up to the program;
// and reads of buffers that nobody has written to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <pianola/model/allocation.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/planner/graph_view.hpp>

namespace pianola::planner {

struct finding {
  enum class kind : std::uint8_t {
    race,            // both touch the bytes, one writes, and no path leads from one to the other
    freed_in_use,    // the host freed the allocation, and had not waited for the command
    use_after_free,  // the command was submitted later than the host freed the allocation
    never_written,   // the command reads what no command before it has written
    out_of_bounds    // the command touches what is in front of the allocation or behind it
  };
  kind what = kind::race;
  model::command_id first;
  model::command_id second;  // races: the one that was submitted later; else invalid
  std::uint32_t allocation = 0;
  model::buffer_id buffer;  // valid: it is about this one, and not about an allocation
  // Bytes of it: the first ones that it is about. Negative in front of it.
  std::int64_t begin = 0, end = 0;
  bool first_writes = false, second_writes = false;
  bool certain = true;  // else something of it is not known: it may be so
};

struct check_options {
  bool suspicions = false;  // also what is not certain
};

// Every byte that commands race for is in a finding, if all that they do is known; then nothing else is. Of accesses that
// are not known exactly, the same holds for suspicions. Ascending by the commands, each pair once for an allocation. Costs
// in proportion to accesses, edges, and edges for each few hundred commands that have to come before others.
[[nodiscard]] std::vector<finding> check(const graph_view& graph,
                                         model::array_view<const model::usm_access> accesses,
                                         const check_options& options = {});

// Kernels that point to allocations, and of which nothing is listed: they are looked at for suspicions only.
[[nodiscard]] std::size_t kernels_not_known(const graph_view& graph,
                                            model::array_view<const model::usm_access> accesses);

// One paragraph for each; `most`: then a line says how many more there are. Empty if there is none.
[[nodiscard]] std::string to_text(model::array_view<const finding> findings,
                                  const graph_view& graph, std::size_t most);
// The file format pianola.check/1.
[[nodiscard]] std::string to_json(model::array_view<const finding> findings,
                                  const graph_view& graph, std::size_t kernels_not_known);

}  // namespace pianola::planner
