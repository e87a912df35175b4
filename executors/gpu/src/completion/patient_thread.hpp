// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <pianola/host/start_thread.hpp>

namespace pianola::gpu {

// A lane's own thread for calls of the driver that return only when all work in front of them is done: whoever else made
// them, the submitting thread or the one that serves all lanes, could be what that work waits for. It starts with the
// first such call.
class patient_thread {
 public:
  // `work`: issues what can be, whatever the calls take; it does not throw.
  explicit patient_thread(std::function<void()> work)
      : state_(std::make_shared<state>(std::move(work))) {}
  ~patient_thread() { stop(); }
  patient_thread(const patient_thread&) = delete;
  patient_thread& operator=(const patient_thread&) = delete;

  // The lane's first pending step is of that kind, or may be. Without memory for a thread the step is issued by whoever
  // waits for it.
  void kick() noexcept;
  // Returns when the thread has ended; it is in no call, or in one that returns.
  void stop() noexcept;
  // The process ends; the thread may be stuck in the driver.
  void leave() noexcept;

 private:
  struct state {
    explicit state(std::function<void()> w) : work(std::move(w)) {}
    const std::function<void()> work;
    std::mutex mutex;
    std::condition_variable changed;
    bool kicked = false;
    bool stopping = false;
  };
  static void run(state& s) noexcept;

  std::shared_ptr<state> state_;
  host::started_thread thread_;
};

}  // namespace pianola::gpu
