// SPDX-License-Identifier: Apache-2.0
// What a benchmark is here: something of ours and its plain reference, measured in turns in one run.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

// One of the two sides. Both sides of a comparison are given the same calls, so that their checksums must
// be equal afterwards.
struct subject {
  // Does so many units of work. Returns nanoseconds for all of them, or, where the comparison says so, a
  // quantity that is no time.
  std::function<double(std::uint64_t units)> run;
  // Over everything computed so far; empty: nothing to compare.
  std::function<double()> checksum;
};

struct target {
  enum class kind : unsigned char { none, ours, ratio, difference };
  kind what = kind::none;
  double at_most = 0;  // in the comparison's unit, or ours divided by the reference
};
constexpr target ours_at_most(double value) { return {target::kind::ours, value}; }
constexpr target ratio_at_most(double value) { return {target::kind::ratio, value}; }
// Ours less the reference, in the comparison's unit.
constexpr target difference_at_most(double value) { return {target::kind::difference, value}; }

struct comparison {
  std::string name;
  std::string unit;              // per unit of work: "us/command"
  double per_nanosecond = 1e-3;  // the unit in what `run` returns
  std::uint64_t units = 1;       // of work per round
  std::uint64_t warm_up = 0;     // units before each round, not timed: threads awake, caches filled
  unsigned rounds = 21;
  std::function<subject()> ours;
  std::string reference_name;
  std::function<subject()> reference;  // empty: there is only a target
  target goal;
  // Of the larger checksum: by how much they may differ, where two compilers round differently.
  double tolerance = 0;
  std::string published;  // what somebody else measured, where
};

inline double nanoseconds_now() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Calls f() and returns how long that took.
template <class F>
double nanoseconds_of(F&& f) {
  const double begin = nanoseconds_now();
  f();
  return nanoseconds_now() - begin;
}

// Each file adds its own.
void add_submission(std::vector<comparison>&);
void add_jacobi(std::vector<comparison>&);
void add_dag(std::vector<comparison>&);
void add_auto_capture(std::vector<comparison>&);
void add_recording(std::vector<comparison>&);
void add_updating(std::vector<comparison>&);
void add_rebinding(std::vector<comparison>&);
void add_loops(std::vector<comparison>&);
void add_planning(std::vector<comparison>&);
void add_pages(std::vector<comparison>&);
void add_memory_growth(std::vector<comparison>&);
void add_executables(std::vector<comparison>&);

}  // namespace bench
