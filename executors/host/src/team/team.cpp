// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/team.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include <pianola/model/error.hpp>

#include "pianola/host/clock.hpp"
#include "pianola/host/lane.hpp"
#include "pianola/host/openmp_environment.hpp"
#include "pianola/host/wait_for_others.hpp"

namespace pianola::host {

namespace {

constexpr std::uint32_t open_bit = 0x80000000U;
constexpr std::uint32_t left_bit = 0x40000000U;
// How long a thread looks for work before it sleeps.
constexpr std::uint64_t worker_spin = 1'000'000;
constexpr std::uint64_t waiter_spin = 100'000;
// Parts may cover all processors: the program's own threads get theirs back soon.
constexpr std::uint64_t sub_device_spin = 100'000;
// Steps that a waiting thread runs before it looks again whether its wait is over.
constexpr unsigned steps_per_round = 64;
// How long a worker sleeps beside steps that wait for another lane (which ends soon or is somebody's host task);
// at most, beside steps in lanes that other threads have; and where there is nothing.
constexpr std::uint64_t sleep_beside_work = 50'000;
constexpr std::uint64_t sleep_beside_others = 5'000'000;
constexpr std::uint64_t sleep_alone = 1'000'000'000;
constexpr std::uint64_t sleep_of_waiter = 10'000'000;
// While threads are held off their processors, workers nap and need no call: that costs who submits a few microseconds,
// and the worker takes from who waits, perhaps on the same processor, what that would have run at once.
constexpr std::uint64_t first_nap = 50'000;
constexpr std::uint64_t longest_nap = 1'000'000;
// For a step that does not end, when the process does.
constexpr std::uint64_t wait_for_workers = 1'000'000'000;

// A thread that looks at the clock again and again and finds so much time gone may have lost its processor.
constexpr std::uint64_t long_between_looks = 500'000;

thread_local unsigned this_thread = 0;

// Whether the system has taken the processor from the calling thread since this was last asked.
bool lost_its_processor() noexcept {
  thread_local long before = 0;
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return false;
  return std::exchange(before, usage.ru_nivcsw) != usage.ru_nivcsw;
}

// Where the calling thread was before it was bound to a sub-device's processors; empty: it is not bound.
thread_local processor_mask before_binding;

bool bind_here(const processor_list& processors) noexcept {
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

[[noreturn]] void refuse_for_lack_of_threads(const char* what_for, const std::system_error& cause) {
  throw model::user_error(model::error_code::platform,
                          std::string("no thread can be started ") + what_for + " (" +
                              cause.what() +
                              "); raise the limit of threads (`ulimit -u`, or that of the "
                              "container), or end others");
}

}  // namespace

team& team::instance() {
  // Leaked on purpose: lanes and events of static objects may outlive every destructor.
  static team* one = [] {
    auto fresh = std::unique_ptr<team>(new team());
    fresh->start_workers();
    team* t = fresh.release();
    // A runtime on top has ended the threads earlier. A forked child has none.
    static const pid_t owner = getpid();
    std::atexit([] {
      if (getpid() == owner) instance().shut_down();
    });
    return t;
  }();
  return *one;
}

team& team::start_for_sub_device(unsigned threads, std::vector<unsigned> processors) {
  auto* t = new team(std::max(1U, std::min(threads, most_threads)), std::move(processors));
  team& all = instance();
  std::lock_guard<std::mutex> lock(all.sub_device_teams_mutex_);
  all.sub_device_teams_.push_back(t);
  if (all.stop_.load()) return *t;
  t->start_workers();
  return *t;
}

team::visit::visit(const team& t) noexcept
    : bound_(t.for_sub_device_ && bind_here(t.processors_)) {}

team::visit::~visit() {
  if (!bound_) return;
  static_cast<void>(before_binding.bind_calling_thread());
  before_binding = {};
}

unsigned team::current_thread() noexcept { return this_thread; }

team::team()
    : barrier_(operating_system::register_barrier()), workers_(barrier_), waiters_(barrier_) {
  processors_ = processors_of_process();
  const team_request wanted = read_openmp_environment(processors_);
  const auto here = static_cast<unsigned>(std::max<std::size_t>(processors_.size(), 1));
  size_ = wanted.threads != 0 ? wanted.threads : here;
  if (wanted.at_most != 0) size_ = std::min(size_, wanted.at_most);
  size_ = std::min(size_, most_threads);
  stack_bytes_ = wanted.stack_bytes;
  place_workers(wanted);
  if (const unsigned quota = processors_by_quota(); quota != 0)
    parallelism_ = std::min(parallelism_, quota);
  // With more threads than processors, spinning only takes time from the others. A team of one has two
  // threads, the worker and who waits, perhaps bound to one processor.
  spin_nanoseconds_ = size_ > 1 && size_ <= parallelism_ ? worker_spin : 0;
}

team::team(unsigned threads, std::vector<unsigned> processors)
    : size_(threads),
      for_sub_device_(true),
      processors_(std::move(processors)),
      barrier_(operating_system::register_barrier()),
      workers_(barrier_),
      waiters_(barrier_) {
  const team& all = instance();
  const auto here =
      static_cast<unsigned>((processors_.empty() ? all.processors_ : processors_).size());
  parallelism_ = std::min(size_, std::max(1U, here));
  stack_bytes_ = all.stack_bytes_;
  masks_.assign(size_, processor_mask::of(processors_));
  spin_nanoseconds_ =
      size_ <= processors_.size() && all.processors_.size() > 1 ? sub_device_spin : 0;
}

// Where each worker is to be. It may have been bound by what is no part of this library to less than the process may
// use, through the thread that starts it.
void team::place_workers(const team_request& wanted) {
  masks_.assign(size_, processor_mask::of(processors_));
  processor_list used = processors_;
  if (!wanted.places.empty()) {
    // The thread that waits is not this library's to bind. If it is at a place, that is the first one.
    const processor_list here = processor_mask::of_calling_thread().list();
    std::size_t first = 0;
    for (std::size_t p = 0; p < wanted.places.size(); ++p)
      if (std::includes(wanted.places[p].begin(), wanted.places[p].end(), here.begin(), here.end()))
        first = p;
    used.clear();
    const auto at = distribute(wanted.how, size_, wanted.places.size(), first);
    for (unsigned i = 0; i < size_; ++i) {
      const processor_list& place = wanted.places[at[i]];
      masks_[i] = processor_mask::of(place);
      processor_list both;
      std::set_union(used.begin(), used.end(), place.begin(), place.end(),
                     std::back_inserter(both));
      used = std::move(both);
    }
    if (size_ == 1) masks_.assign(2, processor_mask::of(processors_));
  }
  parallelism_ = std::min(size_, static_cast<unsigned>(std::max<std::size_t>(used.size(), 1)));
}

void team::start_workers() {
  // A team of one has a worker besides the thread that waits.
  const unsigned first = for_sub_device_ ? 0 : 1,
                 count = for_sub_device_ ? size_ : std::max(size_ - 1, 1U);
  for (unsigned i = 0; i < count; ++i) {
    running_workers_.fetch_add(1);
    try {
      const unsigned thread = first + i;
      thread_start how;
      how.processors = masks_[std::min<std::size_t>(thread, masks_.size() - 1)];
      how.stack_bytes = stack_bytes_;
      start_thread(how, [this, thread] { worker(thread); }).detach();
    } catch (const std::system_error& e) {
      running_workers_.fetch_sub(1);
      if (i == 0) refuse_for_lack_of_threads("to run kernels on", e);
      parallelism_ = std::min(parallelism_, i + 1);
      return;  // those that could be started do all of it
    }
  }
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
  operating_system::make_stores_visible(barrier_);
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
  if (parallelism_ < 2) return -1;
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
    workers_.tell_some(static_cast<int>(parallelism_) - 1);
    if (!for_sub_device_) work_finished();
  }
  return index;
}

void team::close(int index, job& j) noexcept {
  slot& s = slots_[index];
  open_jobs_.fetch_and(~(std::uint64_t{1} << index), std::memory_order_relaxed);
  if (j.release != nullptr) {
    s.control.fetch_sub(open_bit - left_bit, std::memory_order_acq_rel);
    leave(index);
    return;
  }
  s.control.fetch_and(~open_bit, std::memory_order_acq_rel);
  wait_for_others helpers(*this);
  while (s.control.load(std::memory_order_acquire) != 0)
    helpers.turn([&j] { return j.longest_part; });
  helpers.over();
  used_slots_.fetch_and(~(std::uint64_t{1} << index), std::memory_order_release);
}

// By who may be the last one at a slot whose opener has left. One thread makes the word zero, and has the slot then.
void team::leave(int index) noexcept {
  slot& s = slots_[index];
  std::uint32_t nobody_inside = left_bit;
  if (!s.control.compare_exchange_strong(nobody_inside, 0, std::memory_order_acq_rel,
                                         std::memory_order_relaxed))
    return;
  job* j = s.work.load(std::memory_order_relaxed);
  used_slots_.fetch_and(~(std::uint64_t{1} << index), std::memory_order_release);
  j->release(*j);
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
      helped = j->assist(*j, thread) || helped;
    }
    if (s.control.fetch_sub(1, std::memory_order_acq_rel) == left_bit + 1) leave(index);
  }
  if (helped && suspected_.load(std::memory_order_relaxed) != 0) look_into_suspicion();
  return helped;
}

