// SPDX-License-Identifier: Apache-2.0
// When the nodes of a graph's launches were run.
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/ext/pianola/graph_parameter.hpp>
#include <sycl/ext/pianola/node_times.hpp>
#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

// Another item than a work-item's own, so that kernels that follow each other do not run piece by piece, when they overlap.
std::size_t other(sycl::id<1> i) { return i[0] ^ 1; }

class times_of_nodes : public ::testing::Test {
 protected:
  exp::node add() {
    return g.add([&](sycl::handler& h) {
      sycl::accessor a{x, h};
      h.parallel_for(4096, [=](sycl::id<1> i) { a[other(i)] = a[other(i)] * 3 + 1; });
    });
  }
  void add_host_task() {
    nodes.push_back(g.add([&](sycl::handler& h) {
      sycl::accessor a{x, h, sycl::read_write_host_task};
      h.host_task([=] { a[0] += 1; });
    }));
  }
  executable profiled() { return g.finalize({exp::property::graph::enable_profiling()}); }
  void expect_order(const sycl::event& launch) {
    std::uint64_t before = 0;
    for (const exp::node& n : nodes) {
      const pia::node_profile p = pia::node_times(launch, n);
      EXPECT_GT(p.start, 0U);
      EXPECT_GE(p.start, p.submit);
      EXPECT_GE(p.end, p.start);
      EXPECT_GE(p.start, before);
      before = p.end;
    }
  }
  void SetUp() override {
    sycl::host_accessor a{x};
    for (unsigned& v : a) v = 1;
  }

  sycl::queue q;
  sycl::buffer<unsigned> x{sycl::range<1>(4096)};
  modifiable g{q};
  std::vector<exp::node> nodes;
};

TEST_F(times_of_nodes, follow_the_order_of_the_graph_in_each_launch) {
  for (int i = 0; i < 3; ++i) nodes.push_back(add());
  const executable e = profiled();
  std::vector<sycl::event> launches;
  for (int i = 0; i < 12; ++i) launches.push_back(q.ext_oneapi_graph(e));
  std::uint64_t end = 0;
  for (const sycl::event& launch : launches) {
    expect_order(launch);
    EXPECT_GE(pia::node_times(launch, nodes.front()).start, end);
    end = pia::node_times(launch, nodes.back()).end;
    EXPECT_EQ(pia::node_times(launch, nodes.back()).where, q.get_device());
  }
  unsigned expected = 1;
  for (int i = 0; i < 36; ++i) expected = expected * 3 + 1;
  EXPECT_EQ(sycl::host_accessor{x}[4095], expected);
}

TEST_F(times_of_nodes, have_the_lane_of_each_node) {
  sycl::buffer<unsigned> others[3] = {sycl::range<1>(64), sycl::range<1>(64), sycl::range<1>(64)};
  for (auto& b : others)
    nodes.push_back(g.add([&](sycl::handler& h) {
      sycl::accessor a{b, h, sycl::write_only, sycl::no_init};
      h.parallel_for(64, [=](sycl::id<1> i) { a[i] = 1; });
    }));
  modifiable chain{q};
  std::vector<exp::node> links;
  for (int i = 0; i < 3; ++i)
    links.push_back(chain.add([&](sycl::handler& h) {
      sycl::accessor a{x, h};
      h.parallel_for(4096, [=](sycl::id<1> at) { a[other(at)] += 1; });
    }));
  const auto lanes = [&](const executable& e, const std::vector<exp::node>& of) {
    const sycl::event launch = q.ext_oneapi_graph(e);
    std::set<std::uint32_t> all;
    for (const exp::node& n : of) all.insert(pia::node_times(launch, n).lane);
    return all.size();
  };
  EXPECT_EQ(lanes(chain.finalize({exp::property::graph::enable_profiling()}), links), 1U);
  // What nothing orders has several.
  EXPECT_GT(lanes(profiled(), nodes), 1U);
}

TEST_F(times_of_nodes, lie_within_those_of_the_launch) {
  sycl::queue profiling(q.get_context(), q.get_device(),
                        {sycl::property::queue::enable_profiling()});
  for (int i = 0; i < 3; ++i) nodes.push_back(add());
  const executable e = profiled();
  const sycl::event launch = profiling.ext_oneapi_graph(e);
  expect_order(launch);
  EXPECT_GE(pia::node_times(launch, nodes.front()).start,
            launch.get_profiling_info<sycl::info::event_profiling::command_start>());
  EXPECT_LE(pia::node_times(launch, nodes.back()).end,
            launch.get_profiling_info<sycl::info::event_profiling::command_end>() + 1000);
}

