// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that record events and that wait for them.
#include <chrono>
#include <thread>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

constexpr int not_ready = 600;

class cuda_event_nodes : public cuda_double {
 protected:
  using nodes = std::vector<void*>;

  void SetUp() override {
    cuda_double::SetUp();
    ASSERT_EQ(c().cuMemHostAlloc(&gate, 64, 3), 0);
    let_through(0);
    data = memory(64);
    write(data, std::vector<std::uint64_t>(8, 1));
    out = memory(64);
    write(out, std::vector<std::uint64_t>(8, 0));
    affine = function("affine");
    linger = function("linger");
    first = stream();
    second = stream();
  }
  void TearDown() override {
    c().control->set_late_records(false);
    c().control->hold(false);
    let_through(9);
    for (void* x : executables) c().cuGraphExecDestroy(x);
    for (void* g : graphs) c().cuGraphDestroy(g);
    EXPECT_EQ(c().control->live("graph"), 0U);
    EXPECT_EQ(c().control->live("executable graph"), 0U);
    cuda_double::TearDown();
  }

  // Nodes that linger() up to this number end.
  void let_through(std::uint32_t n) {
    for (std::uint32_t i = 0; i < 10; ++i)
      __atomic_store_n(static_cast<std::uint32_t*>(gate) + i, i < n ? 1 : 0, __ATOMIC_RELEASE);
  }
  void* make_graph() {
    void* g = nullptr;
    EXPECT_EQ(c().cuGraphCreate(&g, 0), 0);
    graphs.push_back(g);
    return g;
  }
  template <class Object>
  void* add_kernel(void* g, void* f, Object object, nodes after) {
    pianola_launch l{{1, 1, 8}, {0, 0, 0}};
    void* parameters[] = {&object, &l};
    CUDA_KERNEL_NODE_PARAMS_v2_t p{};
    p.func = f;
    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
    p.blockDimX = 8;
    p.kernelParams = parameters;
    void* n = nullptr;
    EXPECT_EQ(c().cuGraphAddKernelNode_v2(&n, g, after.data(), after.size(), &p), 0);
    return n;
  }
  // 1 becomes 3 + addend.
  void* add_affine(void* g, nodes after = {}, std::uint64_t addend = 4) {
    return add_kernel(g, affine, affine_object{reinterpret_cast<std::uint64_t*>(data), addend},
                      std::move(after));
  }
  void* add_linger(void* g, nodes after = {}, std::uint32_t number = 0) {
    return add_kernel(g, linger, store_object{static_cast<std::uint32_t*>(gate) + number, 1},
                      std::move(after));
  }
  void* add_copy(void* g, nodes after) {
    CUDA_MEMCPY3D_t d{};
    d.srcMemoryType = d.dstMemoryType = 2;
    d.srcDevice = data;
    d.dstDevice = out;
    d.WidthInBytes = 64;
    d.Height = d.Depth = 1;
    void* n = nullptr;
    EXPECT_EQ(c().cuGraphAddMemcpyNode(&n, g, after.data(), after.size(), &d, context[0]), 0);
    return n;
  }
  void* add_record(void* g, void* e, nodes after = {}) {
    void* n = nullptr;
    EXPECT_EQ(c().cuGraphAddEventRecordNode(&n, g, after.data(), after.size(), e), 0);
    return n;
  }
  void* add_wait(void* g, void* e, nodes after = {}) {
    void* n = nullptr;
    EXPECT_EQ(c().cuGraphAddEventWaitNode(&n, g, after.data(), after.size(), e), 0);
    return n;
  }
  void* instantiate(void* g) {
    void* x = nullptr;
    EXPECT_EQ(c().cuGraphInstantiateWithFlags(&x, g, 0), 0);
    executables.push_back(x);
    return x;
  }
  void start(void* x, void* s) { ASSERT_EQ(c().cuGraphLaunch(x, s), 0); }
  void finish(void* s) { ASSERT_EQ(c().cuStreamSynchronize(s), 0); }
  // What nobody keeps from running would have run meanwhile.
  void expect_to_stay_busy(void* s) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(c().cuStreamQuery(s), not_ready);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  std::uint64_t result() { return read<std::uint64_t>(out, 8)[7]; }

  void *gate = nullptr, *affine = nullptr, *linger = nullptr, *first = nullptr, *second = nullptr;
  CUdeviceptr_t data = 0, out = 0;
  nodes graphs, executables;
};

TEST_F(cuda_event_nodes, record_before_the_graph_has_finished) {
  void *g = make_graph(), *e = event();
  void* recorded = add_record(g, e, {add_affine(g)});
  add_linger(g, {recorded});
  start(instantiate(g), first);
  ASSERT_EQ(c().cuEventSynchronize(e), 0);
  EXPECT_EQ(c().cuEventQuery(e), 0);
  EXPECT_EQ(read<std::uint64_t>(data, 8)[0], 7U);
  expect_to_stay_busy(first);
  let_through(1);
  finish(first);
}