bool team::help(unsigned thread) noexcept {
  if (assist_jobs(thread)) return true;
  lane* none = nullptr;
  const bool helped = run_another(none, thread, false);
  if (none != nullptr) let_go(none);
  return helped;
}

void team::give_back(lane& l) noexcept {
  l.running().give_back();
  workers_.order_stores();
  if (l.has_steps()) work_published();
}

void team::let_go(lane*& mine) noexcept {
  lane& l = *std::exchange(mine, nullptr);
  if (!l.running().let_go()) return;
  workers_.order_stores();
  if (l.has_steps()) work_published();
}

// Runs steps of a lane other than `mine` (may be null), and keeps that one. False if there are none.
bool team::run_another(lane*& mine, unsigned thread, bool also_kept) noexcept {
  const std::size_t n = active_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < n; ++i) {
    lane* l = active_[i].load(std::memory_order_acquire);
    if (l == nullptr || l == mine || !l->has_steps()) continue;
    if (!l->running().try_take() && !(also_kept && l->running().try_take_kept())) continue;
    if (!l->ready()) {
      // Whoever calls this looks again.
      l->running().give_back();
      continue;
    }
    if (mine != nullptr) let_go(mine);
    if (l->run(thread, steps_per_round, nullptr, 0) != lane::outcome::handed_over) {
      l->running().keep();
      mine = l;
    }
    return true;
  }
  return false;
}

