// SPDX-License-Identifier: Apache-2.0
// Loops and branches as nodes of graphs.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pianola_ext = sycl::ext::pianola;
using executable = graphs::command_graph<graphs::graph_state::executable>;

constexpr std::size_t n = 64;

template <class T>
T value_of(sycl::buffer<T>& b) {
  return sycl::host_accessor(b, sycl::read_only)[0];
}

// x = 3 x + 1, and one less to go.
void count_down(sycl::handler& h, sycl::buffer<int>& x, sycl::buffer<int>& left) {
  sycl::accessor a(x, h, sycl::read_write);
  sycl::accessor l(left, h, sycl::read_write);
  h.single_task([=] {
    for (std::size_t i = 0; i < n; ++i) a[i] = (3 * a[i] + 1) % 10007;
    l[0] -= 1;
  });
}

executable body_that_counts_down(sycl::queue& q, sycl::buffer<int>& x, sycl::buffer<int>& left) {
  graphs::command_graph body(q);
  body.add([&](sycl::handler& h) { count_down(h, x, left); });
  return body.finalize();
}

executable body_that_adds(sycl::queue& q, sycl::buffer<int>& x, int what) {
  graphs::command_graph body(q);
  body.add([&](sycl::handler& h) {
    sycl::accessor a(x, h, sycl::read_write);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a[i] += what; });
  });
  return body.finalize();
}

// With a text that has this in it.
template <class F>
void expect_invalid(const std::string& told, F&& f) {
  try {
    f();
    ADD_FAILURE() << "nothing is told of: " << told;
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), sycl::errc::invalid) << e.what();
    EXPECT_NE(std::string(e.what()).find(told), std::string::npos) << e.what();
  }
}

sycl::buffer<int> some_numbers() {
  sycl::buffer<int> x{sycl::range<1>(n)};
  sycl::host_accessor a(x, sycl::write_only, sycl::no_init);
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<int>(i);
  return x;
}

sycl::buffer<int> one_number(int value) {
  sycl::buffer<int> x{sycl::range<1>(1)};
  sycl::host_accessor a(x, sycl::write_only, sycl::no_init);
  a[0] = value;
  return x;
}

void expect_counted(sycl::buffer<int>& x, int times) {
  sycl::host_accessor a(x, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) {
    int expected = static_cast<int>(i);
    for (int k = 0; k < times; ++k) expected = (3 * expected + 1) % 10007;
    ASSERT_EQ(a[i], expected) << i;
  }
}

TEST(graph_control, a_repeat_runs_its_body_so_many_times) {
  sycl::queue q;
  for (const int times : {0, 1, 2, 40}) {
    sycl::buffer<int> x = some_numbers(), left = one_number(100);
    const executable body = body_that_counts_down(q, x, left);
    graphs::command_graph graph(q);
    const graphs::node node = graph.add_repeat(times, body);
    EXPECT_EQ(node.get_type(), graphs::node_type::subgraph);
    auto made = graph.finalize();
    q.ext_oneapi_graph(made);
    q.ext_oneapi_graph(made);
    expect_counted(x, 2 * times);
    EXPECT_EQ(value_of(left), 100 - 2 * times);
  }
}

TEST(graph_control, a_while_runs_its_body_until_a_kernel_says_that_it_is_enough) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), left = one_number(17);
  const executable body = body_that_counts_down(q, x, left);
  graphs::command_graph graph(q);
  graph.add_while(left, body);
  auto made = graph.finalize();
  q.ext_oneapi_graph(made);
  expect_counted(x, 17);
  EXPECT_EQ(value_of(left), 0);
  q.ext_oneapi_graph(made);  // holds no longer
  expect_counted(x, 17);
  {
    sycl::host_accessor again(left, sycl::write_only);
    again[0] = 3;
  }
  q.ext_oneapi_graph(made);
  expect_counted(x, 20);
}

