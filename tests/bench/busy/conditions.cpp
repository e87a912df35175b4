// SPDX-License-Identifier: Apache-2.0
#include "conditions.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace bench {

namespace {

// A process that takes a processor as long as this lives.
class neighbour {
 public:
  neighbour() : id_(fork()) {
    while (id_ == 0) asm volatile("");
  }
  ~neighbour() {
    if (id_ <= 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  neighbour(neighbour&& other) noexcept : id_(other.id_) { other.id_ = 0; }
  neighbour(const neighbour&) = delete;
  neighbour& operator=(const neighbour&) = delete;
  neighbour& operator=(neighbour&&) = delete;

 private:
  pid_t id_;
};

// A control group that may use half a processor's time, of version 1 or 2; needs the right to make one.
class half_a_processor {
 public:
  half_a_processor() {
    for (const char* root : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup"}) {
      folder_ = std::string(root) + "/pianola_busy_bench_" + std::to_string(getpid());
      if (mkdir(folder_.c_str(), 0755) != 0) continue;
      if ((write("cpu.cfs_quota_us", "50000") || write("cpu.max", "50000 100000")) &&
          access((folder_ + "/cgroup.procs").c_str(), W_OK) == 0)
        return;
      rmdir(folder_.c_str());
    }
    folder_.clear();
  }
  ~half_a_processor() {
    if (!folder_.empty()) rmdir(folder_.c_str());
  }
  half_a_processor(const half_a_processor&) = delete;
  half_a_processor& operator=(const half_a_processor&) = delete;
  [[nodiscard]] bool made() const { return !folder_.empty(); }
  [[nodiscard]] std::string members() const { return folder_ + "/cgroup.procs"; }

 private:
  bool write(const char* file, const char* value) const {
    if (access((folder_ + "/" + file).c_str(), W_OK) != 0) return false;
    std::ofstream out(folder_ + "/" + file);
    return static_cast<bool>(out << value << std::flush);
  }
  std::string folder_;
};

}  // namespace

std::vector<condition> all_conditions() {
  return {{"idle"},
          {"1 neighbour", 1},
          {"2 neighbours", 2},
          {"4 neighbours", 4},
          {"2 threads", 0, 2},
          {"4 threads", 0, 4},
          {"8 threads", 0, 8},
          {"2 threads, 1 processor", 0, 2, true},
          {"quota of 0.5", 0, 0, false, true}};
}

figures run_under(const condition& c, const std::string& side, const std::string& wait_policy,
                  double seconds) {
  figures f;
  half_a_processor* group = nullptr;
  half_a_processor half;
  if (c.quota) {
    if (!half.made()) {
      f.reason = "control groups cannot be made here";
      return f;
    }
    group = &half;
  }
  std::vector<neighbour> busy;
  for (int i = 0; i < c.neighbours; ++i) busy.emplace_back();
  std::string command;
  if (group != nullptr) command += "echo $$ > " + group->members() + " && ";
  command += "exec env -u OMP_PROC_BIND -u OMP_PLACES";
  if (c.threads != 0)
    command += " OMP_NUM_THREADS=" + std::to_string(c.threads);
  else
    command += " -u OMP_NUM_THREADS";
  command += " OMP_WAIT_POLICY=" + wait_policy;
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  self[length > 0 ? length : 0] = '\0';
  command +=
      std::string(" '") + self + "' --side=" + side + " --seconds=" + std::to_string(seconds);
  if (c.pinned) command += " --pinned";
  FILE* out = popen(command.c_str(), "r");
  double microseconds = 0, checksum = 0;
  while (out != nullptr && std::fscanf(out, "%lf %lf", &microseconds, &checksum) == 2) {
    f.microseconds.push_back(microseconds);
    f.checksums.push_back(checksum);
  }
  if (out == nullptr || pclose(out) != 0) f.reason = "it failed";
  return f;
}

}  // namespace bench
