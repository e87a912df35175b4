// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include <pianola/host/processors.hpp>
#include <pianola/host/team.hpp>

#include "graph_plan.hpp"

namespace pianola::test {
namespace {

using executors::lane_position;
using testing::ElementsAre;

fake_setup setup_by_hand() {
  fake_setup s;
  s.pace = fake_pace::by_hand;
  return s;
}

// True once `done()` is; gives up after much longer than anything here takes.
template <class F>
bool eventually(F&& done) {
  const auto begin = std::chrono::steady_clock::now();
  while (!done()) {
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

// The rest of the line that begins so; empty if there is none.
std::string line_of(std::istream& file, const std::string& begin) {
  for (std::string line; std::getline(file, line);)
    if (line.rfind(begin, 0) == 0) return line.substr(begin.size());
  return {};
}

// That of the status of the process's thread of this name.
std::string line_of_thread(const std::string& name, const std::string& begin) {
  std::string found;
  EXPECT_TRUE(eventually([&] {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream status(thread.path() / "status");
      if (line_of(status, "Name:\t") == name) found = line_of(status, begin);
    }
    return !found.empty();
  })) << "no thread has the name "
      << name;
  return found;
}

TEST(GpuLanes, RunTheirStepsInOrder) {
  gpu_rig rig;
  auto& l = rig.lane();
  std::vector<int> ran;
  for (int i = 0; i < 500; ++i) rig.submit(l, rig.call([&ran, i] { ran.push_back(i); }));
  rig.wait(l);
  std::vector<int> expected(500);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ran, expected);
  EXPECT_EQ(rig.backend->counters().deferred, 0U);
  EXPECT_EQ(rig.backend->counters().issued, 500U);
}

TEST(GpuLanes, LetTheDriverWaitForOtherLanes) {
  fake_setup setup = setup_by_hand();
  setup.devices = 2;
  gpu_rig rig(setup);
  auto& a = rig.lane(0);
  auto& b = rig.lane(1);
  std::vector<int> ran;
  const auto first = rig.submit(a, rig.call([&] { ran.push_back(1); }));
  rig.submit(b, rig.call([&] { ran.push_back(2); }), 0, {rig.at(a, first)});
  EXPECT_EQ(rig.backend->counters().issued, 2U) << "nothing had to be deferred";
  EXPECT_EQ(rig.driver->calls("wait"), 1U);
  rig.driver->go();
  rig.wait(b);
  EXPECT_THAT(ran, ElementsAre(1, 2));
}

TEST(GpuLanes, AskNothingOfTheDriverForWaitsThatAreOver) {
  gpu_rig rig;
  auto& a = rig.lane();
  auto& b = rig.lane();
  const auto first = rig.submit(a, rig.call([] {}));
  rig.wait(a);
  rig.submit(b, rig.call([] {}), 0, {rig.at(a, first)});
  const auto second = rig.submit(b, rig.call([] {}), 0, {rig.at(b, 1)});
  rig.wait(b, second);
  EXPECT_EQ(rig.driver->calls("wait"), 0U);
}

TEST(GpuLanes, DeferStepsUntilTheHostHasComeSoFar) {
  gpu_rig rig;
  auto& a = rig.lane();
  auto& b = rig.lane();
  executors::progress host;
  std::vector<int> ran;
  std::mutex mutex;
  const auto note = [&](int i) {
    return rig.call([&, i] {
      std::lock_guard<std::mutex> lock(mutex);
      ran.push_back(i);
    });
  };
  rig.submit(a, note(1));
  rig.submit(a, note(2), 0, {{&host, 1}});
  rig.submit(a, note(3));                     // behind it in the lane
  rig.submit(b, note(4), 0, {rig.at(a, 3)});  // behind that in another
  rig.wait(a, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  EXPECT_EQ(a.completion().finished(), 1U);
  EXPECT_EQ(b.completion().finished(), 0U);
  EXPECT_EQ(rig.backend->counters().deferred, 3U);
  host.finish(1);
  rig.wait(b);
  EXPECT_THAT(ran, ElementsAre(1, 2, 3, 4));
}

TEST(GpuLanes, FinishDeferredStepsThoughNobodyWaits) {
  gpu_rig rig;
  auto& a = rig.lane();
  executors::progress host;
  rig.submit(a, rig.call([] {}), 0, {{&host, 1}});
  host.finish(1);
  EXPECT_TRUE(eventually([&] { return a.completion().reached(1); }));
}

TEST(GpuLanes, WaitForLanesOfOtherBackends) {
  gpu_rig one;
  gpu_rig other;
  auto& a = one.lane();
  auto& b = other.lane();
  std::vector<int> ran;
  executors::progress host;
  one.submit(a, one.call([&] { ran.push_back(1); }), 0, {{&host, 1}});
  other.submit(b, other.call([&] { ran.push_back(2); }), 0, {{&a.completion(), 1}});
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(b.completion().reached(1));
  host.finish(1);
  other.wait(b);
  EXPECT_THAT(ran, ElementsAre(1, 2));
  EXPECT_EQ(other.driver->calls("wait"), 0U);
}

TEST(GpuLanes, LetOutWhatKernelsPrintedBeforeAnybodyKnowsThatTheyHaveFinished) {
  gpu_rig rig;
  auto& a = rig.lane();
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const auto before = rig.driver->calls("print_output") + rig.driver->calls("synchronize");
    rig.submit(a, rig.call([] {}));
    // Nobody waits: the backend finds out by asking.
    ASSERT_TRUE(eventually([&] { return a.completion().reached(i); }));
    EXPECT_GT(rig.driver->calls("print_output") + rig.driver->calls("synchronize"), before);
  }
  // So may kernels of graphs.
  plan p(rig);
  p.add(rig.call([] {}));
  const auto graph = p.make();
  for (std::uint64_t i = 21; i <= 25; ++i) {
    const auto launched = rig.driver->calls("print_output") + rig.driver->calls("synchronize");
    rig.launch(a, *graph);
    ASSERT_TRUE(eventually([&] { return a.completion().reached(i); }));
    EXPECT_GT(rig.driver->calls("print_output") + rig.driver->calls("synchronize"), launched);
  }
  // Copies print nothing.
  const auto before = rig.driver->calls("print_output");
  executors::resolved_fill f;
  std::uint64_t there = 0;
  f.destination = &there;
  f.width = f.row_pitch = f.slice_pitch = 8;
  rig.submit(a, f);
  ASSERT_TRUE(eventually([&] { return a.completion().reached(26); }));
  EXPECT_EQ(rig.driver->calls("print_output"), before);
}

TEST(GpuLanes, AskNothingOfTheDriverWhileTheyAreIdle) {
  gpu_rig rig;
  auto& a = rig.lane();
  rig.submit(a, rig.call([] {}));
  rig.wait(a);
  // The backend's thread goes on for a little.
  EXPECT_TRUE(eventually([&] {
    const auto before = rig.driver->calls("query") + rig.driver->calls("record");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return before == rig.driver->calls("query") + rig.driver->calls("record");
  }));
  rig.submit(a, rig.call([] {}));
  EXPECT_TRUE(eventually([&] { return a.completion().reached(2); })) << "and comes back";
}

TEST(GpuLanes, RecordFewMarkersForManySteps) {
  gpu_rig rig(setup_by_hand());
  auto& a = rig.lane();
  for (int i = 0; i < 1000; ++i) rig.submit(a, rig.call([] {}));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LE(rig.backend->counters().markers, 8U);
  EXPECT_EQ(rig.driver->calls("launch"), 1000U);
  rig.driver->go();
  rig.driver->go();
  rig.wait(a);
}

TEST(GpuLanes, TellHowFarTheyAreWithoutBlocking) {
  gpu_rig rig(setup_by_hand());
  auto& a = rig.lane();
  rig.submit(a, rig.call([] {}));
  executors::progress_source* source = a.completion().source();
  ASSERT_NE(source, nullptr);
  source->look(a.completion());
  EXPECT_FALSE(a.completion().reached(1));
  EXPECT_EQ(a.completion().begun(), 1U);
  EXPECT_TRUE(eventually([&] {
    rig.driver->advance();
    source->look(a.completion());
    return a.completion().reached(1);
  }));
}

TEST(GpuLanes, LeaveCallsToTheProgramToThreadsThatMayMakeThem) {
  gpu_rig rig;
  auto& a = rig.lane();
  for (std::uint64_t i = 1; i <= 300; ++i) {
    rig.submit(a, rig.call([] {}), i, {}, true);
    inside_submission() = true;  // the observer would not like it
    while (!a.completion().reached(i)) a.completion().source()->look(a.completion());
    inside_submission() = false;
    EXPECT_EQ(rig.log.of(i).timed, 1);
  }
}

TEST(GpuLanes, AreWaitedForByManyThreads) {
  fake_setup setup;
  setup.devices = 2;
  gpu_rig rig(setup);
  auto& a = rig.lane(0);
  auto& b = rig.lane(1);
  constexpr int steps = 400;
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  executors::progress host;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 50; ++i) {
        auto& l = random() % 2 == 0 ? a : b;
        const std::uint64_t position = 1 + random() % steps;
        host::team::instance().wait(l.completion(), position);
        EXPECT_TRUE(l.completion().reached(position));
      }
    });
  for (int i = 0; i < steps; ++i) {
    std::vector<lane_position> waits;
    if (i % 50 == 49) waits.push_back({&host, static_cast<std::uint64_t>(i / 50)});
    rig.submit(a, rig.call([&] { ++ran; }), 0, waits);
    rig.submit(b, rig.call([&] { ++ran; }), 0, {rig.at(a, static_cast<std::uint64_t>(i) + 1)});
    if (i % 50 == 0) host.finish(static_cast<std::uint64_t>(i / 50));
  }
  for (auto& t : threads) t.join();
  rig.wait(b);
  EXPECT_EQ(ran, 2 * steps);
}

