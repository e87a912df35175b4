// SPDX-License-Identifier: Apache-2.0
// compiled alone: others have its short names, too.
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

constexpr int relaxed = 2, of_one_thread = 1, of_all_threads = 0;

class cuda_capture : public cuda_double {
 protected:
  void SetUp() override {
    cuda_double::SetUp();
    data = memory(64);
    write(data, std::vector<std::uint64_t>(8, 1));
    affine = function("affine");
    s = stream();
  }
  void TearDown() override {
    EXPECT_EQ(c().control->live("graph"), 0U);
    cuda_double::TearDown();
  }
  int add(std::uint64_t addend, void* where) {
    return launch(affine, where, affine_object{reinterpret_cast<std::uint64_t*>(data), addend}, 1,
                  8);
  }
  std::uint64_t first() { return read<std::uint64_t>(data, 8)[0]; }
  std::size_t nodes_of(void* graph) {
    std::size_t n = 0;
    EXPECT_EQ(c().cuGraphGetNodes(graph, nullptr, &n), 0);
    return n;
  }
  void run(void* graph) {
    void* x = nullptr;
    ASSERT_EQ(c().cuGraphInstantiateWithFlags(&x, graph, 0), 0);
    ASSERT_EQ(c().cuGraphLaunch(x, s), 0);
    ASSERT_EQ(c().cuStreamSynchronize(s), 0);
    ASSERT_EQ(c().cuGraphExecDestroy(x), 0);
  }
  int status_of(void* stream) {
    int status = -1;
    EXPECT_EQ(c().cuStreamIsCapturing(stream, &status), 0);
    return status;
  }

  CUdeviceptr_t data = 0;
  void *affine = nullptr, *s = nullptr;
};

TEST_F(cuda_capture, makes_a_graph_of_what_is_put_into_the_stream_and_runs_nothing) {
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, relaxed), 0);
  EXPECT_EQ(status_of(s), 1);
  ASSERT_EQ(add(2, s), 0);
  ASSERT_EQ(add(5, s), 0);
  ASSERT_EQ(c().cuMemsetD8Async(data + 8, 0, 8, s), 0);
  void* graph = nullptr;
  ASSERT_EQ(c().cuStreamEndCapture(s, &graph), 0);
  EXPECT_EQ(status_of(s), 0);
  EXPECT_EQ(nodes_of(graph), 3U);
  EXPECT_EQ(first(), 1U);
  run(graph);
  EXPECT_EQ(first(), 3 * (3 * 1 + 2) + 5U);
  EXPECT_EQ(read<std::uint64_t>(data, 2)[1], 0U);
  run(graph);
  EXPECT_EQ(first(), 3 * (3 * (3 * (3 * 1 + 2) + 5) + 2) + 5U);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  // The stream is what it was.
  ASSERT_EQ(add(0, s), 0);
  ASSERT_EQ(c().cuStreamSynchronize(s), 0);
  EXPECT_EQ(first(), 3 * (3 * (3 * (3 * (3 * 1 + 2) + 5) + 2) + 5U));
}

TEST_F(cuda_capture, of_nothing_is_an_empty_graph) {
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, relaxed), 0);
  void* graph = nullptr;
  ASSERT_EQ(c().cuStreamEndCapture(s, &graph), 0);
  EXPECT_EQ(nodes_of(graph), 0U);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
}

TEST_F(cuda_capture, follows_events_into_other_streams_and_back) {
  void *t = stream(), *fork = event(), *join = event();
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, relaxed), 0);
  ASSERT_EQ(add(2, s), 0);
  ASSERT_EQ(c().cuEventRecord(fork, s), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(t, fork, 0), 0);
  EXPECT_EQ(status_of(t), 1);
  ASSERT_EQ(add(5, t), 0);
  ASSERT_EQ(c().cuEventRecord(join, t), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(s, join, 0), 0);
  ASSERT_EQ(add(7, s), 0);
  void* graph = nullptr;
  ASSERT_EQ(c().cuStreamEndCapture(s, &graph), 0);
  EXPECT_EQ(status_of(t), 0);
  EXPECT_EQ(nodes_of(graph), 3U);
  run(graph);
  EXPECT_EQ(first(), 3 * (3 * (3 * 1 + 2) + 5) + 7U);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  expect_violation(c().cuStreamWaitEvent(s, join, 0), 907, "a capture that has ended");
  expect_violation(c().cuEventSynchronize(join), 907, "captured");
}

