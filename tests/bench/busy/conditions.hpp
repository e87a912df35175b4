// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace bench {

// What is not as on an idle machine.
struct condition {
  std::string name;
  int neighbours = 0;   // programs that take as much of the processors as they get
  int threads = 0;      // OMP_NUM_THREADS; 0: not set
  bool pinned = false;  // to one processor
  bool quota = false;   // half a processor's time, by a control group
};

[[nodiscard]] std::vector<condition> all_conditions();

// Of a run of this program with one side under a condition, its microseconds per round and checksums by workload.
// `wait_policy`: OMP_WAIT_POLICY. Empty, and a reason, where the condition cannot be made.
struct figures {
  std::vector<double> microseconds;
  std::vector<double> checksums;
  std::string reason;
};
[[nodiscard]] figures run_under(const condition& c, const std::string& side,
                                const std::string& wait_policy, double seconds);

}  // namespace bench
