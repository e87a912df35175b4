// SPDX-License-Identifier: Apache-2.0
// Parameters of recorded kernels: accessors, bytes, and the local memory of functions (sycl_ext_oneapi_graph).
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace oneapi = sycl::ext::oneapi;
using exp::property::graph::updatable;
using sycl::ext::pianola::dynamic_argument;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

class graph_parameter : public ::testing::Test {
 protected:
  ~graph_parameter() override { q.wait(); }

  static std::vector<int> contents(sycl::buffer<int>& of) {
    const sycl::host_accessor a(of, sycl::read_only);
    return {a.begin(), a.end()};
  }
  static std::vector<int> filled(int with) { return std::vector<int>(8, with); }
  static void fill(sycl::buffer<int>& what, int with) {
    const sycl::host_accessor a(what, sycl::write_only, sycl::no_init);
    for (int& v : a) v = with;
  }
  // A command group that adds to the parameter's buffer.
  template <class Parameter>
  static auto adding(const Parameter& to, int what) {
    return [&to, what](sycl::handler& h) {
      h.require(to);
      const dynamic_argument a(to);
      h.parallel_for(8, [=](sycl::id<1> i) { a.get()[i] += what; });
    };
  }
  void replay(const executable& made) { q.ext_oneapi_graph(made).wait(); }

  sycl::queue q;
  modifiable g{q};
  sycl::buffer<int> x{8}, y{8}, z{8};
};

TEST_F(graph_parameter, that_is_an_accessor_gives_a_node_another_buffer) {
  fill(x, 1);
  fill(y, 2);
  exp::dynamic_parameter parameter(g, sycl::accessor(x, sycl::read_write));
  exp::node node = g.add(adding(parameter, 10));
  executable made = g.finalize({updatable{}});
  replay(made);
  EXPECT_EQ(contents(x), filled(11));
  parameter.update(sycl::accessor(y, sycl::read_write));
  replay(made);
  EXPECT_EQ(contents(x), filled(21)) << "not updated yet";
  EXPECT_EQ(contents(y), filled(2));
  made.update(node);
  replay(made);
  EXPECT_EQ(contents(x), filled(21));
  EXPECT_EQ(contents(y), filled(12));
  replay(g.finalize());
  EXPECT_EQ(contents(y), filled(22));
}

// Beyond the extension, where edges stay as they were.
TEST_F(graph_parameter, that_is_an_accessor_changes_the_order_of_nodes) {
  fill(x, 1);
  fill(y, 100);
  fill(z, 0);
  exp::dynamic_parameter parameter(g, sycl::accessor(x, sycl::read_write));
  exp::node first = g.add(adding(parameter, 1));
  exp::node reads_x = g.add([&](sycl::handler& h) {
    sycl::accessor from(x, h, sycl::read_only);
    sycl::accessor to(z, h);
    h.parallel_for(8, [=](sycl::id<1> i) { to[i] += from[i]; });
  });
  exp::node reads_y = g.add([&](sycl::handler& h) {
    sycl::accessor from(y, h, sycl::read_only);
    sycl::accessor to(z, h);
    h.parallel_for(8, [=](sycl::id<1> i) { to[i] += from[i]; });
  });
  EXPECT_EQ(first.get_successors(), std::vector<exp::node>{reads_x});
  executable made = g.finalize({updatable{}});
  replay(made);
  EXPECT_EQ(contents(z), filled(102));
  parameter.update(sycl::accessor(y, sycl::read_write));
  EXPECT_EQ(first.get_successors(), std::vector<exp::node>{reads_y});
  made.update(first);
  // On the host in between: what the graph needs has to be brought again.
  fill(z, 0);
  replay(made);
  EXPECT_EQ(contents(z), filled(2 + 101));
}

TEST_F(graph_parameter, that_is_an_accessor_may_be_of_a_part) {
  fill(x, 1);
  exp::dynamic_parameter parameter(
      g, sycl::accessor(x, sycl::range<1>(2), sycl::id<1>(0), sycl::read_write));
  exp::node node = g.add([&](sycl::handler& h) {
    h.require(parameter);
    const dynamic_argument a(parameter);
    h.parallel_for(2, [=](sycl::id<1> i) { a.get()[i] *= 5; });
  });
  executable made = g.finalize({updatable{}});
  replay(made);
  parameter.update(sycl::accessor(x, sycl::range<1>(2), sycl::id<1>(6), sycl::read_write));
  made.update(node);
  replay(made);
  EXPECT_EQ(contents(x), (std::vector<int>{5, 5, 1, 1, 1, 1, 5, 5}));
  sycl::buffer<int> inner(x, sycl::id<1>(2), sycl::range<1>(4));
  parameter.update(sycl::accessor(inner, sycl::range<1>(2), sycl::id<1>(1), sycl::read_write));
  made.update(node);
  replay(made);
  EXPECT_EQ(contents(x), (std::vector<int>{5, 5, 1, 5, 5, 1, 5, 5}));
}

