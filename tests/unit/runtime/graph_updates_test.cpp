// SPDX-License-Identifier: Apache-2.0
// Updates of graphs by several threads.
#include <atomic>
#include <memory>
#include <pianola/test/all_devices.hpp>
#include <thread>
#include <vector>

namespace pianola::test {
namespace {

namespace exp = sycl::ext::oneapi::experimental;
using exp::property::graph::updatable;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;

TEST(graph_updates, several_threads_may_update_and_use_one_graph_at_a_time) {
  constexpr int last = 300;
  for (sycl::queue& q : queues_on_all_devices(sycl::property::queue::in_order{})) {
    const auto free = [q](int* p) { sycl::free(p, q); };
    const std::unique_ptr<int, decltype(free)> from_kernel(sycl::malloc_shared<int>(8, q), free),
        from_task(sycl::malloc_shared<int>(1, q), free);
    modifiable g(q);
    exp::dynamic_parameter<int> value(g, 0);
    auto node = g.add([&, to = from_kernel.get()](sycl::handler& h) {
      const sycl::ext::pianola::dynamic_argument v(value);
      h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { to[i] = v; });
    });
    auto task = g.add([to = from_task.get()](sycl::handler& h) {
      h.host_task([to, data = std::vector<int>(10)] { to[0] = static_cast<int>(data.size()); });
    });
    auto exec = g.finalize({updatable()});
    std::atomic<bool> stop{false};
    const auto until_stopped = [&](const auto& once) {
      return std::thread([&stop, once] {
        while (!stop) once();
      });
    };
    std::vector<std::thread> others;
    others.push_back(until_stopped([&] { exec.update(task); }));
    others.push_back(until_stopped([&] { exec.update(g); }));
    others.push_back(until_stopped([&] {
      sycl::queue other(q.get_context(), q.get_device());
      other.ext_oneapi_graph(exec).wait();
    }));
    others.push_back(until_stopped([&] {
      modifiable outer(q);
      outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(exec); });
      static_cast<void>(outer.finalize());
    }));
    for (int i = 1; i <= last; ++i) {
      value.update(i);
      exec.update(node);
    }
    stop = true;
    for (std::thread& t : others) t.join();
    exec.update(node);
    for (int i = 0; i < 8; ++i) from_kernel.get()[i] = 0;
    *from_task = 0;
    q.ext_oneapi_graph(exec).wait();
    EXPECT_EQ(from_kernel.get()[7], last);
    EXPECT_EQ(*from_task, 10);
  }
}

}  // namespace
}  // namespace pianola::test
