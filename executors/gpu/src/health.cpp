// SPDX-License-Identifier: Apache-2.0
#include "health.hpp"

namespace pianola::gpu {

void health::lose(const executors::status& cause) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_.load(std::memory_order_relaxed) != state::well) return;
  cause_ = {cause.code, "the device is lost: " + cause.reason +
                            ". Nothing more can run on it in this process; start a new one"};
  state_.store(state::lost, std::memory_order_release);
}

executors::status health::why() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (gone()) return {model::error_code::runtime, "the process ends: its devices are closed"};
  return cause_;
}

}  // namespace pianola::gpu
