// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

using testing::HasSubstr;

fake_setup by_hand() {
  fake_setup s;
  s.pace = fake_pace::by_hand;
  return s;
}

TEST(GpuFailures, OfACallAreTheStepsOwn) {
  gpu_rig rig;
  auto& a = rig.lane();
  std::atomic<int> ran{0};
  rig.submit(a, rig.call([&] { ++ran; }), 1);
  rig.driver->fail("launch", 1, fake_driver::invalid);
  rig.submit(a, rig.call([&] { ++ran; }), 2);
  rig.submit(a, rig.call([&] { ++ran; }), 3);
  rig.wait(a);
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(rig.log.of(1).failed, 0);
  EXPECT_EQ(rig.log.of(2).failed, 1);
  EXPECT_THAT(rig.log.of(2).error, HasSubstr("kernel 'call': fake failure 1"));
  EXPECT_EQ(rig.log.of(3).failed, 0);
}

TEST(GpuFailures, AreToldBeforeStepsThatDependOnThemAreTried) {
  for (int round = 0; round < 50; ++round) {
    gpu_rig rig;
    auto& a = rig.lane();
    auto& b = rig.lane();
    bool told = false;
    rig.log.admit = [&](std::uint64_t id) {
      if (id == 2) told = rig.log.of(1).failed != 0;
      return id != 2;
    };
    attention() = true;  // from another failure
    rig.driver->fail("launch", 1, fake_driver::invalid);
    bool ran = false;
    const auto first = rig.submit(a, rig.call([] {}), 1);
    rig.submit(b, rig.call([&] { ran = true; }), 2, {rig.at(a, first)});
    rig.wait(b);
    EXPECT_TRUE(told);
    EXPECT_FALSE(ran);
    EXPECT_EQ(rig.log.of(2).admitted, 1);
  }
}

TEST(GpuFailures, OfWhatRunsFailEverythingUnfinishedOfTheLane) {
  gpu_rig rig(by_hand());
  auto& a = rig.lane();
  std::thread go([&] {
    while (!a.completion().reached(1)) rig.driver->advance();
  });
  rig.submit(a, rig.call([] {}), 1, {}, true);
  rig.wait(a, 1);
  go.join();
  rig.submit(a, rig.call([] { throw 1; }), 2);
  rig.submit(a, rig.call([] {}), 3, {}, true);
  executors::progress host;
  rig.submit(a, rig.call([] {}), 4, {{&host, 1}});
  while (rig.driver->advance()) {
  }
  host.finish(1);
  rig.wait(a);
  EXPECT_EQ(rig.log.of(1).failed, 0);
  for (const std::uint64_t id : {2U, 3U, 4U}) {
    EXPECT_EQ(rig.log.of(id).failed, 1) << id;
    EXPECT_THAT(rig.log.of(id).error, HasSubstr("fake failure 700"));
  }
  EXPECT_EQ(rig.log.of(3).timed, 1) << "whoever waits for times must not wait for ever";

  const auto refused = rig.try_submit(a, rig.call([] {}), 5);
  EXPECT_THAT(refused.reason, HasSubstr("is lost"));
  EXPECT_THAT(refused.reason, HasSubstr("start a new one"));
  void* p = nullptr;
  EXPECT_THAT(rig.backend->allocate(0, executors::memory_kind::device, 1, 0, p).reason,
              HasSubstr("is lost"));
  executors::lane* another = nullptr;
  EXPECT_FALSE(rig.backend->make_lane(0, another).ok());
  std::unique_ptr<executors::native_graph> g;
  few_steps nothing({});
  EXPECT_FALSE(rig.backend->instantiate(nothing, g).ok());

  gpu_rig other;
  auto& o = other.lane();
  bool ran = false;
  other.submit(o, other.call([&] { ran = true; }));
  other.wait(o);
  EXPECT_TRUE(ran) << "other backends go on";
}

