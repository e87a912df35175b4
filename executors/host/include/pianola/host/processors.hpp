// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>
#include <sched.h>

#include <cstddef>
#include <string>
#include <vector>

namespace pianola::host {

// Numbers of the operating system, ascending.
using processor_list = std::vector<unsigned>;

// Processors that a thread may run on.
class processor_mask {
 public:
  [[nodiscard]] static processor_mask of(const processor_list& processors);
  // Empty if the system does not tell.
  [[nodiscard]] static processor_mask of_calling_thread();
  // False where that is not possible (the cpuset has changed meanwhile): the thread stays where it may be. Nothing, if
  // empty.
  bool bind_calling_thread() const noexcept;
  // A thread that is made with the attributes starts there; it cannot be made (EINVAL) where that is not possible.
  void give_to(pthread_attr_t& attributes) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return words_.empty(); }
  [[nodiscard]] processor_list list() const;

 private:
  static constexpr unsigned bits = 8 * sizeof(unsigned long);
  [[nodiscard]] cpu_set_t* set() noexcept { return reinterpret_cast<cpu_set_t*>(words_.data()); }
  [[nodiscard]] const cpu_set_t* set() const noexcept {
    return reinterpret_cast<const cpu_set_t*>(words_.data());
  }
  std::vector<unsigned long> words_;
};

// Those that this process may use: the calling thread's, or all that an OpenMP library of the program knows, where that
// has bound the thread to some of them. No library is loaded for that.
[[nodiscard]] processor_list processors_of_process();

// How many processors' time the process may use at once by the quotas of its control groups, rounded up; 0: no limit
// is known. Of a group and those around it the tightest counts, in either version of control groups. `process` stands for
// /proc/self and `groups` for where the groups are mounted, which tests have elsewhere.
[[nodiscard]] unsigned processors_by_quota(const std::string& process = "/proc/self",
                                           const std::string& groups = "/sys/fs/cgroup");

}  // namespace pianola::host
