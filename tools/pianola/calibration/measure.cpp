// SPDX-License-Identifier: Apache-2.0
#include "calibration/measure.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>
#include <pianola/planner/cost/fit.hpp>
#include <pianola/runtime/topology.hpp>

#include "calibration/probe.hpp"
#include "calibration/progress.hpp"

namespace pianola::tool {

namespace {

using model::device_id;
using model::memory_id;
using work = std::function<void()>;

constexpr std::size_t kibi = 1024, mebi = kibi * kibi;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The least of some runs: what disturbs only ever adds. At least two runs, the first of which warms up, and then as many as
// fit into the time.
double least_seconds(double at_most, const work& run) {
  run();
  const double begin = now();
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 200; ++i) {
    const double from = now();
    if (i > 0 && from - begin > at_most) break;
    run();
    least = std::min(least, now() - from);
  }
  return least;
}

class machine_probe {
 public:
  machine_probe(double seconds, double at_most, std::vector<std::string>& remarks)
      : machine_(runtime::topology()),
        remarks_(remarks),
        end_(now() + at_most),
        steps_(machine_.links.size() + pairs().size() + 4 * machine_.devices.size()),
        share_(seconds / static_cast<double>(std::max<std::size_t>(steps_, 1))),
        bar_(steps_) {
    for (std::size_t d = 0; d < machine_.devices.size(); ++d)
      probes_.push_back(std::make_unique<probe>(device_id(static_cast<device_id::rep>(d))));
  }

  model::topology run() {
    measure_devices();
    measure_links();
    find_buses();
    return std::move(machine_);
  }

 private:
  struct link_pair {
    std::size_t first, second;
  };

  [[nodiscard]] std::string device_name(device_id d) const {
    return fmt::format("device {} ({})", d.value(),
                       formats::one_line(machine_.devices[d.value()].name, 40));
  }
  [[nodiscard]] bool time_is_up() const { return now() > end_; }
  // A device with that memory; any for the host's.
  [[nodiscard]] device_id device_with(memory_id m) const {
    for (std::size_t d = 0; d < machine_.devices.size(); ++d)
      if (machine_.devices[d].memory == m) return device_id(static_cast<device_id::rep>(d));
    return device_id(0);
  }
  // So much of the memory, or an eighth of it.
  [[nodiscard]] std::size_t fitting(memory_id m, std::size_t bytes) const {
    const std::uint64_t there = machine_.memories[m.value()].bytes;
    return there == 0 ? bytes : static_cast<std::size_t>(std::min<std::uint64_t>(bytes, there / 8));
  }

  // Both ends of a link and who copies.
  struct link_ends {
    device_id device;
    probe_memory from, to;
    link_ends(device_id owner, runtime::usm_kind from_kind, device_id from_device,
              runtime::usm_kind to_kind, device_id to_device, std::size_t bytes)
        : device(owner), from(from_kind, bytes, from_device), to(to_kind, bytes, to_device) {}
  };
  std::unique_ptr<link_ends> ends_of(const model::link_description& l, std::size_t bytes) const {
    using runtime::usm_kind;
    const bool up = l.from == model::host_memory, down = l.to == model::host_memory;
    const device_id source = device_with(l.from), target = device_with(l.to);
    const device_id owner = down ? source : target;
    return std::make_unique<link_ends>(
        owner, up ? usm_kind::host : usm_kind::device, up ? owner : source,
        down ? usm_kind::host : usm_kind::device, down ? owner : target, bytes);
  }
  probe& at(device_id d) { return *probes_[d.value()]; }

  // In half of the time; the rest is for links, of which many devices have many more.
  void measure_devices() {
    const double end = end_ - (end_ - now()) / 2;
    std::size_t done = 0;
    while (done < machine_.devices.size() && (done == 0 || now() < end))
      measure_device(device_id(static_cast<device_id::rep>(done++)));
    if (done != machine_.devices.size())
      remarks_.push_back(
          fmt::format("there was no time for {} of {} devices; their speeds were left out",
                      machine_.devices.size() - done, machine_.devices.size()));
  }

  void measure_device(device_id d) {
    model::device_description& device = machine_.devices[d.value()];
    bar_.step("host tasks of " + device_name(d));
    constexpr int many = 64;
    const auto repeated = [&](const work& one) {
      return least_seconds(share_,
                           [&] {
                             for (int i = 0; i < many; ++i) one();
                             at(d).wait();
                           }) /
             many;
    };
    device.speed.host_task = repeated([&] { at(d).host_task(); });
    bar_.step("launches of " + device_name(d));
    try {
      device.speed.launch = repeated([&] { at(d).nothing(); });
    } catch (const model::user_error&) {
      without_kernels(d, repeated);
      return;
    }
    measure_bandwidth(d);
    bar_.step("arithmetic of " + device_name(d));
    constexpr std::size_t items = 1024;
    const probe_memory out(runtime::usm_kind::device, items * sizeof(double), d);
    const double seconds = least_seconds(share_, [&] {
      at(d).multiply_add(static_cast<double*>(out.get()), items);
      at(d).wait();
    });
    device.speed.operations = items * probe::operations_of_item / seconds;
  }

  void measure_bandwidth(device_id d) {
    bar_.step("memory of " + device_name(d));
    model::device_description& device = machine_.devices[d.value()];
    const std::size_t count = fitting(device.memory, 96 * mebi) / (3 * sizeof(double));
    const probe_memory memory(runtime::usm_kind::device, 3 * count * sizeof(double), d);
    auto* const a = static_cast<double*>(memory.get());
    at(d).fill(a, 3 * count * sizeof(double));
    const double seconds = least_seconds(share_, [&] {
      at(d).stream(a, a + count, a + 2 * count, count);
      at(d).wait();
    });
    device.speed.bandwidth = 3.0 * sizeof(double) * static_cast<double>(count) / seconds;
  }