TEST(GpuFailures, AreFoundThoughNobodyWaits) {
  gpu_rig rig;
  auto& a = rig.lane();
  rig.submit(a, rig.call([] { throw 1; }), 1);
  const auto begin = std::chrono::steady_clock::now();
  while (rig.log.of(1).failed == 0 &&
         std::chrono::steady_clock::now() - begin < std::chrono::seconds(60))
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  EXPECT_EQ(rig.log.of(1).failed, 1);
}

TEST(GpuFailures, HangNobodyWhoWaits) {
  for (int round = 0; round < 20; ++round) {
    fake_setup setup;
    setup.devices = 2;
    setup.seed = static_cast<std::uint32_t>(round);
    gpu_rig rig(setup);
    rig.expect_clean = false;  // it is left to the end of the process
    auto& a = rig.lane(0);
    auto& b = rig.lane(1);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        auto& l = t % 2 == 0 ? a : b;
        host::team::instance().wait(l.completion(), static_cast<std::uint64_t>(20 + 10 * t));
      });
    std::uint64_t last_a = 0;
    for (std::uint64_t i = 0; i < 50; ++i) {
      if (rig.try_submit(a, rig.call([i, round] {
               if (i == static_cast<std::uint64_t>(round)) throw 1;
             }))
              .ok())
        ++last_a;
      // Positions that were refused never come: those who wait for them get others.
      if (!rig.try_submit(b, rig.call([] {}), 0, {rig.at(a, last_a)}).ok()) break;
    }
    rig.driver->break_device(0, fake_driver::illegal_address);
    rig.driver->break_device(1, fake_driver::illegal_address);
    // A lane that is lost takes no more steps, so waits beyond its last one end with the process only.
    host::team::instance().wait(a.completion(), last_a);
    rig.backend->shut_down();
    for (auto& t : threads) t.join();
  }
}

TEST(GpuFailures, OfMarkersAndWaitsAreReported) {
  for (const char* entry : {"record", "wait", "make_event", "query", "synchronize"}) {
    gpu_rig rig(by_hand());
    rig.expect_clean = false;  // work that was given up may still run
    auto& a = rig.lane();
    auto& b = rig.lane();
    rig.driver->fail(entry, 1, fake_driver::invalid);
    const auto first = rig.submit(a, rig.call([] {}), 1);
    rig.submit(b, rig.call([] {}), 2, {rig.at(a, first)});
    rig.driver->go();
    rig.wait(a);
    rig.wait(b);
    EXPECT_LE(rig.log.of(1).failed + rig.log.of(2).failed, 1) << entry;
    std::atomic<bool> ran{false};
    rig.submit(b, rig.call([&] { ran = true; }), 3);
    rig.wait(b);
    EXPECT_TRUE(ran) << entry << ": the lane goes on";
  }
}

TEST(GpuFailures, OfAllocationsSayWhatWasWanted) {
  gpu_rig rig;
  rig.driver->fail("allocate_device", 1, fake_driver::out_of_memory);
  void* p = nullptr;
  const auto s = rig.backend->allocate(0, executors::memory_kind::device, 12345, 0, p);
  EXPECT_EQ(s.code, model::error_code::memory_allocation);
  EXPECT_THAT(s.reason, HasSubstr("12345 bytes on 'Fake device 0'"));
}

TEST(GpuFailures, OfQuestionsAboutFreeMemoryAreTold) {
  gpu_rig rig;
  std::uint64_t bytes = 0;
  ASSERT_TRUE(rig.backend->free_memory(0, bytes).ok());
  EXPECT_EQ(bytes, 12345U);
  rig.driver->fail("free_memory", 1, fake_driver::invalid);
  const auto s = rig.backend->free_memory(0, bytes);
  EXPECT_FALSE(s.ok());
  EXPECT_THAT(s.reason, HasSubstr("how much memory it has free"));
}

