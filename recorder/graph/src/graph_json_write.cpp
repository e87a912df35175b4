// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>
#include <variant>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>

#include "footprint_json.hpp"
#include "pianola/recorder/graph_json.hpp"
#include "pianola/recorder/topology_json.hpp"
#include "usm_json.hpp"

namespace pianola::recorder {

namespace {

using formats::json_writer;
using lines = formats::json_writer::layout;

void write_operand(json_writer& json, const char* key, const model::memory_operand& o) {
  json.key(key).open_object();
  if (o.requirement != model::memory_operand::no_requirement)
    json.key("requirement").number(std::uint64_t{o.requirement});
  else
    json.key("memory").number(std::uint64_t{o.memory.value()});
  json.key("byte_offset").number(o.byte_offset);
  json.key("row_pitch").number(o.row_pitch);
  json.key("slice_pitch").number(o.slice_pitch);
  json.close();
}

template <class Command>
void write_shape(json_writer& json, const Command& c) {
  json.key("width").number(c.width);
  json.key("height").number(c.height);
  json.key("depth").number(c.depth);
}

// Deeper ones are left out, so that what reads files has a bound.
constexpr unsigned deepest_body = 8;

void write_contents(json_writer& json, const command_graph& graph, const measured_times& measured,
                    unsigned depth);

// The members that only one kind of command has.
class payload_writer {
 public:
  // `depth`: of the graph, among those that run each other.
  payload_writer(json_writer& json, const command_graph& graph, model::command_id id,
                 unsigned depth)
      : json_(json), graph_(graph), id_(id), depth_(depth) {}

  void operator()(const model::kernel_command& c) const {
    json_.key("kernel").open_object();
    json_.key("id").hexadecimal(c.id.value());
    json_.key("dimensions").number(std::uint64_t{c.geometry.dimensions});
    json_.key("global").point(c.geometry.global);
    if (c.geometry.grouped) json_.key("local").point(c.geometry.local);
    json_.key("offset").point(c.geometry.offset);
    if (c.geometry.part != nullptr) json_.key("part").box(*c.geometry.part);
    json_.key("local_memory_bytes").number(std::uint64_t{c.local_memory_bytes});
    if (c.indirect.used) {
      json_.key("range_from");
      if (c.indirect.requirement == model::indirect_range::in_memory)
        json_.null();
      else
        json_.number(std::uint64_t{c.indirect.requirement});
    }
    write_work(json_, c.work);
    write_footprints(json_, c);
    json_.close();
  }
  void operator()(const model::copy_command& c) const {
    json_.key("copy").open_object();
    write_shape(json_, c);
    write_operand(json_, "source", c.source);
    write_operand(json_, "destination", c.destination);
    json_.close();
  }
  void operator()(const model::fill_command& c) const {
    json_.key("fill").open_object();
    write_shape(json_, c);
    json_.key("pattern_bytes").number(std::uint64_t{c.pattern_bytes});
    if (c.pattern_bytes <= model::fill_command::inline_pattern_bytes) {
      json_.key("pattern").open_array();
      for (std::uint32_t i = 0; i < c.pattern_bytes; ++i) json_.number(std::uint64_t{c.pattern[i]});
      json_.close();
    }
    write_operand(json_, "destination", c.destination);
    json_.close();
  }
  void operator()(const model::prefetch_command& c) const {
    json_.key("prefetch").open_object().key("bytes").number(c.bytes).close();
  }
  void operator()(const model::advise_command& c) const {
    json_.key("advise").open_object().key("bytes").number(c.bytes);
    json_.key("advice").number(std::uint64_t{static_cast<std::uint32_t>(c.advice)}).close();
  }
  void operator()(const model::subgraph_command& c) const {
    json_.key("subgraph").open_object().key("nodes").number(c.nodes);
    if (c.control != model::control_kind::once) {
      json_.key("control").text(model::name_of(c.control));
      json_.key("bodies").number(std::uint64_t{c.bodies});
      if (c.control == model::control_kind::repeat) json_.key("count").number(c.count);
      if (c.condition != model::memory_operand::no_requirement)
        json_.key("condition").number(std::uint64_t{c.condition});
      write_bodies();
    }
    json_.close();
  }
  void operator()(const model::allocate_command& c) const {
    json_.key("allocate").open_object().key("allocation").number(c.allocation);
    json_.key("bytes").number(c.bytes).key("place").number(c.place);
    json_.key("zero").truth(c.zero).close();
  }
  void operator()(const model::free_command& c) const {
    json_.key("free").open_object().key("allocation").number(c.allocation);
    json_.key("bytes").number(c.bytes).close();
  }
  void operator()(const model::empty_command&) const {}
  void operator()(const model::host_task_command&) const {}
  void operator()(const model::barrier_command&) const {}
  void operator()(const model::host_access_command&) const {}
  void operator()(const model::acquire_command&) const {}

 private:
  void write_bodies() const {
    const auto [first, last] =
        std::equal_range(graph_.bodies().begin(), graph_.bodies().end(), id_, by_command());
    if (first == last || depth_ == deepest_body) return;
    json_.key("graphs").open_array(lines::lines);
    for (auto b = first; b != last; ++b) {
      json_.open_object(lines::lines).key("names").open_array();
      for (const model::buffer_id name : b->buffers) json_.number(std::uint64_t{name.value()});
      json_.close();
      json_.key("graph").open_object(lines::lines);
      write_contents(json_, *b->graph, {}, depth_ + 1);
      json_.close();
      json_.key("plan").raw(b->plan).close();
    }
    json_.close();
  }
  struct by_command {
    bool operator()(const command_graph::body& b, model::command_id id) const {
      return b.command < id;
    }
    bool operator()(model::command_id id, const command_graph::body& b) const {
      return id < b.command;
    }
  };

