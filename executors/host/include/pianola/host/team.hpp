// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pianola/executors/progress.hpp>

#include "clock.hpp"
#include "hold_ups.hpp"
#include "processors.hpp"
#include "sleepers.hpp"
#include "start_thread.hpp"

namespace pianola::host {

class lane;
struct team_request;

// Work that several threads can do together.
struct job {
  // False if there was nothing to do.
  bool (*assist)(job&, unsigned thread) noexcept = nullptr;
  // Null: `team::parallel_section` returns only after every helper has left; the job may be on the opener's stack.
  // Else that does not wait for helpers, and this is called, by any thread, after the last one has left.
  void (*release)(job&) noexcept = nullptr;
  // Nanoseconds that a helper should be at it without looking whether it can leave; negative: unknown.
  double longest_part = -1;
};

// A group of threads that does work of CPU-side backends. There is one for the process, whose threads are
// workers (they make progress on their own) and whoever waits (a waiting thread helps); and one for each
// part of the processors that is a device by itself, of workers alone. A thread without work spins for a
// short while, then sleeps.
//
// Who publishes a step or finishes one tells the threads that sleep (sleepers.hpp says why none is missed). Nobody is
// told that a step has finished for which the next step of another lane waits: a worker that finds such a lane sleeps
// for a moment only before it looks again, and so does, for somewhat longer, a worker that sees steps in a lane which
// another thread has.
class team {
 public:
  static constexpr unsigned most_threads = 1024;
  // At a time; who would open more does its work alone.
  static constexpr unsigned most_sections = 64;

  // Starts the threads on first use. Never destroyed; `shut_down` ends the threads.
  static team& instance();
  // Starts so many threads that stay on these processors (numbers of the operating system; empty: wherever
  // they are put) and run lanes of this team only. Never destroyed; ends with the team of the process.
  static team& start_for_sub_device(unsigned threads, std::vector<unsigned> processors);

  // Keeps the calling thread on the processors of a sub-device's team while it lives; nothing for the process's team.
  class visit {
   public:
    explicit visit(const team&) noexcept;
    ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    bool bound_ = false;
  };

  // Threads that work together: the workers and, in the process's team, one that waits.
  [[nodiscard]] unsigned size() const noexcept { return size_; }
  // How many of them can run at once: no more than there are processors for them. 1: sections are not worth it.
  [[nodiscard]] unsigned parallelism() const noexcept { return parallelism_; }
  // Index of the calling thread: 1 .. size()-1 for workers of the process's team, 0 .. size()-1 for those of a sub-device's,
  // 0 for any other.
  [[nodiscard]] static unsigned current_thread() noexcept;

  // A thread of a backend's, for what mostly waits. It may run wherever the process may, however the calling thread is
  // bound, and gets no signal of the program's. `name`: at most 15 characters. Throws model::user_error (platform) if
  // no thread can be started.
  [[nodiscard]] started_thread start_helper(const char* name, std::function<void()> body) const;

  // A lane has got its first step since it was last active.
  void activate(lane&);
  // Between a store and a look at what decides whether to tell somebody of it.
  void order_stores() const noexcept { workers_.order_stores(); }
  // A lane has got a step, or is given back with one: wakes a worker if one sleeps.
  void work_published() noexcept { workers_.tell_one(); }
  // Something that others may wait for has finished. To be told to the process's team: who waits, waits there.
  void work_finished() noexcept { waiters_.tell_all(); }
  // Between the two, a thread that is no member needs a processor now and then, at once: members with nothing to do let
  // it have theirs.
  void guest_arrives() noexcept { guests_.fetch_add(1, std::memory_order_relaxed); }
  void guest_leaves() noexcept { guests_.fetch_sub(1, std::memory_order_relaxed); }
  // Sleeps until work_finished is told, or for so long as `look` says, which is called when nothing can be missed any more;
  // nanoseconds, 0: not at all.
  template <class Look>
  void sleep_until_work_finished(Look&& look) noexcept {
    waiters_.sleep(std::forward<Look>(look));
  }

  // For how long a thread may be held off its processor, in nanoseconds, by what was seen lately: the machine is
  // busy, or the process has used up its share. 0: it is not. Who waits for another thread may have to wait that long,
  // so what takes less than that is better done alone, and nobody spins.
  [[nodiscard]] std::uint64_t risk() noexcept {
    return hold_ups_.expected([] { return nanoseconds_now(); });
  }
  // Somebody has waited for so long for something that should have taken much less. It counts if a thread
  // that was waited for, or this one, has indeed lost its processor.
  void suspect(std::uint64_t nanoseconds) noexcept;

  // Calls body(), while other threads that have nothing to do call j.assist. `lasts_long`: sleeping
  // threads are worth waking for it.
  template <class F>
  void parallel_section(job& j, bool lasts_long, F&& body) {
    const int slot = open(j, lasts_long);
    body();
    if (slot >= 0)
      close(slot, j);
    else if (j.release != nullptr)
      j.release(j);
  }

