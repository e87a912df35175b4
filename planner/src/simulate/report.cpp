// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/simulate/report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/json_writer.hpp>
#include <pianola/formats/text.hpp>

#include "show/display.hpp"

namespace pianola::planner {

namespace {

std::string right(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string left(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}
std::string counted(std::uint64_t n, const char* one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}
std::string share(double part, double whole) {
  return fmt::format("{} %", whole > 0 ? std::lround(100 * part / whole) : 0);
}

// Where a step lies in the whole: a line of characters.
std::string bar(const simulated_step& s, double whole) {
  constexpr std::size_t width = 40;
  const auto at = [whole](double time) {
    return whole > 0 ? static_cast<std::size_t>(time / whole * static_cast<double>(width)) : 0;
  };
  const std::size_t first = std::min(at(s.start), width - 1);
  const std::size_t last = std::clamp(at(s.end), first + 1, width);
  return fmt::format("|{}{}{}|", std::string(first, ' '), std::string(last - first, '#'),
                     std::string(width - last, ' '));
}

class report {
 public:
  report(const simulation& s, const graph_view& graph, const plan& p,
         const model::topology& machine, std::size_t maximum)
      : s_(s), graph_(graph), plan_(p), machine_(machine), maximum_(maximum) {}

  std::string summary() const {
    return fmt::format(
        "makespan {}\n  T1    {}  all commands one after the other, with their data in place\n  "
        "Tinf  {}  the longest chain of commands that need each other, if nothing had to be "
        "moved\n",
        formats::seconds(s_.makespan), formats::seconds(s_.work), formats::seconds(s_.span));
  }

  std::string critical_path() const {
    const std::size_t n = s_.critical_path.size(),
                      shown = maximum_ == 0 ? n : std::min(n, maximum_);
    std::string text = fmt::format("critical path: {}\n", counted(n, "step"));
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t step = s_.critical_path[i].value() - plan_.first_step;
      text += fmt::format("  {}  {}\n", times(step), what(step));
    }
    return text + left_out(n, shown);
  }

  std::string devices() const {
    std::string text = "devices:\n";
    for (std::size_t d = 0; d < s_.devices.size(); ++d) {
      const device_use& u = s_.devices[d];
      text +=
          fmt::format("  {}  busy {} ({}), idle {}, {}\n",
                      left(display::device_name(
                               machine_, model::device_id(static_cast<model::device_id::rep>(d))),
                           32),
                      right(formats::seconds(u.busy), 8), share(u.busy, s_.makespan),
                      formats::seconds(s_.makespan - u.busy), counted(u.steps, "command"));
    }
    return text;
  }

  std::string links() const {
    std::string text;
    for (std::size_t i = 0; i < s_.links.size(); ++i) {
      if (s_.links[i].transfers == 0) continue;
      const model::link_description& l = machine_.links[i];
      text += fmt::format("  {}  {} in {}\n",
                          left(fmt::format("{} -> {}", display::memory_name(machine_, l.from),
                                           display::memory_name(machine_, l.to)),
                               32),
                          formats::bytes(s_.links[i].bytes),
                          counted(s_.links[i].transfers, "transfer"));
    }
    return (text.empty() ? "links: nothing is moved\n" : "links:\n" + text) +
           display::replays_line(graph_);
  }

  std::string memories() const {
    std::string text = "memories:\n";
    for (std::size_t m = 0; m < s_.peak_memory.size(); ++m) {
      const std::uint64_t peak = s_.peak_memory[m], there = machine_.memories[m].bytes;
      text +=
          fmt::format("  {}  at most {}",
                      left(display::memory_name(
                               machine_, model::memory_id(static_cast<model::memory_id::rep>(m))),
                           32),
                      formats::bytes(peak));
      if (there != 0)
        text += (peak > there ? ", which is more than its " : " of ") + formats::bytes(there);
      text += "\n";
    }
    return text;
  }

  std::string timeline() const {
    std::vector<std::size_t> order(s_.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
      const double first = s_.steps[a].start, second = s_.steps[b].start;
      return first != second ? first < second : a < b;
    });
    std::vector<char> critical(order.size(), 0);
    for (const model::step_id c : s_.critical_path) critical[c.value() - plan_.first_step] = 1;
    const std::size_t shown = maximum_ == 0 ? order.size() : std::min(order.size(), maximum_);
    std::string text = "timeline (*: on the critical path):\n";
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t step = order[i];
      text += fmt::format("  {}  lane {}{}{}{}\n", times(step),
                          left(fmt::to_string(plan_.steps[step].lane.value()), 3),
                          bar(s_.steps[step], s_.makespan), critical[step] != 0 ? " * " : "   ",
                          what(step));
    }
    return text + left_out(order.size(), shown);
  }

