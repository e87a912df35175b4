// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that record events and that wait for them, as both drivers' classes make them.
#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include <pianola/abi/launch.h>
#include "../doubles/images/kernels.hpp"
#include "gpu/src/probes/event_node_probe.hpp"
#include "operations.hpp"

namespace pianola::gpu {
namespace {

using test::store_object;
using nodes = std::vector<node>;

class event_nodes : public operations {
 protected:
  void SetUp() override {
    operations::SetUp();
    ASSERT_TRUE(d().can().event_nodes);
    for (std::uint32_t device = 0; device < 2; ++device) {
      void* memory = nullptr;
      check(d().allocate_host(device, 64, memory), "allocate_host");
      gates_[device] = static_cast<std::uint32_t*>(memory);
      let_through(device, false);
      std::ifstream file(TEST_IMAGES "/driver_kernels.pianola-sim", std::ios::binary);
      const std::string image(std::istreambuf_iterator<char>(file), {});
      std::string log;
      check(d().load(device, image.data(), image.size(), modules_[device], log), "load");
      kernel_limits limits;
      check(d().find(device, modules_[device], "linger", linger_[device], limits), "find");
    }
  }
  void TearDown() override {
    control_->set_late_records(false);
    control_->set_late_waits(false);
    for (std::uint32_t device = 0; device < 2; ++device) let_through(device, true);
    for (std::uint32_t device = 0; device < 2; ++device) wait(device);
    for (const executable x : executables_) d().destroy(x);
    for (const graph g : graphs_) d().destroy(g);
    for (const auto& [device, e] : events_) d().destroy(device, e);
    for (const auto& [device, it] : streams_) d().destroy(device, it);
    for (std::uint32_t device = 0; device < 2; ++device) {
      d().unload(device, modules_[device]);
      check(d().free_host(device, gates_[device]), "free_host");
    }
    operations::TearDown();
  }

  // Nodes that linger on the device end, or do not.
  void let_through(std::uint32_t device, bool open) {
    __atomic_store_n(gates_[device], open ? 1 : 0, __ATOMIC_RELEASE);
  }
  event make_event(std::uint32_t device = 0, bool with_time = false) {
    event e;
    check(d().make_event(device, with_time, e), "make_event");
    events_.emplace_back(device, e);
    return e;
  }
  stream make_stream(std::uint32_t device = 0) {
    stream made;
    check(d().make_stream(device, made), "make_stream");
    streams_.emplace_back(device, made);
    return made;
  }
  graph make_graph() {
    graph g;
    check(d().make_graph(g), "make_graph");
    graphs_.push_back(g);
    return g;
  }
  node add_linger(graph g, const nodes& after = {}, std::uint32_t device = 0) {
    store_object object{gates_[device], 1};
    pianola_launch launch{{1, 1, 1}, {0, 0, 0}};
    void* parameters[] = {&object, &launch};
    kernel_launch k;
    k.function = linger_[device];
    k.device = device;
    k.parameters = parameters;
    node n;
    check(d().add_kernel(g, after, k, n), "add_kernel");
    return n;
  }
  node add_fill(graph g, unsigned char* memory, unsigned char value, const nodes& after = {},
                std::uint32_t device = 0) {
    fill_operation f;
    f.destination = memory;
    f.value = value;
    f.width = f.pitch = 8;
    f.device = device;
    node n;
    check(d().add_fill(g, after, f, n), "add_fill");
    return n;
  }
  node add_record(graph g, event e, const nodes& after = {}, std::uint32_t device = 0) {
    node n;
    check(d().add_record(g, after, device, e, n), "add_record");
    return n;
  }
  node add_wait(graph g, event e, const nodes& after = {}, std::uint32_t device = 0) {
    node n;
    check(d().add_wait(g, after, device, e, n), "add_wait");
    return n;
  }
  executable instantiate(graph g, std::uint32_t device = 0) {
    executable x;
    check(d().instantiate(g, device, x), "instantiate");
    executables_.push_back(x);
    return x;
  }
  void start(executable x, stream where, std::uint32_t device = 0) {
    check(d().launch(x, device, where), "launch");
  }
  // Of everything that is in the stream now.
  event end_of(stream where, std::uint32_t device = 0) {
    const event e = make_event(device);
    check(d().record(device, where, e), "record");
    return e;
  }
  event_state state(event e) {
    code why = 77;
    const event_state now = d().query(e, why);
    EXPECT_EQ(why, success);
    return now;
  }
  // What nothing keeps from being reached would be meanwhile.
  void expect_to_stay_unreached(event e) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(state(e), event_state::not_reached);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  void reach(event e) {
    check(d().synchronize(e), "synchronize");
    EXPECT_EQ(state(e), event_state::reached);
  }

