// SPDX-License-Identifier: Apache-2.0
#include "completion/patient_thread.hpp"

#include <pianola/host/team.hpp>

namespace pianola::gpu {

void patient_thread::kick() noexcept {
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->stopping) return;
  state_->kicked = true;
  if (thread_.joinable()) {
    state_->changed.notify_one();
    return;
  }
  try {
    thread_ = host::team::instance().start_helper("pianola-copy", [s = state_] { run(*s); });
  } catch (...) {  // see the header
  }
}

void patient_thread::stop() noexcept {
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void patient_thread::leave() noexcept {
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_one();
  if (thread_.joinable()) thread_.detach();
}

void patient_thread::run(state& s) noexcept {
  std::unique_lock<std::mutex> lock(s.mutex);
  for (;;) {
    s.changed.wait(lock, [&] { return s.kicked || s.stopping; });
    if (s.stopping) return;
    s.kicked = false;
    lock.unlock();
    s.work();
    lock.lock();
  }
}

}  // namespace pianola::gpu
