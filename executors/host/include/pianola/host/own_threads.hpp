// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pianola::host {

/// Stands first in each thread that Pianola starts, for as long as it runs.
class own_thread {
 public:
  own_thread() noexcept;
  ~own_thread();
  own_thread(const own_thread&) = delete;
  own_thread& operator=(const own_thread&) = delete;
};

/// Whether the process has no threads but the calling one, which is not ours, and ours. False where that cannot be
/// told: while a thread begins or ends, or without /proc. Threads of libraries (another OpenMP runtime, a device's driver)
/// count as the program's.
[[nodiscard]] bool is_only_thread_of_the_program() noexcept;

}  // namespace pianola::host
