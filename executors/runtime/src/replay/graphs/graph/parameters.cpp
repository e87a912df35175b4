// SPDX-License-Identifier: Apache-2.0
// Dynamic parameters of recorded graphs: other values for commands that are there.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/model/error.hpp>

#include "commands/argument_slots.hpp"
#include "commands/dynamic_memory.hpp"
#include "commands/launch_checks.hpp"
#include "commands/narrow_modes.hpp"
#include "data/buffer_table.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/graphs/parameters.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

void graph::check_parameters(const submission& s) const {
  if (s.uses_parameters && !std::holds_alternative<model::kernel_command>(s.payload))
    throw user_error(error_code::invalid,
                     "a command that is no kernel requires a dynamic_parameter, which only kernels "
                     "have; require the accessor itself, and update the whole graph for another");
  for_each_parameter(s.arguments.block(), [this](std::uint32_t, std::uint64_t cookie) {
    const std::shared_ptr<graph> owner = owner_of_parameter(cookie);
    if (owner != nullptr && owner.get() != this)
      throw user_error(error_code::invalid,
                       "a command uses a dynamic_parameter that was made for another graph; make "
                       "one for this graph, or one without a graph");
  });
}

void graph::set_parameter(std::uint64_t cookie, const void* value, std::uint32_t size) {
  std::vector<std::shared_ptr<const void>> old;  // ends without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  recorded_.write_parameter(cookie, parameter_value_offset, value, size, old);
  for (const auto& declared : declared_)
    if (const auto a = declared.lock())
      for (const auto& s : a->commands_)
        for_each_value(s->arguments.block(), cookie, size,
                       [&](unsigned char* at) { std::memcpy(at, value, size); });
}

void graph::set_dynamic_memory(std::uint64_t cookie, std::uint64_t bytes, const void* value,
                               std::uint32_t size) {
  const auto write = [&](const model::argument_block& block, std::uint32_t at) {
    if (at + sizeof(dynamic_memory) + size > block.size) return;
    auto* const memory = static_cast<unsigned char*>(block.bytes) + at;
    std::memcpy(memory + offsetof(dynamic_memory, bytes), &bytes, sizeof bytes);
    std::memcpy(memory + sizeof(dynamic_memory), value, size);
  };
  std::vector<std::shared_ptr<const void>> old;  // ends without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  struct change {
    model::command_id id;
    model::kernel_command kernel;
    std::unique_ptr<argument_storage> arguments;
    std::vector<model::argument_slot> slots;
  };
  std::vector<change> changes;
  for (const recorder::parameter_places::place& p : recorded_.parameters().all()) {
    if (p.cookie != cookie) continue;
    const model::command& now = recorded_.command(model::command_id(p.command));
    if (changes.empty() || changes.back().id.value() != p.command) {
      change& fresh = changes.emplace_back();
      fresh.id = model::command_id(p.command);
      fresh.kernel = std::get<model::kernel_command>(now.payload);
      fresh.arguments = std::make_unique<argument_storage>();
      const model::argument_block& block = fresh.kernel.arguments;
      fresh.arguments->store(block.bytes, block.size, block.alignment, block.operations);
      fresh.kernel.arguments = fresh.arguments->block();
    }
    change& c = changes.back();
    write(c.kernel.arguments, p.offset);
    c.kernel.local_memory_bytes =
        lay_out_dynamic_memory(c.kernel.arguments, c.kernel.local_memory_bytes);
    check_launch(c.kernel, process::instance().machine.properties(now.device));
    c.slots.assign(c.kernel.slots.begin(), c.kernel.slots.end());
    for (model::argument_slot& slot : c.slots) {
      if (slot.what != model::argument_slot::kind::local_memory) continue;
      std::uint64_t word;
      std::memcpy(&word, static_cast<const unsigned char*>(c.kernel.arguments.bytes) + slot.offset,
                  sizeof word);
      slot.byte_offset = local_cookie_offset(word);
    }
  }
  for (change& c : changes) {
    model::command changed = recorded_.command(c.id);
    c.kernel.slots = c.slots;
    changed.payload = c.kernel;
    old.push_back(recorded_.exchange(c.id, changed));
  }
  for (const auto& declared : declared_)
    if (const auto a = declared.lock())
      for (const auto& s : a->commands_) {
        bool found = false;
        for_each_parameter(s->arguments.block(), [&](std::uint32_t at, std::uint64_t word) {
          if (word != cookie) return;
          write(s->arguments.block(), at);
          found = true;
        });
        if (found) lay_out_dynamic_memory(*s);
      }
}

namespace {

// A kernel that is about to get another accessor.
struct accessor_change {
  model::command_id id;
  model::kernel_command kernel;
  argument_storage arguments;
  std::vector<model::argument_slot> slots;
  std::vector<model::requirement> requirements;
  std::vector<std::uint32_t> values;  // offsets of the accessor

