// SPDX-License-Identifier: Apache-2.0
#include "memory_use.hpp"

#include <algorithm>
#include <variant>

#include <pianola/model/saturating.hpp>

namespace pianola::planner {

namespace {

class memory_count {
 public:
  memory_count(const graph_view& graph, const model::topology& machine)
      : graph_(graph),
        machine_(machine),
        buffers_(graph.buffers().size(), 0),
        owned_(machine.memories.size(), 0) {}

  void use(model::buffer_id buffer, model::memory_id memory) {
    buffers_[buffer.value()] |= mask_of(memory);
  }

  void add(const execute_step& e) {
    const model::command& c = graph_.commands()[e.command.value()];
    const model::memory_id here = std::holds_alternative<model::host_access_command>(c.payload)
                                      ? model::host_memory
                                      : machine_.memory_of(e.device);
    for (const model::requirement& r : c.requirements)
      if (!r.elements.empty()) use(r.buffer, r.memory.valid() ? r.memory : here);
    if (const auto* a = std::get_if<model::allocate_command>(&c.payload)) {
      std::uint64_t& end = owned_[here.value()];
      end = std::max(end, model::saturating_add(a->place, a->bytes));
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> total() const {
    std::vector<std::uint64_t> bytes = owned_;
    for (std::size_t b = 0; b < buffers_.size(); ++b)
      for (std::size_t m = 0; m < bytes.size(); ++m)
        if ((buffers_[b] >> m & 1U) != 0)
          bytes[m] = model::saturating_add(bytes[m], graph_.buffers()[b].bytes());
    return bytes;
  }

 private:
  const graph_view& graph_;
  const model::topology& machine_;
  std::vector<memory_mask> buffers_;  // where each is used
  std::vector<std::uint64_t> owned_;  // by the graph: it has one block in each memory
};

}  // namespace

std::vector<std::uint64_t> peak_memory(const graph_view& graph, const plan& p,
                                       const model::topology& machine) {
  if (!p.memories.empty()) {
    std::vector<std::uint64_t> told(machine.memories.size(), 0);
    for (const memory_use& u : p.memories)
      if (u.memory.value() < told.size()) told[u.memory.value()] = u.peak;
    return told;
  }
  // A plan that was not made for a graph tells nothing of memory.
  memory_count use(graph, machine);
  for (const validity_entry& e : p.contract)
    for (std::uint16_t m = 0; m < machine.memories.size(); ++m)
      if ((e.memories >> m & 1U) != 0) use.use(e.buffer, model::memory_id(m));
  for (const step& s : p.steps) {
    if (const auto* e = std::get_if<execute_step>(&s.action)) {
      use.add(*e);
    } else {
      const auto& t = std::get<transfer_step>(s.action);
      use.use(t.buffer, t.from);
      use.use(t.buffer, t.to);
    }
  }
  return use.total();
}

}  // namespace pianola::planner
