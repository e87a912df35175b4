// SPDX-License-Identifier: Apache-2.0
// What tests ask of the simulated devices. The plugin exports one function,
// `pianola_simulated_control`, that returns this.
#pragma once
#include <cstdint>

namespace pianola::simulated {

struct link_counters {
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0;
};

class control {
 public:
  virtual ~control() = default;
  // Memories are numbered as in the topology: 0 is the host's.
  [[nodiscard]] virtual link_counters counters(unsigned from_memory,
                                               unsigned to_memory) const noexcept = 0;
  virtual void reset_counters() noexcept = 0;
  // The n-th allocation from now on a device (0-based index among the simulated ones) fails, counted
  // from 1; 0 turns it off.
  virtual void fail_allocation(unsigned device, std::uint64_t nth) noexcept = 0;
  // The n-th copy from now over any link fails before it moves a byte.
  virtual void fail_copy(std::uint64_t nth) noexcept = 0;
  // Every copy over the link takes that much longer.
  virtual void delay_link(unsigned from_memory, unsigned to_memory,
                          std::uint64_t nanoseconds) noexcept = 0;
  // Bytes allocated on a device and not freed.
  [[nodiscard]] virtual std::uint64_t allocated(unsigned device) const noexcept = 0;
  // The device takes no more submissions, as one whose driver has given up; steps it has go on. False, and
  // nothing happens, if these devices cannot be lost: only separate ones can (PIANOLA_DEVICES).
  virtual bool lose_device(unsigned device, bool lost) noexcept = 0;
  // The lowest graph_step::priority in the native graph that separate devices have made last.
  [[nodiscard]] virtual int most_urgent() const noexcept = 0;
};

}  // namespace pianola::simulated
