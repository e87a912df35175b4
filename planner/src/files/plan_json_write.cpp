// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include <fmt/format.h>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

#include "pianola/planner/plan_json.hpp"

namespace pianola::planner {

namespace {

using formats::json_writer;
using lines = formats::json_writer::layout;

template <class Id>
void write_id_or_null(json_writer& json, const char* key, Id id) {
  json.key(key);
  if (id.valid())
    json.number(std::uint64_t{id.value()});
  else
    json.null();
}

void write_action(json_writer& json, const execute_step& s, const graph_view&) {
  json.key("execute").open_object();
  json.key("command").number(std::uint64_t{s.command.value()});
  write_id_or_null(json, "device", s.device);
  json.close();
}

void write_action(json_writer& json, const transfer_step& s, const graph_view& graph) {
  const model::buffer_info& buffer = graph.buffers()[s.buffer.value()];
  json.key("transfer").open_object();
  json.key("buffer").number(std::uint64_t{s.buffer.value()});
  json.key("from").number(std::uint64_t{s.from.value()});
  json.key("to").number(std::uint64_t{s.to.value()});
  json.key("elements").box(s.elements);
  json.key("bytes").number(s.elements.count() * buffer.element_size);
  json.key("pages").number(buffer.grid.page_count(s.elements));
  json.close();
}

void write_validity(json_writer& json, const char* key, const std::vector<validity_entry>& list) {
  json.key(key).open_array(lines::lines);
  for (const validity_entry& e : list) {
    json.open_object();
    json.key("buffer").number(std::uint64_t{e.buffer.value()});
    json.key("elements").box(e.elements);
    json.key("memories").open_array();
    e.memories.for_each([&](model::memory_id m) { json.number(std::uint64_t{m.value()}); });
    json.close();
    json.close();
  }
  json.close();
}

}  // namespace

// Memories, devices and links; what planning knows of their speeds is not what a plan depends on to be right.
static void write_machine(json_writer& json, const model::topology& machine) {
  json.key("machine").open_object(lines::lines);
  json.key("memories").open_array();
  for (const model::memory_description& m : machine.memories) json.text(m.name);
  json.close();
  json.key("devices").open_array(lines::lines);
  for (const model::device_description& d : machine.devices)
    json.open_object()
        .key("name")
        .text(d.name)
        .key("backend")
        .text(d.backend)
        .key("memory")
        .number(std::uint64_t{d.memory.value()})
        .close();
  json.close();
  json.key("links").open_array();
  for (const model::link_description& l : machine.links)
    json.open_array()
        .number(std::uint64_t{l.from.value()})
        .number(std::uint64_t{l.to.value()})
        .close();
  json.close();
  json.close();
}

static void write_cut(json_writer& json, const cut_graph& cut) {
  json.key("cut").open_object();
  json.key("graph_hash").hexadecimal(cut.whole_hash);
  json.key("speeds").open_array();
  for (const double s : cut.speeds) json.number(s, "a speed");
  json.close();
  json.close();
}

static void list_lanes(json_writer& json, const plan& p) {
  json.key("lanes").open_array(lines::lines);
  for (std::size_t i = 0; i < p.lanes.size(); ++i) {
    json.open_object().key("id").number(std::uint64_t{i});
    write_id_or_null(json, "device", p.lanes[i].device);
    json.close();
  }
  json.close();
}

static void list_steps(json_writer& json, const plan& p, const graph_view& graph) {
  json.key("steps").open_array(lines::lines);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    const step& s = p.steps[i];
    json.open_object().key("id").number(std::uint64_t{i});
    json.key("lane").number(std::uint64_t{s.lane.value()});
    json.key("waits").open_array();
    for (const model::step_id w : p.waits_of(s)) json.number(w.value());
    json.close();
    std::visit([&](const auto& action) { write_action(json, action, graph); }, s.action);
    json.close();
  }
  json.close();
}

static void list_finished(json_writer& json, const std::vector<finished_entry>& list) {
  json.key("finished").open_array(lines::lines);
  for (const finished_entry& e : list)
    json.open_object()
        .key("step")
        .number(e.step.value())
        .key("below")
        .number(e.below.value())
        .close();
  json.close();
}

static void list_accesses(json_writer& json, const std::vector<access_entry>& list) {
  json.key("accesses").open_array(lines::lines);
  for (const access_entry& a : list) {
    json.open_object().key("buffer").number(std::uint64_t{a.buffer.value()});
    json.key("elements").box(a.elements);
    json.key("written").truth(a.written);
    json.close();
  }
  json.close();
}

static void list_slots(json_writer& json, const std::vector<storage_slot>& list) {
  json.key("slots").open_array(lines::lines);
  for (const storage_slot& s : list) {
    json.open_object().key("buffer").number(std::uint64_t{s.buffer.value()});
    json.key("memory").number(std::uint64_t{s.memory.value()});
    json.key("offset").number(s.offset);
    json.key("first").number(std::uint64_t{s.first});
    json.key("last").number(std::uint64_t{s.last});
    json.close();
  }
  json.close();
}

static void list_memories(json_writer& json, const std::vector<memory_use>& list) {
  json.key("memories").open_array(lines::lines);
  for (const memory_use& m : list) {
    json.open_object().key("memory").number(std::uint64_t{m.memory.value()});
    json.key("peak").number(m.peak);
    if (m.block != 0) json.key("block").number(m.block).key("apart").number(m.apart);
    if (m.budget != 0) json.key("budget").number(m.budget);
    if (m.allocated != 0) {
      json.key("allocated").number(m.allocated);
      json.key("allocated_apart").number(m.allocated_apart);
    }
    json.close();
  }
  json.close();
}

static std::string write_plan(json_writer json, const plan& p, const graph_view& graph,
                              const model::topology* machine, const cut_graph* cut) {
  if (p.graph_hash != graph.structural_hash())
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("the plan was made for the graph {}, not for {}", formats::hex(p.graph_hash),
                    formats::hex(graph.structural_hash())));
  if (p.first_step != 0)
    throw model::user_error(model::error_code::invalid,
                            "only the plan of a recorded graph can be written to a file");
  json.open_object(lines::lines);
  json.key("format").text("pianola.plan/1");
  json.key("graph_hash").hexadecimal(p.graph_hash);
  if (cut != nullptr) write_cut(json, *cut);
  if (machine != nullptr) write_machine(json, *machine);
  list_lanes(json, p);
  list_steps(json, p, graph);
  if (!p.finished.empty()) list_finished(json, p.finished);
  write_validity(json, "contract", p.contract);
  write_validity(json, "exit", p.exit);
  list_accesses(json, p.accesses);
  if (!p.slots.empty()) list_slots(json, p.slots);
  if (!p.memories.empty()) list_memories(json, p.memories);
  json.close();
  return json.finish();
}

std::string to_json(const plan& p, const graph_view& graph, const model::topology* machine,
                    const cut_graph* cut) {
  return write_plan(json_writer(), p, graph, machine, cut);
}

void write_json(const plan& p, const graph_view& graph,
                const std::function<void(std::string_view)>& to) {
  static_cast<void>(write_plan(json_writer(to), p, graph, nullptr, nullptr));
}

}  // namespace pianola::planner
