// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/simulate/simulate.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <tuple>
#include <variant>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "cost/link_lines.hpp"
#include "memory_use.hpp"
#include "pianola/planner/command_edges.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "shared_resource.hpp"

namespace pianola::planner {

namespace {

constexpr std::uint32_t nothing = 0xffffffffU;

// What a step does on the machine: `delay` seconds in which it shares nothing, then `alone` seconds of a resource.
struct demand {
  double delay = 0;
  double alone = 0;
  std::uint32_t resource = nothing;
};

bool shares_device(const model::command& c) {
  switch (kind_of(c.payload)) {
    case model::command_kind::kernel:
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::subgraph:
      return true;
    case model::command_kind::empty:
    case model::command_kind::host_task:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::allocate:
    case model::command_kind::free:
      return false;
  }
  return true;
}

// Looks at each step once: what it takes of what. Resources are the devices, then the buses.
class demands {
 public:
  demands(const graph_view& graph, const plan& p, const model::topology& machine, simulation& out)
      : graph_(graph), machine_(machine), costs_(machine), lines_(machine), out_(out) {
    const std::size_t devices = machine.devices.size();
    out.devices.resize(devices);
    out.links.resize(machine.links.size());
    resources = devices + lines_.count;
    for (std::uint32_t i = 0; i < machine.links.size(); ++i)
      links_.emplace(std::pair(machine.links[i].from, machine.links[i].to), i);
    commands.assign(graph.commands().size(), 0.0);
    steps.reserve(p.steps.size());
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
      const step& s = p.steps[i];
      if (const auto* e = std::get_if<execute_step>(&s.action))
        steps.push_back(of(*e, i));
      else
        steps.push_back(of(std::get<transfer_step>(s.action), i));
    }
  }

  std::vector<demand> steps;
  std::vector<double> commands;  // seconds alone
  std::size_t resources = 0;

 private:
  [[noreturn]] static void refuse(std::size_t step, const std::string& what) {
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("step {} of the plan {}; the plan was made for another machine", step, what));
  }

  [[nodiscard]] std::uint32_t line_of(std::uint32_t link) const {
    return static_cast<std::uint32_t>(out_.devices.size()) + lines_.of_link[link];
  }
  demand over_link(model::memory_id from, model::memory_id to, std::uint64_t bytes,
                   std::size_t step) {
    const auto found = links_.find({from, to});
    if (found == links_.end())
      refuse(step, fmt::format("moves data from memory {} to {}, which the topology does not link",
                               from.value(), to.value()));
    const model::link_description& l = machine_.links[found->second];
    link_use& use = out_.links[found->second];
    use.bytes += bytes;
    ++use.transfers;
    return {l.latency, static_cast<double>(bytes) / l.bandwidth, line_of(found->second)};
  }

  demand of(const execute_step& e, std::size_t step) {
    if (e.device.value() >= machine_.devices.size())
      refuse(step, fmt::format("runs on device {}, which the topology lacks", e.device.value()));
    const model::command& c = graph_.commands()[e.command.value()];
    const double alone = costs_.seconds(c, graph_.buffers(), e.device);
    commands[e.command.value()] = alone;
    out_.work += alone;
    if (const auto* copy = std::get_if<model::copy_command>(&c.payload)) {
      const auto [from, to] = copied_memories(*copy, c, machine_.memory_of(e.device));
      if (from != to && links_.count({from, to}) != 0)
        return over_link(from, to, copy->width * copy->height * copy->depth, step);
    }
    if (!shares_device(c)) return {alone, 0, nothing};
    device_use& use = out_.devices[e.device.value()];
    ++use.steps;
    use.work += alone;
    return {0, alone, e.device.value()};
  }

  demand of(const transfer_step& t, std::size_t step) {
    return over_link(t.from, t.to,
                     t.elements.count() * graph_.buffers()[t.buffer.value()].element_size, step);
  }

