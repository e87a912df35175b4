// SPDX-License-Identifier: Apache-2.0
// Random programs of streams, events and graphs against their commands one after the other.
#include <functional>
#include <iostream>
#include <random>

#include "cuda_fixture.hpp"

namespace pianola::test {
namespace {

constexpr std::size_t cells = 6;
constexpr std::size_t words = 16;

// One cell is an allocation. Commands on the same cells are ordered by the program: by the stream, or by an
// event that the stream waits for.
class random_program : public cuda_double, public ::testing::WithParamInterface<int> {
 protected:
  using state = std::vector<std::vector<std::uint64_t>>;
  struct command {
    int kind = 0;  // 0 kernel, 1 fill, 2 copy
    std::size_t to = 0, from = 0;
    std::uint64_t value = 0;
  };

  command random_command() {
    command x;
    x.kind = static_cast<int>(random() % 3);
    x.to = random() % cells;
    x.from = (x.to + 1 + random() % (cells - 1)) % cells;
    x.value = random() % 200;
    return x;
  }
  static void apply(state& s, const command& x) {
    for (std::size_t i = 0; i < words; ++i) {
      auto& w = s[x.to][i];
      if (x.kind == 0) w = 3 * w + x.value;
      if (x.kind == 1) w = x.value * 0x0101010101010101ULL;
      if (x.kind == 2) w = s[x.from][i];
    }
  }
  void submit(const command& x, void* s) {
    switch (x.kind) {
      case 0:
        ASSERT_EQ(
            launch(affine, s, affine_object{reinterpret_cast<std::uint64_t*>(at[x.to]), x.value}, 1,
                   words),
            0);
        return;
      case 1:
        ASSERT_EQ(c().cuMemsetD8Async(at[x.to], static_cast<unsigned char>(x.value), words * 8, s),
                  0);
        return;
      default:
        ASSERT_EQ(c().cuMemcpyDtoDAsync_v2(at[x.to], at[x.from], words * 8, s), 0);
    }
  }
  void* add(void* graph, const command& x, const std::vector<void*>& after) {
    void* n = nullptr;
    int code = 0;
    if (x.kind == 0) {
      affine_object o{reinterpret_cast<std::uint64_t*>(at[x.to]), x.value};
      pianola_launch l{{1, 1, words}, {0, 0, 0}};
      void* parameters[] = {&o, &l};
      CUDA_KERNEL_NODE_PARAMS_v2_t p{};
      p.func = affine;
      p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
      p.blockDimX = words;
      p.kernelParams = parameters;
      code = c().cuGraphAddKernelNode_v2(&n, graph, after.data(), after.size(), &p);
    } else if (x.kind == 1) {
      const CUDA_MEMSET_NODE_PARAMS_t p{at[x.to], 0,         static_cast<unsigned>(x.value),
                                        1,        words * 8, 1};
      code = c().cuGraphAddMemsetNode(&n, graph, after.data(), after.size(), &p, context[0]);
    } else {
      CUDA_MEMCPY3D_t p{};
      p.srcMemoryType = p.dstMemoryType = 2;
      p.srcDevice = at[x.from];
      p.dstDevice = at[x.to];
      p.WidthInBytes = words * 8;
      p.Height = p.Depth = 1;
      code = c().cuGraphAddMemcpyNode(&n, graph, after.data(), after.size(), &p, context[0]);
    }
    EXPECT_EQ(code, 0);
    return n;
  }

  std::mt19937 random;
  CUdeviceptr_t at[cells] = {};
  void* affine = nullptr;
};

TEST_P(random_program, computes_what_its_commands_do_one_after_the_other) {
  const auto seed = static_cast<unsigned>(GetParam());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::cout << "seed " << seed << '\n';
  random.seed(seed);
  c().control->set_seed(seed);
  affine = function("affine");
  state expected(cells, std::vector<std::uint64_t>(words));
  for (std::size_t i = 0; i < cells; ++i) {
    at[i] = memory(words * 8);
    for (auto& w : expected[i]) w = random();
    write(at[i], expected[i]);
  }
  std::vector<void*> streams, events;
  for (int i = 0; i < 4; ++i) streams.push_back(stream());
  // Of each cell: the stream that used it last, for reading and for writing.
  const auto order = [&](void* s, void* before) {
    if (before == nullptr || before == s) return;
    void* e = event();
    ASSERT_EQ(c().cuEventRecord(e, before), 0);
    ASSERT_EQ(c().cuStreamWaitEvent(s, e, 0), 0);
    ASSERT_EQ(c().cuEventDestroy_v2(e), 0);
  };
  std::vector<std::vector<void*>> readers(cells);
  std::vector<void*> writer(cells);
  const auto prepare = [&](void* s, const command& x) {
    order(s, writer[x.to]);
    for (void* r : readers[x.to]) order(s, r);
    readers[x.to].clear();
    writer[x.to] = s;
    if (x.kind == 2) {
      order(s, writer[x.from]);
      readers[x.from].push_back(s);
    }
  };
  for (int step = 0; step < 60; ++step) {
    void* s = streams[random() % streams.size()];
    if (random() % 6 != 0) {
      const command x = random_command();
      prepare(s, x);
      submit(x, s);
      apply(expected, x);
      continue;
    }
    void *graph = nullptr, *run = nullptr;
    ASSERT_EQ(c().cuGraphCreate(&graph, 0), 0);
    std::vector<command> commands;
    std::vector<void*> nodes;
    for (std::size_t n = 1 + random() % 8; n > 0; --n) {
      const command x = random_command();
      std::vector<void*> after;
      for (std::size_t i = 0; i < commands.size(); ++i) {
        const command& b = commands[i];
        if (b.to == x.to || (x.kind == 2 && b.to == x.from) || (b.kind == 2 && b.from == x.to))
          after.push_back(nodes[i]);
      }
      nodes.push_back(add(graph, x, after));
      commands.push_back(x);
      prepare(s, x);
    }
    ASSERT_EQ(c().cuGraphInstantiateWithFlags(&run, graph, 0), 0);
    for (std::size_t times = 1 + random() % 2; times > 0; --times) {
      ASSERT_EQ(c().cuGraphLaunch(run, s), 0);
      for (const command& x : commands) apply(expected, x);
    }
    ASSERT_EQ(c().cuGraphExecDestroy(run), 0);
    ASSERT_EQ(c().cuGraphDestroy(graph), 0);
  }
  ASSERT_EQ(c().cuCtxSynchronize(), 0);
  for (std::size_t i = 0; i < cells; ++i)
    EXPECT_EQ(read<std::uint64_t>(at[i], words), expected[i]) << i;
  EXPECT_EQ(c().control->violations(), 0U);
}

INSTANTIATE_TEST_SUITE_P(of_seeds, random_program, ::testing::Range(1, 16));

}  // namespace
}  // namespace pianola::test
