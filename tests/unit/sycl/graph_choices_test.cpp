// SPDX-License-Identifier: Apache-2.0
// Dynamic parameters and dynamic command groups of recorded graphs, and updates of single nodes
// (sycl_ext_oneapi_graph, "Graph update").
#include <cstddef>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using exp::property::graph::updatable;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;
using sycl::ext::pianola::dynamic_argument;

class graph_choices : public ::testing::Test {
 protected:
  graph_choices() : a(sycl::malloc_shared<int>(64, q)), b(sycl::malloc_shared<int>(64, q)) {
    clear();
  }
  ~graph_choices() override {
    q.wait();
    sycl::free(a, q);
    sycl::free(b, q);
  }
  void clear() {
    for (int i = 0; i < 64; ++i) a[i] = b[i] = 0;
  }
  // What the graph leaves in a and b.
  void replay(const executable& g) {
    clear();
    q.ext_oneapi_graph(g);
    q.wait_and_throw();
  }
  // How many of the first elements were written.
  static int written(const int* values) {
    int n = 0;
    while (n < 64 && values[n] != 0) ++n;
    return n;
  }
  std::function<void(sycl::handler&)> filling(int* to, std::size_t count, int value) {
    return [=](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = value; });
    };
  }

  sycl::queue q{sycl::property::queue::in_order{}};
  int* a;
  int* b;
};

TEST_F(graph_choices, a_parameter_reaches_command_groups_that_are_not_active) {
  modifiable g(q);
  exp::dynamic_parameter<int> value(g, 1);
  const auto writing = [&](int* to) {
    return [=](sycl::handler& h) {
      const dynamic_argument v(value);
      h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { to[i] = v; });
    };
  };
  exp::dynamic_command_group groups(g, {writing(a), writing(b)});
  value.update(2);  // before there is a node
  auto node = g.add(groups);
  auto exec = g.finalize({updatable()});
  replay(exec);
  EXPECT_EQ(a[3], 2);
  value.update(3);
  groups.set_active_index(1);
  exec.update(node);
  replay(exec);
  EXPECT_EQ(a[3], 0);
  EXPECT_EQ(b[3], 3);
  value.update(4);
  groups.set_active_index(0);
  exec.update(node);
  replay(exec);
  EXPECT_EQ(a[3], 4);
}

TEST_F(graph_choices, copies_of_a_parameter_are_the_same_parameter) {
  modifiable g(q);
  exp::dynamic_parameter<int> value(g, 1), copy = value;
  copy.update(5);
  auto node = g.add([&, to = a](sycl::handler& h) {
    const dynamic_argument v(value);
    h.single_task([=] { to[0] = v; });
  });
  replay(g.finalize());
  EXPECT_EQ(a[0], 5);
}

TEST_F(graph_choices, a_parameter_of_another_graph_is_refused_and_one_of_none_is_not) {
  modifiable g(q), other(q);
  exp::dynamic_parameter<int> foreign(other, 1), free(1);
  const auto using_it = [&](const exp::dynamic_parameter<int>& p) {
    return [&p, to = a](sycl::handler& h) {
      const dynamic_argument v(p);
      h.single_task([=] { to[0] = v; });
    };
  };
  EXPECT_EQ(error_code_of([&] { g.add(using_it(foreign)); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { exp::dynamic_command_group(g, {using_it(foreign)}); }),
            sycl::errc::invalid);
  g.begin_recording(q);
  EXPECT_EQ(error_code_of([&] { q.submit(using_it(foreign)); }), sycl::errc::invalid);
  g.end_recording(q);
  EXPECT_TRUE(g.empty());
  g.add(using_it(free));
  other.add(using_it(free));
  other.add(using_it(foreign));
}

TEST_F(graph_choices, an_update_of_a_parameter_alone_changes_no_executable_graph) {
  modifiable g(q), outer(q);
  exp::dynamic_parameter<int> value(g, 1);
  auto node = g.add([&, to = a](sycl::handler& h) {
    const dynamic_argument v(value);
    h.single_task([=] { to[0] = v; });
  });
  auto second = g.add([&](sycl::handler& h) { filling(b, 2, 1)(h); });
  auto exec = g.finalize({updatable()});
  value.update(2);
  // Nor what is made of one.
  outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(exec); });
  replay(outer.finalize());
  EXPECT_EQ(a[0], 1);
  exec.update(second);
  replay(exec);
  EXPECT_EQ(a[0], 1);
  exec.update(node);
  replay(exec);
  EXPECT_EQ(a[0], 2);
}

