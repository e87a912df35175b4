// SPDX-License-Identifier: Apache-2.0
// The interface of sycl_ext_oneapi_graph; what graphs do to data has tests of its own with the runtime.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using node_type = exp::node_type;

// Several of these programs run at the same time.
std::string own_file(const std::string& ending) {
  return ::testing::TempDir() + "pianola_graph_test_" + std::to_string(::getpid()) + ending;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

class graph : public ::testing::Test {
 protected:
  graph() : p(sycl::malloc_shared<int>(16, q)) {
    for (int i = 0; i < 16; ++i) p[i] = 0;
  }
  ~graph() override {
    q.wait();
    sycl::free(p, q);
  }
  sycl::queue q{sycl::property::queue::in_order{}};
  int* p;
};

TEST_F(graph, what_is_recorded_does_not_run_and_what_is_replayed_runs_each_time) {
  int* const v = p;
  exp::command_graph g{q};
  EXPECT_TRUE(g.empty());
  g.begin_recording(q);
  EXPECT_EQ(q.ext_oneapi_get_state(), exp::queue_state::recording);
  q.single_task([=] { v[0] += 1; });
  q.single_task([=] { v[1] += v[0]; });
  g.end_recording(q);
  EXPECT_EQ(q.ext_oneapi_get_state(), exp::queue_state::executing);
  q.wait();
  EXPECT_EQ(p[0], 0);
  const auto exec = g.finalize();
  for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(exec);
  q.submit([&](sycl::handler& h) { h.ext_oneapi_graph(exec); }).wait();
  EXPECT_EQ(p[0], 4);
  EXPECT_EQ(p[1], 1 + 2 + 3 + 4);
}

TEST_F(graph, the_explicit_interface_makes_nodes_and_edges) {
  int* const v = p;
  exp::command_graph g{q.get_context(), q.get_device()};
  exp::node a = g.add([&](sycl::handler& h) { h.single_task([=] { v[0] = 5; }); });
  exp::node b = g.add([&](sycl::handler& h) { h.single_task([=] { v[1] = v[0] + 1; }); },
                      {exp::property::node::depends_on(a)});
  exp::node c = g.add([&](sycl::handler& h) { h.single_task([=] { v[2] = v[1] + 1; }); });
  g.make_edge(b, c);
  exp::node end = g.add({exp::property::node::depends_on_all_leaves{}});
  EXPECT_EQ(g.get_nodes(), (std::vector<exp::node>{a, b, c, end}));
  EXPECT_EQ(g.get_root_nodes(), std::vector<exp::node>{a});
  EXPECT_EQ(b.get_predecessors(), std::vector<exp::node>{a});
  EXPECT_EQ(b.get_successors(), std::vector<exp::node>{c});
  EXPECT_EQ(end.get_predecessors(), std::vector<exp::node>{c});
  EXPECT_NE(std::hash<exp::node>()(a), std::hash<exp::node>()(b));
  q.ext_oneapi_graph(g.finalize()).wait();
  EXPECT_EQ(p[2], 7);
}

TEST_F(graph, nodes_know_their_type) {
  exp::command_graph g{q};
  int* const v = p;
  const auto type = [&](auto cgf) { return g.add(cgf).get_type(); };
  EXPECT_EQ(g.add().get_type(), node_type::empty);
  EXPECT_EQ(type([&](sycl::handler& h) { h.single_task([=] { v[0] = 1; }); }), node_type::kernel);
  EXPECT_EQ(type([&](sycl::handler& h) { h.memcpy(v, v + 1, 4); }), node_type::memcpy);
  EXPECT_EQ(type([&](sycl::handler& h) { h.memset(v, 0, 4); }), node_type::memset);
  EXPECT_EQ(type([&](sycl::handler& h) { h.fill(v, 1, 4); }), node_type::memfill);
  EXPECT_EQ(type([&](sycl::handler& h) { h.prefetch(v, 4); }), node_type::prefetch);
  EXPECT_EQ(type([&](sycl::handler& h) { h.mem_advise(v, 4, 0); }), node_type::memadvise);
  EXPECT_EQ(type([&](sycl::handler& h) { h.host_task([] {}); }), node_type::host_task);
  exp::command_graph inner{q};
  inner.add([&](sycl::handler& h) { h.single_task([=] { v[0] = 1; }); });
  const auto exec = inner.finalize();
  EXPECT_EQ(type([&](sycl::handler& h) { h.ext_oneapi_graph(exec); }), node_type::subgraph);
}

TEST_F(graph, an_event_of_a_recording_leads_to_its_node) {
  int* const v = p;
  exp::command_graph g{q};
  g.begin_recording(q);
  const sycl::event first = q.single_task([=] { v[0] = 1; });
  const sycl::event second = q.memset(v, 0, 4);
  g.end_recording();
  const exp::node n = exp::node::get_node_from_event(second);
  EXPECT_EQ(n, g.get_nodes()[1]);
  EXPECT_EQ(n.get_predecessors(), std::vector<exp::node>{exp::node::get_node_from_event(first)});
  EXPECT_EQ(error_code_of([&] { exp::node::get_node_from_event(sycl::event()); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { sycl::event(first).wait(); }), sycl::errc::invalid);
}

TEST_F(graph, buffers_make_edges) {
  sycl::buffer<int, 1> b{4};
  sycl::queue out_of_order;
  exp::command_graph g{out_of_order};
  g.begin_recording(out_of_order);
  out_of_order.submit([&](sycl::handler& h) {
    sycl::accessor a{b, h, sycl::write_only, sycl::no_init};
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] = 1; });
  });
  out_of_order.submit([&](sycl::handler& h) {
    sycl::accessor a{b, h, sycl::read_write};
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] += 1; });
  });
  g.end_recording();
  const auto nodes = g.get_nodes();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].get_predecessors(), std::vector<exp::node>{nodes[0]});
  const auto exec = g.finalize();
  out_of_order.ext_oneapi_graph(exec);
  out_of_order.ext_oneapi_graph(exec);
  sycl::host_accessor a{b, sycl::read_only};
  EXPECT_EQ(a[3], 2);
}

