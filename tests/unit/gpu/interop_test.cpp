// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pianola/test/graph_steps.hpp>

#include "gpu_rig.hpp"

namespace pianola::test {
namespace {

using executors::native_request;
using executors::resolved_host_task;
using model::native_kind;
using testing::ElementsAre;
using testing::HasSubstr;

void* handle(gpu_rig& rig, const native_request& r) {
  void* out = nullptr;
  const auto s = rig.backend->native_handle(r, out);
  EXPECT_TRUE(s.ok()) << s.reason;
  return out;
}

TEST(GpuInterop, HandsOutTheDriversHandles) {
  gpu_rig rig;
  auto& l = rig.lane();
  native_request r;
  EXPECT_EQ(handle(rig, r), reinterpret_cast<void*>(100));
  r.what = native_kind::queue;
  r.where = &l;
  gpu::stream stream{handle(rig, r)};
  ASSERT_NE(stream.native, nullptr);

  rig.driver->hold(true);
  const auto position = rig.submit(l, rig.call([] {}));
  r.what = native_kind::event;
  r.position = position;
  gpu::event event{handle(rig, r)};
  gpu::code why = 0;
  EXPECT_EQ(rig.driver->query(event, why), gpu::event_state::not_reached);
  rig.driver->hold(false);
  EXPECT_EQ(rig.driver->synchronize(event), gpu::success);

  r.what = native_kind::executable;
  void* out = nullptr;
  EXPECT_FALSE(rig.backend->native_handle(r, out).ok()) << "there is no graph";
}

TEST(GpuInterop, WorksOnStreamsOfTheProgram) {
  gpu_rig rig;
  gpu::stream own;
  ASSERT_EQ(rig.driver->make_stream(0, own), gpu::success);
  executors::lane* l = nullptr;
  ASSERT_TRUE(rig.backend->adopt_lane(0, own.native, l).ok());
  bool ran = false;
  rig.submit(*l, rig.call([&] { ran = true; }));
  rig.wait(*l);
  EXPECT_TRUE(ran);
  rig.driver->go();
  host::team::instance().wait(l->completion(), 1);
  rig.driver->destroy(0, own);  // the backend does not
}

TEST(GpuInterop, WaitsForEventsOfTheProgram) {
  fake_setup setup;
  setup.pace = fake_pace::by_hand;
  gpu_rig rig(setup);
  auto& l = rig.lane();
  auto& other = rig.lane();
  std::vector<int> ran;
  gpu::event e;
  ASSERT_EQ(rig.driver->make_event(0, false, e), gpu::success);
  rig.submit(other, rig.call([&] { ran.push_back(1); }));
  native_request r;
  r.what = native_kind::queue;
  r.where = &other;
  ASSERT_EQ(rig.driver->record(0, {handle(rig, r)}, e), gpu::success);
  ASSERT_TRUE(rig.backend->wait_for_native(l, e.native).ok());
  rig.submit(l, executors::resolved_nothing{});
  EXPECT_FALSE(l.completion().reached(1)) << "it stands for what it waits for";
  rig.submit(l, rig.call([&] { ran.push_back(2); }));
  rig.driver->go();
  rig.wait(l);
  EXPECT_THAT(ran, ElementsAre(1, 2));
  rig.driver->destroy(0, e);
}

// A function of the program that puts a launch into the stream, or a node into the graph, that it is given.
struct native_function {
  gpu_rig* rig;
  std::function<void()>* work;
  int* calls;

  static void invoke(void* arguments, const model::native_access& access) {
    expect_outside();
    auto& f = *static_cast<native_function*>(arguments);
    ++*f.calls;
    if (*f.work == nullptr) throw std::runtime_error("the program's own failure");
    gpu::fill_operation o;
    static int written;
    o.destination = &written;
    o.element_bytes = 4;
    o.width = 1;
    o.pitch = 4;
    (*f.work)();
    if (access.graph != nullptr) {
      gpu::node n;
      EXPECT_EQ(f.rig->driver->add_fill({access.graph->take()}, {}, o, n), gpu::success);
    } else {
      EXPECT_EQ(f.rig->driver->fill({access.stream}, o), gpu::success);
    }
  }
};

resolved_host_task task_of(native_function& f) {
  resolved_host_task t;
  t.arguments = {&f, sizeof f, alignof(native_function), nullptr};
  t.invoke_with_access = &native_function::invoke;
  t.enqueues = true;
  return t;
}

TEST(GpuInterop, CallsFunctionsThatPutWorkIntoTheStream) {
  gpu_rig rig;
  auto& l = rig.lane();
  int calls = 0;
  std::function<void()> work = [] {};
  std::function<void()> nothing;
  native_function good{&rig, &work, &calls};
  native_function bad{&rig, &nothing, &calls};
  bool ran = false;
  rig.submit(l, task_of(good), 1);
  rig.submit(l, task_of(bad), 2);
  rig.submit(l, rig.call([&] { ran = true; }), 3);
  rig.wait(l);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(ran);
  EXPECT_EQ(rig.driver->calls("fill"), 1U);
  EXPECT_EQ(rig.log.of(1).failed, 0);
  EXPECT_EQ(rig.log.of(2).error, "the program's own failure");
}

TEST(GpuInterop, CallsFunctionsThatPutNodesIntoAGraph) {
  gpu_rig rig;
  auto& l = rig.lane();
  int calls = 0;
  std::function<void()> work = [] {};
  native_function f{&rig, &work, &calls};
  executors::graph_step steps[2];
  steps[0].action = task_of(f);
  steps[0].context = rig.tag(1);
  const std::uint32_t first[] = {0};
  steps[1].action = rig.call([] {});
  steps[1].waits = first;
  steps[1].context = rig.tag(2);
  std::unique_ptr<executors::native_graph> g;
  few_steps some(steps);
  const auto s = rig.backend->instantiate(some, g);
  ASSERT_TRUE(s.ok()) << s.reason;
  EXPECT_EQ(calls, 1);
  rig.launch(l, *g);
  rig.launch(l, *g);
  rig.wait(l);
  EXPECT_EQ(calls, 1) << "the graph has what it did";
  EXPECT_EQ(rig.driver->calls("add_child"), 1U);

  // The driver need not take two executables of what a function has added.
  rig.driver->refuse_node_updates = rig.driver->refuse_graph_updates = true;
  executors::graph_step other;
  bool ran = false;
  other.action = rig.call([&] { ran = true; });
  const std::uint32_t second[] = {1};
  rig.driver->fail("instantiate", 1, fake_driver::invalid);
  const auto updated = rig.backend->update(*g, second, {&other, 1});
  ASSERT_TRUE(updated.ok()) << updated.reason;
  rig.launch(l, *g);
  rig.wait(l);
  EXPECT_TRUE(ran);
  EXPECT_EQ(calls, 2);

  fake_setup without;
  without.can.child_graphs = false;
  gpu_rig old(without);
  few_steps again(steps);
  EXPECT_EQ(old.backend->instantiate(again, g).code, model::error_code::feature_not_supported);
}

}  // namespace
}  // namespace pianola::test
