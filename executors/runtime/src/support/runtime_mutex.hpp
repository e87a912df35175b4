// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>

#include <atomic>
#include <mutex>

namespace pianola::runtime {

// The runtime's lock. Knows whether the calling thread holds it: executors call back about steps, from threads of
// their own as well as out of a submission that is made under the lock.
class runtime_mutex {
 public:
  void lock() {
    mutex_.lock();
    owner_.store(pthread_self(), std::memory_order_relaxed);
  }
  bool try_lock() {
    if (!mutex_.try_lock()) return false;
    owner_.store(pthread_self(), std::memory_order_relaxed);
    return true;
  }
  void unlock() {
    owner_.store(pthread_t{}, std::memory_order_relaxed);
    mutex_.unlock();
  }
  [[nodiscard]] bool held_here() const noexcept {
    return pthread_equal(owner_.load(std::memory_order_relaxed), pthread_self()) != 0;
  }

 private:
  std::mutex mutex_;
  std::atomic<pthread_t> owner_{pthread_t{}};
};

// Holds the lock for a while, or leaves it held.
class callback_lock {
 public:
  explicit callback_lock(runtime_mutex& m) : mutex_(m), taken_(!m.held_here()) {
    if (taken_) mutex_.lock();
  }
  ~callback_lock() {
    if (taken_) mutex_.unlock();
  }
  callback_lock(const callback_lock&) = delete;
  callback_lock& operator=(const callback_lock&) = delete;

 private:
  runtime_mutex& mutex_;
  bool taken_;
};

}  // namespace pianola::runtime
