// SPDX-License-Identifier: Apache-2.0
// What goes wrong in commands, and what is left of the data.
#include <atomic>
#include <pianola/test/all_devices.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "error_code.hpp"

namespace pianola::test {
namespace {

using ints = std::vector<int>;
namespace exp = sycl::ext::oneapi::experimental;

void add(sycl::queue& q, sycl::buffer<int>& b, int n) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += n; });
  });
}

void break_it(sycl::queue& q, sycl::buffer<int>& b, const char* why) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.parallel_for(b.get_range(), [=](sycl::id<1> i) {
      a[i] = -1;
      if (i[0] == 0) throw std::runtime_error(why);
    });
  });
}

void overwrite(sycl::queue& q, sycl::buffer<int>& b, int n) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
    g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] = n; });
  });
}

class failures : public ::testing::Test {
 protected:
  std::vector<std::string> errors;
  std::vector<sycl::queue> queues = queues_on_all_devices({}, &errors);
  void expect_errors(sycl::queue& q, const std::vector<std::string>& texts) {
    q.wait_and_throw();
    EXPECT_EQ(errors, texts);
    errors.clear();
  }
};

TEST_F(failures, of_a_kernel_reach_the_handler_once_and_the_queue_goes_on) {
  for (auto& q : queues) {
    sycl::buffer<int> b(100);
    overwrite(q, b, 1);
    break_it(q, b, "kernel broke");
    for (int i = 0; i < 5; ++i) add(q, b, 1);  // depend on it: not run, not reported again
    expect_errors(q, {"kernel broke"});
    overwrite(q, b, 5);
    add(q, b, 1);
    expect_errors(q, {});
    EXPECT_EQ(sycl::host_accessor(b)[99], 6);
  }
}

TEST_F(failures, of_a_host_task_are_reported) {
  for (auto& q : queues) {
    q.submit([](sycl::handler& g) { g.host_task([] { throw std::runtime_error("task broke"); }); });
    expect_errors(q, {"task broke"});
    q.submit([](sycl::handler& g) { g.host_task([] {}); });
    expect_errors(q, {});
  }
}

TEST_F(failures, of_a_work_group_on_fibers_are_reported) {
  for (auto& q : queues)
    for (const bool before : {true, false}) {
      sycl::buffer<int> b(256);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
        g.parallel_for(sycl::nd_range<1>(256, 64), [=](sycl::nd_item<1> it) {
          a[it.get_global_id()] = 1;
          if (before && it.get_global_id(0) == 70) throw std::runtime_error("item broke");
          sycl::group_barrier(it.get_group());
          if (!before && it.get_global_id(0) == 70) throw std::runtime_error("item broke");
          a[it.get_global_id()] = 2;
        });
      });
      expect_errors(q, {"item broke"});
      // The fibers are as good as new.
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
        sycl::local_accessor<int> l{sycl::range<1>(64), g};
        g.parallel_for(sycl::nd_range<1>(256, 64), [=](sycl::nd_item<1> it) {
          l[it.get_local_id()] = static_cast<int>(it.get_local_id(0));
          sycl::group_barrier(it.get_group());
          a[it.get_global_id()] = l[63 - it.get_local_id(0)];
        });
      });
      expect_errors(q, {});
      EXPECT_EQ(sycl::host_accessor(b)[64], 63);
    }
}

TEST_F(failures, leave_independent_data_alone) {
  for (auto& q : queues) {
    ints good(10, 1), bad(10, 1);
    {
      sycl::buffer<int> g(good.data(), 10), b(bad.data(), 10);
      add(q, g, 1);
      break_it(q, b, "no luck");
      add(q, g, 1);
      expect_errors(q, {"no luck"});
      add(q, g, 1);
    }
    EXPECT_EQ(good, ints(10, 4));
    // Nothing that a failed command left behind is written back.
    EXPECT_EQ(bad.size(), 10U);
    expect_errors(q, {});
  }
}

TEST_F(failures, are_never_written_back) {
  for (auto& q : queues) {
    if (q.get_device().get_info<sycl::info::device::name>().find("Simulated") == std::string::npos)
      continue;  // in host memory, the command itself has written there
    ints v(10, 1);
    {
      sycl::buffer<int> b(v.data(), 10);
      add(q, b, 1);
      break_it(q, b, "half way");
      q.wait_and_throw();
    }
    EXPECT_EQ(v, ints(10, 1));
    errors.clear();
  }
}

