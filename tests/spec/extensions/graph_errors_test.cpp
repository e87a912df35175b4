// SPDX-License-Identifier: Apache-2.0
// The errors of recorded graphs: one test for each row of the table in docs/recorded-graphs.md.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
namespace on_graph = exp::property::graph;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;

class graph_error : public ::testing::Test {
 protected:
  ~graph_error() override {
    g.end_recording();
    other.end_recording();
    q.wait();
  }

  // f() throws an exception with this code, whose text says so.
  static void expect(sycl::errc code, const std::string& says, const std::function<void()>& f) {
    try {
      f();
      ADD_FAILURE() << "nothing was refused; expected: " << says;
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), code) << e.what();
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  }
  static void expect(const std::string& says, const std::function<void()>& f) {
    expect(sycl::errc::invalid, says, f);
  }
  static void nothing(sycl::handler& h) {
    h.single_task([] {});
  }
  auto adding(sycl::buffer<int>& to, int what) {
    return [&to, what](sycl::handler& h) {
      sycl::accessor a(to, h);
      h.parallel_for(8, [=](sycl::id<1> i) { a[i] += what; });
    };
  }

  sycl::queue q, second{q.get_context(), q.get_device()};
  modifiable g{q}, other{q};
  sycl::buffer<int> x{8}, y{8};
};

TEST_F(graph_error, of_a_queue_that_records_already) {
  g.begin_recording(q);
  expect("the queue is recording already", [&] { g.begin_recording(q); });
  expect("already records into another graph", [&] { other.begin_recording(q); });
  expect("already records into another graph", [&] { other.end_recording(q); });
  expect("recording already", [&] { g.begin_recording(std::vector<sycl::queue>{second, q}); });
  EXPECT_EQ(second.ext_oneapi_get_state(), exp::queue_state::executing);
}

TEST_F(graph_error, of_a_queue_of_another_context_or_device) {
  sycl::queue elsewhere(sycl::context(q.get_device()), q.get_device());
  expect("the queue is of another device or context than the graph",
         [&] { g.begin_recording(elsewhere); });
  for (const sycl::device& d : sycl::device::get_devices()) {
    if (d == q.get_device()) continue;
    const auto made = g.finalize();
    sycl::queue there(d);
    expect("finalized for another device than the queue's", [&] { there.ext_oneapi_graph(made); });
    expect("the device is not one of the context's",
           [&] { modifiable(sycl::context(q.get_device()), d); });
  }
}

TEST_F(graph_error, of_the_explicit_interface_while_a_queue_records) {
  exp::node a = g.add(nothing), b = g.add(nothing);
  exp::dynamic_command_group groups(g, {nothing});
  g.begin_recording(q);
  const std::string says = "end_recording before the explicit interface is used";
  expect(says, [&] { g.add(nothing); });
  expect(says, [&] { g.add(); });
  expect(says, [&] { g.add(groups); });
  expect(says, [&] { g.make_edge(a, b); });
}

TEST_F(graph_error, of_a_wait_for_a_queue_that_records) {
  g.begin_recording(q);
  q.submit(nothing);
  expect("end_recording before waiting for it", [&] { q.wait(); });
  expect("end_recording before waiting for it", [&] { q.wait_and_throw(); });
}

TEST_F(graph_error, of_what_asks_the_event_of_a_recorded_command) {
  g.begin_recording(q);
  sycl::event e = q.submit(nothing);
  for (int recording = 1; recording >= 0; --recording) {
    expect("wait for the graph's own event", [&] { e.wait(); });
    expect("", [&] { e.get_info<sycl::info::event::command_execution_status>(); });
    expect("", [&] { e.get_profiling_info<sycl::info::event_profiling::command_end>(); });
    g.end_recording();
  }
}

