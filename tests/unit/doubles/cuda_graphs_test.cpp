// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <thread>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

class cuda_graphs : public cuda_double {
 protected:
  void SetUp() override {
    cuda_double::SetUp();
    data = memory(64);
    write(data, std::vector<std::uint64_t>(8, 1));
    affine = function("affine");
    ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
  }
  void TearDown() override {
    if (graph != nullptr) {
      EXPECT_EQ(c().cuGraphDestroy(graph), 0);
    }
    EXPECT_EQ(c().control->live("graph"), 0U);
    cuda_double::TearDown();
  }
  CUDA_KERNEL_NODE_PARAMS_v2_t kernel(std::uint64_t addend) {
    object = {reinterpret_cast<std::uint64_t*>(data), addend};
    CUDA_KERNEL_NODE_PARAMS_v2_t p{};
    p.func = affine;
    p.gridDimX = p.gridDimY = p.gridDimZ = 1;
    p.blockDimX = 8;
    p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = parameters;
    return p;
  }
  void* add_kernel(std::uint64_t addend, std::vector<void*> after = {}) {
    void* n = nullptr;
    const auto p = kernel(addend);
    EXPECT_EQ(c().cuGraphAddKernelNode_v2(&n, graph, after.data(), after.size(), &p), 0);
    return n;
  }
  static CUDA_MEMCPY3D_t copy(CUdeviceptr_t to, CUdeviceptr_t from, std::size_t bytes) {
    CUDA_MEMCPY3D_t d{};
    d.srcMemoryType = d.dstMemoryType = 2;
    d.srcDevice = from;
    d.dstDevice = to;
    d.WidthInBytes = bytes;
    d.Height = d.Depth = 1;
    return d;
  }
  static CUDA_MEMSET_NODE_PARAMS_t fill(CUdeviceptr_t to, unsigned value, std::size_t width,
                                        std::size_t height = 1, std::size_t pitch = 0) {
    return {to, pitch, value, 1, width, height};
  }
  void* instantiate() {
    void* x = nullptr;
    EXPECT_EQ(c().cuGraphInstantiateWithFlags(&x, graph, 0), 0);
    return x;
  }
  std::uint64_t run(void* x) {
    EXPECT_EQ(c().cuGraphLaunch(x, nullptr), 0);
    EXPECT_EQ(c().cuCtxSynchronize(), 0);
    return read<std::uint64_t>(data, 8)[7];
  }

  CUdeviceptr_t data = 0;
  void *graph = nullptr, *affine = nullptr;
  affine_object object{};
  pianola_launch launch{{1, 1, 8}, {0, 0, 0}};
  void* parameters[2] = {&object, &launch};
};

TEST_F(cuda_graphs, run_their_nodes_in_the_order_of_their_edges) {
  void* a = add_kernel(1);
  void* b = add_kernel(2, {a});
  object.addend = 99;  // copied
  add_kernel(3, {a, b});
  void* x = instantiate();
  EXPECT_EQ(run(x), 3 * (3 * (3 * 1 + 1) + 2) + 3U);
  EXPECT_EQ(run(x), 3 * (3 * (3 * 45 + 1) + 2) + 3U);
  // The executable goes on without the graph.
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  graph = nullptr;
  run(x);
  ASSERT_EQ(c().cuGraphExecDestroy(x), 0);
  expect_violation(c().cuGraphLaunch(x, nullptr), 400, "destroyed");
}

TEST_F(cuda_graphs, take_edges_from_their_own_nodes_only) {
  void *other = nullptr, *n = nullptr;
  ASSERT_EQ(c().cuGraphCreate(&other, 0), 0);
  void* a = add_kernel(1);
  const auto p = kernel(2);
  expect_violation(c().cuGraphAddKernelNode_v2(&n, other, &a, 1, &p), 1, "another graph");
  void* twice[] = {a, a};
  expect_violation(c().cuGraphAddKernelNode_v2(&n, graph, twice, 2, &p), 1, "twice");
  expect_violation(c().cuGraphAddKernelNode_v2(&n, graph, nullptr, 1, &p), 1, "null");
  void* wrong = affine;
  expect_violation(c().cuGraphAddKernelNode_v2(&n, graph, &wrong, 1, &p), 1, "expected a node");
  ASSERT_EQ(c().cuGraphDestroy(other), 0);
}

