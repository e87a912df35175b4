// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/simulate/trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/json_writer.hpp>

#include "pianola/planner/cost/machine_costs.hpp"
#include "show/display.hpp"

namespace pianola::planner {

namespace {

// When a slice begins and ends. Seconds.
struct lane_slice {
  double start = 0, end = 0;
};

// What all traces have: a process for each device, a thread for each lane, slices on them and arrows between them.
class event_writer {
 protected:
  // `what`: the times, for messages.
  event_writer(const graph_view& graph, const model::topology& machine, const char* what)
      : graph_(graph), machine_(machine), what_(what) {
    json_.open_object().key("displayTimeUnit").text("ns").key("traceEvents");
    json_.open_array(formats::json_writer::layout::lines);
  }
  [[nodiscard]] std::string finish() {
    json_.close().close();
    return json_.finish();
  }
  void name_lanes(const plan& p) {
    for (std::uint32_t l = 0; l < p.lanes.size(); ++l) name_lane(p.lanes[l].device, l);
  }
  // The first time that it is asked to.
  void name_lane(model::device_id device, std::uint32_t lane) {
    if (named_devices_.insert(device.value()).second)
      name("process_name", device, 0, display::device_name(machine_, device));
    if (named_lanes_.insert({device.value(), lane}).second)
      name("thread_name", device, lane, fmt::format("lane {}", lane));
  }

  void command(std::uint32_t id, std::optional<std::size_t> step, model::device_id device,
               std::uint32_t lane, const lane_slice& when) {
    begin(display::command_name(graph_.commands()[id]), "command", device, lane, when);
    if (step) json_.key("step").number(std::uint64_t{*step});
    json_.key("command").number(std::uint64_t{id}).close().close();
  }
  // `estimated`: the time is, in a trace of what was measured.
  void transfer(const transfer_step& t, std::size_t step, model::device_id device,
                std::uint32_t lane, const lane_slice& when, bool estimated) {
    begin(fmt::format("move {}  {} -> {}", display::box_of_buffer(graph_, t.buffer, t.elements),
                      display::memory_name(machine_, t.from), display::memory_name(machine_, t.to)),
          "transfer", device, lane, when);
    json_.key("step").number(std::uint64_t{step});
    json_.key("bytes").number(display::transfer_bytes(graph_, t));
    if (estimated) json_.key("measured").truth(false);
    json_.close().close();
  }

  // An arrow belongs to the slices that hold its ends, and a slice does not hold the moment at which it ends.
  void arrow(model::device_id from_device, std::uint32_t from_lane, const lane_slice& from,
             model::device_id to_device, std::uint32_t to_lane, const lane_slice& to) {
    const std::uint64_t id = arrows_++;
    for (const bool start : {true, false}) {
      json_.open_object().key("ph").text(start ? "s" : "f").key("name").text("wait");
      json_.key("cat").text("wait").key("id").number(id);
      if (!start) json_.key("bp").text("e");
      at(start ? from_device : to_device, start ? from_lane : to_lane);
      time("ts", start ? from.start + (from.end - from.start) / 2 : to.start);
      json_.close();
    }
  }
  void arrows_of(const plan& p, const std::vector<lane_slice>& slices) {
    for (std::size_t i = 0; i < p.steps.size(); ++i)
      for (const model::step_id w : p.waits_of(p.steps[i])) {
        const auto from = static_cast<std::size_t>(w.value() - p.first_step);
        if (slices[from].start < 0 || slices[i].start < 0) continue;
        const model::lane_id a = p.steps[from].lane, b = p.steps[i].lane;
        arrow(p.lanes[a.value()].device, a.value(), slices[from], p.lanes[b.value()].device,
              b.value(), slices[i]);
      }
  }

  const graph_view& graph_;
  const model::topology& machine_;

 private:
  // Traces count in microseconds; what is finer than a picosecond is rounding.
  void time(const char* key, double seconds) {
    json_.key(key).number(std::round(1e12 * seconds) / 1e6, what_);
  }
  void at(model::device_id device, std::uint32_t lane) {
    json_.key("pid").number(std::uint64_t{device.value()});
    json_.key("tid").number(std::uint64_t{lane});
  }
  // Leaves the arguments open.
  void begin(const std::string& what, const char* category, model::device_id device,
             std::uint32_t lane, const lane_slice& when) {
    json_.open_object().key("ph").text("X").key("name").text(what).key("cat").text(category);
    at(device, lane);
    time("ts", when.start);
    time("dur", when.end - when.start);
    json_.key("args").open_object();
  }
  void name(const char* what, model::device_id device, std::uint32_t lane,
            const std::string& text) {
    json_.open_object().key("name").text(what).key("ph").text("M");
    at(device, lane);
    json_.key("args").open_object().key("name").text(text).close().close();
  }

