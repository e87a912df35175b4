// SPDX-License-Identifier: Apache-2.0
#include "recording/allocation_names.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

#include <pianola/model/payload_members.hpp>

namespace pianola::runtime {

model::usm_allocation allocation_for_files(const model::topology& topology,
                                           const user_allocation& found) {
  model::usm_allocation a;
  a.what = found.kind;
  a.memory = found.kind == usm_kind::host ? model::host_memory : topology.memory_of(found.device);
  a.bytes = found.bytes;
  return a;
}

std::uint32_t allocation_names::name(recorder::command_graph& graph,
                                     const model::topology& topology,
                                     const user_allocation& found) {
  if (found.serial == 0) return model::no_allocation;
  const auto [at, fresh] = ids_.try_emplace(found.serial, 0);
  if (fresh) at->second = graph.add_allocation(allocation_for_files(topology, found));
  return at->second;
}

void allocation_names::name(recorder::command_graph& graph, const model::topology& topology,
                            model::command_payload& payload, std::vector<std::uint32_t>& to) {
  const std::size_t before = to.size();
  const auto name_pointer = [&](const void* pointer) -> std::uint64_t {
    const user_allocation found =
        pointer == nullptr ? user_allocation() : pointer_registry::instance().find_user(pointer);
    to.push_back(name(graph, topology, found));
    if (to.back() == model::no_allocation) return 0;
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) -
                                      static_cast<const std::byte*>(found.base));
  };
  const auto name_operand = [&](model::memory_operand& o, const auto&) {
    if (o.requirement == model::memory_operand::no_requirement)
      o.byte_offset += name_pointer(o.pointer);
    else
      to.push_back(model::no_allocation);
  };
  model::for_each_memory(payload, name_operand, name_pointer);
  const auto first = to.begin() + static_cast<std::ptrdiff_t>(before);
  if (std::all_of(first, to.end(), [](std::uint32_t a) { return a == model::no_allocation; }))
    to.erase(first, to.end());
}

}  // namespace pianola::runtime
