// SPDX-License-Identifier: Apache-2.0
// Placements of well-known graphs on four devices, by the cost model: list scheduling and refinement beside HEFT and a
// bound that none goes below, and what each takes of a processor; then what the refined placement is simulated to take with
// its steps in the order that was planned with it, and in that of submission. Nothing is run.
//   pianola_placement_bench            graphs of 1,000, 10,000 and 100,000 commands
//   pianola_placement_bench 100000     of these only those of so many
//   pianola_placement_bench --small    of a few hundred, as a test that all of it works
//   pianola_placement_bench --devices 300 1000   graphs of about 1,000 commands on so many devices: lists beside HEFT, by the
//                                      model and as plans of them are simulated
//   pianola_placement_bench --strands  the same graphs on threads of a processor: what they take by the model with their
//                                      steps in the order of submission and by urgency
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <pianola/planner/command_edges.hpp>
#include <pianola/planner/cost/machine_costs.hpp>
#include <pianola/planner/make_plan.hpp>
#include <pianola/planner/placement.hpp>
#include <pianola/planner/schedule/strands.hpp>
#include <pianola/planner/simulate/simulate.hpp>
#include <pianola/test/task_graphs.hpp>

namespace {

using namespace pianola;
using planner::placing;
using test::scenario;

// Of the processor and not of the clock: others may use the machine, too.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct measured {
  planner::chosen_placement chosen;
  planner::placement_figures figures;
  double microseconds = 0;  // per command
};

measured place(const scenario& s, placing how) {
  planner::options o;
  o.place = how;
  const double begin = processor_seconds();
  measured m;
  m.chosen = planner::choose_placement(s.commands.all(), s.buffers, s.machine, o);
  m.microseconds = (processor_seconds() - begin) * 1e6 / static_cast<double>(s.commands.size());
  m.figures = m.chosen.figures;
  m.figures.least_seconds =
      planner::figures_of(s.commands.all(), s.buffers, s.machine, m.chosen.devices).least_seconds;
  return m;
}

// Makespans of the plans of one placement.
struct simulated_orders {
  double planned = 0, submitted = 0;
};
simulated_orders simulate(scenario s, const planner::chosen_placement& chosen) {
  const auto takes = [&](const planner::options& o) {
    const planner::plan p = planner::make_plan(s.commands.all(), s.buffers, s.machine, o);
    const planner::graph_view graph(s.commands.all(), s.buffers, 0);
    return planner::simulate(graph, p, s.machine).makespan;
  };
  simulated_orders result;
  planner::options o;
  o.place = placing::anywhere;
  o.chosen = &chosen;
  result.planned = takes(o);
  for (std::size_t i = 0; i < s.commands.size(); ++i) {
    model::command& c = s.commands.all()[i];
    c.device = chosen.devices[i];
    c.candidates = {};
  }
  result.submitted = takes({});
  return result;
}

struct totals {
  int graphs = 0, as_good = 0, clearly_better = 0, searched = 0;
  // Logarithms.
  double ratios = 0, refined_ratios = 0, refined_gains = 0;
  double planned_over_expected = 0, submitted_over_expected = 0;
  double most_microseconds = 0;
};

void report_one(const char* name, const scenario& s, totals& t, totals& family) {
  const measured heft = place(s, placing::heft);
  const measured list = place(s, placing::list_scheduling);
  const bool search = s.commands.size() <= 20000;
  const measured refined = search ? place(s, placing::refined) : list;
  const double ratio = heft.figures.seconds / list.figures.seconds;
  simulated_orders orders;
  if (search) orders = simulate(s, refined.chosen);
  for (totals* const into : {&t, &family}) {
    ++into->graphs;
    // Less than what doubles lose in sums of 100,000 terms counts as the same.
    if (ratio >= 1 - 1e-9) ++into->as_good;
    into->ratios += std::log(ratio);
    into->refined_ratios += std::log(heft.figures.seconds / refined.figures.seconds);
    if (ratio >= 1.05) ++into->clearly_better;
    if (s.commands.size() > 50000)
      into->most_microseconds = std::max(into->most_microseconds, list.microseconds);
    if (!search) continue;
    ++into->searched;
    into->refined_gains += std::log(list.figures.seconds / refined.figures.seconds);
    into->planned_over_expected += std::log(orders.planned / refined.figures.seconds);
    into->submitted_over_expected += std::log(orders.submitted / refined.figures.seconds);
  }
  std::printf("| %s | %zu | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |", name, s.commands.size(),
              list.figures.least_seconds * 1e3, heft.figures.seconds * 1e3,
              list.figures.seconds * 1e3, refined.figures.seconds * 1e3, ratio, list.microseconds);
  if (search)
    std::printf(" %.0f | %.2f | %.2f |\n", refined.microseconds, orders.planned * 1e3,
                orders.submitted * 1e3);
  else
    std::printf(" | | |\n");
  std::fflush(stdout);
}