TEST_F(cuda_capture, goes_into_a_graph_that_there_is) {
  void *graph = nullptr, *n = nullptr, *same = nullptr;
  ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
  const CUDA_MEMSET_NODE_PARAMS_t zero{data, 0, 0, 1, 8, 1};
  ASSERT_EQ(c().cuGraphAddMemsetNode(&n, graph, nullptr, 0, &zero, context[0]), 0);
  ASSERT_EQ(c().cuStreamBeginCaptureToGraph(s, graph, &n, nullptr, 1, relaxed), 0);
  ASSERT_EQ(add(2, s), 0);
  ASSERT_EQ(c().cuStreamEndCapture(s, &same), 0);
  EXPECT_EQ(same, graph);
  run(graph);
  EXPECT_EQ(first(), 2U);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
}

TEST_F(cuda_capture, tells_which_nodes_the_next_one_comes_after) {
  void *t = stream(), *fork = event(), *join = event();
  int status = -1;
  std::size_t count = 9;
  void* const* tips = nullptr;
  const CUgraphEdgeData_t* edges = nullptr;
  const auto ask = [&](void* of) {
    return c().cuStreamGetCaptureInfo_v3(of, &status, nullptr, nullptr, &tips, &edges, &count);
  };
  ASSERT_EQ(ask(s), 0);
  EXPECT_EQ(status, 0);
  void *graph = nullptr, *first = nullptr;
  ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
  const CUDA_MEMSET_NODE_PARAMS_t zero{data, 0, 0, 1, 8, 1};
  ASSERT_EQ(c().cuGraphAddMemsetNode(&first, graph, nullptr, 0, &zero, context[0]), 0);
  ASSERT_EQ(c().cuStreamBeginCaptureToGraph(s, graph, &first, nullptr, 1, relaxed), 0);
  ASSERT_EQ(ask(s), 0);
  EXPECT_EQ(status, 1);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(tips[0], first);
  ASSERT_EQ(c().cuEventRecord(fork, s), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(t, fork, 0), 0);
  ASSERT_EQ(c().cuMemsetD8Async(data, 1, 8, s), 0);
  ASSERT_EQ(c().cuMemsetD8Async(data + 8, 1, 8, t), 0);
  ASSERT_EQ(c().cuEventRecord(join, t), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(s, join, 0), 0);
  ASSERT_EQ(ask(s), 0);
  ASSERT_EQ(count, 2U);
  EXPECT_EQ(edges[1].type, 0);
  void* nodes[3];
  std::size_t n = 3;
  ASSERT_EQ(c().cuGraphGetNodes(graph, nodes, &n), 0);
  EXPECT_EQ(tips[0], nodes[1]);
  EXPECT_EQ(tips[1], nodes[2]);
  void *x = nullptr, *same = nullptr;
  expect_violation(c().cuGraphInstantiateWithFlags(&x, graph, 0), 401, "being captured into");
  ASSERT_EQ(c().cuStreamEndCapture(s, &same), 0);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
}

TEST_F(cuda_capture, that_is_lost_may_take_the_graph_with_it) {
  void *graph = nullptr, *same = nullptr;
  ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
  ASSERT_EQ(c().cuStreamBeginCaptureToGraph(s, graph, nullptr, nullptr, 0, relaxed), 0);
  expect_violation(c().cuStreamQuery(s), 900);
  expect_violation(c().cuStreamEndCapture(s, &same), 901);
  expect_violation(c().cuGraphDestroy(graph), 400, "destroyed");
}

