// SPDX-License-Identifier: Apache-2.0
// Devices in a domain of their own beside those on the team: what crosses over between them, in both directions.
#include <atomic>
#include <numeric>
#include <pianola/runtime/statistics.hpp>
#include <pianola/test/all_devices.hpp>
#include <thread>
#include <vector>

namespace pianola::test {
namespace {

using ints = std::vector<int>;
namespace exp = sycl::ext::oneapi::experimental;

void add_up_to(sycl::queue& q, sycl::buffer<int>& b, int n) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += n; });
  });
}

void multiply_on_host(sycl::queue& q, sycl::buffer<int>& b, int n) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> a{b, g};
    g.host_task([=] {
      for (std::size_t i = 0; i < a.size(); ++i) a[i] *= n;
    });
  });
}

class separate_devices : public ::testing::Test {
 protected:
  void SetUp() override {
    if (simulated_devices().empty()) GTEST_SKIP() << "no simulated device";
    control = simulated_control();
    ASSERT_NE(control, nullptr);
    can_be_lost = control->lose_device(0, false);
    queues = queues_on_all_devices({}, &errors);
    profiled = queues_on_all_devices(sycl::property::queue::enable_profiling{}, &errors);
    device = simulated_devices().front();
    control->reset_counters();
    runtime::reset_statistics();
  }
  void TearDown() override {
    if (control == nullptr) return;
    control->lose_device(0, false);
    for (auto& q : queues) q.wait();
  }
  template <class F>
  std::string error_of(F&& f) {
    try {
      f();
    } catch (const sycl::exception& e) {
      return e.what();
    }
    return "";
  }

  simulated::control* control = nullptr;
  bool can_be_lost = false;
  std::vector<std::string> errors;
  std::vector<sycl::queue> queues, profiled;
  std::size_t device = 0;
};

TEST_F(separate_devices, take_turns_with_host_tasks_in_a_chain) {
  ints v(50, 1);
  {
    sycl::buffer<int> b(v.data(), 50);
    for (int i = 0; i < 20; ++i) {
      add_up_to(queues[device], b, 1);
      multiply_on_host(queues[device], b, 2);
      multiply_on_host(queues.back(), b, 1);
      add_up_to(queues.front(), b, -1);
    }
  }
  int expected = 1;
  for (int i = 0; i < 20; ++i) expected = (expected + 1) * 2 - 1;
  EXPECT_EQ(v, ints(50, expected));
}

TEST_F(separate_devices, take_turns_with_host_tasks_in_a_recorded_graph) {
  for (auto& q : queues) {
    ints v(50, 1), w(50, 0);
    int expected = 1;
    {
      sycl::buffer<int> b(v.data(), 50), c(w.data(), 50);
      exp::command_graph graph(q);
      graph.begin_recording(q);
      add_up_to(q, b, 1);
      add_up_to(q, c, 5);
      multiply_on_host(q, b, 2);
      multiply_on_host(q, c, 1);
      add_up_to(q, b, -3);
      multiply_on_host(q, b, 1);
      graph.end_recording(q);
      auto body = graph.finalize();
      for (int i = 0; i < 10; ++i) {
        q.ext_oneapi_graph(body);
        expected = (expected + 1) * 2 - 3;
      }
    }
    EXPECT_EQ(v, ints(50, expected));
    EXPECT_EQ(w, ints(50, 50));
  }
}

TEST_F(separate_devices, run_graphs_whose_last_commands_are_of_several_domains) {
  for (auto& q : queues) {
    ints v(50, 0), w(50, 1);
    {
      sycl::buffer<int> b(v.data(), 50), c(w.data(), 50);
      exp::command_graph graph(q);
      graph.begin_recording(q);
      add_up_to(q, b, 1);
      multiply_on_host(q, c, 2);
      graph.end_recording(q);
      auto body = graph.finalize();
      for (int i = 0; i < 10; ++i) q.ext_oneapi_graph(body).wait();
      for (int i = 0; i < 2; ++i) q.ext_oneapi_graph(body);
    }
    EXPECT_EQ(v, ints(50, 12));
    EXPECT_EQ(w, ints(50, 4096));
  }
}