TEST(GpuLanes, KeepEveryOrderOfRandomPrograms) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    fake_setup setup;
    setup.devices = 3;
    setup.seed = seed;
    gpu_rig rig(setup);
    std::mt19937 random(seed);
    std::vector<executors::lane*> lanes;
    for (std::uint32_t i = 0; i < 5; ++i) lanes.push_back(&rig.lane(i % 3));
    executors::progress host;
    constexpr std::size_t steps = 150;
    std::vector<std::atomic<bool>> done(steps);
    std::atomic<int> wrong{0};
    struct placed {
      executors::lane* lane;
      std::uint64_t position;
    };
    std::vector<placed> all;
    std::vector<std::uint64_t> counts(lanes.size(), 0);
    std::uint64_t host_position = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      const std::size_t where = random() % lanes.size();
      std::vector<lane_position> waits;
      std::vector<std::size_t> before;
      for (unsigned k = 0; i != 0 && k < random() % 4; ++k) {
        before.push_back(random() % i);
        waits.push_back(rig.at(*all[before.back()].lane, all[before.back()].position));
      }
      if (random() % 10 == 0) waits.push_back({&host, ++host_position});
      for (std::size_t j = 0; j < i; ++j)
        if (all[j].lane == lanes[where]) before.push_back(j);
      const auto position = rig.submit(*lanes[where], rig.call([&done, &wrong, before, i] {
        for (const std::size_t b : before)
          if (!done[b]) ++wrong;
        done[i] = true;
      }),
                                       i, waits);
      all.push_back({lanes[where], position});
      if (random() % 3 == 0 && host.finished() < host_position) host.finish(host.finished() + 1);
    }
    std::thread host_side([&] {
      while (host.finished() < host_position) host.finish(host.finished() + 1);
    });
    for (const auto& p : all) rig.wait(*p.lane, p.position);
    host_side.join();
    EXPECT_EQ(wrong, 0) << "seed " << seed;
    EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& d) { return d.load(); }));
  }
}

