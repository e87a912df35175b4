// SPDX-License-Identifier: Apache-2.0
// What a file with an executable graph holds, as data: what replays need, and nothing of where it was.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <pianola/model/allocation.hpp>
#include <pianola/model/array_view.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/requirement.hpp>
#include <pianola/model/topology.hpp>
#include <pianola/planner/plan.hpp>

namespace pianola::executable {

struct named_buffer {
  model::buffer_info info;
  std::string name;
  // The library's own, between two commands of one command group: no program names it, and nothing in it outlives a replay.
  bool own = false;
  // Of one that is the library's own: the bytes that it holds from the beginning, and that nothing writes. Empty: it holds
  // nothing yet. Of a graph that a command runs the one around it has them.
  std::string constants{};
  // Of the program's buffer; of no elements: as in `info`. A plan with kernels in parts has other pages.
  model::extent3 bound_page{{0, 0, 0}};
};

// Memory of the program that commands name by pointers.
struct named_allocation {
  model::usm_allocation what;
  std::string name;
};

// A kernel that the program, or a library of it, must have.
struct named_kernel {
  model::kernel_id id;
  std::uint32_t argument_bytes = 0;
  std::uint32_t argument_alignment = 1;
  std::string name;
};

// Memory of the host between two commands that are a copy from device to device.
struct staged_copy {
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  std::uint64_t bytes = 0;
};

// An aligned word in the arguments of a kernel that is not written as it is.
struct argument_word {
  std::uint32_t command = 0;
  std::uint32_t offset = 0;
  // What it points into, and where; of no allocation: zero is written.
  std::uint32_t allocation = model::no_allocation;
  std::uint64_t byte_offset = 0;
};

// A value in the arguments of kernels that a program can change after it has loaded the graph.
struct named_parameter {
  struct place {
    std::uint32_t command = 0;
    std::uint32_t offset = 0;  // of the value
  };
  std::string name;
  std::uint32_t bytes = 0;
  std::vector<place> places;
};

// The allocations that a memory operation works on; of a copy source and destination, of others the first.
struct operand_names {
  std::uint32_t allocation[2] = {model::no_allocation, model::no_allocation};
};

// A graph that a command of another one runs. `Graph`: what it is to be written from, or the file that it was read from.
template <class Graph>
struct nested_graph {
  Graph what;
  // Of the graph around it, one for each of its own in their order: its buffers and allocations are those of that graph.
  std::vector<std::uint32_t> buffers, allocations;
};

// What a command of kind subgraph does, besides what the command itself says.
template <class Graph>
struct control {
  std::uint32_t command = 0;
  std::uint32_t condition_bytes = 0;  // of the condition, an integer; 0: there is none
  bool is_signed = false;
  bool on_device = false;         // the graphs are planned for the device's own graph
  std::uint64_t byte_offset = 0;  // of the condition in its buffer or allocation
  std::uint32_t allocation =
      model::no_allocation;  // that the condition is in, if it is in no buffer
  std::vector<nested_graph<Graph>> bodies;
};

// To be written. Pointers of memory operations are offsets from the beginnings of their allocations: null in an operand,
// whose byte_offset counts from there, and the bare number in what takes no operand.
struct contents {
  std::uint64_t graph_hash = 0;
  model::device_id device;  // that replays are submitted to
  const model::topology* machine = nullptr;
  const planner::plan* plan = nullptr;
  model::array_view<const model::command> commands;
  std::vector<operand_names> operands;  // index: command; may be shorter
  std::vector<argument_word> words;     // ascending by command
  std::vector<named_buffer> buffers;
  std::vector<named_allocation> allocations;
  std::vector<staged_copy> staged;
  std::vector<named_parameter> parameters;
  std::vector<control<const contents*>> controls;  // ascending by command
};

}  // namespace pianola::executable
