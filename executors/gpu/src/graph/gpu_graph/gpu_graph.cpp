// SPDX-License-Identifier: Apache-2.0
#include "graph/gpu_graph.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <pianola/host/host_backend.hpp>

#include "engine/engine.hpp"
#include "graph/child_graph.hpp"

namespace pianola::gpu {

using executors::graph_step;
using executors::resolved_kernel;
using executors::status;
using model::error_code;

namespace {

status internal_error(const std::string& what) {
  return {error_code::runtime, "internal error of Pianola, please report it: " + what};
}

void add_once(std::vector<node>& to, node n) {
  if (std::none_of(to.begin(), to.end(), [&](node a) { return a.native == n.native; }))
    to.push_back(n);
}

}  // namespace

gpu_graph::~gpu_graph() {
  if (graph_watcher* const w = watched_by.load(std::memory_order_acquire)) w->forget(*this);
  destroy_native();
  if (engine_.state.gone()) return;
  for (const auto& [device, s] : side_streams_) engine_.drv.destroy(device, s);
  for (const kept_step& s : steps_)
    if (s.range_word != nullptr) engine_.resources(s.device).ranges.give(s.range_word);
}

void gpu_graph::destroy_native() noexcept {
  if (!engine_.state.gone()) {
    if (executable_.native != nullptr) engine_.drv.destroy(executable_);
    if (graph_.native != nullptr && !body_) engine_.drv.destroy(graph_);
  }
  executable_ = {};
  graph_ = {};
}

bool gpu_graph::only_stepwise(std::uint32_t launched_on) const noexcept {
  if (lost_) return true;
  return !engine_.drv.can().multi_device_graphs && !devices_.empty() &&
         (devices_.size() > 1 || devices_.front() != launched_on);
}

std::string gpu_graph::describe() const {
  return fmt::format("running a graph of {} steps", steps_.size());
}

status gpu_graph::collect(model::array_view<const graph_step> steps) {
  if (first_wait_.empty()) first_wait_.push_back(0);
  for (const graph_step& s : steps) {
    if (s.device >= engine_.ordinals.size())
      return internal_error(
          fmt::format("a graph names device {} of {}", s.device, engine_.ordinals.size()));
    if (const auto* t = std::get_if<executors::resolved_host_task>(&s.action)) {
      if (!t->enqueues) return internal_error("a host task is in a graph for graphics processors");
      if (!engine_.drv.can().child_graphs)
        return {error_code::feature_not_supported,
                "this driver has no graphs inside of graphs, so a graph cannot hold a function "
                "that adds native "
                "commands"};
    }
    for (const std::uint32_t w : s.waits)
      if (w >= steps_.size()) return internal_error("a graph's steps are not in topological order");
    kept_step k;
    k.action = s.action;
    k.device = engine_.ordinals[s.device];
    k.priority = engine_.drv.can().node_priorities ? s.priority : 0;
    k.context = s.context;
    steps_.push_back(std::move(k));
    if (status taken = take_range_word(steps_.back()); !taken.ok()) return taken;
    if (status taken = take_control(steps_.back()); !taken.ok()) return taken;
    waits_.insert(waits_.end(), s.waits.begin(), s.waits.end());
    first_wait_.push_back(static_cast<std::uint32_t>(waits_.size()));
    if (std::find(devices_.begin(), devices_.end(), steps_.back().device) == devices_.end())
      devices_.push_back(steps_.back().device);
  }
  return {};
}

status gpu_graph::add(model::array_view<const graph_step> steps, std::size_t count) {
  steps_.reserve(count);
  const auto first = static_cast<std::uint32_t>(steps_.size());
  if (status s = collect(steps); !s.ok()) return s;
  links_.collect(engine_, first, steps);
  stamps_.collect(first, steps);
  return {};
}

status gpu_graph::build() {
  if (past_graphs()) return prepare_stepwise();
  if (status s = build_nodes(); !s.ok()) return s;
  engine_.counters.instantiations.fetch_add(1, std::memory_order_relaxed);
  status made = instantiate();
  if (made.ok() || !engine_.state.usable() ||
      std::none_of(nodes_.begin(), nodes_.end(), [](const built_node& n) { return n.overlapping; }))
    return made;
  // Overlapping is an offer; the graph is not lost for it.
  overlap_refused_ = true;
  destroy_native();
  if (status s = build_nodes(); !s.ok()) return s;
  return instantiate();
}

bool gpu_graph::past_graphs() { return copies_past_graphs() || has_long_chains(); }

bool gpu_graph::has_long_chains() const {
  const std::uint32_t most = engine_.drv.can().longest_chain;
  if (most == 0 || steps_.size() <= most) return false;
  std::vector<std::uint32_t> length(steps_.size(), 1);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (std::uint32_t w = first_wait_[i]; w < first_wait_[i + 1]; ++w)
      length[i] = std::max(length[i], length[waits_[w]] + 1);
    if (length[i] > most) return true;
  }
  return false;
}

