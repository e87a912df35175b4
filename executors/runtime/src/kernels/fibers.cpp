// SPDX-License-Identifier: Apache-2.0
#include "pianola/runtime/fibers.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include <boost/context/detail/fcontext.hpp>

#include <pianola/host/thread_storage.hpp>
#include <pianola/model/error.hpp>

#include "pianola/runtime/address_spaces.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define PIANOLA_ASAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PIANOLA_ASAN_FIBERS 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define PIANOLA_TSAN_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PIANOLA_TSAN_FIBERS 1
#endif
#endif
#if defined(PIANOLA_ASAN_FIBERS)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(PIANOLA_TSAN_FIBERS)
#include <sanitizer/tsan_interface.h>
#endif

namespace pianola::runtime {

namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// Enough for kernels with arrays of a few tens of kilobytes; touched pages only cost memory.
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

constexpr std::size_t slots_per_item = 2;

// Thrown into suspended work-items to unwind them when the group has failed.
struct cancelled {};

enum class state : unsigned char {
  idle,  // or running on the stack of the thread
  ready,
  at_group_barrier,
  at_sub_group_barrier,
  at_members_barrier,
  at_meeting,
  done
};

// A suspended thread of control: a fiber, or the thread that schedules them.
struct context {
  fcontext_t at = nullptr;
  void* stack = nullptr;  // lowest address
  std::size_t bytes = 0;
#if defined(PIANOLA_ASAN_FIBERS)
  void* fake_stack = nullptr;
#endif
#if defined(PIANOLA_TSAN_FIBERS)
  void* tsan = nullptr;
#endif
};

}  // namespace

struct fiber_group {
  struct item_fiber : context {
    std::uint64_t key = 0;  // the members of the barrier, or the place of the meeting
  };
  // Fibers are made once per thread and run one work-item after the other.
  std::vector<std::unique_ptr<item_fiber>> fibers;
  std::vector<state> now;    // of each of them
  std::vector<void*> slots;  // two for each work-item; the first is null for those that have left
  context scheduler;
  std::uint32_t items = 0;
  std::uint32_t left = 0;  // work-items that are done
  std::uint32_t sub_group_size = 1;
  std::uint32_t current = 0;
  void (*body)(void*, std::uint32_t, fiber_group&) = nullptr;
  void* body_context = nullptr;
  bool cancel = false;
  bool asked_who = false;  // a work-item needs to know which one it is
  std::exception_ptr error;
};

