// SPDX-License-Identifier: Apache-2.0
#include "issue/pending_step.hpp"

#include <cstring>
#include <utility>

namespace pianola::gpu {

pending_step::pending_step(const executors::step_submission& step, gpu_graph* launched,
                           executors::status why_not, record& kept)
    : of(kept),
      action(step.action),
      graph(launched),
      waits(step.waits.begin(), step.waits.end()),
      begun(step.begun.begin(), step.begun.end()),
      failure(std::move(why_not)) {
  const auto copy = [this](const void* from, std::size_t size) {
    bytes_.resize(size);
    if (size != 0) std::memcpy(bytes_.data(), from, size);
    return bytes_.data();
  };
  if (auto* k = std::get_if<executors::resolved_kernel>(&action)) {
    if (!k->owns_arguments) k->arguments.bytes = copy(k->arguments.bytes, k->arguments.size);
    local_slots_.assign(k->local_slots.begin(), k->local_slots.end());
    k->local_slots = local_slots_;
    if (k->geometry.part != nullptr) {
      part_ = *k->geometry.part;
      k->geometry.part = &part_;
    }
    texture_slots_.assign(k->texture_slots.begin(), k->texture_slots.end());
    k->texture_slots = texture_slots_;
  } else if (auto* t = std::get_if<executors::resolved_host_task>(&action)) {
    if (!t->owns_arguments) t->arguments.bytes = copy(t->arguments.bytes, t->arguments.size);
  } else if (auto* f = std::get_if<executors::resolved_fill>(&action)) {
    if (f->large_pattern != nullptr) f->large_pattern = copy(f->large_pattern, f->pattern_bytes);
  }
}

}  // namespace pianola::gpu
