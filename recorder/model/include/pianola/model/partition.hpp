// SPDX-License-Identifier: Apache-2.0
// How a device is split into devices of its parts.
#pragma once
#include <cstdint>
#include <vector>

namespace pianola::model {

enum class partition_property : unsigned char { none, equally, by_counts, by_affinity_domain };

// What the compute units of a part have in common. `next`: the first of those before it that splits the device.
enum class affinity_domain : unsigned char {
  none,
  numa,
  l4_cache,
  l3_cache,
  l2_cache,
  l1_cache,
  next
};

struct partition {
  partition_property property = partition_property::none;
  // Compute units per part. `equally`: one number, for as many parts as there can be; `by_counts`: one for each
  // part, zeros make none.
  std::vector<std::uint64_t> counts;
  affinity_domain domain = affinity_domain::none;  // by_affinity_domain
};

}  // namespace pianola::model
