// SPDX-License-Identifier: Apache-2.0
// Kernels that nvcc compiled, launched through CUDA's driver.
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "conjugate_gradient.hpp"
#include "driver.hpp"
#include "programs.hpp"

#if defined(PIANOLA_BENCH_RIVALS)
// The cubin, as nvcc wrote it.
asm(".section .rodata\n"
    ".balign 64\n"
    ".hidden pianola_bench_rivals\n.hidden pianola_bench_rivals_end\n"
    ".globl pianola_bench_rivals\n.globl pianola_bench_rivals_end\n"
    "pianola_bench_rivals:\n.incbin \"" PIANOLA_BENCH_RIVALS
    "\"\n"
    "pianola_bench_rivals_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const char pianola_bench_rivals[];
#endif

namespace bench::gpu::raw {

namespace {

// Lives as long as its module.
std::vector<char>& file_contents() {
  static auto* bytes = new std::vector<char>;
  return *bytes;
}
handle the_module = nullptr;

struct launched {
  launched() : d(driver::get()), stream(d.make_stream()) {}
  launched(const launched&) = delete;
  launched& operator=(const launched&) = delete;
  ~launched() {
    d.synchronize(stream);
    (void)d.call().cuStreamDestroy(stream);
  }
  void wait() { d.synchronize(stream); }
  template <class... Arguments>
  void launch(handle function, std::array<unsigned, 3> grid, std::array<unsigned, 3> block,
              Arguments... arguments) {
    void* parameters[] = {&arguments...};
    d.check(d.call().cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                    block[2], 0, stream, parameters, nullptr),
            "cuLaunchKernel");
  }
  template <class T, class Value>
  void fill(memory<T>& m, Value value) {
    std::vector<T> values(m.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(i);
    m.write(values.data(), stream);
  }
  template <class T>
  double checksum_of_memory(const memory<T>& m) {
    std::vector<T> now(m.size());
    m.read(now.data(), stream);
    return checksum_of(now.data(), now.size());
  }
  driver& d;
  handle stream;
};

template <class State>
subject repeated(std::shared_ptr<State> state) {
  return {[state](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) state->step();
              state->wait();
            });
          },
          [state] { return state->checksum(); }};
}

constexpr unsigned stream_block = 1024;  // BabelStream's
constexpr unsigned dot_blocks = 1024, dot_block = 256;

struct stream_by_hand : launched {
  stream_by_hand(stream_kernel k, std::size_t count)
      : kernel(k), n(count), a(n), b(n), c(n), sums(dot_blocks), host(dot_blocks) {
    static constexpr const char* names[] = {"rival_copy", "rival_mul", "rival_add", "rival_triad",
                                            "rival_dot"};
    function = d.find(the_module, names[static_cast<unsigned>(k)]);
    fill(a, [](std::size_t) { return stream_a; });
    fill(b, [](std::size_t) { return stream_b; });
    fill(c, [](std::size_t) { return stream_c; });
  }
  void step() {
    const auto count = static_cast<unsigned long long>(n);
    const auto blocks = static_cast<unsigned>((n + stream_block - 1) / stream_block);
    const std::array<unsigned, 3> grid{blocks, 1, 1}, block{stream_block, 1, 1};
    switch (kernel) {
      case stream_kernel::copy:
        return launch(function, grid, block, a.get(), c.get(), count);
      case stream_kernel::mul:
        return launch(function, grid, block, b.get(), c.get(), count);
      case stream_kernel::add:
      case stream_kernel::triad:
        return launch(function, grid, block, a.get(), b.get(), c.get(), count);
      case stream_kernel::dot:
        launch(function, {dot_blocks, 1, 1}, {dot_block, 1, 1}, a.get(), b.get(), sums.get(),
               count);
        sums.read(host.data(), stream);
        dot = 0;
        for (const double s : host) dot += s;
    }
  }
  double checksum() {
    if (kernel == stream_kernel::dot) return rounded_dot(dot, n);
    return checksum_of_memory(a) + 3 * checksum_of_memory(b) + 7 * checksum_of_memory(c);
  }
  stream_kernel kernel;
  std::size_t n;
  handle function;
  memory<double> a, b, c, sums;
  std::vector<double> host;
  double dot = 0;
};

