// SPDX-License-Identifier: Apache-2.0
// Allocation by commands. In eager mode the memory is there when the command is put together, and is not used before the
// command's turn has come; what is freed goes back to its pool at once, together with the event after which it may be
// used again.
#include "execute/memory_pools.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <pianola/model/error.hpp>

#include "data/buffer_table.hpp"
#include "data/pointer_registry.hpp"
#include "execute/waiting.hpp"
#include "machine/machine.hpp"
#include "process.hpp"
#include "queues/queue.hpp"

namespace pianola::runtime {

using model::error_code;
using model::user_error;

namespace {

// As the program would see it. It is the pool that looks, so a recording of the program is told nothing; and the pools'
// lock is held, under which the runtime's must not be taken.
bool finished(const event& e) noexcept {
  if (e.lane == nullptr || e.lane->reached(e.position)) return true;
  executors::progress_source* const source = e.lane->source();
  if (source == nullptr) return false;
  source->look(*e.lane);
  return e.lane->reached(e.position);
}

void grow(std::uint64_t& now, std::uint64_t& high, std::uint64_t bytes) noexcept {
  now += bytes;
  high = std::max(high, now);
}

}  // namespace

memory_pools& memory_pools::instance() {
  static memory_pools& one = *new memory_pools();  // outlives static pools
  return one;
}

memory_pool::~memory_pool() {
  memory_pools::instance().forget(*this);
  process* rt = process::started();
  if (rt == nullptr) return;
  // Blocks whose end is still under way are freed when it has come.
  std::lock_guard lock(rt->mutex);
  for (const pool_block& b : free) {
    pointer_registry::instance().add(b.base, b.bytes, description.kind, description.device,
                                     allocation_use::other);
    std::vector<executors::lane_position> users;
    if (!finished(b.freed)) users.push_back({b.freed.lane, b.freed.position});
    rt->buffers.retire(std::move(users), {{b.base, true, true, description.device}});
  }
  rt->buffers.collect_retired();
}

void memory_pools::add(memory_pool& pool) {
  std::lock_guard lock(mutex_);
  pools_.push_back(&pool);
  in_use_.store(true, std::memory_order_release);
}

void memory_pools::forget(memory_pool& pool) noexcept {
  std::lock_guard lock(mutex_);
  pools_.erase(std::remove(pools_.begin(), pools_.end(), &pool), pools_.end());
}

std::uint64_t memory_pools::next_name() {
  std::lock_guard lock(mutex_);
  return ++names_;
}

std::shared_ptr<memory_pool> memory_pools::default_pool(const pool_description& d) {
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

void memory_pools::give_back(memory_pool& pool, const pool_block& block) noexcept {
  if (process* rt = process::started()) {
    const device_entry& d = rt->machine.device(pool.description.device);
    d.owner->deallocate(d.index, memory_kind_of(pool.description.kind), block.base);
  }
  pool.figures.reserved -= block.bytes;
}

void memory_pools::release_finished(memory_pool& pool, std::uint64_t keep) noexcept {
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

void memory_pools::trim_pools() noexcept {
  std::lock_guard lock(mutex_);
  for (memory_pool* p : pools_) release_finished(*p, p->figures.threshold);
}

bool memory_pools::try_reserve(memory_pool& pool, std::uint64_t bytes, pool_block& out,
                               executors::status& why) noexcept {
  const pool_description& p = pool.description;
  if (p.maximum != 0 && (bytes > p.maximum || pool.figures.reserved > p.maximum - bytes)) {
    why.code = error_code::memory_allocation;
    why.reason = fmt::format("the memory pool may hold {} bytes and has {} bytes", p.maximum,
                             pool.figures.reserved);
    return false;
  }
  const device_entry& d = process::instance().machine.device(p.device);
  why = d.owner->allocate(d.index, memory_kind_of(p.kind), bytes, 0, out.base);
  if (!why.ok()) return false;
  out.bytes = bytes;
  grow(pool.figures.reserved, pool.figures.reserved_high, bytes);
  return true;
}

std::shared_ptr<pool_step> memory_pools::allocate(submission& s, queue& q,
                                                  const std::shared_ptr<memory_pool>& pool,
                                                  std::uint64_t bytes) {
  process& rt = process::instance();
  auto step = std::make_shared<pool_step>(pool_step::kind::allocation);
  event before;
  if (q.description().in_order) {
    std::lock_guard lock(rt.mutex);
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
        wait_until_reached(rt, ends);
        lock.lock();
      }
      for (memory_pool* p : pools_)
        if (p->description.device == pool->description.device) release_finished(*p, 0);
      if (!try_reserve(*pool, bytes, block, why)) {
        // Nothing was set aside.
        step->taken = true;
        throw user_error(error_code::memory_allocation,
                         fmt::format("async_malloc of {} bytes: {}", bytes, why.reason));
      }
    }
  }
  step->base = block.base;
  step->pool = pool;
  step->allocation = ++names_;
  if (!finished(block.freed)) s.after.push_back(block.freed);
  grow(pool->figures.used, pool->figures.used_high, block.bytes);
  pointer_registry::instance().add(block.base, bytes, pool->description.kind,
                                   pool->description.device, allocation_use::other);
  taken_[block.base] = {pool, std::move(block), bytes, step->allocation, true};
  return step;
}

std::shared_ptr<pool_step> memory_pools::start_to_free(const void* context, void* pointer,
                                                       std::uint64_t& bytes) {
  auto step = std::make_shared<pool_step>(pool_step::kind::freeing);
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

void memory_pools::take(pool_step& step, const event& done) {
  std::lock_guard lock(mutex_);
  step.taken = true;
  const auto at = taken_.find(step.base);
  if (step.what == pool_step::kind::allocation) {
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

void memory_pools::undo(pool_step& step) noexcept {
  std::lock_guard lock(mutex_);
  const auto at = taken_.find(step.base);
  if (at == taken_.end() || at->second.name != step.allocation) return;
  if (step.what == pool_step::kind::freeing) {
    at->second.leaving = false;
    return;
  }
  memory_pool& pool = *step.pool;
  pointer_registry::instance().remove(step.base);
  pool.figures.used -= at->second.block.bytes;
  pool.free.push_back(std::move(at->second.block));
  taken_.erase(at);
}

pool_step::~pool_step() {
  if (!taken) memory_pools::instance().undo(*this);
}

void pool_step::take(const event& done) { memory_pools::instance().take(*this, done); }

}  // namespace pianola::runtime
