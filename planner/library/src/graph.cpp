// SPDX-License-Identifier: Apache-2.0
#include "pianola/planning/graph.hpp"

#include <utility>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/planner/check/check.hpp>
#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/graph_view.hpp>
#include <pianola/planner/text.hpp>

#include "convert.hpp"
#include "graph_data.hpp"
#include "guard.hpp"
#include "run_folder.hpp"
#include "vocabularies.hpp"

namespace pianola::planning {

using detail::graph_data;
using detail::guarded;

namespace {

requirement needed(buffer_id buffer, access mode, bool no_init, std::optional<box> elements) {
  requirement r;
  r.buffer = buffer;
  r.mode = mode;
  r.no_init = no_init;
  r.elements = elements;
  return r;
}

[[noreturn]] void not_there(const char* what, std::size_t number, std::size_t count) {
  detail::refuse(fmt::format("there is no {} {}; the graph has {}", what, number, count));
}

const model::buffer_info& buffer_of(const graph_data& g, buffer_id id) {
  const std::size_t count = g.loaded.graph.buffer_count();
  if (number_of(id) >= count) not_there("buffer", number_of(id), count);
  return g.loaded.graph.buffer(detail::id_as<model::buffer_id>(id));
}

}  // namespace

requirement reads(buffer_id buffer, std::optional<box> elements) {
  return needed(buffer, access::read, false, elements);
}
requirement overwrites(buffer_id buffer, std::optional<box> elements) {
  return needed(buffer, access::write, true, elements);
}
requirement updates(buffer_id buffer, std::optional<box> elements) {
  return needed(buffer, access::read_write, false, elements);
}

namespace detail {

graph_data::graph_data(recorder::loaded_graph g)
    : loaded(std::move(g)), machine(from_model(loaded.topology)) {}

planning::graph graph_data::graph_of(std::shared_ptr<graph_data> data) {
  return planning::graph(std::move(data));
}

}  // namespace detail

graph::graph(const planning::machine& m)
    : data_(std::make_shared<graph_data>(recorder::loaded_graph{{}, detail::to_model(m), {}})) {}
graph::graph(std::shared_ptr<graph_data> data) : data_(std::move(data)) {}
graph::~graph() = default;
graph::graph(const graph&) = default;
graph& graph::operator=(const graph&) = default;

// What others look at stays as it is. Files hold all that planning depends on, so a copy is what is read again.
graph_data& graph::own() {
  if (data_.use_count() > 1)
    data_ = guarded([&] {
      const recorder::loaded_graph& now = data_->loaded;
      return std::make_shared<graph_data>(
          recorder::read_graph(recorder::to_json(now.graph, now.topology, now.measured)));
    });
  return *data_;
}

buffer_id graph::add_buffer(const buffer_description& buffer) {
  const model::buffer_info info = detail::to_model(buffer);
  return guarded([&] {
    return buffer_id(own().loaded.graph.add_buffer(info, 0, buffer.name.c_str()).value());
  });
}

allocation_id graph::add_allocation(const allocation_description& a) {
  if (number_of(a.memory) >= data_->machine.memories.size())
    not_there("memory", number_of(a.memory), data_->machine.memories.size());
  model::usm_allocation made;
  made.what = static_cast<model::usm_kind>(a.kind);
  made.memory = detail::id_as<model::memory_id>(a.memory);
  made.bytes = a.bytes;
  return guarded([&] { return allocation_id(own().loaded.graph.add_allocation(made)); });
}

command_id graph::add(const planning::command& c) {
  return guarded([&] { return detail::add_command(own(), c); });
}

command_id graph::add_kernel(std::string name, device_id device, extent range,
                             std::vector<requirement> requirements, std::vector<command_id> after) {
  planning::command c;
  c.name = std::move(name);
  c.device = device;
  c.range = range;
  c.requirements = std::move(requirements);
  c.after = std::move(after);
  return add(c);
}

const planning::machine& graph::machine() const noexcept { return data_->machine; }
std::size_t graph::buffer_count() const noexcept { return data_->loaded.graph.buffer_count(); }
std::size_t graph::allocation_count() const noexcept {
  return data_->loaded.graph.allocations().size();
}
std::size_t graph::command_count() const noexcept { return data_->loaded.graph.size(); }

buffer_description graph::buffer(buffer_id id) const {
  return detail::from_model(buffer_of(*data_, id),
                            data_->loaded.graph.buffer_label(detail::id_as<model::buffer_id>(id)));
}

allocation_description graph::allocation(allocation_id id) const {
  if (number_of(id) >= allocation_count())
    not_there("allocation", number_of(id), allocation_count());
  const model::usm_allocation& a = data_->loaded.graph.allocations()[number_of(id)];
  return {static_cast<usm_kind>(a.what), memory_id(a.memory.value()), a.bytes};
}

planning::command graph::command(command_id id) const {
  if (number_of(id) >= command_count()) not_there("command", number_of(id), command_count());
  return detail::describe(*data_, detail::id_as<model::command_id>(id));
}

box graph::elements_of_pages(buffer_id id, const box& pages) const {
  const model::buffer_info& b = buffer_of(*data_, id);
  const model::box wanted = detail::to_model(pages);
  if (pages.begin.size() != b.dimensions || pages.end.size() != b.dimensions || wanted.empty() ||
      !model::contains(model::box::of(b.grid.pages()), wanted))
    detail::refuse(fmt::format("buffer {} has no such box of pages; it has {}", number_of(id),
                               formats::extent_text(b.grid.pages(), b.dimensions)));
  return detail::from_model(b.grid.elements_of(wanted), b.dimensions);
}

box graph::elements_of_bytes(buffer_id id, std::uint64_t begin, std::uint64_t end) const {
  const model::buffer_info& b = buffer_of(*data_, id);
  if (begin >= end || end > b.bytes())
    detail::refuse(fmt::format("buffer {} has no bytes from {} to {}; it has {}", number_of(id),
                               begin, end, b.bytes()));
  return detail::from_model(model::covering_box(b.grid.range(), begin / b.element_size,
                                                (end + b.element_size - 1) / b.element_size),
                            b.dimensions);
}

std::vector<edge> graph::edges() const {
  return guarded([&] {
    const recorder::command_graph& g = data_->loaded.graph;
    std::vector<edge> found;
    for (const auto& [from, to] : planner::command_edges(g.commands(), g.buffers()))
      found.push_back({command_id(from), command_id(to)});
    return found;
  });
}

std::uint64_t graph::structural_hash() const { return data_->loaded.graph.structural_hash(); }

std::vector<finding> graph::check(bool suspicions) const {
  return guarded([&] {
    const planner::graph_view view(data_->loaded.graph);
    std::vector<finding> all;
    for (const planner::finding& f :
         planner::check(view, data_->loaded.graph.usm_accesses(), {suspicions})) {
      finding to;
      to.kind = detail::from_planner(f.what);
      to.first = command_id(f.first.value());
      if (f.second.valid()) to.second = command_id(f.second.value());
      to.allocation = allocation_id(f.allocation);
      if (f.buffer.valid()) to.buffer = buffer_id(f.buffer.value());
      to.begin = f.begin;
      to.end = f.end;
      to.first_writes = f.first_writes;
      to.second_writes = f.second_writes;
      to.certain = f.certain;
      to.text = planner::to_text({&f, 1}, view, 0);
      all.push_back(std::move(to));
    }
    return all;
  });
}

std::string graph::to_text(std::size_t maximum) const {
  return guarded([&] {
    return planner::to_text(planner::graph_view(data_->loaded.graph), data_->loaded.topology,
                            maximum);
  });
}

graph read_graph(std::string_view json, std::string_view source) {
  return guarded([&] {
    return graph_data::graph_of(std::make_shared<graph_data>(recorder::read_graph(json, source)));
  });
}

graph load_graph(const std::string& path) {
  const detail::run_file file = detail::file_of_run(path, recorder::run_graph);
  if (file.is_journal) {
    journal::recorded_run run = detail::run_of(file.path);
    return guarded([&] {
      return graph_data::graph_of(std::make_shared<graph_data>(recorder::loaded_graph{
          std::move(run.graph), std::move(run.topology), std::move(run.measured)}));
    });
  }
  return guarded([&] {
    return graph_data::graph_of(std::make_shared<graph_data>(recorder::load_graph(file.path)));
  });
}

std::string to_json(const graph& g) {
  const recorder::loaded_graph& now = graph_data::of(g).loaded;
  return guarded([&] { return recorder::to_json(now.graph, now.topology, now.measured); });
}

void save(const graph& g, const std::string& path) {
  const std::string text = to_json(g);
  guarded([&] { formats::write_file(path, text); });
}

}  // namespace pianola::planning
