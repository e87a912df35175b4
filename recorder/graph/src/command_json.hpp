// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <pianola/formats/json_reader.hpp>
#include <pianola/model/command.hpp>
#include <pianola/model/topology.hpp>

#include "footprint_json.hpp"
#include "living_allocations.hpp"
#include "pianola/recorder/graph_json.hpp"

namespace pianola::recorder {

// A graph that a command of another one runs, on the same machine.
[[nodiscard]] command_graph read_body(formats::json_reader& json, const model::topology& topology);

// Reads the commands of a graph file one after the other and appends them to the graph.
class command_json {
 public:
  // `into`: its topology has been read.
  command_json(formats::json_reader& json, loaded_graph& into)
      : json_(json), graph_(into.graph), topology_(into.topology), measured_(into.measured) {}

  void read(std::uint64_t index);

 private:
  void forget();
  // `m`: of the list in command_json.cpp.
  void read_member(std::size_t m, std::uint64_t index);
  void read_id(std::uint64_t index);
  void read_device();
  void read_measured();
  void read_started();
  void read_payload_of(model::command_kind named);
  // All members together make sense.
  void check();
  void append();
  void read_kind();
  void read_requirements();
  void read_requirement();
  void read_after(std::uint64_t index);
  void read_payload(model::kernel_command&);
  void read_payload(model::copy_command&);
  void read_payload(model::fill_command&);
  void read_payload(model::prefetch_command&);
  void read_payload(model::advise_command&);
  void read_payload(model::subgraph_command&);
  void read_payload(model::allocate_command&);
  void read_payload(model::free_command&);
  // These have no member of their own.
  void read_payload(model::empty_command&) {}
  void read_payload(model::host_task_command&) {}
  void read_payload(model::barrier_command&) {}
  void read_payload(model::host_access_command&) {}
  void read_payload(model::acquire_command&) {}
  void read_bodies(const model::subgraph_command&);
  void read_allocations();
  void read_candidates();
  void read_range_from(model::indirect_range& r);
  model::memory_operand read_operand();
  model::memory_id read_memory();

  formats::json_reader& json_;
  command_graph& graph_;
  const model::topology& topology_;
  measured_times& measured_;
  // Of the command that is being read.
  model::command command_;
  std::string label_;
  bool has_payload_ = false;  // the member that only its kind has was there
  double seconds_ = 0;        // 0: not known
  double begun_ = measured_times::unknown;
  model::box part_;  // of a kernel
  std::vector<model::requirement> requirements_;
  std::vector<std::uint64_t> after_;
  std::vector<std::uint32_t> allocations_;
  std::vector<model::usm_access> usm_;
  std::vector<model::buffer_read> reads_;
  std::vector<model::device_id> candidates_;
  std::vector<command_graph::body> bodies_;
  footprint_reader footprints_;
  living_allocations living_;
};

}  // namespace pianola::recorder
