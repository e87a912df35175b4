// SPDX-License-Identifier: Apache-2.0
// Memory that a graph allocates and frees itself: which allocations may share their room.
#include <pianola/model/error.hpp>

#include "execute/memory_pools.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/queue.hpp"
#include "replay/graphs/graph.hpp"
#include "replay/recorded/graph_memory.hpp"

namespace pianola::runtime {

namespace {

struct planned_allocation final : memory_step {
  ~planned_allocation() override {
    if (taken) return;
    if (const auto g = in.lock()) g->drop_allocation(allocation);
  }
  std::weak_ptr<graph> in;
};

// Of owned_allocations: those by pages, of any kind. What they share is not decided while recording.
constexpr unsigned of_pages = 3;

}  // namespace

using model::error_code;
using model::user_error;

std::vector<std::uint32_t> graph::known_before(const submission& s, queue* q) {
  std::vector<std::uint32_t> before;
  if (s.place != nullptr)
    for (const model::command_id id : s.place->after)
      if (id.value() < recorded_.size()) before.push_back(id.value());
  for (const event& e : s.after)
    if (is_node(e)) before.push_back(e.record->node.value());
  if (q != nullptr) {
    process& rt = process::instance();
    std::lock_guard runtime_lock(rt.mutex);
    if (is_recorded_by(*q)) {
      const model::command_id last = recorded_by(*q).before_next();
      if (last.valid()) before.push_back(last.value());
    }
  }
  return before;
}

std::shared_ptr<memory_step> graph::plan_allocation(const submission& s, queue* q,
                                                    const pool_description& pool,
                                                    model::allocate_command& command) {
  if (pool.device != device_)
    throw user_error(error_code::invalid,
                     "async_malloc: the graph works on another device than the memory pool");
  auto step = std::make_shared<planned_allocation>();
  std::lock_guard<std::mutex> lock(mutex_);
  step->taken = true;  // nothing to be undone so far
  if (memory_ == nullptr) memory_ = std::make_shared<graph_memory>(device_);
  command.allocation = memory_pools::instance().next_name();
  const auto kind = static_cast<unsigned>(pool.kind);
  if (memory_->by_pages(pool.kind, command.bytes)) {
    command.pointer = memory_->add_by_pages(pool.kind, command.bytes, command.allocation);
    owned_.add(command.allocation, command.pointer, command.bytes, of_pages);
  } else {
    const std::vector<char>& past = recorded_.past_of(known_before(s, q));
    const graph_memory::place at =
        memory_->add(pool.kind, command.bytes, owned_.over_by(past, kind));
    command.pointer = at.pointer;
    command.place = at.number;
    owned_.add(command.allocation, at.pointer, command.bytes, kind);
  }
  step->allocation = command.allocation;
  step->in = weak_from_this();
  step->taken = false;
  return step;
}

void graph::drop_allocation(std::uint64_t name) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  owned_.drop(name);
}

void graph::plan_end(model::free_command& command) const {
  std::lock_guard<std::mutex> lock(mutex_);
  bool freed = false;
  if (const recorder::owned_allocations::entry* a = owned_.find(command.pointer, freed)) {
    command.allocation = a->name;
    command.bytes = a->bytes;
    return;
  }
  throw user_error(error_code::invalid,
                   freed ? "async_free: a node of this graph frees this memory already"
                         : "async_free: no node of this graph allocates this memory. What was "
                           "allocated outside of a recording is freed outside");
}

void graph::note_memory(const model::command_payload& payload, submission& s,
                        model::command_id id) {
  if (const auto* allocation = std::get_if<model::allocate_command>(&payload)) {
    if (owned_.begin(allocation->allocation, id)) {
      s.memory->taken = true;
      return;
    }
    throw user_error(error_code::invalid,
                     "async_malloc: the command group was not known to be recorded into this graph "
                     "when it allocated; call depends_on before async_malloc");
  }
  const auto* freeing = std::get_if<model::free_command>(&payload);
  if (freeing == nullptr || owned_.end(freeing->allocation, id)) return;
  throw user_error(error_code::invalid,
                   "async_free: no node of this graph allocates this memory, or one frees it "
                   "already; if a dependency makes the command a node, call depends_on first");
}

std::uint64_t graph::owned_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return memory_ == nullptr ? 0 : memory_->bytes();
}

}  // namespace pianola::runtime
