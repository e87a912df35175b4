// SPDX-License-Identifier: Apache-2.0
#include "replay/graphs/condition_use.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <variant>

#include <pianola/runtime/usm.hpp>

#include "data/buffer_table.hpp"
#include "data/memory_parameters.hpp"
#include "process.hpp"
#include "replay/recorded/control.hpp"

namespace pianola::runtime {

namespace {

class use_search {
 public:
  use_search(process& rt, const void* condition)
      : rt_(rt),
        begin_(reinterpret_cast<std::uintptr_t>(query_pointer(condition).base)),
        end_(begin_ + query_pointer(condition).bytes) {}

  // It is a parameter of the graph, say, which stands for any memory.
  [[nodiscard]] bool knows_allocation() const noexcept { return begin_ != end_; }

  [[nodiscard]] bool may_use(const graph_snapshot& graph) {
    return may_be_a_buffers(graph) ||
           std::any_of(graph.commands.begin(), graph.commands.end(),
                       [&](const model::command& c) { return may_use(c); });
  }

 private:
  // A buffer that works on memory of the program's, which may be the condition's.
  [[nodiscard]] bool may_be_a_buffers(const graph_snapshot& graph) {
    const std::lock_guard lock(rt_.mutex);
    for (std::size_t i = 0; i < graph.externals.size(); ++i) {
      const buffer_entry* const b = rt_.buffers.find_living(graph.key(i));
      if (b == nullptr || b->parameter) return true;
      if (!b->in_place_host) continue;
      const auto at =
          reinterpret_cast<std::uintptr_t>(b->allocations[model::host_memory.value()].pointer);
      if (at < end_ && begin_ < at + b->info.grid.range().c[0] * b->info.grid.range().c[1] *
                                         b->info.grid.range().c[2] * b->info.element_size)
        return true;
    }
    return false;
  }

  // An address from which an allocation is used: another allocation of the program's is not this one. What is neither may be
  // anything.
  [[nodiscard]] bool may_lead_there(std::uintptr_t address) const {
    if (address == 0) return false;
    const auto* const pointer = reinterpret_cast<const void*>(address);
    if (memory_parameters::instance().find(pointer).begin != 0) return true;
    const pointer_query at = query_pointer(pointer);
    return at.base == nullptr || reinterpret_cast<std::uintptr_t>(at.base) == begin_;
  }
  [[nodiscard]] bool may_use(const model::memory_operand& o) const {
    if (o.requirement != model::memory_operand::no_requirement || o.pointer == nullptr)
      return false;
    // Copies and fills name what they use, so memory that is no allocation is just that.
    const auto at = reinterpret_cast<std::uintptr_t>(o.pointer) + o.byte_offset;
    return query_pointer(reinterpret_cast<const void*>(at)).base != nullptr
               ? may_lead_there(at)
               : memory_parameters::instance().find(at).begin != 0;
  }
  [[nodiscard]] bool may_use(const model::kernel_command& k) const {
    const model::kernel_facts* const facts = k.kernel == nullptr ? nullptr : k.kernel->facts;
    if (facts == nullptr || !facts->only_uses) return true;
    return std::any_of(facts->uses.begin(), facts->uses.end(), [&](const model::argument_use& use) {
      if (use.unknown) return true;
      if (!use.read && !use.written) return false;
      if (std::any_of(k.slots.begin(), k.slots.end(),
                      [&](const auto& slot) { return slot.offset == use.offset; }))
        return false;
      std::uintptr_t address = 0;
      if (use.offset + sizeof address > k.arguments.size) return true;
      std::memcpy(&address, static_cast<const std::byte*>(k.arguments.bytes) + use.offset,
                  sizeof address);
      return may_lead_there(address);
    });
  }
  [[nodiscard]] bool may_use(const model::command& c) {
    switch (model::kind_of(c.payload)) {
      case model::command_kind::kernel:
        return may_use(std::get<model::kernel_command>(c.payload));
      case model::command_kind::copy: {
        const auto& copy = std::get<model::copy_command>(c.payload);
        return may_use(copy.source) || may_use(copy.destination);
      }
      case model::command_kind::fill:
        return may_use(std::get<model::fill_command>(c.payload).destination);
      case model::command_kind::subgraph: {
        const control* const inner = control_of(c);
        if (inner == nullptr) return true;
        if (inner->pointer != nullptr &&
            may_lead_there(reinterpret_cast<std::uintptr_t>(inner->pointer)))
          return true;
        return std::any_of(inner->bodies.begin(), inner->bodies.end(),
                           [&](const control::body& b) { return may_use(b.recorded); });
      }
      case model::command_kind::allocate:
      case model::command_kind::free:
      case model::command_kind::host_task:
        return true;
      case model::command_kind::empty:
      case model::command_kind::barrier:
      case model::command_kind::prefetch:
      case model::command_kind::advise:
      case model::command_kind::host_access:
      case model::command_kind::acquire:
        break;
    }
    return false;
  }

  process& rt_;
  std::uintptr_t begin_, end_;
};

}  // namespace

bool may_use(process& rt, const graph_snapshot& graph, const void* condition) {
  use_search search(rt, condition);
  return !search.knows_allocation() || search.may_use(graph);
}

}  // namespace pianola::runtime