struct many_totals {
  int graphs = 0, as_good = 0, as_good_simulated = 0;
  double ratios = 0, simulated = 0;
};

void report_many(const std::string& name, const scenario& s, many_totals& t) {
  const measured heft = place(s, placing::heft), list = place(s, placing::list_scheduling);
  const double heft_takes = simulate(s, heft.chosen).planned,
               list_takes = simulate(s, list.chosen).planned;
  const double ratio = heft.figures.seconds / list.figures.seconds,
               simulated = heft_takes / list_takes;
  ++t.graphs;
  if (ratio >= 1 - 1e-9) ++t.as_good;
  if (simulated >= 1 - 1e-9) ++t.as_good_simulated;
  t.ratios += std::log(ratio);
  t.simulated += std::log(simulated);
  std::printf("| %s | %zu | %.2f | %.2f | %.2f | %.3f | %.2f | %.2f | %.3f | %.1f | %.1f |\n",
              name.c_str(), s.commands.size(), list.figures.least_seconds * 1e3,
              heft.figures.seconds * 1e3, list.figures.seconds * 1e3, ratio, heft_takes * 1e3,
              list_takes * 1e3, simulated, heft.microseconds, list.microseconds);
  std::fflush(stdout);
}

struct no_knowledge : planner::part_knowledge {
  [[nodiscard]] bool independent(std::uint32_t, std::uint32_t) const override { return false; }
};

