// SPDX-License-Identifier: Apache-2.0
// What sycl_ext_oneapi_graph says is an error in a graph, and Pianola can do.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <vector>

namespace {

namespace exp = sycl::ext::oneapi::experimental;

class graph_allows : public ::testing::Test {
 protected:
  graph_allows() {
    for (int i = 0; i < 16; ++i) a[i] = i;
  }
  ~graph_allows() override { sycl::free(a, q); }
  void replay() { q.ext_oneapi_graph(g.finalize()).wait_and_throw(); }

  sycl::queue q{sycl::property::queue::in_order{}};
  exp::command_graph<exp::graph_state::modifiable> g{q};
  int* a = sycl::malloc_shared<int>(16, q);
};

TEST_F(graph_allows, barriers_among_the_nodes_that_are_added) {
  int* const x = a;
  const exp::node first = g.add([&](sycl::handler& h) { h.single_task([=] { x[0] = 7; }); });
  exp::node barrier = g.add([&](sycl::handler& h) { h.ext_oneapi_barrier(); },
                            {exp::property::node::depends_on(first)});
  g.add([&](sycl::handler& h) { h.single_task([=] { x[1] = x[0]; }); },
        {exp::property::node::depends_on(barrier)});
  EXPECT_EQ(barrier.get_type(), exp::node_type::ext_oneapi_barrier);
  ASSERT_EQ(barrier.get_predecessors().size(), 1U);
  replay();
  EXPECT_EQ(a[1], 7);
}

TEST_F(graph_allows, copies_of_rows) {
  int* const x = a;
  g.add([&](sycl::handler& h) { h.ext_oneapi_memcpy2d(x + 8, 16, x, 8, 8, 2); });
  replay();
  EXPECT_EQ(std::vector<int>(a + 8, a + 16), (std::vector<int>{0, 1, 10, 11, 2, 3, 14, 15}));
}

TEST_F(graph_allows, work_group_scratch_memory) {
  int* const x = a;
  g.begin_recording(q);
  exp::nd_launch(q,
                 exp::launch_config(sycl::nd_range<1>(8, 4),
                                    exp::properties(exp::work_group_scratch_size(4 * sizeof(int)))),
                 [=](sycl::nd_item<1> it) {
                   int* const scratch = static_cast<int*>(exp::get_work_group_scratch_memory());
                   scratch[it.get_local_id(0)] = static_cast<int>(it.get_global_id(0));
                   sycl::group_barrier(it.get_group());
                   x[it.get_global_id(0)] = scratch[3 - it.get_local_id(0)];
                 });
  g.end_recording(q);
  replay();
  EXPECT_EQ(std::vector<int>(a, a + 8), (std::vector<int>{3, 2, 1, 0, 7, 6, 5, 4}));
}

TEST_F(graph_allows, command_groups_for_one_node_that_use_different_data) {
  sycl::buffer<int> x{1}, y{1};
  for (sycl::buffer<int>* one : {&x, &y}) sycl::host_accessor{*one}[0] = 0;
  const auto adding_to = [](sycl::buffer<int>& to) {
    return [&](sycl::handler& h) {
      sycl::accessor out{to, h};
      h.single_task([=] { out[0] += 1; });
    };
  };
  exp::dynamic_command_group choice(g, {adding_to(x), adding_to(y)});
  exp::node n = g.add(choice);
  auto body = g.finalize(exp::property::graph::updatable{});
  q.ext_oneapi_graph(body);
  choice.set_active_index(1);
  body.update(n);
  q.ext_oneapi_graph(body);
  q.ext_oneapi_graph(body);
  EXPECT_EQ(sycl::host_accessor(x)[0], 1);
  EXPECT_EQ(sycl::host_accessor(y)[0], 2);
}

TEST(graphs_allow_more, nodes_to_be_told_apart_by_their_numbers) {
  sycl::queue q;
  exp::command_graph<exp::graph_state::modifiable> graph(q);
  const exp::node one = graph.add([](sycl::handler& h) { h.single_task([] {}); });
  const exp::node two = graph.add(), same = one;
  EXPECT_LT(one.get_id(), two.get_id());
  EXPECT_EQ(one.get_id(), same.get_id());
}

// Copies and fills keep no word of what they worked on before.
TEST(graphs_allow_more, nodes_to_be_updated_whose_memory_was_freed) {
  constexpr std::size_t count = 64;
  sycl::queue q;
  int* const to = sycl::malloc_device<int>(count, q);
  const auto filled = [&](int value) {
    int* const memory = sycl::malloc_device<int>(count, q);
    q.fill(memory, value, count).wait();
    return memory;
  };
  const auto recorded = [&](int* from) {
    exp::command_graph<exp::graph_state::modifiable> graph(q);
    const exp::node copy =
        graph.add([&](sycl::handler& h) { h.memcpy(to, from, count * sizeof(int)); });
    graph.add([&](sycl::handler& h) { h.fill(from, 9, count); },
              {exp::property::node::depends_on(copy)});
    return graph;
  };
  int* from = filled(3);
  auto run = recorded(from).finalize(exp::property::graph::updatable{});
  for (const int value : {4, 5, 6}) {
    q.ext_oneapi_graph(run).wait();
    sycl::free(from, q);
    from = filled(value);
    run.update(recorded(from));
  }
  q.ext_oneapi_graph(run).wait();
  int seen = 0, left = 0;
  q.memcpy(&seen, to + count - 1, sizeof seen).wait();
  q.memcpy(&left, from, sizeof left).wait();
  EXPECT_EQ(seen, 6);
  EXPECT_EQ(left, 9);
  sycl::free(from, q);
  sycl::free(to, q);
}

}  // namespace
