// SPDX-License-Identifier: Apache-2.0
// What runs for ever must not grow.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <pianola/test/all_devices.hpp>
#include <thread>
#include <vector>

namespace pianola::test {
namespace {

namespace exp = sycl::ext::oneapi::experimental;

std::size_t resident_bytes() {
  long pages = 0, resident = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return static_cast<std::size_t>(resident) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool slow = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool slow = true;
#else
constexpr bool slow = false;
#endif
#else
constexpr bool slow = false;
#endif

// A sanitizer's shadow grows by itself; there the bodies only have to run.
constexpr int repeats = slow ? 5000 : 300000;
constexpr std::size_t margin = slow ? std::size_t{1} << 40 : std::size_t{2} << 20;

// Not a byte per submission may stay: 300000 of them would be 300 KB each.
template <class F>
void expect_no_growth(F&& once, const std::function<void()>& wait) {
  const auto run = [&] {
    for (int i = 0; i < repeats; ++i) {
      once(i);
      if (i % 1000 == 999) wait();
    }
    wait();
  };
  run();
  const std::size_t before = resident_bytes();
  run();
  EXPECT_LE(resident_bytes(), before + margin);
}

class memory : public ::testing::Test {
 protected:
  sycl::queue q = queues_on_all_devices().back();
};

TEST_F(memory, does_not_grow_with_eager_submissions_on_usm) {
  int* p = sycl::malloc_shared<int>(1, q);
  sycl::queue in_order(q.get_device(), sycl::property::queue::in_order{});
  expect_no_growth([&](int) { in_order.single_task([=] { *p += 1; }); }, [&] { in_order.wait(); });
  sycl::free(p, q);
}

TEST_F(memory, does_not_grow_with_eager_submissions_on_buffers) {
  sycl::buffer<int> b(16);
  expect_no_growth(
      [&](int) {
        q.submit([&](sycl::handler& g) {
          sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
          g.single_task([=] { a[0] = 1; });
        });
      },
      [&] { q.wait(); });
}

TEST_F(memory, does_not_grow_with_submissions_that_nobody_waits_for) {
  // A producer that only looks at buffers, never at the queue.
  sycl::buffer<int> b(16), c(16);
  expect_no_growth(
      [&](int i) {
        q.submit([&](sycl::handler& g) {
          sycl::accessor a{i % 2 == 0 ? b : c, g, sycl::write_only, sycl::no_init};
          g.single_task([=] { a[0] = 1; });
        });
        // Bounds how far the commands may lag behind, and with it what they may take meanwhile.
        if (i % 500 == 0) {
          const sycl::host_accessor h{b, sycl::read_only}, k{c, sycl::read_only};
          static_cast<void>(h[0] + k[0]);
        }
      },
      [] {});
}

TEST_F(memory, does_not_grow_with_replays) {
  sycl::buffer<int> b(16);
  exp::command_graph graph{q};
  graph.begin_recording(q);
  for (int i = 0; i < 3; ++i)
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      g.single_task([=] { a[0] = 1; });
    });
  graph.end_recording(q);
  const auto exec = graph.finalize();
  expect_no_growth([&](int) { q.ext_oneapi_graph(exec); }, [&] { q.wait(); });
}

TEST_F(memory, does_not_grow_with_buffers_graphs_host_accessors_and_queues_that_come_and_go) {
  const auto once = [&](int) {
    sycl::queue own(q.get_device());
    sycl::buffer<int> b(64);
    {
      sycl::host_accessor h{b, sycl::write_only, sycl::no_init};
      h[0] = 1;
    }
    exp::command_graph graph{own};
    graph.begin_recording(own);
    own.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g};
      g.single_task([=] { a[0] += 1; });
    });
    graph.end_recording(own);
    const auto exec = graph.finalize();
    own.ext_oneapi_graph(exec);
    own.wait();
  };
  const int n = slow ? 50 : 3000;
  for (int i = 0; i < n; ++i) once(i);
  const std::size_t before = resident_bytes();
  for (int i = 0; i < n; ++i) once(i);
  EXPECT_LE(resident_bytes(), before + margin);
}

TEST_F(memory, does_not_grow_with_threads_that_run_work_groups_and_end) {
  const auto once = [&] {
    std::thread([&] {
      q.parallel_for(sycl::nd_range<1>(512, 128), [=](sycl::nd_item<1> it) {
         sycl::group_barrier(it.get_group());
       }).wait();
    }).join();
  };
  const int n = slow ? 20 : 300;
  for (int i = 0; i < n; ++i) once();
  const std::size_t before = resident_bytes();
  for (int i = 0; i < n; ++i) once();
  EXPECT_LE(resident_bytes(), before + 4 * margin);
}

// Nodes, parameters and function objects with a life of their own: what an update replaces has to end.
// What is filled for the first time is what making a large graph takes the longest for. Of a node with three requirements: 0.3 KiB
// for the step and where it is in the plan, 0.3 KiB for what tells whom it concerns if it fails, which is there once.
TEST_F(memory, of_an_executable_graph_is_so_much_for_each_node) {
  constexpr int nodes = 20000;
  if (slow) GTEST_SKIP() << "a sanitizer counts in its own way";
  if (!q.get_device().is_cpu()) GTEST_SKIP() << "other devices keep more";
  sycl::buffer<int> a(16), b(16), c(16);
  exp::command_graph graph(q);
  graph.begin_recording(q);
  for (int i = 0; i < nodes; ++i)
    q.submit([&](sycl::handler& h) {
      sycl::accessor x(a, h);
      sycl::accessor y(b, h, sycl::read_only), z(c, h, sycl::read_only);
      h.parallel_for(sycl::range<1>(16), [=](sycl::id<1> n) { x[n] = y[n] + z[n]; });
    });
  graph.end_recording(q);
  const auto allocated = [] {
    const struct mallinfo2 all = ::mallinfo2();
    return all.uordblks + all.hblkhd;
  };
  const std::size_t before = allocated();
  const auto body = graph.finalize();
  EXPECT_LE((allocated() - before) / nodes, 900U);
}

TEST_F(memory, does_not_grow_with_updates_of_graphs) {
  using exp::property::graph::updatable;
  exp::command_graph<exp::graph_state::modifiable> g(q), other(q);
  exp::dynamic_parameter<int> value(0);
  const auto counting = [&](std::size_t size) {
    const sycl::ext::pianola::dynamic_argument by(value);
    return [=, data = std::vector<int>(size)](sycl::handler& h) {
      h.host_task([data, by] { static_cast<void>(data.size() + static_cast<std::size_t>(by)); });
    };
  };
  exp::dynamic_command_group groups(g, {counting(10), counting(20)});
  auto node = g.add(groups);
  other.add(counting(30));
  auto exec = g.finalize({updatable()});
  expect_no_growth(
      [&](int i) {
        groups.set_active_index(static_cast<std::size_t>(i % 2));
        value.update(i);
        if (i % 3 == 0)
          exec.update(other);
        else
          exec.update(node);
      },
      [&] { q.ext_oneapi_graph(exec).wait(); });
}

}  // namespace
}  // namespace pianola::test
