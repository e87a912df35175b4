// SPDX-License-Identifier: Apache-2.0
#include "pianola/planning/plan.hpp"

#include <utility>

#include <fmt/format.h>

#include <pianola/formats/file.hpp>
#include <pianola/planner/explain/report.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/plan_json.hpp>
#include <pianola/planner/simulate/report.hpp>
#include <pianola/planner/simulate/trace.hpp>
#include <pianola/planner/stored_bodies.hpp>
#include <pianola/planner/text.hpp>
#include <pianola/planner/verify.hpp>
#include <pianola/planner/verify_bodies.hpp>

#include "convert.hpp"
#include "graph_data.hpp"
#include "guard.hpp"
#include "run_folder.hpp"
#include "vocabularies.hpp"

namespace pianola::planning {

namespace detail {

struct plan_data {
  planning::graph of;
  std::shared_ptr<const graph_data> data;  // of `of`
  planner::graph_view view;
  planning::machine machine;
  model::topology topology;
  planner::plan plan;

  plan_data(const planning::graph& g, model::topology t)
      : of(g),
        data(graph_data::shared(of)),
        view(data->loaded.graph),
        machine(from_model(t)),
        topology(std::move(t)) {}

  static planning::plan finished(std::shared_ptr<const plan_data> data) {
    return planning::plan(std::move(data));
  }
  static const plan_data& of_plan(const planning::plan& p) { return *p.data_; }
};

}  // namespace detail

using detail::graph_data;
using detail::guarded;
using detail::plan_data;

namespace {

// Commands of a graph that is planned for another machine name devices and memories of that one.
void expect_fits(const graph_data& g, const model::topology& machine) {
  const auto expect = [](std::size_t command, const char* what, std::size_t id, std::size_t count) {
    if (id >= count)
      detail::refuse(
          fmt::format("the machine has {} {}, and command {} of the graph names number {}", count,
                      what, command, id));
  };
  const auto commands = g.loaded.graph.commands();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const model::command& c = commands[i];
    if (c.device.valid()) expect(i, "devices", c.device.value(), machine.devices.size());
    for (const model::device_id d : c.candidates)
      expect(i, "devices", d.value(), machine.devices.size());
    for (const model::requirement& r : c.requirements)
      if (r.memory.valid()) expect(i, "memories", r.memory.value(), machine.memories.size());
  }
}

std::shared_ptr<plan_data> begun(const graph& g, model::topology machine) {
  expect_fits(graph_data::of(g), machine);
  return std::make_shared<plan_data>(g, std::move(machine));
}

plan planned(const graph& g, model::topology machine, const plan_options& wanted) {
  return guarded([&] {
    std::shared_ptr<plan_data> made = begun(g, std::move(machine));
    const planner::graph_view& view = made->view;
    planner::options options;
    options.objective = detail::to_planner(wanted.objective);
    options.place = detail::to_planner(wanted.placement);
    options.search_seconds = wanted.search_seconds;
    options.memory_budget = wanted.memory_budget;
    options.coalesce = wanted.coalesce;
    options.single_lane = wanted.single_lane;
    options.buffer_name = [&view](model::buffer_id b) {
      const std::string name = view.buffer_label(b);
      return name.empty() ? fmt::format("buffer {}", b.value()) : name;
    };
    made->plan = planner::make_plan(view.commands(), view.buffers(), made->topology, options);
    made->plan.graph_hash = view.structural_hash();
    return plan_data::finished(std::move(made));
  });
}

plan read(std::string_view json, const graph& g, model::topology machine, std::string_view source) {
  return guarded([&] {
    std::shared_ptr<plan_data> made = begun(g, std::move(machine));
    made->plan = planner::read_plan(json, made->view, made->topology, source);
    return plan_data::finished(std::move(made));
  });
}

const plan_data& right(const plan_data& d, const std::optional<violation>& wrong) {
  if (!wrong) return d;
  detail::refuse(fmt::format("the plan is not right: {}{}",
                             wrong->step ? fmt::format("step {}: ", number_of(*wrong->step)) : "",
                             wrong->reason));
}

suggestion as_suggestion(const planner::tried_change& t, const plan_data& d) {
  return {planner::to_text(t.change, d.view, d.topology),
          t.before.bytes,
          t.after.bytes,
          t.before.transfers,
          t.after.transfers,
          t.before.seconds,
          t.after.seconds};
}

template <class Asked>
explanation explained(const plan_data& d, std::uint64_t effort, Asked&& asked) {
  return guarded([&] {
    const planner::explainer of(d.view, d.plan, d.topology, effort);
    const auto found = asked(of);
    explanation e;
    e.text = planner::to_text(found, of, 0);
    e.json = planner::to_json(found, of);
    for (const planner::tried_change& t : found.suggestions)
      e.suggestions.push_back(as_suggestion(t, d));
    e.tried = found.tried;
    e.not_tried = found.not_tried;
    return e;
  });
}

step described(const plan_data& d, std::size_t i) {
  const planner::step& s = d.plan.steps[i];
  step to;
  to.id = step_id(i);
  to.lane = s.lane.value();
  to.device = device_id(d.plan.lanes[s.lane.value()].device.value());
  for (const model::step_id w : d.plan.waits_of(s)) to.waits.push_back(step_id(w.value()));
  if (const auto* e = std::get_if<planner::execute_step>(&s.action)) {
    to.command = command_id(e->command.value());
    to.device = device_id(e->device.value());
    return to;
  }
  const auto& t = std::get<planner::transfer_step>(s.action);
  const model::buffer_info& b = d.view.buffers()[t.buffer.value()];
  to.transfer =
      transfer{buffer_id(t.buffer.value()), memory_id(t.from.value()), memory_id(t.to.value()),
               detail::from_model(t.elements, b.dimensions), t.elements.count() * b.element_size};
  return to;
}

}  // namespace

