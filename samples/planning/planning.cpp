// SPDX-License-Identifier: Apache-2.0
// Would a machine with two devices pay for this program, and what would it move? A graph of tiles is built by hand, planned
// for a machine with one device and for one with two, and both plans are simulated. Nothing is run: this program needs
// neither SYCL nor devices.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <pianola/planning.hpp>

namespace pl = pianola::planning;

namespace {

constexpr std::uint64_t rows = 4096, columns = 4096;
constexpr int parts = 4, steps = 6;

// Devices as fast as each other, each with a memory of its own.
pl::machine with_devices(int count) {
  pl::machine m;
  m.add_device({"processor", "openmp"});
  for (int i = 0; i < count; ++i) {
    const std::string name = "accelerator " + std::to_string(i);
    const pl::memory_id memory = m.add_memory(name, std::uint64_t{16} << 30);
    m.connect(pl::host_memory, memory, 2.5e10, 8e-6);
    pl::device_description d;
    d.name = name;
    d.memory = memory;
    d.launch = 4e-6;
    d.bandwidth = 2e11;
    d.operations = 5e12;
    m.add_device(d);
  }
  return m;
}

// Steps of a stencil, each as one kernel for each part of the rows, which reads a row more on either side. Kernels may run on
// any device but the processor; the host looks at the result.
pl::graph stencil(const pl::machine& m) {
  pl::graph g(m);
  std::vector<pl::device_id> anywhere;
  for (std::size_t d = 1; d < m.devices.size(); ++d) anywhere.push_back(pl::device_id(d));
  const pl::buffer_id fields[2] = {g.add_buffer({"u", {rows, columns}, 4, {1, columns}}),
                                   g.add_buffer({"v", {rows, columns}, 4, {1, columns}})};
  for (int s = 0; s < steps; ++s) {
    const pl::buffer_id from = fields[s % 2], to = fields[1 - s % 2];
    for (std::uint64_t p = 0; p < parts; ++p) {
      const std::uint64_t first = p * rows / parts, last = (p + 1) * rows / parts;
      const std::uint64_t above = first == 0 ? 0 : first - 1,
                          below = last == rows ? rows : last + 1;
      pl::command c;
      c.name = "stencil";
      c.candidates = anywhere;
      c.range = {last - first, columns};
      c.requirements = {pl::reads(from, pl::box{{above, 0}, {below, columns}}),
                        pl::overwrites(to, pl::box{{first, 0}, {last, columns}})};
      c.bytes = 8.0 * static_cast<double>((last - first) * columns);
      c.operations = 5.0 * static_cast<double>((last - first) * columns);
      g.add(c);
    }
  }
  pl::command look;
  look.kind = pl::command_kind::host_task;
  look.name = "look";
  look.requirements = {
      pl::reads(fields[steps % 2], pl::box{{rows / 2, 0}, {rows / 2 + 1, columns}})};
  g.add(look);
  return g;
}

struct outcome {
  double seconds = 0;
  std::uint64_t bytes = 0;
};

outcome planned(const pl::graph& g, const std::string& output) {
  pl::plan_options options;
  options.placement = pl::placement::anywhere;
  const pl::plan plan = pl::make_plan(g, options);
  if (const auto wrong = plan.verify()) throw pl::error("the plan is wrong: " + wrong->reason);
  const pl::simulation s = plan.simulate();
  outcome all{s.makespan, 0};
  for (const pl::link_use& link : s.links) all.bytes += link.bytes;
  std::printf("%zu devices: %zu commands, %zu steps, %.3f ms, %.2f MiB moved\n",
              plan.machine().devices.size() - 1, g.command_count(), plan.step_count(),
              1e3 * s.makespan, static_cast<double>(all.bytes) / (1 << 20));
  if (!output.empty()) {
    const std::string base =
        output + "/" + std::to_string(plan.machine().devices.size() - 1) + "-devices";
    pl::save(g, base + ".graph.json");  // for `pianola show`, `pianola view`, ...
    pl::save(plan, base + ".plan.json");
  }
  return all;
}

// The first transfer between the devices, or from one of them: why it is made, and what would spare it.
void explain_a_transfer(const pl::graph& g) {
  pl::plan_options options;
  options.placement = pl::placement::anywhere;
  const pl::plan plan = pl::make_plan(g, options);
  for (const pl::step& s : plan.steps())
    if (s.transfer) {
      std::printf("%s", plan.explain_transfer(s.id, 1000).text.c_str());
      return;
    }
}

int run(const std::string& machine, const std::string& output) {
  if (!machine.empty()) {
    planned(stencil(pl::load_machine(machine)), output);
    return 0;
  }
  const outcome one = planned(stencil(with_devices(1)), output);
  const outcome two = planned(stencil(with_devices(2)), output);
  explain_a_transfer(stencil(with_devices(2)));
  std::printf("a second device makes it %.2f times as fast\n", one.seconds / two.seconds);
  // Two devices halve the work and exchange a row in each step, in both directions, over the host.
  const bool right = two.seconds < 0.75 * one.seconds && two.seconds > 0.4 * one.seconds &&
                     two.bytes > one.bytes && two.bytes < rows * columns;
  std::puts(right ? "OK" : "the two plans are not what was expected of them");
  return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string machine, output;
  for (int i = 1; i < argc; i += 2) {
    const bool known =
        std::strcmp(argv[i], "--machine") == 0 || std::strcmp(argv[i], "--output") == 0;
    if (!known || i + 1 == argc) {
      std::fprintf(stderr, "planning: usage: planning [--machine TOPOLOGY] [--output FOLDER]\n");
      return 2;
    }
    (argv[i][2] == 'm' ? machine : output) = argv[i + 1];
  }
  try {
    return run(machine, output);
  } catch (const pl::error& e) {
    std::fprintf(stderr, "planning: %s\n", e.what());
    return 2;
  }
}
