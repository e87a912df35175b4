// SPDX-License-Identifier: Apache-2.0
#include "cost/link_lines.hpp"

#include <map>

namespace pianola::planner {

link_lines::link_lines(const model::topology& machine) {
  std::map<std::uint32_t, std::uint32_t> buses;
  for (const model::link_description& l : machine.links) {
    std::uint32_t line = count;
    if (l.bus != model::link_description::own_bus) line = buses.emplace(l.bus, line).first->second;
    if (line == count) ++count;
    of_link.push_back(line);
  }
}

}  // namespace pianola::planner
