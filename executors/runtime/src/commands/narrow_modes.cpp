// SPDX-License-Identifier: Apache-2.0
#include "commands/narrow_modes.hpp"

#include <algorithm>

namespace pianola::runtime {

void narrow_modes(const model::command_payload& payload, const found_slots& slots,
                  std::vector<model::requirement>& requirements) {
  const auto* kernel = std::get_if<model::kernel_command>(&payload);
  if (kernel == nullptr || kernel->kernel == nullptr || kernel->kernel->facts == nullptr) return;
  const model::kernel_facts& facts = *kernel->kernel->facts;
  // What is written through a plain pointer may be a buffer's memory, whose accessor then only says so.
  const auto is_slot = [&](const model::argument_use& use) {
    return std::any_of(slots.buffers.begin(), slots.buffers.end(),
                       [&](const model::argument_slot& s) { return s.offset == use.offset; });
  };
  if (!facts.only_uses || std::any_of(facts.uses.begin(), facts.uses.end(), [&](const auto& use) {
        return use.written && !is_slot(use);
      }))
    return;
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    model::requirement& r = requirements[i];
    if (r.mode != model::access_mode::read_write || r.no_init) continue;
    bool captured = false, written = false;
    for (const model::argument_slot& slot : slots.buffers) {
      if (slot.requirement != i) continue;
      captured = true;
      const model::argument_use* use = facts.at(slot.offset);
      written = written || (use != nullptr && use->written);
    }
    // One that is not captured is there for its effect on the order.
    if (captured && !written) r.mode = model::access_mode::read;
  }
}

}  // namespace pianola::runtime
