// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <climits>
#include <cstdint>

namespace pianola::host {

// What threads sleep with. Tests put another one in its place, which goes through every interleaving.
struct operating_system {
  template <class T>
  using atomic = std::atomic<T>;

  // True if `make_stores_visible` reaches the other threads too.
  static bool register_barrier() noexcept;
  // Afterwards the stores that any thread of the process has made before are seen by all; without the barrier, those of
  // the calling thread.
  static void make_stores_visible(bool barrier) noexcept;
  // Stores before it are seen by others no later than what the thread reads after it.
  static void fence() noexcept;
  // Returns when somebody wakes the word's sleepers, at once if it has another value, or when so much time has passed;
  // now and then for no reason.
  static void wait(std::atomic<std::uint32_t>& word, std::uint32_t value,
                   std::uint64_t nanoseconds) noexcept;
  static void wake(std::atomic<std::uint32_t>& word, int count) noexcept;
};

// Threads that sleep because there is nothing for them, and others that tell them when there is. To tell costs one
// load while nobody sleeps: no fence, no store.
//
//   who tells                                who sleeps
//   T1  store what is new                    S1  s = signal
//   T2  (compiler barrier)                   S2  ++count
//   T3  if count != 0:                       S3  make everybody's stores visible
//   T4     ++signal                          S4  look; somebody has something: go to S7
//   T5     wake                              S5  sleep unless signal != s
//                                            S6  (woken)
//                                            S7  --count
//
// No news is lost. S3 is between two instructions of the teller. If T1 comes before S3, S4 sees what is new, though
// the store may have been in the teller's store buffer until then. Else T3 comes after S3 and sees what S2 did; then T4
// changes the word: S5 comes before T4, and T5 wakes the thread, or does not sleep, as S1 comes before S2 and so before
// T4. Where one sleeper is woken of several it is one that had not looked after T1, or that looks again now: whoever
// returns from `sleep` looks for something to do before it sleeps the next time.
//
// The barrier of S3 is membarrier(2). Where the system has none, S3 is a fence of the sleeper and T2 is one of the
// teller. A mistake here would show as threads that sleep on until the time they gave has passed, and never for ever.
template <class System>
class basic_sleepers {
 public:
  explicit basic_sleepers(bool barrier) noexcept : barrier_(barrier) {}

  // T2. For who looks at something else before it tells, for which the same holds.
  void order_stores() const {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!barrier_) [[unlikely]]
      System::fence();
  }
  void tell_one() { tell(1); }
  void tell_all() { tell(INT_MAX); }
  void tell_some(int how_many) { tell(how_many); }

  // `look` is called when it is safe to, and returns for how long to sleep, in nanoseconds; 0: not at all.
  template <class Look>
  void sleep(Look&& look) {
    const std::uint32_t signal = signal_.load(std::memory_order_relaxed);
    count_.fetch_add(1, std::memory_order_seq_cst);
    System::make_stores_visible(barrier_);
    if (const std::uint64_t nanoseconds = look(); nanoseconds != 0)
      System::wait(signal_, signal, nanoseconds);
    count_.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  void tell(int how_many) {
    order_stores();
    if (count_.load(std::memory_order_relaxed) == 0) return;
    signal_.fetch_add(1, std::memory_order_seq_cst);
    System::wake(signal_, how_many);
  }

  typename System::template atomic<std::uint32_t> count_{0};
  typename System::template atomic<std::uint32_t> signal_{0};
  const bool barrier_;
};

using sleepers = basic_sleepers<operating_system>;

}  // namespace pianola::host
