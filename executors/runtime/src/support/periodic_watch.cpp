// SPDX-License-Identifier: Apache-2.0
#include "support/periodic_watch.hpp"

#include <new>
#include <system_error>

#include <unistd.h>

#include <pianola/host/own_threads.hpp>

#include "support/log.hpp"

namespace pianola::runtime {

void periodic_watch::begin() noexcept {
  if (!asleep_.load()) return;
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    wanted_ = true;
    if (of_ != ::getpid() && !stopped_) {
      // The one before is of the process that this one was forked from.
      if (thread_.joinable()) thread_.detach();
      host::thread_start how;
      how.name = what_.name;
      how.deaf = true;
      thread_ = host::start_thread(how, [this] { run(); });
      of_ = ::getpid();
    }
    changed_.notify_one();
  } catch (const std::bad_alloc&) {
    // It is tried again when there is something else.
  } catch (const std::system_error& e) {
    asleep_.store(false);  // not tried again
    log_warn("{}: {}", what_.lacks, e.what());
  }
}

void periodic_watch::stop() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable() && of_ == ::getpid()) thread_.join();
}

void periodic_watch::run() noexcept {
  const host::own_thread here;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopped_) {
    asleep_.store(true);
    lock.unlock();
    const bool anything = look_();
    lock.lock();
    if (anything || wanted_) {
      asleep_.store(false);
      wanted_ = false;
      changed_.wait_for(lock, what_.between_looks, [this] { return stopped_; });
      continue;
    }
    changed_.wait(lock, [this] { return stopped_ || wanted_; });
  }
}

}  // namespace pianola::runtime
