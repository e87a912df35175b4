// SPDX-License-Identifier: Apache-2.0
// Objects with common reference semantics that were moved from (SYCL 2020, 4.5.2).
#include <utility>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
class moved_kernel;

// Moves `from` away and back, and expects all three to be the same afterwards.
template <class T>
void expect_usable_after_moves(T from) {
  const T same = from;
  T to = std::move(from);
  EXPECT_TRUE(from == same);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(to == same);
  from = std::move(to);
  EXPECT_TRUE(to == same);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(from == same);
}

TEST(moved_from, objects_can_be_used_as_before) {
  sycl::queue q;
  q.single_task<moved_kernel>([] {}).wait();
  expect_usable_after_moves(q);
  expect_usable_after_moves(q.get_context());
  expect_usable_after_moves(q.get_device());
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  expect_usable_after_moves(bundle);
  expect_usable_after_moves(bundle.get_kernel(sycl::get_kernel_id<moved_kernel>()));
  expect_usable_after_moves(exp::memory_pool(q, sycl::usm::alloc::device));
  exp::command_graph graph(q);
  expect_usable_after_moves(graph.add([](sycl::handler& h) { h.single_task([] {}); }));
  expect_usable_after_moves(graph);
  expect_usable_after_moves(graph.finalize());
}

TEST(moved_from, graphs_record_and_run) {
  sycl::queue q;
  exp::command_graph graph(q);
  const exp::command_graph other = std::move(graph);
  int runs = 0;
  exp::dynamic_parameter<int> step(graph, 1);  // NOLINT(bugprone-use-after-move)
  const auto same_step = std::move(step);
  exp::dynamic_command_group groups(graph, {[&](sycl::handler& h) {
                                      const sycl::ext::pianola::dynamic_argument by(step);
                                      h.host_task([&runs, by] { runs += by; });
                                    }});
  const auto same_groups = std::move(groups);
  graph.add(groups);  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(groups.get_active_index(), 0u);
  step.update(2);
  auto executable = other.finalize();
  const auto moved = std::move(executable);
  q.ext_oneapi_graph(executable).wait();  // NOLINT(bugprone-use-after-move)
  q.ext_oneapi_graph(moved).wait();
  EXPECT_EQ(runs, 4);
}

TEST(moved_from, parameters_of_graphs_stand_for_what_they_did) {
  sycl::queue q;
  sycl::ext::pianola::graph_parameter<sycl::buffer<int>> first(sycl::range<1>(8));
  const auto second = std::move(first);
  exp::command_graph graph(q);
  graph.add([&](sycl::handler& h) {
    const sycl::accessor a(*first, h, sycl::write_only);  // NOLINT(bugprone-use-after-move)
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { a[i] = 3; });
  });
  sycl::buffer<int> b(8);
  q.ext_oneapi_graph(graph.finalize(), {second = b}).wait();
  EXPECT_EQ(sycl::host_accessor(b)[7], 3);
}

TEST(moved_from, exceptions_keep_their_text) {
  sycl::exception first(sycl::make_error_code(sycl::errc::invalid), "why");
  const sycl::exception second = std::move(first);
  EXPECT_STREQ(first.what(), "why");  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(first.code() == second.code());
}

// A buffer ends with the object that it was moved to, so what is left is none.
TEST(moved_from, buffers_say_so) {
  sycl::buffer<int> first(8);
  const sycl::buffer<int> second = std::move(first);
  EXPECT_EQ(error_code_of([&] { sycl::host_accessor access(first); }),  // NOLINT
            sycl::errc::invalid);
}

}  // namespace
