// SPDX-License-Identifier: Apache-2.0
// What it costs to plan a recorded graph, and how that grows.
#include <memory>
#include <pianola/planner/make_plan.hpp>
#include <vector>

#include "comparison.hpp"
#include "recorded_stream.hpp"

namespace bench {

namespace {

using namespace pianola;

// One device that works in host memory, or several with memories of their own.
model::topology machine_with(std::uint16_t devices) {
  model::topology t;
  t.memories.push_back({"host", std::uint64_t{1} << 34});
  for (std::uint16_t d = 0; d < devices; ++d) {
    model::device_description device;
    device.name = "device " + std::to_string(d);
    device.backend = "bench";
    device.memory = model::host_memory;
    if (devices > 1) {
      device.memory = model::memory_id(static_cast<std::uint16_t>(d + 1));
      t.memories.push_back({device.name, std::uint64_t{1} << 34});
    }
    t.devices.push_back(device);
  }
  for (std::uint16_t a = 0; a < t.memories.size(); ++a)
    for (std::uint16_t b = 0; b < t.memories.size(); ++b)
      if (a != b) t.links.push_back({model::memory_id(a), model::memory_id(b), 1e10, 1e-5});
  return t;
}

// `count` commands whatever the units asked for: units only divide the time.
subject plan_of(std::size_t count, std::uint16_t devices) {
  struct state {
    recorder::command_graph graph;
    model::topology machine;
  };
  auto s = std::make_shared<state>();
  s->machine = machine_with(devices);
  add_stream_buffers(s->graph);
  record_stream(s->graph, command_stream(count), count, devices);
  return {[s](std::uint64_t) {
            planner::plan plan;
            return nanoseconds_of([&] {
              plan = planner::make_plan(s->graph.commands(), s->graph.buffers(), s->machine);
            });
          },
          {}};
}

// Dependencies alone, with a table of the last writer and the readers since, per whole buffer: no pages, no
// memories, no lanes, no pruning.
subject plain_dependencies(std::size_t count) {
  auto stream = std::make_shared<command_stream>(count);
  return {[stream](std::uint64_t units) {
            struct last_access {
              std::uint32_t writer = 0;
              std::vector<std::uint32_t> readers;
            };
            std::vector<last_access> table(command_stream::buffers);
            std::vector<std::uint32_t> first_edge, edges;
            return nanoseconds_of([&] {
              for (std::uint32_t i = 0; i < units; ++i) {
                const auto& at = (*stream)[i];
                first_edge.push_back(static_cast<std::uint32_t>(edges.size()));
                for (int r = 0; r < 2; ++r) {
                  if (table[at[r]].writer != 0) edges.push_back(table[at[r]].writer - 1);
                  table[at[r]].readers.push_back(i);
                }
                last_access& written = table[at[2]];
                if (written.writer != 0) edges.push_back(written.writer - 1);
                edges.insert(edges.end(), written.readers.begin(), written.readers.end());
                written.readers.clear();
                written.writer = i + 1;
              }
            });
          },
          {}};
}

}  // namespace

void add_planning(std::vector<comparison>& all) {
  const auto add = [&](const char* name, std::uint64_t commands, unsigned rounds,
                       std::function<subject()> ours, std::function<subject()> reference,
                       const char* reference_name, target goal) {
    comparison c;
    c.name = std::string("plan/") + name;
    c.unit = "us/command";
    c.units = commands;
    c.rounds = rounds;
    c.ours = std::move(ours);
    c.reference = std::move(reference);
    c.reference_name = reference_name;
    c.goal = goal;
    all.push_back(std::move(c));
  };
  constexpr std::uint64_t many = 100'000, most = 1'000'000;
  add(
      "100000_commands", many, 15, [] { return plan_of(many, 1); },
      [] { return plain_dependencies(many); }, "table of last writers", ours_at_most(1.0));
  add(
      "1000000_commands", most, 7, [] { return plan_of(most, 1); },
      [] { return plain_dependencies(most); }, "table of last writers", ours_at_most(1.0));
  // The same quantity on both sides: ten times the commands against ten runs of a tenth of them.
  add(
      "growth_from_100000_to_1000000", most, 7, [] { return plan_of(most, 1); },
      [] {
        const subject tenth = plan_of(many, 1);
        return subject{[tenth](std::uint64_t) {
                         double sum = 0;
                         for (int i = 0; i < 10; ++i) sum += tenth.run(many);
                         return sum;
                       },
                       {}};
      },
      "ten plans of 100000 commands", ratio_at_most(1.25));
  add(
      "100000_commands_3_devices", many, 9, [] { return plan_of(many, 3); },
      [] { return plain_dependencies(many); }, "table of last writers", {});
}

}  // namespace bench
