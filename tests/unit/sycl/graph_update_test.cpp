// SPDX-License-Identifier: Apache-2.0
// Changes of graphs after they were recorded (sycl_ext_oneapi_graph, "Graph update").
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using exp::property::graph::updatable;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;

class graph_update : public ::testing::Test {
 protected:
  graph_update() : a(sycl::malloc_shared<int>(64, q)), b(sycl::malloc_shared<int>(64, q)) {
    for (int i = 0; i < 64; ++i) a[i] = b[i] = 0;
  }
  ~graph_update() override {
    q.wait();
    sycl::free(a, q);
    sycl::free(b, q);
  }
  void replay(const exp::command_graph<exp::graph_state::executable>& g) {
    q.ext_oneapi_graph(g);
    q.wait_and_throw();
  }
  sycl::queue q{sycl::property::queue::in_order{}};
  int* a;
  int* b;
};

modifiable filling(sycl::queue q, int* to, int value, std::size_t count) {
  modifiable g(q);
  g.begin_recording(q);
  q.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] += value; });
  q.single_task([=] { to[63] += 1; });
  g.end_recording();
  return g;
}

TEST_F(graph_update, from_another_graph_takes_its_arguments_and_ranges) {
  auto exec = filling(q, a, 1, 8).finalize({updatable()});
  replay(exec);
  exec.update(filling(q, b, 5, 16));
  replay(exec);
  EXPECT_EQ(a[7], 1);
  EXPECT_EQ(a[8], 0);
  EXPECT_EQ(a[63], 1);
  EXPECT_EQ(b[15], 5);
  EXPECT_EQ(b[16], 0);
  EXPECT_EQ(b[63], 1);
}

TEST_F(graph_update, from_another_graph_takes_its_buffers) {
  std::vector<int> first(8, 1), second(8, 10);
  {
    sycl::buffer<int> one(first), two(second);
    const auto adding = [&](sycl::buffer<int>& to, int value) {
      modifiable g(q);
      g.add([&](sycl::handler& h) {
        sycl::accessor access(to, h);
        h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { access[i] += value; });
      });
      g.add([&](sycl::handler& h) {
        sycl::accessor access(to, h);
        h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { access[i] *= value; });
      });
      return g;
    };
    auto exec = adding(one, 2).finalize({updatable()});
    replay(exec);
    exec.update(adding(two, 3));
    replay(exec);
    replay(exec);
    // The same buffer with other values needs no new plan.
    exec.update(adding(two, 1));
    replay(exec);
  }
  EXPECT_EQ(first, std::vector<int>(8, 6));
  EXPECT_EQ(second, std::vector<int>(8, ((10 + 3) * 3 + 3) * 3 + 1));
}

TEST_F(graph_update, refuses_another_topology_and_changes_nothing) {
  auto exec = filling(q, a, 1, 8).finalize({updatable()});
  modifiable longer = filling(q, b, 1, 8);
  longer.add([&, to = b](sycl::handler& h) { h.single_task([=] { to[0] = 1; }); });
  EXPECT_EQ(error_code_of([&] { exec.update(longer); }), sycl::errc::invalid);

  modifiable other_kind(q);
  other_kind.begin_recording(q);
  q.memset(b, 1, 8);
  q.single_task([to = b] { to[63] += 1; });
  other_kind.end_recording();
  EXPECT_EQ(error_code_of([&] { exec.update(other_kind); }), sycl::errc::invalid);

  modifiable no_edge(q);
  no_edge.add([&, to = b](sycl::handler& h) {
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { to[i] = 1; });
  });
  no_edge.add([&, to = b](sycl::handler& h) { h.single_task([=] { to[63] += 1; }); });
  EXPECT_EQ(error_code_of([&] { exec.update(no_edge); }), sycl::errc::invalid);

  replay(exec);
  EXPECT_EQ(a[7], 1);
  EXPECT_EQ(b[7], 0);
}