TEST_F(separate_devices, are_told_which_steps_of_a_graph_are_urgent) {
  if (!can_be_lost) GTEST_SKIP() << "these devices share the team's domain";
  sycl::queue& q = queues[device];
  const auto most_urgent_of = [&](int beside) {
    sycl::buffer<int> b(50), c(50);
    exp::command_graph graph(q);
    graph.begin_recording(q);
    for (int i = 0; i < 4; ++i) add_up_to(q, b, 1);
    for (int i = 0; i < beside; ++i) add_up_to(q, c, 1);
    graph.end_recording(q);
    const auto body = graph.finalize();
    return control->most_urgent();
  };
  EXPECT_EQ(most_urgent_of(1), -5);
  EXPECT_EQ(most_urgent_of(0), 0) << "nothing runs beside a chain";
}

TEST_F(separate_devices, tell_times_that_enclose_all_parts_of_a_graph) {
  for (auto& q : profiled) {
    ints v(50, 1);
    sycl::buffer<int> b(v.data(), 50);
    std::atomic<std::uint64_t> in_the_task{0};
    exp::command_graph graph(q);
    graph.begin_recording(q);
    add_up_to(q, b, 1);
    q.submit([&](sycl::handler& g) {
      sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> a{b, g};
      g.host_task([=, &in_the_task] {
        a[0] += 1;
        in_the_task =
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                           std::chrono::steady_clock::now().time_since_epoch())
                                           .count());
      });
    });
    add_up_to(q, b, 1);
    graph.end_recording(q);
    auto body = graph.finalize();
    for (int i = 0; i < 3; ++i) {
      const sycl::event e = q.ext_oneapi_graph(body);
      namespace times = sycl::info::event_profiling;
      const auto submitted = e.get_profiling_info<times::command_submit>();
      const auto started = e.get_profiling_info<times::command_start>();
      const auto ended = e.get_profiling_info<times::command_end>();
      EXPECT_LE(submitted, started);
      EXPECT_LE(started, in_the_task.load());
      EXPECT_LE(in_the_task.load(), ended);
    }
    const sycl::event e = q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write};
      g.parallel_for(50, [=](sycl::id<1> i) { a[i] += 1; });
    });
    EXPECT_LE(e.get_profiling_info<sycl::info::event_profiling::command_start>(),
              e.get_profiling_info<sycl::info::event_profiling::command_end>());
  }
}

TEST_F(separate_devices, are_seen_to_have_finished_by_who_only_looks) {
  for (auto& q : queues) {
    int* p = sycl::malloc_host<int>(1, q);
    const sycl::event e = q.single_task([=] { *p = 3; });
    while (e.get_info<sycl::info::event::command_execution_status>() !=
           sycl::info::event_command_status::complete)
      std::this_thread::yield();
    EXPECT_EQ(*p, 3);
    q.single_task([=] { *p = 4; });
    while (!q.ext_oneapi_empty()) std::this_thread::yield();
    EXPECT_EQ(*p, 4);
    sycl::free(p, q);
  }
}

TEST_F(separate_devices, copy_and_fill_their_memory_for_queues_of_others) {
  sycl::queue& owner = queues[device];
  int* p = sycl::malloc_device<int>(100, owner);
  for (auto& q : queues) {
    ints v(100), w(100, 0);
    std::iota(v.begin(), v.end(), 7);
    const auto in = q.copy(v.data(), p, 100);
    const auto filled = q.fill(p + 10, 5, 20, in);
    const auto set = q.memset(p + 50, 0, 10 * sizeof(int), filled);
    q.copy(p, w.data(), 100, set).wait();
    for (std::size_t i = 10; i < 30; ++i) v[i] = 5;
    for (std::size_t i = 50; i < 60; ++i) v[i] = 0;
    EXPECT_EQ(w, v);
  }
  if (can_be_lost) {
    // All by the device itself, who else could?
    EXPECT_EQ(control->counters(0, memory_of(device)).copies, queues.size());
    EXPECT_EQ(control->counters(memory_of(device), 0).copies, queues.size());
  }
  sycl::free(p, owner);
}