  const graph_view& graph_;
  const model::topology& machine_;
  machine_costs costs_;
  const link_lines lines_;
  simulation& out_;
  std::map<std::pair<model::memory_id, model::memory_id>, std::uint32_t> links_;
};

// Runs the steps from event to event.
class run {
 public:
  run(const plan& p, const demands& d, simulation& out)
      : plan_(p),
        demands_(d.steps),
        out_(out),
        resources_(d.resources),
        versions_(d.resources, 0),
        open_(p.steps.size(), 0),
        released_by_(p.steps.size(), nothing),
        ended_(p.steps.size(), 0) {
    out.steps.resize(p.steps.size());
    link_steps();
  }

  void to_the_end() {
    release_finished();
    std::vector<std::uint32_t> first;
    for (std::uint32_t i = 0; i < open_.size(); ++i)
      if (open_[i] == 0) first.push_back(i);
    for (const std::uint32_t i : first) begin(i, 0.0, nothing);
    while (!events_.empty()) {
      const event e = events_.top();
      events_.pop();
      if (e.what == kind::delayed) {
        use_resource(e.number, e.time);
      } else if (e.version == versions_[e.number]) {
        const std::uint32_t step = resources_[e.number].remove_next(e.time);
        announce(e.number);
        end(step, e.time);
      }
    }
    if (done_ != open_.size())
      throw model::user_error(model::error_code::invalid,
                              "steps of the plan wait for each other: it would never end");
    for (std::size_t d = 0; d < out_.devices.size(); ++d)
      out_.devices[d].busy = resources_[d].busy();
  }

  void find_critical_path() {
    std::uint32_t at = nothing;
    for (std::uint32_t i = 0; i < ended_.size(); ++i)
      if (at == nothing || out_.steps[i].end >= out_.steps[at].end) at = i;
    for (; at != nothing; at = released_by_[at])
      out_.critical_path.emplace_back(plan_.first_step + at);
    std::reverse(out_.critical_path.begin(), out_.critical_path.end());
  }

 private:
  enum class kind : std::uint8_t { delayed, used };
  struct event {
    double time;
    std::uint64_t order;  // of events at the same time: as they were found
    kind what;
    std::uint32_t number;  // delayed: step; used: resource
    std::uint64_t version;
    friend bool operator>(const event& a, const event& b) {
      return std::tie(a.time, a.order) > std::tie(b.time, b.order);
    }
  };

  // For each step, those that come after it in its lane or wait for it.
  void link_steps() {
    const std::size_t n = plan_.steps.size();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    edges.reserve(n + plan_.waits.size());
    std::vector<std::uint32_t> tails;
    for (std::uint32_t i = 0; i < n; ++i) {
      const step& s = plan_.steps[i];
      for (const model::step_id w : plan_.waits_of(s))
        if (w.value() >= plan_.first_step)
          edges.emplace_back(static_cast<std::uint32_t>(w.value() - plan_.first_step), i);
      const std::size_t lane = s.lane.value();
      if (tails.size() <= lane) tails.resize(lane + 1, nothing);
      if (tails[lane] != nothing) edges.emplace_back(tails[lane], i);
      tails[lane] = i;
    }
    first_after_.assign(n + 1, 0);
    for (const auto& [before, after] : edges) {
      ++first_after_[before + 1];
      ++open_[after];
    }
    for (std::size_t i = 0; i < n; ++i) first_after_[i + 1] += first_after_[i];
    after_.resize(edges.size());
    std::vector<std::uint32_t> next(first_after_.begin(), first_after_.end() - 1);
    for (const auto& [before, after] : edges) after_[next[before]++] = after;
    // Of a run that was planned as it went: nothing from an entry's step on was there before all below had ended.
    for (std::size_t f = 0; f < plan_.finished.size(); ++f) {
      const std::uint64_t last =
          f + 1 < plan_.finished.size() ? plan_.finished[f + 1].step.value() - plan_.first_step : n;
      for (std::uint64_t i = plan_.finished[f].step.value() - plan_.first_step; i < last; ++i)
        ++open_[i];
    }
  }

