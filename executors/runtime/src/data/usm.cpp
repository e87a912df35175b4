// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/usm.hpp"

#include <deque>
#include <mutex>
#include <vector>

#include <pianola/model/error.hpp>

#include "data/pointer_registry.hpp"
#include "machine/machine.hpp"
#include "process.hpp"

namespace pianola::runtime {

executors::memory_kind memory_kind_of(usm_kind k) noexcept {
  switch (k) {
    case usm_kind::host:
      return executors::memory_kind::host;
    case usm_kind::shared:
      return executors::memory_kind::shared;
    case usm_kind::device:
    case usm_kind::unknown:
      break;
  }
  return executors::memory_kind::device;
}

namespace {

// Memory that the program has freed while what it does is checked: a command that still uses it is told of, and does not end
// the process. The oldest is given back for good when it is too much.
class freed_memory {
 public:
  static freed_memory& instance() {
    // Commands may run until the process ends.
    static freed_memory& all = *new freed_memory;
    return all;
  }
  void keep(const pointer_query& what, void* base) {
    std::vector<block> gone;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      blocks_.push_back({what.device, memory_kind_of(what.kind), base, what.bytes});
      bytes_ += what.bytes;
      while (bytes_ > most_bytes) gone.push_back(take_oldest());
    }
    for (const block& b : gone) give_back(b);
  }
  // Whether there was any.
  bool give_all_back() {
    std::deque<block> all;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      all.swap(blocks_);
      bytes_ = 0;
    }
    for (const block& b : all) give_back(b);
    return !all.empty();
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{256} << 20;
  struct block {
    model::device_id device;
    executors::memory_kind kind;
    void* base;
    std::size_t bytes;
  };
  block take_oldest() {
    const block b = blocks_.front();
    blocks_.pop_front();
    bytes_ -= b.bytes;
    return b;
  }
  static void give_back(const block& b) noexcept {
    const device_entry& d = process::instance().machine.device(b.device);
    d.owner->deallocate(d.index, b.kind, b.base);
  }

  std::mutex mutex_;
  std::deque<block> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace

void* usm_allocate(usm_kind kind, std::size_t bytes, std::size_t alignment,
                   model::device_id device) noexcept {
  try {
    process& rt = process::instance();
    if (bytes == 0 || device.value() >= rt.machine.device_count() || kind == usm_kind::unknown)
      return nullptr;
    const device_entry& d = rt.machine.device(device);
    void* pointer = nullptr;
    const auto allocate = [&] {
      return d.owner->allocate(d.index, memory_kind_of(kind), bytes, alignment, pointer).ok();
    };
    if (!allocate() && !(freed_memory::instance().give_all_back() && allocate())) return nullptr;
    pointer_registry::instance().add(pointer, bytes, kind, device, allocation_use::program);
    return pointer;
  } catch (...) {
    return nullptr;
  }
}

void free_usm_allocation(void* base) noexcept {
  process* rt = process::started();
  if (rt == nullptr) return;
  const pointer_query q = pointer_registry::instance().remove(base);
  if (q.kind == usm_kind::unknown) return;
  const device_entry& d = rt->machine.device(q.device);
  d.owner->deallocate(d.index, memory_kind_of(q.kind), base);
}

void usm_free(void* pointer) {
  if (pointer == nullptr) return;
  if (!pointer_registry::instance().is_user_allocation(pointer))
    throw model::user_error(
        model::error_code::invalid,
        "sycl::free takes the start of a USM allocation that was not freed yet; "
        "this pointer is none");
  if (!pointer_registry::instance().keeps_freed_memory()) return free_usm_allocation(pointer);
  const pointer_query q = pointer_registry::instance().remove(pointer);
  if (q.kind != usm_kind::unknown) freed_memory::instance().keep(q, pointer);
}

pointer_query query_pointer(const void* pointer) noexcept {
  return pointer_registry::instance().find(pointer);
}

}  // namespace pianola::runtime
