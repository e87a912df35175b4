// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/simulate/trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <pianola/formats/json_writer.hpp>

#include "pianola/planner/command_edges.hpp"
#include "pianola/planner/cost/machine_costs.hpp"
#include "show/display.hpp"

namespace pianola::planner {

namespace {

constexpr std::int64_t unknown_time = -1;
// Of what is in no lane of a plan.
constexpr std::uint32_t no_lane = std::numeric_limits<std::uint32_t>::max();

// Files may say anything: so much can be added to itself.
constexpr std::int64_t longest = std::int64_t{1} << 61;
[[nodiscard]] std::int64_t nanoseconds(double seconds) {
  return seconds < 1e-9 * static_cast<double>(longest) ? std::llround(1e9 * seconds) : longest;
}

// When something ran and where. Nanoseconds.
struct lane_slice {
  model::device_id device;
  std::uint32_t lane = no_lane;
  std::int64_t start = unknown_time, end = unknown_time;
  std::uint32_t thread = 0;  // of the trace

  [[nodiscard]] bool is_known() const noexcept { return start >= 0; }
};

// The threads of a lane, of which the first that is free is taken.
class thread_list {
 public:
  void add(std::uint32_t number) {
    free_.push(static_cast<std::uint32_t>(numbers_.size()));
    numbers_.push_back(number);
  }
  [[nodiscard]] bool has_free_one(std::int64_t now) {
    for (; !busy_.empty() && busy_.top().first <= now; busy_.pop()) free_.push(busy_.top().second);
    return !free_.empty();
  }
  [[nodiscard]] std::uint32_t take(std::int64_t until) {
    const std::uint32_t which = free_.top();
    free_.pop();
    busy_.push({until, which});
    return numbers_[which];
  }
  [[nodiscard]] std::size_t size() const noexcept { return numbers_.size(); }

 private:
  using busy = std::pair<std::int64_t, std::uint32_t>;
  std::vector<std::uint32_t> numbers_;
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> free_;
  std::priority_queue<busy, std::vector<busy>, std::greater<>> busy_;
};

// What all traces have: a process for each device, a thread for each lane, slices on them and arrows between them.
class event_writer {
 protected:
  event_writer(const graph_view& graph, const model::topology& machine)
      : graph_(graph), machine_(machine) {
    json_.open_object().key("displayTimeUnit").text("ns").key("traceEvents");
    json_.open_array(formats::json_writer::layout::lines);
  }
  [[nodiscard]] std::string finish() {
    json_.close().close();
    return json_.finish();
  }

  // Gives the slices their threads, and those their names. `lanes`: those that have threads whether or not anything ran
  // there.
  void place(std::vector<lane_slice>& slices, const std::vector<lane_info>& lanes) {
    auto next_thread = static_cast<std::uint32_t>(lanes.size());
    std::map<std::pair<std::uint16_t, std::uint32_t>, thread_list> threads;
    for (std::uint32_t l = 0; l < lanes.size(); ++l) {
      threads[{lanes[l].device.value(), l}].add(l);
      name_thread(lanes[l].device, l, fmt::format("lane {}", l));
    }
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t i = 0; i < slices.size(); ++i)
      if (slices[i].is_known()) order.emplace_back(slices[i].start, i);
    std::sort(order.begin(), order.end());
    for (const auto& [start, i] : order) {
      lane_slice& s = slices[i];
      thread_list& of = threads[{s.device.value(), s.lane}];
      if (!of.has_free_one(start)) {
        const std::string lane = s.lane == no_lane ? "all" : fmt::format("lane {}", s.lane);
        name_thread(
            s.device, next_thread,
            of.size() == 0 ? lane : fmt::format("{}, at the same time ({})", lane, of.size()));
        of.add(next_thread++);
      }
      s.thread = of.take(s.end);
    }
  }
  void name_process(model::device_id device, const std::string& text) {
    if (named_devices_.insert(device.value()).second) name("process_name", device, 0, text);
  }