TEST_F(graph_update, needs_a_graph_that_was_finalized_for_it) {
  auto exec = filling(q, a, 1, 8).finalize();
  EXPECT_EQ(error_code_of([&] { exec.update(filling(q, b, 1, 8)); }), sycl::errc::invalid);
}

TEST_F(graph_update, takes_other_function_objects_with_a_life_of_their_own) {
  struct counted {
    std::vector<int> values;
    int* to;
    void operator()() const { to[0] = std::accumulate(values.begin(), values.end(), 0); }
  };
  const auto summing = [&](std::vector<int> values) {
    modifiable g(q);
    g.add([&](sycl::handler& h) { h.host_task(counted{values, a}); });
    return g;
  };
  auto exec = summing({1, 2}).finalize({updatable()});
  replay(exec);
  EXPECT_EQ(a[0], 3);
  exec.update(summing({10, 20, 30}));
  replay(exec);
  EXPECT_EQ(a[0], 60);
}

TEST_F(graph_update, of_a_node_gives_a_range_for_an_nd_range_and_the_other_way_round) {
  modifiable g(q);
  int* const to = a;
  auto wide = g.add([&](sycl::handler& h) {
    h.parallel_for(sycl::range<1>(8), [=](sycl::item<1> i) { to[i] += 1; });
  });
  auto grouped = g.add([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) {
      to[i.get_global_id(0)] += 10 * static_cast<int>(i.get_local_range(0));
    });
  });
  g.make_edge(wide, grouped);
  auto exec = g.finalize({updatable()});
  wide.update_nd_range(sycl::nd_range<1>(4, 2));
  grouped.update_range(sycl::range<1>(6));  // 4 does not divide it: groups of 2
  exec.update(std::vector<exp::node>{wide, grouped});
  replay(exec);
  EXPECT_EQ(a[3], 21);
  EXPECT_EQ(a[4], 20);
  EXPECT_EQ(a[6], 0);
  grouped.update_range(sycl::range<1>(4));
  exec.update(grouped);
  replay(exec);
  EXPECT_EQ(a[3], 21 + 21);
  EXPECT_EQ(a[4], 20);
  EXPECT_EQ(error_code_of([&] { grouped.update_range(sycl::range<2>(2, 2)); }),
            sycl::errc::invalid);
}

TEST_F(graph_update, of_a_node_changes_its_range) {
  modifiable g(q);
  int* const to = a;
  auto wide = g.add([&](sycl::handler& h) {
    h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { to[i] += 1; });
  });
  auto grouped = g.add([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i) {
      to[i.get_global_id(0)] += 10 * static_cast<int>(i.get_local_range(0));
    });
  });
  g.make_edge(wide, grouped);
  auto exec = g.finalize({updatable()});
  wide.update_range(sycl::range<1>(3));
  grouped.update_nd_range(sycl::nd_range<1>(6, 2));
  replay(exec);
  EXPECT_EQ(a[7], 41);  // an executable graph keeps what it has
  exec.update(std::vector<exp::node>{wide, grouped});
  replay(exec);
  EXPECT_EQ(a[2], 41 + 21);
  EXPECT_EQ(a[3], 41 + 20);
  EXPECT_EQ(a[6], 41);

  EXPECT_EQ(error_code_of([&] { wide.update_range(sycl::range<2>(2, 2)); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { wide.update_nd_range(sycl::nd_range<1>(4, 3)); }),
            sycl::errc::nd_range);
  EXPECT_EQ(error_code_of([&] { grouped.update_nd_range(sycl::nd_range<1>(5, 2)); }),
            sycl::errc::nd_range);
  auto fill = g.add([&](sycl::handler& h) { h.memset(to, 0, 4); });
  EXPECT_EQ(error_code_of([&] { fill.update_range(sycl::range<1>(2)); }), sycl::errc::invalid);
  // Added after finalize().
  EXPECT_EQ(error_code_of([&] { exec.update(fill); }), sycl::errc::invalid);
  modifiable other = filling(q, b, 1, 1);
  EXPECT_EQ(error_code_of([&] { exec.update(other.get_nodes()[0]); }), sycl::errc::invalid);
}

