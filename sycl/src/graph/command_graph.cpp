// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <pianola/runtime/node_times.hpp>
#include <pianola/runtime/replay_options.hpp>
#include <pianola/runtime/sequences.hpp>

#include <sycl/command_graph.hpp>
#include <sycl/ext/pianola/graph_sequence.hpp>
#include <sycl/ext/pianola/outside_events.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

namespace {

namespace placed = pianola::property::graph;

bool wants_placing(const property_list& properties) {
  return properties.has_property<placed::place>() || properties.has_property<placed::objective>() ||
         properties.has_property<placed::split>();
}

// What the list says goes before what the graph was made with.
::pianola::runtime::graph_placing placing_from(const property_list& properties, const context& c,
                                               const ::pianola::runtime::graph& graph) {
  using goal = ::pianola::runtime::graph_placing::goal;
  ::pianola::runtime::graph_placing wanted = ::pianola::runtime::placing_of(graph);
  if (properties.has_property<placed::place>())
    wanted.anywhere = properties.get_property<placed::place>().value() == placed::place::anywhere;
  if (properties.has_property<placed::objective>())
    switch (properties.get_property<placed::objective>().value()) {
      case placed::objective::makespan:
        wanted.objective = goal::makespan;
        break;
      case placed::objective::bytes:
        wanted.objective = goal::bytes;
        break;
      case placed::objective::memory:
        wanted.objective = goal::memory;
        break;
    }
  using splitting = ::pianola::runtime::graph_placing::splitting;
  if (properties.has_property<placed::split>())
    switch (properties.get_property<placed::split>().value()) {
      case placed::split::never:
        wanted.parts = splitting::never;
        break;
      case placed::split::where_it_pays:
        wanted.parts = splitting::where_it_pays;
        break;
      case placed::split::always:
        wanted.parts = splitting::always;
        break;
    }
  wanted.devices.clear();
  const bool all = ::pianola::runtime::is_multi_device(graph);
  for (const device& d : all ? device::get_devices() : c.get_devices())
    wanted.devices.push_back(sycl::detail::device_access::id(d));
  std::sort(wanted.devices.begin(), wanted.devices.end());
  return wanted;
}

}  // namespace

void command_graph<graph_state::executable>::update(const node& changed) {
  update(std::vector<node>{changed});
}

void command_graph<graph_state::executable>::update(const std::vector<node>& changed) {
  check_updatable();
  if (changed.empty()) return;
  std::vector<::pianola::model::command_id> ids;
  for (const node& n : changed) {
    if (n.graph_ != changed.front().graph_)
      sycl::detail::throw_error(errc::invalid,
                                "command_graph::update: the nodes are of different graphs");
    ids.push_back(n.id_);
  }
  sycl::detail::translate(
      [&] { return ::pianola::runtime::update(*graph_, *changed.front().graph_, ids); });
}

void command_graph<graph_state::executable>::check_updatable() const {
  if (!updatable_)
    sycl::detail::throw_error(errc::invalid,
                              "command_graph::update: the graph was finalized without "
                              "property::graph::updatable");
}

command_graph<graph_state::modifiable>::command_graph(const context& c, const device& d,
                                                      const property_list& properties) {
  if (!sycl::detail::context_access::contains(c, d))
    sycl::detail::throw_error(errc::invalid,
                              "command_graph: the device is not one of the context's");
  // Where a driver has streams of its own, what a program puts into them without SYCL would have to be recorded, too.
  if (properties.has_property<property::graph::enable_native_recording>() &&
      (d.get_backend() == backend::cuda || d.get_backend() == backend::hip))
    sycl::detail::throw_error(
        errc::feature_not_supported,
        "command_graph: this backend does not record by itself "
        "(property::graph::enable_native_recording); leave the property out, and the queues' "
        "commands are recorded with their buffers; what a library puts into a stream is recorded "
        "by handler::ext_codeplay_enqueue_native_command");
  std::uint64_t budget = 0;
  if (properties.has_property<pianola::property::graph::memory_budget>()) {
    budget = properties.get_property<pianola::property::graph::memory_budget>().get_bytes();
    if (budget == 0)
      sycl::detail::throw_error(errc::invalid,
                                "command_graph: property::graph::memory_budget takes a number of "
                                "bytes above zero");
  }
  auto graph = sycl::detail::translate([&] {
    return ::pianola::runtime::create_graph(
        sycl::detail::device_access::id(d),
        properties.has_property<pianola::property::graph::multi_device>(), budget,
        !properties.has_property<property::graph::no_cycle_check>());
  });
  if (properties.has_property<pianola::property::graph::narrow>())
    ::pianola::runtime::set_narrowing(
        *graph, properties.get_property<pianola::property::graph::narrow>().value());
  if (properties.has_property<property::graph::enable_profiling>())
    ::pianola::runtime::keep_loops_with_the_host(*graph);
  if (properties.has_property<pianola::property::graph::wait_in_each_launch>())
    ::pianola::runtime::wait_in_each_launch(*graph);
  if (properties.has_property<pianola::property::graph::split_at_waits>()) {
    const auto how = properties.get_property<pianola::property::graph::split_at_waits>();
    ::pianola::runtime::parameter_values values;
    if (how.values() != nullptr)
      for (const pianola::graph_argument& a : *how.values()) values.push_back(a.get());
    ::pianola::runtime::split_at_waits(*graph, std::move(values));
  }
  if (wants_placing(properties))
    ::pianola::runtime::set_placing(*graph, placing_from(properties, c, *graph));
  sycl::detail::graph_registry::instance().add(graph);
  state_ = std::make_shared<const state>(state{c, d, std::move(graph)});
}

