// SPDX-License-Identifier: Apache-2.0
// Commands of graphs that depend on commands of devices: the first launch of the graph waits for them, or each.
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace exp = sycl::ext::oneapi::experimental;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;
using executable = exp::command_graph<exp::graph_state::executable>;

class outside_event : public ::testing::Test {
 protected:
  ~outside_event() override {
    release();
    g.end_recording();
    q.wait();
    elsewhere.wait();
    sycl::free(data, q);
  }

  // Of a command that another thread has begun, and that goes on until release().
  sycl::event held_up() {
    const sycl::event e = elsewhere.submit([&](sycl::handler& h) {
      h.host_task([begun = begun, open = open, to = data] {
        begun->store(true);
        while (!open->load()) std::this_thread::yield();
        to[0] = 7;
      });
    });
    while (!begun->load()) std::this_thread::yield();
    return e;
  }
  void release() { open->store(true); }
  // Kernels elsewhere, and whatever else can run, have run by then.
  void let_others_run() {
    for (int i = 0; i < 3; ++i) other.single_task([] {}).wait();
  }
  static bool is_complete(const sycl::event& e) {
    return e.get_info<sycl::info::event::command_execution_status>() ==
           sycl::info::event_command_status::complete;
  }
  auto copying(const std::vector<sycl::event>& after = {}) {
    return [after, v = data](sycl::handler& h) {
      h.depends_on(after);
      h.single_task([=] { v[1] = v[0] + 1; });
    };
  }
  void expect_to_wait(const executable& made) {
    sycl::event launch = q.ext_oneapi_graph(made);
    let_others_run();
    EXPECT_FALSE(is_complete(launch));
    EXPECT_EQ(data[1], 0);
    release();
    launch.wait();
    EXPECT_EQ(data[1], 8);
  }

  // As it was before anything ran.
  void begin_again() {
    begun->store(false);
    open->store(false);
    data[0] = data[1] = 0;
  }
  // A graph whose launches all wait, with a command that depends on an event that is over by then.
  modifiable always_waiting() {
    modifiable made(q, {sycl::ext::pianola::property::graph::wait_in_each_launch{}});
    sycl::event before = held_up();
    release();
    before.wait();
    made.add(copying({before}));
    return made;
  }
  // With a launch that waits for what has been submitted since, twice.
  void expect_each_to_wait(const executable& made) {
    q.ext_oneapi_graph(made).wait();
    for (int i = 0; i < 2; ++i) {
      begin_again();
      static_cast<void>(held_up());
      expect_to_wait(made);
    }
  }
  // Though what the event's queue has been given has not finished.
  void expect_not_to_wait(const executable& made) {
    begin_again();
    const sycl::event unfinished = held_up();
    q.ext_oneapi_graph(made).wait();
    EXPECT_EQ(data[1], 1);
    EXPECT_FALSE(is_complete(unfinished));
  }

  std::shared_ptr<std::atomic<bool>> begun = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<bool>> open = std::make_shared<std::atomic<bool>>(false);
  sycl::queue q, elsewhere{q.get_context(), q.get_device()}, other{q.get_context(), q.get_device()};
  int* data = [this] {
    int* const made = sycl::malloc_shared<int>(2, q);
    made[0] = made[1] = 0;
    return made;
  }();
  modifiable g{q};
};

TEST_F(outside_event, is_waited_for_by_the_first_launch_of_what_was_recorded) {
  const sycl::event before = held_up();
  g.begin_recording(q);
  const sycl::event recorded = q.submit(copying({before}));
  g.end_recording();
  EXPECT_TRUE(exp::node::get_node_from_event(recorded).get_predecessors().empty());
  const executable made = g.finalize();
  expect_to_wait(made);
  data[0] = 1;
  q.ext_oneapi_graph(made).wait();
  EXPECT_EQ(data[1], 2);
}

TEST_F(outside_event, is_waited_for_by_what_was_added) {
  const sycl::event before = held_up();
  exp::node first = g.add([](sycl::handler& h) { h.single_task([] {}); });
  g.add(copying({before}), {exp::property::node::depends_on(first)});
  expect_to_wait(g.finalize());
}

TEST_F(outside_event, is_waited_for_beside_events_of_the_recording) {
  const sycl::event before = held_up();
  g.begin_recording(q);
  const sycl::event first = q.single_task([] {});
  const sycl::event both = q.submit(copying({first, before, sycl::event()}));
  g.end_recording();
  EXPECT_EQ(exp::node::get_node_from_event(both).get_predecessors().size(), 1U);
  expect_to_wait(g.finalize());
}

TEST_F(outside_event, is_waited_for_by_a_barrier) {
  const sycl::event before = held_up();
  g.begin_recording(q);
  q.ext_oneapi_submit_barrier({before});
  q.submit(copying());
  g.end_recording();
  expect_to_wait(g.finalize());
}

TEST_F(outside_event, is_waited_for_by_each_graph_that_is_made) {
  const sycl::event before = held_up();
  g.add(copying({before}));
  const executable one = g.finalize(), two = g.finalize();
  sycl::event launches[] = {q.ext_oneapi_graph(one), other.ext_oneapi_graph(two)};
  sycl::queue third(q.get_context(), q.get_device());
  third.single_task([] {}).wait();
  EXPECT_FALSE(is_complete(launches[0]));
  EXPECT_FALSE(is_complete(launches[1]));
  release();
  for (sycl::event& e : launches) e.wait();
  EXPECT_EQ(data[1], 8);
}

