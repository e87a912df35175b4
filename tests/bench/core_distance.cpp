// SPDX-License-Identifier: Apache-2.0
#include "core_distance.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "comparison.hpp"

namespace bench {

namespace {

constexpr double slow_from_nanoseconds = 150;
constexpr int trips = 1500;

bool pin_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Asks by trying: the affinity of this thread may be one core already (OMP_PROC_BIND).
std::vector<int> first_two_processors() {
  std::vector<int> found;
  std::thread([&] {
    for (int p = 0; p < CPU_SETSIZE && found.size() < 2; ++p)
      if (pin_to(p)) found.push_back(p);
  }).join();
  return found;
}

struct alignas(128) ball {
  std::atomic<int> value{0};
  void expect(int v) const {
    while (value.load(std::memory_order_acquire) != v) {
    }
  }
};

}  // namespace

const char* name_of(core_state s) noexcept {
  switch (s) {
    case core_state::fast:
      return "fast";
    case core_state::slow:
      return "slow";
    case core_state::single:
      break;
  }
  return "one core";
}

core_state state_for(double round_trip) noexcept {
  if (round_trip < 0) return core_state::single;
  return round_trip < slow_from_nanoseconds ? core_state::fast : core_state::slow;
}

double cache_line_round_trip() {
  static const std::vector<int> processors = first_two_processors();
  if (processors.size() < 2) return -1;
  constexpr int parts = 5;
  ball b;
  std::array<double, parts> times{};
  std::thread other([&] {
    pin_to(processors[1]);
    for (int i = 0; i < parts * trips; ++i) {
      b.expect(2 * i + 1);
      b.value.store(2 * i + 2, std::memory_order_release);
    }
  });
  std::thread here([&] {
    pin_to(processors[0]);
    int i = 0;
    for (double& t : times)
      t = nanoseconds_of([&] {
            for (int k = 0; k < trips; ++k, ++i) {
              b.value.store(2 * i + 1, std::memory_order_release);
              b.expect(2 * i + 2);
            }
          }) /
          trips;
  });
  other.join();
  here.join();
  std::sort(times.begin(), times.end());
  return times[parts / 2];
}

}  // namespace bench
