// SPDX-License-Identifier: Apache-2.0
#include "pianola/host/own_threads.hpp"

#include <atomic>
#include <filesystem>
#include <system_error>

namespace pianola::host {

namespace {

constinit std::atomic<int> running{0};
constinit thread_local bool calling_is_own = false;

}  // namespace

own_thread::own_thread() noexcept {
  calling_is_own = true;
  running.fetch_add(1);
}

own_thread::~own_thread() { running.fetch_sub(1); }

bool is_only_thread_of_the_program() noexcept {
  if (calling_is_own) return false;
  // A thread that has not counted itself yet, or no longer, is there all the same: then there seem to be others.
  const int ours = running.load();
  std::error_code error;
  int all = 0;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error))
    ++all;
  return !error && all == ours + 1;
}

}  // namespace pianola::host