TEST_F(graph_choices, a_parameter_is_no_argument_of_a_function_object) {
  modifiable g(q);
  exp::dynamic_parameter<int*> where(g, a);
  EXPECT_EQ(error_code_of([&] {
              g.add([&, to = a](sycl::handler& h) {
                h.set_arg(0, where);
                h.single_task([=] { to[0] = 1; });
              });
            }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] {
              g.add([&, to = a](sycl::handler& h) {
                h.set_args(where);
                h.parallel_for(sycl::nd_range<1>(4, 2),
                               [=](sycl::nd_item<1> i) { to[i.get_global_id(0)] = 1; });
              });
            }),
            sycl::errc::invalid);
  // Nor of what is no kernel, whatever comes first.
  EXPECT_EQ(error_code_of([&] {
              g.add([&, to = a](sycl::handler& h) {
                h.memset(to, 0, 4);
                h.set_arg(0, where);
              });
            }),
            sycl::errc::invalid);
  EXPECT_TRUE(g.empty());
}

TEST_F(graph_choices, a_range_belongs_to_the_command_group_that_was_active) {
  modifiable g(q);
  exp::dynamic_command_group groups(g, {filling(a, 8, 1), filling(b, 8, 1)});
  auto node = g.add(groups);
  auto exec = g.finalize({updatable()});
  node.update_range(sycl::range<1>(5));
  groups.set_active_index(1);
  exec.update(node);
  replay(exec);
  EXPECT_EQ(written(b), 8);
  groups.set_active_index(0);
  exec.update(node);
  replay(exec);
  EXPECT_EQ(written(a), 5);
  EXPECT_EQ(written(b), 0);
}

TEST_F(graph_choices, a_range_is_that_of_every_node_of_the_command_group) {
  modifiable g(q);
  exp::dynamic_parameter<int> value(g, 1);
  exp::dynamic_command_group groups(g, {[=, to = a](sycl::handler& h) {
                                          h.parallel_for(sycl::range<1>(8),
                                                         [=](sycl::id<1> i) { to[i] += 1; });
                                        },
                                        filling(b, 2, 1)});
  auto first = g.add(groups);
  auto second = g.add(groups, exp::property::node::depends_on(first));
  auto exec = g.finalize({updatable()});
  first.update_range(sycl::range<1>(3));
  exec.update(std::vector<exp::node>{first, second});
  replay(exec);
  EXPECT_EQ(a[2], 2);
  EXPECT_EQ(a[3], 0);
}

TEST_F(graph_choices, command_groups_are_of_one_graph_and_set_what_a_node_can_exchange) {
  modifiable g(q), other(q);
  exp::dynamic_command_group groups(g, {filling(a, 1, 1)});
  EXPECT_EQ(error_code_of([&] { other.add(groups); }), sycl::errc::invalid);
  const std::vector<std::function<void(sycl::handler&)>> sets{
      [](sycl::handler& h) { h.ext_oneapi_barrier(); }};
  EXPECT_EQ(error_code_of([&] { exp::dynamic_command_group(g, sets); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { groups.set_active_index(1); }), sycl::errc::invalid);
  groups.set_active_index(0);
}

TEST_F(graph_choices, nodes_stay_usable_after_an_update_from_another_graph) {
  std::vector<int> first(8, 0), second(8, 0), third(8, 0);
  {
    sycl::buffer<int> one(first), two(second), three(third);
    const auto adding = [](sycl::buffer<int>& to, int value) {
      return [&to, value](sycl::handler& h) {
        sycl::accessor access(to, h);
        h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { access[i] += value; });
      };
    };
    modifiable g(q), other(q);
    exp::dynamic_command_group groups(g, {adding(one, 1), adding(three, 5)});
    auto node = g.add(groups);
    auto plain = g.add(adding(two, 1));
    // The buffers are met the other way round.
    other.add(adding(two, 100));
    other.add(adding(one, 10));
    auto exec = g.finalize({updatable()});
    exec.update(other);
    q.ext_oneapi_graph(exec);
    q.wait();
    exec.update(plain);  // back to adding 1 to `two`, while the other node goes on with it, too
    q.ext_oneapi_graph(exec);
    q.wait();
    groups.set_active_index(1);
    exec.update(node);
    q.ext_oneapi_graph(exec);
    q.wait();
    EXPECT_EQ(error_code_of([&] { exec.update(other.get_nodes()[0]); }), sycl::errc::invalid);
  }
  EXPECT_EQ(first[7], 10);
  EXPECT_EQ(second[7], 100 + 100 + 1 + 1);
  EXPECT_EQ(third[7], 5);
}

