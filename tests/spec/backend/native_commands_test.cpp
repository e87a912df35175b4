// SPDX-License-Identifier: Apache-2.0
// Functions of the program that put work into a stream, in lanes and in graphs.
#include <array>
#include <functional>
#include <vector>

#include "graph_builder.hpp"
#include "matrix_library.hpp"

namespace pianola::test {
namespace {

class native_commands : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::uint64_t n = 9;
  using matrix = std::vector<std::uint64_t>;

  void SetUp() override {
    for (std::uint64_t*& m : device_) m = static_cast<std::uint64_t*>(r.allocate(n * n * 8));
    for (std::size_t i = 0; i < n * n; ++i) {
      expected_[0].push_back(i % 5);
      expected_[1].push_back(i % 7 + 1);
    }
    for (int i = 0; i < 2; ++i) r.upload(device_[i], expected_[i].data(), n * n * 8);
  }

  // A function of the program that calls the library.
  executors::resolved_host_task library_call() {
    executors::resolved_host_task t;
    t.arguments.bytes = &self_;
    t.arguments.size = sizeof self_;
    t.arguments.alignment = alignof(native_commands*);
    t.enqueues = true;
    t.invoke_with_access = [](void* arguments, const model::native_access& access) {
      (**static_cast<native_commands**>(arguments)).run(access);
    };
    return t;
  }
  void run(const model::native_access& access) {
    ++calls;
    library.multiply_both_ways(access.stream, device_[0], device_[1], device_[2], device_[3], n);
    if (afterwards) afterwards(access);
  }

  // affine(a) -> library -> affine(c), affine(d)
  void add_steps(graph_builder& b) {
    const std::uint32_t first = b.add(affine.with(arguments_[0] = {device_[0], 3}, n * n));
    const std::uint32_t products = b.add(library_call(), {first});
    b.add(affine.with(arguments_[1] = {device_[2], 1}, n * n), {products});
    b.add(affine.with(arguments_[2] = {device_[3], 2}, n * n), {products});
  }
  void expect_one_more_run() {
    const auto product = [](const matrix& x, const matrix& y) {
      matrix z(n * n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t k = 0; k < n; ++k) z[i * n + j] += x[i * n + k] * y[k * n + j];
      return z;
    };
    const auto apply = [](matrix& m, std::uint64_t addend) {
      for (std::uint64_t& x : m) x = affine_kernel::apply(x, addend);
    };
    apply(expected_[0], 3);
    expected_[2] = product(expected_[0], expected_[1]);
    expected_[3] = product(expected_[1], expected_[0]);
    apply(expected_[2], 1);
    apply(expected_[3], 2);
    for (int i = 0; i < 4; ++i) {
      matrix got(n * n);
      r.download(got.data(), device_[i], n * n * 8);
      ASSERT_EQ(got, expected_[i]) << "matrix " << i;
    }
  }
  // What making the graph says.
  std::string refusal() {
    graph_builder b(r);
    add_steps(b);
    try {
      (void)b.instantiate();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  }

  rig r{GetParam()};
  affine_kernel affine;
  matrix_library library{GetParam(), suite_image()};
  int calls = 0;
  std::function<void(const model::native_access&)> afterwards;

 private:
  native_commands* self_ = this;
  std::array<std::uint64_t*, 4> device_{};
  std::array<matrix, 4> expected_;
  std::array<affine_object, 3> arguments_{};
};

INSTANTIATE_TEST_SUITE_P(on, native_commands,
                         ::testing::Values(std::string("cuda"), std::string("hip")),
                         backend_suffix);

TEST_P(native_commands, have_their_place_in_a_lane) {
  executors::lane& lane = r.lane();
  graph_builder b(r);
  add_steps(b);
  for (int run = 1; run <= 3; ++run) {
    for (std::size_t i = 0; i < b.size(); ++i) r.submit(lane, b.step(i).action);
    r.wait(lane);
    EXPECT_EQ(calls, run);
    expect_one_more_run();
  }
}

TEST_P(native_commands, of_a_library_that_knows_streams_only_are_captured_into_a_graph) {
  graph_builder b(r);
  add_steps(b);
  const auto graph = b.instantiate();
  executors::lane& lane = r.lane();
  for (int run = 0; run < 3; ++run) {
    r.launch(lane, *graph);
    r.wait(lane);
    expect_one_more_run();
  }
  EXPECT_EQ(calls, 1) << "replays have what it did";
}

// A graph inside of a graph must not allocate.
TEST_P(native_commands, may_allocate_in_the_stream) {
  if (GetParam() != "cuda") GTEST_SKIP() << "it is libraries for CUDA that do";
  if (library.driver_version() < 12030) GTEST_SKIP() << "the driver captures into no other graph";
  library.with_workspace = true;
  executors::lane& lane = r.lane();
  {
    graph_builder b(r);
    add_steps(b);
    const auto graph = b.instantiate();
    for (int run = 0; run < 3; ++run) {
      r.launch(lane, *graph);
      r.wait(lane);
      expect_one_more_run();
    }
    EXPECT_EQ(calls, 1);
    for (std::size_t i = 0; i < b.size(); ++i) r.submit(lane, b.step(i).action);
    r.wait(lane);
    expect_one_more_run();
  }
  if (const driver_control* const control = control_of(GetParam())) {
    EXPECT_EQ(control->live("executable graph"), 0U);
    EXPECT_EQ(control->live("graph"), 0U);
  }
}

TEST_P(native_commands, may_ask_for_the_graph_that_has_what_was_captured) {
  std::vector<void*> graphs;
  afterwards = [&](const model::native_access& access) {
    for (int i = 0; i < 2; ++i) graphs.push_back(access.graph->take());
  };
  graph_builder b(r);
  add_steps(b);
  const auto graph = b.instantiate();
  ASSERT_EQ(graphs.size(), 2U);
  EXPECT_NE(graphs[0], nullptr);
  EXPECT_EQ(graphs[0], graphs[1]);
  executors::lane& lane = r.lane();
  r.launch(lane, *graph);
  r.wait(lane);
  expect_one_more_run();
}

TEST_P(native_commands, that_throw_while_they_are_captured_leave_nothing_behind) {
  afterwards = [](const model::native_access&) { throw std::runtime_error("out of workspace"); };
  EXPECT_EQ(refusal(), "out of workspace");
  afterwards = {};
  graph_builder b(r);
  add_steps(b);
  const auto graph = b.instantiate();
  executors::lane& lane = r.lane();
  r.launch(lane, *graph);
  r.wait(lane);
  expect_one_more_run();
}

TEST_P(native_commands, that_the_driver_does_not_capture_are_refused_with_its_word) {
  const driver_control* const control = control_of(GetParam());
  if (control == nullptr) GTEST_SKIP() << "a real driver is not told to fail";
  const bool cuda = GetParam() == "cuda";
  control->fail(cuda ? "cuStreamEndCapture" : "hipStreamEndCapture", 1, 904);
  const std::string text = refusal();
  EXPECT_NE(text.find("capturing what a native command puts into its stream"), std::string::npos)
      << text;
  EXPECT_NE(text.find("904"), std::string::npos) << text;
  for (const char* begins :
       {"cuStreamBeginCapture_v2", "cuStreamBeginCaptureToGraph", "hipStreamBeginCapture"})
    control->fail(begins, 1, 900);
  EXPECT_NE(refusal().find("beginning to capture a stream"), std::string::npos);
  EXPECT_EQ(calls, 1);
  control->reset();
}

}  // namespace
}  // namespace pianola::test