TEST_F(outside_event, is_waited_for_where_the_graph_is_nested) {
  const sycl::event before = held_up();
  g.add(copying({before}));
  const executable child = g.finalize();
  modifiable parent(q);
  parent.add([&](sycl::handler& h) { h.ext_oneapi_graph(child); });
  expect_to_wait(parent.finalize());
}

TEST_F(outside_event, is_waited_for_after_an_update_to_what_depends_on_it) {
  g.add(copying());
  executable made = g.finalize({exp::property::graph::updatable{}});
  q.ext_oneapi_graph(made).wait();
  data[1] = 0;
  const sycl::event before = held_up();
  modifiable next(q);
  next.add(copying({before}));
  made.update(next);
  expect_to_wait(made);
}

TEST_F(outside_event, is_still_waited_for_after_an_update_of_another_node) {
  const sycl::event before = held_up();
  exp::node changed =
      g.add([](sycl::handler& h) { h.parallel_for(sycl::range<1>(4), [](sycl::id<1>) {}); });
  g.add(copying({before}));
  executable made = g.finalize({exp::property::graph::updatable{}});
  changed.update_range(sycl::range<1>(2));
  made.update(changed);
  expect_to_wait(made);
}

TEST_F(outside_event, may_be_of_another_graph_that_runs) {
  const sycl::event before = held_up();
  modifiable earlier(q);
  earlier.add([&](sycl::handler& h) {
    h.depends_on(before);
    h.single_task([] {});
  });
  const executable first = earlier.finalize();
  const sycl::event runs = elsewhere.ext_oneapi_graph(first);
  g.begin_recording(q);
  q.submit(copying({runs}));
  g.end_recording();
  expect_to_wait(g.finalize());
}

TEST_F(outside_event, is_nothing_to_later_launches) {
  sycl::event before = held_up();
  g.add(copying({before}));
  const executable made = g.finalize();
  expect_to_wait(made);
  expect_not_to_wait(made);
}

TEST_F(outside_event, stands_for_what_its_queue_was_given_last_where_each_launch_waits) {
  expect_each_to_wait(always_waiting().finalize());
}

TEST_F(outside_event, of_a_recording_queue_is_waited_for_in_each_launch_that_is_to_wait) {
  modifiable waiting(q, {sycl::ext::pianola::property::graph::wait_in_each_launch{}});
  const sycl::event before = elsewhere.single_task([] {});
  waiting.begin_recording(q);
  q.submit(copying({before}));
  waiting.end_recording();
  expect_each_to_wait(waiting.finalize());
}

TEST_F(outside_event, is_waited_for_in_each_launch_of_a_graph_that_nests_one_that_is_to_wait) {
  const executable child = always_waiting().finalize();
  modifiable parent(q);
  parent.add([&](sycl::handler& h) { h.ext_oneapi_graph(child); });
  expect_each_to_wait(parent.finalize());
}

TEST_F(outside_event, is_waited_for_in_each_launch_that_may_overlap_others) {
  expect_each_to_wait(
      always_waiting().finalize({sycl::ext::pianola::property::graph::in_flight(2)}));
}

TEST_F(outside_event, of_a_launch_stands_for_later_ones_where_each_launch_waits) {
  modifiable inner(q);
  inner.add([&](sycl::handler& h) {
    h.host_task([begun = begun, open = open, to = data] {
      begun->store(true);
      while (!open->load()) std::this_thread::yield();
      to[0] = 7;
    });
  });
  const executable earlier = inner.finalize();
  release();
  sycl::event runs = elsewhere.ext_oneapi_graph(earlier);
  runs.wait();
  modifiable waiting(q, {sycl::ext::pianola::property::graph::wait_in_each_launch{}});
  waiting.add(copying({runs}));
  const executable made = waiting.finalize();
  for (int i = 0; i < 2; ++i) {
    begin_again();
    elsewhere.ext_oneapi_graph(earlier);
    expect_to_wait(made);
  }
}

TEST_F(outside_event, is_waited_for_in_each_launch_after_an_update_to_what_is_to_wait) {
  g.add(copying());
  executable made = g.finalize({exp::property::graph::updatable{}});
  made.update(always_waiting());
  expect_each_to_wait(made);
  modifiable next(q);
  next.add(copying());
  made.update(next);
  expect_not_to_wait(made);
}

TEST_F(outside_event, of_a_queue_that_has_ended_is_nothing_to_wait_for) {
  modifiable waiting(q, {sycl::ext::pianola::property::graph::wait_in_each_launch{}});
  {
    sycl::queue ends(q.get_context(), q.get_device());
    waiting.add(copying({ends.single_task([] {})}));
    ends.wait();
  }
  const executable made = waiting.finalize();
  for (int i = 0; i < 2; ++i) q.ext_oneapi_graph(made).wait();
  EXPECT_EQ(data[1], 1);
}

TEST_F(outside_event, that_has_finished_is_nothing) {
  release();
  sycl::event before = held_up();
  before.wait();
  g.begin_recording(q);
  q.submit(copying({before}));
  g.end_recording();
  q.ext_oneapi_graph(g.finalize()).wait();
  EXPECT_EQ(data[1], 8);
}

}  // namespace
