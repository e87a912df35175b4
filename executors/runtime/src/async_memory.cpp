// SPDX-License-Identifier: Apache-2.0
// Allocation by commands. In eager mode the memory is there when the command is put together, and is not used before the
// command's turn has come; what is freed goes back to its pool at once, together with the event after which it may be
// used again.
#include "pianola/runtime/async_memory.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <pianola/model/error.hpp>

#include "core.hpp"
#include "event_record.hpp"
#include "graph_impl.hpp"
#include "memory_desk.hpp"
#include "pointers.hpp"
#include "queue_impl.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

executors::memory_kind kind_of(usm_kind k) noexcept {
  if (k == usm_kind::host) return executors::memory_kind::host;
  return k == usm_kind::shared ? executors::memory_kind::shared : executors::memory_kind::device;
}

bool finished(const event& e) noexcept { return status(e) == event_status::complete; }

void grow(std::uint64_t& now, std::uint64_t& high, std::uint64_t bytes) noexcept {
  now += bytes;
  high = std::max(high, now);
}

// Where the submission is recorded, if it is.
std::shared_ptr<graph> recording_of(const submission& s, queue* q) {
  if (s.place != nullptr) return s.place->into;
  if (q == nullptr)
    throw user_error(error_code::invalid,
                     "asynchronous allocation needs the handler of a queue, or of a node of a "
                     "graph; a dynamic_command_group has neither");
  {
    core& c = core::instance();
    std::lock_guard lock(c.mutex);
    if (auto g = q->recording.lock()) return g;
  }
  // What follows a recorded command is recorded, too.
  for (const event& e : s.after)
    if (e.record != nullptr && e.record->node.valid())
      if (auto g = e.record->recorded_in.lock(); g != nullptr && g->recording_active()) return g;
  return nullptr;
}

}  // namespace

memory_desk& memory_desk::instance() {
  static memory_desk& one = *new memory_desk();  // outlives static pools
  return one;
}

// ---- pools ---------------------------------------------------------------------------------------

memory_pool::~memory_pool() {
  memory_desk::instance().forget(*this);
  core* c = core::started();
  if (c == nullptr) return;
  // Blocks whose end is still under way are freed when it has come.
  std::lock_guard lock(c->mutex);
  for (const pool_block& b : free) {
    pointer_registry::instance().add(b.base, b.bytes, description.kind, description.device, false);
    std::vector<executors::lane_position> users;
    if (!finished(b.freed)) users.push_back({b.freed.lane, b.freed.position});
    c->retired.push_back({std::move(users), {{b.base, true, true, description.device}}});
  }
  c->collect_retired();
}

void memory_desk::add(memory_pool& pool) {
  std::lock_guard lock(mutex_);
  pools_.push_back(&pool);
  in_use_.store(true, std::memory_order_release);
}

void memory_desk::forget(memory_pool& pool) noexcept {
  std::lock_guard lock(mutex_);
  pools_.erase(std::remove(pools_.begin(), pools_.end(), &pool), pools_.end());
}

std::uint64_t memory_desk::next_name() {
  std::lock_guard lock(mutex_);
  return ++names_;
}

