// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/team.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <new>
#include <system_error>
#include <utility>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "pianola/host/clock.hpp"
#include "pianola/host/lane.hpp"

namespace pianola::host {

namespace {

constexpr std::uint32_t open_bit = 0x80000000U;
// How long a thread looks for work before it sleeps.
constexpr std::uint64_t worker_spin = 1'000'000;
constexpr std::uint64_t waiter_spin = 100'000;
// Parts may cover all processors: the program's own threads get theirs back soon.
constexpr std::uint64_t part_spin = 100'000;
// Steps that a waiting thread runs before it looks again whether its wait is over.
constexpr unsigned steps_per_round = 64;

thread_local unsigned this_thread = 0;

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::uint64_t nanoseconds) noexcept {
  timespec limit{static_cast<time_t>(nanoseconds / 1'000'000'000),
                 static_cast<long>(nanoseconds % 1'000'000'000)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, &limit,
          nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr,
          nullptr, 0);
}

// Processors that a thread may run on.
class processor_mask {
 public:
  static processor_mask of(const std::vector<unsigned>& processors) {
    processor_mask m;
    for (const unsigned p : processors) {
      if (p / bits >= m.words_.size()) m.words_.resize(p / bits + 1, 0);
      m.words_[p / bits] |= 1UL << (p % bits);
    }
    return m;
  }
  static processor_mask of_calling_thread() {
    processor_mask m;
    for (std::size_t n = 16; n <= 4096; n *= 2) {
      m.words_.assign(n, 0);
      if (sched_getaffinity(0, n * sizeof(unsigned long), m.set()) == 0) return m;
    }
    return {};
  }
  // Where that is not possible (the cpuset has changed meanwhile) the thread stays where it may be.
  bool bind_calling_thread() const noexcept {
    return !words_.empty() &&
           sched_setaffinity(0, words_.size() * sizeof(unsigned long), set()) == 0;
  }
  [[nodiscard]] bool empty() const noexcept { return words_.empty(); }

 private:
  static constexpr unsigned bits = 8 * sizeof(unsigned long);
  [[nodiscard]] cpu_set_t* set() noexcept { return reinterpret_cast<cpu_set_t*>(words_.data()); }
  [[nodiscard]] const cpu_set_t* set() const noexcept {
    return reinterpret_cast<const cpu_set_t*>(words_.data());
  }
  std::vector<unsigned long> words_;
};

// Where the calling thread was before it was bound to a part; empty: it is not bound.
thread_local processor_mask before_binding;

bool bind_here(const std::vector<unsigned>& processors) noexcept {
  if (processors.empty() || !before_binding.empty()) return false;
  try {
    processor_mask before = processor_mask::of_calling_thread();
    if (before.empty() || !processor_mask::of(processors).bind_calling_thread()) return false;
    before_binding = std::move(before);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

unsigned threads_wanted() noexcept {
#if defined(_OPENMP)
  // Follows OMP_NUM_THREADS and the cpuset, also when OMP_PROC_BIND has bound this thread already.
  const int n = omp_get_max_threads();
  return n > 0 ? static_cast<unsigned>(n) : 1;
#else
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    const long n = std::strtol(text, nullptr, 10);
    if (n > 0 && n < 4096) return static_cast<unsigned>(n);
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<unsigned>(CPU_COUNT(&set));
  return 1;
#endif
}

unsigned processors_here() noexcept {
#if defined(_OPENMP)
  return static_cast<unsigned>(omp_get_num_procs());
#else
  const long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<unsigned>(n) : 1;
#endif
}

}  // namespace

team& team::instance() {
  // Leaked on purpose: lanes and events of static objects may outlive every destructor.
  static team* one = [] {
    auto* t = new team();
    t->start_workers();
    // The threads end before the OpenMP library does; a runtime on top has ended them earlier. A forked child has none.
    static const pid_t owner = getpid();
    std::atexit([] {
      if (getpid() == owner) instance().shut_down();
    });
    return t;
  }();
  return *one;
}

team& team::start_part(unsigned threads, std::vector<unsigned> processors) {
  auto* t = new team(std::max(1U, std::min(threads, max_slots - 16)), std::move(processors));
  team& all = instance();
  std::lock_guard<std::mutex> lock(all.parts_mutex_);
  all.parts_.push_back(t);
  if (all.stop_.load()) return *t;
  t->start_workers();
  return *t;
}

team::visit::visit(const team& t) noexcept : bound_(bind_here(t.processors_)) {}

team::visit::~visit() {
  if (!bound_) return;
  static_cast<void>(before_binding.bind_calling_thread());
  before_binding = {};
}

unsigned team::current_thread() noexcept { return this_thread; }

team::team() : size_(threads_wanted()) {
  if (size_ > max_slots - 16) size_ = max_slots - 16;
  // With more threads than processors, spinning only takes time from the others. A team of one has two
  // threads, the worker and who waits, perhaps bound to one processor.
  spin_nanoseconds_ = size_ > 1 && size_ <= processors_here() ? worker_spin : 0;
  membarrier_ = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
#if defined(__SANITIZE_THREAD__)
  membarrier_ = membarrier_ && true;
#endif
}

team::team(unsigned threads, std::vector<unsigned> processors)
    : size_(threads), part_(true), processors_(std::move(processors)) {
  spin_nanoseconds_ = size_ <= processors_.size() && processors_here() > 1 ? part_spin : 0;
  membarrier_ = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void team::make_stores_visible() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (membarrier_) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void team::start_workers() {
  if (part_) {
    for (unsigned i = 0; i < size_; ++i) {
      running_workers_.fetch_add(1);
      try {
        std::thread([this, i] {
          bind_here(processors_);
          worker(i);
        }).detach();
      } catch (const std::system_error&) {
        running_workers_.fetch_sub(1);
        if (i == 0) throw;
        return;  // those that could be started do all of it
      }
    }
    return;
  }
  const unsigned workers = size_ > 1 ? size_ - 1 : 1;
  running_workers_.store(workers);
#if defined(_OPENMP)
  if (size_ > 1) {
    // One parallel region for the life of the process. Its thread 0 stands for the thread that waits
    // and helps (and occupies that thread's place), so it sleeps here.
    region_open_.store(true);
    std::thread([this] {
#pragma omp parallel num_threads(size_)
      {
        const auto thread = static_cast<unsigned>(omp_get_thread_num());
        if (thread != 0) {
          worker(thread);
        } else {
          // Fewer threads than asked for (a thread limit): nobody else will do the work.
          const auto got = static_cast<unsigned>(omp_get_num_threads());
          if (got < size_) running_workers_.fetch_sub(size_ - got);
          if (got == 1) {
            running_workers_.fetch_add(1);
            worker(1);
          } else {
            std::unique_lock<std::mutex> lock(park_mutex_);
            park_condition_.wait(lock, [this] { return stop_.load(); });
          }
        }
      }
      region_open_.store(false);
      // The end of a thread that OpenMP knows, beside the end of the process, is more than some OpenMP runtimes
      // stand.
      for (;;) ::pause();
    }).detach();
    return;
  }
#endif
  for (unsigned i = 0; i < workers; ++i) std::thread([this, i] { worker(i + 1); }).detach();
}

void team::activate(lane& l) {
  std::lock_guard<std::mutex> lock(active_mutex_);
  if (l.active.load(std::memory_order_relaxed)) return;
  if (active_count_.load(std::memory_order_relaxed) == max_active) purge_inactive();
  l.active.store(true, std::memory_order_relaxed);
  const std::size_t n = active_count_.load(std::memory_order_relaxed);
  if (n == max_active) {
    overflow_.push_back(&l);
    overflow_count_.store(overflow_.size(), std::memory_order_relaxed);
    return;
  }
  active_[n].store(&l, std::memory_order_release);
  active_count_.store(n + 1, std::memory_order_release);
}

// Takes lanes without steps off the list. A lane that got a step meanwhile goes back on it: its
// submitter either saw `active` false and waits for the lock to activate it, or published before the
// barrier, which is seen below.
void team::purge_inactive() noexcept {
  const std::size_t n = active_count_.load(std::memory_order_relaxed);
  lane* idle[max_active];
  lane* kept[max_active];
  std::size_t idle_count = 0, kept_count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    lane* l = active_[i].load(std::memory_order_acquire);
    if (!l->has_steps()) {
      l->active.store(false, std::memory_order_relaxed);
      idle[idle_count++] = l;
    } else {
      kept[kept_count++] = l;
    }
  }
  if (idle_count == 0) return;
  make_stores_visible();
  for (std::size_t i = 0; i < idle_count; ++i)
    if (idle[i]->has_steps()) {
      idle[i]->active.store(true, std::memory_order_relaxed);
      kept[kept_count++] = idle[i];
    }
  while (kept_count < max_active && !overflow_.empty()) {
    kept[kept_count++] = overflow_.front();
    overflow_.pop_front();
  }
  overflow_count_.store(overflow_.size(), std::memory_order_relaxed);
  for (std::size_t i = 0; i < kept_count; ++i) active_[i].store(kept[i], std::memory_order_release);
  active_count_.store(kept_count, std::memory_order_release);
}

// Where all lanes on the list have steps that wait (for a host task, a host accessor), the others get
// their turn: lanes change places.
void team::rotate_overflow() noexcept {
  std::unique_lock<std::mutex> lock(active_mutex_, std::try_to_lock);
  if (!lock.owns_lock() || overflow_.empty()) return;
  purge_inactive();
  const std::size_t n = active_count_.load(std::memory_order_relaxed);
  const std::size_t changes = std::min(overflow_.size(), n / 2);
  for (std::size_t i = 0; i < changes; ++i) {
    lane* out = active_[i].load(std::memory_order_acquire);
    active_[i].store(overflow_.front(), std::memory_order_release);
    overflow_.pop_front();
    overflow_.push_back(out);
  }
}

int team::open(job& j, bool lasts_long) noexcept {
  if (size_ < 2) return -1;
  int index = -1;
  std::uint64_t used = used_slots_.load(std::memory_order_relaxed);
  while (used != ~std::uint64_t{0}) {
    const int candidate = __builtin_ctzll(~used);
    if (used_slots_.compare_exchange_weak(used, used | (std::uint64_t{1} << candidate),
                                          std::memory_order_acquire)) {
      index = candidate;
      break;
    }
  }
  if (index < 0) return -1;
  slot& s = slots_[index];
  s.work.store(&j, std::memory_order_relaxed);
  s.control.fetch_or(open_bit, std::memory_order_release);
  open_jobs_.fetch_or(std::uint64_t{1} << index, std::memory_order_release);
  if (lasts_long) {
    if (sleeping_workers_.load(std::memory_order_relaxed) != 0) {
      worker_signal_.fetch_add(1, std::memory_order_relaxed);
      futex_wake(worker_signal_, INT_MAX);
    }
    if (!part_) work_finished();
  }
  return index;
}

void team::close(int index) noexcept {
  slot& s = slots_[index];
  open_jobs_.fetch_and(~(std::uint64_t{1} << index), std::memory_order_relaxed);
  s.control.fetch_and(~open_bit, std::memory_order_acq_rel);
  for (unsigned spins = 0; s.control.load(std::memory_order_acquire) != 0; ++spins)
    if (spins < 4096)
      pause();
    else
      sched_yield();
  used_slots_.fetch_and(~(std::uint64_t{1} << index), std::memory_order_release);
}

bool team::assist_jobs(unsigned thread) noexcept {
  std::uint64_t open = open_jobs_.load(std::memory_order_relaxed);
  bool helped = false;
  while (open != 0) {
    const int index = __builtin_ctzll(open);
    open &= open - 1;
    slot& s = slots_[index];
    if ((s.control.fetch_add(1, std::memory_order_acquire) & open_bit) != 0) {
      job* j = s.work.load(std::memory_order_relaxed);
      j->assist(*j, thread);
      helped = true;
    }
    s.control.fetch_sub(1, std::memory_order_release);
  }
  return helped;
}

bool team::help(unsigned thread) noexcept {
  if (assist_jobs(thread)) return true;
  const std::size_t n = active_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < n; ++i) {
    lane* l = active_[i].load(std::memory_order_acquire);
    if (l == nullptr || l->claimed() || !l->has_steps() || !l->try_claim()) continue;
    const lane::outcome o = l->run(thread, steps_per_round, nullptr, 0);
    if (o != lane::outcome::handed_over) give_back(*l);
    if (o == lane::outcome::ran || o == lane::outcome::handed_over) return true;
  }
  return false;
}

// Workers pass over a claimed lane and may have gone to sleep meanwhile.
void team::give_back(lane& l) noexcept {
  l.release_claim();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (l.has_steps()) work_published();
}

void team::worker(unsigned thread) noexcept {
  this_thread = thread;
  lane* mine = nullptr;
  std::uint64_t idle_since = 0;
  unsigned idle_rounds = 0;
  unsigned turns = 0;
  while (!stop_.load(std::memory_order_relaxed)) {
    bool useful = false;
    if (mine != nullptr) {
      switch (mine->run(thread, steps_per_round, nullptr, 0)) {
        case lane::outcome::ran:
          useful = true;
          break;
        case lane::outcome::empty:
          break;
        case lane::outcome::blocked:
          mine->release_claim();
          mine = nullptr;
          break;
        case lane::outcome::handed_over:
          mine = nullptr;
          useful = true;
          break;
      }
    }
    if (!useful && assist_jobs(thread)) useful = true;
    // After a round of its own lane, another lane gets its turn.
    if (!useful || ++turns >= 2) {
      turns = 0;
      const std::size_t n = active_count_.load(std::memory_order_acquire);
      for (std::size_t i = 0; i < n; ++i) {
        lane* l = active_[i].load(std::memory_order_acquire);
        if (l == nullptr || l == mine || l->claimed() || !l->has_steps() || !l->try_claim())
          continue;
        const lane::outcome o = l->run(thread, steps_per_round, nullptr, 0);
        if (o == lane::outcome::ran) {
          // Stays with the lane that had work last: its next step is seen at once.
          if (mine != nullptr) mine->release_claim();
          mine = l;
        } else if (o != lane::outcome::handed_over) {
          l->release_claim();
        }
        if (o == lane::outcome::ran || o == lane::outcome::handed_over) {
          useful = true;
          break;
        }
      }
    }
    if (useful) {
      idle_rounds = 0;
      continue;
    }
    look_at_overflow();
    pause();
    if (idle_rounds++ == 0) {
      idle_since = nanoseconds_now();
    } else if ((idle_rounds & 63U) == 0 && nanoseconds_now() - idle_since >= spin_nanoseconds_) {
      if (mine != nullptr) {
        mine->release_claim();
        mine = nullptr;
      }
      sleep_as_worker();
      idle_rounds = 0;
    }
  }
  if (mine != nullptr) mine->release_claim();
  running_workers_.fetch_sub(1);
}

bool team::any_work() const noexcept {
  if (open_jobs_.load(std::memory_order_relaxed) != 0) return true;
  if (overflow_count_.load(std::memory_order_relaxed) != 0) return true;
  const std::size_t n = active_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < n; ++i) {
    const lane* l = active_[i].load(std::memory_order_acquire);
    if (l != nullptr && !l->claimed() && l->has_steps()) return true;
  }
  return false;
}

void team::sleep_as_worker() noexcept {
  const std::uint32_t signal = worker_signal_.load(std::memory_order_relaxed);
  sleeping_workers_.fetch_add(1);
  make_stores_visible();
  // Steps that wait for another lane count as work that is there; such a wait ends soon or is
  // somebody's host task, so look again now and then instead of spinning.
  if (!stop_.load()) futex_wait(worker_signal_, signal, any_work() ? 50'000 : 1'000'000'000);
  sleeping_workers_.fetch_sub(1);
}

void team::wake_worker() noexcept {
  worker_signal_.fetch_add(1, std::memory_order_relaxed);
  futex_wake(worker_signal_, 1);
}

void team::wake_waiters() noexcept {
  waiter_signal_.fetch_add(1, std::memory_order_relaxed);
  futex_wake(waiter_signal_, INT_MAX);
}

void team::wait(const executors::progress& target, std::uint64_t position) noexcept {
  if (target.reached(position)) return;
  if (executors::progress_source* source = target.source()) {
    source->wait(target, position);
    return;
  }
  const unsigned thread = this_thread;
  std::uint64_t idle_since = 0;
  unsigned idle_rounds = 0;
  while (!target.reached(position)) {
    if (assist_jobs(thread)) {
      idle_rounds = 0;
      continue;
    }
    bool useful = false;
    const std::size_t n = active_count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < n && !useful; ++i) {
      lane* l = active_[i].load(std::memory_order_acquire);
      if (l == nullptr || l->claimed() || !l->has_steps() || !l->try_claim()) continue;
      const lane::outcome o = l->run(thread, steps_per_round, &target, position);
      if (o != lane::outcome::handed_over) give_back(*l);
      useful = o == lane::outcome::ran || o == lane::outcome::handed_over;
    }
    if (useful) {
      idle_rounds = 0;
      continue;
    }
    look_at_overflow();
    pause();
    if (idle_rounds++ == 0) {
      idle_since = nanoseconds_now();
    } else if ((idle_rounds & 63U) == 0 &&
               nanoseconds_now() - idle_since >= (spin_nanoseconds_ == 0 ? 0 : waiter_spin)) {
      const std::uint32_t signal = waiter_signal_.load(std::memory_order_relaxed);
      sleeping_waiters_.fetch_add(1);
      make_stores_visible();
      if (!target.reached(position)) futex_wait(waiter_signal_, signal, 10'000'000);
      sleeping_waiters_.fetch_sub(1);
      idle_rounds = 0;
    }
  }
}

void team::run_detached(void (*f)(void*), void* argument) {
  std::unique_lock<std::mutex> lock(detached_mutex_);
  detached_queue_.push_back({f, argument});
  if (detached_idle_ >= detached_queue_.size()) {
    detached_condition_.notify_one();
    return;
  }
  try {
    // Not bound to the processors of a part, even if it is a part that needs it.
    std::thread([this, mask = before_binding] {
      mask.bind_calling_thread();
      detached_loop(std::unique_lock<std::mutex>(detached_mutex_));
    }).detach();
    ++detached_threads_;
  } catch (const std::system_error&) {
    // No more threads: one that exists takes the call when it is free, else the caller does it.
    if (detached_threads_ != 0) return;
    detached_queue_.pop_back();
    lock.unlock();
    f(argument);
  }
}

void team::detached_loop(std::unique_lock<std::mutex> lock) noexcept {
  for (;;) {
    while (!detached_queue_.empty()) {
      const detached_call call = detached_queue_.front();
      detached_queue_.erase(detached_queue_.begin());
      lock.unlock();
      call.function(call.argument);
      lock.lock();
    }
    ++detached_idle_;
    const bool more = detached_condition_.wait_for(lock, std::chrono::seconds(5),
                                                   [this] { return !detached_queue_.empty(); });
    --detached_idle_;
    if (more) continue;
    --detached_threads_;
    return;
  }
}

void team::tell_to_stop() noexcept {
  stop_.store(true);
  worker_signal_.fetch_add(1);
  futex_wake(worker_signal_, INT_MAX);
}

void team::shut_down() noexcept {
  {
    std::lock_guard<std::mutex> lock(park_mutex_);
    if (stop_.exchange(true)) return;
  }
  park_condition_.notify_all();
  tell_to_stop();
  std::lock_guard<std::mutex> lock(parts_mutex_);
  for (team* t : parts_) t->tell_to_stop();
  const auto runs = [this] {
    if (running_workers_.load() != 0 || region_open_.load()) return true;
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const team* t) { return t->running_workers_.load() != 0; });
  };
  const std::uint64_t begin = nanoseconds_now();
  while (runs() && nanoseconds_now() - begin < 1'000'000'000) sched_yield();
}

}  // namespace pianola::host