TEST_F(graph_update, of_a_dynamic_parameter_reaches_every_kernel_that_captures_it) {
  modifiable g(q);
  exp::dynamic_parameter<int*> target(g, a);
  exp::dynamic_parameter<int> value(g, 1);
  std::vector<exp::node> nodes;
  for (int n = 0; n < 2; ++n)
    nodes.push_back(g.add([&](sycl::handler& h) {
      sycl::ext::pianola::dynamic_argument to(target);
      sycl::ext::pianola::dynamic_argument add(value);
      h.parallel_for(sycl::range<1>(4),
                     [=](sycl::id<1> i) { to.get()[4 * n + static_cast<int>(i[0])] += add; });
    }));
  auto exec = g.finalize({updatable()});
  target.update(b);
  value.update(7);
  replay(exec);
  EXPECT_EQ(a[7], 1);
  EXPECT_EQ(b[7], 0);
  exec.update(nodes[1]);
  replay(exec);
  EXPECT_EQ(a[3], 2);
  EXPECT_EQ(a[7], 1);
  EXPECT_EQ(b[7], 7);
  exec.update(nodes);
  replay(exec);
  EXPECT_EQ(b[3], 7);
  EXPECT_EQ(b[7], 14);
  // Graphs that are finalized later have the new values at once.
  replay(g.finalize());
  EXPECT_EQ(b[0], 14);
}

TEST_F(graph_update, of_a_dynamic_command_group_exchanges_the_command) {
  modifiable g(q);
  int *const to = a, *const other = b;
  exp::dynamic_command_group groups(
      g, {[=](sycl::handler& h) {
            h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { to[i] += 1; });
          },
          [=](sycl::handler& h) {
            h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { other[i] += 100; });
          }});
  auto node = g.add(groups);
  auto exec = g.finalize({updatable()});
  replay(exec);
  EXPECT_EQ(groups.get_active_index(), 0u);
  groups.set_active_index(1);
  exec.update(node);
  replay(exec);
  EXPECT_EQ(a[3], 1);
  EXPECT_EQ(b[7], 100);
  groups.set_active_index(0);
  exec.update(g);
  replay(exec);
  EXPECT_EQ(a[3], 2);
  EXPECT_EQ(b[7], 100);
  EXPECT_EQ(error_code_of([&] { groups.set_active_index(2); }), sycl::errc::invalid);
  const std::vector<std::function<void(sycl::handler&)>> none,
      kinds = {[=](sycl::handler& h) { h.memset(to, 0, 4); },
               [=](sycl::handler& h) { h.single_task([=] { to[0] = 1; }); }};
  EXPECT_EQ(error_code_of([&] { exp::dynamic_command_group(g, none); }), sycl::errc::invalid);
  EXPECT_EQ(error_code_of([&] { exp::dynamic_command_group(g, kinds); }), sycl::errc::invalid);
}

TEST_F(graph_update, is_possible_while_the_host_and_eager_commands_use_the_same_buffer) {
  std::vector<int> data(8, 0);
  sycl::buffer<int> buffer(data);
  const auto adding = [&](int value) {
    modifiable g(q);
    g.add([&](sycl::handler& h) {
      sycl::accessor access(buffer, h);
      h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { access[i] += value; });
    });
    return g;
  };
  auto exec = adding(1).finalize({updatable()});
  int expected = 0;
  for (int round = 1; round < 6; ++round) {
    q.ext_oneapi_graph(exec);
    q.submit([&](sycl::handler& h) {
      sycl::accessor access(buffer, h);
      h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i) { access[i] *= 2; });
    });
    expected = (expected + round) * 2;
    exec.update(adding(round + 1));
    EXPECT_EQ(sycl::host_accessor(buffer, sycl::read_only)[3], expected);
  }
}