namespace {

// Suspends `from` and resumes `to`. Returns when somebody resumes `from`.
void switch_context(context& from, context& to) {
#if defined(PIANOLA_TSAN_FIBERS)
  __tsan_switch_to_fiber(to.tsan, 0);
#endif
#if defined(PIANOLA_ASAN_FIBERS)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.stack, to.bytes);
#endif
  const transfer_t t = jump_fcontext(to.at, &from);
  static_cast<context*>(t.data)->at = t.fctx;
#if defined(PIANOLA_ASAN_FIBERS)
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

// The next work-item of this round that can run, starting after `item`; `items` if there is none.
std::uint32_t next_ready(const fiber_group& g, std::uint32_t item) {
  while (item < g.items && g.now[item] != state::ready) ++item;
  return item;
}

// Gives way to the next work-item of the round, or to the scheduler at its end.
void give_way(fiber_group& g, std::uint32_t item) {
  const std::uint32_t next = next_ready(g, item + 1);
  context& from = *g.fibers[item];
  if (next < g.items) {
    g.current = next;
    switch_context(from, *g.fibers[next]);
  } else {
    switch_context(from, g.scheduler);
  }
}

thread_local fiber_group* starting_group = nullptr;
thread_local std::uint32_t starting_item = 0;

void fiber_main(transfer_t t) {
  static_cast<context*>(t.data)->at = t.fctx;
  fiber_group& g = *starting_group;
  const std::uint32_t item = starting_item;
#if defined(PIANOLA_ASAN_FIBERS)
  const void* bottom = nullptr;
  std::size_t size = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &size);
  // The first switch always comes from the scheduler: this is its stack.
  g.scheduler.stack = const_cast<void*>(bottom);
  g.scheduler.bytes = size;
#endif
  // Made; waits for its first work-item.
  switch_context(*g.fibers[item], g.scheduler);
  for (;;) {
    try {
      g.body(g.body_context, item, g);
    } catch (const cancelled&) {
    } catch (...) {
      if (!g.error) g.error = std::current_exception();
      g.cancel = true;
    }
    g.now[item] = state::done;
    g.slots[slots_per_item * item] = nullptr;
    ++g.left;
    give_way(g, item);
  }
}

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Stacks go with their thread: a fiber that is suspended in its loop holds nothing.
struct group_of_a_thread : fiber_group {
  group_of_a_thread() {
#if defined(PIANOLA_TSAN_FIBERS)
    scheduler.tsan = __tsan_get_current_fiber();
#endif
  }
  ~group_of_a_thread() {
    for (const auto& f : fibers) {
#if defined(PIANOLA_TSAN_FIBERS)
      __tsan_destroy_fiber(f->tsan);
#endif
      munmap(static_cast<char*>(f->stack) - page_bytes(), stack_bytes + page_bytes());
    }
  }
  group_of_a_thread(const group_of_a_thread&) = delete;
  group_of_a_thread& operator=(const group_of_a_thread&) = delete;
};

void add_fiber(fiber_group& g) {
  const std::size_t page = page_bytes();
  void* memory = mmap(nullptr, stack_bytes + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mprotect(memory, page, PROT_NONE);
  auto f = std::make_unique<fiber_group::item_fiber>();
  f->stack = static_cast<char*>(memory) + page;
  f->bytes = stack_bytes;
  f->at = make_fcontext(static_cast<char*>(f->stack) + stack_bytes, stack_bytes, &fiber_main);
#if defined(PIANOLA_TSAN_FIBERS)
  f->tsan = __tsan_create_fiber(0);
#endif
  g.now.reserve(g.fibers.size() + 1);
  g.fibers.push_back(std::move(f));
  g.now.push_back(state::idle);
  starting_group = &g;
  starting_item = static_cast<std::uint32_t>(g.fibers.size() - 1);
  switch_context(g.scheduler, *g.fibers.back());
}

void need_fibers(fiber_group& g, std::uint32_t count) {
  while (g.fibers.size() < count) add_fiber(g);
}

std::uint32_t end_of_sub_group(const fiber_group& g, std::uint32_t first) {
  return first + g.sub_group_size < g.items ? first + g.sub_group_size : g.items;
}

// The work-items first .. last-1 that are in this state with this key, a bit for each.
std::uint64_t waiting(const fiber_group& g, std::uint32_t first, std::uint32_t last, state where,
                      std::uint64_t key) {
  std::uint64_t members = 0;
  for (std::uint32_t i = first; i < last; ++i)
    if (g.now[i] == where && g.fibers[i]->key == key) members |= std::uint64_t{1} << (i - first);
  return members;
}

// Barriers of some members of the sub-group from `first` on. Who has left counts as arrived.
bool open_members_barriers(fiber_group& g, std::uint32_t first) {
  const std::uint32_t last = end_of_sub_group(g, first);
  std::uint64_t gone = 0;
  for (std::uint32_t i = first; i < last; ++i)
    if (g.now[i] == state::done) gone |= std::uint64_t{1} << (i - first);
  bool any = false;
  for (std::uint32_t i = first; i < last; ++i) {
    if (g.now[i] != state::at_members_barrier) continue;
    const std::uint64_t members = g.fibers[i]->key;
    if ((waiting(g, first, last, state::at_members_barrier, members) | (gone & members)) != members)
      continue;
    for (std::uint32_t k = first; k < last; ++k)
      if (g.now[k] == state::at_members_barrier && g.fibers[k]->key == members)
        g.now[k] = state::ready;
    any = true;
  }
  return any;
}

// Leaves the members in the keys.
bool open_meetings(fiber_group& g) {
  bool any = false;
  for (std::uint32_t first = 0; first < g.items; first += g.sub_group_size) {
    const std::uint32_t last = end_of_sub_group(g, first);
    for (std::uint32_t i = first; i < last; ++i) {
      if (g.now[i] != state::at_meeting) continue;
      const std::uint64_t members = waiting(g, first, last, state::at_meeting, g.fibers[i]->key);
      for (std::uint32_t k = i; k < last; ++k)
        if (((members >> (k - first)) & 1) != 0) {
          g.fibers[k]->key = members;
          g.now[k] = state::ready;
        }
      any = true;
    }
  }
  return any;
}

// Most often all work-items wait for the same.
bool open_only_barrier(fiber_group& g) {
  static_assert(sizeof(state) == 1);
  const state where = g.now[0];
  if (where != state::at_group_barrier && where != state::at_sub_group_barrier) return false;
  if (std::memcmp(g.now.data(), g.now.data() + 1, g.items - 1) != 0) return false;
  std::fill_n(g.now.begin(), g.items, state::ready);
  return true;
}

// Lets whoever waits at a complete barrier go on. False if nobody can.
bool open_barriers(fiber_group& g) {
  if (open_only_barrier(g)) return true;
  bool any = false;
  bool all_at_group = true;
  for (std::uint32_t first = 0; first < g.items; first += g.sub_group_size) {
    const std::uint32_t last = end_of_sub_group(g, first);
    bool all_at_sub = true, some_at_sub = false;
    for (std::uint32_t i = first; i < last; ++i) {
      const state s = g.now[i];
      if (s == state::at_sub_group_barrier)
        some_at_sub = true;
      else if (s != state::done)
        all_at_sub = false;
      if (s != state::at_group_barrier && s != state::done) all_at_group = false;
    }
    if (!all_at_sub) any |= open_members_barriers(g, first);
    if (!some_at_sub || !all_at_sub) continue;
    for (std::uint32_t i = first; i < last; ++i)
      if (g.now[i] == state::at_sub_group_barrier) g.now[i] = state::ready;
    any = true;
  }
  if (!any) any = open_meetings(g);
  if (any || !all_at_group) return any;
  for (std::uint32_t i = 0; i < g.items; ++i)
    if (g.now[i] == state::at_group_barrier) {
      g.now[i] = state::ready;
      any = true;
    }
  return any;
}

void wait_at(fiber_group& g, state where) {
  const std::uint32_t item = g.current;
  g.now[item] = where;
  give_way(g, item);
  g.current = item;
  if (g.cancel) throw cancelled();
}

void run_round(fiber_group& g) {
  const std::uint32_t first = next_ready(g, 0);
  if (first == g.items) return;
  g.current = first;
  switch_context(g.scheduler, *g.fibers[first]);
}

void start(fiber_group& g, std::uint32_t items, std::uint32_t sub_group_size,
           void (*body)(void*, std::uint32_t, fiber_group&), void* body_context) {
  need_fibers(g, 1);
  g.items = items;
  g.left = 0;
  g.sub_group_size = sub_group_size == 0 ? 1 : sub_group_size;
  g.body = body;
  g.body_context = body_context;
  g.cancel = false;
  g.asked_who = false;
  g.error = nullptr;
}

// Makes the work-items first .. items-1 of the group ready; if that cannot be done, cancels those before.
void add_items(fiber_group& g, std::uint32_t first, std::uint32_t items) {
  try {
    need_fibers(g, items);
  } catch (...) {
    // The others must not stay behind on their fibers.
    g.error = std::current_exception();
    g.cancel = true;
    return;
  }
  g.items = items;
  for (std::uint32_t i = first; i < items; ++i) g.now[i] = state::ready;
}

// Who waits finds out that the group is cancelled.
void wake_all(fiber_group& g) {
  for (std::uint32_t i = 0; i < g.items; ++i)
    if (g.now[i] != state::done) g.now[i] = state::ready;
}

// Lets work-items go on and barriers open until `is_done`, which is asked whenever nobody runs.
template <class Done>
void run_until(fiber_group& g, const Done& is_done) {
  while (!is_done()) {
    run_round(g);
    if (is_done()) return;
    if (!g.cancel && !open_barriers(g)) {
      g.error = std::make_exception_ptr(
          model::user_error(model::error_code::kernel,
                            "work-items of one group wait at different barriers: every work-item "
                            "of the group must reach the same group_barrier"));
      g.cancel = true;
    }
    if (g.cancel) wake_all(g);
  }
}

void run_to_end(fiber_group& g) {
  run_until(g, [&] {
    for (std::uint32_t i = 0; i < g.items; ++i)
      if (g.now[i] != state::done) return false;
    return true;
  });
}

void rethrow_error(fiber_group& g) {
  if (!g.error) return;
  const std::exception_ptr error = g.error;
  g.error = nullptr;
  std::rethrow_exception(error);
}

}  // namespace

bool run_work_group(std::uint32_t items, std::uint32_t sub_group_size,
                    void (*body)(void*, std::uint32_t, fiber_group&), void* body_context) {
  fiber_group& g = host::thread_storage<group_of_a_thread>::get();
  start(g, 1, sub_group_size, body, body_context);  // item 0 goes first, alone
  if (g.slots.size() < slots_per_item * items) g.slots.resize(slots_per_item * items);
  g.now[0] = state::ready;
  run_round(g);
  const bool on_fibers = g.now[0] != state::done || g.asked_who;
  if (on_fibers && !g.error) {
    add_items(g, 1, items);
    run_to_end(g);
  }
  rethrow_error(g);
  return on_fibers || items == 1;
}

fiber_group& start_late(std::uint32_t items, std::uint32_t sub_group_size, std::uint32_t item,
                        void (*body)(void*, std::uint32_t, fiber_group&), void* body_context) {
  fiber_group& g = host::thread_storage<group_of_a_thread>::get();
  start(g, 1, sub_group_size, body, body_context);
  need_fibers(g, items);
  for (std::uint32_t i = 0; i < item; ++i) g.now[i] = state::done;
  g.left = item;
  g.now[item] = state::idle;
  g.current = item;
  add_items(g, item + 1, items);
  return g;
}

void wait_late(fiber_group& g, std::uint32_t item, late_wait where, std::uint64_t key) {
  fiber_group::item_fiber& own = *g.fibers[item];
  own.key = key;
  g.now[item] = where == late_wait::group       ? state::at_group_barrier
                : where == late_wait::sub_group ? state::at_sub_group_barrier
                : where == late_wait::members   ? state::at_members_barrier
                                                : state::at_meeting;
  run_until(g, [&] { return g.now[item] == state::ready; });
  g.now[item] = state::idle;
  g.current = item;
  if (g.cancel) throw cancelled();
}

std::uint64_t met_late(const fiber_group& g, std::uint32_t item) noexcept {
  return g.fibers[item]->key;
}

void finish_late(fiber_group& g, std::uint32_t item) {
  g.now[item] = state::done;
  g.slots[slots_per_item * item] = nullptr;
  ++g.left;
  run_to_end(g);
  rethrow_error(g);
}

void fail_late(fiber_group& g, std::uint32_t item) {
  if (!g.error) g.error = std::current_exception();
  g.cancel = true;
  finish_late(g, item);
}

void group_barrier(fiber_group& g) { wait_at(g, state::at_group_barrier); }

void sub_group_barrier(fiber_group& g) { wait_at(g, state::at_sub_group_barrier); }

void members_barrier(fiber_group& g, std::uint64_t members) {
  g.fibers[g.current]->key = members;
  wait_at(g, state::at_members_barrier);
}

std::uint64_t meet_at(fiber_group& g, std::uint64_t place) {
  fiber_group::item_fiber& own = *g.fibers[g.current];
  own.key = place;
  wait_at(g, state::at_meeting);
  return own.key;
}

std::uint32_t current_item(fiber_group& g) noexcept {
  g.asked_who = true;
  return g.current;
}

void** group_slots(fiber_group& g) { return g.slots.data(); }

bool some_have_left(const fiber_group& g) noexcept { return g.left != 0; }

bool is_on_fiber_of_caller(const void* pointer, bool& runs_on_fiber) noexcept {
  const fiber_group& g = host::thread_storage<group_of_a_thread>::get();
  runs_on_fiber = false;
  if (g.current >= g.fibers.size()) return false;
  const context& f = *g.fibers[g.current];
  const auto first = reinterpret_cast<std::uintptr_t>(f.stack);
  runs_on_fiber = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - first < f.bytes;
  return runs_on_fiber && reinterpret_cast<std::uintptr_t>(pointer) - first < f.bytes;
}

}  // namespace pianola::runtime