TEST_F(cuda_graphs, have_no_cycles) {
  void* a = add_kernel(1);
  void* b = add_kernel(2, {a});
  ASSERT_EQ(c().cuGraphAddDependencies(graph, &b, &a, 1), 0);
  void* x = nullptr;
  expect_violation(c().cuGraphInstantiateWithFlags(&x, graph, 0), 1, "cycle");
  expect_violation(c().cuGraphAddDependencies(graph, &a, &a, 1), 1, "itself");
  expect_violation(c().cuGraphAddDependencies(graph, &a, &b, 1), 1, "there already");
}

TEST_F(cuda_graphs, check_their_nodes_when_they_are_added_and_when_they_are_launched) {
  void* n = nullptr;
  auto p = kernel(1);
  p.blockDimX = 2000;
  expect_violation(c().cuGraphAddKernelNode_v2(&n, graph, nullptr, 0, &p), 1, "groups");
  auto f = fill(data, 1, 65);
  expect_violation(c().cuGraphAddMemsetNode(&n, graph, nullptr, 0, &f, context[0]), 1,
                   "has only 64");
  auto d = copy(data, data + 8, 60);
  expect_violation(c().cuGraphAddMemcpyNode(&n, graph, nullptr, 0, &d, context[0]), 1);
  expect_violation(c().cuGraphAddMemsetNode(&n, graph, nullptr, 0, &f, nullptr), 201, "context");
  const CUdeviceptr_t q = memory(64);
  f = fill(q, 1, 64);
  ASSERT_EQ(c().cuGraphAddMemsetNode(&n, graph, nullptr, 0, &f, context[0]), 0);
  void* x = instantiate();
  ASSERT_EQ(c().cuMemFree_v2(q), 0);
  expect_violation(c().cuGraphLaunch(x, nullptr), 1, "freed");
}

TEST_F(cuda_graphs, get_other_parameters_of_kernels) {
  void* a = add_kernel(1);
  void* x = instantiate();
  EXPECT_EQ(run(x), 4U);
  auto p = kernel(5);
  ASSERT_EQ(c().cuGraphExecKernelNodeSetParams_v2(x, a, &p), 0);
  EXPECT_EQ(run(x), 17U);
  // What has been launched keeps what it had.
  c().control->hold(true);
  ASSERT_EQ(c().cuGraphLaunch(x, nullptr), 0);
  p = kernel(0);
  ASSERT_EQ(c().cuGraphExecKernelNodeSetParams_v2(x, a, &p), 0);
  c().control->hold(false);
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint64_t>(data, 1)[0], 56U);
  // The graph has not changed.
  void* y = instantiate();
  EXPECT_EQ(run(y), 169U);
  p = kernel(3);
  ASSERT_EQ(c().cuGraphKernelNodeSetParams_v2(a, &p), 0);
  EXPECT_EQ(run(y), 508U);
  EXPECT_EQ(run(instantiate()), 1527U);
}

TEST_F(cuda_graphs, are_updated_at_their_own_nodes_with_parameters_of_their_type) {
  void* a = add_kernel(1);
  void* x = instantiate();
  void *other = nullptr, *n = nullptr;
  ASSERT_EQ(c().cuGraphCreate(&other, 0), 0);
  auto f = fill(data, 1, 8);
  ASSERT_EQ(c().cuGraphAddMemsetNode(&n, other, nullptr, 0, &f, context[0]), 0);
  expect_violation(c().cuGraphExecMemsetNodeSetParams(x, n, &f, context[0]), 1, "not of the graph");
  expect_violation(c().cuGraphExecMemsetNodeSetParams(x, a, &f, context[0]), 1, "another type");
  ASSERT_EQ(c().cuGraphDestroy(other), 0);
  expect_violation(c().cuGraphExecMemsetNodeSetParams(x, n, &f, context[0]), 1, "destroyed");
  // A function of another context.
  ASSERT_EQ(c().cuCtxSetCurrent(context[1]), 0);
  auto p = kernel(1);
  p.func = function("affine");
  expect_refusal(c().cuGraphExecKernelNodeSetParams_v2(x, a, &p), 1);
  ASSERT_EQ(c().cuCtxSetCurrent(context[0]), 0);
}