TEST(GpuFailures, OfTimesLeaveTheStepAlone) {
  gpu_rig rig;
  auto& a = rig.lane();
  rig.driver->fail("elapsed", 1, fake_driver::invalid);
  bool ran = false;
  rig.submit(a, rig.call([&] { ran = true; }), 1, {}, true);
  rig.wait(a);
  EXPECT_TRUE(ran);
  EXPECT_EQ(rig.log.of(1).timed, 1);
}

TEST(GpuFailures, StepsThatAreNotAdmittedAreLeftOut) {
  gpu_rig rig;
  auto& a = rig.lane();
  std::vector<int> ran;
  rig.log.admit = [](std::uint64_t id) { return id != 2; };
  attention() = true;
  for (int i = 1; i <= 3; ++i)
    rig.submit(a, rig.call([&ran, i] { ran.push_back(i); }), static_cast<std::uint64_t>(i));
  rig.wait(a);
  EXPECT_THAT(ran, testing::ElementsAre(1, 3));
  attention() = false;
  rig.submit(a, rig.call([&ran] { ran.push_back(4); }), 4);
  rig.wait(a);
  EXPECT_THAT(ran, testing::ElementsAre(1, 3, 4));
  EXPECT_EQ(rig.log.of(4).admitted, 0);
}

// Kernels that cannot run here are refused when they are submitted.

TEST(GpuKernels, WithoutAnImageForTheDeviceAreRefused) {
  gpu_rig rig;
  auto& a = rig.lane();
  rig.add_kernel("elsewhere", {}, {"sm_90", "ptx:sm_75"});
  const auto s = rig.try_submit(a, rig.kernel("elsewhere", 0, {}));
  EXPECT_EQ(s.code, model::error_code::kernel_not_supported);
  EXPECT_EQ(s.reason,
            "kernel 'elsewhere' was not compiled for 'fake_1' ('Fake device 0'); images of it: "
            "sm_90, ptx:sm_75; "
            "compile with pianolacc --pianola-targets=fake:fake_1");
  rig.add_kernel("nowhere", {}, {});
  EXPECT_THAT(rig.try_submit(a, rig.kernel("nowhere", 0, {})).reason,
              HasSubstr("it has no image for any device"));
  rig.add_kernel("waiting", {}, {PIANOLA_ARCHITECTURE_UNLINKED});
  EXPECT_EQ(rig.try_submit(a, rig.kernel("waiting", 0, {})).reason,
            "kernel 'waiting' has no code for 'Fake device 0': it calls 'image of waiting for "
            "unlinked', which "
            "another translation unit defines (SYCL_EXTERNAL), and the program or library was not "
            "linked by "
            "pianolacc, which makes such code; link with pianolacc");
  EXPECT_EQ(a.completion().begun(), 0U) << "refused steps take no position";
}

TEST(GpuKernels, ComeFromTheImageThatSuitsBest) {
  gpu_rig rig;
  rig.add_kernel("both", {}, {"fake_0", "fake_1", "sm_90"});
  const auto& set = image_set_of(rig.descriptor("both").id);
  EXPECT_EQ(rig.backend->choose_image(0, {set.images, set.image_count}), 1);
  EXPECT_EQ(rig.backend->choose_image(0, {set.images, 1}), 0);
  rig.add_kernel("turned", {}, {"fake_1", "fake_0"});
  const auto& turned = image_set_of(rig.descriptor("turned").id);
  EXPECT_EQ(rig.backend->choose_image(0, {turned.images, turned.image_count}), 0);
  EXPECT_EQ(rig.backend->choose_image(0, {}), -1);
  EXPECT_TRUE(rig.backend->needs_images());
}

TEST(GpuKernels, ThatCaptureTooMuchAreRefused) {
  gpu_rig rig;
  auto& a = rig.lane();
  struct large {
    char bytes[4096];
  };
  fake_kernel k;
  k.functor_bytes = sizeof(large);
  rig.add_kernel("large", std::move(k));
  const auto s = rig.try_submit(a, rig.kernel("large", large{}, {}));
  EXPECT_EQ(s.code, model::error_code::kernel_not_supported);
  EXPECT_THAT(s.reason,
              HasSubstr("is 4096 bytes, with what Pianola adds 4144; the device takes 4096"));
}

