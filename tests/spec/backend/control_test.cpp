// SPDX-License-Identifier: Apache-2.0
// Loops and branches that devices run by themselves: steps of graphs that run other steps.
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <vector>

#include "graph_builder.hpp"

namespace pianola::test {
namespace {

using executors::resolved_control;
using model::control_kind;

constexpr char version_variable[] = "PIANOLA_TEST_DRIVER_CUDA_VERSION";

// One number in device memory for each kernel of a body, which becomes 3 x + addend.
class control : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t numbers = 8;

  void SetUp() override {
    if (const driver_control* d = control_of(GetParam())) before_ = d->live("graph");
    if (lacks(control_kind::loop, 1)) GTEST_SKIP() << "the driver has no conditional nodes";
    at_ = static_cast<std::uint64_t*>(r.allocate(sizeof(std::uint64_t) * numbers));
    set({});
  }
  void TearDown() override {
    graph_.reset();
    if (const driver_control* d = control_of(GetParam())) {
      EXPECT_EQ(d->live("graph"), before_);
    }
  }

  // Older drivers may; a double that is not told to be one does not.
  bool lacks(control_kind what, std::size_t bodies) {
    if (r.backend().holds_control(0, what, bodies)) return false;
    EXPECT_TRUE(control_of(GetParam()) == nullptr || std::getenv(version_variable) != nullptr);
    return true;
  }

  struct body {
    explicit body(rig& r) : steps(r) {}
    graph_builder steps;
    std::vector<executors::graph_step> taken;
    model::array_view<const executors::graph_step> view;
  };
  body& make_body() { return bodies_.emplace_back(r); }
  executors::resolved_kernel kernel(std::size_t number, std::uint64_t addend) {
    return affine.with(arguments_.emplace_back(affine_object{at_ + number, addend}), 1);
  }
  resolved_control running(control_kind what, std::vector<body*> all) {
    auto& views = views_.emplace_back();
    for (body* b : all) {
      for (std::size_t i = 0; i < b->steps.size(); ++i) b->taken.push_back(b->steps.step(i));
      views.emplace_back(b->taken.data(), b->taken.size());
    }
    resolved_control c;
    c.what = what;
    c.bodies = views;
    return c;
  }
  resolved_control repeat(std::uint64_t count, body& b) {
    resolved_control c = running(control_kind::repeat, {&b});
    c.count = count;
    return c;
  }
  resolved_control deciding(control_kind what, std::size_t number, std::vector<body*> all,
                            std::uint32_t bytes = 8) {
    resolved_control c = running(what, std::move(all));
    c.condition = at_ + number;
    c.bytes = bytes;
    return c;
  }

  void set(std::array<std::uint64_t, numbers> all) { r.upload(at_, all.data(), sizeof all); }
  std::array<std::uint64_t, numbers> get() {
    std::array<std::uint64_t, numbers> all{};
    r.download(all.data(), at_, sizeof all);
    return all;
  }
  void launch() {
    executors::lane& lane = r.lane();
    r.launch(lane, *graph_);
    r.wait(lane);
  }
  // What 3 x + addend makes zero after so many times.
  static std::uint64_t zero_after(unsigned times, std::uint64_t addend) {
    constexpr std::uint64_t third = 0xaaaaaaaaaaaaaaab;  // 3 * third == 1
    std::uint64_t x = 0;
    for (unsigned i = 0; i < times; ++i) x = (x - addend) * third;
    return x;
  }
  static std::uint64_t applied(std::uint64_t x, std::uint64_t addend, unsigned times) {
    for (unsigned i = 0; i < times; ++i) x = affine_kernel::apply(x, addend);
    return x;
  }

  rig r{GetParam()};
  affine_kernel affine;
  std::uint64_t* at_ = nullptr;
  std::unique_ptr<executors::native_graph> graph_;