TEST_F(graph_choices, an_update_of_one_node_leaves_the_others_even_if_it_needs_another_plan) {
  std::vector<int> results(8, 0);
  {
    sycl::buffer<int> one(results);
    modifiable g(q);
    exp::dynamic_command_group groups(g, {filling(a, 1, 1), [&](sycl::handler& h) {
                                            sycl::accessor access(one, h);
                                            h.parallel_for(sycl::range<1>(8),
                                                           [=](sycl::id<1> i) { access[i] += 1; });
                                          }});
    auto waiting = g.add(filling(b, 8, 1));
    auto node = g.add(groups);
    auto exec = g.finalize({updatable()});
    waiting.update_range(sycl::range<1>(2));
    g.add(filling(b, 64, 1));  // after finalize
    groups.set_active_index(1);
    exec.update(node);
    replay(exec);
    EXPECT_EQ(written(b), 8);
    exec.update(waiting);
    replay(exec);
    EXPECT_EQ(written(b), 2);
  }
  EXPECT_EQ(results[7], 2);
}

TEST_F(graph_choices, nodes_are_found_where_edges_have_put_the_commands_in_another_order) {
  modifiable g(q);
  auto last = g.add(filling(a, 8, 1));
  auto middle = g.add(filling(a, 6, 2));
  auto first = g.add(filling(a, 8, 3));
  g.make_edge(first, middle);
  g.make_edge(middle, last);
  auto exec = g.finalize({updatable()});
  last.update_range(sycl::range<1>(2));
  middle.update_range(sycl::range<1>(4));
  exec.update(last);
  exec.update(middle);
  replay(exec);
  EXPECT_EQ(a[1], 1);
  EXPECT_EQ(a[3], 2);
  EXPECT_EQ(a[5], 3);
  EXPECT_EQ(written(a), 8);
}

TEST_F(graph_choices, a_range_that_no_kernel_comes_to_the_end_of_is_refused) {
  modifiable g(q);
  auto node = g.add(filling(a, 8, 1));
  auto plane = g.add([to = a](sycl::handler& h) {
    h.parallel_for(sycl::range<2>(2, 2), [=](sycl::item<2> i) { to[i.get_linear_id()] = 1; });
  });
  constexpr auto most = static_cast<std::size_t>(-1);
  EXPECT_EQ(error_code_of([&] { node.update_range(sycl::range<1>(most)); }), sycl::errc::nd_range);
  EXPECT_EQ(error_code_of([&] { node.update_nd_range(sycl::nd_range<1>(most, 1)); }),
            sycl::errc::nd_range);
  EXPECT_EQ(error_code_of([&] { plane.update_range(sycl::range<2>(most, most)); }),
            sycl::errc::nd_range);
  EXPECT_EQ(error_code_of([&] { plane.update_range(sycl::range<2>(most / 2, 3)); }),
            sycl::errc::nd_range);
  replay(g.finalize());
  EXPECT_EQ(written(a), 8);
}

}  // namespace
