// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <pianola/model/partition.hpp>

namespace pianola::openmp {

// What one thread of the device works on.
struct compute_unit {
  static constexpr unsigned domains = 5;  // numa to l1_cache
  // Of the operating system; negative: none, since the topology is one of another machine (HWLOC_SYNTHETIC) or
  // unknown.
  int processor = -1;
  // Which NUMA node, or cache of that level, it belongs to; negative: none.
  int group[domains] = {-1, -1, -1, -1, -1};
  [[nodiscard]] int group_of(model::affinity_domain d) const noexcept {
    return group[static_cast<unsigned>(d) - static_cast<unsigned>(model::affinity_domain::numa)];
  }
};

struct processor_description {
  std::vector<compute_unit> units;
  std::uint64_t cache_bytes = 0;       // of the largest kind that processors share
  std::uint32_t cache_line_bytes = 0;  // 0: unknown
};

// So many units on the processors that this process may use, neighbours beside each other: one on each if there
// are as many, else spread evenly.
[[nodiscard]] processor_description describe_processors(unsigned units);

// Indices of the units of each sub-device. Throws model::user_error: feature_not_supported if they are not split so,
// invalid for counts that are not there. `along`: gets the domain, where `next` was asked for the one found.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> split(const std::vector<compute_unit>& all,
                                                            const std::vector<std::uint32_t>& units,
                                                            const model::partition& how,
                                                            model::affinity_domain& along);
// Into how many, at most.
[[nodiscard]] std::uint32_t most_sub_devices(const std::vector<std::uint32_t>& units) noexcept;
// Along which they fall into several sub-devices.
[[nodiscard]] std::vector<model::affinity_domain> domains_of(
    const std::vector<compute_unit>& all, const std::vector<std::uint32_t>& units);

}  // namespace pianola::openmp