  void begin(std::uint32_t i, double now, std::uint32_t released_by) {
    out_.steps[i].start = now;
    released_by_[i] = released_by;
    if (demands_[i].delay > 0)
      events_.push({now + demands_[i].delay, ++order_, kind::delayed, i, 0});
    else
      use_resource(i, now);
  }

  void use_resource(std::uint32_t i, double now) {
    const demand& d = demands_[i];
    if (d.resource == nothing) {
      end(i, now);
      return;
    }
    resources_[d.resource].add(now, i, d.alone);
    announce(d.resource);
  }

  // Its users have changed.
  void announce(std::uint32_t resource) {
    const std::uint64_t version = ++versions_[resource];
    if (!resources_[resource].idle())
      events_.push({resources_[resource].next_end(), ++order_, kind::used, resource, version});
  }

  // Steps that take no time end one another; a list of them rather than calls within calls.
  void end(std::uint32_t step, double now) {
    ready_.push_back(step);
    if (ending_) return;
    ending_ = true;
    while (!ready_.empty()) {
      const std::uint32_t i = ready_.back();
      ready_.pop_back();
      out_.steps[i].end = now;
      out_.makespan = std::max(out_.makespan, now);
      ended_[i] = 1;
      ++done_;
      for (std::uint32_t k = first_after_[i]; k < first_after_[i + 1]; ++k)
        if (--open_[after_[k]] == 0) begin(after_[k], now, i);
      if (!plan_.finished.empty()) {
        while (prefix_ < ended_.size() && ended_[prefix_] != 0) ++prefix_;
        for (const std::uint32_t released : release_finished()) begin(released, now, i);
      }
    }
    ending_ = false;
  }

  // Of those entries that now hold, the steps that waited for nothing else.
  std::vector<std::uint32_t> release_finished() {
    std::vector<std::uint32_t> released;
    for (; next_finished_ < plan_.finished.size() &&
           plan_.finished[next_finished_].below.value() - plan_.first_step <= prefix_;
         ++next_finished_) {
      const std::uint64_t last =
          next_finished_ + 1 < plan_.finished.size()
              ? plan_.finished[next_finished_ + 1].step.value() - plan_.first_step
              : open_.size();
      for (std::uint64_t i = plan_.finished[next_finished_].step.value() - plan_.first_step;
           i < last; ++i)
        if (--open_[i] == 0) released.push_back(static_cast<std::uint32_t>(i));
    }
    return released;
  }

  const plan& plan_;
  const std::vector<demand>& demands_;
  simulation& out_;
  std::vector<shared_resource> resources_;
  std::vector<std::uint64_t> versions_;
  std::vector<std::uint32_t> open_;         // what each step still waits for
  std::vector<std::uint32_t> released_by_;  // what it waited for last
  std::vector<char> ended_;
  std::vector<std::uint32_t> first_after_, after_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::vector<std::uint32_t> ready_;  // have ended, and nobody has been told
  bool ending_ = false;
  std::uint64_t order_ = 0;
  std::size_t done_ = 0;
  std::size_t prefix_ = 0;  // all steps below have ended
  std::size_t next_finished_ = 0;
};

double span_of(const graph_view& graph, const std::vector<double>& costs) {
  std::vector<double> before(costs.size(), 0.0);
  for (const auto& [earlier, later] : command_edges(graph.commands(), graph.buffers()))
    before[later] = std::max(before[later], before[earlier] + costs[earlier]);
  double longest = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) longest = std::max(longest, before[i] + costs[i]);
  return longest;
}

}  // namespace

simulation simulate(const graph_view& graph, const plan& p, const model::topology& machine) {
  simulation result;
  const demands d(graph, p, machine, result);
  run steps(p, d, result);
  steps.to_the_end();
  steps.find_critical_path();
  result.peak_memory = peak_memory(graph, p, machine);
  result.span = span_of(graph, d.commands);
  return result;
}

}  // namespace pianola::planner