  json_writer& json_;
  const command_graph& graph_;
  model::command_id id_;
  unsigned depth_;
};

void write_requirement(json_writer& json, const model::requirement& r,
                       const model::buffer_info& buffer) {
  json.open_object();
  json.key("buffer").number(std::uint64_t{r.buffer.value()});
  json.key("mode").text(model::name_of(r.mode));
  json.key("no_init").truth(r.no_init);
  if (r.memory.valid()) json.key("memory").number(std::uint64_t{r.memory.value()});
  json.key("elements").box(r.elements);
  json.key("pages").box(buffer.grid.pages_of(r.elements));
  json.close();
}

void write_command(json_writer& json, std::uint64_t id, const model::command& c,
                   const command_graph& graph, model::array_view<const model::usm_access> usm,
                   model::array_view<const model::buffer_read> reads, const measured_times& times,
                   unsigned depth) {
  json.open_object();
  json.key("id").number(id);
  json.key("kind").text(formats::kind_name(c));
  json.key("label").text(formats::full_name(c));
  json.key("device");
  if (c.device.valid())
    json.number(std::uint64_t{c.device.value()});
  else
    json.null();
  if (!c.candidates.empty()) {
    json.key("candidates").open_array();
    for (const model::device_id d : c.candidates) json.number(std::uint64_t{d.value()});
    json.close();
  }
  if (c.lane.valid()) json.key("lane").number(std::uint64_t{c.lane.value()});
  json.key("requirements").open_array();
  for (const auto& r : c.requirements) write_requirement(json, r, graph.buffer(r.buffer));
  json.close();
  json.key("after").open_array();
  for (const std::uint64_t a : c.after) json.number(a);
  json.close();
  const model::command_id number(static_cast<std::uint32_t>(id));
  std::visit(payload_writer(json, graph, number, depth), c.payload);
  const auto allocations = graph.allocations_of(number);
  if (!allocations.empty()) {
    json.key("allocations").open_array();
    for (const std::uint32_t a : allocations) {
      if (a == model::no_allocation)
        json.null();
      else
        json.number(std::uint64_t{a});
    }
    json.close();
  }
  write_usm(json, usm);
  write_buffer_reads(json, reads);
  const model::command_id of(static_cast<std::uint32_t>(id));
  if (times.of(of) != 0) json.key("measured").number(times.of(of), "the time of a command");
  if (times.of(of) != 0 && times.started(of) >= 0)
    json.key("started").number(times.started(of), "the beginning of a command");
  json.close();
}

void write_allocations(json_writer& json, const command_graph& graph) {
  if (graph.allocations().empty()) return;
  json.key("allocations").open_array(lines::lines);
  std::uint64_t id = 0;
  for (const model::usm_allocation& a : graph.allocations()) {
    json.open_object();
    json.key("id").number(id++);
    json.key("kind").text(model::name_of(a.what));
    json.key("memory").number(std::uint64_t{a.memory.value()});
    json.key("bytes").number(a.bytes);
    if (a.allocated != model::usm_allocation::never) json.key("allocated").number(a.allocated);
    if (a.freed != model::usm_allocation::never) json.key("freed").number(a.freed);
    json.close();
  }
  json.close();
}

// What a graph has, wherever it is.
void write_contents(json_writer& json, const command_graph& graph, const measured_times& measured,
                    unsigned depth) {
  json.key("buffers").open_array(lines::lines);
  for (std::uint32_t i = 0; i < graph.buffer_count(); ++i) {
    const model::buffer_id id(i);
    const model::buffer_info& b = graph.buffer(id);
    json.open_object();
    json.key("id").number(std::uint64_t{i});
    json.key("label").text(graph.buffer_label(id));
    json.key("dimensions").number(std::uint64_t{b.dimensions});
    json.key("range").point(b.grid.range());
    json.key("page").point(b.grid.page());
    json.key("element_size").number(std::uint64_t{b.element_size});
    if (b.temporary) json.key("temporary").truth(true);
    if (b.evictable) json.key("evictable").truth(true);
    if (graph.is_unwritten(id)) json.key("unwritten").truth(true);
    json.close();
  }
  json.close();

  write_allocations(json, graph);

  json.key("commands").open_array(lines::lines);
  std::uint32_t id = 0;
  auto usm = graph.usm_accesses();
  auto reads = graph.buffer_reads();
  // Those of the next command, which are no more in what is left.
  const auto take = [&](auto& left) {
    std::size_t n = 0;
    while (n < left.size() && left[n].command.value() == id) ++n;
    const auto taken = std::remove_reference_t<decltype(left)>{left.data(), n};
    left = {left.data() + n, left.size() - n};
    return taken;
  };
  for (const auto& c : graph.commands()) {
    const auto of_usm = take(usm);
    const auto of_buffers = take(reads);
    write_command(json, id, c, graph, of_usm, of_buffers, measured, depth);
    ++id;
  }
  json.close();
}

std::string write_graph(json_writer json, const command_graph& graph,
                        const model::topology& topology, const measured_times& measured) {
  json.open_object(lines::lines);
  json.key("format").text("pianola.graph/1");
  json.key("structural_hash").hexadecimal(graph.structural_hash());
  json.key("topology");
  write_topology(json, topology);

  write_contents(json, graph, measured, 0);
  json.close();
  return json.finish();
}

}  // namespace

std::string to_json(const command_graph& graph, const model::topology& topology,
                    const measured_times& measured) {
  return write_graph(json_writer(), graph, topology, measured);
}

void write_json(const command_graph& graph, const model::topology& topology,
                const measured_times& measured, const std::function<void(std::string_view)>& to) {
  static_cast<void>(write_graph(json_writer(to), graph, topology, measured));
}

}  // namespace pianola::recorder