TEST(GpuLanes, UseTheirEventsAgain) {
  gpu_rig rig;
  auto& a = rig.lane();
  auto& b = rig.lane();
  std::uint64_t position = 0;
  for (int round = 0; round < 500; ++round) {
    for (int i = 0; i < 100; ++i) position = rig.submit(a, rig.call([] {}), 0, {}, i == 50);
    rig.submit(b, rig.call([] {}), 0, {rig.at(a, position)});
    for (int i = 0; i < 99; ++i) rig.submit(b, rig.call([] {}));
    rig.wait(b);
    rig.wait(a);
  }
  // 100,000 steps, 1000 of them waits between lanes, 500 timed.
  EXPECT_LE(rig.backend->counters().events_made, 100U);
}

TEST(GpuLanes, FinishStepsThatDoNothingAtOnce) {
  gpu_rig rig(setup_by_hand());
  auto& a = rig.lane();
  rig.submit(a, executors::resolved_nothing{});
  EXPECT_TRUE(a.completion().reached(1));
  executors::resolved_kernel empty = rig.call([] {});
  empty.geometry.global.c[1] = 0;
  rig.submit(a, empty);
  EXPECT_TRUE(a.completion().reached(2));
  EXPECT_EQ(rig.driver->calls("launch"), 0U);
  rig.submit(a, rig.call([] {}));
  rig.submit(a, executors::resolved_nothing{});
  EXPECT_FALSE(a.completion().reached(4)) << "but not before what is in front of them";
  rig.driver->go();
  rig.wait(a);
}

