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

route choose_route(const connections& links, const model::topology& machine,
                   const model::memory_set& valid, memory_id to, std::uint64_t bytes) {
  const route found = links.cheapest(valid, to, bytes);
  if (found.source.valid()) return found;
  throw model::user_error(
      model::error_code::invalid,
      fmt::format("data cannot be brought to {}: no memory that holds it is linked with it, nor "
                  "both with the host's memory; add the links to the topology",
                  name_of(machine, to)));
}

void check_memories(const model::topology& machine) {
  if (machine.memories.size() > model::max_memories)
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("the topology has {} memories; at most {} can be planned for",
                    machine.memories.size(), model::max_memories));
  for (const auto& d : machine.devices)
    if (!d.memory.valid() || d.memory.value() >= machine.memories.size())
      throw model::user_error(model::error_code::invalid,
                              fmt::format("device {} names a memory that the topology lacks",
                                          formats::one_line(d.name, 48)));
  for (const auto& l : machine.links)
    for (const memory_id m : {l.from, l.to})
      if (m.value() >= machine.memories.size())
        throw model::user_error(
            model::error_code::invalid,
            fmt::format("a link names memory {}, which the topology lacks", m.value()));
}

void check_links(const model::topology& machine, const connections& links) {
  for (std::size_t i = 1; i < machine.memories.size(); ++i) {
    const memory_id m(static_cast<std::uint16_t>(i));
    if (!links.reaches_host(m))
      throw model::user_error(model::error_code::invalid,
                              name_of(machine, m) +
                                  " is not linked with the host's memory in both directions; add "
                                  "the links to the topology");
  }
}

transfer_devices::transfer_devices(const model::topology& machine)
    : of_memory_(machine.memories.size()) {
  for (std::size_t d = machine.devices.size(); d-- > 0;)
    of_memory_[machine.devices[d].memory.value()] = model::device_id(static_cast<std::uint16_t>(d));
}

}  // namespace pianola::planner
