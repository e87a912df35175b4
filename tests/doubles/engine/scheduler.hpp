// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "objects.hpp"

namespace pianola::test::drivers {

/// Runs tasks on threads of its own, each when those before it have finished, otherwise in any order and after
/// any time. Everything is called with the engine's mutex held.
class scheduler {
 public:
  explicit scheduler(std::mutex& mutex) : mutex_(mutex) {}
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// 0: no delays, first come first served.
  void set_seed(std::uint64_t seed);
  /// Nothing is begun from now on, or everything may be.
  void hold(bool held);

  void add(const std::shared_ptr<task>& t, const std::vector<std::shared_ptr<task>>& after);

  /// What comes after it waits until it is opened.
  static void add_gate(const std::shared_ptr<task>& t) {
    ++t->owner->outstanding;
    t->unmet = 1;
  }
  void open(const std::shared_ptr<task>& gate) {
    if (--gate->unmet == 0) make_ready(gate);
  }

  template <class Done>
  void wait(std::unique_lock<std::mutex>& lock, Done&& done) {
    changed_.wait(lock, [&] { return stopping_ || done(); });
  }

  /// Ends the threads when they have finished what they are at; what has not begun never will.
  void stop(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool stopping() const { return stopping_; }
  /// Of a call that may wait for its work or not: sometimes.
  [[nodiscard]] bool may_wait() { return !held_ && seed_ != 0 && random_() % 4 == 0; }
  [[nodiscard]] std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }
  // Pieces of work that are being done right now.
  [[nodiscard]] std::size_t running() const { return running_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  /// Called when a task of a context has come to its end with an error.
  void (*on_error)(context& where, int code, const std::string& text) = nullptr;
  /// Called when a task has ended.
  void (*on_end)(const std::shared_ptr<task>& t) = nullptr;

 private:
  void work();
  void make_ready(std::shared_ptr<task> t);
  void finish(const std::shared_ptr<task>& t);

  std::mutex& mutex_;
  std::condition_variable changed_;  // something has finished
  std::condition_variable more_;     // something is ready
  std::vector<std::shared_ptr<task>> ready_;
  std::vector<std::shared_ptr<task>> finishing_;
  bool finishing_now_ = false;
  std::vector<std::thread> threads_;
  std::minstd_rand random_{1};
  std::uint64_t seed_ = 1;
  std::size_t running_ = 0;
  bool held_ = false;
  bool stopping_ = false;
};

}  // namespace pianola::test::drivers