TEST(GpuLanes, TellWhenStepsRan) {
  gpu_rig rig;
  auto& a = rig.lane();
  const std::uint64_t before = host::nanoseconds_now();
  rig.submit(a, rig.call([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }), 1, {},
             true);
  rig.submit(a, rig.call([] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }), 2, {},
             true);
  rig.submit(a, executors::resolved_nothing{}, 3, {}, true);
  rig.wait(a);
  const std::uint64_t after = host::nanoseconds_now();
  const auto first = rig.log.of(1);
  const auto second = rig.log.of(2);
  EXPECT_EQ(first.timed, 1);
  EXPECT_EQ(rig.log.of(3).timed, 1);
  EXPECT_GE(first.started, before);
  EXPECT_GE(first.ended - first.started, 1'900'000U);
  EXPECT_GE(second.started, first.ended);
  EXPECT_GE(second.ended - second.started, 2'800'000U);
  EXPECT_LE(second.ended, after);
}

struct counted_object {
  std::atomic<int>* alive;
  std::function<void()>* f;
};

TEST(GpuLanes, EndFunctionObjectsAfterTheirSteps) {
  gpu_rig rig;
  auto& a = rig.lane();
  std::atomic<int> alive{0};
  std::atomic<bool> died_early{false};
  std::function<void()> body = [&] { died_early = died_early || alive == 0; };
  fake_kernel k;
  k.functor_bytes = sizeof(counted_object);
  k.body = [](const void* functor, const pianola_launch&, const fake_item& item) {
    if (item.id[0] + item.id[1] + item.id[2] == 0)
      (*static_cast<const counted_object*>(functor)->f)();
  };
  rig.add_kernel("counted", std::move(k));
  static const model::object_operations operations{nullptr, [](void* p) noexcept {
                                                     if (!inside_submission())
                                                       --*static_cast<counted_object*>(p)->alive;
                                                   }};
  executors::progress host;
  for (int i = 0; i < 20; ++i) {
    executors::resolved_kernel r = rig.kernel("counted", counted_object{&alive, &body}, {});
    void* own = ::operator new(sizeof(counted_object), std::align_val_t(64));
    std::memcpy(own, r.arguments.bytes, sizeof(counted_object));
    ++alive;
    r.arguments = {own, sizeof(counted_object), 64, &operations};
    r.owns_arguments = true;
    std::vector<lane_position> waits;
    if (i == 10) waits.push_back({&host, 1});
    rig.submit(a, r, 0, waits);
  }
  host.finish(1);
  rig.wait(a);
  // After the step counts as done, on a thread without a lane.
  while (alive != 0) std::this_thread::yield();
  EXPECT_FALSE(died_early);
}

// Bound to the processor of the thread that first needs it, it would wait for that one.
TEST(GpuLanes, AreServedByAThreadThatIsBoundToNothing) {
  const auto before = host::processor_mask::of_calling_thread();
  const host::processor_list all = before.list();
  if (all.size() < 2) GTEST_SKIP() << "needs two processors";
  static_cast<void>(host::team::instance());
  ASSERT_TRUE(host::processor_mask::of({all.front()}).bind_calling_thread());
  gpu_rig rig;
  auto& l = rig.lane();
  rig.submit(l, rig.call([] {}));
  before.bind_calling_thread();
  const std::string found = line_of_thread("pianola-gpu", "Cpus_allowed_list:\t");
  std::ifstream mine("/proc/thread-self/status");
  EXPECT_EQ(found, line_of(mine, "Cpus_allowed_list:\t"));
  rig.wait(l);
}

}  // namespace
}  // namespace pianola::test