  formats::json_writer json_;
  const char* what_;
  std::uint64_t arrows_ = 0;
  std::set<std::uint16_t> named_devices_;
  std::set<std::pair<std::uint16_t, std::uint32_t>> named_lanes_;
};

class trace_writer : event_writer {
 public:
  trace_writer(const simulation& s, const graph_view& graph, const plan& p,
               const model::topology& machine)
      : event_writer(graph, machine, "a simulated time"), s_(s), plan_(p) {}

  [[nodiscard]] std::string write() {
    name_lanes(plan_);
    std::vector<lane_slice> slices;
    slices.reserve(plan_.steps.size());
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const step& s = plan_.steps[i];
      slices.push_back({s_.steps[i].start, s_.steps[i].end});
      const model::device_id device = plan_.lanes[s.lane.value()].device;
      if (const auto* e = std::get_if<execute_step>(&s.action))
        command(e->command.value(), i, device, s.lane.value(), slices[i]);
      else
        transfer(std::get<transfer_step>(s.action), i, device, s.lane.value(), slices[i], false);
    }
    arrows_of(plan_, slices);
    return finish();
  }

 private:
  const simulation& s_;
  const plan& plan_;
};

class measured_trace_writer : event_writer {
 public:
  measured_trace_writer(const std::vector<measured_span>& spans, const graph_view& graph,
                        const plan* p, const model::topology& machine)
      : event_writer(graph, machine, "a measured time"), spans_(spans), plan_(p) {}

  [[nodiscard]] std::string write() {
    if (plan_ != nullptr) {
      write_steps();
      return finish();
    }
    const std::size_t n = std::min(spans_.size(), graph_.commands().size());
    for (std::uint32_t i = 0; i < n; ++i) {
      const model::device_id device = graph_.commands()[i].device;
      if (spans_[i].started < 0 || !device.valid()) continue;
      name_lane(device, 0);
      command(i, std::nullopt, device, 0, of(i));
    }
    return finish();
  }

 private:
  static constexpr lane_slice unknown{-1, -1};

  [[nodiscard]] lane_slice of(std::uint32_t command) const {
    if (command >= spans_.size() || spans_[command].started < 0) return unknown;
    return {spans_[command].started, spans_[command].started + spans_[command].seconds};
  }

  void write_steps() {
    name_lanes(*plan_);
    const std::vector<lane_slice> slices = placed();
    for (std::size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].start < 0) continue;
      const step& s = plan_->steps[i];
      const model::device_id device = plan_->lanes[s.lane.value()].device;
      if (const auto* e = std::get_if<execute_step>(&s.action))
        command(e->command.value(), i, device, s.lane.value(), slices[i]);
      else
        transfer(std::get<transfer_step>(s.action), i, device, s.lane.value(), slices[i], true);
    }
    arrows_of(*plan_, slices);
  }

  // Nobody measures transfers. Each begins as soon as what it waits for has ended, takes what the cost model says, and is
  // there before the first that waits for it begins; one for which there is no such time is left out.
  [[nodiscard]] std::vector<lane_slice> placed() const {
    constexpr double never = std::numeric_limits<double>::infinity();
    const std::size_t n = plan_->steps.size();
    std::vector<lane_slice> slices(n, unknown);
    std::vector<double> before(n, never);  // what waits for the step begins
    std::vector<double> next(plan_->lanes.size(), never);
    for (std::size_t i = n; i-- > 0;) {
      const step& s = plan_->steps[i];
      double begins = std::min(before[i], next[s.lane.value()]);
      before[i] = begins;
      if (const auto* e = std::get_if<execute_step>(&s.action)) {
        slices[i] = of(e->command.value());
        if (slices[i].start >= 0) begins = slices[i].start;
      }
      next[s.lane.value()] = begins;
      for (const model::step_id w : plan_->waits_of(s)) {
        double& earliest = before[w.value() - plan_->first_step];
        earliest = std::min(earliest, begins);
      }
    }
    const machine_costs costs(machine_);
    std::vector<double> ended(n, 0), last(plan_->lanes.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      const step& s = plan_->steps[i];
      double& free = last[s.lane.value()];
      for (const model::step_id w : plan_->waits_of(s))
        free = std::max(free, ended[w.value() - plan_->first_step]);
      if (const auto* t = std::get_if<transfer_step>(&s.action)) {
        const double takes = costs.seconds(t->from, t->to, display::transfer_bytes(graph_, *t));
        if (const double end = std::min(before[i], free + takes); end >= free && end < never)
          slices[i] = {free, end};
      }
      if (slices[i].start >= 0) free = std::max(free, slices[i].end);
      ended[i] = free;
    }
    return slices;
  }

  const std::vector<measured_span>& spans_;
  const plan* plan_;
};

}  // namespace

std::string to_trace(const std::vector<measured_span>& spans, const graph_view& graph,
                     const plan* of_the_run, const model::topology& machine) {
  return measured_trace_writer(spans, graph, of_the_run, machine).write();
}

std::string to_trace(const simulation& s, const graph_view& graph, const plan& p,
                     const model::topology& machine) {
  return trace_writer(s, graph, p, machine).write();
}

}  // namespace pianola::planner
