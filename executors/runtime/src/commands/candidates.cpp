// SPDX-License-Identifier: Apache-2.0
#include "commands/candidates.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <pianola/model/error.hpp>

#include "commands/launch_checks.hpp"
#include "data/pointer_registry.hpp"
#include "machine/image_checks.hpp"
#include "machine/machine.hpp"

namespace pianola::runtime {

namespace {

bool holds_pointer(const model::argument_block& arguments) {
  const auto* bytes = static_cast<const unsigned char*>(arguments.bytes);
  for (std::size_t at = 0; bytes != nullptr && at + sizeof(void*) <= arguments.size;
       at += sizeof(void*)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    // Numbers and cookies are none.
    if (word < 4096 || word >> 47 != 0) continue;
    if (pointer_registry::instance().find(reinterpret_cast<const void*>(word)).kind !=
        usm_kind::unknown)
      return true;
  }
  return false;
}

// Buffers are all that the kernel is known to use, each through an accessor in its arguments.
bool uses_accessors(const model::command& command, const model::kernel_command& k) {
  for (std::uint32_t i = 0; i < command.requirements.size(); ++i) {
    if (command.requirements[i].memory.valid()) return false;
    if (std::none_of(k.slots.begin(), k.slots.end(), [i](const model::argument_slot& s) {
          return s.what == model::argument_slot::kind::buffer && s.requirement == i;
        }))
      return false;
  }
  return std::none_of(k.slots.begin(), k.slots.end(), [](const model::argument_slot& s) {
    return s.what == model::argument_slot::kind::texture;
  });
}

// The compiler has seen every access, and all go through accessors.
bool proven(const model::kernel_command& k) {
  const model::kernel_facts* facts = k.kernel->facts;
  return facts != nullptr && facts->only_uses &&
         std::all_of(facts->uses.begin(), facts->uses.end(), [&](const model::argument_use& use) {
           return std::any_of(k.slots.begin(), k.slots.end(), [&](const model::argument_slot& s) {
             return s.offset == use.offset;
           });
         });
}

}  // namespace

bool can_launch(const machine& m, const model::kernel_command& k, model::device_id d) {
  if (!m.device(d).needs_images && k.kernel->entry == nullptr) return false;
  if (!has_image(m, k, d)) return false;
  try {
    check_launch(k, m.properties(d));
  } catch (const model::user_error&) {
    return false;
  }
  return true;
}

std::vector<model::device_id> candidates_of(const machine& m, const model::command& command,
                                            const std::vector<model::device_id>& allowed) {
  std::vector<model::device_id> found;
  const auto* k = std::get_if<model::kernel_command>(&command.payload);
  if (k == nullptr || k->kernel == nullptr || command.lane.valid() ||
      k->arguments.operations != nullptr || !uses_accessors(command, *k) ||
      holds_pointer(k->arguments))
    return found;
  const bool any_code = proven(*k);
  const auto& sub_groups = m.properties(command.device).sub_group_sizes;
  for (const model::device_id d : allowed) {
    if (d == command.device) {
      found.push_back(d);
      continue;
    }
    const bool host_code = !m.device(d).needs_images && !m.device(command.device).needs_images;
    // What a work-item finds in its sub-group follows from the device.
    if (k->geometry.grouped && m.properties(d).sub_group_sizes != sub_groups) continue;
    if ((host_code || any_code) && can_launch(m, *k, d)) found.push_back(d);
  }
  if (!std::binary_search(found.begin(), found.end(), command.device))
    found.insert(std::upper_bound(found.begin(), found.end(), command.device), command.device);
  if (found.size() < 2) found.clear();
  return found;
}

}  // namespace pianola::runtime
