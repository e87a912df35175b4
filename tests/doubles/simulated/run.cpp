// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/context/detail/fcontext.hpp>

#include <pianola/test/simulated_driver.hpp>

#include "atomics.hpp"

namespace pianola::test {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

constexpr std::size_t stack_bytes = std::size_t{256} << 10;

enum class state : std::uint8_t {
  ready,
  at_group_barrier,
  at_sub_group_barrier,
  in_shuffle,
  in_ballot,
  trapped,
  failed,
  done
};

class group_run;

struct work_item {
  pianola_sim_item item{};
  group_run* group = nullptr;
  fcontext_t self = nullptr;  // null until it begins
  void* stack = nullptr;
  fcontext_t scheduler = nullptr;
  state now = state::ready;
  std::uint64_t operand = 0;  // of the call that it waits in
  std::uint32_t lane = 0;
  std::uint64_t result = 0;
};

work_item& of(pianola_sim_item* item) { return *static_cast<work_item*>(item->driver); }

/// Gives the thread back to the group. A work-item that trapped or failed is never resumed: code of an image
/// cannot be unwound.
void wait_as(work_item& w, state waiting) {
  w.now = waiting;
  w.scheduler = jump_fcontext(w.scheduler, nullptr).fctx;
}

/// What all groups of a launch share.
struct shared_run {
  const simulated_kernel& kernel;
  const void* functor;
  const simulated_launch& launch;
  std::atomic<std::uint64_t> next_group{0};
  std::atomic<bool> stopped{false};
  std::mutex mutex;  // of what follows
  simulated_report report;
  std::exception_ptr problem;
};

void fail(work_item& w, std::exception_ptr problem);

extern const pianola_sim_calls calls_of_driver;

/// Stacks of one group, side by side in memory. Kept for later launches: to give them back and to touch new pages costs
/// more than most kernels of tests.
class stack_store {
 public:
  struct stacks {
    char* first = nullptr;
    std::size_t count = 0;
  };

  stacks take(std::size_t count) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::find_if(kept_.begin(), kept_.end(),
                                      [&](const stacks& s) { return s.count >= count; });
      if (found != kept_.end()) {
        const stacks result = *found;
        kept_.erase(found);
        return result;
      }
    }
    void* const memory = mmap(nullptr, count * stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no memory for the stacks of a work-group");
    return {static_cast<char*>(memory), count};
  }

  void give_back(stacks given) {
    {
      const std::lock_guard lock(mutex_);
      if (kept_.size() < most_kept) {
        kept_.push_back(given);
        return;
      }
    }
    munmap(given.first, given.count * stack_bytes);
  }

 private:
  static constexpr std::size_t most_kept = 8;
  std::mutex mutex_;
  std::vector<stacks> kept_;
};

stack_store& store_of_stacks() {
  static auto& store = *new stack_store;
  return store;
}