command_graph<graph_state::modifiable>::command_graph(const queue& q,
                                                      const property_list& properties)
    : command_graph(q.get_context(), q.get_device(), properties) {}

command_graph<graph_state::modifiable>::command_graph(const device& d,
                                                      const property_list& properties)
    : command_graph(sycl::detail::default_context(d), d, properties) {}

void command_graph<graph_state::modifiable>::begin_recording(queue& q, const property_list&) {
  check_queue(q);
  if (!sycl::detail::translate(
          [&] { return ::pianola::runtime::begin_recording(graph(), *runtime_of(q)); }))
    sycl::detail::throw_error(
        errc::invalid,
        "command_graph::begin_recording: the queue is recording already; call "
        "end_recording first");
}

void command_graph<graph_state::modifiable>::begin_recording(const std::vector<queue>& queues,
                                                             const property_list& properties) {
  for (const queue& q : queues) {
    check_queue(q);
    if (q.ext_oneapi_get_state() == queue_state::recording)
      sycl::detail::throw_error(errc::invalid,
                                "command_graph::begin_recording: a queue of the list is recording "
                                "already; no queue was changed");
  }
  for (queue q : queues) begin_recording(q, properties);
}

void command_graph<graph_state::modifiable>::end_recording() {
  sycl::detail::translate([this] { return ::pianola::runtime::end_recording(graph()); });
}

void command_graph<graph_state::modifiable>::end_recording(queue& q) {
  if (q.ext_oneapi_get_state() == queue_state::executing) return;
  sycl::detail::translate([&] {
    // Refuses a queue of another graph, changes nothing for one of this graph.
    ::pianola::runtime::begin_recording(graph(), *runtime_of(q));
    ::pianola::runtime::end_recording(*runtime_of(q));
  });
}

void command_graph<graph_state::modifiable>::end_recording(const std::vector<queue>& queues) {
  for (queue q : queues) end_recording(q);
}

node command_graph<graph_state::modifiable>::add(const property_list& properties) {
  ::pianola::runtime::submission submission;
  return add(submission, properties);
}

node command_graph<graph_state::modifiable>::add(dynamic_command_group& groups,
                                                 const property_list& properties) {
  if (groups.state_->graph != graph())
    sycl::detail::throw_error(errc::invalid,
                              "command_graph::add: the dynamic_command_group was made for "
                              "another graph");
  const auto after = nodes_before(properties);
  return node(graph(), sycl::detail::translate([&] {
                return ::pianola::runtime::add_node(*graph(), groups.state_->groups, after);
              }));
}

void command_graph<graph_state::modifiable>::make_edge(node& from, node& to) {
  check_node(from, "command_graph::make_edge");
  check_node(to, "command_graph::make_edge");
  sycl::detail::translate([&] { ::pianola::runtime::make_edge(*graph(), from.id_, to.id_); });
}