TEST(graph_control, a_condition_may_be_where_only_the_device_reaches) {
  sycl::queue q;
  auto* const left = sycl::malloc_device<short>(1, q);
  sycl::buffer<int> x = some_numbers(), unused = one_number(0);
  graphs::command_graph body(q);
  const auto first = body.add([&](sycl::handler& h) { count_down(h, x, unused); });
  body.add([&](sycl::handler& h) { h.single_task([=] { *left = static_cast<short>(*left - 1); }); },
           {graphs::property::node::depends_on(first)});
  graphs::command_graph graph(q);
  const auto set = graph.add([&](sycl::handler& h) { h.single_task([=] { *left = 6; }); });
  const auto loop =
      graph.add_while(left, body.finalize(), {graphs::property::node::depends_on(set)});
  graph.add_if(left, body_that_adds(q, x, 1), body_that_counts_down(q, x, unused),
               {graphs::property::node::depends_on(loop)});
  auto made = graph.finalize();
  q.ext_oneapi_graph(made);
  expect_counted(x, 7);
  q.ext_oneapi_graph(made);
  expect_counted(x, 14);
  sycl::free(left, q);
}

TEST(graph_control, what_comes_before_and_after_a_loop_sees_its_data) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), left = one_number(-5), sum = one_number(0);
  const executable body = body_that_counts_down(q, x, left);
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor l(left, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { l[0] = 4; });
  });
  q.submit([&](sycl::handler& h) { pianola_ext::add_while(h, left, body); });
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(x, h, sycl::read_only);
    sycl::accessor s(sum, h, sycl::write_only, sycl::no_init);
    h.single_task([=] {
      s[0] = 0;
      for (std::size_t i = 0; i < n; ++i) s[0] += a[i];
    });
  });
  graph.end_recording();
  auto made = graph.finalize();
  for (int round = 1; round <= 3; ++round) {
    q.ext_oneapi_graph(made);
    expect_counted(x, 4 * round);
    int expected = 0;
    sycl::host_accessor a(x, sycl::read_only);
    for (std::size_t i = 0; i < n; ++i) expected += a[i];
    EXPECT_EQ(value_of(sum), expected);
  }
}

TEST(graph_control, loops_nest) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), inner = one_number(0), outer = one_number(0);
  const executable step = body_that_counts_down(q, x, inner);
  graphs::command_graph round(q);
  round.add([&](sycl::handler& h) {
    sycl::accessor i(inner, h, sycl::write_only, sycl::no_init);
    sycl::accessor o(outer, h, sycl::read_write);
    h.single_task([=] {
      i[0] = o[0];  // as many steps as there are rounds to go
      o[0] -= 1;
    });
  });
  round.add_while(inner, step);
  const executable body = round.finalize();
  graphs::command_graph graph(q);
  graph.add([&](sycl::handler& h) {
    sycl::accessor o(outer, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { o[0] = 5; });
  });
  graph.add_while(outer, body);
  auto made = graph.finalize();
  q.ext_oneapi_graph(made);
  expect_counted(x, 5 + 4 + 3 + 2 + 1);
  q.ext_oneapi_graph(made);
  expect_counted(x, 2 * (5 + 4 + 3 + 2 + 1));
}

TEST(graph_control, an_if_runs_one_graph_or_the_other) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), flag = one_number(0);
  const executable ten = body_that_adds(q, x, 10), hundred = body_that_adds(q, x, 100);
  graphs::command_graph both(q), only(q);
  both.add_if(flag, ten, hundred);
  only.add_if(flag, ten);
  auto one_or_the_other = both.finalize();
  auto one_or_nothing = only.finalize();
  int expected = 0;
  for (const int holds : {0, 1, 0, -3}) {
    {
      sycl::host_accessor f(flag, sycl::write_only);
      f[0] = holds;
    }
    q.ext_oneapi_graph(one_or_the_other);
    q.ext_oneapi_graph(one_or_nothing);
    expected += holds != 0 ? 20 : 100;
    sycl::host_accessor a(x, sycl::read_only);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(a[i], static_cast<int>(i) + expected);
  }
}

