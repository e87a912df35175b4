// SPDX-License-Identifier: Apache-2.0
// Simulated plans against the machine that simulate.hpp describes, taken literally: from one event to the next, looking at
// every step each time.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include <pianola/planner/cost/machine_costs.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;

struct planned {
  test::scenario scenario;
  planner::plan plan;
  [[nodiscard]] planner::graph_view graph() const {
    return {scenario.commands.all(), scenario.buffers, 0};
  }
};

// Buses, speeds and kernel times of any kind; some things take no time at all.
planned make(const test::sketch& sketch, std::uint32_t numbers) {
  planned p{test::build(sketch), {}};
  model::topology& t = p.scenario.machine;
  for (std::size_t i = 0; i < t.links.size(); ++i) {
    if ((numbers >> (i % 16) & 1U) != 0) t.links[i].bus = static_cast<std::uint32_t>(i % 3);
    if ((numbers >> (i % 11) & 1U) != 0) t.links[i].latency = 0;
  }
  for (std::size_t d = 0; d < t.devices.size(); ++d) {
    t.devices[d].speed = {1e-7 * (1 + static_cast<double>((numbers + d) % 5)), 1e9, 1e9, 3e-7};
    if (((numbers + d) & 4U) != 0)
      t.kernel_times.push_back({model::kernel_id(), model::device_id(static_cast<std::uint16_t>(d)),
                                0, 1e-7 * static_cast<double>(numbers % 3)});
  }
  p.plan = planner::make_plan(p.scenario.commands.all(), p.scenario.buffers, t);
  return p;
}

class literal_machine {
 public:
  explicit literal_machine(const planned& p)
      : p_(p), machine_(p.scenario.machine), costs_(machine_), steps_(p.plan.steps.size()) {}

  std::vector<planner::simulated_step> run() {
    for (std::size_t i = 0; i < steps_.size(); ++i) prepare(i);
    double now = 0;
    for (;;) {
      for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 0; i < steps_.size(); ++i) again = step_on(i, now) || again;
      }
      // Everything gets on as it does now, until the first of them is through with what it is at.
      double next = std::numeric_limits<double>::infinity();
      for (const state& s : steps_)
        if (s.where == running) next = std::min(next, left(s));
      if (next == std::numeric_limits<double>::infinity()) return result();
      for (state& s : steps_)
        if (s.where == running) s.next_left = left(s) == next ? 0 : (left(s) - next) / slowness(s);
      for (state& s : steps_)
        if (s.where == running) (s.delay > 0 ? s.delay : s.alone) = s.next_left;
      now += next;
    }
  }

 private:
  enum progress { waiting, running, over };
  struct state {
    progress where = waiting;
    double delay = 0, alone = 0;
    int resource = -1;  // devices from 0 on, links that share from 1000 on
    double next_left = 0;
    planner::simulated_step times;
  };

  void prepare(std::size_t i) {
    state& s = steps_[i];
    if (const auto* e = std::get_if<planner::execute_step>(&p_.plan.steps[i].action)) {
      const model::command& c = p_.scenario.commands[e->command.value()];
      const double alone = costs_.seconds(c, p_.scenario.buffers, e->device);
      if (std::holds_alternative<model::kernel_command>(c.payload)) {
        s.alone = alone;
        s.resource = e->device.value();
      } else {
        s.delay = alone;
      }
      return;
    }
    const auto& t = std::get<planner::transfer_step>(p_.plan.steps[i].action);
    for (std::size_t l = 0; l < machine_.links.size(); ++l) {
      const model::link_description& link = machine_.links[l];
      if (link.from != t.from || link.to != t.to) continue;
      s.delay = link.latency;
      s.alone = static_cast<double>(t.elements.count()) * 8 / link.bandwidth;
      s.resource = link.bus == model::link_description::own_bus ? 2000 + static_cast<int>(l)
                                                                : 1000 + static_cast<int>(link.bus);
    }
  }

  // Begins or ends the step if it is time; says whether it did.
  bool step_on(std::size_t i, double now) {
    state& s = steps_[i];
    if (s.where == waiting && may_begin(i)) {
      s.where = running;
      s.times.start = now;
      return true;
    }
    if (s.where == running && s.delay == 0 && (s.alone == 0 || s.resource < 0)) {
      s.where = over;
      s.times.end = now;
      return true;
    }
    return false;
  }

  [[nodiscard]] bool may_begin(std::size_t i) const {
    const planner::step& s = p_.plan.steps[i];
    for (const model::step_id w : p_.plan.waits_of(s))
      if (steps_[w.value()].where != over) return false;
    for (std::size_t k = 0; k < i; ++k)
      if (p_.plan.steps[k].lane == s.lane && steps_[k].where != over) return false;
    return true;
  }

  [[nodiscard]] double slowness(const state& s) const {
    if (s.delay > 0) return 1;
    double users = 0;
    for (const state& other : steps_)
      if (other.where == running && other.delay == 0 && other.resource == s.resource) ++users;
    return users;
  }
  [[nodiscard]] double left(const state& s) const {
    return (s.delay > 0 ? s.delay : s.alone) * slowness(s);
  }

  [[nodiscard]] std::vector<planner::simulated_step> result() const {
    std::vector<planner::simulated_step> times;
    for (const state& s : steps_) {
      RC_ASSERT(s.where == over);
      times.push_back(s.times);
    }
    return times;
  }

  const planned& p_;
  const model::topology& machine_;
  planner::machine_costs costs_;
  std::vector<state> steps_;
};

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1e-6, std::abs(a)); }

