// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/simulate/trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/json_writer.hpp>

#include "show/display.hpp"

namespace pianola::planner {

namespace {

// What all traces have.
class event_writer {
 protected:
  // `what`: the times, for messages.
  event_writer(const model::topology& machine, const char* what) : machine_(machine), what_(what) {
    json_.open_object().key("displayTimeUnit").text("ns").key("traceEvents");
    json_.open_array(formats::json_writer::layout::lines);
  }
  [[nodiscard]] std::string finish() {
    json_.close().close();
    return json_.finish();
  }
  // Traces count in microseconds; what is finer than a picosecond is rounding.
  void time(const char* key, double seconds) {
    json_.key(key).number(std::round(1e12 * seconds) / 1e6, what_);
  }
  void name_device(model::device_id device) {
    name("process_name", device, 0, display::device_name(machine_, device));
  }
  void name_lane(model::device_id device, std::uint64_t lane) {
    name("thread_name", device, lane, fmt::format("lane {}", lane));
  }

  const model::topology& machine_;
  formats::json_writer json_;

 private:
  void name(const char* what, model::device_id device, std::uint64_t lane,
            const std::string& text) {
    json_.open_object().key("name").text(what).key("ph").text("M");
    json_.key("pid").number(std::uint64_t{device.value()}).key("tid").number(lane);
    json_.key("args").open_object().key("name").text(text).close().close();
  }

  const char* what_;
};

class trace_writer : event_writer {
 public:
  trace_writer(const simulation& s, const graph_view& graph, const plan& p,
               const model::topology& machine)
      : event_writer(machine, "a simulated time"), s_(s), graph_(graph), plan_(p) {}

  [[nodiscard]] std::string write() {
    std::vector<bool> named(machine_.devices.size(), false);
    for (std::size_t l = 0; l < plan_.lanes.size(); ++l) {
      const model::device_id d = plan_.lanes[l].device;
      if (!named[d.value()]) {
        named[d.value()] = true;
        name_device(d);
      }
      name_lane(d, l);
    }
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) run(i);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i)
      for (const model::step_id w : plan_.waits_of(plan_.steps[i]))
        arrow(static_cast<std::size_t>(w.value() - plan_.first_step), i);
    return finish();
  }

 private:
  void at(const model::lane_id lane) {
    json_.key("pid").number(std::uint64_t{plan_.lanes[lane.value()].device.value()});
    json_.key("tid").number(std::uint64_t{lane.value()});
  }
  void run(std::size_t i) {
    const step& s = plan_.steps[i];
    json_.open_object().key("ph").text("X").key("name");
    if (const auto* e = std::get_if<execute_step>(&s.action)) {
      json_.text(display::command_name(graph_.commands()[e->command.value()]));
      json_.key("cat").text("command");
    } else {
      const auto& t = std::get<transfer_step>(s.action);
      json_.text("move " + display::part_of_buffer(graph_, t.buffer, t.elements) + "  " +
                 display::memory_name(machine_, t.from) + " -> " +
                 display::memory_name(machine_, t.to));
      json_.key("cat").text("transfer");
    }
    at(s.lane);
    time("ts", s_.steps[i].start);
    time("dur", s_.steps[i].end - s_.steps[i].start);
    json_.key("args").open_object().key("step").number(std::uint64_t{i});
    if (const auto* e = std::get_if<execute_step>(&s.action))
      json_.key("command").number(std::uint64_t{e->command.value()});
    else
      json_.key("bytes").number(display::transfer_bytes(graph_, std::get<transfer_step>(s.action)));
    json_.close().close();
  }
  void arrow(std::size_t from, std::size_t to) {
    const std::uint64_t id = arrows_++;
    for (const bool start : {true, false}) {
      const std::size_t i = start ? from : to;
      json_.open_object().key("ph").text(start ? "s" : "f").key("name").text("wait");
      json_.key("cat").text("wait").key("id").number(id);
      if (!start) json_.key("bp").text("e");
      at(plan_.steps[i].lane);
      time("ts", start ? s_.steps[i].end : s_.steps[i].start);
      json_.close();
    }
  }

  const simulation& s_;
  const graph_view& graph_;
  const plan& plan_;
  std::uint64_t arrows_ = 0;
};

class measured_trace_writer : event_writer {
 public:
  measured_trace_writer(const std::vector<measured_span>& spans, const graph_view& graph,
                        const plan* p, const model::topology& machine)
      : event_writer(machine, "a measured time"),
        spans_(spans),
        graph_(graph),
        lanes_(graph.commands().size(), 0) {
    if (p == nullptr) return;
    for (const step& s : p->steps)
      if (const auto* e = std::get_if<execute_step>(&s.action))
        lanes_[e->command.value()] = s.lane.value();
  }

  [[nodiscard]] std::string write() {
    for (std::size_t i = 0; i < std::min(spans_.size(), lanes_.size()); ++i)
      if (spans_[i].started >= 0 && graph_.commands()[i].device.valid()) run(i);
    return finish();
  }

 private:
  void run(std::size_t i) {
    const model::command& c = graph_.commands()[i];
    if (named_devices_.insert(c.device.value()).second) name_device(c.device);
    if (named_lanes_.insert({c.device.value(), lanes_[i]}).second) name_lane(c.device, lanes_[i]);
    json_.open_object().key("ph").text("X").key("name").text(display::command_name(c));
    json_.key("cat").text("command").key("pid").number(std::uint64_t{c.device.value()});
    json_.key("tid").number(std::uint64_t{lanes_[i]});
    time("ts", spans_[i].started);
    time("dur", spans_[i].seconds);
    json_.key("args").open_object().key("command").number(std::uint64_t{i}).close().close();
  }

  const std::vector<measured_span>& spans_;
  const graph_view& graph_;
  std::vector<std::uint32_t> lanes_;  // index: command
  std::set<std::uint16_t> named_devices_;
  std::set<std::pair<std::uint16_t, std::uint32_t>> named_lanes_;
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