plan::plan(std::shared_ptr<const plan_data> data) : data_(std::move(data)) {}
plan::~plan() = default;
plan::plan(const plan&) = default;
plan& plan::operator=(const plan&) = default;

const graph& plan::graph() const noexcept { return data_->of; }
const machine& plan::machine() const noexcept { return data_->machine; }
std::size_t plan::step_count() const noexcept { return data_->plan.steps.size(); }

step plan::step(step_id id) const {
  if (number_of(id) >= step_count())
    detail::refuse(
        fmt::format("there is no step {}; the plan has {}", number_of(id), step_count()));
  return described(*data_, number_of(id));
}

std::vector<step> plan::steps() const {
  std::vector<planning::step> all;
  all.reserve(step_count());
  for (std::size_t i = 0; i < step_count(); ++i) all.push_back(described(*data_, i));
  return all;
}

std::optional<violation> plan::verify() const {
  return guarded([&]() -> std::optional<violation> {
    auto wrong = planner::verify(data_->view.commands(), data_->view.buffers(), data_->topology,
                                 data_->plan);
    if (!wrong) {
      const recorder::loaded_graph& loaded = graph_data::of(data_->of).loaded;
      const planner::stored_bodies bodies(loaded.graph, loaded.topology, "graph");
      wrong = planner::verify_bodies(data_->view, loaded.topology, bodies.all());
    }
    if (!wrong) return std::nullopt;
    violation v;
    if (wrong->step.valid()) v.step = step_id(wrong->step.value());
    v.reason = formats::one_line(wrong->reason);
    return v;
  });
}

simulation plan::simulate() const {
  const plan_data& d = right(*data_, verify());
  return guarded([&] {
    const planner::simulation s = planner::simulate(d.view, d.plan, d.topology);
    simulation to;
    to.makespan = s.makespan;
    to.work = s.work;
    to.span = s.span;
    for (const model::step_id id : s.critical_path) to.critical_path.push_back(step_id(id.value()));
    for (const planner::simulated_step& t : s.steps) to.steps.push_back({t.start, t.end});
    for (const planner::device_use& u : s.devices) to.devices.push_back({u.busy, u.work, u.steps});
    for (std::size_t i = 0; i < s.links.size(); ++i)
      to.links.push_back(
          {d.machine.links[i].from, d.machine.links[i].to, s.links[i].bytes, s.links[i].transfers});
    to.peak_memory = s.peak_memory;
    return to;
  });
}

std::string plan::simulation_json() const {
  const plan_data& d = right(*data_, verify());
  return guarded([&] {
    return planner::to_json(planner::simulate(d.view, d.plan, d.topology), d.plan, d.topology);
  });
}

std::string plan::trace_json() const {
  const plan_data& d = right(*data_, verify());
  return guarded([&] {
    return planner::to_trace(planner::simulate(d.view, d.plan, d.topology), d.view, d.plan,
                             d.topology);
  });
}

explanation plan::explain_transfer(step_id id, std::uint64_t effort) const {
  return explained(*data_, effort, [id](const planner::explainer& of) {
    return of.transfer(model::step_id(number_of(id)));
  });
}

explanation plan::explain_edge(command_id from, command_id to, std::uint64_t effort) const {
  return explained(*data_, effort, [&](const planner::explainer& of) {
    return of.edge(detail::id_as<model::command_id>(from), detail::id_as<model::command_id>(to));
  });
}

explanation plan::explain_command(command_id id, std::uint64_t effort) const {
  return explained(*data_, effort, [id](const planner::explainer& of) {
    return of.command(detail::id_as<model::command_id>(id));
  });
}

std::string plan::to_text(std::size_t maximum) const {
  return guarded(
      [&] { return planner::to_text(data_->view, data_->plan, data_->topology, maximum); });
}

plan make_plan(const graph& g, const plan_options& options) {
  return planned(g, graph_data::of(g).loaded.topology, options);
}
plan make_plan(const graph& g, const machine& m, const plan_options& options) {
  return planned(g, detail::to_model(m), options);
}

plan read_plan(std::string_view json, const graph& g, std::string_view source) {
  return read(json, g, graph_data::of(g).loaded.topology, source);
}
plan read_plan(std::string_view json, const graph& g, const machine& m, std::string_view source) {
  return read(json, g, detail::to_model(m), source);
}
// The text of a plan's file; of a journal that of the plan that ran.
static std::string text_of_plan(const detail::run_file& file) {
  if (!file.is_journal) return guarded([&] { return formats::read_file(file.path); });
  const journal::recorded_run run = detail::run_of(file.path);
  return guarded(
      [&] { return planner::to_json(run.plan, planner::graph_view(run.graph), &run.topology); });
}

plan load_plan(const std::string& path, const graph& g) {
  const detail::run_file file = detail::file_of_run(path, recorder::run_plan);
  return read_plan(text_of_plan(file), g, file.path);
}
plan load_plan(const std::string& path, const graph& g, const machine& m) {
  const detail::run_file file = detail::file_of_run(path, recorder::run_plan);
  return read_plan(text_of_plan(file), g, m, file.path);
}

std::string to_json(const plan& p) {
  const plan_data& d = plan_data::of_plan(p);
  return guarded([&] { return planner::to_json(d.plan, d.view, &d.topology); });
}

void save(const plan& p, const std::string& path) {
  const std::string text = to_json(p);
  guarded([&] { formats::write_file(path, text); });
}

}  // namespace pianola::planning