TEST_F(graph, several_queues_may_record_and_end_together) {
  int* const v = p;
  sycl::queue other;
  exp::command_graph g{q};
  g.begin_recording({q, other});
  const sycl::event e = q.single_task([=] { v[0] = 1; });
  other.single_task(e, [=] { v[1] = v[0] + 1; });
  g.end_recording({q, other});
  EXPECT_EQ(other.ext_oneapi_get_state(), exp::queue_state::executing);
  EXPECT_EQ(g.get_nodes().size(), 2u);
  q.ext_oneapi_graph(g.finalize()).wait();
  EXPECT_EQ(p[1], 2);
}

TEST_F(graph, misuse_of_recording_is_refused) {
  int* const v = p;
  exp::command_graph g{q}, other{q};
  g.end_recording(q);  // does not record: left alone
  g.begin_recording(q);
  EXPECT_EQ(error_code_of([&] { g.begin_recording(q); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { g.begin_recording(std::vector<sycl::queue>{q}); }),
            sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { other.begin_recording(q); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { other.end_recording(q); }), sycl::errc::invalid);
  EXPECT_EQ(q.ext_oneapi_get_state(), exp::queue_state::recording);
  EXPECT_EQ(
      error_code_of([&] { g.add([&](sycl::handler& h) { h.single_task([=] { v[0] = 1; }); }); }),
      sycl::errc::invalid);
  g.end_recording();
  sycl::queue elsewhere{sycl::context{q.get_device()}, q.get_device()};
  EXPECT_EQ(error_code_of([&] { g.begin_recording(elsewhere); }), sycl::errc::invalid);
}

TEST_F(graph, edges_that_cannot_be_are_refused) {
  int* const v = p;
  exp::command_graph g{q}, other{q};
  const auto add = [v](auto& to) {
    return to.add([&](sycl::handler& h) { h.single_task([=] { v[0] = 1; }); });
  };
  exp::node a = add(g), b = add(g), foreign = add(other);
  g.make_edge(a, b);
  EXPECT_EQ(error_code_of([&] { g.make_edge(b, a); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { g.make_edge(a, a); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { g.make_edge(a, foreign); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { g.add({exp::property::node::depends_on(foreign)}); }),
            sycl::errc::invalid);
  EXPECT_EQ(g.get_nodes().size(), 2u);
}

TEST_F(graph, may_be_finalized_empty_and_more_than_once) {
  int* const v = p;
  exp::command_graph g{q,
                       {exp::property::graph::assume_buffer_outlives_graph{},
                        exp::property::graph::no_cycle_check{}}};
  q.ext_oneapi_graph(g.finalize()).wait();
  g.add([&](sycl::handler& h) { h.single_task([=] { v[0] += 1; }); });
  const auto one = g.finalize();
  g.add([&](sycl::handler& h) { h.single_task([=] { v[1] += 1; }); });
  const auto two = g.finalize({exp::property::graph::enable_profiling{}});
  q.ext_oneapi_graph(one);
  q.ext_oneapi_graph(two);
  q.wait();
  EXPECT_EQ(p[0], 2);
  EXPECT_EQ(p[1], 1);
  EXPECT_EQ(two.get_required_mem_size(), 0u);
}

TEST_F(graph, replays_wait_for_their_events) {
  int* const v = p;
  sycl::queue out_of_order;
  exp::command_graph g{out_of_order};
  g.add([&](sycl::handler& h) { h.single_task([=] { v[1] = v[0]; }); });
  const auto exec = g.finalize();
  const sycl::event e = q.submit([&](sycl::handler& h) { h.host_task([=] { v[0] = 9; }); });
  out_of_order.ext_oneapi_graph(exec, e).wait();
  EXPECT_EQ(p[1], 9);
  out_of_order.ext_oneapi_graph(exec, {e}).wait();
}

TEST_F(graph, a_graph_in_a_graph_runs_as_one_node) {
  int* const v = p;
  exp::command_graph inner{q};
  inner.add([&](sycl::handler& h) { h.single_task([=] { v[0] += 1; }); });
  const auto child = inner.finalize();
  exp::command_graph outer{q};
  outer.begin_recording(q);
  q.single_task([=] { v[0] *= 10; });
  q.ext_oneapi_graph(child);
  q.single_task([=] { v[1] = v[0]; });
  outer.end_recording();
  p[0] = 1;
  q.ext_oneapi_graph(outer.finalize()).wait();
  EXPECT_EQ(p[1], 11);
}

TEST_F(graph, prints_itself_as_dot_and_only_that) {
  sycl::buffer<int> b(1);
  exp::command_graph g{q};
  g.add([&](sycl::handler& h) {
    const sycl::accessor a(b, h);
    h.single_task<class printed_kernel>([=] { a[0] = 1; });
  });
  const std::string path = own_file(".dot");
  g.print_graph(path);
  const std::string brief = text_of(path);
  EXPECT_NE(brief.find("printed_kernel"), std::string::npos);
  EXPECT_NE(brief.find("digraph"), std::string::npos);
  g.print_graph(path, true);
  const std::string verbose = text_of(path);
  EXPECT_NE(verbose, brief) << "what it accesses";
  std::remove(path.c_str());
  g.print_dot_graph(path, true);
  EXPECT_EQ(text_of(path), verbose) << "by its other name";
  std::remove(path.c_str());
  EXPECT_EQ(error_code_of([&] { g.print_graph("graph.svg"); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { g.print_graph("/nowhere/at/all/graph.dot"); }),
            sycl::errc::invalid);
}

TEST_F(graph, files_and_statistics_are_offered) {
  namespace ext = sycl::ext::pianola;
  int* const v = p;
  exp::command_graph g{q};
  g.add([&](sycl::handler& h) { h.single_task([=] { v[0] += 1; }); });
  const auto exec = g.finalize();
  const std::string path = own_file("");
  ext::write_graph(exec, path + ".json");
  EXPECT_NE(text_of(path + ".json").find("pianola.graph/1"), std::string::npos);
  ext::write_plan(exec, path + ".json");
  EXPECT_NE(text_of(path + ".json").find("pianola.plan/1"), std::string::npos);
  ext::write_dot(exec, path + ".dot");
  EXPECT_NE(text_of(path + ".dot").find("digraph"), std::string::npos);
  EXPECT_EQ(error_code_of([&] { ext::write_plan(exec, "/nowhere/at/all/plan.json"); }),
            sycl::errc::invalid);
  std::remove((path + ".json").c_str());
  std::remove((path + ".dot").c_str());

  q.wait();
  ext::reset_statistics();
  q.ext_oneapi_graph(exec);
  q.ext_oneapi_graph(exec).wait();
  EXPECT_EQ(ext::get_statistics().replays, 2u);
  ext::reset_statistics();
  EXPECT_EQ(ext::get_statistics().replays, 0u);
}

TEST_F(graph, copies_of_graphs_are_equal_and_others_are_not) {
  exp::command_graph a{q}, b{q};
  const auto c = a;
  EXPECT_EQ(a, c);
  EXPECT_NE(a, b);
  EXPECT_EQ(std::hash<exp::command_graph<exp::graph_state::modifiable>>()(a),
            std::hash<exp::command_graph<exp::graph_state::modifiable>>()(c));
  const auto x = a.finalize(), y = a.finalize();
  EXPECT_NE(x, y);
}

}  // namespace

// Who ends it waits for its replays, this one included.
TEST_F(graph, may_end_in_a_host_task_of_its_own) {
  for (int round = 0; round < 20; ++round) {
    std::optional<exp::command_graph<exp::graph_state::executable>> kept;
    std::atomic<int> ran{0};
    exp::command_graph g{q.get_context(), q.get_device()};
    const exp::node first = g.add([&](sycl::handler& h) {
      h.host_task([&] {
        kept.reset();
        ++ran;
      });
    });
    g.add([&](sycl::handler& h) { h.host_task([&] { ++ran; }); },
          {exp::property::node::depends_on(first)});
    kept.emplace(g.finalize());
    q.ext_oneapi_graph(*kept);
    q.wait();
    EXPECT_EQ(ran, 2);
  }
}

TEST(recording, an_event_of_a_recording_has_neither_status_nor_times) {
  sycl::queue q{sycl::property::queue::enable_profiling{}};
  exp::command_graph g{q.get_context(), q.get_device()};
  g.begin_recording(q);
  const sycl::event e = q.single_task([] {});
  g.end_recording(q);
  EXPECT_THROW(e.get_info<sycl::info::event::command_execution_status>(), sycl::exception);
  EXPECT_THROW(e.get_profiling_info<sycl::info::event_profiling::command_end>(), sycl::exception);
}

TEST(recording, ends_with_the_last_copy_of_the_graph) {
  sycl::queue q;
  {
    exp::command_graph g{q.get_context(), q.get_device()};
    g.begin_recording(q);
    EXPECT_EQ(q.ext_oneapi_get_state(), exp::queue_state::recording);
  }
  EXPECT_EQ(q.ext_oneapi_get_state(), exp::queue_state::executing);
  int* const done = sycl::malloc_host<int>(1, q);
  *done = 0;
  q.single_task([done] { *done = 1; }).wait();
  EXPECT_EQ(*done, 1);
  sycl::free(done, q);
}