TEST(graph_control, a_switch_runs_the_graph_that_is_numbered_and_else_nothing) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers();
  sycl::buffer<short> number{sycl::range<1>(1)};
  graphs::command_graph graph(q);
  graph.add_switch(number,
                   {body_that_adds(q, x, 1), body_that_adds(q, x, 20), body_that_adds(q, x, 300)});
  auto made = graph.finalize();
  int expected = 0;
  for (const short chosen : {1, 0, 2, 3, -1, 2}) {
    {
      sycl::host_accessor c(number, sycl::write_only, sycl::no_init);
      c[0] = chosen;
    }
    q.ext_oneapi_graph(made);
    if (chosen >= 0 && chosen < 3) expected += chosen == 0 ? 1 : chosen == 1 ? 20 : 300;
    sycl::host_accessor a(x, sycl::read_only);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(a[i], static_cast<int>(i) + expected);
  }
}

TEST(graph_control, a_condition_may_be_memory_that_kernels_share_with_the_host) {
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations)) GTEST_SKIP();
  unsigned char* const left = sycl::malloc_shared<unsigned char>(1, q);
  int* const sum = sycl::malloc_shared<int>(1, q);
  *left = 200;
  *sum = 0;
  {
    graphs::command_graph body(q);
    body.add([&](sycl::handler& h) {
      h.single_task([=] {
        *sum += *left;
        *left = static_cast<unsigned char>(*left - 1);
      });
    });
    graphs::command_graph graph(q);
    graph.add_while(left, body.finalize());
    auto made = graph.finalize();
    q.ext_oneapi_graph(made).wait();
    EXPECT_EQ(*sum, 200 * 201 / 2);
    EXPECT_EQ(*left, 0);
  }
  sycl::free(left, q);
  sycl::free(sum, q);
}

TEST(graph_control, host_tasks_and_copies_may_be_in_a_body) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), y = some_numbers(), left = one_number(6);
  graphs::command_graph body(q);
  body.begin_recording(q);
  q.submit([&](sycl::handler& h) { count_down(h, x, left); });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor from(x, h, sycl::read_only);
    const sycl::accessor to(y, h, sycl::write_only);
    h.copy(from, to);
  });
  q.submit([&](sycl::handler& h) {
    const sycl::accessor a(y, h, sycl::read_only_host_task);
    const sycl::accessor b(x, h, sycl::read_write_host_task);
    h.host_task([=] {
      for (std::size_t i = 0; i < n; ++i) b[i] = (a[i] + b[i]) % 10007;
    });
  });
  body.end_recording();
  graphs::command_graph graph(q);
  graph.add_while(left, body.finalize());
  auto made = graph.finalize();
  q.ext_oneapi_graph(made);
  sycl::host_accessor a(x, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) {
    int expected = static_cast<int>(i);
    for (int k = 0; k < 6; ++k) expected = 2 * ((3 * expected + 1) % 10007) % 10007;
    ASSERT_EQ(a[i], expected) << i;
  }
}

TEST(graph_control, a_graph_with_a_loop_can_be_nested_and_updated) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), left = one_number(0);
  const executable body = body_that_counts_down(q, x, left);
  const auto looping = [&](int times) {
    graphs::command_graph graph(q);
    graph.add([&](sycl::handler& h) {
      sycl::accessor l(left, h, sycl::write_only, sycl::no_init);
      h.single_task([=] { l[0] = times; });
    });
    graph.add_while(left, body);
    return graph;
  };
  auto made = looping(3).finalize(graphs::property::graph::updatable{});
  graphs::command_graph outer(q);
  outer.add([&](sycl::handler& h) { h.ext_oneapi_graph(made); });
  outer.add_repeat(2, made);
  auto outer_made = outer.finalize();
  q.ext_oneapi_graph(outer_made);
  expect_counted(x, 9);
  made.update(looping(5));
  q.ext_oneapi_graph(made);
  expect_counted(x, 14);
}