 private:
  std::deque<body> bodies_;
  std::deque<affine_object> arguments_;
  std::deque<std::vector<model::array_view<const executors::graph_step>>> views_;
  std::size_t before_ = 0;
};

INSTANTIATE_TEST_SUITE_P(on, control, ::testing::Values(std::string("cuda")), backend_suffix);

TEST(control_of_backends, is_held_by_the_graphs_of_cuda) {
  for (const char* name : {"openmp", "simulated", "cuda", "hip"})
    for (const control_kind what :
         {control_kind::repeat, control_kind::loop, control_kind::branch, control_kind::choice})
      EXPECT_EQ(rig(name).backend().holds_control(0, what, 2), std::string(name) == "cuda") << name;
}

TEST_P(control, a_loop_runs_its_steps_until_the_number_is_zero) {
  graph_builder g(r);
  body& b = make_body();
  const std::uint32_t other = b.steps.add(kernel(1, 5));
  b.steps.add(kernel(0, 7), {other});
  b.steps.add(kernel(2, 1));  // that nothing waits for
  const std::uint32_t before = g.add(kernel(3, 1));
  const std::uint32_t loop = g.add(deciding(control_kind::loop, 0, {&b}), {before});
  g.add(kernel(1, 2), {loop});
  graph_ = g.instantiate();
  for (const unsigned times : {3U, 0U, 1U, 40U}) {
    set({zero_after(times, 7), 1, 2, 4});
    launch();
    const auto got = get();
    EXPECT_EQ(got[0], 0U);
    EXPECT_EQ(got[1], applied(applied(1, 5, times), 2, 1)) << times;
    EXPECT_EQ(got[2], applied(2, 1, times)) << times;
    EXPECT_EQ(got[3], applied(4, 1, 1));
  }
}

TEST_P(control, a_repeat_runs_its_steps_so_often_and_may_be_in_another) {
  graph_builder g(r);
  body &inner = make_body(), &outer = make_body(), &never = make_body();
  inner.steps.add(kernel(0, 3));
  const std::uint32_t loop = outer.steps.add(repeat(3, inner));
  outer.steps.add(kernel(1, 4), {loop});
  never.steps.add(kernel(2, 1));
  g.add(repeat(5, outer));
  g.add(repeat(0, never));
  graph_ = g.instantiate();
  for (int run = 0; run < 2; ++run) {
    set({1, 2, 3});
    launch();
    const auto got = get();
    EXPECT_EQ(got[0], applied(1, 3, 15));
    EXPECT_EQ(got[1], applied(2, 4, 5));
    EXPECT_EQ(got[2], 3U);
  }
}

TEST_P(control, a_number_chooses_one_of_several_and_beyond_the_last_one_none) {
  if (lacks(control_kind::choice, 3))
    GTEST_SKIP() << "the driver's conditional nodes have one body";
  graph_builder g(r);
  std::array<body*, 5> b{};
  for (std::size_t i = 0; i < 5; ++i) {
    b[i] = &make_body();
    b[i]->steps.add(kernel(i + 1, 10));
  }
  g.add(deciding(control_kind::choice, 0, {b[0], b[1], b[2]}));
  g.add(deciding(control_kind::branch, 0, {b[3], b[4]}));
  graph_ = g.instantiate();
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, ~std::uint64_t{0},
        std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1}) {
    set({n});
    launch();
    std::array<std::uint64_t, numbers> expected{n};
    if (n < 3) expected[n + 1] = 10;
    expected[n != 0 ? 4 : 5] = 10;
    EXPECT_EQ(get(), expected) << n;
  }
}

TEST_P(control, a_condition_has_its_own_bytes_only) {
  for (const std::uint32_t bytes : {1U, 2U, 4U}) {
    graph_builder g(r);
    body& b = make_body();
    b.steps.add(kernel(1, 10));
    g.add(deciding(control_kind::branch, 0, {&b}, bytes));
    graph_ = g.instantiate();
    set({~std::uint64_t{0} << (8 * bytes)});
    launch();
    EXPECT_EQ(get()[1], 0U) << bytes;
    set({std::uint64_t{0x80} << (8 * (bytes - 1))});
    launch();
    EXPECT_EQ(get()[1], 10U) << bytes;
  }
}

TEST_P(control, bodies_fill_and_copy) {
  graph_builder g(r);
  body& b = make_body();
  executors::resolved_fill fill;
  fill.destination = at_ + 1;
  fill.memory = r.memory_of(0);
  fill.width = 8;
  fill.pattern[0] = 3;
  executors::resolved_copy copy;
  copy.destination = at_ + 2;
  copy.source = at_ + 1;
  copy.to = copy.from = r.memory_of(0);
  copy.width = 8;
  const std::uint32_t filled = b.steps.add(fill);
  const std::uint32_t nothing = b.steps.add(executors::resolved_nothing{}, {filled});
  const std::uint32_t copied = b.steps.add(copy, {nothing});
  b.steps.add(kernel(0, 7), {copied});
  g.add(deciding(control_kind::loop, 0, {&b}));
  graph_ = g.instantiate();
  set({zero_after(2, 7)});
  launch();
  const auto got = get();
  EXPECT_EQ(got[0], 0U);
  EXPECT_EQ(got[1], 0x0303030303030303U);
  EXPECT_EQ(got[2], got[1]);
}

TEST_P(control, a_body_may_have_no_steps) {
  if (lacks(control_kind::branch, 2))
    GTEST_SKIP() << "the driver's conditional nodes have one body";
  graph_builder g(r);
  body &empty = make_body(), &b = make_body();
  b.steps.add(kernel(1, 10));
  g.add(repeat(3, empty));
  g.add(deciding(control_kind::branch, 0, {&empty, &b}));
  graph_ = g.instantiate();
  set({1});
  launch();
  EXPECT_EQ(get()[1], 0U);
  set({0});
  launch();
  EXPECT_EQ(get()[1], 10U);
}

// Drivers before CUDA 12.8 hang at a graph without work.
TEST_P(control, a_body_may_have_no_steps_with_drivers_that_want_some) {
  setenv(version_variable, "12040", 1);
  for (const bool with_step : {false, true}) {
    graph_builder g(r);
    body& b = make_body();
    if (with_step) b.steps.add(executors::resolved_nothing{});
    g.add(deciding(control_kind::branch, 0, {&b}));
    g.add(kernel(1, 10), {0});
    graph_ = g.instantiate();
    for (const std::uint64_t number : {1, 0}) {
      set({number});
      launch();
      EXPECT_EQ(get(), (std::array<std::uint64_t, numbers>{number, 10}));
    }
  }
  unsetenv(version_variable);
}