struct product_by_hand : launched {
  explicit product_by_hand(std::size_t size)
      : n(size), function(d.find(the_module, "rival_matmul")), a(n * n), b(n * n), c(n * n) {
    fill(a, [](std::size_t i) { return matmul_a(i); });
    fill(b, [](std::size_t i) { return matmul_b(i); });
    fill(c, [](std::size_t) { return 0.0F; });
  }
  void step() {
    constexpr auto tile = static_cast<unsigned>(matmul_tile);
    const auto groups = static_cast<unsigned>(n / tile);
    launch(function, {groups, groups, 1}, {tile, tile, 1}, a.get(), b.get(), c.get(),
           static_cast<unsigned long long>(n));
  }
  double checksum() { return checksum_of_memory(c); }
  std::size_t n;
  handle function;
  memory<float> a, b, c;
};

struct tree_by_hand : launched {
  explicit tree_by_hand(std::size_t count)
      : n(count), function(d.find(the_module, "rival_tree")), x(n), sums(n / tree_width) {
    fill(x, [](std::size_t i) { return tree_value(i); });
    fill(sums, [](std::size_t) { return 0.0F; });
  }
  void step() {
    launch(function, {static_cast<unsigned>(n / tree_width), 1, 1},
           {static_cast<unsigned>(tree_width), 1, 1}, x.get(), sums.get());
  }
  double checksum() { return checksum_of_memory(sums); }
  std::size_t n;
  handle function;
  memory<float> x, sums;
};

struct stencil_by_hand : launched {
  explicit stencil_by_hand(std::size_t size)
      : n(size),
        w(n + 2),
        function(d.find(the_module, "rival_stencil")),
        first(w * w * w),
        second(w * w * w) {
    fill(first, [](std::size_t i) { return stencil_value(i); });
    fill(second, [](std::size_t i) { return stencil_value(i); });
  }
  void step() {
    const auto groups = [this](std::size_t size) { return static_cast<unsigned>(n / size); };
    const auto size = [](std::size_t s) { return static_cast<unsigned>(s); };
    launch(function, {groups(stencil_x), groups(stencil_y), groups(stencil_z)},
           {size(stencil_x), size(stencil_y), size(stencil_z)}, from->get(), to->get(),
           static_cast<unsigned long long>(w), static_cast<unsigned long long>(w * w));
    std::swap(from, to);
  }
  double checksum() { return checksum_of_memory(*from); }
  std::size_t n, w;
  handle function;
  memory<float> first, second;
  memory<float>* from = &first;
  memory<float>* to = &second;
};

