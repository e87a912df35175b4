// SPDX-License-Identifier: Apache-2.0
#include "capture/hold_watch.hpp"

#include <chrono>
#include <system_error>
#include <utility>

#include <unistd.h>

#include <pianola/host/own_threads.hpp>

#include "support/log.hpp"

namespace pianola::runtime {

namespace {

constexpr std::chrono::milliseconds between_looks{5};

}  // namespace

void hold_watch::begin() noexcept {
  if (!asleep_.load()) return;
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    wanted_ = true;
    if (of_ != ::getpid() && !stopped_) {
      // The one before is of the process that this one was forked from.
      if (thread_.joinable()) thread_.detach();
      host::thread_start how;
      how.name = "pianola-held";
      how.deaf = true;
      thread_ = host::start_thread(how, [this] { run(); });
      of_ = ::getpid();
    }
    changed_.notify_one();
  } catch (const std::system_error& e) {
    asleep_.store(false);  // not tried again
    log_warn("commands that are held back are not looked after: {}", e.what());
  }
}

void hold_watch::stop() noexcept {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable() && of_ == ::getpid()) thread_.join();
}

void hold_watch::run() noexcept {
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
      changed_.wait_for(lock, between_looks, [this] { return stopped_; });
      continue;
    }
    changed_.wait(lock, [this] { return stopped_ || wanted_; });
  }
}

}  // namespace pianola::runtime
