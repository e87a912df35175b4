// SPDX-License-Identifier: Apache-2.0
// Loops that end when a number on the device is zero: in a graph, and driven by the host.
#include <memory>
#include <sycl/sycl.hpp>
#include <vector>

#include "node_kernel.hpp"
#include "programs.hpp"

namespace bench::gpu::ours {

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

struct looped_kernel {
  node_values values;
  void operator()(sycl::nd_item<1> item) const {
    float& x = values.data[item.get_local_id(0)];
    x = x * values.factor + values.summand;
  }
};

struct looping {
  explicit looping(std::size_t kernels) : data(sycl::malloc_device<float>(node_items, queue)) {
    std::vector<float> start(node_items);
    for (std::size_t i = 0; i < node_items; ++i) start[i] = node_start(i);
    queue.memcpy(data, start.data(), node_items * sizeof(float)).wait();
    {
      graphs::command_graph recording(queue);
      recording.begin_recording(queue);
      for (std::size_t k = 0; k < kernels; ++k) {
        looped_kernel kernel{};
        kernel.values.data = data;
        queue.parallel_for(sycl::nd_range<1>(node_items, node_items), kernel);
      }
      queue.single_task([left = left] { *left -= 1; });
      recording.end_recording();
      body.push_back(recording.finalize());
    }
    {
      graphs::command_graph recording(queue);
      const graphs::node begun = recording.add(
          [&](sycl::handler& h) { h.single_task([left = left] { *left = loop_iterations; }); });
      recording.add_while(left, body[0], {graphs::property::node::depends_on(begun)});
      loop.push_back(recording.finalize());
    }
  }
  looping(const looping&) = delete;
  looping& operator=(const looping&) = delete;
  ~looping() {
    queue.wait();
    sycl::free(data, queue);
    sycl::free(left, queue);
  }
  double checksum() {
    std::vector<float> now(node_items);
    queue.memcpy(now.data(), data, node_items * sizeof(float)).wait();
    return checksum_of(now.data(), node_items);
  }

  sycl::queue queue{sycl::property::queue::in_order{}};
  float* data;
  int* left = sycl::malloc_device<int>(1, queue);
  std::vector<executable> body, loop;
};

}  // namespace

subject loop(std::size_t kernels) {
  auto l = std::make_shared<looping>(kernels);
  return {[l](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) l->queue.ext_oneapi_graph(l->loop[0]);
              l->queue.wait();
            });
          },
          [l] { return l->checksum(); }};
}

subject loop_of_the_host(std::size_t kernels) {
  auto l = std::make_shared<looping>(kernels);
  return {[l](std::uint64_t units) {
            return nanoseconds_of([&] {
              for (std::uint64_t i = 0; i < units; ++i) {
                int left = loop_iterations;
                l->queue.memcpy(l->left, &left, sizeof left);
                do {
                  l->queue.ext_oneapi_graph(l->body[0]);
                  l->queue.memcpy(&left, l->left, sizeof left).wait();
                } while (left != 0);
              }
            });
          },
          [l] { return l->checksum(); }};
}

}  // namespace bench::gpu::ours