TEST_F(graph_parameter, that_is_an_accessor_leaves_other_accessors_of_the_kernel_alone) {
  fill(x, 1);
  fill(y, 2);
  const sycl::accessor both(x, sycl::read_write);
  exp::dynamic_parameter parameter(g, both);
  exp::node node = g.add([&](sycl::handler& h) {
    h.require(parameter);
    h.require(both);
    const dynamic_argument a(parameter);
    h.parallel_for(8, [=](sycl::id<1> i) {
      a.get()[i] += 10;
      both[i] += 100;
    });
  });
  executable made = g.finalize({updatable{}});
  parameter.update(sycl::accessor(y, sycl::read_write));
  made.update(node);
  replay(made);
  EXPECT_EQ(contents(x), filled(101));
  EXPECT_EQ(contents(y), filled(12));
}

TEST_F(graph_parameter, that_is_an_accessor_reaches_recorded_queues_and_command_groups) {
  fill(x, 1);
  fill(y, 2);
  exp::dynamic_parameter parameter(g, sycl::accessor(x, sycl::read_write));
  g.begin_recording(q);
  q.submit(adding(parameter, 10));
  g.end_recording();
  exp::dynamic_command_group groups(g, {adding(parameter, 100), adding(parameter, 1000)});
  exp::node chosen = g.add(groups);
  executable made = g.finalize({updatable{}});
  replay(made);
  EXPECT_EQ(contents(x), filled(111));
  parameter.update(sycl::accessor(y, sycl::read_write));
  groups.set_active_index(1);
  made.update(g.get_nodes());
  replay(made);
  EXPECT_EQ(contents(x), filled(111));
  EXPECT_EQ(contents(y), filled(1012));
  parameter.update(sycl::accessor(x, sycl::read_write));
  groups.set_active_index(0);
  made.update(chosen);
  replay(made);
  EXPECT_EQ(contents(x), filled(211));
  EXPECT_EQ(contents(y), filled(1022));
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void add_to(sycl::accessor<int> to, int what) {
  to[oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] += what;
}

struct alignas(16) wide {
  int values[4];
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel))
void store(int* to, wide from, short number) {
  for (int i = 0; i < 4; ++i) to[i] = from.values[i] * number;
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void add_up(int* to, sycl::local_accessor<int, 1> one, exp::work_group_memory<int[]> two) {
  const auto item = oneapi::this_work_item::get_nd_item<1>();
  one[item.get_local_id(0)] = 1;
  two[item.get_local_id(0)] = 10;
  sycl::group_barrier(item.get_group());
  to[item.get_global_id(0)] = 0;
  for (std::size_t i = 0; i < one.size(); ++i) to[item.get_global_id(0)] += one[i] + two[i];
}

// As DPC++ has it, too: the parameters are the objects that can be changed.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void add_up_dynamic(int* to, exp::dynamic_local_accessor<int, 1> one,
                    exp::dynamic_work_group_memory<int[]> two) {
  add_up(to, one.get(), two.get());
}

template <auto* Func>
sycl::kernel bundled(const sycl::queue& q) {
  return sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context())
      .template ext_oneapi_get_kernel<Func>();
}

TEST_F(graph_parameter, that_is_an_accessor_is_an_argument_of_functions) {
  fill(x, 1);
  fill(y, 2);
  exp::dynamic_parameter parameter(g, sycl::accessor<int>(x));
  const sycl::kernel k = bundled<add_to>(q);
  exp::node node = g.add([&](sycl::handler& h) {
    h.require(parameter);
    h.set_args(parameter, 5);
    h.parallel_for(sycl::nd_range<1>(8, 4), k);
  });
  executable made = g.finalize({updatable{}});
  replay(made);
  EXPECT_EQ(contents(x), filled(6));
  parameter.update(sycl::accessor<int>(y));
  made.update(node);
  replay(made);
  EXPECT_EQ(contents(x), filled(6));
  EXPECT_EQ(contents(y), filled(7));
}

