// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"

#include <pthread.h>
#include <signal.h>

namespace pianola::test::drivers {
namespace {

constexpr unsigned thread_count = 4;
// One of so many tasks is late.
constexpr std::uint32_t late_one_of = 16;
constexpr std::uint32_t late_microseconds = 150;

}  // namespace

void scheduler::set_seed(std::uint64_t seed) {
  seed_ = seed;
  random_.seed(static_cast<std::uint32_t>(seed * 2654435761U + 1));
}

void scheduler::hold(bool held) {
  held_ = held;
  more_.notify_all();
}

void scheduler::add(const std::shared_ptr<task>& t,
                    const std::vector<std::shared_ptr<task>>& after) {
  ++t->owner->outstanding;
  t->unmet = 1;
  for (const auto& before : after)
    if (before != nullptr && !before->done) {
      before->next.push_back(t);
      ++t->unmet;
    }
  if (--t->unmet == 0) make_ready(t);
  if (threads_.empty() && !stopping_) {
    // Signals are for threads of the program.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    for (unsigned i = 0; i < thread_count; ++i) threads_.emplace_back([this] { work(); });
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
  }
}

void scheduler::make_ready(std::shared_ptr<task> t) {
  if (!t->work && !held_) {
    finish(t);
    return;
  }
  ready_.push_back(std::move(t));
  more_.notify_one();
}

void scheduler::finish(const std::shared_ptr<task>& t) {
  finishing_.push_back(t);
  if (finishing_now_) return;
  finishing_now_ = true;
  while (!finishing_.empty()) {
    const auto f = finishing_.back();
    finishing_.pop_back();
    f->done = true;
    f->when = std::chrono::steady_clock::now();
    --f->owner->outstanding;
    if (on_end != nullptr) on_end(f);
    f->work = nullptr;
    const auto next = std::move(f->next);
    f->next.clear();
    for (const auto& n : next)
      if (--n->unmet == 0) make_ready(n);
  }
  finishing_now_ = false;
  changed_.notify_all();
}

void scheduler::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    more_.wait(lock, [&] { return stopping_ || (!held_ && !ready_.empty()); });
    if (stopping_) return;
    const std::size_t chosen = seed_ == 0 ? 0 : random_() % ready_.size();
    const auto t = ready_[chosen];
    ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
    const bool late = seed_ != 0 && random_() % late_one_of == 0;
    const auto delay = std::chrono::microseconds(late ? random_() % late_microseconds : 0);
    if (t->work && t->owner->error == 0 && late) {
      lock.unlock();
      std::this_thread::sleep_for(delay);
      lock.lock();
    }
    // The context may have been lost meanwhile.
    if (t->work && t->owner->error == 0) {
      ++running_;
      lock.unlock();
      const task::result result = t->work();
      lock.lock();
      --running_;
      if (result.first != 0 && t->owner->error == 0 && on_error != nullptr)
        on_error(*t->owner, result.first, result.second);
    }
    finish(t);
  }
}

void scheduler::stop(std::unique_lock<std::mutex>& lock) {
  stopping_ = true;
  more_.notify_all();
  changed_.notify_all();
  auto threads = std::move(threads_);
  threads_.clear();
  lock.unlock();
  for (auto& t : threads) t.join();
  lock.lock();
}

}  // namespace pianola::test::drivers