/// Runs groups one after the other.
class group_run {
 public:
  explicit group_run(shared_run& shared)
      : shared_(shared),
        count_(std::size_t{shared.launch.local[0]} * shared.launch.local[1] *
               shared.launch.local[2]),
        items_(count_),
        order_(count_),
        random_(shared.launch.seed) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    free_stacks_.reserve(count_);
    const std::size_t bytes =
        shared.launch.local_memory_bytes + scratch_bytes(shared.launch) + alignment_of_scratch;
    memory_.resize(bytes);
    stacks_ = store_of_stacks().take(count_);
    // The same ones first in each launch: their pages are there.
    for (std::size_t i = count_; i-- > 0;)
      free_stacks_.push_back(stacks_.first + (i + 1) * stack_bytes);
  }
  group_run(const group_run&) = delete;
  group_run& operator=(const group_run&) = delete;
  ~group_run() { store_of_stacks().give_back(stacks_); }

  void run(std::uint64_t number) {
    start(number);
    while (turn()) {
      for (const work_item& w : items_)
        if (w.now == state::trapped || w.now == state::failed) return;
      if (!release())
        throw std::runtime_error(
            "work-items of a group wait for different things, forever (group " +
            std::to_string(number) + "): " + states());
    }
  }

  shared_run& shared() { return shared_; }

 private:
  // As GPUs do it for objects of the group, whatever alignment these want.
  static constexpr std::size_t alignment_of_scratch = PIANOLA_SIM_GROUP_SCRATCH_BYTES;

  static std::size_t scratch_bytes(const simulated_launch& launch) {
    return PIANOLA_SIM_GROUP_SCRATCH_BYTES +
           (std::size_t{launch.group_object_bytes} + 63) / 64 * 64;
  }

  void start(std::uint64_t number) {
    std::memset(memory_.data(), 0xa5, memory_.size());
    auto* scratch =
        memory_.data() + (alignment_of_scratch -
                          reinterpret_cast<std::uintptr_t>(memory_.data()) % alignment_of_scratch);
    const simulated_launch& launch = shared_.launch;
    for (std::size_t i = 0; i < count_; ++i) {
      work_item& w = items_[i];
      // Of the group before this one: it has ended, or nothing of it will be resumed.
      if (w.stack != nullptr) free_stacks_.push_back(w.stack);
      w = work_item{};
      pianola_sim_item& item = w.item;
      item.local_id[2] = static_cast<std::uint32_t>(i % launch.local[2]);
      item.local_id[1] = static_cast<std::uint32_t>(i / launch.local[2] % launch.local[1]);
      item.local_id[0] = static_cast<std::uint32_t>(i / launch.local[2] / launch.local[1]);
      item.group_id[2] = number % launch.groups[2];
      item.group_id[1] = number / launch.groups[2] % launch.groups[1];
      item.group_id[0] = number / launch.groups[2] / launch.groups[1];
      std::copy_n(launch.local, 3, item.local_size);
      std::copy_n(launch.groups, 3, item.group_count);
      item.sub_group_size = launch.sub_group_size;
      item.group_scratch = scratch;
      item.local_memory = scratch + scratch_bytes(launch);
      item.local_memory_bytes = static_cast<std::uint32_t>(launch.local_memory_bytes);
      item.calls = &calls_of_driver;
      item.driver = &w;
      w.group = this;
    }
  }

  /// Lets a work-item run until it waits or ends. One that ends leaves its stack to the next one to begin: work-items
  /// that wait for nothing touch the pages of one stack, not of one each.
  void go_on(work_item& w) {
    if (w.self == nullptr) {
      w.stack = free_stacks_.back();
      free_stacks_.pop_back();
      w.self = make_fcontext(w.stack, stack_bytes, &enter);
    }
    w.self = jump_fcontext(w.self, &w).fctx;
    if (w.now != state::done) return;
    free_stacks_.push_back(w.stack);
    w.stack = nullptr;
  }

  static void enter(transfer_t from) {
    auto& w = *static_cast<work_item*>(from.data);
    w.scheduler = from.fctx;
    const shared_run& shared = w.group->shared_;
    const simulated_launch& launch = shared.launch;
    shared.kernel.run(shared.functor, launch.part != nullptr ? &launch.part->whole : &launch.launch,
                      &w.item);
    wait_as(w, state::done);
  }

  /// Lets everyone go on who can. False if all have ended.
  bool turn() {
    if (shared_.launch.seed != 0) std::shuffle(order_.begin(), order_.end(), random_);
    for (const std::size_t i : order_) {
      work_item& w = items_[i];
      if (w.now == state::ready) go_on(w);
    }
    return std::any_of(items_.begin(), items_.end(),
                       [](const work_item& w) { return w.now != state::done; });
  }

  /// Ends the waiting of those who have what they wait for. False if nobody has.
  bool release() {
    const auto waits = [](const work_item& w) {
      return w.now == state::done || w.now == state::at_group_barrier;
    };
    if (std::all_of(items_.begin(), items_.end(), waits)) {
      resume(0, count_, [](work_item&) {});
      count(&simulated_report::group_barriers);
      return true;
    }
    bool any = false;
    const std::size_t size = shared_.launch.sub_group_size;
    for (std::size_t first = 0; first < count_; first += size)
      any = release_sub_group(first, std::min(count_, first + size)) || any;
    return any;
  }

  bool release_sub_group(std::size_t first, std::size_t last) {
    state call = state::done;
    for (std::size_t i = first; i < last; ++i) {
      const state now = items_[i].now;
      if (now == state::done) continue;
      if (call != state::done && now != call) return false;
      call = now;
    }
    if (call == state::at_sub_group_barrier) {
      resume(first, last, [](work_item&) {});
      count(&simulated_report::sub_group_barriers);
    } else if (call == state::in_shuffle) {
      resume(first, last, [&](work_item& w) {
        const std::size_t from = first + w.lane;
        const bool there = from < last && items_[from].now != state::done;
        w.result = there ? items_[from].operand : 0xdeaddeaddeaddeadULL;
      });
      count(&simulated_report::shuffles);
    } else if (call == state::in_ballot) {
      std::uint64_t votes = 0;
      for (std::size_t i = first; i < last; ++i)
        if (items_[i].now == state::in_ballot && items_[i].operand != 0)
          votes |= std::uint64_t{1} << (i - first);
      resume(first, last, [&](work_item& w) { w.result = votes; });
      count(&simulated_report::ballots);
    } else {
      return false;
    }
    return true;
  }

  template <class Give>
  void resume(std::size_t first, std::size_t last, Give give) {
    for (std::size_t i = first; i < last; ++i)
      if (items_[i].now != state::done) give(items_[i]);
    for (std::size_t i = first; i < last; ++i)
      if (items_[i].now != state::done) items_[i].now = state::ready;
  }

  void count(std::uint64_t simulated_report::* what) {
    const std::lock_guard lock(shared_.mutex);
    ++(shared_.report.*what);
  }

  std::string states() const {
    static constexpr const char* names[] = {"ready",   "group barrier", "sub-group barrier",
                                            "shuffle", "ballot",        "trapped",
                                            "failed",  "ended"};
    std::map<std::string, int> counts;
    for (const work_item& w : items_) ++counts[names[static_cast<int>(w.now)]];
    std::string text;
    for (const auto& [name, n] : counts)
      text += (text.empty() ? "" : ", ") + std::to_string(n) + " in " + name;
    return text;
  }

  shared_run& shared_;
  std::size_t count_;
  std::vector<work_item> items_;
  std::vector<std::size_t> order_;
  std::minstd_rand random_;
  stack_store::stacks stacks_;
  std::vector<void*> free_stacks_;  // their upper ends
  std::vector<unsigned char> memory_;
};