TEST_F(graph_update, queue_and_graph_find_each_other_while_recording) {
  modifiable g(q);
  EXPECT_EQ(error_code_of([&] { (void)q.ext_oneapi_get_graph(); }), sycl::errc::invalid);
  g.begin_recording(q);
  EXPECT_TRUE(q.ext_oneapi_get_graph() == g);
  q.ext_oneapi_get_graph().end_recording();
  EXPECT_EQ(q.ext_oneapi_get_state(), exp::queue_state::executing);
  EXPECT_TRUE(q.get_device().has(sycl::aspect::ext_oneapi_graph));
}

// Random graphs and random changes, against the values that the commands would give one after the other.
TEST_F(graph_update, gives_what_recording_anew_would_give) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    struct command {
      int from, to, factor, count;
    };
    const std::size_t n = 1 + random() % 12;
    std::vector<command> commands(n);
    const auto draw = [&](command& c) {
      c = {static_cast<int>(random() % 4), static_cast<int>(random() % 4),
           static_cast<int>(random() % 5), 1 + static_cast<int>(random() % 8)};
    };
    for (command& c : commands) draw(c);
    std::vector<sycl::buffer<int>> buffers;
    std::vector<std::vector<int>> expected(4, std::vector<int>(8));
    for (int i = 0; i < 4; ++i) {
      for (int k = 0; k < 8; ++k) expected[i][k] = static_cast<int>(random() % 10);
      buffers.emplace_back(expected[i].begin(), expected[i].end());
    }
    const auto record = [&] {
      modifiable g(q);
      g.begin_recording(q);
      for (const command& c : commands)
        q.submit([&](sycl::handler& h) {
          sycl::accessor from(buffers[c.from], h, sycl::read_only);
          sycl::accessor to(buffers[c.to], h, sycl::read_write);
          const int factor = c.factor;
          h.parallel_for(sycl::range<1>(c.count),
                         [=](sycl::id<1> i) { to[i] = (to[i] + factor * from[i] + 1) % 1009; });
        });
      g.end_recording();
      return g;
    };
    auto exec = record().finalize({updatable()});
    for (int step = 0; step < 4; ++step) {
      q.ext_oneapi_graph(exec);
      for (const command& c : commands)
        for (int i = 0; i < c.count; ++i)
          expected[c.to][i] = (expected[c.to][i] + c.factor * expected[c.from][i] + 1) % 1009;
      for (std::size_t k = random() % (n + 1); k > 0; --k) {
        command& c = commands[random() % n];
        const command before = c;
        draw(c);
        // Sometimes only what leaves the plan as it is.
        if (step % 2 == 0) c.from = before.from, c.to = before.to;
      }
      exec.update(record());
    }
    for (int i = 0; i < 4; ++i) {
      sycl::host_accessor result(buffers[i], sycl::read_only);
      for (int k = 0; k < 8; ++k) ASSERT_EQ(result[k], expected[i][k]) << "round " << round;
    }
  }
}

// The copy of several rows makes drivers take the graph as a whole, or instantiate it anew.
TEST_F(graph_update, may_meet_replays_of_other_threads) {
  constexpr int rounds = 50, adds = 3;
  const auto record = [&](int* to) {
    modifiable g(q);
    g.begin_recording(q);
    for (int i = 0; i < adds; ++i)
      q.parallel_for(sycl::range<1>(16), [=](sycl::id<1> k) { to[k] += 1; });
    q.ext_oneapi_memcpy2d(to + 32, 16, to + 48, 16, 8, 2);
    g.end_recording(q);
    return g;
  };
  const modifiable first = record(a), second = record(b);
  auto body = first.finalize({updatable()});
  const auto replay_often = [&] {
    sycl::queue other(q.get_context(), q.get_device(), sycl::property::queue::in_order{});
    for (int i = 0; i < rounds; ++i) other.ext_oneapi_graph(body);
    other.wait_and_throw();
  };
  std::thread one(replay_often), two(replay_often);
  for (int i = 0; i < rounds; ++i) body.update(i % 2 == 0 ? second : first);
  one.join();
  two.join();
  for (int k = 0; k < 16; ++k) EXPECT_EQ(a[k] + b[k], 2 * rounds * adds) << k;
}