 private:
  std::string times(std::size_t step) const {
    return fmt::format("{} .. {}", right(formats::seconds(s_.steps[step].start), 8),
                       right(formats::seconds(s_.steps[step].end), 8));
  }
  std::string what(std::size_t step) const {
    if (const auto* e = std::get_if<execute_step>(&plan_.steps[step].action))
      return fmt::format("#{} {} on {}", e->command.value(),
                         display::command_name(graph_.commands()[e->command.value()]),
                         display::device_name(machine_, e->device));
    const auto& t = std::get<transfer_step>(plan_.steps[step].action);
    return fmt::format("move {}  {} -> {}  {}",
                       display::box_of_buffer(graph_, t.buffer, t.elements),
                       display::memory_name(machine_, t.from), display::memory_name(machine_, t.to),
                       formats::bytes(display::transfer_bytes(graph_, t)));
  }
  static std::string left_out(std::size_t count, std::size_t shown) {
    if (count == shown) return {};
    return fmt::format("  ... and {} (raise --limit)\n", counted(count - shown, "more step"));
  }

  const simulation& s_;
  const graph_view& graph_;
  const plan& plan_;
  const model::topology& machine_;
  std::size_t maximum_;
};

}  // namespace

std::string to_text(const simulation& s, const graph_view& graph, const plan& p,
                    const model::topology& machine, bool timeline, std::size_t maximum) {
  const report r(s, graph, p, machine, maximum);
  std::string text = r.summary() + r.critical_path() + r.devices() + r.links() + r.memories();
  if (timeline) text += r.timeline();
  return text;
}

std::string to_json(const simulation& s, const plan& p, const model::topology& machine) {
  using lines = formats::json_writer::layout;
  formats::json_writer json;
  const auto time = [&json](const char* name, double seconds) {
    json.key(name).number(seconds, "a simulated time");
  };
  json.open_object(lines::lines).key("format").text("pianola.simulation/1");
  json.key("graph_hash").hexadecimal(p.graph_hash);
  time("makespan", s.makespan);
  time("work", s.work);
  time("span", s.span);
  json.key("critical_path").open_array();
  for (const model::step_id c : s.critical_path) json.number(c.value() - p.first_step);
  json.close();
  json.key("devices").open_array(lines::lines);
  for (std::size_t d = 0; d < s.devices.size(); ++d) {
    json.open_object().key("name").text(machine.devices[d].name);
    time("busy", s.devices[d].busy);
    time("idle", std::max(0.0, s.makespan - s.devices[d].busy));
    time("work", s.devices[d].work);
    json.key("commands").number(s.devices[d].steps).close();
  }
  json.close();
  json.key("links").open_array(lines::lines);
  for (std::size_t i = 0; i < s.links.size(); ++i) {
    json.open_object().key("from").number(std::uint64_t{machine.links[i].from.value()});
    json.key("to").number(std::uint64_t{machine.links[i].to.value()});
    json.key("bytes").number(s.links[i].bytes);
    json.key("transfers").number(s.links[i].transfers).close();
  }
  json.close();
  json.key("memories").open_array(lines::lines);
  for (std::size_t m = 0; m < s.peak_memory.size(); ++m)
    json.open_object()
        .key("name")
        .text(machine.memories[m].name)
        .key("peak")
        .number(s.peak_memory[m])
        .close();
  json.close();
  json.key("steps").open_array(lines::lines);
  for (const simulated_step& step : s.steps) {
    json.open_object();
    time("start", step.start);
    time("end", step.end);
    json.close();
  }
  json.close().close();
  return json.finish();
}

}  // namespace pianola::planner
