// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pianola/abi/launch.h>

#include <vector>

#include "driver.hpp"
#include "node_kernel.hpp"
#include "shapes.hpp"

namespace bench::gpu::raw {

// The data of `nodes` nodes and what their launches are told.
struct nodes_of_work {
  explicit nodes_of_work(std::size_t count)
      : d(driver::get()),
        stream(d.make_stream()),
        function(d.kernel_named("node_kernel")),
        data(count * node_items),
        values(count) {
    std::vector<float> start(data.size());
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = node_start(i);
    data.write(start.data(), stream);
    for (std::size_t i = 0; i < count; ++i) values[i].data = data.get() + i * node_items;
  }
  nodes_of_work(const nodes_of_work&) = delete;
  nodes_of_work& operator=(const nodes_of_work&) = delete;
  ~nodes_of_work() {
    d.synchronize(stream);
    (void)d.call().cuStreamDestroy(stream);
  }
  double checksum() const {
    std::vector<float> now(data.size());
    data.read(now.data(), stream);
    return checksum_of(now.data(), now.size());
  }
  void launch(std::size_t i) {
    void* parameters[] = {&values[i], &shape};
    d.check(d.call().cuLaunchKernel(function, 1, 1, 1, node_items, 1, 1, 0, stream, parameters,
                                    nullptr),
            "cuLaunchKernel");
  }
  cuda::kernel_node_parameters parameters_of(std::size_t i, void** place) {
    place[0] = &values[i];
    place[1] = &shape;
    cuda::kernel_node_parameters p{};
    p.func = function;
    p.gridDimX = p.gridDimY = p.gridDimZ = 1;
    p.blockDimX = node_items;
    p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = place;
    return p;
  }

  driver& d;
  handle stream;
  handle function;
  memory<float> data;
  std::vector<node_values> values;
  pianola_launch shape{{1, 1, node_items}, {0, 0, 0}};
};

}  // namespace bench::gpu::raw