TEST_F(times_of_nodes, are_there_for_host_tasks_between_kernels) {
  nodes.push_back(add());
  add_host_task();
  nodes.push_back(add());
  const executable e = profiled();
  for (int i = 0; i < 4; ++i) {
    const sycl::event launch = q.ext_oneapi_graph(e);
    for (const exp::node& n : nodes) EXPECT_GT(pia::node_times(launch, n).start, 0U);
  }
}

TEST_F(times_of_nodes, of_a_nested_graph_last_from_its_first_command_to_its_last) {
  modifiable inner{q};
  for (int i = 0; i < 2; ++i)
    inner.add([&](sycl::handler& h) {
      sycl::accessor a{x, h};
      h.parallel_for(4096, [=](sycl::id<1> k) { a[other(k)] += 1; });
    });
  const executable nested = inner.finalize();
  nodes.push_back(add());
  nodes.push_back(g.add([&](sycl::handler& h) { h.ext_oneapi_graph(nested); }));
  nodes.push_back(add());
  const executable e = profiled();
  expect_order(q.ext_oneapi_graph(e));
}

// So long a task takes at least.
constexpr std::chrono::milliseconds long_time{4};
constexpr std::uint64_t long_nanoseconds = 4'000'000;

TEST_F(times_of_nodes, of_a_nested_graph_have_the_start_of_its_first_command) {
  modifiable inner{q};
  inner.add([&](sycl::handler& h) {
    sycl::accessor a{x, h, sycl::read_write_host_task};
    h.host_task([=] { std::this_thread::sleep_for(long_time); });
  });
  for (int i = 0; i < 2; ++i)
    inner.add([&](sycl::handler& h) {
      sycl::accessor a{x, h};
      h.parallel_for(64, [=](sycl::id<1> k) { a[other(k)] += 1; });
    });
  const executable nested = inner.finalize();
  const exp::node n = g.add([&](sycl::handler& h) { h.ext_oneapi_graph(nested); });
  const executable e = profiled();
  const pia::node_profile p = pia::node_times(q.ext_oneapi_graph(e), n);
  EXPECT_GE(p.end - p.start, long_nanoseconds);
}

TEST_F(times_of_nodes, follow_their_commands_where_an_update_has_them_in_another_order) {
  sycl::buffer<unsigned> y{sycl::range<1>(64)};
  const auto add_task = [&](modifiable& to) {
    return to.add([&](sycl::handler& h) {
      sycl::accessor a{x, h, sycl::read_write_host_task};
      h.host_task([=] { std::this_thread::sleep_for(long_time); });
    });
  };
  const auto add_kernel = [&](modifiable& to) {
    return to.add([&](sycl::handler& h) {
      sycl::accessor a{y, h, sycl::write_only, sycl::no_init};
      h.parallel_for(64, [=](sycl::id<1> k) { a[other(k)] = 7; });
    });
  };
  const exp::node task = add_task(g);
  const exp::node kernel = add_kernel(g);
  executable e =
      g.finalize({exp::property::graph::enable_profiling(), exp::property::graph::updatable()});
  modifiable next{q};
  add_kernel(next);
  add_task(next);
  e.update(next);
  const sycl::event launch = q.ext_oneapi_graph(e);
  const pia::node_profile of_task = pia::node_times(launch, task);
  EXPECT_GE(of_task.end - of_task.start, long_nanoseconds);
  EXPECT_GT(pia::node_times(launch, kernel).start, 0U);
  EXPECT_EQ(sycl::host_accessor{y}[5], 7U);
  // In the same order, but with an edge between them: planned again.
  modifiable last{q};
  add_kernel(last);
  last.add([&](sycl::handler& h) {
    sycl::accessor a{x, h, sycl::read_write_host_task};
    sycl::accessor b{y, h, sycl::read_only_host_task};
    h.host_task([=] { std::this_thread::sleep_for(long_time); });
  });
  e.update(last);
  const sycl::event again = q.ext_oneapi_graph(e);
  EXPECT_GE(pia::node_times(again, task).start, pia::node_times(again, kernel).end);
  EXPECT_GT(pia::node_times(again, kernel).start, 0U);
}

TEST_F(times_of_nodes, are_those_of_each_launch_with_parameters) {
  pia::graph_parameter<sycl::buffer<unsigned>> to{sycl::range<1>(4096)};
  for (int i = 0; i < 2; ++i)
    nodes.push_back(g.add([&](sycl::handler& h) {
      sycl::accessor a{*to, h};
      h.parallel_for(4096, [=](sycl::id<1> k) { a[other(k)] = static_cast<unsigned>(k[0]) + 1; });
    }));
  const executable e = profiled();
  sycl::buffer<unsigned> y{sycl::range<1>(4096)};
  const sycl::event first = q.ext_oneapi_graph(e, {to = x});
  const sycl::event second = q.ext_oneapi_graph(e, {to = y});
  expect_order(first);
  expect_order(second);
}

