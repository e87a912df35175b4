// SPDX-License-Identifier: Apache-2.0
// Order, waiting and progress of lanes.
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "conformance.hpp"

namespace pianola::test {
namespace {

using executors::lane_position;
using executors::resolved_action;
using executors::resolved_nothing;

class lanes : public conformance {
 protected:
  // A host task that lasts until it is told to end, even when the test fails.
  struct gate {
    std::atomic<bool> open{false};
    std::atomic<bool> reached{false};
    callable_task task{[this] {
      reached = true;
      while (!open) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }};
  };
};
PIANOLA_FOR_EVERY_BACKEND(lanes);

TEST_P(lanes, run_their_steps_in_order) {
  affine_kernel kernel;
  constexpr std::uint64_t n = 64, steps = 3000;
  std::vector<std::uint64_t> host(n);
  std::iota(host.begin(), host.end(), 0);
  std::vector<std::uint64_t> expected = host;
  auto* data = static_cast<std::uint64_t*>(r.allocate(n * 8));
  r.upload(data, host.data(), n * 8);
  auto& lane = r.lane();
  for (std::uint64_t i = 0; i < steps; ++i) {
    affine_kernel::argument_bytes a{data, i};
    r.submit(lane, kernel.with(a, n));
    a = {nullptr, 99};  // copied at submission
    for (auto& x : expected) x = affine_kernel::apply(x, i);
  }
  r.wait(lane);
  r.download(host.data(), data, n * 8);
  EXPECT_EQ(host, expected);
}

TEST_P(lanes, number_their_steps_from_one) {
  auto& lane = r.lane();
  EXPECT_EQ(lane.completion().finished(), 0U);
  EXPECT_TRUE(lane.completion().reached(0));
  EXPECT_FALSE(lane.completion().reached(1));
  for (int i = 0; i < 10; ++i) r.submit(lane, resolved_nothing{});
  r.wait(lane, 10);
  EXPECT_EQ(lane.completion().finished(), 10U);
  EXPECT_EQ(lane.completion().begun(), 10U);
  EXPECT_FALSE(lane.completion().reached(11));
}

TEST_P(lanes, start_every_kind_of_step_without_any_wait_or_flush) {
  affine_kernel kernel;
  auto* data = static_cast<std::uint64_t*>(r.allocate(64));
  std::uint64_t host[8] = {};
  affine_kernel::argument_bytes a{data, 1};
  callable_task task([] {});
  executors::resolved_copy copy;
  copy.source = host;
  copy.destination = data;
  copy.from = model::host_memory;
  copy.to = r.memory_of(0);
  copy.width = 64;
  executors::resolved_fill fill;
  fill.destination = data;
  fill.memory = r.memory_of(0);
  fill.width = 64;
  std::vector<resolved_action> actions = {resolved_nothing{}, kernel.with(a, 8), copy, fill};
  if (runs_host_code()) actions.emplace_back(task.step());
  for (const auto& action : actions) {
    auto& lane = r.lane();
    for (int again = 0; again < 3; ++again) {
      const auto position = r.submit(lane, action);
      // Long enough for workers to have gone to sleep before.
      EXPECT_TRUE(eventually([&] { return lane.completion().reached(position); }))
          << action.index();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

TEST_P(lanes, tell_a_step_that_has_begun_from_one_that_has_finished) {
  gate g;
  auto& lane = r.lane();
  r.submit(lane, resolved_nothing{});
  if (!runs_host_code()) {
    // Steps have begun when the driver has got them.
    rig& host = tasks();
    auto& other = host.lane();
    const auto position = host.submit(other, g.task.step());
    r.submit(lane, resolved_nothing{}, 0, {{&other.completion(), position}});
    EXPECT_TRUE(eventually([&] { return lane.completion().begun() == 1; }));
    EXPECT_FALSE(lane.completion().reached(2));
    g.open = true;
    r.wait(lane);
    EXPECT_EQ(lane.completion().begun(), 2U);
    return;
  }
  r.submit(lane, g.task.step());
  r.submit(lane, resolved_nothing{});
  ASSERT_TRUE(eventually([&] { return g.reached.load(); }));
  EXPECT_EQ(lane.completion().finished(), 1U);
  EXPECT_EQ(lane.completion().begun(), 2U);
  g.open = true;
  r.wait(lane);
  EXPECT_EQ(lane.completion().finished(), 3U);
}

TEST_P(lanes, wait_for_each_other) {
  gate g;
  affine_kernel kernel;
  auto* data = static_cast<std::uint64_t*>(r.allocate(8));
  std::uint64_t host = 5;
  r.upload(data, &host, 8);
  auto &a = tasks().lane(), &b = r.lane(), &c = r.lane();
  const auto first = tasks().submit(a, g.task.step());
  affine_kernel::argument_bytes one{data, 1}, two{data, 2};
  const auto second = r.submit(b, kernel.with(one, 1), 0, {{&a.completion(), first}});
  const auto third =
      r.submit(c, kernel.with(two, 1), 0, {{&a.completion(), first}, {&b.completion(), second}});
  auto& free = r.lane();
  r.wait(free, r.submit(free, resolved_nothing{}));
  EXPECT_EQ(b.completion().finished(), 0U);
  EXPECT_EQ(c.completion().finished(), 0U);
  g.open = true;
  r.wait(c, third);
  r.download(&host, data, 8);
  EXPECT_EQ(host, affine_kernel::apply(affine_kernel::apply(5, 1), 2));
}

TEST_P(lanes, take_any_number_of_waits) {
  auto& a = r.lane();
  auto& b = r.lane();
  std::vector<lane_position> waits;
  for (int i = 0; i < 70000; ++i) {
    if (i < 1000) r.submit(a, resolved_nothing{});
    waits.push_back({&a.completion(), static_cast<std::uint64_t>(i % 1000 + 1)});
  }
  gate g;
  auto& blocked = tasks().lane();
  waits.push_back({&blocked.completion(), tasks().submit(blocked, g.task.step())});
  const auto position = r.submit(b, resolved_nothing{}, 0, waits);
  r.wait(a);
  EXPECT_FALSE(b.completion().reached(position));
  g.open = true;
  r.wait(b, position);
}

TEST_P(lanes, hand_contexts_of_any_size_to_the_observer) {
  PIANOLA_NEEDS_FAILING_KERNELS();
  auto& lane = r.lane();
  for (const std::size_t size :
       {sizeof(step_tag), std::size_t{100}, std::size_t{5000}, std::size_t{200000}}) {
    std::vector<std::byte> context(size, std::byte{7});
    const step_tag t = r.tag(size);
    std::memcpy(context.data(), static_cast<const void*>(&t), sizeof t);
    const std::string expected = submit_failing(lane, context);
    std::fill(context.begin(), context.end(), std::byte{0});
    r.wait(lane);
    EXPECT_EQ(r.log.of(size).failed, 1);
    EXPECT_NE(r.log.of(size).error.find(expected), std::string::npos) << r.log.of(size).error;
  }
}

TEST_P(lanes, call_timed_steps_back_when_they_start_and_when_they_have_finished) {
  auto& lane = r.lane();
  std::atomic<int> started_before{-1};
  callable_task task([&] { started_before = r.log.of(1).started; });
  carrier_object object{};
  resolved_action action = task.step();
  if (!runs_host_code()) action = suite_kernel<carrier_object>().over({{1, 1, 1}}, object);
  const auto position = r.submit(lane, action, 1, {}, true);
  const auto untimed = r.submit(lane, resolved_nothing{}, 2);
  ASSERT_TRUE(eventually([&] { return lane.completion().reached(position); }));
  if (runs_host_code()) {
    EXPECT_EQ(started_before, 1);
  }
  EXPECT_EQ(r.log.of(1).finished, 1);
  r.wait(lane, untimed);
  EXPECT_EQ(r.log.of(2).started, 0);
  EXPECT_EQ(r.log.of(2).finished, 0);
}

// ---- arguments -------------------------------------------------------------------------------

struct counted_object {
  std::atomic<int>* alive;
  std::atomic<int>* ran;
  unsigned char padding[100] = {};
  counted_object(std::atomic<int>* a, std::atomic<int>* n) : alive(a), ran(n) { ++*alive; }
  counted_object(const counted_object& o) : alive(o.alive), ran(o.ran) { ++*alive; }
  counted_object& operator=(const counted_object&) = delete;
  ~counted_object() { --*alive; }
};

const model::object_operations counted_operations{
    [](void* to, const void* from) {
      new (to) counted_object(*static_cast<const counted_object*>(from));
    },
    [](void* o) noexcept { static_cast<counted_object*>(o)->~counted_object(); }};

model::argument_block owned_object(std::atomic<int>& alive, std::atomic<int>& ran) {
  model::argument_block b;
  b.size = sizeof(counted_object);
  b.alignment = alignof(counted_object);
  b.bytes = ::operator new(b.size, std::align_val_t(b.alignment));
  new (b.bytes) counted_object(&alive, &ran);
  b.operations = &counted_operations;
  return b;
}

// Their destructors may run a little later than the step counts as done.
void expect_none(const std::atomic<int>& alive) {
  while (alive > 0) std::this_thread::yield();
  EXPECT_EQ(alive, 0);
}

TEST_P(lanes, destroy_the_function_objects_that_they_own_exactly_once) {
  std::atomic<int> alive{0}, ran{0};
  const auto run = [](const void* o) {
    const auto& c = *static_cast<const counted_object*>(o);
    EXPECT_GT(c.alive->load(), 0);
    ++*c.ran;
  };
  static std::remove_const_t<decltype(run)> runner = run;
  model::kernel_descriptor kernel;
  kernel.name = "counted";
  kernel.entry = [](const void* o, const model::launch_geometry&, const model::box&,
                    model::array_view<const model::argument_slot>,
                    const model::group_resources&) { runner(o); };
  kernel.operations = &counted_operations;
  static_assert(sizeof(counted_object) == sizeof(carrier_object));
  kernel.id = suite_kernel<carrier_object>().descriptor().id;
  auto& lane = r.lane();
  auto& task_lane = runs_host_code() ? lane : tasks().lane();
  for (int i = 0; i < 50; ++i) {
    executors::resolved_kernel k;
    k.kernel = &kernel;
    k.arguments = owned_object(alive, ran);
    k.owns_arguments = true;
    r.submit(lane, k, 1);
    executors::resolved_host_task t;
    t.arguments = owned_object(alive, ran);
    t.owns_arguments = true;
    t.invoke = [](void* o) { runner(o); };
    tasks().submit(task_lane, t, 2);
  }
  r.wait(lane);
  tasks().wait(task_lane);
  expect_none(alive);
  // In an image the kernel counts nothing.
  const int all = runs_host_code() ? 100 : 50;
  EXPECT_EQ(ran, all);

  // Also where the step is not run, or fails.
  attention() = true;
  r.log.admit = [](std::uint64_t) { return false; };
  executors::resolved_kernel k;
  k.kernel = &kernel;
  k.arguments = owned_object(alive, ran);
  k.owns_arguments = true;
  r.submit(lane, k, 3);
  r.wait(lane);
  attention() = false;
  expect_none(alive);
  EXPECT_EQ(ran, all);
  if (!runs_host_code()) {
    if (!can_fail()) return;
    const auto context = r.tag(4);
    submit_failing(lane, context.bytes());
    r.wait(lane);
    EXPECT_EQ(r.log.of(4).failed, 1);
    return;
  }
  attention() = true;
  executors::resolved_host_task t;
  t.arguments = owned_object(alive, ran);
  t.owns_arguments = true;
  t.invoke = [](void* o) { runner(o); };
  r.submit(lane, t, 3);
  r.wait(lane);
  attention() = false;
  expect_none(alive);
  EXPECT_EQ(ran, all);
  t.arguments = owned_object(alive, ran);
  t.invoke = [](void*) { throw std::runtime_error("failed"); };
  r.submit(lane, t, 4);
  r.wait(lane);
  expect_none(alive);
  EXPECT_EQ(r.log.of(4).failed, 1);
}

// When it ends it looks whether its step counts as done.
struct looking_object {
  const executors::progress* lane;
  std::uint64_t position;
  std::atomic<int>* ended;
  std::atomic<int>* early;
  unsigned char padding[88] = {};
  looking_object(const executors::progress& l, std::uint64_t p, std::atomic<int>& e,
                 std::atomic<int>& n)
      : lane(&l), position(p), ended(&e), early(&n) {}
  looking_object(const looking_object&) = delete;
  looking_object& operator=(const looking_object&) = delete;
  ~looking_object() {
    if (!lane->reached(position)) ++*early;
    ++*ended;
  }
};

const model::object_operations looking_operations{
    nullptr, [](void* o) noexcept { static_cast<looking_object*>(o)->~looking_object(); }};

// It may hold the last of something that waits for the step.
TEST_P(lanes, have_come_past_a_step_before_they_destroy_its_function_object) {
  std::atomic<int> ended{0}, early{0};
  model::kernel_descriptor kernel;
  kernel.name = "looking";
  kernel.entry = [](const void*, const model::launch_geometry&, const model::box&,
                    model::array_view<const model::argument_slot>,
                    const model::group_resources&) {};
  kernel.operations = &looking_operations;
  static_assert(sizeof(looking_object) == sizeof(carrier_object));
  kernel.id = suite_kernel<carrier_object>().descriptor().id;
  auto& lane = r.lane();
  auto& task_lane = runs_host_code() ? lane : tasks().lane();
  const auto owned = [&](const executors::lane& l, std::uint64_t position) {
    model::argument_block b;
    b.size = sizeof(looking_object);
    b.alignment = alignof(looking_object);
    b.bytes = ::operator new(b.size, std::align_val_t(b.alignment));
    new (b.bytes) looking_object(l.completion(), position, ended, early);
    b.operations = &looking_operations;
    return b;
  };
  std::uint64_t position = 0, task_position = 0;
  const auto submit_both = [&](const std::vector<lane_position>& waits) {
    executors::resolved_kernel k;
    k.kernel = &kernel;
    k.arguments = owned(lane, ++position);
    k.owns_arguments = true;
    // Every other one is timed, which calls back before it counts as done.
    ASSERT_EQ(r.submit(lane, k, 1, waits, position % 2 == 0), position);
    executors::resolved_host_task t;
    std::uint64_t& at = &task_lane == &lane ? position : task_position;
    t.arguments = owned(task_lane, ++at);
    t.owns_arguments = true;
    t.invoke = [](void*) {};
    ASSERT_EQ(tasks().submit(task_lane, t, 2), at);
  };
  constexpr int rounds = 100;
  for (int i = 0; i < rounds; ++i) submit_both({});
  r.wait(lane);
  tasks().wait(task_lane);
  // Those that wait first, and those that are left out.
  executors::progress host;
  for (int i = 0; i < rounds; ++i) submit_both({{&host, static_cast<std::uint64_t>(i) + 1}});
  for (int i = 0; i < rounds; ++i) host.finish(static_cast<std::uint64_t>(i) + 1);
  r.wait(lane);
  tasks().wait(task_lane);
  attention() = true;
  r.log.admit = [](std::uint64_t) { return false; };
  submit_both({});
  r.wait(lane);
  tasks().wait(task_lane);
  attention() = false;
  while (ended != 4 * rounds + 2) std::this_thread::yield();
  EXPECT_EQ(early, 0);
}

template <unsigned n, class Rig>
void expect_copied_arguments(Rig& r, std::uint64_t* sum) {
  using object = large_object<n>;
  auto& lane = r.lane();
  auto arguments = std::make_unique<object>();
  for (int round = 1; round < 4; ++round) {
    arguments->sum = sum;
    for (auto& v : arguments->values) v = static_cast<std::uint64_t>(round);
    r.submit(lane, suite_kernel<object>().over({{1, 1, 1}}, *arguments));
    std::memset(static_cast<void*>(arguments.get()), 0, sizeof(object));
    r.submit(lane, resolved_nothing{});
    r.wait(lane);
    EXPECT_EQ(*sum, n * static_cast<std::uint64_t>(round));
  }
}

TEST_P(lanes, copy_arguments_of_any_size_that_they_do_not_own) {
  auto* sum = shared<std::uint64_t>();
  expect_copied_arguments<400>(r, sum);
  if (runs_host_code()) expect_copied_arguments<30000>(r, sum);
}

// ---- failures --------------------------------------------------------------------------------

TEST_P(lanes, report_the_failure_of_a_kernel_once_and_go_on) {
  PIANOLA_NEEDS_FAILING_KERNELS();
  auto& lane = r.lane();
  for (std::uint64_t i = 1; i <= 20; ++i) {
    const step_tag t = r.tag(i);
    const std::string expected = submit_failing(lane, t.bytes());
    r.submit(lane, resolved_nothing{}, 100);
    r.wait(lane);
    EXPECT_EQ(r.log.of(i).failed, 1) << i;
    EXPECT_NE(r.log.of(i).error.find(expected), std::string::npos) << r.log.of(i).error;
  }
  EXPECT_EQ(r.log.of(100).failed, 0);
}

TEST_P(lanes, report_the_exception_of_a_host_task) {
  PIANOLA_NEEDS_HOST_CODE();
  callable_task failing([] { throw 7; });
  auto& lane = r.lane();
  r.submit(lane, failing.step(), 1);
  r.submit(lane, resolved_nothing{}, 2);
  r.wait(lane);
  EXPECT_EQ(r.log.of(1).failed, 1);
  EXPECT_EQ(r.log.of(2).failed, 0);
}

TEST_P(lanes, ask_before_every_step_while_attention_is_raised) {
  auto* ran = shared<std::uint64_t>();
  affine_kernel kernel;
  affine_kernel::argument_bytes a{ran, 1};
  auto& lane = r.lane();
  r.submit(lane, kernel.with(a, 1), 1);
  r.wait(lane);
  EXPECT_EQ(r.log.of(1).admitted, 0);
  attention() = true;
  r.log.admit = [](std::uint64_t id) { return id != 2; };
  a.addend = 2;
  r.submit(lane, kernel.with(a, 1), 2);
  a.addend = 3;
  r.submit(lane, kernel.with(a, 1), 3);
  r.wait(lane);
  EXPECT_EQ(*ran, affine_kernel::apply(affine_kernel::apply(0, 1), 3));
  EXPECT_EQ(r.log.of(2).admitted, 1);
  EXPECT_EQ(r.log.of(3).admitted, 1);
  EXPECT_EQ(lane.completion().finished(), 3U);
}

// ---- host tasks ------------------------------------------------------------------------------

TEST_P(lanes, let_host_tasks_wait_for_each_other) {
  PIANOLA_NEEDS_HOST_CODE();
  constexpr int n = 6;
  std::atomic<int> arrived{0};
  callable_task meet([&] {
    ++arrived;
    while (arrived < n) std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  std::vector<executors::lane*> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(&r.lane());
    r.submit(*all.back(), meet.step());
  }
  for (auto* l : all) r.wait(*l);
  EXPECT_EQ(arrived, n);
}

TEST_P(lanes, let_a_host_task_wait_for_a_kernel_of_another_lane) {
  affine_kernel kernel;
  auto* data = static_cast<std::uint64_t*>(r.allocate(8));
  auto &a = tasks().lane(), &b = r.lane();
  affine_kernel::argument_bytes arguments{data, 1};
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> position{0};
  callable_task waits([&] {
    while (position == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    host::team::instance().wait(b.completion(), position);
    done = true;
  });
  tasks().submit(a, waits.step());
  position = r.submit(b, kernel.with(arguments, 1));
  tasks().wait(a);
  EXPECT_TRUE(done);
}

TEST_P(lanes, go_on_while_host_tasks_block_as_many_lanes_as_there_are_threads) {
  std::vector<std::unique_ptr<gate>> gates;
  std::vector<executors::lane*> blocked;
  for (int i = 0; i < 20; ++i) {
    gates.push_back(std::make_unique<gate>());
    blocked.push_back(&tasks().lane());
    tasks().submit(*blocked.back(), gates.back()->task.step());
  }
  for (const auto& g : gates) ASSERT_TRUE(eventually([&] { return g->reached.load(); }));
  auto& free = r.lane();
  for (int i = 0; i < 100; ++i) r.submit(free, resolved_nothing{});
  EXPECT_TRUE(eventually([&] { return free.completion().reached(100); }));
  for (const auto& g : gates) g->open = true;
  for (auto* l : blocked) tasks().wait(*l);
}

// Drivers copy from and to memory that they do not know before they return, and after all that is in front of it.
TEST_P(lanes, that_copy_ordinary_memory_keep_no_other_from_going_on) {
  const driver_control* control = control_of(GetParam());
  if (control == nullptr) GTEST_SKIP() << "for doubles of drivers";
  control->set_patient_copies(true);
  std::vector<std::uint64_t> out(64, 0);
  auto* data = static_cast<std::uint64_t*>(r.allocate(sizeof(std::uint64_t) * 64));
  auto &a = r.lane(), &b = r.lane();
  executors::progress host;
  executors::resolved_fill fill;
  fill.destination = data;
  fill.width = fill.row_pitch = fill.slice_pitch = 512;
  fill.memory = r.memory_of(0);
  fill.pattern[0] = 3;
  executors::resolved_copy down;
  down.source = data;
  down.from = r.memory_of(0);
  down.destination = out.data();
  down.to = model::host_memory;
  down.width = 512;
  control->hold(true);
  std::atomic<bool> submitted{false};
  std::thread program([&] {
    r.submit(a, fill);
    r.submit(a, down);
    r.submit(b, executors::resolved_nothing{}, 0, {{&host, 1}});
    submitted = true;
  });
  EXPECT_TRUE(eventually([&] { return submitted.load(); })) << "the call waits for the device";
  host.finish(1);
  EXPECT_TRUE(eventually([&] { return b.completion().reached(1); })) << "all lanes wait for one";
  EXPECT_FALSE(a.completion().reached(1));
  control->hold(false);
  program.join();
  r.wait(a);
  control->set_patient_copies(false);
  EXPECT_EQ(out, std::vector<std::uint64_t>(64, 0x0303030303030303));
}

}  // namespace
}  // namespace pianola::test