  void command(std::uint32_t id, const lane_slice& when,
               std::optional<std::pair<const char*, std::size_t>> of = std::nullopt) {
    begin(display::command_name(graph_.commands()[id]), "command", when);
    if (of) json_.key(of->first).number(std::uint64_t{of->second});
    json_.key("command").number(std::uint64_t{id}).close().close();
  }
  // `estimated`: the time is, in a trace of what was measured.
  void transfer(const transfer_step& t, std::size_t step, const lane_slice& when, bool estimated) {
    begin(fmt::format("move {}  {} -> {}", display::box_of_buffer(graph_, t.buffer, t.elements),
                      display::memory_name(machine_, t.from), display::memory_name(machine_, t.to)),
          "transfer", when);
    json_.key("step").number(std::uint64_t{step});
    json_.key("bytes").number(display::transfer_bytes(graph_, t));
    if (estimated) json_.key("measured").truth(false);
    json_.close().close();
  }
  void launch(std::size_t number, const lane_slice& when) {
    begin(fmt::format("launch {}", number), "launch", when);
    json_.close().close();
  }

  // What is known of them, each by write(index), with the arrows between them, which are pairs of their indices. An arrow
  // belongs to the slices that hold its ends, and a slice does not hold the moment at which it ends. Perfetto takes the last
  // that has begun, in the order of the file where several begin at once: so ends stand behind their slices.
  template <class Write>
  void write_all(const std::vector<lane_slice>& slices,
                 const std::vector<std::pair<std::uint32_t, std::uint32_t>>& arrows,
                 Write&& write) {
    std::vector<std::vector<std::uint64_t>> begins(slices.size()), ends(slices.size());
    for (std::size_t i = 0; i < arrows.size(); ++i) {
      if (!slices[arrows[i].first].is_known() || !slices[arrows[i].second].is_known()) continue;
      begins[arrows[i].first].push_back(arrows_);
      ends[arrows[i].second].push_back(arrows_++);
    }
    for (std::size_t i = 0; i < slices.size(); ++i) {
      if (!slices[i].is_known()) continue;
      write(i);
      const std::int64_t middle = slices[i].start + (slices[i].end - slices[i].start) / 2;
      for (const std::uint64_t id : ends[i]) end_of_arrow(id, slices[i], slices[i].start, false);
      for (const std::uint64_t id : begins[i]) end_of_arrow(id, slices[i], middle, true);
    }
  }

  // The steps of the plan, where they are known, and their waits.
  void write_steps(const plan& p, std::vector<lane_slice>& slices, bool transfers_are_estimated) {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      slices[i].lane = p.steps[i].lane.value();
      slices[i].device = p.lanes[slices[i].lane].device;
    }
    place(slices, p.lanes);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waits;
    waits.reserve(p.waits.size());
    for (std::uint32_t i = 0; i < slices.size(); ++i)
      for (const model::step_id w : p.waits_of(p.steps[i]))
        waits.emplace_back(static_cast<std::uint32_t>(w.value() - p.first_step), i);
    write_all(slices, waits, [&](std::size_t i) {
      const step& s = p.steps[i];
      if (const auto* e = std::get_if<execute_step>(&s.action))
        command(e->command.value(), slices[i], std::pair("step", i));
      else
        transfer(std::get<transfer_step>(s.action), i, slices[i], transfers_are_estimated);
    });
  }

  const graph_view& graph_;
  const model::topology& machine_;