void team::worker(unsigned thread) noexcept {
  this_thread = thread;
  work(thread);
  running_workers_.fetch_sub(1);
  note_end();
  if (!for_sub_device_) return;
  // Nobody else runs the steps of a sub-device, so while a static object waits for one it goes on. Never ends, but with the process.
  std::atomic<std::uint32_t>& waiters = instance().late_waiters_;
  for (;;) {
    operating_system::wait(waiters, 0, sleep_alone);
    if (waiters.load() != 0) work(thread);
  }
}

bool team::goes_on() const noexcept {
  return !stop_.load(std::memory_order_relaxed) ||
         (for_sub_device_ && instance().late_waiters_.load() != 0);
}

// While the team goes on.
void team::work(unsigned thread) noexcept {
  lane* mine = nullptr;  // kept
  std::uint64_t idle_since = 0, idle_seen = 0;
  unsigned idle_rounds = 0;
  unsigned turns = 0;
  unsigned naps = 0;  // one after the other
  bool slept = false;
  while (goes_on()) {
    bool useful = false;
    if (mine != nullptr && mine->has_steps()) {
      if (!mine->running().try_take_kept()) {
        mine = nullptr;  // somebody else has it
      } else {
        switch (mine->run(thread, steps_per_round, nullptr, 0)) {
          case lane::outcome::ran:
            mine->running().keep();
            useful = true;
            break;
          case lane::outcome::empty:
            mine->running().keep();
            break;
          case lane::outcome::blocked:
            mine->running().give_back();
            mine = nullptr;
            break;
          case lane::outcome::handed_over:
            mine = nullptr;
            useful = true;
            break;
        }
      }
    }
    if (!useful && open_jobs_.load(std::memory_order_relaxed) != 0) {
      if (mine != nullptr) let_go(mine);
      useful = assist_jobs(thread);
    }
    // After a round of its own lane, another lane gets its turn.
    if (!useful || ++turns >= 2) {
      turns = 0;
      if (run_another(mine, thread, std::exchange(slept, false))) useful = true;
    }
    if (useful) {
      idle_rounds = naps = 0;
      continue;
    }
    look_at_overflow();
    idle_turn();
    if (idle_rounds++ == 0) {
      idle_since = nanoseconds_now();
    } else if ((idle_rounds & 63U) == 0) {
      // Who has work for it may wait for this very processor.
      std::this_thread::yield();
      if (idle_time(idle_since, idle_seen) < spin_time(spin_nanoseconds_)) continue;
      if (mine != nullptr) let_go(mine);
      sleep_as_worker(naps);
      slept = true;
      idle_rounds = 0;
    }
  }
  if (mine != nullptr) let_go(mine);
}

