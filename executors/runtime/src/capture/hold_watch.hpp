// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include <sys/types.h>

#include <pianola/host/start_thread.hpp>

namespace pianola::runtime {

// A thread that looks now and then for commands that have been held back too long, while some are held back.
class hold_watch {
 public:
  // `look` submits those, and says whether anything else is held back; it waits for no lock.
  explicit hold_watch(std::function<bool()> look) : look_(std::move(look)) {}
  hold_watch(const hold_watch&) = delete;
  hold_watch& operator=(const hold_watch&) = delete;

  // Something is held back. Starts the thread if there is none; if it cannot be started, nobody looks.
  void begin() noexcept;
  void stop() noexcept;

 private:
  void run() noexcept;

  std::function<bool()> look_;
  std::atomic<bool> asleep_{true};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false, stopped_ = false;
  host::started_thread thread_;
  ::pid_t of_ = 0;  // the process that has started it
};

}  // namespace pianola::runtime