RC_GTEST_PROP(Simulations, run_steps_when_the_machine_that_is_described_does,
              (const test::sketch& sketch, std::uint32_t numbers)) {
  const planned p = make(sketch, numbers);
  const planner::simulation s = simulate(p.graph(), p.plan, p.scenario.machine);
  const std::vector<planner::simulated_step> literal = literal_machine(p).run();
  RC_ASSERT(s.steps.size() == literal.size());
  double last = 0;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (!close(s.steps[i].start, literal[i].start) || !close(s.steps[i].end, literal[i].end))
      RC_FAIL("step " + std::to_string(i) + " runs from " + std::to_string(s.steps[i].start * 1e6) +
              " to " + std::to_string(s.steps[i].end * 1e6) + " us instead of from " +
              std::to_string(literal[i].start * 1e6) + " to " +
              std::to_string(literal[i].end * 1e6));
    last = std::max(last, literal[i].end);
  }
  RC_ASSERT(close(s.makespan, last));
}

RC_GTEST_PROP(Simulations, keep_what_every_run_keeps,
              (const test::sketch& sketch, std::uint32_t numbers)) {
  const planned p = make(sketch, numbers);
  const planner::simulation s = simulate(p.graph(), p.plan, p.scenario.machine);
  const double spare = 1e-9 * s.makespan;
  RC_ASSERT(s.makespan + spare >= s.span);
  RC_ASSERT(s.work + spare >= s.span);
  for (const planner::device_use& d : s.devices) {
    RC_ASSERT(s.makespan + spare >= d.busy);
    RC_ASSERT(close(d.busy, d.work));
  }
  std::map<std::uint32_t, double> free;  // lane -> end of its last step
  for (std::size_t i = 0; i < s.steps.size(); ++i) {
    const planner::step& step = p.plan.steps[i];
    RC_ASSERT(s.steps[i].start <= s.steps[i].end);
    RC_ASSERT(s.steps[i].start >= free[step.lane.value()]);
    free[step.lane.value()] = s.steps[i].end;
    for (const model::step_id w : p.plan.waits_of(step))
      RC_ASSERT(s.steps[i].start >= s.steps[w.value()].end);
  }
  // The critical path has no gap, from the start to the end.
  double at = 0;
  for (const model::step_id c : s.critical_path) {
    RC_ASSERT(s.steps[c.value()].start == at);
    at = s.steps[c.value()].end;
  }
  RC_ASSERT(at == s.makespan);
}

}  // namespace