 private:
  // Traces count in microseconds. Perfetto makes whole nanoseconds of them by leaving off what is behind the thousandths,
  // in some versions of the product with 1000, which may be less than a whole number by rounding: with a quarter more it is
  // the same number in any case, and what follows each other does not overlap.
  void time(const char* key, std::int64_t nanoseconds) {
    json_.key(key).number((static_cast<double>(nanoseconds) + 0.25) / 1000, "a time");
  }
  void at(const lane_slice& where) {
    json_.key("pid").number(std::uint64_t{where.device.value()});
    json_.key("tid").number(std::uint64_t{where.thread});
  }
  void end_of_arrow(std::uint64_t id, const lane_slice& where, std::int64_t when, bool begins) {
    json_.open_object().key("ph").text(begins ? "s" : "f").key("name").text("wait");
    json_.key("cat").text("wait").key("id").number(id);
    if (!begins) json_.key("bp").text("e");
    at(where);
    time("ts", when);
    json_.close();
  }
  // Leaves the arguments open.
  void begin(const std::string& what, const char* category, const lane_slice& when) {
    json_.open_object().key("ph").text("X").key("name").text(what).key("cat").text(category);
    at(when);
    time("ts", when.start);
    time("dur", when.end - when.start);
    json_.key("args").open_object();
  }
  void name(const char* what, model::device_id device, std::uint32_t thread,
            const std::string& text) {
    json_.open_object().key("name").text(what).key("ph").text("M");
    at({device, no_lane, unknown_time, unknown_time, thread});
    json_.key("args").open_object().key("name").text(text).close().close();
  }
  void name_thread(model::device_id device, std::uint32_t thread, const std::string& text) {
    name_process(device, display::device_name(machine_, device));
    name("thread_name", device, thread, text);
  }

  formats::json_writer json_;
  std::uint64_t arrows_ = 0;
  std::set<std::uint16_t> named_devices_;
};

class trace_writer : event_writer {
 public:
  trace_writer(const simulation& s, const graph_view& graph, const plan& p,
               const model::topology& machine)
      : event_writer(graph, machine), s_(s), plan_(p) {}

  [[nodiscard]] std::string write() {
    std::vector<lane_slice> slices(plan_.steps.size());
    for (std::size_t i = 0; i < slices.size(); ++i) {
      slices[i].start = nanoseconds(s_.steps[i].start);
      slices[i].end = nanoseconds(s_.steps[i].end);
    }
    write_steps(plan_, slices, false);
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
      : event_writer(graph, machine), spans_(spans), plan_(p) {}

  [[nodiscard]] std::string write() {
    if (plan_ != nullptr) {
      std::vector<lane_slice> slices = placed();
      write_steps(*plan_, slices, true);
      return finish();
    }
    std::vector<lane_slice> slices(std::min(spans_.size(), graph_.commands().size()));
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
      const model::device_id device = graph_.commands()[i].device;
      if (device.valid()) slices[i] = of(i);
      slices[i].device = device;
    }
    place(slices, {});
    write_all(slices, {},
              [&](std::size_t i) { command(static_cast<std::uint32_t>(i), slices[i]); });
    return finish();
  }

 private:
  [[nodiscard]] lane_slice of(std::uint32_t command) const {
    lane_slice when;
    if (command >= spans_.size() || spans_[command].started < 0) return when;
    when.start = nanoseconds(spans_[command].started);
    when.end = nanoseconds(spans_[command].started + spans_[command].seconds);
    return when;
  }

  // Nobody measures transfers. Each begins as soon as what it waits for has ended, takes what the cost model says, and is
  // there before the first that waits for it begins; one for which there is no such time is left out.
  [[nodiscard]] std::vector<lane_slice> placed() const {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    const std::size_t n = plan_->steps.size();
    std::vector<lane_slice> slices(n);
    std::vector<std::int64_t> before(n, never);  // what waits for the step begins
    std::vector<std::int64_t> next(plan_->lanes.size(), never);
    for (std::size_t i = n; i-- > 0;) {
      const step& s = plan_->steps[i];
      std::int64_t begins = std::min(before[i], next[s.lane.value()]);
      before[i] = begins;
      if (const auto* e = std::get_if<execute_step>(&s.action)) {
        slices[i] = of(e->command.value());
        if (slices[i].is_known()) begins = slices[i].start;
      }
      next[s.lane.value()] = begins;
      for (const model::step_id w : plan_->waits_of(s)) {
        std::int64_t& earliest = before[w.value() - plan_->first_step];
        earliest = std::min(earliest, begins);
      }
    }
    const machine_costs costs(machine_);
    std::vector<std::int64_t> ended(n, 0), last(plan_->lanes.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      const step& s = plan_->steps[i];
      std::int64_t& free = last[s.lane.value()];
      for (const model::step_id w : plan_->waits_of(s))
        free = std::max(free, ended[w.value() - plan_->first_step]);
      if (const auto* t = std::get_if<transfer_step>(&s.action)) {
        const std::int64_t takes =
            nanoseconds(costs.seconds(t->from, t->to, display::transfer_bytes(graph_, *t)));
        if (const std::int64_t end = std::min(before[i], free + takes);
            end >= free && end < never) {
          slices[i].start = free;
          slices[i].end = end;
        }
      }
      if (slices[i].is_known()) free = std::max(free, slices[i].end);
      ended[i] = free;
    }
    return slices;
  }

