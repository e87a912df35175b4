// SPDX-License-Identifier: Apache-2.0
// host only: host tasks of the tests wait for the thread that updates.
// Updates of executable graphs whose replays are under way: they do not wait for them.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;

// Holds up replays, until it is opened; by itself, if whoever should open it waits for the replay.
class gate {
 public:
  void pass() {
    ++passing_;
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (!open_ && std::chrono::steady_clock::now() < late) std::this_thread::yield();
    if (!open_) forced_ = true;
  }
  void wait_for_somebody() {
    while (passing_ == 0) std::this_thread::yield();
  }
  void open() { open_ = true; }
  [[nodiscard]] bool was_forced() const { return forced_; }

 private:
  std::atomic<int> passing_{0};
  std::atomic<bool> open_{false}, forced_{false};
};

class updates_in_flight : public ::testing::Test {
 protected:
  // x = 10 x + value, behind the gate.
  struct step {
    graphs::command_graph<graphs::graph_state::modifiable> graph;
    graphs::dynamic_parameter<int> value;
    graphs::node node;

    step(sycl::queue& q, int* x, gate& g, int first)
        : graph(q), value(graph, first), node(add(x, g)) {}
    graphs::node add(int* x, gate& g) {
      graphs::node waits = graph.add([&](sycl::handler& h) { h.host_task([&g] { g.pass(); }); });
      return graph.add(
          [&](sycl::handler& h) {
            sycl::ext::pianola::dynamic_argument v(value);
            h.single_task([=] { *x = static_cast<int>((10LL * *x + v) % 1000000007); });
          },
          {graphs::property::node::depends_on(waits)});
    }
  };

  ~updates_in_flight() override {
    held.open();
    q.wait();
    sycl::free(x, q);
  }

  sycl::queue q;
  gate held;
  int* const x = sycl::malloc_shared<int>(1, q);
};

TEST_F(updates_in_flight, of_nodes_do_not_wait) {
  *x = 0;
  step s(q, x, held, 1);
  auto made = s.graph.finalize({graphs::property::graph::updatable()});
  q.ext_oneapi_graph(made);
  held.wait_for_somebody();
  s.value.update(2);
  made.update(s.node);
  q.ext_oneapi_graph(made);
  s.value.update(3);
  made.update(s.node);
  q.ext_oneapi_graph(made);
  held.open();
  q.wait();
  EXPECT_FALSE(held.was_forced());
  EXPECT_EQ(*x, 123);
  // Those that were in use are used again.
  for (const int v : {4, 5, 6, 7}) {
    s.value.update(v);
    made.update(s.node);
    q.ext_oneapi_graph(made);
  }
  q.wait();
  EXPECT_EQ(*x, 1234567);
}

TEST_F(updates_in_flight, of_the_whole_graph_do_not_wait) {
  *x = 0;
  step first(q, x, held, 1), second(q, x, held, 2), third(q, x, held, 3);
  auto made = first.graph.finalize({graphs::property::graph::updatable()});
  q.ext_oneapi_graph(made);
  held.wait_for_somebody();
  made.update(second.graph);
  q.ext_oneapi_graph(made);
  made.update(third.graph);
  q.ext_oneapi_graph(made);
  held.open();
  q.wait();
  EXPECT_FALSE(held.was_forced());
  EXPECT_EQ(*x, 123);
  first.value.update(4);
  made.update(first.node);
  q.ext_oneapi_graph(made);
  q.wait();
  EXPECT_EQ(*x, 1234);
}

TEST_F(updates_in_flight, with_another_plan_do_not_wait) {
  sycl::buffer<int> a{sycl::range<1>(1)}, b{sycl::range<1>(1)};
  for (auto* one : {&a, &b}) sycl::host_accessor(*one, sycl::write_only, sycl::no_init)[0] = 0;
  const auto record = [&](sycl::buffer<int>& to) {
    graphs::command_graph graph(q);
    graph.add([&](sycl::handler& h) {
      sycl::accessor t(to, h, sycl::read_write);
      gate* const g = &held;
      h.single_task([=] {
        g->pass();
        t[0] += 1;
      });
    });
    return graph;
  };
  auto of_a = record(a), of_b = record(b);
  auto made = of_a.finalize({graphs::property::graph::updatable()});
  q.ext_oneapi_graph(made);
  held.wait_for_somebody();
  made.update(of_b);
  q.ext_oneapi_graph(made);
  held.open();
  q.wait();
  EXPECT_FALSE(held.was_forced());
  EXPECT_EQ(sycl::host_accessor(a, sycl::read_only)[0], 1);
  EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 1);
}

// More of them than there may be native graphs: some have to wait, and nothing is lost.
TEST_F(updates_in_flight, are_as_many_as_one_likes) {
  *x = 0;
  held.open();
  step s(q, x, held, 0);
  auto made = s.graph.finalize({graphs::property::graph::updatable()});
  long long expected = 0;
  for (int i = 0; i < 50; ++i) {
    s.value.update(i);
    made.update(s.node);
    for (int k = 0; k < i % 3; ++k) {
      q.ext_oneapi_graph(made);
      expected = (10 * expected + i) % 1000000007;
    }
  }
  q.wait();
  EXPECT_EQ(*x, expected);
}

}  // namespace