TEST_F(failures, let_nobody_read_what_they_left_until_it_is_overwritten) {
  for (auto& q : queues) {
    sycl::buffer<int> b(10);
    overwrite(q, b, 1);
    break_it(q, b, "torn");
    q.wait_and_throw();
    errors.clear();
    EXPECT_EQ(code_of([&] { sycl::host_accessor h(b, sycl::read_only); }), sycl::errc::runtime);
    add(q, b, 1);
    expect_errors(q, {"torn"});
    {
      sycl::host_accessor h(b, sycl::write_only, sycl::no_init);
      for (std::size_t i = 0; i < 10; ++i) h[i] = 3;
    }
    add(q, b, 1);
    expect_errors(q, {});
    EXPECT_EQ(sycl::host_accessor(b)[9], 4);
  }
}

TEST_F(failures, poison_only_the_pages_that_the_command_wrote) {
  for (auto& q : queues) {
    ints v(40, 1);
    sycl::buffer<int> b(v.data(), sycl::range<1>(40),
                        {sycl::ext::pianola::property::buffer::page_size<1>(10)});
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range<1>(10), sycl::id<1>(10), sycl::read_write};
      g.single_task([=] {
        a[0] = 0;
        throw std::runtime_error("second page");
      });
    });
    q.wait_and_throw();
    errors.clear();
    {
      sycl::host_accessor h(b, sycl::range<1>(10), sycl::id<1>(0), sycl::read_only);
      EXPECT_EQ(h[0], 1);
    }
    {
      sycl::host_accessor h(b, sycl::range<1>(20), sycl::id<1>(20), sycl::read_only);
      EXPECT_EQ(h[19], 1);
    }
    EXPECT_EQ(code_of([&] {
                sycl::host_accessor h(b, sycl::range<1>(2), sycl::id<1>(9), sycl::read_only);
              }),
              sycl::errc::runtime);
    b.set_write_back(false);
  }
}

TEST_F(failures, in_a_graph_are_reported_once_per_replay_and_the_graph_goes_on) {
  for (auto& q : queues) {
    static std::atomic<bool> fails;
    fails = true;
    ints v(64, 0);
    sycl::buffer<int> b(v.data(), 64), c(64);
    exp::command_graph graph{q};
    graph.begin_recording(q);
    overwrite(q, c, 1);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{c, g, sycl::read_write};
      g.parallel_for(64, [=](sycl::id<1> i) {
        if (fails) throw std::runtime_error("in the graph");
        a[i] += 1;
      });
    });
    q.submit([&](sycl::handler& g) {
      sycl::accessor from{c, g, sycl::read_only};
      sycl::accessor to{b, g, sycl::read_write};
      g.parallel_for(64, [=](sycl::id<1> i) { to[i] += from[i]; });
    });
    graph.end_recording(q);
    const auto exec = graph.finalize();
    for (int i = 0; i < 3; ++i) {
      q.ext_oneapi_graph(exec);
      expect_errors(q, {"in the graph"});
    }
    fails = false;
    // The graph overwrites what was lost, but what was to be added to is as the host left it.
    overwrite(q, b, 0);
    q.ext_oneapi_graph(exec);
    expect_errors(q, {});
    EXPECT_EQ(sycl::host_accessor(b)[63], 2);
  }
}

TEST_F(failures, of_a_copy_lose_nothing) {
  auto* control = simulated_control();
  if (control == nullptr) GTEST_SKIP() << "no simulated devices";
  auto& q = queues[simulated_devices()[0]];
  sycl::queue first(q.get_device(), [&](const sycl::exception_list& l) {
    for (const auto& e : l) try {
        std::rethrow_exception(e);
      } catch (const std::exception& x) {
        errors.emplace_back(x.what());
      }
  });
  ints v(10, 1);
  {
    sycl::buffer<int> b(v.data(), 10);
    // The copy waits for the host task, so that it fails only once all of its dependents are submitted: one that
    // is submitted after the failure makes the copy again.
    std::atomic<bool> open{false};
    first.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write};
      g.host_task([&open, a] {
        while (!open) std::this_thread::yield();
        a[0] = 1;
      });
    });
    control->fail_copy(1);
    for (int i = 0; i < 4; ++i) add(first, b, 1);
    open = true;
    first.wait_and_throw();
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_NE(errors[0].find("injected"), std::string::npos);
    errors.clear();
    // The data is where it was.
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 1);
    add(first, b, 2);
    first.wait_and_throw();
    EXPECT_TRUE(errors.empty());
  }
  EXPECT_EQ(v, ints(10, 3));
}

