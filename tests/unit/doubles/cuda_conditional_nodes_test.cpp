// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that run graphs as a number says, and the kernel that sets that number.
#include <algorithm>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

// The shape of the one text that the double takes; what stands in it is known.
constexpr const char* text = R"(
.version 6.0
.extern .func cudaGraphSetConditional ( .param .b64 a, .param .b32 b );
.visible .entry set( .param .u64 a, .param .u64 b, .param .u64 c, .param .u32 d, .param .u32 e, .param .u32 f ) { }
.visible .entry other( .param .u64 a ) { }
)";
constexpr int invalid_value = 1, no_binary = 209, not_found = 500, not_supported = 801,
              update_failed = 910;
enum kind : int { branch = 0, loop = 1, choice = 2 };
enum source : std::uint32_t { number = 0, beginning = 1, countdown = 2 };

class cuda_conditional_nodes : public cuda_double {
 protected:
  using nodes = std::vector<void*>;

  void SetUp() override {
    cuda_double::SetUp();
    data = memory(64);
    write(data, std::vector<std::uint64_t>(8, 0));
    ASSERT_EQ(c().cuModuleLoadDataEx(&linked, text, 0, nullptr, nullptr), 0);
    ASSERT_EQ(c().cuModuleGetFunction(&set, linked, "set"), 0);
    affine = function("affine");
    first = stream();
  }
  void TearDown() override {
    for (void* x : executables) c().cuGraphExecDestroy(x);
    for (void* g : graphs) c().cuGraphDestroy(g);
    EXPECT_EQ(c().control->live("graph"), 0U);
    EXPECT_EQ(c().control->live("executable graph"), 0U);
    cuda_double::TearDown();
  }

  void* make_graph() {
    void* g = nullptr;
    EXPECT_EQ(c().cuGraphCreate(&g, 0), 0);
    graphs.push_back(g);
    return g;
  }
  unsigned long long condition(void* g, unsigned value = 0, unsigned flags = 1) {
    unsigned long long made = 0;
    EXPECT_EQ(c().cuGraphConditionalHandleCreate(&made, g, context[0], value, flags), 0);
    return made;
  }
  int try_conditional(void*& n, void* g, unsigned long long by, int what, unsigned size,
                      nodes& bodies, const nodes& after = {}) {
    CUgraphNodeParams_t p{};
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL_v;
    p.conditional = {by, what, size, nullptr, context[0]};
    const int code = c().cuGraphAddNode_v2(&n, g, after.data(), nullptr, after.size(), &p);
    if (code == 0) bodies.assign(p.conditional.phGraph_out, p.conditional.phGraph_out + size);
    return code;
  }
  // Its graphs.
  nodes add_conditional(void* g, unsigned long long by, int what, unsigned size = 1,
                        const nodes& after = {}) {
    nodes bodies;
    void* n = nullptr;
    EXPECT_EQ(try_conditional(n, g, by, what, size, bodies, after), 0);
    return bodies;
  }
  // The number is at data[index].
  void* add_setting(void* g, unsigned long long which, std::uint32_t how, std::uint64_t begin,
                    std::size_t index, const nodes& after = {}, std::uint32_t bytes = 8,
                    std::uint32_t limit = 100) {
    std::uint64_t at = data + 8 * index;
    void* parameters[] = {&which, &at, &begin, &how, &bytes, &limit};
    CUDA_KERNEL_NODE_PARAMS_v2_t p{};
    p.func = set;
    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = parameters;
    void* n = nullptr;
    EXPECT_EQ(c().cuGraphAddKernelNode_v2(&n, g, after.data(), after.size(), &p), 0);
    return n;
  }
  // data[index] becomes 3 x + addend.
  void* add_affine(void* g, std::size_t index, std::uint64_t addend, const nodes& after = {}) {
    affine_object object{reinterpret_cast<std::uint64_t*>(data + 8 * index), addend};
    pianola_launch l{{1, 1, 1}, {0, 0, 0}};
    void* parameters[] = {&object, &l};
    CUDA_KERNEL_NODE_PARAMS_v2_t p{};
    p.func = affine;
    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = parameters;
    void* n = nullptr;
    EXPECT_EQ(c().cuGraphAddKernelNode_v2(&n, g, after.data(), after.size(), &p), 0);
    return n;
  }
  int add_copy(void* g, void* from) {
    CUDA_MEMCPY3D_t d{};
    d.srcMemoryType = 1;
    d.srcHost = from;
    d.dstMemoryType = 2;
    d.dstDevice = data;
    d.WidthInBytes = 8;
    d.Height = d.Depth = 1;
    void* n = nullptr;
    return c().cuGraphAddMemcpyNode(&n, g, nullptr, 0, &d, context[0]);
  }
  int try_instantiate(void* g) {
    void* x = nullptr;
    const int code = c().cuGraphInstantiateWithFlags(&x, g, 0);
    if (code == 0) executables.push_back(x);
    return code;
  }
  void run(void* g, int launches = 1) {
    ASSERT_EQ(try_instantiate(g), 0);
    for (int i = 0; i < launches; ++i) ASSERT_EQ(c().cuGraphLaunch(executables.back(), first), 0);
    ASSERT_EQ(c().cuStreamSynchronize(first), 0);
    ASSERT_EQ(c().cuGraphExecDestroy(executables.back()), 0);
    executables.pop_back();
  }
  std::vector<std::uint64_t> numbers() { return read<std::uint64_t>(data, 8); }

