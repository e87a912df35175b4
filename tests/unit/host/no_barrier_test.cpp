// SPDX-License-Identifier: Apache-2.0
// The team where the operating system knows no membarrier (a container's filter, an old kernel).
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include <pianola/host/lane.hpp>
#include <pianola/host/sleepers.hpp>
#include <pianola/host/team.hpp>

namespace pianola::host {
namespace {

bool forbid_barrier() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program{4, rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

class hooks final : public step_hooks {
 public:
  void copy(const executors::resolved_copy&) override {}
  void fill(const executors::resolved_fill&) override {}
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return false; }
};

// 0: well; 7: filters are not allowed here.
int run_steps_without_barrier() {
  if (!forbid_barrier()) return 7;
  if (operating_system::register_barrier()) return 1;
  static hooks h;
  static const std::atomic<bool> attention{false};
  static executors::step_observer observer;
  observer.attention = &attention;
  static auto& first = *new lane(h, observer, team::instance());
  static auto& second = *new lane(h, observer, team::instance());
  for (std::uint64_t i = 1; i <= 2000; ++i) {
    first.submit({}, nullptr);
    const executors::lane_position before{&first.completion(), i};
    executors::step_submission s;
    s.waits = {&before, 1};
    second.submit(s, nullptr);
    if (i % 3 == 0) team::instance().wait(second.completion(), i);
    // By the workers, which may have gone to sleep.
    if (i % 100 == 0)
      while (!second.completion().reached(i)) std::this_thread::yield();
  }
  team::instance().wait(second.completion(), 2000);
  return first.completion().finished() == 2000 ? 0 : 2;
}

TEST(TeamDeathTest, runs_without_a_barrier_of_the_operating_system) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      std::exit(run_steps_without_barrier()),
      [](int status) {
        return testing::ExitedWithCode(0)(status) || testing::ExitedWithCode(7)(status);
      },
      "");
}

}  // namespace
}  // namespace pianola::host