bool gpu_graph::copies_past_graphs() noexcept {
  return std::any_of(steps_.begin(), steps_.end(), [this](const kept_step& s) {
    const auto* copy = std::get_if<executors::resolved_copy>(&s.action);
    if (copy == nullptr) return false;
    const auto reaches = [&](std::int32_t other) {
      return other < 0 ||
             engine_.drv.reaches_in_graphs(s.device, static_cast<std::uint32_t>(other));
    };
    return !reaches(engine_.device_with(copy->from)) || !reaches(engine_.device_with(copy->to));
  });
}

bool gpu_graph::blocks_stepwise() const noexcept {
  return std::any_of(steps_.begin(), steps_.end(),
                     [this](const kept_step& s) { return engine_.blocks(s.action); });
}

bool gpu_graph::launch_blocks() const noexcept {
  return copies_of_host_ && engine_.drv.can().graphs_wait_for_copies && blocks_stepwise();
}

status gpu_graph::prepare_stepwise() {
  for (kept_step& s : steps_)
    if (status made = prepare(s); !made.ok()) return made;
  lose_native();
  return {};
}

status gpu_graph::prepare(kept_step& s) {
  if (const auto* const copy = std::get_if<executors::resolved_copy>(&s.action);
      copy != nullptr &&
      (engine_.device_with(copy->from) == on_host || engine_.device_with(copy->to) == on_host))
    copies_of_host_ = true;
  if (const auto* k = std::get_if<resolved_kernel>(&s.action)) {
    if (s.kernel == nullptr)
      if (status found =
              engine_.images.find(s.device, *k->kernel, k->geometry.part != nullptr, s.kernel);
          !found.ok())
        return found;
  }
  if (status made = engine_.prepare(s.device, s.action, s.kernel.get(), operations_); !made.ok())
    return made;
  operations_.kernel().priority = s.priority;
  if (s.range_word != nullptr && operations_.reads_its_range() != nullptr)
    operations_.set_range_word(s.range_word);
  return {};
}

status gpu_graph::take_range_word(kept_step& s) {
  const auto* const k = std::get_if<resolved_kernel>(&s.action);
  if (k == nullptr || k->kernel->read_range == nullptr || s.range_word != nullptr) return {};
  reads_ranges_ = true;
  const code c = engine_.resources(s.device).ranges.take(s.range_word);
  return c == success ? status{} : engine_.failure(c, "allocating page-locked memory");
}

gpu_graph::built_node gpu_graph::describe_node(const memory_operation& o) noexcept {
  built_node b;
  if (const auto* c = std::get_if<copy_operation>(&o)) {
    b.what = built_node::kind::copy;
    b.dimensions = static_cast<std::uint8_t>(dimensions_of(c->box));
    b.from = c->from;
    b.to = c->to;
  } else {
    b.what = built_node::kind::fill;
  }
  return b;
}

status gpu_graph::add_native(executors::resolved_host_task& task, std::uint32_t device,
                             std::vector<node>& after) {
  stream capturing;
  if (const code c = side_stream(device, capturing); c != success)
    return engine_.failure(c, "making a stream");
  child_graph child(engine_, device, capturing, graph_, after);
  if (status begun = child.begin(); !begun.ok()) return begun;
  try {
    executors::resolved_host_task call = task;
    call.access.graph = &child;
    call.access.stream = capturing.native;
    if (const std::exception_ptr thrown = engine_.call(device, call); thrown != nullptr)
      std::rethrow_exception(thrown);
    return child.finish();
  } catch (...) {
    return host::current_exception_status();
  }
}

// `after` becomes the nodes that those who wait for the step wait for.
status gpu_graph::add_nodes(kept_step& s, std::vector<node>& after) {
  driver& d = engine_.drv;
  s.first_node = static_cast<std::uint32_t>(nodes_.size());
  s.node_count = 0;
  s.stale = false;
  const auto added = [&](built_node b) {
    nodes_.push_back(b);
    ++s.node_count;
    after.assign(1, b.native);
  };
  code c = success;
  if (auto* task = std::get_if<executors::resolved_host_task>(&s.action)) {
    nodes_.emplace_back().what = built_node::kind::native;
    ++s.node_count;
    // Nobody knows what it adds: it may allocate.
    one_executable_ = true;
    if (status made = add_native(*task, s.device, after); !made.ok()) return made;
  } else if (std::holds_alternative<executors::resolved_control>(s.action)) {
    return add_control(s, after);
  } else if (operations_.what() == step_operations::kind::kernel) {
    built_node b;
    b.what = built_node::kind::kernel;
    b.overlapping = operations_.kernel().overlapping;
    if (operations_.offers_overlap()) engine_.count_overlap(b.overlapping);
    c = d.add_kernel(graph_, after, operations_.kernel(), b.native);
    if (c == success) added(b);
  } else if (operations_.what() == step_operations::kind::memory) {
    for (const memory_operation& o : operations_.memory()) {
      built_node b = describe_node(o);
      if (const auto* copy = std::get_if<copy_operation>(&o))
        c = d.add_copy(graph_, after, *copy, b.native);
      else
        c = d.add_fill(graph_, after, *std::get_if<fill_operation>(&o), b.native);
      if (c != success) break;
      added(b);
    }
  } else if (after.size() > 1) {
    // Several ways come together. With one or none there is nothing that a node would be needed for.
    built_node b;
    c = d.add_empty(graph_, after, b.native);
    if (c == success) added(b);
  }
  return c == success ? status{} : engine_.failure(c, "building a graph");
}

