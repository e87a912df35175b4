// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace pianola::driver {

/// How a process ended.
struct process_end {
  int status = 0;  ///< what it exited with
  int signal = 0;  ///< what ended it; 0: it exited

  [[nodiscard]] bool good() const noexcept { return status == 0 && signal == 0; }
};

/// Runs the command and waits for it; signals that ask this process to end are passed on to it. `output`: the file that gets what
/// it prints, on both streams; empty: it shares this process's.
/// @throws usage_error if it cannot be run.
process_end run_process(const std::vector<std::string>& command, const std::string& output = {});

/// Ends this process as that one ended.
[[noreturn]] void end_likewise(const process_end& how);

/// Becomes the command.
/// @throws usage_error if it cannot be run.
[[noreturn]] void become(const std::vector<std::string>& command);

}  // namespace pianola::driver
