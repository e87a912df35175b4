// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/sleepers.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace pianola::host {

bool operating_system::register_barrier() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void operating_system::make_stores_visible(bool barrier) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (barrier) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

void operating_system::fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

void operating_system::wait(std::atomic<std::uint32_t>& word, std::uint32_t value,
                            std::uint64_t nanoseconds) noexcept {
  timespec limit{static_cast<time_t>(nanoseconds / 1'000'000'000),
                 static_cast<long>(nanoseconds % 1'000'000'000)};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, &limit,
          nullptr, 0);
}

void operating_system::wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, count, nullptr,
          nullptr, 0);
}

}  // namespace pianola::host