  const std::vector<measured_span>& spans_;
  const plan* plan_;
};

class launches_trace_writer : event_writer {
 public:
  launches_trace_writer(const measured_launches& launches, const graph_view& graph,
                        const model::topology& machine)
      : event_writer(graph, machine), launches_(launches) {}

  [[nodiscard]] std::string write() {
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
    for (const measured_launches::launch& l : launches_.launches)
      first = std::min(first, l.submitted);
    const std::size_t commands = std::min(launches_.places.size(), graph_.commands().size());
    std::vector<lane_slice> slices;  // of each launch its commands, and the launch
    slices.reserve(launches_.launches.size() * (commands + 1));
    for (const measured_launches::launch& l : launches_.launches) {
      lane_slice whole{all_launches(), no_lane, since(first, l.submitted),
                       since(first, l.submitted), 0};
      for (std::size_t c = 0; c < commands; ++c) {
        lane_slice& s = slices.emplace_back();
        s.device = launches_.places[c].device;
        s.lane = launches_.places[c].lane;
        if (!s.device.valid() || c >= l.started.size() || c >= l.ended.size() ||
            l.started[c] < first || l.ended[c] < l.started[c])
          continue;
        s.start = since(first, l.started[c]);
        s.end = since(first, l.ended[c]);
        whole.end = std::max(whole.end, s.end);
      }
      slices.push_back(whole);
    }
    name_process(all_launches(), "launches");
    place(slices, {});
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arrows;
    const auto lane_of = [&](std::uint32_t c) {
      return std::pair(launches_.places[c].device, launches_.places[c].lane);
    };
    for (const auto& [a, b] : command_edges(graph_.commands(), graph_.buffers())) {
      if (b >= commands || lane_of(a) == lane_of(b)) continue;
      for (std::size_t l = 0; l < launches_.launches.size() && arrows.size() < most_arrows; ++l) {
        const std::size_t of = l * (commands + 1);
        if (slices[of + a].is_known() && slices[of + b].is_known())
          arrows.emplace_back(of + a, of + b);
      }
    }
    write_all(slices, arrows, [&](std::size_t i) {
      const std::size_t l = i / (commands + 1);
      if (const std::size_t c = i % (commands + 1); c == commands)
        launch(l, slices[i]);
      else
        command(static_cast<std::uint32_t>(c), slices[i], std::pair("launch", l));
    });
    return finish();
  }

 private:
  static constexpr std::size_t most_arrows = std::size_t{1} << 22;

  // No device: the process of the launches themselves.
  [[nodiscard]] model::device_id all_launches() const {
    std::size_t number = machine_.devices.size();
    for (const measured_launches::place& p : launches_.places)
      if (p.device.valid())
        number = std::max<std::size_t>(number, p.device.value() + std::size_t{1});
    return model::device_id(static_cast<std::uint16_t>(number));
  }
  [[nodiscard]] static std::int64_t since(std::uint64_t first, std::uint64_t at) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(at - first, longest));
  }

  const measured_launches& launches_;
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

std::string to_trace(const measured_launches& launches, const graph_view& graph,
                     const model::topology& machine) {
  return launches_trace_writer(launches, graph, machine).write();
}

}  // namespace pianola::planner
