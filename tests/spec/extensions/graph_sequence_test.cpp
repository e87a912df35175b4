// SPDX-License-Identifier: Apache-2.0
// Recordings that waits cut into legs (sycl::ext::pianola::graph_sequence).
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

namespace exp = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;
using modifiable = exp::command_graph<exp::graph_state::modifiable>;

class graph_sequence : public ::testing::Test {
 protected:
  ~graph_sequence() override {
    g.end_recording();
    q.wait();
    sycl::free(v, q);
  }
  // v[0] becomes 2 * v[0] + plus.
  sycl::event step(int plus, const std::vector<sycl::event>& after = {}) {
    return q.submit([&](sycl::handler& h) {
      h.depends_on(after);
      h.single_task([=, v = v] { v[0] = 2 * v[0] + plus; });
    });
  }

  template <class F>
  static void expect_invalid(const char* told, const F& f) {
    try {
      f();
      ADD_FAILURE() << "nothing was refused";
    } catch (const sycl::exception& e) {
      EXPECT_EQ(e.code(), sycl::errc::invalid);
      EXPECT_NE(std::string(e.what()).find(told), std::string::npos) << e.what();
    }
  }

  sycl::queue q{sycl::property::queue::in_order{}};
  modifiable g{q, {pia::property::graph::split_at_waits{}}};
  int* v = [this] {
    int* const made = sycl::malloc_shared<int>(1, q);
    *made = 1;
    return made;
  }();
};

TEST_F(graph_sequence, is_cut_where_the_program_waits_for_the_queue) {
  g.begin_recording(q);
  step(1);
  EXPECT_EQ(*v, 1) << "recorded, not run";
  q.wait();
  EXPECT_EQ(*v, 3) << "the host sees real data behind the wait";
  q.wait();  // nothing was recorded since
  step(10);
  step(100);
  q.wait();
  EXPECT_EQ(*v, 132);
  step(1000);
  g.end_recording();
  EXPECT_EQ(*v, 132);

  pia::graph_sequence sequence(g);
  ASSERT_EQ(sequence.size(), 3U);
  EXPECT_EQ(sequence.position(), 2U);
  sequence.next(q).wait();
  EXPECT_EQ(*v, 1264) << "the recorded run has come to its end";
  *v = 1;
  sequence.next(q).wait();
  EXPECT_EQ(*v, 3);
  *v = 4;  // what the host does at the cut
  sequence.next(q).wait();
  EXPECT_EQ(*v, 136);
  sequence.next(q).wait();
  EXPECT_EQ(*v, 1272);
  EXPECT_EQ(sequence.position(), 0U);
}

TEST_F(graph_sequence, launches_its_legs_one_after_the_other_on_any_queue) {
  g.begin_recording(q);
  for (int i = 0; i < 3; ++i) {
    step(i);
    q.wait();
  }
  g.end_recording();
  pia::graph_sequence sequence(g);
  ASSERT_EQ(sequence.size(), 3U);
  EXPECT_EQ(sequence.position(), 0U) << "all of it has run";
  sycl::queue other(q.get_context(), q.get_device());
  *v = 1;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 3; ++i) sequence.next(i == 1 ? other : q);
    sequence.next(q);
    sequence.next(other);
    sequence.next(other).wait();
    EXPECT_EQ(*v, ((1 * 8 + 4) * 8 + 4)) << round;
    *v = 1;
  }
}

TEST_F(graph_sequence, is_cut_where_the_program_waits_for_an_event) {
  sycl::queue out_of_order(q.get_context(), q.get_device());
  g.begin_recording({q, out_of_order});
  sycl::event first = step(1);
  first.wait();
  EXPECT_EQ(*v, 3);
  first.wait();
  EXPECT_EQ(first.get_info<sycl::info::event::command_execution_status>(),
            sycl::info::event_command_status::complete);
  // It has finished: nothing to wait for, in the recording or outside.
  const sycl::event second = step(1, {first});
  EXPECT_TRUE(exp::node::get_node_from_event(second).get_predecessors().empty());
  EXPECT_EQ(error_code_of([&] { exp::node::get_node_from_event(first); }), sycl::errc::invalid);
  out_of_order.single_task({first, second}, [v = v] { v[0] += 5; });
  g.end_recording();
  sycl::event(first).wait();
  EXPECT_EQ(error_code_of([&] { sycl::event(second).wait(); }), sycl::errc::invalid)
      << "nothing records any more";
  pia::graph_sequence sequence(g);
  sequence.next(q).wait();
  EXPECT_EQ(*v, 12);
}

TEST_F(graph_sequence, is_cut_once_by_threads_that_wait_for_one_command) {
  g.begin_recording(q);
  for (int round = 0; round < 20; ++round) {
    *v = 1;
    const sycl::event e = step(1);
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] {
        sycl::event(e).wait();
        right += *v == 3 ? 1 : 0;
      });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(right, 3);
  }
  g.end_recording();
  EXPECT_EQ(pia::graph_sequence(g).size(), 20U);
}

