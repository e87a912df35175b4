// SPDX-License-Identifier: Apache-2.0
#include "pianola/recorder/command_graph.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/error.hpp>
#include <pianola/model/payload_members.hpp>

namespace pianola::recorder {

namespace {

using model::error_code;
using model::user_error;

// Files hold this hash, so it is the same on every machine and in every version; Boost promises neither (hash_combine of
// its version 1.81 is another function than that of 1.74).
class hasher {
 public:
  void add(std::uint64_t v) noexcept {
    std::uint64_t x = state_ ^ v;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    state_ = (x ^ (x >> 33)) + 0x9e3779b97f4a7c15ULL;
  }
  void add(const model::box& b) noexcept {
    for (int d = 0; d < 3; ++d) {
      add(b.lo.c[d]);
      add(b.hi.c[d]);
    }
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0x70616e6f6c61ULL;
};

}  // namespace

command_graph::storage::~storage() {
  for (auto it = objects_.rbegin(); it != objects_.rend(); ++it)
    if (it->object != nullptr && it->operations->destroy != nullptr)
      it->operations->destroy(it->object);
}

model::buffer_id command_graph::add_buffer(const model::buffer_info& info, std::uint64_t external,
                                           const char* label) {
  const model::buffer_id id(static_cast<std::uint32_t>(buffers_.size()));
  if (external != 0)
    if (const auto [known, fresh] = by_external_.try_emplace(external, id); !fresh)
      return known->second;
  buffers_.push_back(info);
  external_.push_back(external);
  buffer_labels_.push_back(*label == '\0' ? "" : own_.arena.copy_string(label));
  return id;
}

model::command_id command_graph::append(const model::command& command) {
  const std::uint64_t next = commands_.size();
  check_order(command.after, next);
  check_requirements(command, next);
  own_.adopt(commands_.emplace_back(command));
  return model::command_id(static_cast<std::uint32_t>(next));
}

model::command_id command_graph::append_again(model::command_id same,
                                              model::array_view<const std::uint64_t> after) {
  if (same.value() >= commands_.size() || exchanged(same) != nullptr)
    throw model::internal_error("a command is repeated that a graph does not hold");
  const std::uint64_t next = commands_.size();
  check_order(after, next);
  model::command again = commands_[same.value()];
  again.after = own_.arena.copy(after);
  commands_.push_back(again);
  if (const auto used = allocations_of(same); !used.empty()) {
    used_allocations_.resize(next + 1);
    used_allocations_[next] = used;
  }
  return model::command_id(static_cast<std::uint32_t>(next));
}

void command_graph::check_order(model::array_view<const std::uint64_t> after,
                                std::uint64_t number) {
  for (const std::uint64_t a : after)
    if (a >= number)
      throw user_error(error_code::invalid,
                       fmt::format("command {} is to run after command {}, which is not recorded "
                                   "yet; record predecessors first",
                                   number, a));
}

std::uint32_t command_graph::add_allocation(const model::usm_allocation& a) {
  if (model::name_of(a.what) == nullptr)
    throw model::internal_error("an allocation of no kind is added to a graph");
  allocations_.push_back(a);
  return static_cast<std::uint32_t>(allocations_.size() - 1);
}

void command_graph::set_allocations(model::command_id id,
                                    model::array_view<const std::uint32_t> used) {
  for (const std::uint32_t a : used)
    if (a != model::no_allocation && a >= allocations_.size())
      throw user_error(
          error_code::invalid,
          fmt::format("command {} uses an allocation that the graph does not know", id.value()));
  if (used.empty()) return;
  if (used_allocations_.size() <= id.value()) used_allocations_.resize(id.value() + 1);
  used_allocations_[id.value()] = own_.arena.copy(used);
}

void command_graph::add_body(body b) {
  const auto refuse = [&](const char* reason) {
    throw model::user_error(
        model::error_code::invalid,
        fmt::format("a graph that command {} runs: {}", b.command.value(), reason));
  };
  const auto* const run = b.command.value() < commands_.size()
                              ? std::get_if<model::subgraph_command>(&command(b.command).payload)
                              : nullptr;
  if (run == nullptr || run->control == model::control_kind::once)
    refuse("the command runs no other graphs");
  if (!bodies_.empty() && b.command < bodies_.back().command)
    refuse("it comes before one of an earlier command");
  if (b.buffers.size() != b.graph->buffer_count()) refuse("each of its buffers has one name");
  for (std::size_t i = 0; i < b.buffers.size(); ++i) {
    if (b.buffers[i].value() >= buffers_.size()) refuse("a buffer is not known");
    const model::buffer_info &here = buffer(b.buffers[i]), &there = b.graph->buffers()[i];
    if (here.grid.range() != there.grid.range() || here.grid.page() != there.grid.page() ||
        here.element_size != there.element_size)
      refuse("a buffer has another shape there");
  }
  bodies_.push_back(std::move(b));
}

void command_graph::add_usm_access(const model::usm_access& a) {
  if (a.command.value() >= commands_.size() || a.allocation >= allocations_.size())
    throw user_error(
        error_code::invalid,
        "an access to USM is of a command, and to an allocation, that the graph knows");
  if (a.begin >= a.end)
    throw user_error(
        error_code::invalid,
        fmt::format("command {} accesses no byte of an allocation", a.command.value()));
  if (!usm_accesses_.empty() && a.command < usm_accesses_.back().command)
    throw user_error(error_code::invalid, "accesses to USM come in the order of commands");
  usm_accesses_.push_back(a);
}

void command_graph::add_buffer_read(const model::buffer_read& r) {
  if (r.command.value() >= commands_.size() || r.buffer.value() >= buffers_.size())
    throw user_error(error_code::invalid,
                     "what is read of a buffer is of a command and a buffer that the graph knows");
  if (r.begin >= r.end || r.end > buffers_[r.buffer.value()].bytes())
    throw user_error(error_code::invalid,
                     fmt::format("command {} reads nothing of a buffer, or what is not in it",
                                 r.command.value()));
  if (!buffer_reads_.empty() && r.command < buffer_reads_.back().command)
    throw user_error(error_code::invalid, "what is read of buffers comes in the order of commands");
  buffer_reads_.push_back(r);
}

void command_graph::set_unwritten(model::buffer_id id) {
  if (unwritten_.size() <= id.value()) unwritten_.resize(id.value() + std::size_t{1});
  unwritten_[id.value()] = true;
}

void command_graph::check_requirements(const model::command& command, std::uint64_t next) const {
  for (const auto& r : command.requirements) {
    if (!r.buffer.valid() || r.buffer.value() >= buffers_.size())
      throw user_error(
          error_code::invalid,
          fmt::format("command {} needs a buffer that the graph does not know; add_buffer first",
                      next));
    if (!contains(model::box::of(buffers_[r.buffer.value()].grid.range()), r.elements))
      throw user_error(error_code::invalid,
                       fmt::format("command {} needs elements outside of the range of buffer {}",
                                   next, r.buffer.value()));
  }
}

namespace {

// What the payload refers to is copied into the arena; arguments are not: see adopt_arguments.
struct payload_adopter {
  model::arena& arena;