TEST_F(times_of_nodes, of_loops_and_branches_tell_how_often_their_graphs_have_run) {
  sycl::buffer<int> left{1}, chosen{1};
  modifiable counts_down(q), asks(q), either(q);
  const auto body = [&](sycl::handler& h) {
    sycl::accessor l{left, h};
    sycl::accessor a{x, h};
    h.single_task([=] {
      l[0] -= 1;
      a[0] += 1;
    });
  };
  counts_down.add(body);
  const executable step = counts_down.finalize();
  // A body that wants the host, so that the host looks after the loop wherever it runs.
  asks.add(body);
  asks.add([&](sycl::handler& h) {
    sycl::accessor a{x, h, sycl::read_write_host_task};
    h.host_task([=] { a[1] += 1; });
  });
  const exp::node repeated = g.add_repeat(3, step), looped = g.add_while(left, asks.finalize()),
                  branch = g.add_if(chosen, step), kernel = add();
  executable made = profiled();
  for (const int times : {7, 4}) {
    sycl::host_accessor{left, sycl::write_only, sycl::no_init}[0] = times;
    sycl::host_accessor{chosen, sycl::write_only, sycl::no_init}[0] = times == 4 ? 1 : 0;
    const sycl::event launch = q.ext_oneapi_graph(made);
    EXPECT_EQ(pia::node_times(launch, repeated).runs, 3U);
    EXPECT_EQ(pia::node_times(launch, looped).runs, static_cast<std::uint64_t>(times - 3));
    const pia::node_profile p = pia::node_times(launch, looped);
    EXPECT_GE(p.end, p.start);
    if (q.get_backend() != sycl::backend::cuda) {
      EXPECT_EQ(pia::node_times(launch, branch).runs, times == 4 ? 1U : 0U);
    }
    EXPECT_EQ(pia::node_times(launch, kernel).runs, 0U);
  }
}

class times_of_nodes_of_bodies : public times_of_nodes {
 protected:
  exp::node add_to(modifiable& to) {
    return to.add([&](sycl::handler& h) {
      sycl::accessor a{x, h};
      h.parallel_for(4096, [=](sycl::id<1> i) { a[other(i)] = a[other(i)] * 3 + 1; });
    });
  }
  // Also where devices run loops by themselves.
  modifiable watched{q, {exp::property::graph::enable_profiling()}};
  executable profile() { return watched.finalize({exp::property::graph::enable_profiling()}); }
  modifiable body{q};
};

TEST_F(times_of_nodes_of_bodies, are_those_of_all_rounds) {
  // More than are handed to drivers at a time.
  constexpr std::uint64_t rounds = 40;
  const exp::node first = add_to(body), second = add_to(body);
  const exp::node repeated = watched.add_repeat(rounds, body.finalize());
  const exp::node behind = add_to(watched);
  executable made = profile();
  for (int launches = 0; launches < 3; ++launches) {
    const sycl::event launch = q.ext_oneapi_graph(made);
    for (const exp::node& n : {first, second}) {
      const pia::node_profile p = pia::node_times(launch, n);
      EXPECT_EQ(p.rounds, rounds);
      EXPECT_EQ(p.runs, 0U);
      EXPECT_GE(p.start, p.submit);
      EXPECT_GE(p.end - p.start, p.total);
      EXPECT_GE(p.end, p.start);
      EXPECT_EQ(p.where, q.get_device());
    }
    const pia::node_profile one = pia::node_times(launch, first),
                            other_one = pia::node_times(launch, second),
                            all = pia::node_times(launch, repeated),
                            after = pia::node_times(launch, behind);
    // One after the other, in each round.
    EXPECT_GE(other_one.start, one.start);
    EXPECT_GE(other_one.end, one.end);
    EXPECT_GE(other_one.end - one.start, one.total + other_one.total);
    EXPECT_GE(after.start, other_one.end);
    EXPECT_EQ(all.runs, rounds);
    EXPECT_EQ(all.rounds, 1U);
    EXPECT_EQ(after.rounds, 1U);
    EXPECT_EQ(after.total, after.end - after.start);
  }
}

TEST_F(times_of_nodes_of_bodies, are_summed_up) {
  const exp::node task = body.add([&](sycl::handler& h) {
    sycl::accessor a{x, h, sycl::read_write_host_task};
    h.host_task([=] {
      a[0] += 1;
      std::this_thread::sleep_for(long_time);
    });
  });
  watched.add_repeat(3, body.finalize());
  executable made = profile();
  for (int launches = 0; launches < 2; ++launches) {
    const pia::node_profile p = pia::node_times(q.ext_oneapi_graph(made), task);
    EXPECT_EQ(p.rounds, 3U);
    EXPECT_GE(p.total, 3 * long_nanoseconds);
    EXPECT_GE(p.end - p.start, p.total);
  }
}

