// SPDX-License-Identifier: Apache-2.0
// prints [recorded]: the last kernel of the program prints, and nobody waits for it.
#include <sycl/sycl.hpp>

namespace experimental = sycl::ext::oneapi::experimental;

int main(int argc, char**) {
  sycl::queue q(sycl::gpu_selector_v);
  const auto print = [&] { q.single_task([] { experimental::printf("printed %d\n", 7); }); };
  if (argc == 1) {
    print();
    return 0;
  }
  experimental::command_graph g(q.get_context(), q.get_device());
  g.begin_recording(q);
  print();
  g.end_recording(q);
  // It never ends, which would wait for it.
  const auto* const replay =
      new experimental::command_graph<experimental::graph_state::executable>(g.finalize());
  q.ext_oneapi_graph(*replay);
}
