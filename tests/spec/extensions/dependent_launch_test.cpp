// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launch: what kernels compute does not depend on whether they overlap.
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/test/driver_control.hpp>
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
  // Of the test double of CUDA's driver, where the device is one of it.
  [[nodiscard]] const pianola::test::driver_control* control_of_cuda() const {
    const char* const driver = std::getenv("PIANOLA_CUDA_DRIVER");
    if (q.get_backend() != sycl::backend::cuda || driver == nullptr) return nullptr;
    void* const library = dlopen(driver, RTLD_NOW | RTLD_NOLOAD);
    return library == nullptr ? nullptr : pianola::test::driver_control_of(library);
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

// The copy has two dimensions: CUDA cannot give its node other parameters, but takes the graph as a whole, if the kinds of
// its edges are the same.
TEST_F(dependent_launch, in_a_graph_stays_when_the_graph_is_updated_as_a_whole) {
  constexpr std::size_t width = 4, pitch = 8, rows = 3;
  int* const from = sycl::malloc_device<int>(2 * pitch * rows, q);
  int* const to = sycl::malloc_device<int>(pitch * rows, q);
  std::vector<int> numbers(2 * pitch * rows);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
  q.copy(numbers.data(), from, numbers.size()).wait();
  const auto record = [&](int* source) {
    experimental::command_graph graph(q);
    graph.begin_recording(q);
    submit_steps(10);
    q.ext_oneapi_memcpy2d(to, pitch * sizeof(int), source, pitch * sizeof(int), width * sizeof(int),
                          rows);
    graph.end_recording(q);
    return graph;
  };
  start();
  q.fill(to, -1, pitch * rows);
  auto executable = record(from).finalize(experimental::property::graph::updatable{});
  q.ext_oneapi_graph(executable);
  q.wait();
  const auto* control = control_of_cuda();
  const std::uint64_t made = control == nullptr ? 0 : control->calls("cuGraphInstantiateWithFlags");
  const auto anew = [] { return sycl::ext::pianola::get_statistics().graph_reinstantiations; };
  const std::uint64_t before = anew();
  executable.update(record(from + pitch * rows));
  EXPECT_EQ(anew() - before, q.get_backend() == sycl::backend::hip ? 1U : 0U)
      << "HIP's updates of whole graphs are not believed";
  sycl::ext::pianola::reset_statistics();
  EXPECT_EQ(anew(), 0U);
  q.ext_oneapi_graph(executable);
  EXPECT_EQ(result(), expected(20));
  q.copy(to, numbers.data(), pitch * rows).wait();
  for (std::size_t i = 0; i < pitch * rows; ++i)
    EXPECT_EQ(numbers[i], i % pitch < width ? static_cast<int>(pitch * rows + i) : -1) << i;
  if (control != nullptr) {
    EXPECT_GT(control->calls("cuGraphAddDependencies_v2"), 0U) << "edges of their own kind";
    EXPECT_GT(control->calls("cuGraphExecUpdate_v2"), 0U);
    EXPECT_EQ(control->calls("cuGraphInstantiateWithFlags"), made) << "the graph is made anew";
  }
  sycl::free(from, q);
  sycl::free(to, q);
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