// Since `since`, by a thread that asks every few microseconds and finds nothing to do.
std::uint64_t team::idle_time(std::uint64_t since, std::uint64_t& seen) noexcept {
  const std::uint64_t now = nanoseconds_now(), gap = now - std::max(seen, since);
  seen = now;
  if (gap >= long_between_looks && lost_its_processor()) hold_ups_.note(gap, now);
  return now - since;
}

std::uint64_t team::spin_time(std::uint64_t at_most) noexcept { return risk() != 0 ? 0 : at_most; }

void team::suspect(std::uint64_t nanoseconds) noexcept {
  if (lost_its_processor())
    hold_ups_.note(nanoseconds, nanoseconds_now());
  else
    suspected_.store(nanoseconds, std::memory_order_relaxed);
}

void team::look_into_suspicion() noexcept {
  const std::uint64_t nanoseconds = suspected_.exchange(0, std::memory_order_relaxed);
  if (nanoseconds != 0 && lost_its_processor()) hold_ups_.note(nanoseconds, nanoseconds_now());
}

void team::idle_turn() const noexcept {
  if (guests_.load(std::memory_order_relaxed) != 0)
    std::this_thread::yield();
  else
    pause();
}

team::prospect team::look_for_work() const noexcept {
  if (open_jobs_.load(std::memory_order_relaxed) != 0) return prospect::some;
  if (overflow_count_.load(std::memory_order_relaxed) != 0) return prospect::some;
  prospect best = prospect::none;
  const std::size_t n = active_count_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < n; ++i) {
    const lane* l = active_[i].load(std::memory_order_acquire);
    if (l == nullptr || !l->has_steps()) continue;
    if (!l->running().taken()) return prospect::some;
    best = prospect::of_others;
  }
  return best;
}

void team::sleep_as_worker(unsigned& naps) noexcept {
  // Nobody else runs the steps of a sub-device.
  if (const std::uint64_t held_up = for_sub_device_ ? 0 : risk(); held_up != 0) {
    const unsigned before = look_for_work() == prospect::some ? 0 : std::min(naps++, 20U);
    // What is worth sharing takes longer than a hold-up.
    const std::uint64_t at_most = std::max(first_nap, std::min(longest_nap, held_up / 4));
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(first_nap << before, at_most)));
    return;
  }
  workers_.sleep([this, &naps]() -> std::uint64_t {
    if (!goes_on()) return 0;
    switch (look_for_work()) {
      case prospect::some:
        return sleep_beside_work;
      case prospect::of_others:
        return std::min(sleep_beside_work << std::min(naps++, 20U), sleep_beside_others);
      case prospect::none:
        break;
    }
    return sleep_alone;
  });
}

