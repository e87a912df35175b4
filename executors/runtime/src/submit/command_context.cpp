// SPDX-License-Identifier: Apache-2.0
#include "submit/command_context.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include <pianola/host/thread_storage.hpp>
#include <pianola/planner/planning_state.hpp>

#include "data/buffer_table.hpp"
#include "failures/step_context.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/queue.hpp"

namespace pianola::runtime {

namespace {

// Part of what a requirement writes, and where that was valid before.
struct written_piece {
  std::uint32_t requirement;
  bool known;  // false: it is valid here and there, and the list would be too long
  model::memory_set valid;
  model::box elements;
};

// Storage that is used again by every submission of a thread.
struct context_scratch {
  std::vector<written_piece> before;
  std::vector<std::byte> context;
  std::vector<std::uint64_t> more;

  static context_scratch& here() { return host::thread_storage<context_scratch>::get(); }
};

// What a failure of the command does harm to.
model::box touched_elements(const process& rt, const model::requirement& r) {
  return r.no_init ? r.elements : rt.state.info(r.buffer).grid.page_aligned(r.elements);
}

// More are not worth to be kept.
constexpr std::size_t most_pieces = 256;

}  // namespace

void note_validity_before(const process& rt, const std::vector<model::requirement>& requirements) {
  std::vector<written_piece>& out = context_scratch::here().before;
  out.clear();
  for (std::uint32_t i = 0; i < requirements.size(); ++i) {
    const model::requirement& r = requirements[i];
    if (!writes(r.mode)) continue;
    const model::box all = touched_elements(rt, r);
    const std::size_t first = out.size();
    bool uniform = true;
    rt.state.for_each_validity(r.buffer, all, [&](const model::box& e, const model::memory_set& m) {
      if (out.size() - first == most_pieces) return;
      out.push_back({i, true, m, e});
      uniform = uniform && m == out[first].valid;
    });
    if (out.size() == first) continue;  // no elements
    if (uniform || out.size() - first == most_pieces) {
      out.resize(first + 1);
      out[first].known = uniform;
      out[first].elements = all;
    }
  }
}

model::array_view<const std::byte> make_context(const process& rt, const queue& q,
                                                const submission& s, const model::command& command,
                                                model::step_id step, model::memory_id memory,
                                                std::shared_ptr<event_record>* record,
                                                const place_in_group& place) {
  const bool several_memories = rt.machine.has_several_memories();
  auto& bytes = context_scratch::here().context;
  const std::vector<written_piece>& before = context_scratch::here().before;
  const std::size_t requirements = command.requirements.size();
  std::size_t n = requirements;
  if (several_memories) {
    n = before.size();
    for (const model::requirement& r : command.requirements) n += writes(r.mode) ? 0 : 1;
  }
  std::size_t more_words = 0;
  if (several_memories)
    for (const written_piece& p : before)
      more_words += std::max<std::size_t>(p.valid.word_count(), 1) - 1;
  const std::size_t behind = sizeof(step_context) + n * sizeof(touched_box);
  bytes.resize(behind + more_words * sizeof(std::uint64_t));
  auto* context = new (bytes.data()) step_context();
  context->queue = q.id();
  context->step = step;
  context->record = record;
  context->opens = place.first;
  context->closes = place.last;
  context->touched_count = static_cast<std::uint32_t>(n);
  std::vector<std::uint64_t>& more = context_scratch::here().more;
  more.clear();
  const std::uint64_t on_host = model::memory_set(model::host_memory).word(0);
  auto* touched = reinterpret_cast<touched_box*>(bytes.data() + sizeof(step_context));
  const auto touch = [&](std::size_t i) -> touched_box& {
    const model::requirement& r = command.requirements[i];
    const bool for_order = s.accessors[i].for_order;
    auto* t = new (touched++) touched_box();
    t->buffer = r.buffer;
    t->generation = std::as_const(rt.buffers)[r.buffer].generation;
    t->memory = r.memory.valid() ? r.memory : memory;
    t->reads = r.needs_data() || for_order;
    t->writes = writes(r.mode);
    t->replaces = r.no_init && !for_order;
    t->for_order = for_order;
    t->elements = touched_elements(rt, r);
    t->before = on_host;
    return *t;
  };
  for (std::size_t i = 0, next = 0; i < requirements; ++i) {
    const model::requirement& r = command.requirements[i];
    if (!several_memories || !writes(r.mode)) {
      touch(i);
      continue;
    }
    for (; next < before.size() && before[next].requirement == i; ++next) {
      touched_box& t = touch(i);
      t.elements = before[next].elements;
      set_before(t, before[next].valid, more);
      t.uniform = before[next].known;
    }
  }
  if (!more.empty()) std::memcpy(bytes.data() + behind, more.data(), more.size() * sizeof more[0]);
  return {bytes.data(), bytes.size()};
}

}  // namespace pianola::runtime