TEST_F(times_of_nodes_of_bodies, are_those_of_loops_within_loops_and_of_all_that_run_the_graph) {
  const exp::node kernel = add_to(body);
  const executable inner = body.finalize();
  modifiable middle{q, {exp::property::graph::enable_profiling()}};
  const exp::node inside = middle.add_repeat(3, inner);
  watched.add_repeat(2, middle.finalize());
  sycl::buffer<int> chosen{1};
  watched.add_if(chosen, inner);
  executable made = profile();
  for (const int also : {0, 1, 0}) {
    sycl::host_accessor{chosen, sycl::write_only, sycl::no_init}[0] = also;
    const sycl::event launch = q.ext_oneapi_graph(made);
    const pia::node_profile p = pia::node_times(launch, kernel),
                            loop = pia::node_times(launch, inside);
    EXPECT_EQ(p.rounds, 6U + static_cast<unsigned>(also));
    EXPECT_EQ(loop.rounds, 2U);
    EXPECT_EQ(loop.runs, 6U);
    EXPECT_GE(loop.total, also == 0 ? p.total : 0);
  }
}

TEST_F(times_of_nodes_of_bodies, are_none_where_they_were_not_run) {
  const exp::node kernel = add_to(body);
  sycl::buffer<int> chosen{1};
  sycl::host_accessor{chosen, sycl::write_only, sycl::no_init}[0] = 0;
  watched.add_if(chosen, body.finalize());
  const pia::node_profile p = pia::node_times(q.ext_oneapi_graph(profile()), kernel);
  EXPECT_EQ(p.rounds, 0U);
  EXPECT_EQ(p.total, 0U);
  EXPECT_EQ(p.start, 0U);
}

TEST_F(times_of_nodes_of_bodies, are_not_known_where_a_device_decides) {
  const exp::node kernel = add_to(body);
  g.add_repeat(3, body.finalize());
  const pia::node_profile p = pia::node_times(q.ext_oneapi_graph(profiled()), kernel);
  // All loops that the double of CUDA's driver can run are its own.
  EXPECT_EQ(p.rounds, q.get_backend() == sycl::backend::cuda ? 0U : 3U);
}

TEST_F(times_of_nodes_of_bodies, go_on_after_updates) {
  sycl::buffer<int> y{sycl::range<1>(64)};
  exp::dynamic_parameter<int> by(body, 1);
  const exp::node kernel = body.add([&](sycl::handler& h) {
    sycl::accessor a{y, h};
    const pia::dynamic_argument<int> value(by);
    h.parallel_for(64, [=](sycl::id<1> i) { a[other(i)] += value; });
  });
  sycl::host_accessor{y, sycl::write_only, sycl::no_init}[5] = 0;
  watched.add_repeat(4, body.finalize());
  executable made = watched.finalize(
      {exp::property::graph::enable_profiling(), exp::property::graph::updatable()});
  EXPECT_EQ(pia::node_times(q.ext_oneapi_graph(made), kernel).rounds, 4U);
  by.update(10);
  made.update(kernel);
  EXPECT_EQ(pia::node_times(q.ext_oneapi_graph(made), kernel).rounds, 4U);
  EXPECT_EQ(sycl::host_accessor{y}[5], 44);
}

TEST_F(times_of_nodes_of_bodies, are_asked_of_nodes_that_were_there) {
  add_to(body);
  watched.add_repeat(2, body.finalize());
  const exp::node later = add_to(body);
  const sycl::event launch = q.ext_oneapi_graph(profile());
  EXPECT_EQ(error_code_of([&] { pia::node_times(launch, later); }), sycl::errc::invalid);
}

TEST_F(times_of_nodes, are_asked_of_launches_and_nodes_that_have_them) {
  const exp::node n = add();
  const executable plain = g.finalize();
  const sycl::event launch = q.ext_oneapi_graph(plain);
  EXPECT_EQ(error_code_of([&] { pia::node_times(launch, n); }), sycl::errc::invalid);
  const executable e = profiled();
  const sycl::event timed = q.ext_oneapi_graph(e);
  modifiable other{q};
  const exp::node foreign = other.add();
  EXPECT_EQ(error_code_of([&] { pia::node_times(timed, foreign); }), sycl::errc::invalid);
  const exp::node later = add();
  EXPECT_EQ(error_code_of([&] { pia::node_times(timed, later); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { pia::node_times(timed, n); }), sycl::errc::success);
}

}  // namespace
