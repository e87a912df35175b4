// SPDX-License-Identifier: Apache-2.0
#include "completion/health.hpp"

namespace pianola::gpu {

void health::lose(const executors::status& cause) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_.load(std::memory_order_relaxed) != state::well) return;
  // What a driver explains so ends with what to do.
  cause_ = {cause.code, "the device is lost: " + cause.reason};
  state_.store(state::lost, std::memory_order_release);
}

executors::status health::why() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (gone()) return {model::error_code::runtime, "the process ends: its devices are closed"};
  return cause_;
}

}  // namespace pianola::gpu
