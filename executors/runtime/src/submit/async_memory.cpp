// SPDX-License-Identifier: Apache-2.0
// Allocation by commands, as the SYCL interface sees it.
#include "pianola/runtime/async_memory.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include <pianola/model/error.hpp>

#include "execute/memory_pools.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/event_record.hpp"
#include "queues/queue.hpp"
#include "replay/graphs/graph.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// Where the submission is recorded, if it is.
std::shared_ptr<graph> recording_of(const submission& s, queue* q) {
  if (s.place != nullptr) return s.place->into;
  if (q == nullptr)
    throw user_error(error_code::invalid,
                     "asynchronous allocation needs the handler of a queue, or of a node of a "
                     "graph; a dynamic_command_group has neither");
  {
    process& rt = process::instance();
    std::lock_guard lock(rt.mutex);
    if (auto g = q->recording.lock()) return g;
  }
  // What follows a recorded command is recorded, too.
  for (const event& e : s.after)
    if (is_recorded(e))
      if (auto g = e.record->recorded_in.lock(); g != nullptr && g->recording_active()) return g;
  return nullptr;
}

}  // namespace

std::shared_ptr<memory_pool> create_pool(const pool_description& d) {
  process& rt = process::instance();
  if (d.device.value() >= rt.machine.device_count() || d.kind == usm_kind::unknown)
    throw user_error(error_code::invalid, "there is no such device or kind of memory");
  auto pool = std::make_shared<memory_pool>(d);
  memory_pools::instance().add(*pool);
  return pool;
}

std::shared_ptr<memory_pool> default_pool(model::device_id device, usm_kind kind,
                                          const std::shared_ptr<const void>& context) {
  static_cast<void>(process::instance());
  pool_description d;
  d.device = device;
  d.kind = kind;
  d.context = context;
  return memory_pools::instance().default_pool(d);
}

pool_figures figures_of(const memory_pool& pool) {
  std::lock_guard lock(memory_pools::instance().mutex());
  return pool.figures;
}

void raise_threshold(memory_pool& pool, std::uint64_t bytes) {
  std::lock_guard lock(memory_pools::instance().mutex());
  pool.figures.threshold = std::max(pool.figures.threshold, bytes);
}

void reset_high_mark(memory_pool& pool, bool of_reserved) {
  std::lock_guard lock(memory_pools::instance().mutex());
  pool_figures& f = pool.figures;
  if (of_reserved)
    f.reserved_high = f.reserved;
  else
    f.used_high = f.used;
}

void* allocate_asynchronously(submission& s, queue* q, const std::shared_ptr<memory_pool>& pool,
                              std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const process& rt = process::instance();
  model::allocate_command command;
  command.bytes = bytes;
  command.zero = pool->description.zero;
  if (pool->description.kind == usm_kind::device)
    command.memory = rt.machine.memory_of(pool->description.device);
  if (const std::shared_ptr<graph> into = recording_of(s, q)) {
    s.memory = into->plan_allocation(s, q, pool->description, command);
  } else {
    const auto set_aside = memory_pools::instance().allocate(s, *q, pool, bytes);
    s.memory = set_aside;
    command.pointer = set_aside->base;
    command.allocation = s.memory->allocation;
    // Memory that is used again after all that was there has finished needs no edge.
    command.place = memory_pools::instance().number_bytes(bytes);
  }
  s.payload = command;
  return command.pointer;
}

void free_asynchronously(submission& s, queue* q, const void* context, void* pointer) {
  if (pointer == nullptr) return;
  model::free_command command;
  command.pointer = pointer;
  if (const std::shared_ptr<graph> into = recording_of(s, q)) {
    into->plan_end(command);
  } else {
    s.memory = memory_pools::instance().start_to_free(context, pointer, command.bytes);
    command.allocation = s.memory->allocation;
  }
  s.payload = command;
}

}  // namespace pianola::runtime