TEST(graph_control, nodes_of_bodies_can_be_updated) {
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations)) GTEST_SKIP();
  int* const x = sycl::malloc_shared<int>(8, q);
  int* const left = sycl::malloc_shared<int>(1, q);
  const auto expect_sums = [&](int first, int last) {
    EXPECT_EQ(x[0], first);
    EXPECT_EQ(x[7], last);
    for (int i = 0; i < 8; ++i) x[i] = 0;
  };
  graphs::command_graph body(q), loop(q), graph(q), other(q);
  graphs::dynamic_parameter<int> step(body, 1);
  graphs::node adds = body.add([&](sycl::handler& h) {
    const pianola_ext::dynamic_argument by(step);
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { x[i] += by; });
  });
  const executable made_body = body.finalize();
  // Three times in each of two iterations, in a loop that the device may run.
  loop.add_repeat(3, made_body);
  loop.add([&](sycl::handler& h) { h.single_task([=] { *left -= 1; }); },
           {graphs::property::node::depends_on_all_leaves()});
  const executable made_loop = loop.finalize();
  const auto set = graph.add([&](sycl::handler& h) { h.single_task([=] { *left = 2; }); });
  graph.add_while(left, made_loop, {graphs::property::node::depends_on(set)});
  other.add_repeat(5, made_body);
  auto made = graph.finalize(graphs::property::graph::updatable());
  auto unchanged = other.finalize();
  for (int i = 0; i < 8; ++i) x[i] = 0;
  q.ext_oneapi_graph(made).wait();
  expect_sums(6, 6);

  step.update(10);
  adds.update_range(sycl::range<1>(4));
  q.ext_oneapi_graph(made).wait();
  expect_sums(6, 6);
  made.update(adds);
  for (int i = 0; i < 2; ++i) {
    q.ext_oneapi_graph(made).wait();
    expect_sums(60, 0);
  }
  // What else runs the same body goes on as it was.
  q.ext_oneapi_graph(unchanged).wait();
  expect_sums(5, 5);
  graphs::command_graph nothing(q);
  const graphs::node foreign = nothing.add([](sycl::handler& h) { h.single_task([] {}); });
  expect_invalid("nor of one that its loops and branches run", [&] { made.update(foreign); });
  const graphs::node later = body.add([](sycl::handler& h) { h.single_task([] {}); });
  expect_invalid("added after the graph of the loop or branch was finalized",
                 [&] { made.update(later); });
  sycl::free(x, q);
  sycl::free(left, q);
}

TEST(graph_control, nodes_of_bodies_keep_their_data) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), y = some_numbers();
  graphs::command_graph body(q), graph(q);
  graphs::dynamic_parameter target(body, sycl::accessor<int, 1>{x, sycl::read_write});
  const graphs::node adds = body.add([&](sycl::handler& h) {
    h.require(target);
    const pianola_ext::dynamic_argument a(target);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a.get()[i] += 1; });
  });
  graph.add_repeat(2, body.finalize());
  auto made = graph.finalize(graphs::property::graph::updatable());
  target.update(sycl::accessor<int, 1>{y, sycl::read_write});
  expect_invalid("a node of a graph that a loop or branch runs", [&] { made.update(adds); });
  q.ext_oneapi_graph(made);
  EXPECT_EQ(value_of(x), 2);
  EXPECT_EQ(value_of(y), 0);
}

// A graph counts the buffers that its parameters have had, and what is made of it counts those that it was updated with.
TEST(graph_control, updates_mean_the_buffer_that_the_parameter_has) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), y = some_numbers(), z = some_numbers();
  graphs::command_graph body(q), graph(q);
  graphs::dynamic_parameter target(body, sycl::accessor<int, 1>{x, sycl::read_write});
  const graphs::node adds = body.add([&](sycl::handler& h) {
    h.require(target);
    const pianola_ext::dynamic_argument a(target);
    h.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { a.get()[i] += 1; });
  });
  auto made = body.finalize(graphs::property::graph::updatable());
  target.update(sycl::accessor<int, 1>{y, sycl::read_write});
  target.update(sycl::accessor<int, 1>{z, sycl::read_write});
  made.update(adds);
  q.ext_oneapi_graph(made);
  EXPECT_EQ(value_of(z), 1);
  graph.add_repeat(2, made);
  auto looping = graph.finalize(graphs::property::graph::updatable());
  target.update(sycl::accessor<int, 1>{y, sycl::read_write});
  expect_invalid("a node of a graph that a loop or branch runs", [&] { looping.update(adds); });
  made.update(adds);
  q.ext_oneapi_graph(made);
  q.ext_oneapi_graph(looping);
  EXPECT_EQ(value_of(x), 0);
  EXPECT_EQ(value_of(y), 1);
  EXPECT_EQ(value_of(z), 3);
}