command_graph<graph_state::executable> command_graph<graph_state::modifiable>::finalize(
    const property_list& properties) const {
  std::string plan;
  if (properties.has_property<pianola::property::graph::plan>())
    plan = properties.get_property<pianola::property::graph::plan>().get_path();
  return command_graph<graph_state::executable>(
      sycl::detail::translate([&] {
        ::pianola::runtime::replay_options options;
        if (properties.has_property<pianola::property::graph::in_flight>())
          options.in_flight =
              properties.get_property<pianola::property::graph::in_flight>().value();
        options.node_times = properties.has_property<property::graph::enable_profiling>();
        return ::pianola::runtime::finalize(
            *graph(),
            wants_placing(properties) ? placing_from(properties, state_->the_context, *graph())
                                      : ::pianola::runtime::placing_of(*graph()),
            options, plan);
      }),
      properties.has_property<property::graph::updatable>());
}

std::vector<node> command_graph<graph_state::modifiable>::get_nodes() const {
  std::vector<node> all;
  for (const auto id :
       sycl::detail::translate([this] { return ::pianola::runtime::nodes(*graph()); }))
    all.push_back(node(graph(), id));
  return all;
}

std::vector<node> command_graph<graph_state::modifiable>::get_root_nodes() const {
  std::vector<node> all;
  for (const auto id :
       sycl::detail::translate([this] { return ::pianola::runtime::root_nodes(*graph()); }))
    all.push_back(node(graph(), id));
  return all;
}

bool command_graph<graph_state::modifiable>::empty() const {
  return sycl::detail::translate([this] { return ::pianola::runtime::nodes(*graph()).empty(); });
}

void command_graph<graph_state::modifiable>::print_graph(std::string path, bool verbose) const {
  if (path.size() < 4 || path.compare(path.size() - 4, 4, ".dot") != 0)
    sycl::detail::throw_error(errc::invalid,
                              "command_graph::print_graph: '" + path +
                                  "' does not end in .dot, the only format there is");
  sycl::detail::translate([&] { ::pianola::runtime::write_dot(*graph(), path, verbose); });
}

command_graph<graph_state::modifiable>::command_graph(
    const context& c, const device& d, std::shared_ptr<::pianola::runtime::graph> graph)
    : state_(std::make_shared<const state>(state{c, d, std::move(graph)})) {}

void command_graph<graph_state::modifiable>::check_queue(const queue& q) const {
  if ((q.get_device() != state_->the_device || q.get_context() != state_->the_context) &&
      !::pianola::runtime::is_multi_device(*graph()))
    sycl::detail::throw_error(
        errc::invalid,
        "command_graph::begin_recording: the queue is of another device or context than the "
        "graph; construct the graph from the queue, or with "
        "ext::pianola::property::graph::multi_device");
}

void command_graph<graph_state::modifiable>::check_node(const node& n, const char* where) const {
  if (n.graph_ != graph())
    sycl::detail::throw_error(errc::invalid, std::string(where) + ": the node is of another graph");
}

sycl::detail::node_place command_graph<graph_state::modifiable>::place_of_node(
    std::vector<::pianola::model::command_id> after) const {
  sycl::detail::node_place place;
  place.into = graph();
  place.after = std::move(after);
  place.of_context = &state_->the_context;
  place.of_device = &state_->the_device;
  return place;
}

node command_graph<graph_state::modifiable>::add(::pianola::runtime::submission& submission,
                                                 const property_list& properties) {
  return add_after(submission, nodes_before(properties));
}

std::vector<::pianola::model::command_id> command_graph<graph_state::modifiable>::nodes_before(
    const property_list& properties) const {
  std::vector<::pianola::model::command_id> after;
  if (properties.has_property<property::node::depends_on>()) {
    const auto named = properties.get_property<property::node::depends_on>();
    for (const node& n : named.get_dependencies()) {
      check_node(n, "command_graph::add: property::node::depends_on");
      after.push_back(n.id_);
    }
  }
  if (properties.has_property<property::node::depends_on_all_leaves>()) {
    const auto leaves =
        sycl::detail::translate([this] { return ::pianola::runtime::leaf_nodes(*graph()); });
    after.insert(after.end(), leaves.begin(), leaves.end());
  }
  return after;
}

}  // namespace ext::oneapi::experimental

void handler::ext_oneapi_graph(const ext::oneapi::experimental::command_graph<
                                   ext::oneapi::experimental::graph_state::executable>& graph,
                               const std::vector<ext::pianola::graph_argument>& arguments) {
  ext_oneapi_graph(graph);
  auto values = std::make_shared<::pianola::runtime::parameter_values>();
  for (const ext::pianola::graph_argument& a : arguments) values->push_back(a.get());
  submission_.values = std::move(values);
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
