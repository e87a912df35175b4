// SPDX-License-Identifier: Apache-2.0
// pianola_bench --report[=text]     one table: ours, reference, ratio, target (names that contain the text)
//               --effort=factor     so many times the usual number of rounds
// Without --report it is an ordinary Google Benchmark program.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "report_program.hpp"

namespace {

using bench::comparison;
using bench::subject;

std::vector<comparison> everything() {
  std::vector<comparison> all;
  bench::add_submission(all);
  bench::add_jacobi(all);
  bench::add_dag(all);
  bench::add_recording(all);
  bench::add_updating(all);
  bench::add_rebinding(all);
  bench::add_loops(all);
  bench::add_auto_capture(all);
  bench::add_planning(all);
  bench::add_pages(all);
  bench::add_memory_growth(all);
  bench::add_executables(all);
  return all;
}

void register_side(const comparison& c, const std::string& side,
                   const std::function<subject()>& make) {
  benchmark::RegisterBenchmark((c.name + "/" + side).c_str(),
                               [c, make](benchmark::State& state) {
                                 const subject s = make();
                                 if (c.warm_up != 0) s.run(c.warm_up);
                                 double total = 0;
                                 for (auto _ : state) {
                                   const double result = s.run(c.units);
                                   state.SetIterationTime(result * 1e-9);
                                   total += result;
                                 }
                                 state.counters[c.unit] =
                                     total * c.per_nanosecond /
                                     static_cast<double>(c.units * state.iterations());
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

// Unbound threads move between cores in the middle of a round, and OpenMP reads these before main().
void restart_with_bound_threads(char** arguments) {
  if (std::getenv("OMP_PROC_BIND") != nullptr) return;
  setenv("OMP_PROC_BIND", "true", 1);
  setenv("OMP_PLACES", "cores", 0);
  execv("/proc/self/exe", arguments);
  std::perror("pianola_bench: cannot restart with OMP_PROC_BIND=true; set it by hand");
}

}  // namespace

int main(int argc, char** argv) {
  restart_with_bound_threads(argv);
  std::vector<comparison> all = everything();
  bool report = false;
  std::string wanted;
  double effort = 1;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--report") {
      report = true;
    } else if (a.rfind("--report=", 0) == 0) {
      report = true;
      wanted = a.substr(std::strlen("--report="));
    } else if (a.rfind("--effort=", 0) == 0) {
      effort = bench::read_effort("pianola_bench", a);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  if (report) {
    if (argc > 1) {
      std::fprintf(stderr, "pianola_bench: '%s' makes no sense beside --report\n", argv[1]);
      return 2;
    }
    const bench::report_request request{"pianola_bench", wanted, effort, false, false, {}};
    return bench::report_on(std::move(all), request, {});
  }
  for (const comparison& c : all) {
    register_side(c, "ours", c.ours);
    if (c.reference) register_side(c, "reference", c.reference);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