  // Returns when the lane has come so far; helps meanwhile. A lane of a device with a driver of its own is left
  // to its source. Of the process's team, whatever team the lane is of; so is help.
  void wait(const executors::progress& lane, std::uint64_t position) noexcept;

  // One round of looking for something useful to do; false if there was nothing.
  bool help(unsigned thread) noexcept;
  // Gives a lane of this team to others, and tells them if it has steps.
  void give_back(lane&) noexcept;

  // Runs f(argument) on a thread of its own, from a cache of such threads: for host tasks, which may
  // block on anything.
  void run_detached(void (*f)(void*), void* argument);

  // Ends the workers after the step they are at, and returns when they have ended. Work not begun is dropped. A step
  // that does not end is waited for for about a second.
  void shut_down() noexcept;

 private:
  team();
  void place_workers(const team_request& wanted);
  team(unsigned threads, std::vector<unsigned> processors);
  class late_wait;
  void worker(unsigned thread) noexcept;
  void work(unsigned thread) noexcept;
  // Until all teams have been told to stop; those of sub-devices then, too, while somebody waits for steps.
  [[nodiscard]] bool goes_on() const noexcept;
  void start_workers();
  void sleep_as_worker(unsigned& naps) noexcept;
  void let_go(lane*& mine) noexcept;
  bool run_another(lane*& mine, unsigned thread, bool also_kept) noexcept;
  void note_end() noexcept;
  int open(job& j, bool lasts_long) noexcept;
  void close(int slot, job& j) noexcept;
  void leave(int slot) noexcept;
  void look_into_suspicion() noexcept;
  std::uint64_t idle_time(std::uint64_t since, std::uint64_t& seen) noexcept;
  // How long to look for work before going to sleep.
  [[nodiscard]] std::uint64_t spin_time(std::uint64_t at_most) noexcept;
  bool assist_jobs(unsigned thread) noexcept;
  void idle_turn() const noexcept;
  enum class prospect : unsigned char { none, of_others, some };
  prospect look_for_work() const noexcept;
  void purge_inactive() noexcept;
  void rotate_overflow() noexcept;
  // Lanes that found no place on the list get one. Called by who found nothing to do.
  void look_at_overflow() noexcept {
    if (overflow_count_.load(std::memory_order_relaxed) != 0) rotate_overflow();
  }
  void detached_loop(std::unique_lock<std::mutex> lock) noexcept;
  void tell_to_stop() noexcept;

  struct alignas(64) slot {
    // Bit 31: open. Bit 30: its opener has left it to the last helper. Below: threads that are inside or about to find
    // out that it is closed.
    std::atomic<std::uint32_t> control{0};
    std::atomic<job*> work{nullptr};
  };

  unsigned size_ = 1;
  unsigned parallelism_ = 1;
  bool for_sub_device_ = false;
  processor_list processors_;          // empty, of a sub-device: wherever they are put
  std::vector<processor_mask> masks_;  // index: thread
  std::size_t stack_bytes_ = 0;
  std::uint64_t spin_nanoseconds_ = 0;
  const bool barrier_;  // of the operating system; see sleepers.hpp

  static constexpr std::size_t max_active = 256;
  alignas(64) sleepers workers_;
  sleepers waiters_;  // in the process's team
  std::atomic<int> guests_{0};
  std::atomic<std::size_t> active_count_{0};
  std::atomic<lane*> active_[max_active] = {};
  alignas(64) std::atomic<std::uint64_t> open_jobs_{0};
  alignas(64) std::atomic<std::uint64_t> used_slots_{0};
  slot slots_[most_sections];
  // Seldom written.
  alignas(64) hold_ups hold_ups_;
  std::atomic<std::uint64_t> suspected_{0};
  alignas(64) std::atomic<bool> stop_{false};
  std::atomic<unsigned> running_workers_{0};
  std::atomic<std::uint32_t> ends_{0};  // of workers of all teams; in the process's team
  // Who waits for steps when all teams have been told to stop, as static objects of a program do: in the process's team.
  std::atomic<std::uint32_t> late_waiters_{0};

  std::mutex active_mutex_;
  std::deque<lane*> overflow_;
  std::atomic<std::size_t> overflow_count_{0};

  struct detached_call {
    void (*function)(void*);
    void* argument;
  };
  std::mutex detached_mutex_;
  std::condition_variable detached_condition_;
  std::vector<detached_call> detached_queue_;
  std::size_t detached_idle_ = 0;
  std::size_t detached_threads_ = 0;

  std::mutex sub_device_teams_mutex_;
  std::vector<team*> sub_device_teams_;  // of the process's team
};

}  // namespace pianola::host