TEST_F(cuda_graphs, refuse_changes_that_cannot_be_made_in_place) {
  const CUdeviceptr_t q = memory(64), r = memory(64);
  void *one = nullptr, *two = nullptr, *line = nullptr, *block = nullptr;
  auto d = copy(q, data, 8);
  ASSERT_EQ(c().cuGraphAddMemcpyNode(&one, graph, nullptr, 0, &d, context[0]), 0);
  auto flat = copy(q, data, 8);
  flat.srcPitch = flat.dstPitch = 16;
  flat.Height = 2;
  ASSERT_EQ(c().cuGraphAddMemcpyNode(&two, graph, &one, 1, &flat, context[0]), 0);
  auto f = fill(r, 3, 8);
  ASSERT_EQ(c().cuGraphAddMemsetNode(&line, graph, nullptr, 0, &f, context[0]), 0);
  auto rows = fill(r, 4, 4, 2, 8);
  ASSERT_EQ(c().cuGraphAddMemsetNode(&block, graph, &line, 1, &rows, context[0]), 0);
  void* x = instantiate();
  // Within the rules.
  d = copy(r, q, 16);
  EXPECT_EQ(c().cuGraphExecMemcpyNodeSetParams(x, one, &d, context[0]), 0);
  f = fill(q, 5, 4);
  EXPECT_EQ(c().cuGraphExecMemsetNodeSetParams(x, line, &f, context[0]), 0);
  // Not.
  expect_refusal(c().cuGraphExecMemcpyNodeSetParams(x, one, &flat, context[0]), 1);
  expect_refusal(c().cuGraphExecMemcpyNodeSetParams(x, two, &d, context[0]), 1);
  expect_refusal(c().cuGraphExecMemsetNodeSetParams(x, line, &rows, context[0]), 1);
  auto words = fill(q, 5, 2);
  words.elementSize = 2;
  expect_refusal(c().cuGraphExecMemsetNodeSetParams(x, line, &words, context[0]), 1);
  rows.value = 6;
  expect_refusal(c().cuGraphExecMemsetNodeSetParams(x, block, &rows, context[0]), 1);
  expect_refusal(c().cuGraphExecMemcpyNodeSetParams(x, one, &d, context[1]), 1);
  void* h = nullptr;
  ASSERT_EQ(c().cuMemHostAlloc(&h, 64, 0), 0);
  d.dstDevice = reinterpret_cast<CUdeviceptr_t>(h);
  expect_refusal(c().cuGraphExecMemcpyNodeSetParams(x, one, &d, context[0]), 1);
  d = copy(r, reinterpret_cast<CUdeviceptr_t>(h), 16);
  expect_refusal(c().cuGraphExecMemcpyNodeSetParams(x, one, &d, context[0]), 1);
}

TEST_F(cuda_graphs, take_over_another_graph_of_the_same_shape) {
  void* a = add_kernel(1);
  add_kernel(2, {a});
  void* x = instantiate();
  void* first = graph;
  const auto next = [&](std::uint64_t addend) {
    ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
    static_cast<void>(addend);
  };
  CUgraphExecUpdateResultInfo_t info{};
  next(0);
  void* b = add_kernel(4);
  add_kernel(5, {b});
  EXPECT_EQ(c().cuGraphExecUpdate_v2(x, graph, &info), 0);
  EXPECT_EQ(info.result, 0);
  EXPECT_EQ(run(x), 3 * (3 * 1 + 4) + 5U);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);

  next(0);
  add_kernel(4);
  add_kernel(5);  // no edge
  expect_refusal(c().cuGraphExecUpdate_v2(x, graph, &info), 910);
  EXPECT_EQ(info.result, 2);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);

  // Priorities of nodes, as they were asked for, are for good once they are heeded.
  next(0);
  b = add_kernel(4);
  void* last = add_kernel(5, {b});
  CUlaunchAttributeValue_t urgent{};
  urgent.priority = -2;
  ASSERT_EQ(c().cuGraphKernelNodeSetAttribute(last, CU_LAUNCH_ATTRIBUTE_PRIORITY_v, &urgent), 0);
  EXPECT_EQ(c().cuGraphExecUpdate_v2(x, graph, &info), 0);
  void* heeding = nullptr;
  ASSERT_EQ(c().cuGraphInstantiateWithFlags(&heeding, first, 8), 0);
  expect_refusal(c().cuGraphExecUpdate_v2(heeding, graph, &info), 910);
  EXPECT_EQ(info.result, 8);
  EXPECT_EQ(info.errorNode, last);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);

  next(0);
  b = add_kernel(4);
  void* n = nullptr;
  auto f = fill(data, 1, 8);
  ASSERT_EQ(c().cuGraphAddMemsetNode(&n, graph, &b, 1, &f, context[0]), 0);
  expect_refusal(c().cuGraphExecUpdate_v2(x, graph, &info), 910);
  EXPECT_EQ(info.result, 3);
  EXPECT_EQ(info.errorNode, n);
  add_kernel(1);
  expect_refusal(c().cuGraphExecUpdate_v2(x, graph, &info), 910);
  EXPECT_EQ(info.result, 2);
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  graph = first;
}