  explicit accessor_change(const model::command& now)
      : kernel(std::get<model::kernel_command>(now.payload)),
        slots(kernel.slots.begin(), kernel.slots.end()),
        requirements(now.requirements.begin(), now.requirements.end()) {
    const model::argument_block& block = kernel.arguments;
    arguments.store(block.bytes, block.size, block.alignment, block.operations);
    kernel.arguments = arguments.block();
  }

  [[nodiscard]] bool is_value(std::uint32_t offset) const {
    return std::find(values.begin(), values.end(), offset) != values.end();
  }

  // The slots of the accessor lead to the requirement, which takes the place of the one that they led to so far, unless that
  // is also some other accessor's.
  void require(const model::requirement& wanted, std::uint64_t byte_offset) {
    const auto is_mine = [&](const model::argument_slot& s) {
      return s.what == model::argument_slot::kind::buffer && is_value(s.offset);
    };
    for (model::argument_slot& mine : slots) {
      if (!is_mine(mine)) continue;
      const bool shared = std::any_of(slots.begin(), slots.end(), [&](const auto& other) {
        return other.what != model::argument_slot::kind::local_memory && !is_mine(other) &&
               other.requirement == mine.requirement;
      });
      model::requirement r = wanted;
      r.memory = requirements[mine.requirement].memory;
      if (shared) {
        mine.requirement = static_cast<std::uint32_t>(requirements.size());
        requirements.push_back(r);
      } else {
        requirements[mine.requirement] = r;
      }
      mine.byte_offset = byte_offset;
    }
  }
};

// Of a command group that is not in use: asks for what the new accessor needs in place of the old one, unless its kernel has
// that elsewhere, too.
void require_in(submission& s, std::uint64_t cookie, const void* value, std::uint32_t size,
                const accessor_request& required) {
  const model::argument_block& block = s.arguments.block();
  std::uint64_t before = 0;
  for_each_value(block, cookie, size, [&](unsigned char* at) {
    std::memcpy(&before, at, sizeof before);  // an accessor begins with its own cookie
    std::memcpy(at, value, size);
  });
  if (before == 0) return;
  bool elsewhere = false;
  for (std::uint32_t at = 0; at + sizeof before <= block.size; at += sizeof before)
    elsewhere = elsewhere || std::memcmp(static_cast<const unsigned char*>(block.bytes) + at,
                                         &before, sizeof before) == 0;
  for (accessor_request& a : s.accessors)
    if (!elsewhere && a.cookie == before) {
      a = required;
      return;
    }
  s.accessors.push_back(required);
}

}  // namespace

void graph::set_accessor_parameter(std::uint64_t cookie, const void* value, std::uint32_t size,
                                   const accessor_request& required) {
  std::vector<std::shared_ptr<const void>> old;  // ends without the lock
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::unique_ptr<accessor_change>> changes;
  for (const recorder::parameter_places::place& p : recorded_.parameters().all()) {
    if (p.cookie != cookie) continue;
    const model::command_id id(p.command);
    const model::command& now = recorded_.command(id);
    const auto* const kernel = std::get_if<model::kernel_command>(&now.payload);
    const std::uint32_t at = p.offset + parameter_value_offset;
    // Bytes that only look like one have no accessor behind them.
    if (kernel == nullptr || at + size > kernel->arguments.size ||
        std::none_of(kernel->slots.begin(), kernel->slots.end(),
                     [&](const model::argument_slot& s) { return s.offset == at; }))
      continue;
    if (changes.empty() || changes.back()->id != id) {
      changes.push_back(std::make_unique<accessor_change>(now));
      changes.back()->id = id;
    }
    changes.back()->values.push_back(at);
  }
  if (!changes.empty()) {
    process& rt = process::instance();
    model::requirement wanted;
    {
      std::lock_guard runtime_lock(rt.mutex);
      const buffer_entry& b = rt.buffers.living(required.buffer);
      check_request(required, b.info);
      wanted.buffer = recorded_.add_buffer(b.info, required.buffer.value() + 1, b.label.c_str());
    }
    wanted.mode = required.mode;
    wanted.no_init = required.no_init && required.mode != model::access_mode::read;
    wanted.elements = required.elements;
    for (const auto& c : changes) {
      for (const std::uint32_t at : c->values)
        std::memcpy(static_cast<unsigned char*>(c->kernel.arguments.bytes) + at, value, size);
      c->require(wanted, required.byte_offset);
      std::vector<model::argument_slot> of_buffers;
      for (const model::argument_slot& s : c->slots)
        if (s.what == model::argument_slot::kind::buffer) of_buffers.push_back(s);
      c->kernel.slots = c->slots;
      narrow_modes(c->kernel, {of_buffers, {}, {}}, c->requirements);
      model::command changed = recorded_.command(c->id);
      changed.payload = c->kernel;
      changed.requirements = c->requirements;
      old.push_back(recorded_.exchange(c->id, changed));
    }
  }
  for (const auto& declared : declared_)
    if (const auto a = declared.lock())
      for (const auto& s : a->commands_) require_in(*s, cookie, value, size, required);
}

}  // namespace pianola::runtime