TEST_F(cuda_event_nodes, stand_for_the_node_from_the_launch_on) {
  void *g = make_graph(), *e = event();
  ASSERT_EQ(c().cuEventRecord(e, second), 0);
  finish(second);
  add_record(g, e, {add_linger(g)});
  void* x = instantiate(g);
  EXPECT_EQ(c().cuEventQuery(e), 0);
  start(x, first);
  EXPECT_EQ(c().cuEventQuery(e), not_ready);
  ASSERT_EQ(c().cuStreamWaitEvent(second, e, 0), 0);
  expect_to_stay_busy(second);
  let_through(1);
  ASSERT_EQ(c().cuEventSynchronize(e), 0);
  EXPECT_EQ(c().cuEventQuery(e), 0);
  finish(second);
}

TEST_F(cuda_event_nodes, wait_for_nodes_of_other_graphs_on_other_streams) {
  void *g = make_graph(), *other = make_graph(), *e = event();
  void* recorded = add_record(g, e, {add_affine(g, {add_linger(g)})});
  add_linger(g, {recorded}, 1);
  add_copy(other, {add_wait(other, e)});
  start(instantiate(g), first);
  start(instantiate(other), second);
  expect_to_stay_busy(second);
  let_through(1);
  finish(second);
  EXPECT_EQ(result(), 7U);
  EXPECT_EQ(c().cuStreamQuery(first), not_ready);
}

TEST_F(cuda_event_nodes, wait_behind_other_nodes_too) {
  void *g = make_graph(), *e = event();
  ASSERT_EQ(c().cuEventRecord(e, second), 0);
  add_copy(g, {add_wait(g, e, {add_affine(g, {add_linger(g)})})});
  start(instantiate(g), first);
  expect_to_stay_busy(first);
  let_through(1);
  finish(first);
  EXPECT_EQ(result(), 7U);
}

TEST_F(cuda_event_nodes, wait_for_what_was_recorded_when_the_graph_was_launched) {
  void *g = make_graph(), *other = make_graph(), *e = event();
  add_record(g, e, {add_linger(g)});
  add_copy(other, {add_wait(other, e)});
  void *x = instantiate(g), *y = instantiate(other);
  // Nothing was, and what is recorded before the graph begins to run comes too late.
  c().control->hold(true);
  start(y, second);
  start(x, first);
  c().control->hold(false);
  finish(second);
  EXPECT_EQ(result(), 1U);
  let_through(1);
  finish(first);
  // A node of the same launch is not before it either.
  void *both = make_graph(), *f = event();
  add_record(both, e, {add_linger(both, {}, 1)});
  add_record(both, f, {add_wait(both, e)});
  start(instantiate(both), first);
  ASSERT_EQ(c().cuEventSynchronize(f), 0);
  EXPECT_EQ(c().cuEventQuery(e), not_ready);
}

TEST_F(cuda_event_nodes, of_one_launch_are_not_disturbed_by_the_next) {
  void *g = make_graph(), *e = event(), *f = event();
  void* recorded = add_record(g, e);
  add_linger(g, {recorded});
  void* x = instantiate(g);
  start(x, first);
  ASSERT_EQ(c().cuEventSynchronize(e), 0);
  // With another event, which the graph itself does not get.
  ASSERT_EQ(c().cuGraphExecEventRecordNodeSetEvent(x, recorded, f), 0);
  start(x, first);
  EXPECT_EQ(c().cuEventQuery(e), 0);
  EXPECT_EQ(c().cuEventQuery(f), not_ready);
  ASSERT_EQ(c().cuStreamWaitEvent(second, e, 0), 0);
  finish(second);
  // With the same event: who waits already does so for what was recorded then.
  ASSERT_EQ(c().cuGraphExecEventRecordNodeSetEvent(x, recorded, e), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(second, e, 0), 0);
  start(x, first);
  EXPECT_EQ(c().cuEventQuery(e), not_ready);
  finish(second);
  let_through(1);
  finish(first);
  for (void* it : {e, f}) EXPECT_EQ(c().cuEventQuery(it), 0);
}