  void *linked = nullptr, *set = nullptr, *affine = nullptr, *first = nullptr;
  CUdeviceptr_t data = 0;
  nodes graphs, executables;
};

TEST_F(cuda_conditional_nodes, loop_until_the_number_is_zero) {
  void* g = make_graph();
  const auto c1 = condition(g);
  const nodes bodies = add_conditional(g, c1, loop, 1, {add_setting(g, c1, beginning, 4, 0)});
  void* last = add_affine(bodies[0], 1, 1);
  add_setting(bodies[0], c1, countdown, 0, 0, {last});
  run(g);
  EXPECT_EQ(numbers()[0], 0U);
  EXPECT_EQ(numbers()[1], 40U);  // 1, 4, 13, 40
  run(g, 2);
  EXPECT_EQ(numbers()[0], 0U);
}

TEST_F(cuda_conditional_nodes, loop_in_loops) {
  void* g = make_graph();
  const auto outer = condition(g);
  const nodes rounds = add_conditional(g, outer, loop, 1, {add_setting(g, outer, beginning, 3, 0)});
  const auto inner = condition(rounds[0]);
  void* begun = add_setting(rounds[0], inner, beginning, 2, 1);
  nodes bodies;
  void* n = nullptr;
  ASSERT_EQ(try_conditional(n, rounds[0], inner, loop, 1, bodies, {begun}), 0);
  add_setting(bodies[0], inner, countdown, 0, 1, {add_affine(bodies[0], 2, 1)});
  add_setting(rounds[0], outer, countdown, 0, 0, {n});
  run(g);
  EXPECT_EQ(numbers()[2], 364U);  // six times
}

TEST_F(cuda_conditional_nodes, choose) {
  for (const std::uint64_t value : {0, 1, 2, 7}) {
    void* g = make_graph();
    const auto by = condition(g), same = condition(g);
    void* known = add_setting(g, by, beginning, value, 0);
    const nodes chosen = add_conditional(g, by, choice, 2, {known});
    add_affine(chosen[0], 1, 1);
    add_affine(chosen[1], 2, 1);
    void* also = add_setting(g, same, number, 0, 0, {known});
    const nodes either = add_conditional(g, same, branch, 2, {also});
    add_affine(either[0], 3, 1);
    add_affine(either[1], 4, 1);
    write(data, std::vector<std::uint64_t>(8, 0));
    run(g);
    const auto got = numbers();
    EXPECT_EQ(got[1], value == 0 ? 1U : 0U) << value;
    EXPECT_EQ(got[2], value == 1 ? 1U : 0U) << value;
    EXPECT_EQ(got[3], value != 0 ? 1U : 0U) << value;
    EXPECT_EQ(got[4], value == 0 ? 1U : 0U) << value;
  }
}

TEST_F(cuda_conditional_nodes, begin_with_what_the_condition_was_made_with) {
  void* g = make_graph();
  add_affine(add_conditional(g, condition(g, 1), branch)[0], 0, 1);
  add_affine(add_conditional(g, condition(g, 0), branch)[0], 1, 1);
  run(g);
  EXPECT_EQ(numbers()[0], 1U);
  EXPECT_EQ(numbers()[1], 0U);
}

TEST_F(cuda_conditional_nodes, set_numbers_of_some_bytes_and_no_more_than_the_limit) {
  void* g = make_graph();
  write(data, std::vector<std::uint64_t>{0xff00ff00ff0100, 5});
  for (const std::uint32_t bytes : {1U, 2U}) {
    const auto by = condition(g);
    add_affine(add_conditional(g, by, branch, 1, {add_setting(g, by, number, 0, 0, {}, bytes)})[0],
               1 + bytes, 1);
  }
  const auto by = condition(g);
  const nodes one = add_conditional(g, by, choice, 3, {add_setting(g, by, number, 0, 1, {}, 8, 2)});
  add_affine(one[2], 4, 1);
  run(g);
  EXPECT_EQ(numbers()[2], 0U);
  EXPECT_EQ(numbers()[3], 1U);
  EXPECT_EQ(numbers()[4], 1U);
}