TEST_F(graph_error, of_a_command_of_the_device_behind_a_recorded_one) {
  g.begin_recording(q);
  const sycl::event e = q.submit(nothing);
  g.end_recording();
  expect("cannot wait for an event of a recording", [&] { second.single_task(e, [] {}); });
  const auto made = g.finalize();
  expect("cannot wait for an event of a recording", [&] { second.ext_oneapi_graph(made, e); });
}

TEST_F(graph_error, of_an_event_of_another_graph) {
  other.begin_recording(second);
  const sycl::event e = second.submit(nothing);
  other.end_recording();
  g.begin_recording(q);
  expect("an event of another graph's recording", [&] { q.single_task(e, [] {}); });
  g.end_recording();
  expect("an event of another graph's recording", [&] {
    g.add([&](sycl::handler& h) {
      h.depends_on(e);
      nothing(h);
    });
  });
  EXPECT_TRUE(g.empty());
}

TEST_F(graph_error, of_edges_that_close_a_cycle) {
  exp::node a = g.add(nothing), b = g.add(nothing), c = g.add(nothing);
  g.make_edge(a, b);
  g.make_edge(b, c);
  expect("cannot follow itself", [&] { g.make_edge(a, a); });
  expect("would close a cycle", [&] { g.make_edge(c, a); });
  // Against the order in which they were added, and no cycle.
  exp::node d = g.add(nothing);
  g.make_edge(d, a);
  EXPECT_EQ(a.get_predecessors(), std::vector<exp::node>{d});
  expect("would close a cycle", [&] { g.make_edge(c, d); });
  q.ext_oneapi_graph(g.finalize()).wait();
}

TEST_F(graph_error, of_a_cycle_that_nobody_has_looked_for) {
  modifiable unchecked(q, {on_graph::no_cycle_check{}});
  exp::node a = unchecked.add(nothing), b = unchecked.add(nothing), c = unchecked.add(nothing);
  unchecked.make_edge(a, b);
  unchecked.make_edge(c, a);
  q.ext_oneapi_graph(unchecked.finalize()).wait();
  expect("cannot follow itself", [&] { unchecked.make_edge(a, a); });
  unchecked.make_edge(b, c);
  EXPECT_EQ(c.get_predecessors(), std::vector<exp::node>{b});
  expect("close a cycle", [&] { unchecked.finalize(); });
}

TEST_F(graph_error, of_an_edge_against_the_use_of_a_buffer) {
  exp::node first = g.add(adding(x, 1)), then = g.add(adding(x, 2));
  g.make_edge(then, first);
  expect("contradicts the order in which its commands use a buffer", [&] { g.finalize(); });
}

TEST_F(graph_error, of_a_node_of_another_graph) {
  exp::node mine = g.add(nothing), foreign = other.add(nothing);
  expect("the node is of another graph", [&] { g.make_edge(mine, foreign); });
  expect("the node is of another graph", [&] { g.make_edge(foreign, mine); });
  expect("the node is of another graph",
         [&] { g.add(nothing, {exp::property::node::depends_on(foreign)}); });
  auto made = g.finalize({on_graph::updatable{}});
  expect("not of the graph that it was finalized from", [&] { made.update(foreign); });
  expect("of different graphs", [&] { made.update({mine, foreign}); });
  exp::node late = g.add(nothing);
  expect("added after the graph was finalized", [&] { made.update(late); });
}

TEST_F(graph_error, of_a_parameter_or_command_groups_of_another_graph) {
  exp::dynamic_parameter<int> foreign(other, 1);
  expect("for another graph", [&] {
    g.add([&](sycl::handler& h) {
      const pia::dynamic_argument v(foreign);
      h.single_task([=] { static_cast<void>(v.get()); });
    });
  });
  exp::dynamic_command_group groups(other, {nothing});
  expect("for another graph", [&] { g.add(groups); });
}