 private:
  std::uint32_t* gates_[2] = {};
  module modules_[2];
  kernel linger_[2];
  std::vector<graph> graphs_;
  std::vector<executable> executables_;
  std::vector<std::pair<std::uint32_t, event>> events_;
  std::vector<std::pair<std::uint32_t, stream>> streams_;
};

// On a device that is not the first: both drivers must have been told which it is.
TEST_P(event_nodes, record_while_later_nodes_are_still_at_work) {
  const graph g = make_graph();
  const event e = make_event(1);
  unsigned char* const memory = allocate(8, 1);
  add_linger(g, {add_record(g, e, {add_fill(g, memory, 5, {}, 1)}, 1)}, 1);
  const stream where = make_stream(1);
  start(instantiate(g, 1), where, 1);
  const event end = end_of(where, 1);
  reach(e);
  EXPECT_EQ(get(memory, 8, 1), bytes(8, 5));
  expect_to_stay_unreached(end);
  let_through(1, true);
  reach(end);
}

TEST_P(event_nodes, are_not_reached_from_the_launch_on) {
  const graph g = make_graph();
  const event e = end_of(s());
  reach(e);
  add_record(g, e, {add_linger(g)});
  const stream where = make_stream();
  start(instantiate(g), where);
  EXPECT_EQ(state(e), event_state::not_reached);
  check(d().wait(0, s(), e), "wait");
  const event behind = end_of(s());
  expect_to_stay_unreached(behind);
  let_through(0, true);
  reach(behind);
  EXPECT_EQ(state(e), event_state::reached);
}

TEST_P(event_nodes, wait_for_nodes_of_launches_of_other_graphs) {
  const graph from = make_graph(), to = make_graph();
  const event e = make_event(0);
  unsigned char *const there = allocate(8, 0), *const here = allocate(8, 1);
  add_record(from, e, {add_fill(from, there, 7, {add_linger(from)})});
  // Of another device.
  node copied;
  const node awaited = add_wait(to, e, {}, 1);
  check(d().add_copy(to, {&awaited, 1}, flat(here, 1, there, 0, 8), copied), "add_copy");
  const stream first = make_stream(0), second = make_stream(1);
  start(instantiate(from, 0), first, 0);
  start(instantiate(to, 1), second, 1);
  const event end = end_of(second, 1);
  expect_to_stay_unreached(end);
  let_through(0, true);
  reach(end);
  EXPECT_EQ(get(here, 8, 1), bytes(8, 7));
}

TEST_P(event_nodes, have_other_events_in_later_launches) {
  const graph from = make_graph(), to = make_graph();
  const event e = make_event(), f = make_event();
  const node recorded = add_record(from, e);
  add_linger(from, {recorded});
  const node awaited = add_wait(to, e);
  add_fill(to, allocate(8), 1, {awaited});
  const executable x = instantiate(from), y = instantiate(to);
  const stream first = make_stream(), second = make_stream();
  start(x, first);
  start(y, second);
  reach(end_of(second));
  // The next launch begins when this one has ended; who waits for this one's event knows nothing of it.
  check(d().set_recorded(x, recorded, 0, f), "set_recorded");
  check(d().set_awaited(y, awaited, 0, f), "set_awaited");
  start(x, first);
  EXPECT_EQ(state(e), event_state::reached);
  EXPECT_EQ(state(f), event_state::not_reached);
  start(y, second);
  const event end = end_of(second);
  expect_to_stay_unreached(end);
  check(d().wait(0, s(), e), "wait");
  reach(end_of(s()));
  // And back again.
  check(d().set_awaited(y, awaited, 0, e), "set_awaited");
  const stream third = make_stream();
  let_through(0, true);
  reach(end);
  start(y, third);
  reach(end_of(third));
  reach(f);
}

TEST_P(event_nodes, keep_the_time) {
  const graph g = make_graph();
  const event from = make_event(0, true), to = make_event(0, true);
  add_record(g, to, {add_linger(g, {add_record(g, from)})});
  start(instantiate(g), s());
  reach(from);
  EXPECT_EQ(state(to), event_state::not_reached);
  let_through(0, true);
  reach(to);
  float milliseconds = -1;
  check(d().elapsed(from, to, milliseconds), "elapsed");
  EXPECT_GE(milliseconds, 0.0f);
  check(d().elapsed(to, from, milliseconds), "elapsed");
  EXPECT_LE(milliseconds, 0.0f);
}

TEST_P(event_nodes, are_in_graphs_inside_of_graphs) {
  const graph inner = make_graph(), g = make_graph();
  const event e = make_event(), f = make_event();
  add_record(inner, f, {add_wait(inner, e)});
  node child;
  check(d().add_child(g, {}, inner, child), "add_child");
  const graph before = make_graph();
  add_record(before, e, {add_linger(before)});
  start(instantiate(before), make_stream());
  start(instantiate(g), s());
  expect_to_stay_unreached(f);
  let_through(0, true);
  reach(f);
}

// A driver that has the functions, and not what they are documented to do.
TEST_P(event_nodes, of_some_drivers_record_when_they_run) {
  control_->set_late_records(true);
  const graph g = make_graph();
  const event e = make_event();
  add_record(g, e, {add_linger(g)});
  start(instantiate(g), s());
  EXPECT_EQ(state(e), event_state::reached);
  let_through(0, true);
  reach(end_of(s()));
}

TEST_P(event_nodes, pass_on_what_the_driver_refuses) {
  const graph g = make_graph();
  const event e = make_event();
  const node recorded = add_record(g, e), awaited = add_wait(g, e);
  const executable x = instantiate(g);
  node n;
  for (const char* name : {"GraphAddEventRecordNode", "GraphAddEventWaitNode",
                           "GraphExecEventRecordNodeSetEvent", "GraphExecEventWaitNodeSetEvent"}) {
    const bool cuda = std::string(GetParam()) == "cuda" || std::string(GetParam()) == "hip_on_cuda";
    ASSERT_TRUE(control_->fail(((cuda ? "cu" : "hip") + std::string(name)).c_str(), 1, invalid));
  }
  EXPECT_EQ(d().add_record(g, {}, 0, e, n), invalid);
  EXPECT_EQ(d().add_wait(g, {}, 0, e, n), invalid);
  EXPECT_EQ(d().set_recorded(x, recorded, 0, e), invalid);
  EXPECT_EQ(d().set_awaited(x, awaited, 0, e), invalid);
  check(d().set_recorded(x, recorded, 0, e), "set_recorded");
  check(d().set_awaited(x, awaited, 0, e), "set_awaited");
}

TEST_P(event_nodes, of_some_drivers_wait_for_what_is_recorded_when_they_run) {
  for (const bool late : {false, true}) {
    let_through(0, false);
    control_->set_late_waits(late);
    const event e = end_of(s());
    reach(e);
    const graph g = make_graph(), busy = make_graph();
    const stream first = make_stream(), second = make_stream();
    add_wait(g, e);
    add_linger(busy);
    control_->hold(true);
    start(instantiate(g), first);
    const event ended = end_of(first);
    start(instantiate(busy), second);
    check(d().record(0, second, e), "record");
    control_->hold(false);
    if (late)
      expect_to_stay_unreached(ended);
    else
      reach(ended);
    let_through(0, true);
    reach(ended);
    reach(end_of(second));
    control_->set_late_waits(false);
  }
}

TEST_P(event_nodes, are_only_trusted_where_they_keep_to_the_launch) {
  code why = invalid;
  EXPECT_TRUE(event_nodes_keep_to_launches(d(), 0, why));
  EXPECT_EQ(why, success);
  EXPECT_TRUE(event_nodes_keep_to_launches(d(), 1, why));
  control_->set_late_records(true);
  EXPECT_FALSE(event_nodes_keep_to_launches(d(), 0, why));
  EXPECT_EQ(why, success);
  control_->set_late_records(false);
  control_->set_late_waits(true);
  EXPECT_FALSE(event_nodes_keep_to_launches(d(), 0, why));
  EXPECT_EQ(why, success);
  control_->set_late_waits(false);
  const bool cuda = std::string(GetParam()) == "cuda" || std::string(GetParam()) == "hip_on_cuda";
  ASSERT_TRUE(control_->fail(cuda ? "cuGraphLaunch" : "hipGraphLaunch", 1, invalid));
  EXPECT_FALSE(event_nodes_keep_to_launches(d(), 0, why));
  EXPECT_EQ(why, invalid);
}

INSTANTIATE_TEST_SUITE_P(on, event_nodes, every_driver(), name_of_driver);

}  // namespace
}  // namespace pianola::gpu