void fail(work_item& w, std::exception_ptr problem) {
  {
    const std::lock_guard lock(w.group->shared().mutex);
    if (!w.group->shared().problem) w.group->shared().problem = std::move(problem);
  }
  w.group->shared().stopped = true;
  wait_as(w, state::failed);
}

// Nothing may be thrown through the code of an image.

void group_barrier(pianola_sim_item* item, std::uint32_t) {
  wait_as(of(item), state::at_group_barrier);
}

void sub_group_barrier(pianola_sim_item* item, std::uint32_t) {
  wait_as(of(item), state::at_sub_group_barrier);
}

std::uint64_t shuffle_64(pianola_sim_item* item, std::uint64_t value, std::uint32_t lane) {
  work_item& w = of(item);
  w.operand = value;
  w.lane = lane;
  wait_as(w, state::in_shuffle);
  return w.result;
}

std::uint32_t shuffle_32(pianola_sim_item* item, std::uint32_t value, std::uint32_t lane) {
  return static_cast<std::uint32_t>(shuffle_64(item, value, lane));
}

std::uint64_t ballot(pianola_sim_item* item, std::int32_t predicate) {
  work_item& w = of(item);
  w.operand = predicate != 0;
  wait_as(w, state::in_ballot);
  return w.result;
}

std::uint64_t atomic(pianola_sim_item* item, const pianola_sim_atomic* access) {
  work_item& w = of(item);
  try {
    {
      shared_run& shared = w.group->shared();
      const std::lock_guard lock(shared.mutex);
      ++shared.report.atomics[access->operation];
      ++shared.report.ordered_accesses[{access->order, access->scope}];
    }
    return do_atomic(*access);
  } catch (...) {
    fail(w, std::current_exception());
    return 0;
  }
}

void fence(pianola_sim_item* item, std::uint32_t order, std::uint32_t scope) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  shared_run& shared = of(item).group->shared();
  const std::lock_guard lock(shared.mutex);
  ++shared.report.fences;
  ++shared.report.ordered_fences[{order, scope}];
}

__attribute__((format(printf, 2, 3))) int print(pianola_sim_item* item, const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  shared_run& shared = of(item).group->shared();
  const std::lock_guard lock(shared.mutex);
  if (length > 0)
    shared.report.printed.append(text, std::min<std::size_t>(sizeof(text) - 1, length));
  return length;
}

void trap(pianola_sim_item* item) {
  work_item& w = of(item);
  {
    const std::lock_guard lock(w.group->shared().mutex);
    w.group->shared().report.trapped = true;
  }
  w.group->shared().stopped = true;
  wait_as(w, state::trapped);
}

void texture(pianola_sim_item* item, std::uint64_t handle, float x, float y, std::uint32_t texels,
             void* texel) {
  work_item& w = of(item);
  try {
    const simulated_textures* const known = w.group->shared().launch.textures;
    if (known == nullptr)
      throw std::runtime_error("a kernel samples a texture, and there are none");
    known->read(handle, x, y, texels, texel);
  } catch (...) {
    fail(w, std::current_exception());
  }
}

const pianola_sim_calls calls_of_driver = {
    group_barrier, sub_group_barrier, shuffle_32, shuffle_64, ballot, atomic, fence, print, trap,
    texture};

void run_groups(shared_run& shared) {
  const std::uint64_t* groups = shared.launch.groups;
  const std::uint64_t count = groups[0] * groups[1] * groups[2];
  try {
    group_run group(shared);
    while (!shared.stopped) {
      const std::uint64_t number = shared.next_group++;
      if (number >= count) return;
      group.run(number);
    }
  } catch (...) {
    shared.stopped = true;
    const std::lock_guard lock(shared.mutex);
    if (!shared.problem) shared.problem = std::current_exception();
  }
}

}  // namespace

simulated_report run_simulated(const simulated_kernel& kernel, const void* functor,
                               const simulated_launch& launch) {
  const std::uint32_t size = launch.sub_group_size;
  if (size == 0 || size > 64 || (size & (size - 1)) != 0)
    throw std::runtime_error("a sub-group cannot have " + std::to_string(size) + " work-items");
  if (reinterpret_cast<std::uintptr_t>(functor) % kernel.description->argument_alignment != 0)
    throw std::runtime_error("the function object is not aligned");
  shared_run shared{kernel, functor, launch, {}, {}, {}, {}, {}};
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < launch.threads; ++i) threads.emplace_back([&] { run_groups(shared); });
  run_groups(shared);
  for (std::thread& thread : threads) thread.join();
  if (shared.problem) std::rethrow_exception(shared.problem);
  return shared.report;
}

}  // namespace pianola::test
