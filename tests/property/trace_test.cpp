// SPDX-License-Identifier: Apache-2.0
// Traces as Perfetto reads them, by the rules of its reader for the trace event format: microseconds become whole nanoseconds,
// by the digits or by a product, what is behind those is left off; events are sorted by time and stay in the order of the
// file where that is the same; of each thread what has not ended is a stack, onto which nothing comes that ends later than
// what it lies on; an arrow belongs to what is on top.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/simulate/trace.hpp>
#include <pianola/test/random_scenario.hpp>

namespace {

using namespace pianola;
using nlohmann::json;

// Which slices arrows lead from and to: indices of events.
struct imported {
  std::size_t dropped = 0, lost = 0;  // slices, ends of arrows
  std::set<std::pair<std::size_t, std::size_t>> arrows;
};

std::int64_t by_product(const json& microseconds) {
  return static_cast<std::int64_t>(microseconds.get<double>() * 1000.0);
}
std::int64_t by_digits(const json& microseconds) {
  std::string digits = microseconds.dump();
  RC_ASSERT(digits.find_first_of("eE") == std::string::npos);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  if (point != digits.size()) digits.erase(point, 1);
  digits.resize(point + 3, '0');
  return std::stoll(digits);
}

template <class Time>
imported import(const std::string& text, Time&& time) {
  struct slice {
    std::size_t event;
    std::int64_t start, duration;
  };
  const json trace = json::parse(text);
  const json& events = trace["traceEvents"];
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (events[i]["ph"] != "M") order.emplace_back(time(events[i]["ts"]), i);
  std::sort(order.begin(), order.end());
  std::map<std::pair<int, int>, std::vector<slice>> threads;
  std::map<std::uint64_t, std::size_t> begun;
  imported result;
  for (const auto& [now, i] : order) {
    const json& e = events[i];
    std::vector<slice>& stack = threads[{e["pid"].get<int>(), e["tid"].get<int>()}];
    if (e["ph"] == "X") {
      const slice next{i, now, time(e["dur"])};
      while (!stack.empty()) {
        const slice& top = stack.back();
        const std::int64_t end = top.start + top.duration;
        if (end > now || (end == now && top.duration == 0 && next.duration == 0)) break;
        stack.pop_back();
      }
      const bool overlaps = std::any_of(stack.begin(), stack.end(), [&](const slice& s) {
        return now < s.start + s.duration && now + next.duration > s.start + s.duration;
      });
      if (overlaps)
        ++result.dropped;
      else
        stack.push_back(next);
    } else if (stack.empty()) {
      ++result.lost;
    } else if (e["ph"] == "s") {
      begun[e["id"].get<std::uint64_t>()] = stack.back().event;
    } else if (const auto from = begun.find(e["id"].get<std::uint64_t>()); from != begun.end()) {
      result.arrows.emplace(from->second, stack.back().event);
    } else {
      ++result.lost;
    }
  }
  return result;
}

// Both ways give all slices, and arrows between those of which `wanted` tells: pairs of what `name` says of slices.
template <class Name, class Wanted>
void check(const std::string& text, Name&& name, const std::set<Wanted>& wanted) {
  const json trace = json::parse(text);
  for (const imported& i : {import(text, by_product), import(text, by_digits)}) {
    RC_ASSERT(i.dropped == 0U);
    RC_ASSERT(i.lost == 0U);
    std::set<Wanted> found;
    for (const auto& [from, to] : i.arrows)
      found.emplace(name(trace["traceEvents"][from]["args"]),
                    name(trace["traceEvents"][to]["args"]));
    RC_ASSERT(found == wanted);
  }
}

struct planned {
  test::scenario scenario;
  planner::plan plan;
  [[nodiscard]] planner::graph_view graph() const {
    return {scenario.commands.all(), scenario.buffers, 0};
  }
};

planned make(const test::sketch& sketch, std::uint32_t numbers) {
  planned p{test::build(sketch), {}};
  model::topology& t = p.scenario.machine;
  for (std::size_t d = 0; d < t.devices.size(); ++d) {
    t.devices[d].speed = {1e-7 * (1 + static_cast<double>((numbers + d) % 5)), 1e9, 1e9, 3e-7};
    if (((numbers + d) & 4U) != 0)
      t.kernel_times.push_back({model::kernel_id(), model::device_id(static_cast<std::uint16_t>(d)),
                                0, 1e-7 * static_cast<double>(numbers % 3)});
  }
  p.plan = planner::make_plan(p.scenario.commands.all(), p.scenario.buffers, t);
  return p;
}

using pair = std::pair<std::uint64_t, std::uint64_t>;
std::uint64_t step_of(const json& arguments) { return arguments["step"].get<std::uint64_t>(); }

RC_GTEST_PROP(Traces, have_all_that_was_simulated,
              (const test::sketch& sketch, std::uint32_t numbers)) {
  const planned p = make(sketch, numbers);
  std::set<pair> waits;
  for (std::size_t i = 0; i < p.plan.steps.size(); ++i)
    for (const model::step_id w : p.plan.waits_of(p.plan.steps[i]))
      waits.emplace(w.value() - p.plan.first_step, i);
  check(planner::to_trace(planner::simulate(p.graph(), p.plan, p.scenario.machine), p.graph(),
                          p.plan, p.scenario.machine),
        step_of, waits);
}

// In whatever way the clocks of devices and threads differ.
RC_GTEST_PROP(Traces, have_all_that_was_measured,
              (const test::sketch& sketch, std::uint32_t numbers, bool with_plan)) {
  const planned p = make(sketch, numbers);
  std::vector<planner::measured_span> spans;
  for (std::size_t i = 0; i < p.scenario.commands.all().size(); ++i)
    spans.push_back({1e-9 * *rc::gen::inRange(-5, 3000), 1e-9 * *rc::gen::inRange(0, 2000)});
  const std::string text =
      planner::to_trace(spans, p.graph(), with_plan ? &p.plan : nullptr, p.scenario.machine);
  RC_ASSERT(import(text, by_product).dropped == 0U);
  RC_ASSERT(import(text, by_digits).dropped == 0U);
  std::size_t known = 0, shown = 0;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (spans[i].started >= 0 && (with_plan || p.scenario.commands.all()[i].device.valid()))
      ++known;
  const json trace = json::parse(text);
  for (const json& e : trace["traceEvents"])
    if (e["ph"] == "X" && e["cat"] == "command") ++shown;
  RC_ASSERT(shown == known);
}

RC_GTEST_PROP(Traces, have_every_launch, (const test::sketch& sketch, std::uint32_t numbers)) {
  const planned p = make(sketch, numbers);
  const std::size_t commands = p.scenario.commands.all().size();
  planner::measured_launches all;
  all.places.resize(commands);
  for (const planner::step& s : p.plan.steps)
    if (const auto* e = std::get_if<planner::execute_step>(&s.action))
      all.places[e->command.value()] = {p.plan.lanes[s.lane.value()].device, s.lane.value()};
  // In order, as arrows only lead forward; so much later than the one before began that they overlap.
  constexpr std::uint64_t clock = 1700000000000000000;
  std::set<std::pair<pair, pair>> wanted;
  for (std::uint64_t l = 0; l < 3; ++l) {
    planner::measured_launches::launch& of = all.launches.emplace_back();
    of.submitted = clock + 1000 * l;
    of.started.resize(commands);
    of.ended.resize(commands);
    for (std::size_t c = 0; c < commands; ++c) {
      const bool known = *rc::gen::inRange(0, 8) != 0;
      of.started[c] = known ? of.submitted + 10 * c : 0;
      of.ended[c] =
          known ? of.started[c] + static_cast<std::uint64_t>(*rc::gen::inRange(1, 11)) : 0;
    }
    for (const auto& [a, b] : planner::command_edges(p.scenario.commands.all(), p.scenario.buffers))
      if (of.started[a] != 0 && of.started[b] != 0 &&
          std::pair(all.places[a].device, all.places[a].lane) !=
              std::pair(all.places[b].device, all.places[b].lane))
        wanted.emplace(pair(l, a), pair(l, b));
  }
  const auto of = [](const json& arguments) {
    return pair(arguments["launch"].get<std::uint64_t>(),
                arguments["command"].get<std::uint64_t>());
  };
  check(planner::to_trace(all, p.graph(), p.scenario.machine), of, wanted);
}

}  // namespace