// Has workers of sub-devices go on that have stopped.
class team::late_wait {
 public:
  explicit late_wait(team& t) noexcept : team_(t), counts_(t.stop_.load()) {
    if (!counts_) return;
    team_.late_waiters_.fetch_add(1);
    operating_system::wake(team_.late_waiters_, INT_MAX);
  }
  ~late_wait() {
    if (counts_) team_.late_waiters_.fetch_sub(1);
  }
  late_wait(const late_wait&) = delete;
  late_wait& operator=(const late_wait&) = delete;

 private:
  team& team_;
  bool counts_;
};

void team::wait(const executors::progress& target, std::uint64_t position) noexcept {
  if (target.reached(position)) return;
  if (executors::progress_source* source = target.source()) {
    source->wait(target, position);
    return;
  }
  const late_wait late(*this);
  const unsigned thread = this_thread;
  std::uint64_t idle_since = 0, idle_seen = 0;
  unsigned idle_rounds = 0;
  bool waited = false;  // for so long that who keeps a lane may be off its processor
  bool passed_over =
      false;  // a lane with steps that wait; workers may have done so because it was taken
  while (!target.reached(position)) {
    if (assist_jobs(thread)) {
      idle_rounds = 0;
      continue;
    }
    bool useful = false;
    const std::size_t n = active_count_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < n && !useful; ++i) {
      lane* l = active_[i].load(std::memory_order_acquire);
      if (l == nullptr || !l->has_steps()) continue;
      if (!l->running().try_take() && !(waited && l->running().try_take_kept())) continue;
      if (!l->ready()) {
        l->running().give_back();
        passed_over = true;
        continue;
      }
      if (l->run(thread, steps_per_round, &target, position) != lane::outcome::handed_over)
        give_back(*l);
      useful = true;
    }
    if (useful) {
      idle_rounds = 0;
      waited = false;
      continue;
    }
    look_at_overflow();
    idle_turn();
    if (idle_rounds++ == 0) {
      idle_since = nanoseconds_now();
    } else if ((idle_rounds & 63U) == 0 &&
               idle_time(idle_since, idle_seen) >=
                   spin_time(std::min(spin_nanoseconds_, waiter_spin))) {
      if (!std::exchange(waited, true)) continue;
      waiters_.sleep([&] { return target.reached(position) ? 0 : sleep_of_waiter; });
      idle_rounds = 0;
    }
  }
  if (passed_over) work_published();
}

started_thread team::start_helper(const char* name, std::function<void()> body) const {
  thread_start how;
  how.processors = processor_mask::of(processors_);
  how.name = name;
  how.deaf = true;
  try {
    return start_thread(how, std::move(body));
  } catch (const std::system_error& e) {
    refuse_for_lack_of_threads("for a device", e);
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
    // Bound to nothing, whoever needs it.
    thread_start how;
    how.processors = processor_mask::of(processors_);
    start_thread(how, [this] {
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
  workers_.tell_all();
}

// A worker has ended.
void team::note_end() noexcept {
  std::atomic<std::uint32_t>& ends = instance().ends_;
  ends.fetch_add(1);
  operating_system::wake(ends, INT_MAX);
}

void team::shut_down() noexcept {
  if (stop_.exchange(true)) return;
  tell_to_stop();
  std::lock_guard<std::mutex> lock(sub_device_teams_mutex_);
  for (team* t : sub_device_teams_) t->tell_to_stop();
  const auto runs = [this] {
    if (running_workers_.load() != 0) return true;
    return std::any_of(sub_device_teams_.begin(), sub_device_teams_.end(),
                       [](const team* t) { return t->running_workers_.load() != 0; });
  };
  // Not a wake-up is lost: whoever ends says so first, then changes the word that is slept at.
  for (patience left(wait_for_workers);;) {
    const std::uint32_t ends = ends_.load();
    const std::uint64_t at_most = left.look();
    if (!runs() || at_most == 0) return;
    operating_system::wait(ends_, ends, at_most);
  }
}

}  // namespace pianola::host