TEST_F(separate_devices, copy_to_and_from_memory_of_all_others) {
  std::vector<int*> memory;
  for (auto& q : queues) memory.push_back(sycl::malloc_device<int>(100, q));
  for (auto& q : queues)
    for (std::size_t from = 0; from < queues.size(); ++from)
      for (std::size_t to = 0; to < queues.size(); ++to) {
        if (from == to) continue;
        ints v(100), w(100, 0);
        std::iota(v.begin(), v.end(), static_cast<int>(from * 1000 + to));
        const auto in = q.copy(v.data(), memory[from], 100);
        const auto cleared = q.fill(memory[to], 0, 100);
        const auto across = q.submit([&](sycl::handler& g) {
          g.depends_on({in, cleared});
          g.memcpy(memory[to], memory[from], 400);
        });
        q.copy(memory[to], w.data(), 100, across).wait();
        EXPECT_EQ(w, v);
      }
  for (std::size_t i = 0; i < queues.size(); ++i) sycl::free(memory[i], queues[i]);
}

TEST_F(separate_devices, copy_their_memory_in_graphs_of_others) {
  sycl::queue& owner = queues[device];
  int* p = sycl::malloc_device<int>(100, owner);
  for (auto& q : queues) {
    ints v(100), w(100, 0);
    exp::command_graph graph(q);
    auto first = graph.add([&](sycl::handler& g) { g.memcpy(p, v.data(), 400); });
    auto second = graph.add([&](sycl::handler& g) { g.fill(p + 10, 5, 20); },
                            exp::property::node::depends_on(first));
    graph.add([&](sycl::handler& g) { g.memcpy(w.data(), p, 400); },
              exp::property::node::depends_on(second));
    auto body = graph.finalize();
    for (int i = 0; i < 4; ++i) {
      std::iota(v.begin(), v.end(), i);
      q.ext_oneapi_graph(body).wait();
      for (std::size_t k = 10; k < 30; ++k) v[k] = 5;
      EXPECT_EQ(w, v);
    }
  }
  sycl::free(p, owner);
}

// Also where no device reaches both memories: the graph copies by way of the host, in one node, and two graphs that were
// finalized from one do not share what they copy through.
TEST_F(separate_devices, copy_their_memory_from_each_to_each_in_graphs) {
  std::vector<int*> memory;
  for (auto& q : queues) memory.push_back(sycl::malloc_device<int>(100, q));
  for (std::size_t from = 0; from < queues.size(); ++from)
    for (std::size_t to = 0; to < queues.size(); ++to) {
      if (from == to) continue;
      sycl::queue& q = queues[(from + to) % queues.size()];
      ints v(100), w(100, 0);
      exp::command_graph graph(q);
      auto in = graph.add([&](sycl::handler& g) { g.memcpy(memory[from], v.data(), 400); });
      auto across = graph.add([&](sycl::handler& g) { g.memcpy(memory[to], memory[from], 400); },
                              exp::property::node::depends_on(in));
      graph.add([&](sycl::handler& g) { g.memcpy(w.data(), memory[to], 400); },
                exp::property::node::depends_on(across));
      EXPECT_EQ(graph.get_nodes().size(), 3U);
      EXPECT_EQ(across.get_type(), exp::node_type::memcpy);
      auto body = graph.finalize(), again = graph.finalize();
      exp::command_graph outer(q);
      auto nested = outer.add([&](sycl::handler& g) { g.ext_oneapi_graph(body); });
      outer.add([&](sycl::handler& g) { g.ext_oneapi_graph(again); },
                exp::property::node::depends_on(nested));
      auto whole = outer.finalize();
      int start = 0;
      for (auto* each : {&body, &again, &whole}) {
        std::iota(v.begin(), v.end(), ++start);
        q.ext_oneapi_graph(*each).wait();
        EXPECT_EQ(w, v) << from << " to " << to;
      }
    }
  for (std::size_t i = 0; i < queues.size(); ++i) sycl::free(memory[i], queues[i]);
}

