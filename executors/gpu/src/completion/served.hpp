// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>

namespace pianola::gpu {

// What the backend's thread looks at again and again while there is something to do for it: a lane.
class served {
 public:
  static constexpr std::chrono::nanoseconds idle = std::chrono::nanoseconds::max();

  // Does what can be done, and says how long the thread may sleep; `idle`: nothing is left to do, and it will add itself
  // again.
  [[nodiscard]] virtual std::chrono::nanoseconds serve() noexcept = 0;
  // Something of it waits for the host.
  [[nodiscard]] virtual bool has_pending() const noexcept = 0;

 protected:
  ~served() = default;
};

}  // namespace pianola::gpu
