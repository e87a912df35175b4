// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/machine_difference.hpp"

#include <pianola/formats/text.hpp>

namespace pianola::planner {

namespace {

// As files have them.
bool same_name(const std::string& a, const std::string& b) {
  return a == b || formats::valid_utf8(a) == formats::valid_utf8(b);
}

std::string quoted(const std::string& name) { return "'" + formats::one_line(name, 80) + "'"; }

std::string text(const model::device_description& d) {
  return quoted(d.name) + " of backend " + formats::one_line(d.backend, 40) + " with memory " +
         std::to_string(d.memory.value());
}

}  // namespace

std::optional<std::string> machine_difference(const model::topology& made_for,
                                              const model::topology& here) {
  if (made_for.memories.size() > here.memories.size())
    return "it had " + std::to_string(made_for.memories.size()) + " memories, here are " +
           std::to_string(here.memories.size());
  for (std::size_t i = 0; i < made_for.memories.size(); ++i)
    if (!same_name(made_for.memories[i].name, here.memories[i].name))
      return "its memory " + std::to_string(i) + " was " + quoted(made_for.memories[i].name) +
             ", here it is " + quoted(here.memories[i].name);
  if (made_for.devices.size() > here.devices.size())
    return "it had " + std::to_string(made_for.devices.size()) + " devices, here are " +
           std::to_string(here.devices.size());
  for (std::size_t i = 0; i < made_for.devices.size(); ++i) {
    const model::device_description &a = made_for.devices[i], &b = here.devices[i];
    if (!same_name(a.name, b.name) || !same_name(a.backend, b.backend) || a.memory != b.memory)
      return "its device " + std::to_string(i) + " was " + text(a) + ", here it is " + text(b);
  }
  for (const model::link_description& l : made_for.links)
    if (here.link(l.from, l.to) == nullptr)
      return "it had a link from memory " + std::to_string(l.from.value()) + " to memory " +
             std::to_string(l.to.value()) + ", which is not here";
  return std::nullopt;
}

}  // namespace pianola::planner