TEST_F(cuda_capture, has_memory_that_the_launches_allocate_and_free) {
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, relaxed), 0);
  CUdeviceptr_t scratch = 0;
  ASSERT_EQ(c().cuMemAllocAsync(&scratch, 64, s), 0);
  ASSERT_EQ(c().cuMemsetD8Async(scratch, 5, 64, s), 0);
  ASSERT_EQ(c().cuMemcpyDtoDAsync_v2(data, scratch, 64, s), 0);
  ASSERT_EQ(c().cuMemFreeAsync(scratch, s), 0);
  expect_violation(c().cuMemFreeAsync(scratch, s), 1, "no node of the graph");
  expect_violation(c().cuMemFreeAsync(data, s), 1, "no node of the graph");
  void *graph = nullptr, *whole = nullptr, *n = nullptr, *x = nullptr, *second = nullptr;
  ASSERT_EQ(c().cuStreamEndCapture(s, &graph), 0);
  ASSERT_EQ(c().cuGraphCreate(&whole, 0), 0);
  expect_refusal(c().cuGraphAddChildGraphNode(&n, whole, nullptr, 0, graph), 801);
  ASSERT_EQ(c().cuGraphDestroy(whole), 0);
  ASSERT_EQ(c().cuGraphInstantiateWithFlags(&x, graph, 0), 0);
  expect_violation(c().cuGraphInstantiateWithFlags(&second, graph, 0), 1, "at a time");
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  for (int run = 0; run < 2; ++run) ASSERT_EQ(c().cuGraphLaunch(x, s), 0);
  ASSERT_EQ(c().cuStreamSynchronize(s), 0);
  EXPECT_EQ(first(), 0x0505050505050505U);
  const std::size_t before = c().control->live("allocation");
  ASSERT_EQ(c().cuGraphExecDestroy(x), 0);
  EXPECT_EQ(c().control->live("allocation"), before - 1);
}

TEST_F(cuda_capture, that_frees_nothing_is_launched_once) {
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, relaxed), 0);
  CUdeviceptr_t kept = 0;
  ASSERT_EQ(c().cuMemAllocAsync(&kept, 64, s), 0);
  void *graph = nullptr, *x = nullptr;
  ASSERT_EQ(c().cuStreamEndCapture(s, &graph), 0);
  ASSERT_EQ(c().cuGraphInstantiateWithFlags(&x, graph, 0), 0);
  ASSERT_EQ(c().cuGraphLaunch(x, s), 0);
  expect_violation(c().cuGraphLaunch(x, s), 1, "has not been freed");
  ASSERT_EQ(c().cuStreamSynchronize(s), 0);
  ASSERT_EQ(c().cuGraphExecDestroy(x), 0);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
}

TEST_F(cuda_capture, memory_of_streams_is_freed_when_what_is_in_front_has_ended) {
  CUdeviceptr_t p = 0;
  ASSERT_EQ(c().cuMemAllocAsync(&p, 64, s), 0);
  const std::size_t before = c().control->live("allocation");
  c().control->hold(true);
  ASSERT_EQ(c().cuMemsetD8Async(p, 5, 64, s), 0);
  ASSERT_EQ(c().cuMemFreeAsync(p, s), 0);
  EXPECT_EQ(c().control->live("allocation"), before);
  c().control->hold(false);
  ASSERT_EQ(c().cuStreamSynchronize(s), 0);
  EXPECT_EQ(c().control->live("allocation"), before - 1);
  EXPECT_EQ(c().control->violations(), 0U);
}

// What cannot be seen in a stream is refused to others, too, unless they say that it is none of the capture's.
TEST_F(cuda_capture, forbids_threads_what_no_node_can_do) {
  void *e = event(), *graph = nullptr, *m = nullptr;
  ASSERT_EQ(c().cuEventRecord(e, stream()), 0);
  CUdeviceptr_t p = 0;
  void* h = nullptr;
  const std::vector<std::function<int()>> calls = {
      [&] { return c().cuEventQuery(e); }, [&] { return c().cuEventSynchronize(e); },
      [&] { return c().cuMemAlloc_v2(&p, 8); }, [&] { return c().cuMemHostAlloc(&h, 8, 0); },
      [&] { return c().cuModuleLoadDataEx(&m, image_bytes().data(), 0, nullptr, nullptr); }};
  const auto in_a_thread = [&](int mode, const std::function<int()>& call) {
    int code = -1;
    std::thread([&] {
      ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);
      ASSERT_EQ(c().cuThreadExchangeStreamCaptureMode(&mode), 0);
      EXPECT_EQ(mode, of_all_threads) << "as threads begin";
      code = call();
    }).join();
    return code;
  };
  for (const auto& call : calls) {
    ASSERT_EQ(c().cuStreamBeginCapture_v2(s, of_all_threads), 0);
    expect_violation(in_a_thread(of_all_threads, call), 900, "forbids");
    expect_violation(c().cuStreamEndCapture(s, &graph), 901);
    for (const int mode : {of_all_threads, of_one_thread}) {
      ASSERT_EQ(c().cuStreamBeginCapture_v2(s, mode), 0);
      expect_violation(call(), 900, "forbids");
      expect_violation(c().cuStreamEndCapture(s, &graph), 901);
    }
  }
  const auto not_lost = [&](int capture, int thread) {
    EXPECT_EQ(c().cuStreamBeginCapture_v2(s, capture), 0);
    EXPECT_EQ(in_a_thread(thread, calls[1]), 0) << capture << ' ' << thread;
    EXPECT_EQ(c().cuStreamEndCapture(s, &graph), 0);
    EXPECT_EQ(c().cuGraphDestroy(graph), 0);
  };
  not_lost(of_all_threads, of_one_thread);
  not_lost(of_all_threads, relaxed);
  not_lost(of_one_thread, of_all_threads);
  not_lost(relaxed, of_all_threads);
  int mode = relaxed;
  ASSERT_EQ(c().cuThreadExchangeStreamCaptureMode(&mode), 0);
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, of_all_threads), 0);
  EXPECT_EQ(calls[0](), 0);
  ASSERT_EQ(c().cuStreamEndCapture(s, &graph), 0);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  ASSERT_EQ(c().cuThreadExchangeStreamCaptureMode(&mode), 0);
  EXPECT_EQ(mode, relaxed);
}