bool gpu_graph::follows_one_kernel(std::size_t i) noexcept {
  if (first_wait_[i + 1] - first_wait_[i] != 1 || links_.waits_at(static_cast<std::uint32_t>(i)))
    return false;
  const kept_step& w = steps_[waits_[first_wait_[i]]];
  return w.device == steps_[i].device && w.node_count == 1 &&
         nodes_[w.first_node].what == built_node::kind::kernel;
}

status gpu_graph::build_nodes() {
  nodes_.clear();
  one_executable_ = false;
  if (!body_)
    if (const code c = engine_.drv.make_graph(graph_); c != success)
      return engine_.failure(c, "making a graph");
  // Where the nodes to wait for are listed: those of step i from ends[i] to ends[i + 1].
  std::vector<node> ends_nodes;
  std::vector<std::size_t> ends;
  std::vector<node> after;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (status s = prepare(steps_[i]); !s.ok()) return s;
    after.clear();
    for (std::uint32_t w = first_wait_[i]; w < first_wait_[i + 1]; ++w)
      for (std::size_t n = ends[waits_[w]]; n < ends[waits_[w] + 1]; ++n)
        add_once(after, ends_nodes[n]);
    kernel_launch& k = operations_.kernel();
    k.overlapping = k.overlapping && !overlap_refused_ && stamps_.empty() && follows_one_kernel(i);
    const auto index = static_cast<std::uint32_t>(i);
    if (const code c = links_.add_waits(graph_, index, after); c != success)
      return engine_.failure(c, "building a graph");
    if (const code c = stamps_.begin(graph_, index, steps_[i].device, after); c != success)
      return engine_.failure(c, "building a graph");
    if (status s = add_nodes(steps_[i], after); !s.ok()) return s;
    if (const code c = stamps_.end(graph_, index, after); c != success)
      return engine_.failure(c, "building a graph");
    if (const code c = links_.add_record(graph_, index, after); c != success)
      return engine_.failure(c, "building a graph");
    if (i == 0) ends.push_back(0);
    ends_nodes.insert(ends_nodes.end(), after.begin(), after.end());
    ends.push_back(ends_nodes.size());
  }
  if (!body_) return {};
  std::vector<char> waited(steps_.size(), 0);
  for (const std::uint32_t w : waits_) waited[w] = 1;
  ends_.clear();
  for (std::size_t i = 0; i < steps_.size(); ++i)
    for (std::size_t n = ends[i]; waited[i] == 0 && n < ends[i + 1]; ++n)
      add_once(ends_, ends_nodes[n]);
  return {};
}

status gpu_graph::instantiate() {
  const std::uint32_t device = devices_.empty() ? engine_.ordinals.front() : devices_.front();
  if (const code c = engine_.drv.instantiate(graph_, device, executable_); c != success)
    return engine_.failure(c, fmt::format("instantiating a graph of {} nodes", nodes_.size()));
  links_.instantiated();
  if (!engine_.drv.can().graph_upload || devices_.empty()) return {};
  // Only to have the first launch cost no more than the others.
  const code c = engine_.resources(device).upload(executable_);
  if (c != success && engine_.drv.is_fatal(c)) return engine_.failure(c, "uploading a graph");
  return {};
}

code gpu_graph::prepare_launch() noexcept {
  return links_.empty() ? success : links_.prepare_launch(executable_);
}

code gpu_graph::launch(std::uint32_t device, stream where) noexcept {
  if (nodes_.empty() && links_.empty() && stamps_.empty()) return success;
  const code c = engine_.drv.launch(executable_, device, where);
  if (c != success) return c;
  engine_.counters.launches.fetch_add(1, std::memory_order_relaxed);
  links_.launched();
  return success;
}

executors::lane_position gpu_graph::signal(std::uint32_t step) const noexcept {
  const graph_signal* const s = links_.signal_of(step);
  return s == nullptr ? executors::lane_position{}
                      : executors::lane_position{&s->reached(), links_.submissions()};
}

code gpu_graph::side_stream(std::uint32_t device, stream& out) {
  for (const auto& [d, s] : side_streams_)
    if (d == device) {
      out = s;
      return success;
    }
  side_streams_.reserve(side_streams_.size() + 1);
  const code c = engine_.drv.make_stream(device, out);
  if (c == success) side_streams_.emplace_back(device, out);
  return c;
}

}  // namespace pianola::gpu
