// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

#include <sys/types.h>

#include <pianola/host/start_thread.hpp>

namespace pianola::runtime {

// A thread that looks now and then, while there is anything to look after.
class periodic_watch {
 public:
  struct description {
    const char* name;  // of the thread: at most 15 characters
    std::chrono::nanoseconds between_looks;
    const char* lacks;  // what is not done where the thread cannot be started
  };
  // `look` says whether there is anything left to look after; it waits for no lock.
  periodic_watch(description what, std::function<bool()> look)
      : what_(what), look_(std::move(look)) {}
  periodic_watch(const periodic_watch&) = delete;
  periodic_watch& operator=(const periodic_watch&) = delete;

  // There is something. Starts the thread if there is none; if it cannot be started, nobody looks.
  void begin() noexcept;
  void stop() noexcept;

 private:
  void run() noexcept;

  description what_;
  std::function<bool()> look_;
  std::atomic<bool> asleep_{true};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false, stopped_ = false;
  host::started_thread thread_;
  ::pid_t of_ = 0;  // the process that has started it
};

}  // namespace pianola::runtime