// A graph: the kernel that begins, and a conditional node with the four kernels of an iteration.
struct conjugate_gradient_by_hand : launched {
  explicit conjugate_gradient_by_hand(std::size_t size)
      : side(size),
        points(size * size),
        groups(static_cast<unsigned>(cg_groups(size))),
        x(points),
        r(points),
        p(points),
        q(points),
        pq_sums(groups),
        rr_sums(groups),
        rr(1),
        done(1) {
    const cuda::functions& call = d.call();
    d.check(call.cuGraphCreate(&graph, 0), "cuGraphCreate");
    handle context = nullptr;
    d.check(call.cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    unsigned long long condition = 0;
    // There is a first iteration in each launch.
    d.check(call.cuGraphConditionalHandleCreate(&condition, graph, context, 1,
                                                cuda::condition_assigns_default),
            "cuGraphConditionalHandleCreate");
    const handle begun = add(graph, "rival_cg_begin", groups, nullptr, x.get(), r.get(), p.get(),
                             rr.get(), done.get(), points);
    cuda::conditional_node_parameters loop{};
    loop.type = cuda::node_type_conditional;
    loop.handle = condition;
    loop.kind = cuda::conditional_while;
    loop.size = 1;
    loop.ctx = context;
    handle node = nullptr;
    d.check(call.cuGraphAddNode_v2(&node, graph, &begun, nullptr, 1, &loop), "cuGraphAddNode");
    const handle body = loop.graphs[0];
    const handle applied =
        add(body, "rival_cg_apply", groups, nullptr, p.get(), q.get(), pq_sums.get(), side);
    const handle advanced = add(body, "rival_cg_advance", groups, applied, x.get(), r.get(),
                                p.get(), q.get(), rr.get(), pq_sums.get(), rr_sums.get(), points);
    const handle turned = add(body, "rival_cg_turn", groups, advanced, p.get(), r.get(), rr.get(),
                              rr_sums.get(), points);
    add(body, "rival_cg_decide", 1, turned, condition, rr.get(), rr_sums.get(), done.get(),
        cg_goal(size), groups);
    d.check(call.cuGraphInstantiate(&executable, graph, 0), "cuGraphInstantiate");
    d.check(call.cuGraphUpload(executable, stream), "cuGraphUpload");
    d.synchronize(stream);
  }
  ~conjugate_gradient_by_hand() {
    d.synchronize(stream);
    (void)d.call().cuGraphExecDestroy(executable);
    (void)d.call().cuGraphDestroy(graph);
  }
  template <class... Arguments>
  handle add(handle to, const char* kernel, unsigned blocks, handle after, Arguments... arguments) {
    void* values[] = {&arguments...};
    cuda::kernel_node_parameters k{};
    k.func = d.find(the_module, kernel);
    k.gridDimX = blocks;
    k.blockDimX = static_cast<unsigned>(cg_group);
    k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
    k.kernelParams = values;
    handle added = nullptr;
    d.check(d.call().cuGraphAddKernelNode(&added, to, &after, after == nullptr ? 0 : 1, &k),
            "cuGraphAddKernelNode");
    return added;
  }
  void step() { d.check(d.call().cuGraphLaunch(executable, stream), "cuGraphLaunch"); }
  double checksum() { return checksum_of_memory(x); }
  unsigned long long side, points;
  unsigned groups;
  memory<float> x, r, p, q, pq_sums, rr_sums, rr;
  memory<unsigned> done;
  handle graph = nullptr, executable = nullptr;
};

}  // namespace

bool have_rivals(const std::string& file, std::string& why_not) {
  driver& d = driver::get();
  const void* image = nullptr;
  if (d.control() != nullptr) {
    why_not = "a test double of the driver runs no code for CUDA devices";
    return false;
  }
  if (!file.empty()) {
    std::ifstream in(file, std::ios::binary);
    file_contents().assign(std::istreambuf_iterator<char>(in), {});
    if (file_contents().empty()) {
      why_not = "cannot read " + file;
      return false;
    }
    image = file_contents().data();
  }
#if defined(PIANOLA_BENCH_RIVALS)
  if (image == nullptr) image = pianola_bench_rivals;
#endif
  if (image == nullptr) {
    why_not = "built without nvcc; --rivals=FILE takes a cubin of rivals.cu";
    return false;
  }
  try {
    the_module = d.load(image);
  } catch (const std::exception& e) {
    why_not = e.what();
    return false;
  }
  return true;
}

subject stream(stream_kernel which, std::size_t n) {
  return repeated(std::make_shared<stream_by_hand>(which, n));
}
subject matmul(std::size_t n) { return repeated(std::make_shared<product_by_hand>(n)); }
subject tree_reduction(std::size_t n) { return repeated(std::make_shared<tree_by_hand>(n)); }
subject stencil(std::size_t n) { return repeated(std::make_shared<stencil_by_hand>(n)); }

bool have_conjugate_gradient() {
  handle decides = nullptr;
  return loops_in_graphs() && the_module != nullptr &&
         driver::get().call().cuModuleGetFunction(&decides, the_module, "rival_cg_decide") ==
             cuda::success;
}
subject conjugate_gradient(std::size_t n) {
  return repeated(std::make_shared<conjugate_gradient_by_hand>(n));
}

}  // namespace bench::gpu::raw
