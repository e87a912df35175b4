// SPDX-License-Identifier: Apache-2.0
// Threads that lose their processors while they are at work, and what the others do then.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <pianola/host/clock.hpp>
#include <pianola/host/hold_ups.hpp>
#include <pianola/host/kernel_runner.hpp>
#include <pianola/host/lane.hpp>
#include <pianola/host/team.hpp>

namespace pianola::host {
namespace {

// Keeps the calling thread on one processor, beside a thread that wants it all the time.
class shared_processor {
 public:
  shared_processor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
    sched_setaffinity(0, sizeof here, &here);
    rival_ = std::thread([this] {
      while (!over_.load(std::memory_order_relaxed)) pause();
    });
  }
  ~shared_processor() {
    over_ = true;
    rival_.join();
    sched_setaffinity(0, sizeof before_, &before_);
  }
  shared_processor(const shared_processor&) = delete;
  shared_processor& operator=(const shared_processor&) = delete;

  // Returns when the system has taken the processor away and given it back, so much later.
  static void lose_processor(std::uint64_t at_least) {
    rusage before{}, now{};
    getrusage(RUSAGE_THREAD, &before);
    const std::uint64_t begin = nanoseconds_now();
    do {
      std::this_thread::yield();
      getrusage(RUSAGE_THREAD, &now);
    } while (now.ru_nivcsw == before.ru_nivcsw || nanoseconds_now() - begin < at_least);
  }

 private:
  cpu_set_t before_{};
  std::atomic<bool> over_{false};
  std::thread rival_;
};

// More than the team remembers of one, and so more than it may expect by now.
constexpr std::uint64_t long_hold_up = hold_ups::longest + 20'000'000;
constexpr std::uint64_t units_of_work = 1000;

thread_local bool loses_its_processor = false;

void lose_once(const void*, const model::launch_geometry&, const model::box&,
               model::array_view<const model::argument_slot>, const model::group_resources&) {
  if (std::exchange(loses_its_processor, false)) shared_processor::lose_processor(long_hold_up);
}

TEST(hold_up, of_a_thread_in_its_own_share_of_a_kernel_is_noticed) {
  team& t = team::instance();
  if (t.parallelism() < 2) GTEST_SKIP() << "there is one thread: nothing is shared";
  model::kernel_statistics statistics;
  statistics.nanoseconds_per_unit =
      1.1F * static_cast<float>(hold_ups::longest) / static_cast<float>(units_of_work);
  model::kernel_descriptor kernel;
  kernel.entry = &lose_once;
  kernel.statistics = &statistics;
  executors::resolved_kernel k;
  k.kernel = &kernel;
  k.geometry.global = {{1, 1, units_of_work}};
  while (t.risk() == hold_ups::longest) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const shared_processor beside_a_rival;
  loses_its_processor = true;
  run_kernel(k, t, 0, true);
  ASSERT_FALSE(loses_its_processor) << "the kernel was to be shared";
  EXPECT_EQ(t.risk(), hold_ups::longest);
}

class no_transfers final : public step_hooks {
 public:
  void copy(const executors::resolved_copy&) override {}
  void fill(const executors::resolved_fill&) override {}
  [[nodiscard]] bool blocks(const executors::resolved_action&) const noexcept override {
    return false;
  }
  [[nodiscard]] bool parallel_kernels() const noexcept override { return false; }
};

// Workers that nap are not called; they come by themselves.
TEST(hold_up, does_not_keep_steps_for_which_nobody_waits) {
  team& t = team::instance();
  {
    const shared_processor beside_a_rival;
    shared_processor::lose_processor(0);
    t.suspect(20'000'000);
  }
  ASSERT_NE(t.risk(), 0U);
  static no_transfers hooks;
  static const std::atomic<bool> attention{false};
  static executors::step_observer observer;
  observer.attention = &attention;
  // Stays with the team.
  static auto& l = *new lane(hooks, observer, t);
  for (std::uint64_t i = 1; i <= 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    l.submit(executors::step_submission{}, nullptr);
    const std::uint64_t begin = nanoseconds_now();
    while (!l.completion().reached(i)) {
      ASSERT_LT(nanoseconds_now() - begin, 10'000'000'000U) << "step " << i;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
}

}  // namespace
}  // namespace pianola::host
