// SPDX-License-Identifier: Apache-2.0
#include "pianola/planner/machine_difference.hpp"

#include <fmt/format.h>

#include <pianola/formats/text.hpp>

#include "pianola/planner/cost/links.hpp"

namespace pianola::planner {

namespace {

// As files have them.
bool same_name(const std::string& a, const std::string& b) {
  return a == b || formats::valid_utf8(a) == formats::valid_utf8(b);
}

std::string quoted(const std::string& name) {
  return fmt::format("'{}'", formats::one_line(name, 80));
}

std::string text(const model::device_description& d) {
  return fmt::format("{} of backend {} with memory {}", quoted(d.name),
                     formats::one_line(d.backend, 40), d.memory.value());
}

}  // namespace

std::optional<std::string> machine_difference(const model::topology& made_for,
                                              const model::topology& here) {
  if (made_for.memories.size() > here.memories.size())
    return fmt::format("it had {} memories, here are {}", made_for.memories.size(),
                       here.memories.size());
  for (std::size_t i = 0; i < made_for.memories.size(); ++i)
    if (!same_name(made_for.memories[i].name, here.memories[i].name))
      return fmt::format("its memory {} was {}, here it is {}", i,
                         quoted(made_for.memories[i].name), quoted(here.memories[i].name));
  if (made_for.devices.size() > here.devices.size())
    return fmt::format("it had {} devices, here are {}", made_for.devices.size(),
                       here.devices.size());
  for (std::size_t i = 0; i < made_for.devices.size(); ++i) {
    const model::device_description &a = made_for.devices[i], &b = here.devices[i];
    if (!same_name(a.name, b.name) || !same_name(a.backend, b.backend) || a.memory != b.memory)
      return fmt::format("its device {} was {}, here it is {}", i, text(a), text(b));
  }
  const connections links(here);
  for (const model::link_description& l : made_for.links)
    if (links.link(l.from, l.to) == connections::none)
      return fmt::format("it had a link from memory {} to memory {}, which is not here",
                         l.from.value(), l.to.value());
  return std::nullopt;
}

}  // namespace pianola::planner