TEST_F(cuda_event_nodes, wait_for_another_event_in_each_launch) {
  void *g = make_graph(), *e = event(), *f = event();
  void* x[2] = {};
  for (std::uint32_t i = 0; i < 2; ++i) {
    void* each = make_graph();
    add_record(each, i == 0 ? e : f, {add_affine(each, {add_linger(each, {}, i)}, 4 + i)});
    x[i] = instantiate(each);
  }
  void* awaited = add_wait(g, e);
  add_copy(g, {awaited});
  void* y = instantiate(g);
  start(x[0], first);
  start(y, second);
  ASSERT_EQ(c().cuGraphExecEventWaitNodeSetEvent(y, awaited, f), 0);
  // The launch that is under way keeps its event.
  start(x[1], first);
  let_through(1);
  finish(second);
  EXPECT_EQ(result(), 7U);
  start(y, second);
  expect_to_stay_busy(second);
  let_through(2);
  finish(second);
  EXPECT_EQ(result(), 26U);
}

TEST_F(cuda_event_nodes, are_given_events_for_executables_to_come) {
  void *g = make_graph(), *e = event(), *f = event(), *blocked = event();
  void* awaited = add_wait(g, blocked);
  void* recorded = add_record(g, e, {awaited});
  void* x = instantiate(g);
  void* before = make_graph();
  add_record(before, blocked, {add_linger(before)});
  start(instantiate(before), first);
  void* unused = event();
  ASSERT_EQ(c().cuGraphEventRecordNodeSetEvent(recorded, f), 0);
  ASSERT_EQ(c().cuGraphEventWaitNodeSetEvent(awaited, unused), 0);
  start(x, second);
  EXPECT_EQ(c().cuEventQuery(e), not_ready);
  void* third = stream();
  start(instantiate(g), third);
  ASSERT_EQ(c().cuEventSynchronize(f), 0);
  // An executable takes the graph's events over as a whole.
  let_through(1);
  finish(second);
  CUgraphExecUpdateResultInfo_t info{};
  ASSERT_EQ(c().cuGraphExecUpdate_v2(x, g, &info), 0);
  c().control->hold(true);
  start(x, second);
  EXPECT_EQ(c().cuEventQuery(e), 0);
  EXPECT_EQ(c().cuEventQuery(f), not_ready);
  c().control->hold(false);
  finish(second);
  // Where the nodes are of the same types.
  void* other = make_graph();
  add_record(other, f, {add_record(other, e)});
  expect_refusal(c().cuGraphExecUpdate_v2(x, other, &info), 910);
}

TEST_F(cuda_event_nodes, are_in_graphs_inside_of_graphs) {
  void *inner = make_graph(), *g = make_graph(), *e = event(), *f = event(), *child = nullptr;
  add_record(inner, f, {add_affine(inner, {add_wait(inner, e)})});
  ASSERT_EQ(c().cuGraphAddChildGraphNode(&child, g, nullptr, 0, inner), 0);
  add_linger(g, {child}, 1);
  void* x = instantiate(g);
  void* before = make_graph();
  add_record(before, e, {add_linger(before)});
  start(instantiate(before), second);
  start(x, first);
  EXPECT_EQ(c().cuEventQuery(f), not_ready);
  expect_to_stay_busy(first);
  let_through(1);
  ASSERT_EQ(c().cuEventSynchronize(f), 0);
  EXPECT_EQ(read<std::uint64_t>(data, 8)[0], 7U);
  EXPECT_EQ(c().cuStreamQuery(first), not_ready);
}

TEST_F(cuda_event_nodes, tell_the_time) {
  void *g = make_graph(), *from = event(0), *to = event(0), *untimed = event();
  void* begun = add_record(g, from);
  void* ended = add_record(g, to, {add_linger(g, {begun})});
  add_record(g, untimed, {ended});
  start(instantiate(g), first);
  ASSERT_EQ(c().cuEventSynchronize(from), 0);
  float milliseconds = -1;
  expect_refusal(c().cuEventElapsedTime(&milliseconds, from, to), not_ready);
  let_through(1);
  finish(first);
  ASSERT_EQ(c().cuEventElapsedTime(&milliseconds, from, to), 0);
  EXPECT_GE(milliseconds, 0.0F);
  ASSERT_EQ(c().cuEventElapsedTime(&milliseconds, to, from), 0);
  EXPECT_LE(milliseconds, 0.0F);
  expect_violation(c().cuEventElapsedTime(&milliseconds, from, untimed), 400, "no time");
}