// Each command on one thread, as long as on the first device.
void report_strands(const char* name, const scenario& s, double& ratios, int& graphs) {
  const planner::machine_costs costs(s.machine);
  std::vector<std::vector<std::uint32_t>> before(s.commands.size());
  for (const auto& [earlier, later] : planner::command_edges(s.commands.all(), s.buffers))
    before[later].push_back(earlier);
  std::vector<planner::strand_node> nodes;
  std::vector<std::uint32_t> waits;
  for (std::size_t i = 0; i < s.commands.size(); ++i) {
    planner::strand_node& n = nodes.emplace_back();
    n.cost = 1e9 * costs.seconds(s.commands.all()[i], s.buffers, model::device_id(0));
    n.first_wait = static_cast<std::uint32_t>(waits.size());
    n.wait_count = static_cast<std::uint32_t>(before[i].size());
    waits.insert(waits.end(), before[i].begin(), before[i].end());
  }
  for (const unsigned strands : {2U, 8U, 32U}) {
    const auto assign = [&](planner::strand_order order, double& microseconds) {
      const double begin = processor_seconds();
      const planner::strand_schedule made =
          planner::assign_strands(nodes, waits, strands, no_knowledge(), {}, order);
      microseconds = (processor_seconds() - begin) * 1e6 / static_cast<double>(nodes.size());
      return made.makespan;
    };
    double given_takes = 0, chosen_takes = 0;
    const double given = assign(planner::strand_order::as_given, given_takes),
                 chosen = assign(planner::strand_order::shorter, chosen_takes);
    ++graphs;
    ratios += std::log(given / chosen);
    std::printf("| %s | %zu | %u | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name, nodes.size(),
                strands, given * 1e-6, chosen * 1e-6, given / chosen, given_takes, chosen_takes);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool small = argc > 1 && std::strcmp(argv[1], "--small") == 0;
  const bool many = argc > 3 && std::strcmp(argv[1], "--devices") == 0;
  const bool strands = argc > 1 && std::strcmp(argv[1], "--strands") == 0;
  totals t;
  std::map<std::string, totals> families;
  struct size {
    std::size_t cholesky, lu, qr;
    unsigned fft;
    std::size_t blocks, steps, layered;
  };
  std::vector<size> sizes{{17, 14, 14, 8, 32, 32, 1000}, {38, 30, 30, 11, 64, 160, 10000}};
  sizes.push_back({84, 66, 66, 14, 128, 800, 100000});
  if (small) sizes.assign(1, {6, 5, 5, 5, 8, 8, 200});
  if (!small && !strands && argc > 1)
    std::erase_if(sizes,
                  [&](const size& n) { return std::to_string(n.layered) != argv[many ? 3 : 1]; });
  if (sizes.empty()) {
    std::fprintf(stderr, "%s: graphs have 1000, 10000 or 100000 commands\n", argv[1]);
    return 2;
  }
  if (many) {
    std::printf(
        "| graph | commands | bound (ms) | HEFT | list | HEFT over list | HEFT simulated | list "
        "simulated | HEFT over list | HEFT: us per command | list |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    many_totals all;
    for (const double spread : {1.0, 3.0})
      for (const bool peers : {true, false}) {
        const auto machine = test::many_devices(std::stoul(argv[2]), spread, peers);
        const std::string on =
            std::string(spread > 1 ? ", unequal" : "") + (peers ? "" : ", over the host");
        for (const size& n : sizes) {
          report_many("Cholesky" + on, test::cholesky_graph(machine, n.cholesky, 512), all);
          report_many("LU" + on, test::lu_graph(machine, n.lu, 512), all);
          report_many("QR" + on, test::qr_graph(machine, n.qr, 512), all);
          report_many("FFT" + on, test::fft_graph(machine, n.fft, 1 << 20), all);
          report_many("stencil" + on, test::stencil_graph(machine, n.blocks, n.steps, 1 << 20),
                      all);
          for (const double density : {0.02, 0.05})
            report_many("layers" + on, test::layered_graph(machine, n.layered, 7, density), all);
        }
      }
    std::printf(
        "\nlists are at least as good as HEFT on %d of %d graphs, and as simulated on %d; HEFT "
        "takes "
        "%.3f times as long, as simulated %.3f times\n",
        all.as_good, all.graphs, all.as_good_simulated, std::exp(all.ratios / all.graphs),
        std::exp(all.simulated / all.graphs));
    return 0;
  }
  if (small || strands) {
    std::printf(
        "| graph | steps | threads | in the order of submission (ms) | chosen | ratio | to assign: "
        "us "
        "per step, in the order of submission | chosen |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    double ratios = 0;
    int graphs = 0;
    const auto machine = test::many_devices(4, 1.0, true);
    for (const size& n : sizes) {
      report_strands("Cholesky", test::cholesky_graph(machine, n.cholesky, 512), ratios, graphs);
      report_strands("LU", test::lu_graph(machine, n.lu, 512), ratios, graphs);
      report_strands("QR", test::qr_graph(machine, n.qr, 512), ratios, graphs);
      report_strands("FFT", test::fft_graph(machine, n.fft, 1 << 20), ratios, graphs);
      report_strands("stencil", test::stencil_graph(machine, n.blocks, n.steps, 1 << 20), ratios,
                     graphs);
      report_strands("layers", test::layered_graph(machine, n.layered, 7, 0.02), ratios, graphs);
    }
    std::printf("\nin the geometric mean %.3f times as long in the order of submission\n",
                std::exp(ratios / std::max(1, graphs)));
    if (strands) return 0;
  }
  std::printf(
      "| graph | commands | bound (ms) | HEFT | list | refined | HEFT over list | list: us per "
      "command | refined | simulated as planned (ms) | as submitted |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const double spread : {1.0, 3.0})
    for (const bool peers : {true, false}) {
      const auto machine = test::many_devices(4, spread, peers);
      const std::string on =
          std::string(spread > 1 ? ", unequal" : "") + (peers ? "" : ", over the host");
      const auto report = [&](const char* what, const scenario& s) {
        report_one((what + on).c_str(), s, t, families[what]);
      };
      for (const size& n : sizes) {
        report("Cholesky", test::cholesky_graph(machine, n.cholesky, 512));
        report("LU", test::lu_graph(machine, n.lu, 512));
        report("QR", test::qr_graph(machine, n.qr, 512));
        report("FFT", test::fft_graph(machine, n.fft, 1 << 20));
        report("stencil", test::stencil_graph(machine, n.blocks, n.steps, 1 << 20));
        for (const double density : {0.02, 0.05})
          report("layers", test::layered_graph(machine, n.layered, 7, density));
      }
    }
  const auto mean = [](double logarithms, int count) {
    return std::exp(logarithms / std::max(1, count));
  };
  std::printf(
      "\n| family | graphs | list at least as good as HEFT | HEFT over list | HEFT over refined | "
      "list over "
      "refined | simulated over expected, as planned | as submitted |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [name, f] : families)
    std::printf("| %s | %d | %d | %.2f | %.2f | %.3f | %.2f | %.2f |\n", name.c_str(), f.graphs,
                f.as_good, mean(f.ratios, f.graphs), mean(f.refined_ratios, f.graphs),
                mean(f.refined_gains, f.searched), mean(f.planned_over_expected, f.searched),
                mean(f.submitted_over_expected, f.searched));
  std::printf(
      "\nlist scheduling is at least as good as HEFT on %d of %d graphs, by 5 %% and more on %d; "
      "HEFT takes %.2f times as "
      "long in the geometric mean (%.2f times as long as refined ones); at most %.1f us per "
      "command for the largest; refined placements take %.3f of what lists take; simulated plans "
      "take %.2f times "
      "what was expected of the placement in the planned order, %.2f times in that of submission\n",
      t.as_good, t.graphs, t.clearly_better, mean(t.ratios, t.graphs),
      mean(t.refined_ratios, t.graphs), t.most_microseconds, 1 / mean(t.refined_gains, t.searched),
      mean(t.planned_over_expected, t.searched), mean(t.submitted_over_expected, t.searched));
  return 0;
}
