// SPDX-License-Identifier: Apache-2.0
// Loops and branches that a device's own graph runs, and those that it cannot: the same results, and who looks at conditions.
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <pianola/test/driver_control.hpp>
#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

constexpr int iterations = 12;

struct graph_control_on_device : testing::Test {
  sycl::queue q;
  sycl::buffer<int> x{sycl::range<1>(1)}, left{sycl::range<1>(1)};

  // Of the test double of CUDA's driver, where the device is one of it.
  [[nodiscard]] const pianola::test::driver_control* control_of_cuda() const {
    const char* const driver = std::getenv("PIANOLA_CUDA_DRIVER");
    if (q.get_backend() != sycl::backend::cuda || driver == nullptr) return nullptr;
    void* const library = dlopen(driver, RTLD_NOW | RTLD_NOLOAD);
    return library == nullptr ? nullptr : pianola::test::driver_control_of(library);
  }
  static void set(sycl::buffer<int>& b, int value) {
    sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
    a[0] = value;
  }
  static int get(sycl::buffer<int>& b) { return sycl::host_accessor(b, sycl::read_only)[0]; }

  // x = 3 x + 1, and one less to go.
  void count_down(sycl::handler& h) {
    const sycl::accessor a(x, h, sycl::read_write);
    const sycl::accessor l(left, h, sycl::read_write);
    h.single_task([=] {
      a[0] = (3 * a[0] + 1) % 10007;
      l[0] -= 1;
    });
  }
  // Runs it twice. How often the driver was told to launch something, if the device has the double of a driver.
  std::uint64_t run(executable& made, std::uint64_t otherwise) {
    const pianola::test::driver_control* const d = control_of_cuda();
    int expected = 5;
    for (int i = 0; i < iterations; ++i) expected = (3 * expected + 1) % 10007;
    std::uint64_t launches = otherwise;
    for (int round = 0; round < 2; ++round) {
      set(x, 5);
      set(left, iterations);
      if (d != nullptr) d->reset();
      q.ext_oneapi_graph(made).wait();
      if (d != nullptr) launches = d->calls("cuGraphLaunch");
      EXPECT_EQ(get(x), expected);
      EXPECT_EQ(get(left), 0);
    }
    return launches;
  }
};

TEST_F(graph_control_on_device, a_loop_of_kernels_is_one_launch) {
  graphs::command_graph body(q), graph(q);
  body.add([&](sycl::handler& h) { count_down(h); });
  graph.add_while(left, body.finalize());
  auto made = graph.finalize();
  EXPECT_EQ(run(made, 1), 1U);
}

TEST_F(graph_control_on_device, so_is_one_in_another_behind_a_branch) {
  graphs::command_graph step(q), round(q), never(q), graph(q);
  sycl::buffer<int> rounds{sycl::range<1>(1)};
  step.add([&](sycl::handler& h) { count_down(h); });
  const executable inner = step.finalize();
  round.add([&](sycl::handler& h) {
    const sycl::accessor r(rounds, h, sycl::read_write);
    h.single_task([=] { r[0] -= 1; });
  });
  round.add_repeat(iterations / 3, inner);
  never.add([&](sycl::handler& h) {
    const sycl::accessor a(x, h, sycl::read_write);
    h.single_task([=] { a[0] = -1; });
  });
  graphs::command_graph loop(q);
  loop.add_while(rounds, round.finalize());
  graph.add([&](sycl::handler& h) {
    const sycl::accessor r(rounds, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { r[0] = 3; });
  });
  graph.add_if(left, loop.finalize(), never.finalize());
  auto made = graph.finalize();
  EXPECT_EQ(run(made, 1), 1U);
}

TEST_F(graph_control_on_device, one_that_needs_the_host_is_launched_again_and_again) {
  graphs::command_graph body(q), graph(q);
  int seen = 0;
  body.add([&](sycl::handler& h) { count_down(h); });
  body.add([&](sycl::handler& h) {
    const sycl::accessor a(x, h, sycl::read_only_host_task);
    h.host_task([&seen, a] { seen += a[0] >= 0 ? 1 : 0; });
  });
  graph.add_while(left, body.finalize());
  auto made = graph.finalize();
  EXPECT_GE(run(made, iterations), static_cast<std::uint64_t>(iterations));
  EXPECT_EQ(seen, 2 * iterations);
}

TEST_F(graph_control_on_device, kernels_that_read_their_range_are_looked_after_by_the_host) {
  graphs::command_graph body(q), graph(q);
  sycl::buffer<int> size{sycl::range<1>(1)};
  set(size, 1);
  body.add([&](sycl::handler& h) { count_down(h); });
  body.add([&](sycl::handler& h) {
    const sycl::accessor n(size, h, sycl::read_only);
    const sycl::accessor a(x, h, sycl::read_write);
    sycl::ext::pianola::parallel_for(h, sycl::ext::pianola::indirect_range(n, sycl::range<1>(1)),
                                     [=](sycl::id<1> i) { a[i] = a[i] % 10007; });
  });
  graph.add_while(left, body.finalize());
  auto made = graph.finalize();
  EXPECT_GE(run(made, iterations), static_cast<std::uint64_t>(iterations));
}

TEST_F(graph_control_on_device, a_buffer_may_get_another_place_and_end) {
  graphs::command_graph graph(q);
  int seen = 0;
  {
    sycl::buffer<int> own(&seen, sycl::range<1>(1));
    graphs::command_graph body(q);
    body.add([&](sycl::handler& h) { count_down(h); });
    body.add([&](sycl::handler& h) {
      const sycl::accessor o(own, h, sycl::read_write);
      h.single_task([=] { o[0] += 1; });
    });
    graph.add_while(left, body.finalize());
    auto made = graph.finalize();
    EXPECT_EQ(run(made, 1), 1U);
    EXPECT_EQ(get(own), 2 * iterations);
    {
      // On the host meanwhile.
      sycl::host_accessor o(own, sycl::read_write);
      o[0] = 100;
    }
    EXPECT_EQ(run(made, 1), 1U);
  }
  EXPECT_EQ(seen, 100 + 2 * iterations);
}

TEST_F(graph_control_on_device, have_times_as_one_node) {
  graphs::command_graph body(q), graph(q);
  body.add([&](sycl::handler& h) { count_down(h); });
  const graphs::node loop = graph.add_while(left, body.finalize());
  auto made = graph.finalize(graphs::property::graph::enable_profiling{});
  set(x, 5);
  set(left, iterations);
  const sycl::event launch = q.ext_oneapi_graph(made);
  const auto times = sycl::ext::pianola::node_times(launch, loop);
  EXPECT_GE(times.end, times.start);
  EXPECT_NE(times.end, 0U);
  EXPECT_EQ(get(left), 0);
}

}  // namespace
