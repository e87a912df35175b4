// SPDX-License-Identifier: Apache-2.0
#include "replay/executable/command_changes.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <pianola/model/arena.hpp>
#include <pianola/model/error.hpp>
#include <pianola/recorder/match_commands.hpp>

#include "commands/names.hpp"
#include "replay/recorded/kernel_footprints.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

std::string described(const model::command& c, std::size_t index) {
  return fmt::format("{} ('{}')", index, display_name(c));
}

[[noreturn]] void refuse_topology(const std::string& what) {
  throw user_error(error_code::invalid,
                   "an executable graph can only be updated from a graph with the same nodes and "
                   "edges; " +
                       what);
}

using commands_of = std::vector<model::command>;

// The first command at whose place the other graph has none of its kind.
[[noreturn]] void refuse_size(const commands_of& now, const commands_of& next) {
  std::size_t i = 0;
  while (i < now.size() && i < next.size() && now[i].payload.index() == next[i].payload.index())
    ++i;
  std::string what = fmt::format("it has {} commands, the other one {}: ", now.size(), next.size());
  if (i < now.size())
    what += "command " + described(now[i], i) + " is not in its place there";
  else
    what += "there command " + described(next[i], i) + " follows";
  refuse_topology(what);
}

bool same_slots(const model::array_view<const model::argument_slot>& a,
                const model::array_view<const model::argument_slot>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].offset != b[i].offset || a[i].what != b[i].what ||
        a[i].requirement != b[i].requirement)
      return false;
  return true;
}

// Objects with operations have no bytes to compare. What commands refer to never changes.
bool same_arguments(const model::argument_block& a, const model::argument_block& b) {
  if (a.size != b.size || a.operations != b.operations) return false;
  if (a.size == 0 || a.bytes == b.bytes) return true;
  return a.operations == nullptr && std::memcmp(a.bytes, b.bytes, a.size) == 0;
}

bool works_otherwise(const model::kernel_command& now, const model::kernel_command& next) {
  const model::launch_geometry &g = now.geometry, &to = next.geometry;
  return std::memcmp(&g.global, &to.global, sizeof g.global) != 0 || !(g.local == to.local) ||
         !(g.offset == to.offset) || now.local_memory_bytes != next.local_memory_bytes ||
         !same_arguments(now.arguments, next.arguments);
}

// Of what one command refers to.
constexpr std::size_t update_blocks = 512;

// Requirements that name buffers as another graph does.
struct translated {
  std::vector<model::requirement> requirements;
  std::shared_ptr<const void> refers_to;
};

}  // namespace

std::vector<std::uint32_t> counterparts(const std::vector<model::command>& now,
                                        const std::vector<model::command>& next) {
  if (now.size() != next.size()) refuse_size(now, next);
  recorder::command_match match = recorder::match_commands(now, next);
  if (!match)
    refuse_topology("node " + described(now[match.differs], match.differs) +
                    " has no counterpart there, of its kind, behind the same nodes and in front "
                    "of the same");
  for (std::size_t i = 0; i < match.counterpart.size(); ++i)
    if (match.counterpart[i] != i) return std::move(match.counterpart);
  return {};
}

bool plan_holds(const model::command& now, const model::command& next) {
  if (now.device != next.device || now.requirements.size() != next.requirements.size())
    return false;
  for (std::size_t i = 0; i < now.requirements.size(); ++i) {
    const model::requirement &a = now.requirements[i], &b = next.requirements[i];
    if (a.buffer != b.buffer || a.mode != b.mode || a.no_init != b.no_init ||
        a.memory != b.memory || !(a.elements == b.elements))
      return false;
  }
  if (const auto* k = std::get_if<model::kernel_command>(&now.payload)) {
    const auto& other = std::get<model::kernel_command>(next.payload);
    return k->kernel == other.kernel && k->geometry.grouped == other.geometry.grouped &&
           k->geometry.dimensions == other.geometry.dimensions && same_slots(k->slots, other.slots);
  }
  if (const auto* t = std::get_if<model::host_task_command>(&now.payload)) {
    const auto& other = std::get<model::host_task_command>(next.payload);
    return t->invoke == other.invoke && t->invoke_with_access == other.invoke_with_access &&
           t->enqueues == other.enqueues && same_slots(t->slots, other.slots);
  }
  if (const auto* s = std::get_if<model::subgraph_command>(&now.payload))
    return s->graph == std::get<model::subgraph_command>(next.payload).graph;
  if (const auto* a = std::get_if<model::allocate_command>(&now.payload))
    return a->zero == std::get<model::allocate_command>(next.payload).zero;
  return true;
}

bool works_otherwise(const model::command& now, const model::command& next) {
  if (const auto* k = std::get_if<model::kernel_command>(&now.payload))
    return works_otherwise(*k, std::get<model::kernel_command>(next.payload));
  if (const auto* copy = std::get_if<model::copy_command>(&now.payload))
    return std::memcmp(copy, &std::get<model::copy_command>(next.payload), sizeof *copy) != 0;
  if (const auto* a = std::get_if<model::allocate_command>(&now.payload)) {
    const auto& to = std::get<model::allocate_command>(next.payload);
    return a->zero && (a->pointer != to.pointer || a->bytes != to.bytes);
  }
  return !std::holds_alternative<model::free_command>(now.payload) &&
         !std::holds_alternative<model::empty_command>(now.payload);
}

bool is_part(const model::command& c) {
  const auto* const kernel = std::get_if<model::kernel_command>(&c.payload);
  return kernel != nullptr && kernel->geometry.part != nullptr;
}

void describe(node_change& change, const graph_snapshot& from) {
  struct described {
    std::shared_ptr<const void> before;
    model::arena storage{update_blocks};
  };
  auto own = std::make_shared<described>();
  own->before = std::move(change.refers_to);
  describe_footprints(change.command, from.buffers, is_narrowing(from), own->storage);
  change.refers_to = std::move(own);
}

void translate(node_change& change, const graph_snapshot& from, graph_snapshot& next) {
  auto own = std::make_shared<translated>();
  for (model::requirement r : change.command.requirements) {
    const std::uint64_t key = from.externals[r.buffer.value()];
    const auto known = std::find(next.externals.begin(), next.externals.end(), key);
    const auto index = static_cast<std::uint32_t>(known - next.externals.begin());
    if (known == next.externals.end()) {
      next.externals.push_back(key);
      next.buffers.push_back(from.buffers[r.buffer.value()]);
      next.labels.push_back(from.labels[r.buffer.value()]);
    }
    r.buffer = model::buffer_id(index);
    own->requirements.push_back(r);
  }
  own->refers_to = std::move(change.refers_to);
  change.command.requirements = own->requirements;
  change.refers_to = std::move(own);
}

}  // namespace pianola::runtime