// A replay does not end before another one has been submitted, so that at no time none is under way.
class graph_that_is_always_busy : public graph_update {
 protected:
  modifiable adding(int* to) {
    modifiable g(q);
    g.begin_recording(q);
    q.submit([&](sycl::handler& h) {
      h.host_task([this] {
        const int mine = begun++;
        while (submitted < mine + 2 && !nothing_more)
          std::this_thread::sleep_for(std::chrono::microseconds(50));
      });
    });
    node = q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> k) { to[k] += 1; });
    });
    g.end_recording(q);
    return g;
  }
  // Returns when the update does, or too many replays have been submitted meanwhile.
  template <class Update>
  void replay_meanwhile(exp::command_graph<exp::graph_state::executable>& body,
                        const Update& update) {
    std::atomic<bool> updated{false};
    std::thread other([&] {
      sycl::queue own(q.get_context(), q.get_device(), sycl::property::queue::in_order{});
      while (!updated && submitted < limit) {
        own.ext_oneapi_graph(body);
        ++submitted;
        while (submitted > begun + 2) std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      nothing_more = true;
      own.wait_and_throw();
    });
    while (begun < 2) std::this_thread::yield();
    update();
    updated = true;
    other.join();
    EXPECT_LT(submitted, limit) << "the update waits for a moment without replays";
  }

  static constexpr int limit = 3000;
  std::atomic<int> begun{0}, submitted{0};
  std::atomic<bool> nothing_more{false};
  sycl::event node;
};

TEST_F(graph_that_is_always_busy, is_updated_from_another_graph) {
  const modifiable first = adding(a), second = adding(b);
  auto body = first.finalize({updatable()});
  replay_meanwhile(body, [&] { body.update(second); });
  const int of_first = a[0];
  replay(body);
  EXPECT_EQ(a[0], of_first);
  EXPECT_GE(b[0], 1);
  for (int k = 0; k < 16; ++k) EXPECT_EQ(a[k] + b[k], submitted + 1) << k;
}

TEST_F(graph_that_is_always_busy, is_updated_by_a_node) {
  modifiable first = adding(a);
  auto body = first.finalize({updatable()});
  exp::node of = exp::node::get_node_from_event(node);
  of.update_range(sycl::range<1>(8));
  replay_meanwhile(body, [&] { body.update(of); });
  const int before = a[15];
  replay(body);
  EXPECT_EQ(a[15], before);
  EXPECT_EQ(a[0], submitted + 1);
}

TEST_F(graph_that_is_always_busy, is_updated_to_what_needs_another_plan) {
  sycl::buffer<int> x{16}, y{16};
  for (sycl::buffer<int>* one : {&x, &y}) {
    const sycl::host_accessor all{*one};
    for (int i = 0; i < 16; ++i) all[i] = 0;
  }
  const auto record = [&](sycl::buffer<int>& of) {
    modifiable g = adding(a);
    g.begin_recording(q);
    q.submit([&](sycl::handler& h) {
      sycl::accessor out{of, h};
      h.parallel_for(16, [=](sycl::id<1> k) { out[k] += 1; });
    });
    g.end_recording(q);
    return g;
  };
  const modifiable first = record(x), second = record(y);
  auto body = first.finalize({updatable()});
  replay_meanwhile(body, [&] { body.update(second); });
  replay(body);
  const sycl::host_accessor of_first{x}, of_second{y};
  EXPECT_GE(of_second[3], 1);
  EXPECT_EQ(of_first[3] + of_second[3], submitted + 1);
  EXPECT_EQ(a[3], submitted + 1);
}

}  // namespace
