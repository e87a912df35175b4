// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/host/start_thread.hpp>

#include "completion/served.hpp"

namespace pianola::gpu {

// The thread of a backend that gives steps to the driver once what they wait for has finished, and that asks
// lanes how far they have come where nobody else does. Sleeps while every lane is idle.
class service {
 public:
  service() = default;
  ~service() { stop(); }
  service(const service&) = delete;
  service& operator=(const service&) = delete;

  // The lane has something to do from now on; it leaves by itself (served::serve).
  void add(served&);
  // Something needs attention now.
  void kick() noexcept;
  // Returns when the thread has ended, or after about a second: it may be stuck in the driver.
  void stop() noexcept;

 private:
  // Outlives the service if the thread is stuck.
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    std::condition_variable ended;
    std::vector<served*> lanes;
    bool kicked = false;
    bool stopping = false;
    bool running = false;
    void wake() noexcept;
  };
  static void run(const std::shared_ptr<state>& s) noexcept;

  std::shared_ptr<state> state_ = std::make_shared<state>();
  host::started_thread thread_;
};

}  // namespace pianola::gpu
