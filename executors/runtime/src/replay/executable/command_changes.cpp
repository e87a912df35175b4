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
    what += fmt::format("command {} is not in its place there", described(now[i], i));
  else
    what += fmt::format("there command {} follows", described(next[i], i));
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
    refuse_topology(
        fmt::format("node {} has no counterpart there, of its kind, behind the same nodes and in "
                    "front of the same",
                    described(now[match.differs], match.differs)));
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
  switch (kind_of(now.payload)) {
    case model::command_kind::kernel: {
      const auto& own = std::get<model::kernel_command>(now.payload);
      const auto& other = std::get<model::kernel_command>(next.payload);
      return own.kernel == other.kernel && own.geometry.grouped == other.geometry.grouped &&
             own.geometry.dimensions == other.geometry.dimensions &&
             same_slots(own.slots, other.slots);
    }
    case model::command_kind::host_task: {
      const auto& own = std::get<model::host_task_command>(now.payload);
      const auto& other = std::get<model::host_task_command>(next.payload);
      return own.invoke == other.invoke && own.invoke_with_access == other.invoke_with_access &&
             own.enqueues == other.enqueues && same_slots(own.slots, other.slots);
    }
    case model::command_kind::subgraph:
      return std::get<model::subgraph_command>(now.payload).graph ==
             std::get<model::subgraph_command>(next.payload).graph;
    case model::command_kind::allocate:
      return std::get<model::allocate_command>(now.payload).zero ==
             std::get<model::allocate_command>(next.payload).zero;
    case model::command_kind::empty:
    case model::command_kind::copy:
    case model::command_kind::fill:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::free:
      return true;
  }
  return false;
}

bool works_otherwise(const model::command& now, const model::command& next) {
  switch (kind_of(now.payload)) {
    case model::command_kind::kernel:
      return works_otherwise(std::get<model::kernel_command>(now.payload),
                             std::get<model::kernel_command>(next.payload));
    case model::command_kind::copy:
      return std::memcmp(&std::get<model::copy_command>(now.payload),
                         &std::get<model::copy_command>(next.payload),
                         sizeof(model::copy_command)) != 0;
    case model::command_kind::allocate: {
      const auto& from = std::get<model::allocate_command>(now.payload);
      const auto& to = std::get<model::allocate_command>(next.payload);
      return from.zero && (from.pointer != to.pointer || from.bytes != to.bytes);
    }
    case model::command_kind::free:
    case model::command_kind::empty:
      return false;
    case model::command_kind::fill:
    case model::command_kind::host_task:
    case model::command_kind::barrier:
    case model::command_kind::prefetch:
    case model::command_kind::advise:
    case model::command_kind::host_access:
    case model::command_kind::acquire:
    case model::command_kind::subgraph:
      return true;  // they are not compared
  }
  return true;
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

bool has_same_names(const node_change& change, const graph_snapshot& from,
                    const graph_snapshot& to) noexcept {
  return std::all_of(change.command.requirements.begin(), change.command.requirements.end(),
                     [&](const model::requirement& r) {
                       const std::size_t b = r.buffer.value();
                       return b < to.externals.size() && to.externals[b] == from.externals[b];
                     });
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