TEST_F(separate_devices, copy_between_buffers_of_others_and_their_memory) {
  sycl::queue& owner = queues[device];
  int* p = sycl::malloc_device<int>(100, owner);
  for (auto& q : queues) {
    ints v(100), w(100, 0);
    std::iota(v.begin(), v.end(), 3);
    {
      sycl::buffer<int> b(v.data(), 100), c(w.data(), 100);
      add_up_to(q, b, 1);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_only};
        g.copy(a, p);
      });
      q.wait();
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{c, g, sycl::write_only, sycl::no_init};
        g.copy(p, a);
      });
      add_up_to(q, c, 1);
    }
    for (int& x : v) ++x;
    EXPECT_EQ(w, v);
    q.wait();
  }
  sycl::free(p, owner);
}

TEST_F(separate_devices, that_are_lost_refuse_commands_and_leave_the_others_alone) {
  if (!can_be_lost) GTEST_SKIP() << "these devices cannot be lost";
  ints both(50, 1), theirs(50, 1);
  {
    sycl::buffer<int> a(both.data(), 50), b(theirs.data(), 50);
    add_up_to(queues[device], b, 1);
    queues[device]
        .submit([&](sycl::handler& g) {
          sycl::accessor x{a, g, sycl::read_only};
          g.single_task([=] { static_cast<void>(x[0]); });
        })
        .wait();
    queues[device].wait();
    control->lose_device(0, true);
    EXPECT_NE(error_of([&] { add_up_to(queues[device], a, 10); }).find("is lost"),
              std::string::npos);
    // Not submitted means not done: nothing waits for it, and the data is where it was.
    EXPECT_EQ(sycl::host_accessor(a)[0], 1);
    add_up_to(queues.back(), a, 1);
    EXPECT_EQ(sycl::host_accessor(a)[0], 2);
    EXPECT_NE(error_of([&] { sycl::host_accessor x(b); }).find("is lost"), std::string::npos);
    EXPECT_NE(error_of([&] { multiply_on_host(queues.back(), b, 1); }).find("is lost"),
              std::string::npos);
    control->lose_device(0, false);
    add_up_to(queues[device], b, 1);
    EXPECT_EQ(sycl::host_accessor(b)[0], 3);
    add_up_to(queues[device], a, 1);
  }
  EXPECT_EQ(both, ints(50, 3));
  EXPECT_EQ(theirs, ints(50, 3));
  for (auto& q : queues) q.wait_and_throw();
  EXPECT_EQ(errors, std::vector<std::string>());
}

TEST_F(separate_devices, that_are_lost_are_no_hole_in_the_order_of_commands) {
  if (!can_be_lost) GTEST_SKIP() << "these devices cannot be lost";
  std::atomic<bool> go{false};
  ints v(50, 1);
  {
    sycl::buffer<int> b(v.data(), 50);
    queues.back().submit([&](sycl::handler& g) {
      sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::host_task> a{b, g};
      g.host_task([=, &go] {
        while (!go) std::this_thread::yield();
        for (std::size_t i = 0; i < 50; ++i) a[i] += 1;
      });
    });
    control->lose_device(0, true);
    // Neither the transfer nor the command; both would have waited for the host task.
    EXPECT_NE(error_of([&] { add_up_to(queues[device], b, 10); }), "");
    EXPECT_NE(error_of([&] { add_up_to(queues[device], b, 10); }), "");
    control->lose_device(0, false);
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      go = true;
    });
    // What is submitted from here on finds the data as it was.
    for (auto& q : queues) q.wait();
    later.join();
    add_up_to(queues[device], b, 1);
    multiply_on_host(queues[device], b, 3);
  }
  EXPECT_EQ(v, ints(50, 9));
}