// What captures a pointer that tells how many of it there are.
TEST(graph_control, updates_of_nodes_of_bodies_keep_the_latest_only) {
  sycl::queue q;
  graphs::command_graph body(q), graph(q);
  const auto alive = std::make_shared<int>(0);
  std::vector<graphs::node> nodes;
  graphs::dynamic_parameter<int> step(body, 1);
  sycl::buffer<int> x = some_numbers();
  nodes.push_back(body.add([&](sycl::handler& h) {
    const sycl::accessor a(x, h, sycl::read_write);
    const pianola_ext::dynamic_argument by(step);
    h.host_task([alive, by] { *alive += by; });
  }));
  graph.add_repeat(2, body.finalize());
  auto made = graph.finalize(graphs::property::graph::updatable());
  q.ext_oneapi_graph(made).wait();
  long after_ten = 0;
  for (int i = 1; i <= 60; ++i) {
    step.update(i);
    made.update(nodes.front());
    q.ext_oneapi_graph(made).wait();
    if (i == 10) after_ten = alive.use_count();
  }
  EXPECT_EQ(*alive, 2 + 60 * 61);
  EXPECT_LE(alive.use_count(), after_ten);
}

TEST(graph_control, pictures_show_bodies_as_clusters) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), left = one_number(3);
  graphs::command_graph body(q), graph(q);
  body.add([&](sycl::handler& h) { count_down(h, x, left); });
  body.add_if(left, body_that_adds(q, x, 1), body_that_adds(q, x, 2));
  graph.add_while(left, body.finalize());
  graph.add_repeat(4, body_that_adds(q, x, 3));
  const std::string path = ::testing::TempDir() + "pianola-bodies-" + std::to_string(::getpid());
  const auto text_of = [](const std::string& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    std::remove(file.c_str());
    return text.str();
  };
  graph.print_graph(path + ".dot");
  auto made = graph.finalize();
  pianola_ext::write_dot(made, path + ".plan.dot");
  for (const std::string& text : {text_of(path + ".dot"), text_of(path + ".plan.dot")})
    for (const char* const part :
         {"subgraph cluster_b0 {", "while the condition holds", "subgraph cluster_b0_b0 {",
          "if the condition holds", "subgraph cluster_b0_b1 {", "otherwise",
          "subgraph cluster_b1 {", "repeated 4 times"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
}

TEST(graph_control, misuse_is_told) {
  sycl::queue q;
  sycl::buffer<int> x = some_numbers(), left = one_number(0), other = one_number(0);
  graphs::command_graph graph(q), empty(q), own(q);
  own.add([&](sycl::handler& h) { count_down(h, x, left); });
  const executable body = own.finalize(), nothing = empty.finalize();
  const auto invalid = [](const char* told, auto&& f) { expect_invalid(told, f); };
  invalid("add_repeat: a graph cannot run -1 times", [&] { graph.add_repeat(-1, body); });
  invalid("add_repeat: the body is a graph without nodes", [&] { graph.add_repeat(2, nothing); });
  invalid("add_if: the body is a graph without nodes", [&] { graph.add_if(left, nothing); });
  invalid("add_if: the body is a graph without nodes", [&] { graph.add_if(left, body, nothing); });
  invalid("add_switch: ", [&] { graph.add_switch(left, {}); });
  invalid("condition: the buffer has 64 elements; a condition is one value",
          [&] { graph.add_while(x, body); });
  invalid("add_while: no command of the body writes the condition, so the loop would never end",
          [&] { graph.add_while(other, body); });
  invalid("add_repeat: a graph cannot be its own body", [&] { own.add_repeat(2, body); });
  invalid("condition: the pointer is null",
          [&] { graph.add_while(static_cast<const int*>(nullptr), body); });
  int on_stack = 0;
  invalid("add_while: the pointer to the condition points to no USM allocation",
          [&] { graph.add_while(&on_stack, body); });
  invalid("loops and branches are commands of graphs: record them, or add them to a command_graph",
          [&] { q.submit([&](sycl::handler& h) { pianola_ext::add_repeat(h, 2, body); }); });
  invalid("add_repeat: the command group has accessors", [&] {
    graph.add([&](sycl::handler& h) {
      const sycl::accessor useless(x, h, sycl::read_only);
      pianola_ext::add_repeat(h, 2, body);
    });
  });
  EXPECT_TRUE(graph.empty());
  q.wait();
}

TEST(graph_control, a_condition_in_the_memory_of_another_device_is_refused) {
  const auto devices = sycl::device::get_devices();
  if (devices.size() < 2) GTEST_SKIP() << "there is one device";
  sycl::queue q(devices[0]), elsewhere(devices[1]);
  if (elsewhere.get_backend() != q.get_backend() ||
      !devices[1].has(sycl::aspect::usm_device_allocations))
    GTEST_SKIP();
  sycl::buffer<int> x = some_numbers(), left = one_number(0);
  const executable body = body_that_counts_down(q, x, left);
  int* const flag = sycl::malloc_device<int>(1, elsewhere);
  graphs::command_graph graph(q);
  const char* const told =
      "the condition is in the memory of another device than the graph's; use a buffer of one "
      "element, which moves";
  for (const bool loop : {true, false}) try {
      loop ? graph.add_while(flag, body) : graph.add_if(flag, body);
      ADD_FAILURE() << "nothing was refused";
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::feature_not_supported);
      EXPECT_NE(std::string(e.what()).find(told), std::string::npos) << e.what();
    }
  EXPECT_TRUE(graph.empty());
  sycl::free(flag, elsewhere);
}