TEST_F(graph_error, of_a_parameter_outside_of_graphs) {
  exp::dynamic_parameter parameter(g, sycl::accessor(x, sycl::read_write));
  const auto using_it = [&](sycl::handler& h) {
    h.require(parameter);
    const pia::dynamic_argument a(parameter);
    h.single_task([=] { a.get()[0] = 1; });
  };
  expect("which is for recorded graphs", [&] { q.submit(using_it); });
  expect("a command that is no kernel", [&] {
    g.add([&](sycl::handler& h) {
      h.require(parameter);
      h.host_task([] {});
    });
  });
  expect(sycl::errc::kernel_argument, "call handler::require for it", [&] {
    g.add([&](sycl::handler& h) {
      const pia::dynamic_argument a(parameter);
      h.single_task([=] { a.get()[0] = 1; });
    });
  });
  EXPECT_TRUE(g.empty());
  g.add(using_it);
  std::optional<sycl::buffer<int>> short_lived(8);
  const sycl::accessor gone(*short_lived, sycl::read_write);
  short_lived.reset();
  expect("has ended", [&] { parameter.update(gone); });
}

TEST_F(graph_error, of_a_parameter_as_an_argument_of_a_function_object) {
  exp::dynamic_parameter<int> number(g, 1);
  expect("only a kernel that is a function", [&] {
    g.add([&](sycl::handler& h) {
      h.set_arg(0, number);
      nothing(h);
    });
  });
}

TEST_F(graph_error, of_command_groups_that_a_node_cannot_exchange) {
  using groups_of = std::vector<std::function<void(sycl::handler&)>>;
  const auto make = [&](const groups_of& groups) { exp::dynamic_command_group(g, groups); };
  expect("no command group was given", [&] { make({}); });
  expect("another kind of command",
         [&] { make({nothing, [](sycl::handler& h) { h.host_task([] {}); }}); });
  expect("nothing else can be exchanged",
         [&] { make({[](sycl::handler& h) { h.ext_oneapi_barrier(); }}); });
  exp::dynamic_command_group groups(g, {nothing});
  expect("there is no command group 1", [&] { groups.set_active_index(1); });
}

TEST_F(graph_error, of_a_range_that_the_node_does_not_have) {
  exp::node kernel = g.add(adding(x, 1)),
            task = g.add([](sycl::handler& h) { h.host_task([] {}); });
  expect("keeps its number of dimensions", [&] { kernel.update_range(sycl::range<2>(2, 2)); });
  expect("is no kernel", [&] { task.update_range(sycl::range<1>(2)); });
  expect("is no kernel", [&] { task.update_nd_range(sycl::nd_range<1>(2, 1)); });
}

TEST_F(graph_error, of_an_update_that_was_not_asked_for) {
  exp::node kernel = g.add(adding(x, 1));
  auto fixed = g.finalize();
  expect("without property::graph::updatable", [&] { fixed.update(kernel); });
  expect("without property::graph::updatable", [&] { fixed.update(g); });
}

TEST_F(graph_error, of_an_update_from_a_graph_of_another_device) {
  for (const sycl::device& d : sycl::device::get_devices()) {
    if (d == q.get_device()) continue;
    auto made = g.finalize({on_graph::updatable{}});
    expect("was made for another device", [&] { made.update(modifiable(d)); });
  }
}

TEST_F(graph_error, of_an_update_from_other_nodes_names_one) {
  g.add(adding(x, 1));
  g.add([](sycl::handler& h) { h.host_task([] {}); });
  auto made = g.finalize({on_graph::updatable{}});
  other.add(adding(y, 1));
  expect("2 commands, the other one 1: command 1 ('host_task')", [&] { made.update(other); });
  exp::node added = other.add(nothing);
  expect("node 1 ('host_task') has no counterpart", [&] { made.update(other); });
  modifiable third(q);
  exp::node a = third.add(adding(y, 1)),
            b = third.add([](sycl::handler& h) { h.host_task([] {}); });
  made.update(third);
  third.make_edge(a, b);
  expect("has no counterpart there", [&] { made.update(third); });
}