TEST_F(cuda_capture, fails_where_another_stream_is_not_waited_for) {
  void *t = stream(), *fork = event(), *graph = s;
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, relaxed), 0);
  ASSERT_EQ(c().cuEventRecord(fork, s), 0);
  ASSERT_EQ(c().cuStreamWaitEvent(t, fork, 0), 0);
  ASSERT_EQ(add(5, t), 0);
  expect_violation(c().cuStreamEndCapture(t, &graph), 903, "another stream");
  expect_violation(c().cuStreamEndCapture(s, &graph), 904, "has not waited for");
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(status_of(s), 0);
  EXPECT_EQ(status_of(t), 0);
}

TEST_F(cuda_capture, is_lost_by_whatever_asks_for_the_stream) {
  void *e = event(), *graph = nullptr;
  ASSERT_EQ(c().cuEventRecord(e, stream()), 0);
  const std::vector<std::pair<const char*, std::function<int()>>> calls = {
      {"nobody can wait", [&] { return c().cuStreamSynchronize(s); }},
      {"nobody can wait", [&] { return c().cuStreamQuery(s); }},
      {"recorded outside", [&] { return c().cuStreamWaitEvent(s, e, 0); }}};
  for (const auto& [text, call] : calls) {
    ASSERT_EQ(c().cuStreamBeginCapture_v2(s, relaxed), 0);
    expect_violation(call(), text[0] == 'r' ? 905 : 900, text);
    EXPECT_EQ(status_of(s), 2);
    expect_violation(add(1, s), 901);
    expect_violation(c().cuStreamEndCapture(s, &graph), 901);
  }
  EXPECT_EQ(first(), 1U);
}

TEST_F(cuda_capture, is_begun_and_ended_once_by_a_stream_of_its_own_and_one_thread) {
  void *graph = nullptr, *t = stream(), *in_t = event();
  expect_violation(c().cuStreamBeginCapture_v2(nullptr, relaxed), 900, "default stream");
  expect_violation(c().cuStreamEndCapture(s, &graph), 401, "not being captured");
  expect_violation(c().cuStreamBeginCapture_v2(s, 3), 1, "mode");
  ASSERT_EQ(c().cuStreamBeginCapture_v2(s, of_one_thread), 0);
  expect_violation(c().cuStreamBeginCapture_v2(s, relaxed), 401, "is being captured");
  ASSERT_EQ(c().cuStreamBeginCapture_v2(t, relaxed), 0);
  ASSERT_EQ(c().cuEventRecord(in_t, t), 0);
  std::thread([&] {
    ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);
    expect_violation(c().cuStreamEndCapture(s, &graph), 908, "another thread");
    ASSERT_EQ(c().cuStreamEndCapture(t, &graph), 0);
    ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  }).join();
  ASSERT_EQ(c().cuStreamBeginCapture_v2(t, relaxed), 0);
  ASSERT_EQ(c().cuEventRecord(in_t, t), 0);
  expect_violation(c().cuStreamWaitEvent(s, in_t, 0), 902, "join two captures");
  expect_violation(c().cuStreamEndCapture(s, &graph), 901);
  expect_violation(c().cuStreamEndCapture(t, &graph), 901);
}

}  // namespace
}  // namespace pianola::test