TEST(graph_control, a_loop_whose_condition_no_copy_of_its_body_reaches_is_refused) {
  sycl::queue q;
  if (!q.get_device().has(sycl::aspect::usm_shared_allocations)) GTEST_SKIP();
  int* const left = sycl::malloc_shared<int>(2, q);
  int* const other = sycl::malloc_shared<int>(2, q);
  int here[2] = {1, 2};
  left[0] = left[1] = 1;
  const auto loop_over = [&](auto&& command) {
    graphs::command_graph body(q), graph(q);
    body.add(command);
    graph.add_while(left, body.finalize());
    auto made = graph.finalize();
    q.ext_oneapi_graph(made).wait();
  };
  const char* const told =
      "add_while: no command of the body uses the memory of the condition, so the loop would never "
      "end; have a kernel of the body write it, or, if another thread is to end the loop, a host "
      "task read it";
  const auto refused = [&](auto&& command) { expect_invalid(told, [&] { loop_over(command); }); };
  refused([&](sycl::handler& h) { h.fill(other, 0, 2); });
  refused([&](sycl::handler& h) { h.memcpy(other, here, sizeof here); });
  refused([&](sycl::handler& h) { h.memcpy(here, other, sizeof here); });
  refused([&](sycl::handler& h) { h.prefetch(left, sizeof *left); });
  // A kernel of which the compiler knows all accesses.
  const auto counts = [&](sycl::handler& h) { h.single_task([=] { other[0] += 1; }); };
#ifdef __PIANOLACC__
  refused(counts);
  const int inner = 2;
#else
  static_cast<void>(counts);
  const int inner = 1;
#endif
  // In a loop inside of the body, too.
  for (int i = 0; i < inner; ++i) {
    graphs::command_graph step(q);
    if (i == 0)
      step.add([&](sycl::handler& h) { h.fill(other, 0, 2); });
    else
      step.add(counts);
    const executable repeated = step.finalize();
    refused([&](sycl::handler& h) { pianola_ext::add_repeat(h, 2, repeated); });
  }
  // These end it, each from another place of the allocation.
  loop_over([&](sycl::handler& h) { h.fill(left, 0, 1); });
  left[0] = 1;
  here[0] = 0;
  loop_over([&](sycl::handler& h) { h.memcpy(left, here, sizeof *left); });
  {
    // Where buffers work in place this one would.
    sycl::buffer<int> in_place(left, sycl::range<1>(2), {sycl::property::buffer::use_host_ptr()});
    graphs::command_graph body(q), graph(q);
    body.add([&](sycl::handler& h) {
      h.fill(sycl::accessor(in_place, h, sycl::write_only, sycl::no_init), 0);
    });
    graph.add_while(left, body.finalize());
  }
  sycl::free(left, q);
  sycl::free(other, q);
}

}  // namespace