TEST_F(cuda_event_nodes, take_events_of_their_context_that_are_still_there) {
  void *g = make_graph(), *other = make_graph(), *e = event(), *n = nullptr;
  void* theirs = add_record(other, e);
  expect_violation(c().cuGraphAddEventRecordNode(&n, g, nullptr, 0, nullptr), 1, "null");
  expect_violation(c().cuGraphAddEventWaitNode(&n, g, nullptr, 0, g), 1, "expected an event");
  expect_violation(c().cuGraphAddEventRecordNode(&n, g, &theirs, 1, e), 1, "another graph");
  expect_violation(c().cuGraphAddEventWaitNode(&n, g, &theirs, 1, e), 1, "another graph");
  expect_violation(c().cuGraphAddEventRecordNode(nullptr, g, nullptr, 0, e), 1, "null");
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  void* foreign = event();
  expect_violation(c().cuGraphAddEventRecordNode(&n, g, nullptr, 0, e), 1, "another context");
  // Other devices' events may be waited for.
  ASSERT_EQ(c().cuGraphAddEventWaitNode(&n, g, nullptr, 0, e), 0);
  ASSERT_EQ(c().cuCtxSetCurrent(nullptr), 0);
  expect_violation(c().cuGraphAddEventRecordNode(&n, g, nullptr, 0, e), 201);
  expect_violation(c().cuGraphAddEventWaitNode(&n, g, nullptr, 0, e), 201);
  ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);

  void *kernel = add_affine(g), *awaited = add_wait(g, e), *recorded = add_record(g, e);
  void* x = instantiate(g);
  const auto record = c().cuGraphExecEventRecordNodeSetEvent;
  const auto wait = c().cuGraphExecEventWaitNodeSetEvent;
  expect_violation(record(x, kernel, e), 1, "another type");
  expect_violation(record(x, awaited, e), 1, "another type");
  expect_violation(wait(x, recorded, e), 1, "another type");
  expect_violation(record(x, theirs, e), 1, "not of the graph");
  expect_violation(wait(x, nullptr, e), 1, "null");
  expect_violation(record(nullptr, recorded, e), 400, "null");
  expect_violation(record(x, recorded, foreign), 1, "another context");
  expect_violation(wait(x, awaited, nullptr), 1, "null");
  expect_violation(c().cuGraphEventRecordNodeSetEvent(awaited, e), 1, "another type");
  expect_violation(c().cuGraphEventWaitNodeSetEvent(recorded, e), 1, "another type");
  EXPECT_EQ(wait(x, awaited, foreign), 0);
  EXPECT_EQ(wait(x, awaited, e), 0);

  start(x, first);
  finish(first);
  ASSERT_EQ(c().cuEventDestroy_v2(e), 0);
  expect_violation(record(x, recorded, e), 1, "destroyed");
  expect_violation(c().cuGraphLaunch(x, first), 1, "destroyed");
  expect_violation(c().cuGraphInstantiateWithFlags(&n, g, 0), 1, "destroyed");
  CUgraphExecUpdateResultInfo_t info{};
  expect_violation(c().cuGraphExecUpdate_v2(x, g, &info), 1, "destroyed");
  // An event that is under way may go.
  void *fresh = make_graph(), *f = event();
  add_record(fresh, f, {add_linger(fresh)});
  start(instantiate(fresh), first);
  ASSERT_EQ(c().cuEventDestroy_v2(f), 0);
  let_through(1);
  finish(first);
}

TEST_F(cuda_event_nodes, say_what_they_are) {
  void *g = make_graph(), *e = event();
  int type = -1;
  EXPECT_EQ(c().cuGraphNodeGetType(add_wait(g, e), &type), 0);
  EXPECT_EQ(type, 6);
  EXPECT_EQ(c().cuGraphNodeGetType(add_record(g, e), &type), 0);
  EXPECT_EQ(type, 7);
}

TEST_F(cuda_event_nodes, record_only_when_they_run_where_a_test_wants_that) {
  c().control->set_late_records(true);
  void *g = make_graph(), *e = event(0), *f = event(0);
  void* before = add_linger(g);
  add_record(g, e, {before});
  void* x = instantiate(g);
  void* earlier = make_graph();
  add_record(earlier, f, {add_linger(earlier, {}, 1)});
  start(x, first);
  // Never recorded yet, for all that anybody can see.
  EXPECT_EQ(c().cuEventQuery(e), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(second, e, 0), 0);
  finish(second);
  EXPECT_EQ(c().cuStreamQuery(first), not_ready);
  let_through(1);
  finish(first);
  float milliseconds = -1;
  ASSERT_EQ(c().cuEventRecord(f, second), 0);
  finish(second);
  ASSERT_EQ(c().cuEventElapsedTime(&milliseconds, e, f), 0) << "it has been recorded";
  // Until it is run, it stands for what was recorded before.
  let_through(0);
  void* behind = make_graph();
  add_record(behind, e, {add_linger(behind, {}, 1)});
  c().control->set_late_records(false);
  start(instantiate(behind), second);
  c().control->set_late_records(true);
  start(x, first);
  EXPECT_EQ(c().cuEventQuery(e), not_ready);
  __atomic_store_n(static_cast<std::uint32_t*>(gate) + 1, 1, __ATOMIC_RELEASE);
  ASSERT_EQ(c().cuEventSynchronize(e), 0);
  EXPECT_EQ(c().cuStreamQuery(first), not_ready);
}

}  // namespace
}  // namespace pianola::test
