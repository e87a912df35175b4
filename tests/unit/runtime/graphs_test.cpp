// SPDX-License-Identifier: Apache-2.0
// Recorded graphs on live data.
#include <atomic>
#include <memory>
#include <pianola/test/all_devices.hpp>
#include <thread>
#include <vector>

namespace pianola::test {
namespace {

using ints = std::vector<int>;
namespace exp = sycl::ext::oneapi::experimental;
using executable = exp::command_graph<exp::graph_state::executable>;

template <class F>
executable record(sycl::queue& q, F&& f) {
  exp::command_graph graph{q};
  graph.begin_recording(q);
  f();
  graph.end_recording(q);
  return graph.finalize();
}

void add_to_all(sycl::queue& q, sycl::buffer<int>& b, int n) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += n; });
  });
}

void twice(sycl::queue& q, sycl::buffer<int>& b) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] *= 2; });
  });
}

class graph_data : public ::testing::Test {
 protected:
  std::vector<sycl::queue> queues = queues_on_all_devices();
};

TEST_F(graph_data, may_be_worked_on_eagerly_between_replays_on_any_device) {
  for (auto& q : queues)
    for (auto& other : queues) {
      ints v(8, 1);
      int expected = 1;
      {
        sycl::buffer<int> b(v.data(), 8);
        const auto exec = record(q, [&] {
          add_to_all(q, b, 3);
          twice(q, b);
        });
        for (int i = 0; i < 4; ++i) {
          q.ext_oneapi_graph(exec);
          expected = (expected + 3) * 2;
          add_to_all(other, b, i);
          expected += i;
          q.ext_oneapi_graph(exec);
          q.ext_oneapi_graph(exec);
          expected = ((expected + 3) * 2 + 3) * 2;
        }
      }
      EXPECT_EQ(v, ints(8, expected));
    }
}

TEST_F(graph_data, may_be_looked_at_and_changed_by_the_host_between_replays) {
  for (auto& q : queues) {
    sycl::buffer<int> b(8);
    {
      sycl::host_accessor h(b, sycl::write_only, sycl::no_init);
      h[7] = 5;
    }
    const auto exec = record(q, [&] { add_to_all(q, b, 1); });
    int expected = 5;
    for (int i = 0; i < 5; ++i) {
      q.ext_oneapi_graph(exec);
      q.ext_oneapi_graph(exec);
      expected += 2;
      sycl::host_accessor h{b};
      EXPECT_EQ(h[7], expected);
      h[7] = expected = expected * 3;
    }
  }
}

TEST_F(graph_data, changes_after_the_recording_count) {
  for (auto& q : queues) {
    ints v(8, 1);
    sycl::buffer<int> b(v.data(), 8);
    const auto exec = record(q, [&] { add_to_all(q, b, 1); });
    {
      sycl::host_accessor h(b);
      h[0] = 100;
    }
    q.ext_oneapi_graph(exec);
    EXPECT_EQ(sycl::host_accessor(b)[0], 101);
    EXPECT_EQ(sycl::host_accessor(b)[1], 2);
  }
}

TEST_F(graph_data, of_host_tasks_is_in_host_memory) {
  for (auto& q : queues) {
    ints v(4, 1);
    {
      sycl::buffer<int> b(v.data(), 4);
      const auto exec = record(q, [&] {
        add_to_all(q, b, 1);
        q.submit([&](sycl::handler& g) {
          sycl::accessor a{b, g, sycl::read_write};
          g.host_task([a] { a[0] = a[0] * 10 + a[1]; });
        });
        add_to_all(q, b, 1);
      });
      for (int i = 0; i < 6; ++i) q.ext_oneapi_graph(exec);
    }
    int first = 1, second = 1;
    for (int i = 0; i < 6; ++i) {
      first = (first + 1) * 10 + second + 1 + 1;
      second += 2;
    }
    EXPECT_EQ(v[0], first);
    EXPECT_EQ(v[1], second);
  }
}