TEST_F(failures, known_late_take_nothing_from_commands_that_were_submitted_meanwhile) {
  auto* control = simulated_control();
  if (control == nullptr) GTEST_SKIP() << "no simulated devices";
  for (const std::size_t other : {std::size_t{0}, queues.size() - 1}) {
    auto &q = queues[simulated_devices()[0]], &writer = queues[other];
    ints v(10, 1), w(10, 1);
    {
      sycl::buffer<int> b(v.data(), 10), gate(w.data(), 10);
      std::atomic<bool> open{false};
      // The copy that fails waits for the host task, and so do all that come after it.
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{gate, g, sycl::read_write};
        g.host_task([&open, a] {
          while (!open) std::this_thread::yield();
          a[0] = 2;
        });
      });
      control->fail_copy(1);
      q.submit([&](sycl::handler& g) {
        sycl::accessor in{gate, g, sycl::read_only};
        sycl::accessor out{b, g, sycl::write_only, sycl::no_init};
        g.parallel_for(10, [=](sycl::id<1> i) { out[i] = in[i]; });
      });
      overwrite(writer, b, 5);
      add(writer, b, 1);
      open = true;
      q.wait_and_throw();
      EXPECT_EQ(errors.size(), 1U);
      errors.clear();
      writer.wait_and_throw();
      EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[9], 6);
      add(q, b, 1);
      q.wait_and_throw();
      EXPECT_TRUE(errors.empty());
    }
    EXPECT_EQ(v, ints(10, 7));
    EXPECT_EQ(w[0], 2);
  }
}

TEST_F(failures, of_the_copy_back_are_no_deadlock) {
  auto* control = simulated_control();
  if (control == nullptr) GTEST_SKIP() << "no simulated devices";
  auto& q = queues[simulated_devices()[0]];
  ints v(10, 1);
  {
    sycl::buffer<int> b(v.data(), 10);
    add(q, b, 1);
    q.wait();
    control->fail_copy(1);
    EXPECT_EQ(code_of([&] { sycl::host_accessor h(b, sycl::read_only); }), sycl::errc::runtime);
    // Once more: the device still has it.
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 2);
    add(q, b, 1);
    q.wait();
  }
  EXPECT_EQ(v, ints(10, 3));
  errors.clear();
}

TEST_F(failures, of_the_copy_back_at_the_end_of_a_buffer_leave_the_host_data) {
  auto* control = simulated_control();
  if (control == nullptr) GTEST_SKIP() << "no simulated devices";
  auto& q = queues[simulated_devices()[0]];
  for (const bool in_place : {true, false}) {
    ints v(10, 1);
    {
      sycl::buffer<int> b(v.data(), sycl::range<1>(10),
                          {sycl::ext::pianola::property::buffer::uses_external_storage(in_place)});
      add(q, b, 1);
      q.wait();
      control->fail_copy(1);
    }
    EXPECT_EQ(v, ints(10, 1)) << in_place;
    q.wait_and_throw();
    EXPECT_EQ(errors.size(), 1U) << "the loss must be reported";
    errors.clear();
  }
}

TEST_F(failures, to_allocate_are_thrown_at_submission_and_lose_nothing) {
  auto* control = simulated_control();
  const auto devices = simulated_devices();
  if (control == nullptr || devices.size() < 2) GTEST_SKIP() << "needs simulated devices";
  const std::size_t unlucky = devices.size() > 2 ? 2 : 1;
  ints v(100, 1);
  {
    sycl::buffer<int> b(v.data(), 100);
    for (const std::size_t d : devices) {
      if (d == devices[unlucky]) control->fail_allocation(static_cast<unsigned>(unlucky), 1);
      const auto code = code_of([&] { add(queues[d], b, 1); });
      EXPECT_EQ(code, d == devices[unlucky] ? sycl::errc::memory_allocation : sycl::errc::success);
    }
    // There is memory again.
    add(queues[devices[unlucky]], b, 1);
    queues[devices[unlucky]].wait_and_throw();
  }
  EXPECT_EQ(v, ints(100, 1 + static_cast<int>(devices.size())));
  EXPECT_TRUE(errors.empty());
}