std::shared_ptr<memory_pool> memory_desk::default_pool(const pool_description& d) {
  std::vector<default_entry> ended;  // pools end without the lock
  std::shared_ptr<memory_pool> made;
  {
    std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < defaults_.size();) {
      const default_entry& e = defaults_[i];
      if (e.context.expired()) {
        ended.push_back(std::move(defaults_[i]));
        defaults_.erase(defaults_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      if (e.pool->context == d.context.get() && e.pool->description.device == d.device &&
          e.pool->description.kind == d.kind)
        return e.pool;
      ++i;
    }
    made = std::make_shared<memory_pool>(d);
    pools_.push_back(made.get());
    in_use_.store(true, std::memory_order_release);
    defaults_.push_back({d.context, made});
  }
  return made;
}

void memory_desk::give_back(memory_pool& pool, const pool_block& block) noexcept {
  if (core* c = core::started()) {
    const device_entry& d = c->devices[pool.description.device.value()];
    d.owner->deallocate(d.index, kind_of(pool.description.kind), block.base);
  }
  pool.figures.reserved -= block.bytes;
}

void memory_desk::release_finished(memory_pool& pool, std::uint64_t keep) noexcept {
  // The one that has waited for longest goes first.
  for (std::size_t i = 0; i < pool.free.size() && pool.figures.reserved > keep;) {
    if (!finished(pool.free[i].freed)) {
      ++i;
      continue;
    }
    give_back(pool, pool.free[i]);
    pool.free.erase(pool.free.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void memory_desk::trim_pools() noexcept {
  std::lock_guard lock(mutex_);
  for (memory_pool* p : pools_) release_finished(*p, p->figures.threshold);
}

bool memory_desk::try_reserve(memory_pool& pool, std::uint64_t bytes, pool_block& out,
                              executors::status& why) noexcept {
  const pool_description& p = pool.description;
  if (p.maximum != 0 && (bytes > p.maximum || pool.figures.reserved > p.maximum - bytes)) {
    why.code = error_code::memory_allocation;
    why.reason = "the memory pool may hold " + std::to_string(p.maximum) + " bytes and has " +
                 std::to_string(pool.figures.reserved) + " bytes";
    return false;
  }
  const device_entry& d = core::instance().devices[p.device.value()];
  why = d.owner->allocate(d.index, kind_of(p.kind), bytes, 0, out.base);
  if (!why.ok()) return false;
  out.bytes = bytes;
  grow(pool.figures.reserved, pool.figures.reserved_high, bytes);
  return true;
}

std::shared_ptr<memory_step> memory_desk::allocate(submission& s, queue& q,
                                                   const std::shared_ptr<memory_pool>& pool,
                                                   std::uint64_t bytes) {
  core& c = core::instance();
  auto step = std::make_shared<memory_step>(memory_step::kind::allocation);
  event before;
  if (q.description().in_order) {
    std::lock_guard lock(c.mutex);
    before = q.last;
  }
  // What comes later in the same lane needs no waiting for.
  const auto ready = [&](const event& freed) {
    return finished(freed) || (freed.lane == before.lane && freed.position <= before.position);
  };
  std::unique_lock lock(mutex_);
  const auto smallest = [&](bool only_ready, std::uint64_t most) {
    std::size_t best = pool->free.size();
    for (std::size_t i = 0; i < pool->free.size(); ++i) {
      const pool_block& b = pool->free[i];
      if (b.bytes < bytes || b.bytes > most || (only_ready && !ready(b.freed))) continue;
      if (best == pool->free.size() || b.bytes < pool->free[best].bytes) best = i;
    }
    return best;
  };
  const auto from_free = [&](std::size_t i) {
    pool_block b = std::move(pool->free[i]);
    pool->free.erase(pool->free.begin() + static_cast<std::ptrdiff_t>(i));
    return b;
  };
  // Little is wasted while there is other memory.
  constexpr std::uint64_t little = 4096;
  pool_block block;
  executors::status why;
  if (const std::size_t i = smallest(true, std::max(2 * bytes, bytes + little));
      i != pool->free.size()) {
    block = from_free(i);
  } else if (!try_reserve(*pool, bytes, block, why)) {
    const std::size_t any = smallest(false, ~std::uint64_t{0});
    if (any != pool->free.size()) {
      block = from_free(any);
    } else {
      // Everything that is free goes back, whatever has to be waited for.
      std::vector<executors::lane_position> ends;
      for (const memory_pool* p : pools_)
        if (p->description.device == pool->description.device)
          for (const pool_block& b : p->free)
            if (!finished(b.freed)) ends.push_back({b.freed.lane, b.freed.position});
      if (!ends.empty()) {
        lock.unlock();
        c.wait(ends);
        lock.lock();
      }
      for (memory_pool* p : pools_)
        if (p->description.device == pool->description.device) release_finished(*p, 0);
      if (!try_reserve(*pool, bytes, block, why)) {
        // Nothing was set aside.
        step->taken = true;
        throw user_error(error_code::memory_allocation,
                         "async_malloc of " + std::to_string(bytes) + " bytes: " + why.reason);
      }
    }
  }
  step->base = block.base;
  step->pool = pool;
  step->allocation = ++names_;
  if (!finished(block.freed)) s.after.push_back(block.freed);
  grow(pool->figures.used, pool->figures.used_high, block.bytes);
  pointer_registry::instance().add(block.base, bytes, pool->description.kind,
                                   pool->description.device, false);
  taken_[block.base] = {pool, std::move(block), bytes, step->allocation, true};
  return step;
}

std::shared_ptr<memory_step> memory_desk::start_to_free(const void* context, void* pointer,
                                                        std::uint64_t& bytes) {
  auto step = std::make_shared<memory_step>(memory_step::kind::freeing);
  std::lock_guard lock(mutex_);
  const auto at = taken_.find(pointer);
  step->taken = true;  // nothing to be undone so far
  if (at == taken_.end() || at->second.leaving)
    throw user_error(
        error_code::invalid,
        "async_free takes what async_malloc returned and no command frees yet; this pointer is "
        "none. Memory of sycl::malloc_* is freed by sycl::free, memory that a graph allocates by "
        "a node of that graph");
  if (at->second.pool->context != context)
    throw user_error(error_code::invalid,
                     "async_free: the memory was allocated in another context than the queue's");
  at->second.leaving = true;
  bytes = at->second.bytes;
  step->base = pointer;
  step->allocation = at->second.name;
  step->pool = at->second.pool;
  step->taken = false;
  return step;
}

void memory_desk::take(memory_step& step, const event& done) {
  std::lock_guard lock(mutex_);
  step.taken = true;
  const auto at = taken_.find(step.base);
  if (step.what == memory_step::kind::allocation) {
    at->second.leaving = false;
    return;
  }
  pool_block block = std::move(at->second.block);
  block.freed = done;
  memory_pool& pool = *step.pool;  // which the step keeps
  taken_.erase(at);
  pointer_registry::instance().remove(block.base);
  pool.figures.used -= block.bytes;
  pool.free.push_back(std::move(block));
}

void memory_desk::undo(memory_step& step) noexcept {
  std::lock_guard lock(mutex_);
  const auto at = taken_.find(step.base);
  if (at == taken_.end() || at->second.name != step.allocation) return;
  if (step.what == memory_step::kind::freeing) {
    at->second.leaving = false;
    return;
  }
  memory_pool& pool = *step.pool;
  pointer_registry::instance().remove(step.base);
  pool.figures.used -= at->second.block.bytes;
  pool.free.push_back(std::move(at->second.block));
  taken_.erase(at);
}

memory_step::~memory_step() {
  if (taken) return;
  if (what != kind::graph_allocation) {
    memory_desk::instance().undo(*this);
  } else if (const auto g = planned_in.lock()) {
    g->drop_allocation(allocation);
  }
}

// ---- the memory of graphs ------------------------------------------------------------------------

graph_memory::~graph_memory() {
  core* c = core::started();
  if (c == nullptr) return;
  const device_entry& d = c->devices[device_.value()];
  for (std::size_t k = 0; k < std::size(regions_); ++k)
    for (void* block : regions_[k].blocks) {
      pointer_registry::instance().remove(block);
      d.owner->deallocate(d.index, kind_of(static_cast<usm_kind>(k)), block);
    }
}

graph_memory::place graph_memory::add(usm_kind kind, std::uint64_t bytes,
                                      const std::vector<char>& gone) {
  std::lock_guard lock(mutex_);
  region& r = regions_[static_cast<std::size_t>(kind)];
  const planner::growing_storage::place at = r.storage.find(bytes, gone);
  if (at.new_block) {
    const device_entry& d = core::instance().devices[device_.value()];
    void* base = nullptr;
    const executors::status status =
        d.owner->allocate(d.index, kind_of(kind), at.block_bytes, 0, base);
    if (!status.ok())
      throw user_error(error_code::memory_allocation,
                       "async_malloc of " + std::to_string(bytes) +
                           " bytes while a graph is recorded: " + status.reason);
    pointer_registry::instance().add(base, at.block_bytes, kind, device_, false);
    r.blocks.push_back(base);
    r.numbers.push_back(memory_desk::instance().number_bytes(at.block_bytes));
  }
  r.storage.add(bytes, at);
  return {static_cast<unsigned char*>(r.blocks[at.block]) + at.offset,
          r.numbers[at.block] + at.offset};
}

std::uint64_t graph_memory::bytes() const noexcept {
  std::lock_guard lock(mutex_);
  std::uint64_t sum = 0;
  for (const region& r : regions_) sum += r.storage.bytes();
  return sum;
}

// ---- the narrow interface ------------------------------------------------------------------------

std::shared_ptr<memory_pool> create_pool(const pool_description& d) {
  core& c = core::instance();
  if (d.device.value() >= c.devices.size() || d.kind == usm_kind::unknown)
    throw user_error(error_code::invalid, "there is no such device or kind of memory");
  auto pool = std::make_shared<memory_pool>(d);
  memory_desk::instance().add(*pool);
  return pool;
}

std::shared_ptr<memory_pool> default_pool(model::device_id device, usm_kind kind,
                                          const std::shared_ptr<const void>& context) {
  static_cast<void>(core::instance());
  pool_description d;
  d.device = device;
  d.kind = kind;
  d.context = context;
  return memory_desk::instance().default_pool(d);
}

pool_figures figures_of(const memory_pool& pool) {
  std::lock_guard lock(memory_desk::instance().mutex());
  return pool.figures;
}

void raise_threshold(memory_pool& pool, std::uint64_t bytes) {
  std::lock_guard lock(memory_desk::instance().mutex());
  pool.figures.threshold = std::max(pool.figures.threshold, bytes);
}

void reset_high_mark(memory_pool& pool, bool of_reserved) {
  std::lock_guard lock(memory_desk::instance().mutex());
  pool_figures& f = pool.figures;
  if (of_reserved)
    f.reserved_high = f.reserved;
  else
    f.used_high = f.used;
}

void* allocate_asynchronously(submission& s, queue* q, const std::shared_ptr<memory_pool>& pool,
                              std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const core& c = core::instance();
  model::allocate_command command;
  command.bytes = bytes;
  command.zero = pool->description.zero;
  if (pool->description.kind == usm_kind::device)
    command.memory = c.topology.memory_of(pool->description.device);
  if (const std::shared_ptr<graph> into = recording_of(s, q)) {
    s.memory = into->plan_allocation(s, q, pool->description, command);
  } else {
    s.memory = memory_desk::instance().allocate(s, *q, pool, bytes);
    command.pointer = s.memory->base;
    command.allocation = s.memory->allocation;
    // Memory that is used again after all that was there has finished needs no edge.
    command.place = memory_desk::instance().number_bytes(bytes);
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
    s.memory = memory_desk::instance().start_to_free(context, pointer, command.bytes);
    command.allocation = s.memory->allocation;
  }
  s.payload = command;
}

}  // namespace pianola::runtime