TEST_F(graph_error, of_a_buffer_that_has_ended) {
  {
    sycl::buffer<int> short_lived(8);
    g.add(adding(short_lived, 1));
  }
  expect("a buffer that has ended", [&] { g.finalize(); });
}

TEST_F(graph_error, of_a_work_group_that_is_too_large) {
  const std::size_t size = q.get_device().get_info<sycl::info::device::max_work_group_size>() * 2;
  expect(sycl::errc::nd_range, std::to_string(size), [&] {
    g.add([&](sycl::handler& h) {
      h.parallel_for(sycl::nd_range<1>(size, size), [](sycl::nd_item<1>) {});
    });
  });
}

TEST_F(graph_error, of_a_path_that_is_none_of_dot) {
  expect("does not end in .dot", [&] { g.print_graph("graph.svg"); });
  expect("/nowhere/at/all/graph.dot", [&] { g.print_graph("/nowhere/at/all/graph.dot"); });
}

TEST_F(graph_error, of_recording_by_the_backend) {
  EXPECT_GE(SYCL_EXT_ONEAPI_GRAPH, 2);
  const sycl::property_list natively{on_graph::enable_native_recording{}};
  if (q.get_backend() == sycl::backend::cuda || q.get_backend() == sycl::backend::hip) {
    expect(sycl::errc::feature_not_supported, "does not record by itself",
           [&] { modifiable(q, natively); });
    return;
  }
  // As the extension's example, and what it has errors for.
  sycl::queue in_order(q.get_context(), q.get_device(), sycl::property::queue::in_order());
  modifiable recorded(q.get_context(), q.get_device(), natively);
  int* const data = sycl::malloc_shared<int>(64, q);
  sycl::buffer<int> sum{1};
  sycl::host_accessor(sum, sycl::write_only, sycl::no_init)[0] = 5;
  recorded.begin_recording(in_order);
  in_order.parallel_for(64, [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]); });
  in_order.submit([&](sycl::handler& h) {
    sycl::accessor to(sum, h, sycl::read_write_host_task);
    h.host_task([=] { to[0] += data[63]; });
  });
  recorded.end_recording();
  EXPECT_EQ(recorded.get_nodes().size(), 2U);
  EXPECT_NE(recorded.get_id(), g.get_id());
  auto made = recorded.finalize(on_graph::updatable{});
  in_order.ext_oneapi_graph(made);
  in_order.ext_oneapi_graph(made).wait();
  EXPECT_EQ(sycl::host_accessor(sum, sycl::read_only)[0], 5 + 2 * 63);
  sycl::free(data, q);
}

TEST_F(graph_error, of_an_event_or_a_queue_without_a_graph) {
  const sycl::event e = q.submit(nothing);
  expect("recorded into a living graph", [&] { exp::node::get_node_from_event(e); });
  expect("does not record into a graph", [&] { q.ext_oneapi_get_graph(); });
}

TEST_F(graph_error, of_a_device_that_the_context_does_not_have) {
  const auto devices = sycl::device::get_devices();
  if (devices.size() < 2) GTEST_SKIP() << "there is one device";
  const sycl::context one(devices[0]);
  expect("the device is not one of the context's", [&] { modifiable made(one, devices[1]); });
}

TEST_F(graph_error, of_an_update_of_nodes_that_allocate_or_free_memory) {
  void* p = nullptr;
  const exp::node allocates =
      g.add([&](sycl::handler& h) { p = exp::async_malloc(h, sycl::usm::alloc::device, 64); });
  const exp::node frees = g.add([&](sycl::handler& h) { exp::async_free(h, p); },
                                {exp::property::node::depends_on(allocates)});
  auto made = g.finalize({exp::property::graph::updatable{}});
  for (const exp::node& n : {allocates, frees}) {
    expect("allocates or frees memory", [&] { made.update(n); });
    exp::node changed = n;
    expect("is no kernel", [&] { changed.update_range(sycl::range<1>(2)); });
  }
  q.ext_oneapi_graph(made).wait();
}

}  // namespace
