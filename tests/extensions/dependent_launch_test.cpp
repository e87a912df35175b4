// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launch: what kernels compute does not depend on whether they overlap.
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace experimental = sycl::ext::oneapi::experimental;

constexpr std::size_t items = 64;

// Each step adds up its neighbours of the step before.
struct step {
  const int* from;
  int* to;
  void operator()(sycl::nd_item<1> it) const {
    sycl::ext::pianola::launch_dependents();
    const std::size_t i = it.get_global_id(0);
    sycl::ext::pianola::wait_for_prerequisites();
    to[i] = from[i] % 1000 + from[(i + 1) % items] % 1000;
  }
  auto get(experimental::properties_tag) const {
    return experimental::properties{sycl::ext::pianola::programmatic_dependent_launch};
  }
};

struct dependent_launch : testing::Test {
  sycl::queue q{sycl::property::queue::in_order()};
  int* a = sycl::malloc_device<int>(items, q);
  int* b = sycl::malloc_device<int>(items, q);
  ~dependent_launch() override {
    sycl::free(a, q);
    sycl::free(b, q);
  }
  void start() {
    std::vector<int> values(items);
    for (std::size_t i = 0; i < items; ++i) values[i] = static_cast<int>(i * i % 7);
    q.memcpy(a, values.data(), items * sizeof(int)).wait();
  }
  void submit_steps(int n) {
    for (int s = 0; s < n; ++s) {
      q.parallel_for(sycl::nd_range<1>(items, 16), step{s % 2 == 0 ? a : b, s % 2 == 0 ? b : a});
    }
  }
  std::vector<int> result() {
    std::vector<int> values(items);
    q.memcpy(values.data(), a, items * sizeof(int)).wait();
    return values;
  }
  static std::vector<int> expected(int n) {
    std::vector<int> now(items), next(items);
    for (std::size_t i = 0; i < items; ++i) now[i] = static_cast<int>(i * i % 7);
    for (int s = 0; s < n; ++s) {
      for (std::size_t i = 0; i < items; ++i) next[i] = now[i] % 1000 + now[(i + 1) % items] % 1000;
      now.swap(next);
    }
    return now;
  }
};

TEST_F(dependent_launch, keeps_the_order_of_what_is_written_and_read) {
  start();
  submit_steps(20);
  EXPECT_EQ(result(), expected(20));
}

TEST_F(dependent_launch, in_a_recorded_graph_does_so_too) {
  start();
  experimental::command_graph graph(q);
  graph.begin_recording(q);
  submit_steps(10);
  graph.end_recording(q);
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable);
  q.ext_oneapi_graph(executable);
  EXPECT_EQ(result(), expected(20));
}

TEST_F(dependent_launch, is_asked_for_with_parallel_for_as_well) {
  start();
  q.parallel_for(sycl::nd_range<1>(items, 16),
                 experimental::properties{sycl::ext::pianola::programmatic_dependent_launch},
                 [a = a](sycl::nd_item<1> it) {
                   sycl::ext::pianola::wait_for_prerequisites();
                   a[it.get_global_id(0)] = 5;
                 });
  EXPECT_EQ(result(), std::vector<int>(items, 5));
}

}  // namespace