TEST_F(graph_sequence, is_cut_where_the_host_looks_at_a_buffer) {
  sycl::buffer<int> x(4), y(4);
  const auto adding = [&](sycl::buffer<int>& to, int what) {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(to, h);
      h.parallel_for(4, [=](sycl::id<1> i) { a[i] += what; });
    });
  };
  for (sycl::buffer<int>* b : {&x, &y})
    for (int& value : sycl::host_accessor(*b, sycl::write_only, sycl::no_init)) value = 1;
  g.begin_recording(q);
  adding(x, 1);
  EXPECT_EQ(sycl::host_accessor(y)[0], 1);  // no business of what was recorded
  EXPECT_EQ(sycl::host_accessor(x)[0], 2);
  sycl::host_accessor{x}[0] = 100;
  adding(x, 1);
  adding(y, 1);
  g.end_recording();
  pia::graph_sequence sequence(g);
  ASSERT_EQ(sequence.size(), 2U);
  sequence.next(q);
  EXPECT_EQ(sycl::host_accessor(x)[0], 101);
  EXPECT_EQ(sycl::host_accessor(x)[1], 3);
  EXPECT_EQ(sycl::host_accessor(y)[0], 2);
}

TEST_F(graph_sequence, is_cut_where_a_buffer_ends) {
  std::vector<int> data(4, 1);
  g.begin_recording(q);
  {
    sycl::buffer<int> x(data);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h);
      h.parallel_for(4, [=](sycl::id<1> i) { a[i] += 1; });
    });
  }
  EXPECT_EQ(data, std::vector<int>(4, 2)) << "written back, as always";
  {
    // Nobody wants it back, and still it could not be finalized later.
    sycl::buffer<int> scratch(4);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(scratch, h);
      h.parallel_for(4, [=](sycl::id<1> i) { a[i] = 1; });
    });
  }
  step(1);
  g.end_recording();
  EXPECT_EQ(pia::graph_sequence(g).size(), 3U);
}

TEST_F(graph_sequence, of_a_recording_without_waits_is_its_graph) {
  g.begin_recording(q);
  step(1);
  EXPECT_EQ(error_code_of([&] { pia::graph_sequence early(g); }), sycl::errc::invalid);
  g.end_recording();
  q.ext_oneapi_graph(g.finalize()).wait();
  EXPECT_EQ(*v, 3);
  pia::graph_sequence sequence(g);
  EXPECT_EQ(sequence.size(), 1U);
  sequence.next(q);
  sequence.next(q).wait();
  EXPECT_EQ(*v, 15);
}

TEST_F(graph_sequence, is_not_what_finalize_makes) {
  g.begin_recording(q);
  step(1);
  q.wait();
  step(1);
  g.end_recording();
  std::string text;
  try {
    g.finalize();
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), sycl::errc::invalid);
    text = e.what();
  }
  EXPECT_NE(text.find("graph_sequence"), std::string::npos) << text;
}

// Each part has the command group that was active when it ran.
TEST_F(graph_sequence, may_have_nodes_with_several_command_groups) {
  int* const x = v;
  exp::dynamic_command_group groups(g,
                                    {[=](sycl::handler& h) { h.single_task([=] { *x += 10; }); },
                                     [=](sycl::handler& h) { h.single_task([=] { *x *= 3; }); }});
  g.add(groups);
  g.begin_recording(q);
  q.wait();
  EXPECT_EQ(*v, 11);
  g.end_recording();
  groups.set_active_index(1);
  g.add(groups);
  pia::graph_sequence sequence(g);
  ASSERT_EQ(sequence.size(), 2U);
  sequence.next(q).wait();
  EXPECT_EQ(*v, 33);
  for (const int expected : {43, 129}) {
    sequence.next(q).wait();
    EXPECT_EQ(*v, expected);
  }
}

// What a part has allocated is there for those behind it, small or large.
TEST_F(graph_sequence, may_allocate_memory_that_outlasts_a_part) {
  for (const std::size_t n : {std::size_t{64}, std::size_t{1} << 16}) {
    modifiable recording(q, {pia::property::graph::split_at_waits{}});
    const auto allocate = [&] {
      return static_cast<int*>(exp::async_malloc(q, sycl::usm::alloc::device, n * sizeof(int)));
    };
    const auto read = [&, to = v](const int* from) { q.single_task([=] { *to = from[n - 1]; }); };
    *v = 0;
    recording.begin_recording(q);
    int* const kept = allocate();
    q.fill(kept, 5, n);
    int* const own = allocate();
    q.fill(own, 7, n);
    exp::async_free(q, own);
    read(kept);
    q.wait();
    EXPECT_EQ(*v, 5);
    // It takes the place of nothing that is there still.
    int* const next = allocate();
    EXPECT_NE(next, kept);
    q.fill(next, 11, n);
    q.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { kept[i] += next[i]; });
    exp::async_free(q, next);
    read(kept);
    q.wait();
    EXPECT_EQ(*v, 16);
    exp::async_free(q, kept);
    ASSERT_EQ(recording.get_nodes().size(), 1U);
    EXPECT_EQ(recording.get_nodes()[0].get_type(), exp::node_type::empty);
    int* const last = allocate();
    EXPECT_NE(last, kept);
    q.fill(last, 1, n);
    read(last);
    exp::async_free(q, last);
    EXPECT_EQ(error_code_of([&] { exp::async_free(q, kept); }), sycl::errc::invalid);
    recording.end_recording();

    pia::graph_sequence sequence(recording);
    ASSERT_EQ(sequence.size(), 3U);
    sequence.next(q).wait();
    EXPECT_EQ(*v, 1);
    for (int round = 0; round < 2; ++round)
      for (const int expected : {5, 16, 1}) {
        sequence.next(q).wait();
        EXPECT_EQ(*v, expected);
      }
  }
}

