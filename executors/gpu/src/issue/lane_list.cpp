// SPDX-License-Identifier: Apache-2.0
#include "issue/lane_list.hpp"

#include "engine/engine.hpp"

namespace pianola::gpu {

using executors::status;

lane_list::~lane_list() {
  engine_.helper.stop();
  for (const auto& l : lanes_) l->stop_patient_thread();
  if (!engine_.state.gone())
    for (const auto& l : lanes_) l->drain();
}

status lane_list::make(std::uint32_t device, lane*& out) {
  if (!engine_.state.usable()) return engine_.state.why();
  stream native;
  if (const code c = engine_.drv.make_stream(device, native); c != success)
    return engine_.failure(c, "making a stream");
  std::lock_guard<std::mutex> lock(mutex_);
  try {
    lanes_.push_back(std::make_unique<lane>(engine_, device, native, true));
  } catch (...) {
    engine_.drv.destroy(device, native);
    throw;
  }
  out = lanes_.back().get();
  return {};
}

status lane_list::adopt(std::uint32_t device, stream native, lane*& out) {
  if (!engine_.state.usable()) return engine_.state.why();
  std::lock_guard<std::mutex> lock(mutex_);
  lanes_.push_back(std::make_unique<lane>(engine_, device, native, false));
  out = lanes_.back().get();
  return {};
}

void lane_list::shut_down() noexcept {
  if (engine_.state.closing()) return;
  engine_.state.close();
  engine_.helper.stop();
  for_each([](lane& l) { l.leave_patient_thread(); });
  if (engine_.drv.answers_at_exit()) return;
  engine_.state.leave();
  for_each([](lane& l) { l.abandon(); });
}

}  // namespace pianola::gpu
