// SPDX-License-Identifier: Apache-2.0
// pianola_busy_bench             a table: what a machine that is not idle makes of ours and of OpenMP, in turns
//                    --small     one short round of each, to see that all compute the same
// With --side=ours|openmp [--seconds=S] [--pinned] [--workload=NAME] it measures that side, for itself.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "conditions.hpp"
#include "workloads.hpp"

namespace {

using bench::figures;

constexpr std::size_t workloads = std::size(bench::workload_names);

// The mean, as what is rare and long is what is looked for; the checksum is of the first round.
int measure(bench::side s, double seconds, bool pinned, const std::string& only) {
  if (pinned) {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(sched_getcpu(), &mine);
    sched_setaffinity(0, sizeof mine, &mine);
  }
  using clock = std::chrono::steady_clock;
  for (const char* name : bench::workload_names) {
    if (!only.empty() && only != name) continue;
    const bench::workload w = bench::make_workload(name, s);
    w.round();
    const double checksum = w.checksum();
    const auto begin = clock::now();
    std::chrono::duration<double> passed{};
    unsigned long rounds = 0;
    do {
      w.round();
      ++rounds;
      passed = clock::now() - begin;
    } while (passed.count() < seconds);
    std::printf("%.3f %.17g\n", passed.count() * 1e6 / static_cast<double>(rounds), checksum);
    std::fflush(stdout);
  }
  return 0;
}

// Ours, ours with one thread and OpenMP in turns; each figure is the mean of all turns.
int compare(int turns, double seconds) {
  struct column {
    const char* side;
    const char* wait_policy;
    int threads;  // 0: as the condition says
  };
  constexpr column columns[] = {{"ours", "passive", 0},
                                {"ours", "passive", 1},
                                {"openmp", "passive", 0},
                                {"openmp", "active", 0}};
  std::printf(
      "Microseconds per round, the mean of %d turns of %.1f s; in brackets ours to that "
      "time.\n\n",
      turns, seconds);
  std::printf(
      "| | workload | ours | ours, one thread | OpenMP, passive | OpenMP, active |\n"
      "|---|---|---|---|---|---|\n");
  int wrong = 0;
  for (const bench::condition& c : bench::all_conditions()) {
    double sums[std::size(columns)][workloads] = {};
    double checksums[workloads] = {};
    std::string reason;
    for (int turn = 0; turn < turns && reason.empty(); ++turn)
      for (std::size_t i = 0; i < std::size(columns) && reason.empty(); ++i) {
        bench::condition of_column = c;
        if (columns[i].threads != 0) of_column.threads = columns[i].threads;
        const figures f =
            bench::run_under(of_column, columns[i].side, columns[i].wait_policy, seconds);
        reason = f.reason;
        for (std::size_t w = 0; w < workloads && w < f.microseconds.size(); ++w) {
          sums[i][w] += f.microseconds[w] / turns;
          if (i == 0) checksums[w] = f.checksums[w];
          if (std::fabs(f.checksums[w] - checksums[w]) > 1e-9 * std::fabs(checksums[w])) ++wrong;
        }
      }
    if (!reason.empty()) {
      std::printf("| %s | not measured: %s | | | | |\n", c.name.c_str(), reason.c_str());
      continue;
    }
    for (std::size_t w = 0; w < workloads; ++w) {
      std::printf("| %s | %s | %.0f |", c.name.c_str(), bench::workload_names[w], sums[0][w]);
      for (std::size_t i = 1; i < std::size(columns); ++i)
        std::printf(" %.0f (%.2f) |", sums[i][w], sums[0][w] / sums[i][w]);
      std::printf("\n");
    }
    std::fflush(stdout);
  }
  if (wrong != 0)
    std::printf("WRONG RESULT: the sides computed different things %d times\n", wrong);
  return wrong != 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string side, workload;
  double seconds = 0.5;
  bool pinned = false, small = false;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--pinned") {
      pinned = true;
    } else if (a == "--small") {
      small = true;
    } else if (a == "--side=ours" || a == "--side=openmp") {
      side = a.substr(7);
    } else if (a.rfind("--workload=", 0) == 0) {
      workload = a.substr(11);
    } else if (a.rfind("--seconds=", 0) == 0 && std::atof(a.c_str() + 10) > 0) {
      seconds = std::atof(a.c_str() + 10);
    } else {
      std::fprintf(stderr, "pianola_busy_bench: '%s' is unknown; it takes --small, or nothing\n",
                   a.c_str());
      return 2;
    }
  }
  if (!side.empty())
    return measure(side == "ours" ? bench::side::ours : bench::side::openmp, seconds, pinned,
                   workload);
  return small ? compare(1, 0.01) : compare(3, seconds);
}