// A leg runs at the cut.
TEST_F(graph_sequence, needs_values_for_its_parameters) {
  sycl::buffer<int> x{4};
  pia::graph_parameter<sycl::buffer<int>> any{sycl::range<1>(4)};
  const auto use = [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor a{*any, h};
      h.single_task([=] { a[0] += 1; });
    });
  };
  g.begin_recording(q);
  use();
  expect_invalid("with a graph_parameter is cut at a wait", [&] { q.wait(); });
  expect_invalid("no buffer is given for the parameter of 4 elements", [&] { q.wait(); });
  g.end_recording();
  // As a whole it can be launched.
  {
    sycl::host_accessor{x, sycl::write_only, sycl::no_init}[0] = 3;
  }
  q.ext_oneapi_graph(g.finalize(), {any = x});
  EXPECT_EQ(sycl::host_accessor{x}[0], 4);
}

TEST_F(graph_sequence, runs_on_the_values_that_its_parameters_have) {
  const auto one = [](int value) {
    sycl::buffer<int> made{sycl::range<1>(1)};
    sycl::host_accessor{made, sycl::write_only, sycl::no_init}[0] = value;
    return made;
  };
  sycl::buffer<int> a = one(1), b = one(10), c = one(100);
  int* const w = sycl::malloc_shared<int>(1, q);
  *w = 7;
  pia::graph_parameter<sycl::buffer<int>> in{sycl::range<1>(1)}, out{sycl::range<1>(1)};
  pia::graph_parameter<int*> total{1, q, sycl::usm::alloc::shared};
  modifiable with(q, {pia::property::graph::split_at_waits{{in = a, out = b, total = v}}});
  with.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    const sycl::accessor x{*in, h, sycl::read_only};
    const sycl::accessor y{*out, h};
    h.single_task([=] { y[0] += x[0]; });
  });
  // A look at what stands for a parameter cuts, one at anything else does not.
  EXPECT_EQ(sycl::host_accessor{c}[0], 100);
  EXPECT_EQ(sycl::host_accessor{b}[0], 11);
  int* const t = total.get();
  q.submit([&](sycl::handler& h) {
    const sycl::accessor y{*out, h, sycl::read_only};
    h.single_task([=] { *t += y[0]; });
  });
  q.wait();
  EXPECT_EQ(*v, 12);
  q.submit([&](sycl::handler& h) {
    const sycl::accessor x{*in, h};
    h.single_task([=] { x[0] = *t; });
  });
  with.end_recording();

  pia::graph_sequence sequence(with);
  ASSERT_EQ(sequence.size(), 3U);
  sequence.next(q, {in = a, out = b, total = v});
  EXPECT_EQ(sycl::host_accessor{a}[0], 12);
  const auto others = [&] { sequence.next(q, {in = b, out = c, total = w}); };
  others();
  EXPECT_EQ(sycl::host_accessor{c}[0], 111);
  others();
  others();
  EXPECT_EQ(sycl::host_accessor{b}[0], 118);
  q.wait();
  EXPECT_EQ(*w, 118);
  // Only those of the leg have to be there.
  sequence.next(q, {in = a, out = b});
  EXPECT_EQ(sycl::host_accessor{b}[0], 130);
  expect_invalid("no pointer is given for the parameter", [&] { sequence.next(q, {out = b}); });
  EXPECT_EQ(sequence.position(), 1U);
  pia::graph_parameter<sycl::buffer<int>> unused{sycl::range<1>(1)};
  expect_invalid("no leg of the sequence uses",
                 [&] { sequence.next(q, {out = b, total = v, unused = a}); });
  EXPECT_EQ(sequence.position(), 1U);
  sycl::free(w, q);
}

TEST_F(graph_sequence, is_what_the_error_of_a_wait_advises) {
  modifiable plain(q);
  plain.begin_recording(q);
  sycl::event e = step(1);
  for (const bool of_queue : {true, false}) {
    std::string text;
    try {
      of_queue ? q.wait() : e.wait();
    } catch (const sycl::exception& thrown) {
      EXPECT_EQ(thrown.code(), sycl::errc::invalid);
      text = thrown.what();
    }
    EXPECT_NE(text.find("split_at_waits"), std::string::npos) << text;
  }
  plain.end_recording();
}

}  // namespace
