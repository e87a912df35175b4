// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/cost/links.hpp"

#include <pianola/model/backend_kind.hpp>

#include "cost/estimates.hpp"

namespace pianola::planner {

std::vector<way> ways_of(const model::topology& machine) {
  const std::size_t n = machine.memories.size();
  std::vector<way> ways(n * n);
  for (std::size_t m = 0; m < n; ++m) ways[m * n + m].latency = 0;
  for (const model::link_description& l : machine.links)
    ways[l.from.value() * n + l.to.value()] = way_over(l);
  for (std::size_t a = 1; a < n; ++a)
    for (std::size_t b = 1; b < n; ++b) {
      way& w = ways[a * n + b];
      if (w.direct || a == b) continue;
      const way &up = ways[a * n], &down = ways[b];
      w = {up.latency + down.latency, up.per_byte + down.per_byte, false};
    }
  return ways;
}

void estimate_links(std::vector<model::link_description>& links, std::size_t first,
                    std::string_view backend) {
  const link_class_estimates& known =
      model::runs_host_code(backend) ? copied_link_estimates : graphics_link_estimates;
  for (std::size_t i = first; i < links.size(); ++i) {
    model::link_description& l = links[i];
    if (l.bandwidth != 0) continue;
    const bool host = l.from == model::host_memory || l.to == model::host_memory;
    const link_estimates& of = host ? known.with_host : known.between_devices;
    l.bandwidth = of.bandwidth;
    l.latency = of.latency;
  }
}

}  // namespace pianola::planner
