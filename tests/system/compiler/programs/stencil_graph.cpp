// SPDX-License-Identifier: Apache-2.0
// A stencil with its block in local memory and a plain range kernel, recorded into a graph and replayed; then
// once more without the graph.
#include <sycl/sycl.hpp>

#include "print.hpp"

namespace graphs = sycl::ext::oneapi::experimental;

constexpr std::size_t n = 48, tile_y = 4, tile_x = 16;

void smooth(sycl::queue& queue, sycl::buffer<float, 2>& from, sycl::buffer<float, 2>& to) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor in(from, h, sycl::read_only);
    const sycl::accessor out(to, h, sycl::write_only, sycl::no_init);
    const sycl::local_accessor<float, 2> t(sycl::range<2>(tile_y + 2, tile_x + 2), h);
    h.parallel_for(sycl::nd_range<2>({n, n}, {tile_y, tile_x}), [=](sycl::nd_item<2> item) {
      const auto in_or_0 = [&](std::size_t y, std::size_t x) {
        return y < n && x < n ? in[y][x] : 0.0F;
      };
      const std::size_t top = item.get_group(0) * tile_y, left = item.get_group(1) * tile_x;
      // All items together load the block and the ring around it; indices below 0 wrap to huge ones.
      for (std::size_t i = item.get_local_linear_id(); i < (tile_y + 2) * (tile_x + 2);
           i += tile_y * tile_x) {
        const std::size_t y = i / (tile_x + 2), x = i % (tile_x + 2);
        t[y][x] = in_or_0(top + y - 1, left + x - 1);
      }
      sycl::group_barrier(item.get_group());
      const std::size_t y = item.get_local_id(0) + 1, x = item.get_local_id(1) + 1;
      out[item.get_global_id()] =
          0.5F * t[y][x] + 0.125F * (t[y - 1][x] + t[y + 1][x] + t[y][x - 1] + t[y][x + 1]);
    });
  });
}

void heat(sycl::queue& queue, sycl::buffer<float, 2>& field, float by) {
  queue.submit([&](sycl::handler& h) {
    const sycl::accessor out(field, h, sycl::read_write);
    h.parallel_for(sycl::range<2>(n / 4, n / 4),
                   [=](sycl::item<2> at) { out[at[0] + 5][at[1] + 7] += by; });
  });
}

int main() {
  std::vector<float> start(n * n);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i % 23) / 4;
  for (const bool recorded : {true, false}) {
    sycl::queue queue;
    std::vector<float> field = start;
    sycl::buffer<float, 2> a(field.data(), sycl::range<2>(n, n)), b(sycl::range<2>(n, n));
    const auto step = [&] {
      smooth(queue, a, b);
      heat(queue, b, 0.25F);
      smooth(queue, b, a);
    };
    constexpr int rounds = 5;
    if (recorded) {
      graphs::command_graph<graphs::graph_state::modifiable> graph(queue);
      graph.begin_recording(queue);
      step();
      graph.end_recording();
      auto ready = graph.finalize();
      for (int i = 0; i < rounds; ++i) queue.ext_oneapi_graph(ready);
      queue.wait();
    } else {
      for (int i = 0; i < rounds; ++i) step();
    }
    const sycl::host_accessor result(a, sycl::read_only);
    print(recorded ? "replayed" : "eager", &result[0][0], n * n);
  }
}