TEST_F(failures, to_allocate_for_a_graph_are_thrown_by_finalize) {
  auto* control = simulated_control();
  const auto devices = simulated_devices();
  if (control == nullptr) GTEST_SKIP() << "needs simulated devices";
  auto& q = queues[devices.back()];
  ints v(10, 1), w(10, 1);
  {
    sycl::buffer<int> b(v.data(), 10), c(w.data(), 10);
    exp::command_graph graph{q};
    graph.begin_recording(q);
    add(q, b, 1);
    add(q, c, 1);
    graph.end_recording(q);
    control->fail_allocation(static_cast<unsigned>(devices.size() - 1), 2);
    EXPECT_EQ(code_of([&] { static_cast<void>(graph.finalize()); }), sycl::errc::memory_allocation);
    const auto exec = graph.finalize();
    q.ext_oneapi_graph(exec);
    q.wait_and_throw();
  }
  EXPECT_EQ(v, ints(10, 2));
  EXPECT_EQ(w, ints(10, 2));
}

TEST_F(failures, of_one_queue_are_told_to_the_queue_of_each_dependent) {
  if (queues.size() < 2) GTEST_SKIP();
  std::vector<std::string> first, second;
  const auto into = [](std::vector<std::string>& list) {
    return [&list](const sycl::exception_list& l) {
      for (const auto& e : l) try {
          std::rethrow_exception(e);
        } catch (const std::exception& x) {
          list.emplace_back(x.what());
        }
    };
  };
  sycl::queue a(queues[0].get_device(), into(first)), b(queues[1].get_device(), into(second));
  sycl::buffer<int> data(100);
  overwrite(a, data, 1);
  break_it(a, data, "upstream");
  add(b, data, 1);
  add(b, data, 1);
  a.wait_and_throw();
  b.wait_and_throw();
  EXPECT_EQ(first, std::vector<std::string>{"upstream"});
  EXPECT_EQ(second, std::vector<std::string>{"upstream"});
}

TEST_F(failures, of_objects_that_were_moved_from_are_reported) {
  sycl::queue q = queues[0];
  sycl::buffer<int> b(4);
  sycl::event e = q.single_task([] {});
  q.wait();
  const sycl::queue q2 = std::move(q);
  const sycl::buffer<int> b2 = std::move(b);
  const sycl::event e2 = std::move(e);
  // NOLINTBEGIN(bugprone-use-after-move): that is what this is about
  // Queues and events stay what they are, as copies would.
  EXPECT_NO_THROW(q.single_task([] {}).wait());
  EXPECT_NO_THROW(e.wait());
  EXPECT_EQ(code_of([&] { sycl::host_accessor h(b); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { add(queues[0], b, 1); }), sycl::errc::invalid);
  // NOLINTEND(bugprone-use-after-move)
}

TEST_F(failures, stay_usable_under_many_threads) {
  // Commands that fail at random, from several threads, on shared and own data: nobody hangs, and what
  // is overwritten afterwards is good.
  sycl::buffer<int> shared(64);
  std::atomic<int> reported{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      sycl::queue q(queues[t % queues.size()].get_device(),
                    [&](const sycl::exception_list& l) { reported += static_cast<int>(l.size()); });
      sycl::buffer<int> mine(64);
      for (int i = 0; i < 100; ++i) {
        overwrite(q, mine, i);
        if (i % 7 == 3) break_it(q, mine, "now and then");
        if (i % 11 == 5) break_it(q, shared, "now and then");
        add(q, mine, 1);
        add(q, shared, 1);
        if (i % 13 == 0) overwrite(q, shared, 0);
        if (i % 10 == 0) q.wait_and_throw();
      }
      overwrite(q, mine, 7);
      q.wait_and_throw();
      EXPECT_EQ(sycl::host_accessor(mine)[63], 7);
    });
  for (auto& t : threads) t.join();
  EXPECT_GE(reported, 4);
  overwrite(queues[0], shared, 3);
  EXPECT_EQ(sycl::host_accessor(shared)[0], 3);
}

}  // namespace
}  // namespace pianola::test