TEST_P(control, an_update_may_say_anything_else_of_the_same_shape) {
  graph_builder g(r);
  body &b = make_body(), &other = make_body();
  b.steps.add(kernel(1, 5));
  other.steps.add(kernel(2, 6));
  g.add(kernel(3, 1));
  g.add(repeat(2, b), {0});
  graph_ = g.instantiate();
  set({0, 1, 2, 3});
  launch();
  EXPECT_EQ(get(), (std::array<std::uint64_t, numbers>{0, applied(1, 5, 2), 2, 10}));
  executors::graph_step changed;
  changed.action = repeat(4, other);
  const std::uint32_t index = 1;
  ASSERT_TRUE(r.backend().update(*graph_, {&index, 1}, {&changed, 1}).ok());
  set({0, 1, 2, 3});
  launch();
  EXPECT_EQ(get(), (std::array<std::uint64_t, numbers>{0, 1, applied(2, 6, 4), 10}));
}

// The driver takes no copy of two dimensions in place, and may refuse the whole graph: then it is instantiated again.
TEST_P(control, an_update_may_instantiate_the_graph_anew) {
  graph_builder g(r);
  body& b = make_body();
  b.steps.add(kernel(0, 5));
  executors::resolved_copy copy;
  copy.to = copy.from = r.memory_of(0);
  copy.destination = at_ + 1;
  copy.source = at_ + 4;
  copy.width = 8;
  copy.height = 2;
  copy.source_row_pitch = copy.destination_row_pitch = 16;
  const std::uint32_t loop = g.add(repeat(2, b));
  g.add(copy, {loop});
  graph_ = g.instantiate();
  executors::graph_step changed;
  copy.source = at_ + 5;
  changed.action = copy;
  const std::uint32_t index = 1;
  ASSERT_TRUE(r.backend().update(*graph_, {&index, 1}, {&changed, 1}).ok());
  set({1, 2, 3, 4, 5, 6, 7, 8});
  launch();
  EXPECT_EQ(get(), (std::array<std::uint64_t, numbers>{applied(1, 5, 2), 6, 3, 8, 5, 6, 7, 8}));
}

TEST_P(control, is_a_step_that_may_be_left_out_while_something_has_failed) {
  graph_builder g(r);
  body& b = make_body();
  b.steps.add(kernel(1, 5));
  g.add(kernel(2, 1));
  const std::uint32_t control = g.add(repeat(3, b));
  graph_ = g.instantiate();
  std::uint64_t left_out = 9;
  r.log.admit = [&](std::uint64_t id) { return id != left_out; };
  attention() = true;
  set({0, 1, 2});
  launch();
  EXPECT_EQ(get(), (std::array<std::uint64_t, numbers>{0, applied(1, 5, 3), 7}));
  launch();
  EXPECT_EQ(get()[1], applied(1, 5, 6));
  left_out = control;
  set({0, 1, 2});
  launch();
  EXPECT_EQ(get(), (std::array<std::uint64_t, numbers>{0, 1, 7}));
  attention() = false;
  set({0, 1, 2});
  launch();
  EXPECT_EQ(get(), (std::array<std::uint64_t, numbers>{0, applied(1, 5, 3), 7}));
}

TEST_P(control, is_one_launch) {
  const driver_control* const d = control_of(GetParam());
  if (d == nullptr) GTEST_SKIP() << "needs a double";
  graph_builder g(r);
  body& b = make_body();
  b.steps.add(kernel(0, 5));
  g.add(repeat(1000, b));
  graph_ = g.instantiate();
  d->reset();
  launch();
  EXPECT_EQ(d->calls("cuGraphLaunch"), 1U);
  EXPECT_EQ(d->calls("cuLaunchKernel"), 0U);
  EXPECT_EQ(d->kernels(), 1000U);
}

TEST_P(control, that_the_driver_refuses_is_told) {
  const driver_control* const d = control_of(GetParam());
  if (d == nullptr) GTEST_SKIP() << "needs a double";
  body& b = make_body();
  b.steps.add(kernel(0, 5));
  for (const char* call : {"cuGraphConditionalHandleCreate", "cuGraphAddNode_v2",
                           "cuGraphAddKernelNode_v2", "cuGraphInstantiateWithFlags"}) {
    d->reset();
    ASSERT_TRUE(d->fail(call, 1, 2)) << call;
    graph_builder g(r);
    g.add(repeat(2, b));
    std::string told;
    try {
      graph_ = g.instantiate();
    } catch (const std::exception& e) {
      told = e.what();
    }
    EXPECT_NE(told.find("out of memory"), std::string::npos) << call << ": " << told;
    graph_.reset();
  }
  d->reset();
}

}  // namespace
}  // namespace pianola::test
