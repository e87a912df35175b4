// SPDX-License-Identifier: Apache-2.0
// What recording a queue makes of the order of its commands (sycl_ext_oneapi_graph, "Queue Recording API").
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;

class graph_recording : public ::testing::Test {
 protected:
  ~graph_recording() override { g.end_recording(); }
  sycl::event command(sycl::queue& queue, const std::vector<sycl::event>& after = {}) {
    return queue.submit([&](sycl::handler& h) {
      h.depends_on(after);
      h.single_task([] {});
    });
  }
  static exp::node node_of(const sycl::event& e) { return exp::node::get_node_from_event(e); }
  static bool same(std::vector<exp::node> a, const std::vector<sycl::event>& events) {
    if (a.size() != events.size()) return false;
    return std::all_of(events.begin(), events.end(), [&](const sycl::event& e) {
      return std::find(a.begin(), a.end(), node_of(e)) != a.end();
    });
  }

  sycl::queue q, other{q.get_context(), q.get_device()};
  modifiable g{q};
};

TEST_F(graph_recording, a_command_of_the_device_makes_no_edge_whether_it_has_finished_or_not) {
  const sycl::event running = command(q);
  sycl::event before = command(q);
  before.wait();
  g.begin_recording(q);
  // There is no command that a default event would be of.
  const sycl::event first = command(q, {before, running, sycl::event()});
  const sycl::event then = command(q, {running, first});
  g.end_recording();
  EXPECT_TRUE(node_of(first).get_predecessors().empty());
  EXPECT_TRUE(same(node_of(then).get_predecessors(), {first}));
  const exp::node added = g.add([&](sycl::handler& h) {
    h.depends_on({before, running, sycl::event()});
    h.single_task([] {});
  });
  EXPECT_TRUE(added.get_predecessors().empty());
  EXPECT_EQ(g.get_nodes().size(), 3u);
}

TEST_F(graph_recording, a_barrier_follows_the_leaves_of_its_queue_alone) {
  g.begin_recording({q, other});
  const sycl::event first = command(q), elsewhere = command(other), leaf = command(q),
                    followed = command(q, {first});
  const sycl::event barrier = q.ext_oneapi_submit_barrier();
  EXPECT_TRUE(same(node_of(barrier).get_predecessors(), {leaf, followed}));
  // The queue's commands follow it, those of others do not.
  const sycl::event later = command(q), free = command(other);
  EXPECT_TRUE(same(node_of(later).get_predecessors(), {barrier}));
  EXPECT_TRUE(node_of(free).get_predecessors().empty());
  const sycl::event second = q.ext_oneapi_submit_barrier();
  EXPECT_TRUE(same(node_of(second).get_predecessors(), {later}));
  const sycl::event third = other.ext_oneapi_submit_barrier();
  EXPECT_TRUE(same(node_of(third).get_predecessors(), {elsewhere, free}));
}

TEST_F(graph_recording, what_only_another_queue_follows_is_still_waited_for_by_a_barrier) {
  g.begin_recording({q, other});
  const sycl::event first = command(q);
  command(other, {first});
  const sycl::event barrier = q.ext_oneapi_submit_barrier();
  EXPECT_TRUE(same(node_of(barrier).get_predecessors(), {first}));
}

TEST_F(graph_recording, edges_that_follow_from_buffers_tell_leaves_too) {
  sycl::buffer<int> x(8);
  const auto writing = [&] {
    return q.submit([&](sycl::handler& h) {
      sycl::accessor access(x, h);
      h.parallel_for(8, [=](sycl::id<1> i) { access[i] += 1; });
    });
  };
  g.begin_recording(q);
  writing();
  const sycl::event last = writing();
  const sycl::event barrier = q.ext_oneapi_submit_barrier();
  EXPECT_TRUE(same(node_of(barrier).get_predecessors(), {last}));
}

TEST_F(graph_recording, a_barrier_for_events_leaves_the_other_leaves_to_the_next_one) {
  g.begin_recording(q);
  const sycl::event first = command(q), second = command(q);
  const sycl::event some = q.ext_oneapi_submit_barrier({first});
  EXPECT_TRUE(same(node_of(some).get_predecessors(), {first}));
  const sycl::event all = q.ext_oneapi_submit_barrier();
  EXPECT_TRUE(same(node_of(all).get_predecessors(), {second, some}));
}

TEST_F(graph_recording, goes_on_where_the_queue_has_stopped) {
  sycl::queue in_order(q.get_context(), q.get_device(), sycl::property::queue::in_order{});
  g.begin_recording({q, in_order});
  const sycl::event one = command(in_order), apart = command(q);
  g.end_recording();
  const exp::node added = g.add([](sycl::handler& h) { h.single_task([] {}); });
  g.begin_recording({q, in_order});
  const sycl::event two = command(in_order);
  EXPECT_TRUE(same(node_of(two).get_predecessors(), {one}));
  const sycl::event barrier = q.ext_oneapi_submit_barrier();
  EXPECT_TRUE(same(node_of(barrier).get_predecessors(), {apart}));
  EXPECT_TRUE(added.get_successors().empty());
}

TEST_F(graph_recording, a_kernel_bundle_of_another_context_is_refused_in_a_node) {
  const sycl::context foreign(q.get_device());
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(foreign);
  EXPECT_EQ(error_code_of([&] {
              g.add([&](sycl::handler& h) {
                h.use_kernel_bundle(bundle);
                h.single_task([] {});
              });
            }),
            sycl::errc::invalid);
}

TEST_F(graph_recording, graphs_have_ids_that_ascend) {
  const modifiable later(q);
  EXPECT_GT(later.get_id(), g.get_id());
  EXPECT_EQ(modifiable(g).get_id(), g.get_id());
  g.begin_recording(q);
  EXPECT_EQ(q.ext_oneapi_get_graph().get_id(), g.get_id());
}

TEST_F(graph_recording, a_free_function_adds_nodes_too) {
  exp::submit(g, [](sycl::handler& h) { h.single_task([] {}); });
  exp::submit(g, exp::properties(), [](sycl::handler& h) { h.host_task([] {}); });
  ASSERT_EQ(g.get_nodes().size(), 2u);
  EXPECT_EQ(g.get_nodes()[1].get_type(), exp::node_type::host_task);
}

TEST(destruction_callbacks, are_called_when_nothing_of_the_graph_is_left) {
  struct tracked {
    explicit tracked(int* copies) : copies(copies) {}
    tracked(const tracked& other) : copies(other.copies) { ++*copies; }
    tracked(tracked&& other) noexcept : copies(other.copies) {}
    tracked& operator=(const tracked&) = delete;
    int* copies;
  };
  sycl::queue q;
  std::vector<int> called;
  int copies = 0;
  {
    std::vector<exp::command_graph<exp::graph_state::executable>> kept;
    {
      modifiable g(q);
      g.add([](sycl::handler& h) { h.host_task([] {}); });
      int argument = 1;
      const auto note = [](std::vector<int>* to, int& value, const tracked&) {
        to->push_back(value);
      };
      g.set_destruction_callback(note, &called, argument, tracked(&copies));
      argument = 2;
      g.set_destruction_callback(note, &called, argument, tracked(&copies));
      const modifiable copy = g;
      kept.push_back(g.finalize());
    }
    q.ext_oneapi_graph(kept[0]).wait();
    EXPECT_TRUE(called.empty());
  }
  EXPECT_EQ(called, (std::vector<int>{1, 2}));
  EXPECT_EQ(copies, 0);
}

}  // namespace