// What a command group has captured may be older than an update.
TEST_F(graph_parameter, has_its_latest_value_in_whatever_is_added_later) {
  exp::dynamic_parameter<int> value(3);
  exp::dynamic_parameter<int> same(value), other(3);
  const dynamic_argument captured(value);
  const auto setting = [&](sycl::handler& h) {
    sycl::accessor a(x, h, sycl::write_only, sycl::no_init);
    h.parallel_for(8, [=](sycl::id<1> i) { a[i] = captured; });
  };
  g.add(setting);
  replay(g.finalize());
  EXPECT_EQ(contents(x), filled(3));
  same.update(5);
  modifiable added(q), recorded(q), chosen(q);
  added.add(setting);
  replay(added.finalize());
  EXPECT_EQ(contents(x), filled(5));
  value.update(6);
  recorded.begin_recording(q);
  q.submit(setting);
  recorded.end_recording();
  replay(recorded.finalize());
  EXPECT_EQ(contents(x), filled(6));
  value.update(7);
  exp::dynamic_command_group groups(chosen, {setting}), copy(groups);
  chosen.add(groups);
  replay(chosen.finalize());
  EXPECT_EQ(contents(x), filled(7));
  EXPECT_TRUE(value == same && groups == copy);
  EXPECT_TRUE(value != other && groups != exp::dynamic_command_group(chosen, {setting}));
  EXPECT_EQ(std::hash<exp::dynamic_parameter<int>>()(value),
            std::hash<exp::dynamic_parameter<int>>()(same));
  EXPECT_EQ(std::hash<exp::dynamic_command_group>()(groups),
            std::hash<exp::dynamic_command_group>()(copy));
}

TEST_F(graph_parameter, that_is_bytes_is_an_argument_of_functions) {
  int* const to = sycl::malloc_shared<int>(4, q);
  wide value{{1, 2, 3, 4}};
  short number = 2;
  exp::dynamic_parameter wides(g, oneapi::raw_kernel_arg(&value, sizeof value));
  exp::dynamic_parameter numbers(g, oneapi::raw_kernel_arg(&number, sizeof number));
  const sycl::kernel k = bundled<store>(q);
  exp::node node = g.add([&](sycl::handler& h) {
    h.set_args(to, wides, numbers);
    h.single_task(k);
  });
  executable made = g.finalize({updatable{}});
  replay(made);
  EXPECT_EQ(std::vector<int>(to, to + 4), (std::vector<int>{2, 4, 6, 8}));
  value = {{5, 6, 7, 8}};
  number = 3;
  wides.update(oneapi::raw_kernel_arg(&value, sizeof value));
  numbers.update(exp::raw_kernel_arg(&number, sizeof number));
  value = {};  // taken already
  made.update(node);
  replay(made);
  EXPECT_EQ(std::vector<int>(to, to + 4), (std::vector<int>{15, 18, 21, 24}));
  EXPECT_EQ(error_code_of([&] { numbers.update(oneapi::raw_kernel_arg("abc", 3)); }),
            sycl::errc::invalid);
  sycl::free(to, q);
}

TEST_F(graph_parameter, that_is_local_memory_is_an_argument_of_functions) {
  int* const to = sycl::malloc_shared<int>(8, q);
  for (const sycl::kernel& k : {bundled<add_up>(q), bundled<add_up_dynamic>(q)}) {
    modifiable graph{q};
    exp::dynamic_local_accessor<int, 1> one(graph, 2);
    exp::dynamic_work_group_memory<int[]> two(graph, 2);
    const auto using_them = [&](sycl::handler& h) {
      h.set_args(to, one, two);
      h.parallel_for(sycl::nd_range<1>(8, 2), k);
    };
    exp::node node = graph.add(using_them);
    executable made = graph.finalize({updatable{}});
    replay(made);
    EXPECT_EQ(std::vector<int>(to, to + 8), std::vector<int>(8, 22));
    one.update(8);
    two.update(8);
    node.update_nd_range(sycl::nd_range<1>(8, 8));
    made.update(node);
    replay(made);
    EXPECT_EQ(std::vector<int>(to, to + 8), std::vector<int>(8, 88));
    EXPECT_EQ(error_code_of([&] { q.submit(using_them); }), sycl::errc::invalid);
  }
  sycl::free(to, q);
}

// The arguments of one kind as before, without a graph.
TEST_F(graph_parameter, leaves_plain_local_memory_an_argument_of_functions) {
  int* const to = sycl::malloc_shared<int>(8, q);
  const sycl::kernel k = bundled<add_up>(q);
  q.submit([&](sycl::handler& h) {
     h.set_args(to, sycl::local_accessor<int, 1>(4, h), exp::work_group_memory<int[]>(4, h));
     h.parallel_for(sycl::nd_range<1>(8, 4), k);
   }).wait();
  EXPECT_EQ(std::vector<int>(to, to + 8), std::vector<int>(8, 44));
  sycl::free(to, q);
}

}  // namespace
