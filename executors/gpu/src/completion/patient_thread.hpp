// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>

#include <pianola/host/start_thread.hpp>

namespace pianola::gpu {

class lane;

// A lane's own thread for calls of the driver that return only when all work in front of them is done: whoever else made
// them, the submitting thread or the one that serves all lanes, could be what that work waits for. It starts with the
// first such call.
class patient_thread {
 public:
  patient_thread() = default;
  ~patient_thread() { stop(); }
  patient_thread(const patient_thread&) = delete;
  patient_thread& operator=(const patient_thread&) = delete;

  // The lane's first pending step is of that kind, or may be. Without memory for a thread the step is issued by whoever
  // waits for it.
  void kick(lane&) noexcept;
  // Returns when the thread has ended; it is in no call, or in one that returns.
  void stop() noexcept;
  // The process ends; the thread may be stuck in the driver.
  void leave() noexcept;

 private:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    bool kicked = false;
    bool stopping = false;
  };
  static void run(const std::shared_ptr<state>& s, lane& of) noexcept;

  std::shared_ptr<state> state_ = std::make_shared<state>();
  host::started_thread thread_;
};

}  // namespace pianola::gpu