TEST(GpuKernels, WithTooLargeGroupsOrTooMuchLocalMemoryAreRefused) {
  gpu_rig rig;
  auto& a = rig.lane();
  fake_kernel k;
  k.functor_bytes = sizeof(int);
  k.body = [](const void*, const pianola_launch&, const fake_item&) {};
  k.limits.max_group_size = 128;
  k.limits.static_local_bytes = 1024;
  rig.add_kernel("picky", std::move(k));
  auto r = rig.kernel("picky", 0, {});
  r.geometry.grouped = true;
  r.geometry.global = {{1, 1, 512}};
  r.geometry.local = {{1, 1, 256}};
  auto s = rig.try_submit(a, r);
  EXPECT_EQ(s.code, model::error_code::nd_range);
  EXPECT_THAT(s.reason, HasSubstr("128 in all"));
  r.geometry.local = {{1, 1, 128}};
  r.local_memory_bytes = 48 << 10;
  s = rig.try_submit(a, r);
  EXPECT_EQ(s.code, model::error_code::kernel_not_supported);
  EXPECT_THAT(s.reason, HasSubstr("50176 bytes of local memory"));
  r.local_memory_bytes = 47 << 10;
  EXPECT_TRUE(rig.try_submit(a, r).ok());
  rig.wait(a, 1);
}

TEST(GpuKernels, WithTooLargeObjectsOfTheGroupAreRefusedWithoutLocalMemoryOfTheLaunch) {
  gpu_rig rig;
  auto& a = rig.lane();
  fake_kernel k;
  k.functor_bytes = sizeof(int);
  k.limits.static_local_bytes = 1 << 20;
  rig.add_kernel("large", std::move(k));
  auto r = rig.kernel("large", 0, {});
  const auto s = rig.try_submit(a, r);
  EXPECT_EQ(s.code, model::error_code::kernel_not_supported);
  EXPECT_THAT(s.reason, HasSubstr("1048576 bytes of local memory"));
}

TEST(GpuKernels, MayUseAllLocalMemoryThatTheCompilerLeaves) {
  fake_setup setup;
  setup.max_local_bytes = 100U << 10;
  gpu_rig rig(setup);
  auto &a = rig.lane(), &b = rig.lane();
  fake_kernel k;
  k.functor_bytes = sizeof(int);
  k.body = [](const void*, const pianola_launch&, const fake_item&) {};
  k.limits.static_local_bytes = 1024;
  rig.add_kernel("greedy", std::move(k));
  auto r = rig.kernel("greedy", 0, {});
  plan p(rig);
  // Just above what every kernel may have, a lot, and little again: a setting that followed the launches would be taken
  // back by the last before another lane's are given to the driver.
  for (const std::uint32_t bytes : {(47U << 10) + 512, 99U << 10, 16U, 48U << 10, 50U << 10}) {
    r.local_memory_bytes = bytes;
    const auto s = rig.try_submit(bytes % 3 == 0 ? a : b, r);
    EXPECT_TRUE(s.ok()) << bytes << ": " << s.reason;
    p.add(r);
  }
  EXPECT_EQ(rig.driver->calls("allow_local_memory"), 1U) << "all that there is, once";
  EXPECT_NE(p.make(), nullptr);
  rig.wait(a);
  rig.wait(b);
}

TEST(GpuKernels, GoOnWithoutMuchLocalMemoryWhereTheDriverAllowsNone) {
  fake_setup setup;
  setup.max_local_bytes = 100U << 10;
  gpu_rig rig(setup);
  auto& a = rig.lane();
  fake_kernel k;
  k.functor_bytes = sizeof(int);
  k.body = [](const void*, const pianola_launch&, const fake_item&) {};
  k.limits.static_local_bytes = 1024;
  rig.add_kernel("modest", std::move(k));
  rig.driver->fail("allow_local_memory", 1, fake_driver::invalid);
  auto r = rig.kernel("modest", 0, {});
  r.local_memory_bytes = 47U << 10;
  EXPECT_TRUE(rig.try_submit(a, r).ok());
  r.local_memory_bytes = (47U << 10) + 1;
  const auto s = rig.try_submit(a, r);
  EXPECT_THAT(s.reason, HasSubstr("letting kernel 'modest' use 48129 bytes of local memory: fake "
                                  "failure 1"));
  rig.wait(a, 1);
}

