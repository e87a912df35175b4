// SPDX-License-Identifier: Apache-2.0
#include "routes.hpp"

#include <string>

#include <fmt/format.h>

#include <pianola/formats/text.hpp>
#include <pianola/model/error.hpp>

namespace pianola::planner {

using model::memory_id;

namespace {

std::string name_of(const model::topology& machine, memory_id m) {
  std::string text = fmt::format("memory {}", m.value());
  if (m.value() < machine.memories.size() && !machine.memories[m.value()].name.empty())
    text += fmt::format(" ({})", formats::one_line(machine.memories[m.value()].name, 48));
  return text;
}

}  // namespace

route choose_route(const model::topology& machine, memory_mask valid, memory_id to,
                   std::uint64_t bytes) {
  const route found = cheapest_route(valid, to, [&](memory_id from, memory_id target) {
    const model::link_description* const link = machine.link(from, target);
    return link == nullptr ? -1.0 : way_over(*link).seconds(bytes);
  });
  if (found.source.valid()) return found;
  throw model::user_error(
      model::error_code::invalid,
      fmt::format("data cannot be brought to {}: no memory that holds it is linked with it, nor "
                  "both with the host's memory; add the links to the topology",
                  name_of(machine, to)));
}

void check_links(const model::topology& machine) {
  if (machine.memories.size() > max_memories)
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("the topology has {} memories; at most {} can be planned for",
                    machine.memories.size(), max_memories));
  for (const auto& d : machine.devices)
    if (!d.memory.valid() || d.memory.value() >= machine.memories.size())
      throw model::user_error(model::error_code::invalid,
                              fmt::format("device {} names a memory that the topology lacks",
                                          formats::one_line(d.name, 48)));
  for (std::size_t i = 1; i < machine.memories.size(); ++i) {
    const memory_id m(static_cast<std::uint16_t>(i));
    if (machine.link(model::host_memory, m) == nullptr ||
        machine.link(m, model::host_memory) == nullptr)
      throw model::user_error(model::error_code::invalid,
                              name_of(machine, m) +
                                  " is not linked with the host's memory in both directions; add "
                                  "the links to the topology");
  }
}

model::device_id device_for_transfer(const model::topology& machine, memory_id from, memory_id to) {
  // Host memory knows no transfers: the device at the other end makes them.
  const bool to_host = to == model::host_memory;
  for (const memory_id owner : {to_host ? from : to, to_host ? to : from})
    for (std::size_t d = 0; d < machine.devices.size(); ++d)
      if (machine.devices[d].memory == owner)
        return model::device_id(static_cast<std::uint16_t>(d));
  return model::device_id(0);
}

}  // namespace pianola::planner