  // What memory operations tell of a device for which the tool has no kernels.
  template <class Repeated>
  void without_kernels(device_id d, const Repeated& repeated) {
    model::device_description& device = machine_.devices[d.value()];
    const std::size_t half = fitting(device.memory, 256 * mebi) / 2;
    const probe_memory memory(runtime::usm_kind::device, 2 * half, d);
    auto* const first = static_cast<char*>(memory.get());
    device.speed.launch = repeated([&] { at(d).fill(first, 64); });
    bar_.step("memory of " + device_name(d));
    const double seconds = least_seconds(share_, [&] {
      at(d).copy(first + half, first, half);
      at(d).wait();
    });
    device.speed.bandwidth = 2.0 * static_cast<double>(half) / seconds;
    bar_.step("arithmetic of " + device_name(d));
    remarks_.push_back(device_name(d) +
                       ": the tool has no kernels for it; launches and memory were measured with "
                       "fills and copies, and its arithmetic was left out");
  }

  void measure_links() {
    std::size_t left_out = 0;
    for (model::link_description& l : machine_.links) {
      bar_.step(fmt::format("link {} -> {}", l.from.value(), l.to.value()));
      // What it takes alone is measured anew each time: a bus is found later.
      l.bus = model::link_description::own_bus;
      if (time_is_up()) {
        ++left_out;
        continue;
      }
      const std::size_t largest = fitting(l.from, fitting(l.to, 16 * mebi));
      const auto ends = ends_of(l, largest);
      probe& p = at(ends->device);
      p.fill(ends->from.get(), largest);
      p.wait();
      std::vector<planner::time_sample> samples;
      for (std::size_t bytes = 4 * kibi; bytes <= largest; bytes *= 8)
        samples.push_back({static_cast<double>(bytes), least_seconds(share_ / 5, [&] {
                             p.copy(ends->to.get(), ends->from.get(), bytes);
                             p.wait();
                           })});
      if (samples.empty()) continue;
      const planner::time_line line = planner::fit_times(samples);
      l.latency = line.start;
      l.bandwidth =
          line.per_unit > 0 ? 1.0 / line.per_unit : samples.back().amount / samples.back().seconds;
    }
    if (left_out != 0)
      remarks_.push_back(
          fmt::format("there was no time for {} of {} links; they are as the backends say",
                      left_out, machine_.links.size()));
  }

  // Links that may share a bus: both directions of each, and those of the host with those of the first device.
  [[nodiscard]] std::vector<link_pair> pairs() const {
    std::vector<link_pair> result;
    std::optional<std::size_t> first_up;
    for (std::size_t i = 0; i < machine_.links.size(); ++i) {
      const model::link_description& l = machine_.links[i];
      if (l.from == model::host_memory) {
        if (first_up) result.push_back({*first_up, i});
        if (!first_up) first_up = i;
      }
      for (std::size_t k = i + 1; k < machine_.links.size(); ++k)
        if (machine_.links[k].from == l.to && machine_.links[k].to == l.from)
          result.push_back({i, k});
    }
    return result;
  }

  void find_buses() {
    std::vector<std::size_t> group(machine_.links.size());
    std::iota(group.begin(), group.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
      while (group[i] != i) i = group[i];
      return i;
    };
    for (const link_pair& p : pairs()) {
      bar_.step("links together");
      if (!time_is_up() && share_a_bus(machine_.links[p.first], machine_.links[p.second]))
        group[std::max(root(p.first), root(p.second))] = std::min(root(p.first), root(p.second));
    }
    std::uint32_t buses = 0;
    std::vector<std::uint32_t> number(group.size(), model::link_description::own_bus);
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (root(i) == i) continue;
      std::uint32_t& bus = number[root(i)];
      if (bus == model::link_description::own_bus) bus = buses++;
      machine_.links[i].bus = machine_.links[root(i)].bus = bus;
    }
  }

  // Whether two transfers take rather as long as one after the other than as the longer one.
  bool share_a_bus(const model::link_description& a, const model::link_description& b) {
    const std::size_t bytes = std::min(fitting(a.from, fitting(a.to, 16 * mebi)),
                                       fitting(b.from, fitting(b.to, 16 * mebi)));
    if (bytes < 4 * kibi) return false;
    const auto x = ends_of(a, bytes), y = ends_of(b, bytes);
    // A queue of its own for each, also where both are of one device.
    probe one(x->device), other(y->device);
    one.fill(x->from.get(), bytes);
    other.fill(y->from.get(), bytes);
    const auto begin_one = [&] { one.copy(x->to.get(), x->from.get(), bytes); };
    const auto begin_other = [&] { other.copy(y->to.get(), y->from.get(), bytes); };
    const double first = least_seconds(share_ / 3, [&] { begin_one(), one.wait(); });
    const double second = least_seconds(share_ / 3, [&] { begin_other(), other.wait(); });
    const double both = least_seconds(share_ / 3, [&] {
      begin_one();
      begin_other();
      one.wait();
      other.wait();
    });
    return both > 0.5 * (std::max(first, second) + first + second);
  }

  model::topology machine_;
  std::vector<std::string>& remarks_;
  double end_;
  std::size_t steps_;
  double share_;  // seconds for one step
  progress bar_;
  std::vector<std::unique_ptr<probe>> probes_;  // index: device_id
};

}  // namespace

model::topology measure_machine(double seconds, double at_most, std::vector<std::string>& remarks) {
  return machine_probe(seconds, at_most, remarks).run();
}

}  // namespace pianola::tool