TEST(GpuKernels, ComeFromTheNextImageWhereTheDriverDoesNotTakeTheBest) {
  gpu_rig rig;
  auto& a = rig.lane();
  fake_kernel k;
  k.functor_bytes = sizeof(int);
  k.body = [](const void*, const pianola_launch&, const fake_item&) {};
  rig.add_kernel("portable", k, {"fake_0", "fake_1"});
  rig.driver->fail("load", 1, fake_driver::no_binary);
  EXPECT_TRUE(rig.try_submit(a, rig.kernel("portable", 0, {})).ok());
  EXPECT_EQ(rig.driver->calls("load"), 2U);
  EXPECT_EQ(rig.backend->counters().modules_loaded, 1U);
  // One that lacks the kernel.
  rig.add_kernel("partial", k, {"fake_1", "fake_0"});
  rig.driver->fail("find", 1, fake_driver::not_found);
  EXPECT_TRUE(rig.try_submit(a, rig.kernel("partial", 0, {})).ok());
  EXPECT_EQ(rig.driver->calls("load"), 4U);
  // None at all.
  rig.add_kernel("refused", k, {"fake_1", "fake_0"});
  rig.driver->fail("load", 1, fake_driver::no_binary);
  rig.driver->fail("find", 1, fake_driver::not_found);
  const auto s = rig.try_submit(a, rig.kernel("refused", 0, {}));
  EXPECT_THAT(s.reason, testing::AllOf(HasSubstr("loading the image 'fake_1' of kernel 'refused'"),
                                       HasSubstr("in the image 'fake_0': fake failure 500")));
  // What has nothing to do with the image is told at once.
  rig.add_kernel("unlucky", k, {"fake_1", "fake_0"});
  rig.driver->fail("load", 1, fake_driver::out_of_memory);
  EXPECT_EQ(rig.try_submit(a, rig.kernel("unlucky", 0, {})).code,
            model::error_code::memory_allocation);
  EXPECT_EQ(rig.driver->calls("load"), 7U);
  rig.wait(a, 2);
}

TEST(GpuKernels, WhoseImageTheDriverRefusesSayWhy) {
  gpu_rig rig;
  auto& a = rig.lane();
  rig.driver->fail("load", 1, 200);
  const auto s = rig.try_submit(a, rig.call([] {}));
  EXPECT_THAT(s.reason, HasSubstr("loading the image 'fake_1' of kernel 'call'"));
  EXPECT_THAT(s.reason, HasSubstr("the fake compiler is not amused"));
  EXPECT_TRUE(rig.try_submit(a, rig.call([] {})).ok()) << "the next try is a new one";
  rig.wait(a, 1);
}

TEST(GpuKernels, OfImagesThatGoAreForgotten) {
  gpu_rig rig;
  auto& a = rig.lane();
  rig.submit(a, rig.call([] {}));
  rig.submit(a, rig.call([] {}));
  rig.wait(a);
  EXPECT_EQ(rig.backend->counters().modules_loaded, 1U);
  const auto id = rig.descriptor("call").id;
  rig.backend->forget_images(image_set_of(id));
  EXPECT_EQ(rig.driver->calls("unload"), 1U);
  register_kernel(id, "call");
  bool ran = false;
  rig.submit(a, rig.call([&] { ran = true; }));
  rig.wait(a);
  EXPECT_TRUE(ran);
  EXPECT_EQ(rig.backend->counters().modules_loaded, 2U);
}

}  // namespace
}  // namespace pianola::test
