// SPDX-License-Identifier: Apache-2.0
// A loop in a graph by hand: a conditional node, and one kernel that counts down and says whether to go on.
#include <memory>
#include <stdexcept>
#include <vector>

#include "programs.hpp"
#include "raw_work.hpp"

namespace bench::gpu::raw {

namespace {

// As text, so that no toolkit is needed. Writes `begin` to the number (source 1), or takes one from it (2).
constexpr const char* countdown_image = R"(
.version 6.0
.target sm_50
.address_size 64

.extern .func cudaGraphSetConditional
(
  .param .b64 taken_0,
  .param .b32 taken_1
);

.visible .entry count_down(
  .param .u64 with_condition,
  .param .u64 with_number,
  .param .u64 with_begin,
  .param .u32 with_source,
  .param .u32 with_bytes,
  .param .u32 with_limit
)
{
  .reg .pred %p<3>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;

  ld.param.u64 %rd1, [with_condition];
  ld.param.u64 %rd2, [with_number];
  ld.param.u64 %rd3, [with_begin];
  ld.param.u32 %r1, [with_source];
  setp.eq.u32 %p1, %r1, 1;
  @%p1 bra write;
  ld.global.u64 %rd3, [%rd2];
  sub.u64 %rd3, %rd3, 1;
write:
  st.global.u64 [%rd2], %rd3;
  setp.ne.u64 %p2, %rd3, 0;
  selp.u32 %r2, 1, 0, %p2;
  {
    .param .b64 given_0;
    st.param.b64 [given_0+0], %rd1;
    .param .b32 given_1;
    st.param.b32 [given_1+0], %r2;
    call.uni cudaGraphSetConditional, (given_0, given_1);
  }
  ret;
}
)";

struct loop_by_hand {
  explicit loop_by_hand(std::size_t kernels) : number(1) {
    set = d.find(d.load(countdown_image), "count_down");
    const cuda::functions& call = d.call();
    d.check(call.cuGraphCreate(&graph, 0), "cuGraphCreate");
    handle context = nullptr;
    d.check(call.cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    unsigned long long condition = 0;
    d.check(call.cuGraphConditionalHandleCreate(&condition, graph, context, 0,
                                                cuda::condition_assigns_default),
            "cuGraphConditionalHandleCreate");
    const handle begun = add_setting(graph, condition, 1, {});
    cuda::conditional_node_parameters p{};
    p.type = cuda::node_type_conditional;
    p.handle = condition;
    p.kind = cuda::conditional_while;
    p.size = 1;
    p.ctx = context;
    handle node = nullptr;
    d.check(call.cuGraphAddNode_v2(&node, graph, &begun, nullptr, 1, &p), "cuGraphAddNode");
    const handle body = p.graphs[0];
    std::vector<handle> after;
    for (std::size_t i = 0; i < kernels; ++i) {
      void* place[2];
      const cuda::kernel_node_parameters k = work.parameters_of(0, place);
      handle added = nullptr;
      d.check(call.cuGraphAddKernelNode(&added, body, after.data(), after.size(), &k),
              "cuGraphAddKernelNode");
      after.assign(1, added);
    }
    add_setting(body, condition, 2, after);
    d.check(call.cuGraphInstantiate(&executable, graph, 0), "cuGraphInstantiate");
    d.check(call.cuGraphUpload(executable, work.stream), "cuGraphUpload");
    d.synchronize(work.stream);
  }
  loop_by_hand(const loop_by_hand&) = delete;
  loop_by_hand& operator=(const loop_by_hand&) = delete;
  ~loop_by_hand() {
    (void)d.call().cuGraphExecDestroy(executable);
    (void)d.call().cuGraphDestroy(graph);
  }
  handle add_setting(handle to, unsigned long long condition, unsigned source,
                     const std::vector<handle>& after) {
    auto at = reinterpret_cast<std::uint64_t>(number.get());
    std::uint64_t begin = loop_iterations;
    unsigned bytes = 8, limit = 1;
    void* parameters[] = {&condition, &at, &begin, &source, &bytes, &limit};
    cuda::kernel_node_parameters p{};
    p.func = set;
    p.gridDimX = p.gridDimY = p.gridDimZ = 1;
    p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = parameters;
    handle added = nullptr;
    d.check(d.call().cuGraphAddKernelNode(&added, to, after.data(), after.size(), &p),
            "cuGraphAddKernelNode");
    return added;
  }

  nodes_of_work work{1};
  driver& d = work.d;
  memory<std::uint64_t> number;
  handle set = nullptr, graph = nullptr, executable = nullptr;
};

}  // namespace

bool loops_in_graphs() {
  int version = 0;
  const cuda::functions& call = driver::get().call();
  return call.cuDriverGetVersion(&version) == cuda::success && version >= 12040 &&
         call.cuGraphConditionalHandleCreate != nullptr && call.cuGraphAddNode_v2 != nullptr;
}

subject loop(std::size_t kernels) {
  auto l = std::make_shared<loop_by_hand>(kernels);
  return {[l](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i)
                l->d.check(l->d.call().cuGraphLaunch(l->executable, l->work.stream),
                           "cuGraphLaunch");
              l->d.synchronize(l->work.stream);
            });
          },
          [l] { return l->work.checksum(); }};
}

}  // namespace bench::gpu::raw