TEST_F(cuda_graphs, are_launched_one_after_the_other) {
  add_kernel(2, {add_kernel(1)});
  void *x = instantiate(), *s = stream(), *t = stream();
  std::uint64_t expected = 1;
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(c().cuGraphLaunch(x, i % 2 == 0 ? s : t), 0);
    expected = 3 * (3 * expected + 1) + 2;
  }
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(read<std::uint64_t>(data, 1)[0], expected);
}

TEST_F(cuda_graphs, kernels_may_overlap_by_edges_of_their_own_kind) {
  void* first = add_kernel(1);
  void* second = add_kernel(10);
  void* copied = nullptr;
  const auto d = copy(data + 8, data, 8);
  ASSERT_EQ(c().cuGraphAddMemcpyNode(&copied, graph, nullptr, 0, &d, context[0]), 0);
  CUgraphEdgeData_t edge{};
  edge.from_port = 1;
  edge.type = 1;
  EXPECT_EQ(c().cuGraphAddDependencies_v2(graph, &first, &second, &edge, 1), 0);
  expect_violation(c().cuGraphAddDependencies_v2(graph, &second, &copied, &edge, 1), 1,
                   "not between kernels");
  edge.from_port = 0;
  expect_violation(c().cuGraphAddDependencies_v2(graph, &second, &copied, &edge, 1), 1, "port");
  edge.type = 0;
  edge.reserved[4] = 1;
  expect_violation(c().cuGraphAddDependencies_v2(graph, &second, &copied, &edge, 1), 1, "reserved");
  EXPECT_EQ(c().cuGraphAddDependencies_v2(graph, &second, &copied, nullptr, 1), 0);
  void* x = instantiate();
  EXPECT_EQ(c().cuGraphLaunch(x, nullptr), 0);
  EXPECT_EQ(c().cuCtxSynchronize(), 0);
  EXPECT_EQ(c().cuGraphExecDestroy(x), 0);
}

TEST_F(cuda_graphs, that_are_taken_over_have_the_same_kinds_of_edges) {
  void* first = graph;
  CUgraphEdgeData_t edge{};
  edge.from_port = edge.type = 1;
  const auto link = [&](void* a, void* b) {
    EXPECT_EQ(c().cuGraphAddDependencies_v2(graph, &a, &b, &edge, 1), 0);
  };
  void* a = add_kernel(1);
  link(a, add_kernel(2));
  void* x = instantiate();
  CUgraphExecUpdateResultInfo_t info{};
  // With an edge of the other kind it is another graph, either way.
  void* plain = nullptr;
  ASSERT_EQ(c().cuGraphCreate(&plain, 0), 0);
  graph = plain;
  a = add_kernel(4);
  void* b = add_kernel(5, {a});
  expect_refusal(c().cuGraphExecUpdate_v2(x, graph, &info), 910);
  EXPECT_EQ(info.result, 2);
  EXPECT_EQ(info.errorNode, b);
  void* y = instantiate();
  expect_refusal(c().cuGraphExecUpdate_v2(y, first, &info), 910);
  EXPECT_EQ(run(x), 3 * (3 * 1 + 1) + 2U) << "nothing has changed";
  ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
  a = add_kernel(4);
  link(a, add_kernel(5));
  EXPECT_EQ(c().cuGraphExecUpdate_v2(x, graph, &info), 0);
  EXPECT_EQ(run(x), 3 * (3 * 14 + 4) + 5U);
  ASSERT_EQ(c().cuGraphDestroy(first), 0);
}

