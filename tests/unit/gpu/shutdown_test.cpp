// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

fake_setup led_by_hand() {
  fake_setup s;
  s.pace = fake_pace::by_hand;
  return s;
}

TEST(GpuShutdown, EndsEverythingThatWasMade) {
  std::shared_ptr<fake_tally> tally;
  {
    fake_setup setup;
    setup.devices = 2;
    gpu_rig rig(setup);
    tally = rig.tally;
    auto& a = rig.lane(0);
    auto& b = rig.lane(1);
    for (int i = 0; i < 100; ++i) {
      const auto position = rig.submit(a, rig.call([] {}), 0, {}, i % 3 == 0);
      rig.submit(b, rig.call([] {}), 0, {rig.at(a, position)});
    }
    // Nobody waits for it.
  }
  EXPECT_EQ(tally->live_objects(), 0);
  EXPECT_TRUE(tally->violations.empty());
}

TEST(GpuShutdown, DropsWhatStillWaitsForOthers) {
  gpu_rig rig;
  auto& a = rig.lane();
  executors::progress host;
  bool ran = false;
  rig.submit(a, rig.call([&] { ran = true; }), 0, {{&host, 1}});
  rig.backend.reset();
  EXPECT_FALSE(ran);
}

TEST(GpuShutdown, LeavesTheDriverAloneOnceTheProcessEnds) {
  gpu_rig rig(led_by_hand());
  rig.expect_clean = false;
  auto& a = rig.lane();
  rig.submit(a, rig.call([] {}));
  std::thread waiting([&] { host::team::instance().wait(a.completion(), 2); });
  rig.backend->shut_down();
  waiting.join();
  const auto launches = rig.driver->calls("launch");
  rig.submit(a, rig.call([] {}));
  rig.wait(a);
  void* p = nullptr;
  EXPECT_FALSE(rig.backend->allocate(0, executors::memory_kind::device, 4, 0, p).ok());
  EXPECT_EQ(rig.driver->calls("launch"), launches);
}

// Sanitizers see whether the lane still looks at it.
TEST(GpuShutdown, ForgetsGraphsThatGoAwayAfterIt) {
  gpu_rig rig(led_by_hand());
  rig.expect_clean = false;
  auto& a = rig.lane();
  plan p(rig);
  p.add(rig.call([] {}));
  p.steps[0].signals = true;
  auto kept = p.make(), gone = p.make();
  const auto signal_of = [](auto& g) { return g->signal(0).lane; };
  rig.launch(a, *gone);
  rig.launch(a, *kept);
  EXPECT_FALSE(signal_of(kept)->reached(1));
  rig.backend->shut_down();
  EXPECT_TRUE(signal_of(kept)->reached(1));
  gone.reset();
  rig.wait(a, 3);  // nobody submits it, and everything counts as finished once more
  EXPECT_TRUE(signal_of(kept)->reached(1));
}

TEST(GpuShutdown, GoesOnWithoutItsThreadWhereTheDriverStandsIt) {
  fake_setup setup;
  setup.answers_at_exit = true;
  gpu_rig rig(setup);
  rig.expect_clean = false;
  auto& a = rig.lane();
  rig.submit(a, rig.call([] {}), 1);
  rig.backend->shut_down();
  bool ran = false;
  executors::progress host;
  host.finish(1);
  rig.submit(a, rig.call([&] { ran = true; }), 2, {{&host, 1}});
  rig.wait(a);
  EXPECT_TRUE(ran);
  // Then the driver itself ends.
  rig.driver->break_device(0, fake_driver::deinitialised);
  (void)rig.try_submit(a, rig.call([] {}), 3);
  (void)rig.try_submit(a, rig.call([] {}), 4);
  rig.wait(a);
  EXPECT_EQ(rig.log.of(3).failed, 0) << "nobody is told any more";
}

// In a child process: exits while the device works for ever, and while a thread waits for it.
TEST(GpuShutdownDeathTest, LetsTheProcessExitWithWorkUnderWay) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        auto* rig = new gpu_rig(led_by_hand());
        auto& a = rig->lane();
        executors::progress* host = new executors::progress();
        rig->submit(a, rig->call([] {}));
        rig->submit(a, rig->call([] {}), 0, {{host, 1}});
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

struct ends_late {
  gpu_rig* rig = nullptr;
  executors::lane* lane = nullptr;
  ~ends_late() {
    if (rig == nullptr) return;
    rig->submit(*lane, rig->call([] {}));
    rig->wait(*lane);
    std::_Exit(7);
  }
};
ends_late the_late_one;

TEST(GpuShutdownDeathTest, LetsStaticObjectsSubmitAndWait) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        the_late_one.rig = new gpu_rig(led_by_hand());
        the_late_one.lane = &the_late_one.rig->lane();
        the_late_one.rig->submit(*the_late_one.lane, the_late_one.rig->call([] {}));
        std::exit(0);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace pianola::test
