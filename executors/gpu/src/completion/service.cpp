// SPDX-License-Identifier: Apache-2.0
#include "completion/service.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include <pianola/host/clock.hpp>
#include <pianola/host/team.hpp>

namespace pianola::gpu {

namespace {

constexpr std::chrono::milliseconds longest_idle_sleep(100);

}  // namespace

void service::add(served& l) {
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->lanes.push_back(&l);
  if (!state_->running) {
    if (state_->stopping) return;
    try {
      thread_ = host::team::instance().start_helper("pianola-gpu", [s = state_] { run(s); });
      state_->running = true;
    } catch (...) {
      state_->lanes.pop_back();
      throw;
    }
  }
  state_->kicked = true;
  state_->wake();
}

void service::kick() noexcept {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    if (state_->kicked) return;
    state_->kicked = true;
  }
  state_->wake();
}

void service::state::wake() noexcept {
  changed.notify_all();
  host::team::instance().work_finished();
}

void service::stop() noexcept {
  std::unique_lock<std::mutex> lock(state_->mutex);
  state_->stopping = true;
  state_->wake();
  if (!thread_.joinable()) return;
  bool ended = false;
  for (host::patience left(1'000'000'000); !ended;) {
    const std::chrono::nanoseconds at_most(left.look());
    if (at_most.count() == 0) break;
    ended = state_->ended.wait_for(lock, at_most, [this] { return !state_->running; });
  }
  lock.unlock();
  if (ended)
    thread_.join();
  else
    thread_.detach();
}

void service::run(const std::shared_ptr<state>& s) noexcept {
  // The default slack is more than the shortest sleep here.
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
  std::vector<served*> round;
  std::chrono::nanoseconds sleep = longest_idle_sleep;
  bool waits_for_hosts = false;
  bool busy = false;
  host::team& team = host::team::instance();
  std::unique_lock<std::mutex> lock(s->mutex);
  while (!s->stopping) {
    const auto called = [&] { return s->stopping || s->kicked; };
    if (busy == s->lanes.empty()) {
      busy = !busy;
      busy ? team.guest_arrives() : team.guest_leaves();
    }
    if (s->lanes.empty()) {
      s->changed.wait(lock, called);
    } else if (waits_for_hosts) {
      // What a lane waits for may end at any time on a thread of the host.
      lock.unlock();
      team.sleep_until_work_finished([&]() -> std::uint64_t {
        const std::lock_guard<std::mutex> looking(s->mutex);
        return called() ? 0 : static_cast<std::uint64_t>(sleep.count());
      });
      lock.lock();
    } else {
      s->changed.wait_for(lock, sleep, called);
    }
    if (s->stopping) break;
    s->kicked = false;
    // Lanes leave with this lock held, and come only once they have left.
    round.swap(s->lanes);
    lock.unlock();
    sleep = longest_idle_sleep;
    waits_for_hosts = false;
    auto kept = std::remove_if(round.begin(), round.end(), [&](served* l) {
      const auto again = l->serve();
      sleep = std::min(sleep, again);
      waits_for_hosts = waits_for_hosts || l->has_pending();
      return again == served::idle;
    });
    lock.lock();
    round.erase(kept, round.end());
    s->lanes.insert(s->lanes.end(), round.begin(), round.end());
    round.clear();
  }
  if (busy) team.guest_leaves();
  s->running = false;
  s->ended.notify_all();
}

}  // namespace pianola::gpu
