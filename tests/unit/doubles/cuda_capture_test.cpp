// SPDX-License-Identifier: Apache-2.0
// compiled alone: others have its short names, too.
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

constexpr int relaxed = 2, of_one_thread = 1;

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