TEST_F(graph_data, outlives_its_buffer) {
  for (auto& q : queues)
    for (const bool in_place : {true, false}) {
      auto v = std::make_unique<ints>(8, 1);
      auto b = std::make_unique<sycl::buffer<int>>(
          v->data(), sycl::range<1>(8),
          sycl::property_list{
              sycl::ext::pianola::property::buffer::uses_external_storage(in_place)});
      ints seen(3, 0);
      int* out = seen.data();
      std::atomic<int> count{0};
      auto* n = &count;
      const auto exec = record(q, [&] {
        add_to_all(q, *b, 1);
        q.submit([&](sycl::handler& g) {
          sycl::accessor a{*b, g, sycl::read_only};
          g.host_task([=] { out[(*n)++] = a[7]; });
        });
      });
      q.ext_oneapi_graph(exec);
      b.reset();
      // The end of the buffer has written back; later replays work on storage of their own.
      EXPECT_EQ((*v)[7], 2);
      v.reset();
      q.ext_oneapi_graph(exec);
      q.ext_oneapi_graph(exec);
      q.wait();
      EXPECT_EQ(seen, (ints{2, 3, 4}));
    }
}

TEST_F(graph_data, survives_the_end_of_the_graph_while_it_runs) {
  for (auto& q : queues) {
    ints v(64, 0);
    {
      sycl::buffer<int> b(v.data(), 64);
      for (int i = 0; i < 20; ++i) {
        const auto exec = record(q, [&] {
          add_to_all(q, b, 1);
          add_to_all(q, b, 1);
        });
        q.ext_oneapi_graph(exec);
        q.ext_oneapi_graph(exec);
      }
    }
    EXPECT_EQ(v[63], 80);
  }
}

TEST_F(graph_data, is_shared_by_graphs_that_several_threads_replay) {
  ints shared(32, 0);
  constexpr int threads = 4, replays = 150;
  std::vector<ints> own(threads, ints(32, 0));
  {
    sycl::buffer<int> s(shared.data(), 32);
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        auto q = queues[static_cast<std::size_t>(t) % queues.size()];
        sycl::buffer<int> mine(own[static_cast<std::size_t>(t)].data(), 32);
        sycl::queue recording(q.get_device());
        const auto exec = record(recording, [&] {
          add_to_all(recording, mine, 1);
          add_to_all(recording, s, 1);
        });
        for (int i = 0; i < replays; ++i) {
          q.ext_oneapi_graph(exec);
          if (i % 40 == 0) add_to_all(q, s, 1);
          if (i % 50 == 0) {
            const sycl::host_accessor h{mine, sycl::read_only};
            EXPECT_EQ(h[5], i + 1);
          }
        }
      });
    for (auto& t : running) t.join();
  }
  EXPECT_EQ(shared[31], threads * (replays + 4));
  for (const auto& v : own) EXPECT_EQ(v[31], replays);
}

TEST_F(graph_data, of_hundreds_of_graphs_is_dealt_with_without_any_wait) {
  auto& q = queues.back();
  ints v(4, 0);
  {
    sycl::buffer<int> b(v.data(), 4);
    std::vector<executable> all;
    for (int i = 0; i < 400; ++i) all.push_back(record(q, [&] { add_to_all(q, b, 1); }));
    std::vector<sycl::buffer<int>> others;
    for (int i = 0; i < 400; ++i) {
      others.emplace_back(4);
      auto& other = others.back();
      all.push_back(record(q, [&] {
        q.submit([&](sycl::handler& g) {
          sycl::accessor a{other, g, sycl::write_only, sycl::no_init};
          g.single_task([=] { a[0] = 1; });
        });
      }));
    }
    for (auto& e : all) q.ext_oneapi_graph(e);
    q.wait();
    for (auto& o : others) EXPECT_EQ(sycl::host_accessor(o)[0], 1);
  }
  EXPECT_EQ(v[3], 400);
}

TEST_F(graph_data, of_an_unfinished_command_is_waited_for) {
  for (auto& q : queues) {
    sycl::buffer<int> b(4);
    std::atomic<bool> open{false};
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      g.host_task([&open, a] {
        while (!open) std::this_thread::yield();
        for (std::size_t i = 0; i < 4; ++i) a[i] = 10;
      });
    });
    const auto exec = record(q, [&] { add_to_all(q, b, 1); });
    const auto e = q.ext_oneapi_graph(exec);
    EXPECT_NE(e.get_info<sycl::info::event::command_execution_status>(),
              sycl::info::event_command_status::complete);
    open = true;
    EXPECT_EQ(sycl::host_accessor(b)[3], 11);
  }
}

}  // namespace
}  // namespace pianola::test