TEST_F(separate_devices, that_are_lost_during_a_replay_leave_nothing_that_no_wait_waits_for) {
  if (!can_be_lost) GTEST_SKIP() << "these devices cannot be lost";
  std::atomic<bool> go{true}, finished{false};
  int* const memory = sycl::malloc_shared<int>(1, queues[device]);
  exp::command_graph graph(queues[device]);
  graph.begin_recording(queues[device]);
  const sycl::event first = queues[device].submit([&](sycl::handler& g) {
    g.host_task([&] {
      while (!go) std::this_thread::yield();
      finished = true;
    });
  });
  queues[device].single_task(first, [=] { *memory = 1; });
  graph.end_recording(queues[device]);
  auto body = graph.finalize();
  queues[device].ext_oneapi_graph(body).wait();
  go = finished = false;
  control->lose_device(0, true);
  // The host task has begun by then, or will.
  EXPECT_NE(error_of([&] { queues[device].ext_oneapi_graph(body); }).find("is lost"),
            std::string::npos);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    go = true;
  });
  queues[device].wait();
  EXPECT_TRUE(finished);
  later.join();
  control->lose_device(0, false);
  finished = false;
  queues[device].ext_oneapi_graph(body).wait();
  EXPECT_TRUE(finished);
  sycl::free(memory, queues[device]);
}

TEST_F(separate_devices, that_are_lost_take_only_their_own_data_along) {
  if (!can_be_lost) GTEST_SKIP() << "these devices cannot be lost";
  const ints v(100, 1);
  ints w(100, 0);
  {
    sycl::buffer<int> b(v.data(), sycl::range<1>(100),
                        {sycl::ext::pianola::property::buffer::page_size<1>(10)});
    b.set_final_data(w.data());
    queues[device].submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range<1>(50), sycl::id<1>(50), sycl::read_write};
      g.parallel_for(50, [=](sycl::id<1> i) { a[i] = 5; });
    });
    {
      sycl::host_accessor a{b, sycl::range<1>(50), sycl::id<1>(0), sycl::read_write};
      for (std::size_t i = 0; i < 50; ++i) a[i] = 4;
    }
    queues[device].wait();
    control->lose_device(0, true);
  }
  control->lose_device(0, false);
  EXPECT_EQ(w[0], 4);
  EXPECT_EQ(w[99], 0);
  for (auto& q : queues) q.wait_and_throw();
  ASSERT_FALSE(errors.empty());
  EXPECT_NE(errors[0].find("is lost"), std::string::npos);
}

TEST_F(separate_devices, that_are_lost_between_the_parts_of_a_replay_leave_nothing_to_trust) {
  if (!can_be_lost) GTEST_SKIP() << "these devices cannot be lost";
  sycl::queue& q = queues[device];
  ints v(50, 1), w(50, 1);
  const auto overwrite = [&](sycl::buffer<int>& b) {
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      g.parallel_for(50, [=](sycl::id<1> i) { a[i] = 1; });
    });
  };
  {
    sycl::buffer<int> b(v.data(), 50), c(w.data(), 50);
    exp::command_graph graph(q);
    graph.begin_recording(q);
    multiply_on_host(q, b, 2);
    add_up_to(q, c, 1);
    graph.end_recording(q);
    auto body = graph.finalize();
    q.ext_oneapi_graph(body).wait();
    q.ext_oneapi_graph(body).wait();
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 4);
    EXPECT_EQ(sycl::host_accessor(c, sycl::read_only)[0], 3);
    control->lose_device(0, true);
    EXPECT_NE(error_of([&] { q.ext_oneapi_graph(body); }).find("is lost"), std::string::npos);
    control->lose_device(0, false);
    EXPECT_NE(error_of([&] { sycl::host_accessor x(b); }).find("is lost"), std::string::npos);
    EXPECT_NE(error_of([&] { sycl::host_accessor x(c); }).find("is lost"), std::string::npos);
    overwrite(b);
    overwrite(c);
    for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(body);
  }
  EXPECT_EQ(v, ints(50, 8));
  EXPECT_EQ(w, ints(50, 4));
}

}  // namespace
}  // namespace pianola::test
