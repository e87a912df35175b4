// SPDX-License-Identifier: Apache-2.0
// Kernels that nvcc compiled, launched through CUDA's driver.
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

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

}  // namespace bench::gpu::raw