  void operator()(model::kernel_command& c) const {
    c.slots = arena.copy(c.slots);
    const model::box* const part = c.geometry.part;
    if (part != nullptr)
      c.geometry.part = arena.copy(model::array_view<const model::box>(part, 1)).data();
    std::vector<model::footprint> footprints(c.footprints.begin(), c.footprints.end());
    for (model::footprint& f : footprints) f.accesses = arena.copy(f.accesses);
    c.footprints = arena.copy(model::array_view<const model::footprint>(footprints));
  }
  void operator()(model::host_task_command& c) const { c.slots = arena.copy(c.slots); }
  void operator()(model::fill_command& c) const {
    if (c.large_pattern == nullptr) return;
    const model::array_view<const unsigned char> pattern(
        static_cast<const unsigned char*>(c.large_pattern), c.pattern_bytes);
    c.large_pattern = arena.copy(pattern).data();
  }
  void operator()(model::empty_command&) const {}
  void operator()(model::copy_command&) const {}
  void operator()(model::barrier_command&) const {}
  void operator()(model::prefetch_command&) const {}
  void operator()(model::advise_command&) const {}
  void operator()(model::host_access_command&) const {}
  void operator()(model::acquire_command&) const {}
  void operator()(model::subgraph_command&) const {}
  void operator()(model::allocate_command&) const {}
  void operator()(model::free_command&) const {}
};

// Of what an exchanged command refers to: most commands need less.
constexpr std::size_t small_blocks = 512;

}  // namespace

void command_graph::storage::adopt(model::command& c) {
  c.requirements = arena.copy(c.requirements);
  for (const model::requirement& r : c.requirements)
    if (r.elements.empty()) const_cast<model::requirement&>(r).elements = {};  // the copy is ours
  c.after = arena.copy(c.after);
  if (!std::equal(c.candidates.begin(), c.candidates.end(), candidates.begin(), candidates.end()))
    candidates = arena.copy(c.candidates);
  c.candidates = candidates;
  c.label = *c.label != '\0' ? arena.copy_string(c.label) : "";
  std::visit(payload_adopter{arena}, c.payload);
}

std::shared_ptr<const void> command_graph::exchange(model::command_id id,
                                                    const model::command& command,
                                                    std::vector<std::shared_ptr<void>> kept_alive) {
  check_requirements(command, id.value());
  if (exchanged_.size() <= id.value()) exchanged_.resize(id.value() + 1);
  auto fresh = std::make_shared<storage>(small_blocks);
  fresh->kept_alive = std::move(kept_alive);
  model::command changed = command;
  changed.after = commands_[id.value()].after;
  fresh->adopt(changed);
  if (model::argument_block* block = model::arguments_of(changed.payload))
    *block = fresh->adopt_arguments(*block);
  commands_[id.value()] = changed;
  exchanged_[id.value()].swap(fresh);
  return fresh;
}

void command_graph::set_geometry(model::command_id id, const model::launch_geometry& geometry) {
  auto* kernel = std::get_if<model::kernel_command>(&commands_[id.value()].payload);
  if (kernel == nullptr)
    throw user_error(error_code::invalid,
                     fmt::format("command {} is no kernel and has no range", id.value()));
  kernel->geometry = geometry;
}

std::shared_ptr<const void> command_graph::exchange(model::command_id id,
                                                    const model::command& command) {
  std::vector<std::shared_ptr<void>> kept_alive;
  if (id.value() < exchanged_.size() && exchanged_[id.value()] != nullptr)
    kept_alive = exchanged_[id.value()]->kept_alive;
  return exchange(id, command, std::move(kept_alive));
}

std::shared_ptr<const void> command_graph::write_arguments(model::command_id id,
                                                           std::uint32_t offset, const void* bytes,
                                                           std::uint32_t size) {
  const model::argument_block* block = model::arguments_of(commands_[id.value()].payload);
  if (block == nullptr || offset > block->size || size > block->size - offset)
    throw user_error(
        error_code::invalid,
        fmt::format("command {} has no arguments there that could be overwritten", id.value()));
  auto old = exchange(id, commands_[id.value()]);
  block = model::arguments_of(commands_[id.value()].payload);
  std::memcpy(static_cast<unsigned char*>(block->bytes) + offset, bytes, size);
  return old;
}

model::argument_block command_graph::adopt_arguments(const model::argument_block& source) {
  return own_.adopt_arguments(source);
}

model::argument_block command_graph::storage::adopt_arguments(const model::argument_block& source) {
  model::argument_block copy = source;
  if (source.size == 0) return copy;
  copy.bytes = arena.allocate(source.size, source.alignment);
  if (source.operations == nullptr) {
    std::memcpy(copy.bytes, source.bytes, source.size);
  } else {
    // Listed before it exists, so that neither a failing list nor a throwing copy leaks.
    objects_.push_back({nullptr, source.operations});
    source.operations->copy(copy.bytes, source.bytes);
    objects_.back().object = copy.bytes;
  }
  return copy;
}

void command_graph::add_edge(model::command_id from, model::command_id to) {
  if (!from.valid() || !to.valid() || from.value() >= commands_.size() ||
      to.value() >= commands_.size())
    throw user_error(error_code::invalid, "an edge names a command that the graph does not hold");
  if (from >= to)
    throw user_error(error_code::invalid,
                     fmt::format("an edge must lead from an earlier command to a later one: from "
                                 "{} to {} would close a cycle with submission order",
                                 from.value(), to.value()));
  model::command& c = commands_[to.value()];
  growing_list& list = growing_[to.value()];
  // An exchanged command has a list of its own. Whoever has read the old list goes on to see what it was.
  const bool is_another = list.commands != c.after.data();
  if (is_another) list.ascends = std::is_sorted(c.after.begin(), c.after.end());
  if (list.ascends ? std::binary_search(c.after.begin(), c.after.end(), from.value())
                   : std::find(c.after.begin(), c.after.end(), from.value()) != c.after.end())
    return;
  if (is_another || list.room == c.after.size()) {
    list.room = std::max<std::size_t>(2 * c.after.size(), 4);
    list.commands = static_cast<std::uint64_t*>(
        own_.arena.allocate(list.room * sizeof(std::uint64_t), alignof(std::uint64_t)));
    std::copy(c.after.begin(), c.after.end(), list.commands);
  }
  list.ascends = list.ascends && (c.after.empty() || c.after[c.after.size() - 1] < from.value());
  list.commands[c.after.size()] = from.value();
  c.after = {list.commands, c.after.size() + 1};
}

std::uint64_t structural_hash(model::array_view<const model::command> commands,
                              model::array_view<const model::buffer_info> buffers) {
  hasher h;
  h.add(buffers.size());
  for (const auto& b : buffers) {
    h.add(model::box::of(b.grid.range()));
    h.add(model::box::of(b.grid.page()));
    h.add(b.element_size);
    if (b.temporary || b.evictable) h.add((b.temporary ? 1U : 0U) + (b.evictable ? 2U : 0U));
  }
  h.add(commands.size());
  for (const auto& c : commands) {
    h.add(c.payload.index());
    h.add(c.device.value());
    // Of those without, the hash is what it was before there were any.
    if (!c.candidates.empty()) {
      h.add(c.candidates.size());
      for (const model::device_id d : c.candidates) h.add(d.value());
    }
    h.add(c.requirements.size());
    for (const auto& r : c.requirements) {
      h.add(r.buffer.value());
      h.add(static_cast<std::uint64_t>(r.mode) * 2 + (r.no_init ? 1 : 0));
      h.add(r.memory.value());
      h.add(r.elements);
    }
    h.add(c.after.size());
    for (std::uint64_t a : c.after) h.add(a);
  }
  return h.value();
}

}  // namespace pianola::recorder
