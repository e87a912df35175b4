// SPDX-License-Identifier: Apache-2.0
// What is done with a kernel that nobody has measured.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>

#include <pianola/host/kernel_runner.hpp>
#include <pianola/host/team.hpp>

namespace pianola::host {
namespace {

constexpr std::uint64_t units = 320;

struct visits {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> first_end{0};  // of the part of the first call
  std::array<std::atomic<int>, units> of{};
};

void visit(const void* arguments, const model::launch_geometry&, const model::box& part,
           model::array_view<const model::argument_slot>, const model::group_resources&) {
  visits& v = **static_cast<visits* const*>(arguments);
  if (v.calls++ == 0) v.first_end = part.hi[2];
  for (std::uint64_t i = part.lo[2]; i < part.hi[2]; ++i) ++v.of[i];
}

class first_run : public ::testing::Test {
 protected:
  void run(visits& v) {
    visits* pointer = &v;
    executors::resolved_kernel k;
    k.kernel = &kernel_;
    k.geometry.global = {{1, 1, units}};
    k.arguments.bytes = &pointer;
    k.arguments.size = sizeof pointer;
    run_kernel(k, team::instance(), 0, true);
    for (std::uint64_t i = 0; i < units; ++i) EXPECT_EQ(v.of[i], 1) << i;
  }
  first_run() {
    kernel_.entry = &visit;
    kernel_.statistics = &statistics_;
  }
  model::kernel_statistics statistics_;
  model::kernel_descriptor kernel_;
};

TEST_F(first_run, measures_a_kernel_on_a_few_of_its_units) {
  if (team::instance().parallelism() < 2) GTEST_SKIP() << "there is one thread: nothing to decide";
  visits v;
  run(v);
  EXPECT_EQ(v.first_end, units / 32);
  EXPECT_GT(statistics_.nanoseconds_per_unit, 0.0F);
}

TEST_F(first_run, is_over_for_a_kernel_that_was_measured) {
  statistics_.nanoseconds_per_unit = 0.5F;
  visits v;
  run(v);
  EXPECT_EQ(v.calls, 1U) << "so short a kernel is not cut";
}

}  // namespace
}  // namespace pianola::host
