// SPDX-License-Identifier: Apache-2.0
// Placements of well-known graphs on four devices, by the cost model: list scheduling and refinement beside HEFT and a
// bound that none goes below, and what each takes of a processor. Nothing is run.
//   pianola_placement_bench            graphs of 1,000, 10,000 and 100,000 commands
//   pianola_placement_bench --small    of a few hundred, as a test that all of it works
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <pianola/planner/placement.hpp>
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
  planner::placement_figures figures;
  double microseconds = 0;  // per command
};

measured place(const scenario& s, placing how) {
  planner::options o;
  o.place = how;
  const double begin = processor_seconds();
  auto chosen = planner::choose_placement(s.commands.all(), s.buffers, s.machine, o);
  measured m;
  m.microseconds = (processor_seconds() - begin) * 1e6 / static_cast<double>(s.commands.size());
  m.figures = planner::figures_of(s.commands.all(), s.buffers, s.machine, chosen.devices);
  return m;
}

struct totals {
  int graphs = 0, as_good = 0, clearly_better = 0;
  double ratios = 0, refined_ratios = 0;  // logarithms
  double most_microseconds = 0;
};

void report(const char* name, const scenario& s, totals& t) {
  const measured heft = place(s, placing::heft);
  const measured list = place(s, placing::list_scheduling);
  const bool search = s.commands.size() <= 20000;
  const measured refined = search ? place(s, placing::refined) : list;
  const double ratio = heft.figures.seconds / list.figures.seconds;
  ++t.graphs;
  // Less than what doubles lose in sums of 100,000 terms counts as the same.
  if (ratio >= 1 - 1e-9) ++t.as_good;
  t.ratios += std::log(ratio);
  t.refined_ratios += std::log(heft.figures.seconds / refined.figures.seconds);
  if (ratio >= 1.05) ++t.clearly_better;
  if (s.commands.size() > 50000)
    t.most_microseconds = std::max(t.most_microseconds, list.microseconds);
  std::printf("| %s | %zu | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |", name, s.commands.size(),
              list.figures.least_seconds * 1e3, heft.figures.seconds * 1e3,
              list.figures.seconds * 1e3, refined.figures.seconds * 1e3, ratio, list.microseconds);
  if (search)
    std::printf(" %.0f |\n", refined.microseconds);
  else
    std::printf(" |\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const bool small = argc > 1 && std::strcmp(argv[1], "--small") == 0;
  totals t;
  struct size {
    std::size_t cholesky, lu, qr;
    unsigned fft;
    std::size_t blocks, steps, layered;
  };
  std::vector<size> sizes{{17, 14, 14, 8, 32, 32, 1000}, {38, 30, 30, 11, 64, 160, 10000}};
  sizes.push_back({84, 66, 66, 14, 128, 800, 100000});
  if (small) sizes.assign(1, {6, 5, 5, 5, 8, 8, 200});
  std::printf(
      "| graph | commands | bound (ms) | HEFT | list | refined | HEFT over list | list: us per "
      "command | refined |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const double spread : {1.0, 3.0})
    for (const bool peers : {true, false}) {
      const auto machine = test::many_devices(4, spread, peers);
      const std::string on =
          std::string(spread > 1 ? ", unequal" : "") + (peers ? "" : ", over the host");
      const auto named = [&](const char* what) { return what + on; };
      for (const size& n : sizes) {
        report(named("Cholesky").c_str(), test::cholesky_graph(machine, n.cholesky, 512), t);
        report(named("LU").c_str(), test::lu_graph(machine, n.lu, 512), t);
        report(named("QR").c_str(), test::qr_graph(machine, n.qr, 512), t);
        report(named("FFT").c_str(), test::fft_graph(machine, n.fft, 1 << 20), t);
        report(named("stencil").c_str(), test::stencil_graph(machine, n.blocks, n.steps, 1 << 20),
               t);
        for (const double density : {0.02, 0.05})
          report(named("layers").c_str(), test::layered_graph(machine, n.layered, 7, density), t);
      }
    }
  std::printf(
      "\nlist scheduling is at least as good as HEFT on %d of %d graphs, by 5 %% and more on %d; "
      "HEFT takes %.2f times as "
      "long in the geometric mean (%.2f times as long as refined ones); at most %.1f us per "
      "command for the largest\n",
      t.as_good, t.graphs, t.clearly_better, std::exp(t.ratios / t.graphs),
      std::exp(t.refined_ratios / t.graphs), t.most_microseconds);
  return 0;
}