TEST_F(cuda_conditional_nodes, have_conditions_of_their_own) {
  void *g = make_graph(), *other = make_graph();
  const auto by = condition(g);
  nodes bodies;
  void* n = nullptr;
  expect_violation(try_conditional(n, other, by, loop, 1, bodies), invalid_value, "another graph");
  add_conditional(g, by, loop);
  expect_violation(try_conditional(n, g, by, loop, 1, bodies), invalid_value, "another node");
  expect_violation(try_conditional(n, g, condition(g), loop, 2, bodies), invalid_value, "2 graphs");
  expect_violation(try_conditional(n, g, condition(g), branch, 3, bodies), invalid_value, "3 gra");
  expect_violation(try_conditional(n, g, condition(g), choice, 0, bodies), invalid_value, "0 gra");
  add_setting(other, by, beginning, 1, 0);
  ASSERT_EQ(try_instantiate(other), 0);
  expect_violation(c().cuGraphLaunch(executables.back(), first), invalid_value,
                   "a condition of another graph");
}

TEST_F(cuda_conditional_nodes, have_graphs_that_stay_on_the_device) {
  std::vector<std::uint64_t> pageable(1);
  void* g = make_graph();
  const nodes bodies = add_conditional(g, condition(g), branch);
  ASSERT_EQ(add_copy(bodies[0], pageable.data()), 0);
  expect_violation(try_instantiate(g), invalid_value, "not locked");

  void* other = make_graph();
  const nodes more = add_conditional(other, condition(other), branch);
  void *n = nullptr, *e = event();
  ASSERT_EQ(c().cuGraphAddEventRecordNode(&n, more[0], nullptr, 0, e), 0);
  expect_violation(try_instantiate(other), invalid_value, "events");

  void* locked = nullptr;
  ASSERT_EQ(c().cuMemHostAlloc(&locked, 64, 3), 0);
  *static_cast<std::uint64_t*>(locked) = 77;
  void* good = make_graph();
  ASSERT_EQ(add_copy(add_conditional(good, condition(good, 1), branch)[0], locked), 0);
  run(good);
  EXPECT_EQ(numbers()[0], 77U);
}

TEST_F(cuda_conditional_nodes, keep_their_graphs) {
  void* g = make_graph();
  const nodes bodies = add_conditional(g, condition(g), branch);
  expect_violation(c().cuGraphDestroy(bodies[0]), invalid_value, "a conditional node's");
  void *n = nullptr, *outer = make_graph();
  expect_violation(c().cuGraphAddChildGraphNode(&n, outer, nullptr, 0, g), not_supported,
                   "conditional");
  ASSERT_EQ(try_instantiate(g), 0);
  CUgraphExecUpdateResultInfo_t info{};
  expect_refusal(c().cuGraphExecUpdate_v2(executables.back(), g, &info), update_failed);
}

TEST_F(cuda_conditional_nodes, have_something_to_do_before_cuda_12_8) {
  const auto instantiated = [this](const char* version, bool empty_node, bool work, bool nested) {
    setenv("PIANOLA_TEST_DRIVER_CUDA_VERSION", version, 1);
    void *g = make_graph(), *n = nullptr;
    void* body = add_conditional(g, condition(g), branch)[0];
    if (nested) body = add_conditional(body, condition(body), branch)[0];
    if (empty_node) {
      EXPECT_EQ(c().cuGraphAddEmptyNode(&n, body, nullptr, 0), 0);
    }
    if (work) add_affine(body, 0, 1);
    const int code = try_instantiate(g);
    unsetenv("PIANOLA_TEST_DRIVER_CUDA_VERSION");
    return code;
  };
  for (const bool nested : {false, true})
    for (const bool empty_node : {false, true}) {
      expect_violation(instantiated("12040", empty_node, false, nested), invalid_value, "hang");
      EXPECT_EQ(instantiated("12040", empty_node, true, nested), 0);
      EXPECT_EQ(instantiated("12080", empty_node, false, nested), 0);
    }
}

TEST_F(cuda_conditional_nodes, are_in_one_executable_at_a_time) {
  void* g = make_graph();
  add_conditional(g, condition(g), branch);
  ASSERT_EQ(try_instantiate(g), 0);
  expect_violation(try_instantiate(g), invalid_value, "one executable at a time");
  ASSERT_EQ(c().cuGraphExecDestroy(executables.back()), 0);
  executables.pop_back();
  EXPECT_EQ(try_instantiate(g), 0);
  // Nor while one that has been destroyed runs.
  void* const s = stream();
  c().control->hold(true);
  ASSERT_EQ(c().cuGraphLaunch(executables.back(), s), 0);
  ASSERT_EQ(c().cuGraphExecDestroy(executables.back()), 0);
  executables.pop_back();
  expect_refusal(try_instantiate(g), invalid_value);
  c().control->hold(false);
  ASSERT_EQ(c().cuStreamSynchronize(s), 0);
  EXPECT_EQ(try_instantiate(g), 0);
}

TEST_F(cuda_conditional_nodes, go_by_one_kernel_that_comes_as_text) {
  void *m = nullptr, *f = nullptr;
  expect_refusal(c().cuModuleLoadDataEx(&m, "\n.version 6.0\n", 0, nullptr, nullptr), no_binary);
  expect_refusal(c().cuModuleGetFunction(&f, linked, "none"), not_found);
  expect_refusal(c().cuModuleGetFunction(&f, linked, "other"), no_binary);
}

}  // namespace
}  // namespace pianola::test