TEST_F(cuda_graphs, are_nodes_of_other_graphs) {
  void* inner = graph;
  add_kernel(2, {add_kernel(1)});
  ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
  void *child = nullptr, *again = nullptr;
  void* before = add_kernel(3);
  ASSERT_EQ(c().cuGraphAddChildGraphNode(&child, graph, &before, 1, inner), 0);
  // It was copied: what the other graph becomes does not matter.
  ASSERT_EQ(c().cuGraphDestroy(inner), 0);
  // One with a graph in it, and an empty one.
  void *outer = nullptr, *empty = nullptr;
  ASSERT_EQ(c().cuGraphCreate(&empty, 0), 0);
  void* nothing = nullptr;
  ASSERT_EQ(c().cuGraphAddChildGraphNode(&nothing, graph, &child, 1, empty), 0);
  add_kernel(4, {nothing});
  void* x = instantiate();
  const auto once = [](std::uint64_t v) {
    for (const std::uint64_t addend : {3, 1, 2, 4}) v = 3 * v + addend;
    return v;
  };
  EXPECT_EQ(run(x), once(1));
  void* small = graph;
  ASSERT_EQ(c().cuGraphCreate(&outer, 0), 0);
  graph = outer;
  ASSERT_EQ(c().cuGraphAddChildGraphNode(&child, graph, nullptr, 0, small), 0);
  ASSERT_EQ(c().cuGraphAddChildGraphNode(&again, graph, &child, 1, small), 0);
  int type = -1;
  EXPECT_EQ(c().cuGraphNodeGetType(again, &type), 0);
  EXPECT_EQ(type, 4);
  EXPECT_EQ(run(instantiate()), once(once(once(1))));
  // A graph is no other graph for what is inside of its nodes.
  CUgraphExecUpdateResultInfo_t info{};
  expect_refusal(c().cuGraphExecUpdate_v2(x, graph, &info), 910);
  EXPECT_EQ(c().cuGraphExecUpdate_v2(x, small, &info), 0);
  expect_violation(c().cuGraphAddChildGraphNode(&child, graph, nullptr, 0, inner), 400,
                   "destroyed");
  ASSERT_EQ(c().cuGraphDestroy(small), 0);
  ASSERT_EQ(c().cuGraphDestroy(empty), 0);
}

TEST_F(cuda_graphs, are_used_by_one_thread_at_a_time) {
  void* a = add_kernel(1);
  void* x = instantiate();
  const auto p = kernel(1);
  const auto use = [&](std::mutex* order) {
    for (int i = 0; i < 2000 && c().control->violations() == 0; ++i) {
      std::unique_lock<std::mutex> lock;
      if (order != nullptr) lock = std::unique_lock<std::mutex>(*order);
      c().cuCtxSetCurrent(context[0]);
      c().cuGraphExecKernelNodeSetParams_v2(x, a, &p);
      c().cuGraphLaunch(x, nullptr);
    }
  };
  std::mutex order;
  std::thread first(use, &order), second(use, &order);
  first.join();
  second.join();
  EXPECT_EQ(c().control->violations(), 0U) << c().control->last_violation();
  std::thread third(use, nullptr), fourth(use, nullptr);
  third.join();
  fourth.join();
  EXPECT_GT(c().control->violations(), 0U);
  EXPECT_NE(std::string(c().control->last_violation()).find("two threads"), std::string::npos);
  c().control->reset();
  EXPECT_EQ(c().cuCtxSynchronize(), 0);
}

TEST_F(cuda_graphs, tell_their_nodes_and_what_they_are) {
  add_kernel(1);
  void* filled = nullptr;
  const auto f = fill(data, 0, 8);
  ASSERT_EQ(c().cuGraphAddMemsetNode(&filled, graph, nullptr, 0, &f, context[0]), 0);
  std::size_t count = 0;
  ASSERT_EQ(c().cuGraphGetNodes(graph, nullptr, &count), 0);
  ASSERT_EQ(count, 2U);
  void* nodes[3] = {};
  count = 3;
  ASSERT_EQ(c().cuGraphGetNodes(graph, nodes, &count), 0);
  EXPECT_EQ(count, 2U);
  int type = -1;
  EXPECT_EQ(c().cuGraphNodeGetType(nodes[0], &type), 0);
  EXPECT_EQ(type, 0);
  EXPECT_EQ(c().cuGraphNodeGetType(nodes[1], &type), 0);
  EXPECT_EQ(type, 2);
}

}  // namespace
}  // namespace pianola::test
