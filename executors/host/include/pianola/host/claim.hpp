// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

#include "sleepers.hpp"

namespace pianola::host {

// Which thread may touch the running side of a lane. A worker that has run all steps of a lane keeps it, so that it sees
// the next one at once; but it may be off its processor when that comes, and so whoever has nothing else to do may take
// a lane that is kept. A worker lets go of its lane before it does anything else.
//
// Who passes over a lane because it is taken may go to sleep: who gives it back looks for steps afterwards, and tells.
template <class System>
class basic_claim {
 public:
  // By a thread that runs steps, or by one that waits for some.
  [[nodiscard]] bool taken() const { return word_.load(std::memory_order_relaxed) != nobodys; }

  [[nodiscard]] bool try_take() { return change(nobodys, running, std::memory_order_acquire); }
  [[nodiscard]] bool try_take_kept() { return change(kept, running, std::memory_order_acquire); }
  // By who runs steps.
  void keep() { word_.store(kept, std::memory_order_release); }
  void give_back() { word_.store(nobodys, std::memory_order_release); }
  // By who has kept it. False if another thread has taken it meanwhile.
  bool let_go() { return change(kept, nobodys, std::memory_order_acq_rel); }

 private:
  static constexpr std::uint32_t nobodys = 0, running = 1, kept = 2;

  bool change(std::uint32_t from, std::uint32_t to, std::memory_order order) {
    return word_.load(std::memory_order_relaxed) == from &&
           word_.compare_exchange_strong(from, to, order, std::memory_order_relaxed);
  }

  typename System::template atomic<std::uint32_t> word_{nobodys};
};

using claim = basic_claim<operating_system>;

}  // namespace pianola::host
