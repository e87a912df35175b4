// SPDX-License-Identifier: Apache-2.0
// Parts of the processors as devices (SYCL 2020, 4.6.4).
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/runtime/statistics.hpp>

#include "partitions.hpp"

namespace {

using sycl::device;

// Which threads have run kernels, and where the operating system lets them.
class witness {
 public:
  void note() {
    cpu_set_t set;
    CPU_ZERO(&set);
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    const std::lock_guard<std::mutex> lock(mutex_);
    threads_.insert(gettid());
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set)) processors_.insert(i);
  }
  std::set<int> threads() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return threads_;
  }
  std::set<int> processors() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return processors_;
  }

 private:
  mutable std::mutex mutex_;
  std::set<int> threads_, processors_;
};

// Long enough for a second thread to be worth it, once it is known how long.
void busy() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  while (std::chrono::steady_clock::now() < end) {
  }
}

bool disjoint(const std::set<int>& a, const std::set<int>& b) {
  for (const int x : a)
    if (b.count(x) != 0) return false;
  return true;
}

// Gives up in a while, so that a failure is told.
bool comes_true(const std::atomic<bool>& flag) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!flag.load())
    if (std::chrono::steady_clock::now() > end)
      return false;
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  return true;
}

// HWLOC_SYNTHETIC, more threads than processors: units are no processors then.
bool units_are_processors(const device& d) {
  return std::getenv("HWLOC_SYNTHETIC") == nullptr &&
         units(d) <= std::thread::hardware_concurrency();
}

class sub_devices : public testing::Test {
 protected:
  void SetUp() override {
    if (whole.get_info<info::partition_max_sub_devices>() == 0)
      GTEST_SKIP() << "the device has one compute unit";
  }
  std::vector<device> halves() const {
    return by_counts(whole, {units(whole) / 2, units(whole) / 2});
  }
  const device whole{sycl::cpu_selector_v};
};

TEST_F(sub_devices, have_the_compute_units_that_were_asked_for) {
  const std::size_t n = units(whole);
  EXPECT_EQ(whole.get_info<info::partition_max_sub_devices>(), n);
  for (std::size_t count = 1; count <= n; ++count) {
    const auto parts = equally(whole, count);
    EXPECT_EQ(parts.size(), n / count);
    for (const device& part : parts) {
      EXPECT_EQ(units(part), count);
      EXPECT_EQ(part.get_info<info::partition_type_property>(), property::partition_equally);
      EXPECT_EQ(part.get_info<info::partition_type_affinity_domain>(), domain::not_applicable);
    }
  }
  const auto parts = by_counts(whole, {0, 1, n - 1, 0});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(units(parts[0]), 1U);
  EXPECT_EQ(units(parts[1]), n - 1);
  EXPECT_EQ(parts[0].get_info<info::partition_type_property>(), property::partition_by_counts);
  EXPECT_TRUE(by_counts(whole, {}).empty());
}

TEST_F(sub_devices, are_refused_for_compute_units_that_are_not_there) {
  const std::size_t n = units(whole);
  EXPECT_EQ(code_of([&] { equally(whole, 0); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { equally(whole, n + 1); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { by_counts(whole, {n, 1}); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { by_counts(whole, std::vector<std::size_t>(n + 1, 1)); }),
            sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { by_counts(whole, {1, SIZE_MAX, 1}); }), sycl::errc::invalid);
}

TEST_F(sub_devices, of_the_same_partition_are_equal_and_others_are_not) {
  const auto a = equally(whole, 1), b = equally(whole, 1);
  EXPECT_EQ(a, b);
  EXPECT_NE(a[0], a[1]);
  EXPECT_NE(a[0], whole);
  EXPECT_EQ(std::hash<device>()(a[0]), std::hash<device>()(b[0]));
  // Made otherwise, it says so.
  EXPECT_NE(by_counts(whole, {1})[0], a[0]);
}

TEST_F(sub_devices, know_their_parent_and_are_on_no_list) {
  const device part = equally(whole, 1)[0];
  EXPECT_EQ(part.get_info<info::parent_device>(), whole);
  EXPECT_EQ(code_of([&] { (void)whole.get_info<info::parent_device>(); }), sycl::errc::invalid);
  EXPECT_EQ(part.get_platform(), whole.get_platform());
  EXPECT_EQ(part.get_backend(), whole.get_backend());
  EXPECT_EQ(part.get_info<info::aspects>(), whole.get_info<info::aspects>());
  EXPECT_EQ(part.get_info<info::name>(), whole.get_info<info::name>());
  for (const device& d : device::get_devices()) EXPECT_NE(d, part);
  for (const device& d : whole.get_platform().get_devices()) EXPECT_NE(d, part);
  EXPECT_EQ(code_of([&] { (void)part.ext_oneapi_index_within_platform(); }), sycl::errc::invalid);
}

TEST_F(sub_devices, of_one_compute_unit_are_not_partitioned) {
  const device part = equally(whole, 1)[0];
  EXPECT_EQ(part.get_info<info::partition_max_sub_devices>(), 0U);
  EXPECT_TRUE(part.get_info<info::partition_properties>().empty());
  EXPECT_TRUE(part.get_info<info::partition_affinity_domains>().empty());
  EXPECT_EQ(code_of([&] { equally(part, 1); }), sycl::errc::feature_not_supported);
}

TEST_F(sub_devices, of_sub_devices_have_those_as_parents) {
  const device all = by_counts(whole, {units(whole)})[0];
  const auto parts = equally(all, 1);
  ASSERT_EQ(parts.size(), units(whole));
  EXPECT_EQ(parts[0].get_info<info::parent_device>(), all);
  EXPECT_NE(parts[0], equally(whole, 1)[0]);
  witness w;
  sycl::queue q(parts.back());
  q.single_task([&] { w.note(); }).wait();
  EXPECT_EQ(w.threads().size(), 1U);
}

TEST_F(sub_devices, run_kernels_on_their_own_threads_only) {
  const auto parts = halves();
  witness seen[2];
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < 2; ++i) {
      sycl::queue q(parts[static_cast<std::size_t>(i)]);
      q.parallel_for(sycl::range(64), [&, i](sycl::id<1>) {
         busy();
         seen[i].note();
       }).wait();
    }
  for (int i = 0; i < 2; ++i) {
    EXPECT_LE(seen[i].threads().size(), units(parts[0]));
    EXPECT_EQ(seen[i].threads().count(gettid()), 0U);
    if (units_are_processors(whole)) {
      EXPECT_EQ(seen[i].processors().size(), units(parts[0]));
    }
  }
  EXPECT_TRUE(disjoint(seen[0].threads(), seen[1].threads()));
  if (units_are_processors(whole)) {
    EXPECT_TRUE(disjoint(seen[0].processors(), seen[1].processors()));
  }
}

TEST_F(sub_devices, spread_kernels_over_all_of_their_threads) {
  if (std::getenv("HWLOC_SYNTHETIC") == nullptr && !units_are_processors(whole))
    GTEST_SKIP() << "its threads may share a processor: then they take turns";
  const device part = by_counts(whole, {2})[0];
  sycl::queue q(part);
  // Whether the other thread comes in time is chance, each time; one waits for it, as others may have its processor.
  bool together = false;
  for (int round = 0; round < 200 && !together; ++round) {
    witness w;
    q.parallel_for(sycl::range(64), [&](sycl::id<1> i) {
       busy();
       w.note();
       const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
       while (i[0] == 0 && w.threads().size() < 2 && std::chrono::steady_clock::now() < until)
         std::this_thread::yield();
     }).wait();
    together = w.threads().size() == 2;
  }
  EXPECT_TRUE(together);
}

TEST_F(sub_devices, run_kernels_at_the_same_time) {
  const auto parts = halves();
  std::atomic<bool> here[2] = {false, false};
  bool met[2] = {false, false};
  std::vector<sycl::event> events;
  for (std::size_t i = 0; i < 2; ++i)
    events.push_back(sycl::queue(parts[i]).single_task([&, i] {
      here[i].store(true);
      met[i] = comes_true(here[1 - i]);
    }));
  sycl::event::wait(events);
  EXPECT_TRUE(met[0]);
  EXPECT_TRUE(met[1]);
}

TEST_F(sub_devices, run_while_the_whole_device_does) {
  std::atomic<bool> here[2] = {false, false};
  bool met[2] = {false, false};
  sycl::queue of_whole(whole), of_part(halves()[0]);
  const auto meet = [&](std::size_t i) {
    return [&, i] {
      here[i].store(true);
      met[i] = comes_true(here[1 - i]);
    };
  };
  const sycl::event a = of_part.single_task(meet(0));
  of_whole.single_task(meet(1)).wait();
  sycl::event(a).wait();
  EXPECT_TRUE(met[0]);
  EXPECT_TRUE(met[1]);
}

TEST_F(sub_devices, share_buffers_without_copies) {
  const auto parts = halves();
  sycl::queue q[] = {sycl::queue(parts[0]), sycl::queue(parts[1]), sycl::queue(whole)};
  const auto before = pianola::runtime::get_statistics().transfers;
  constexpr std::size_t n = 1000;
  sycl::buffer<int> b{sycl::range(n)};
  const int* storage[9] = {};
  for (std::size_t round = 0; round < 9; ++round)
    q[round % 3].submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      const bool first = round == 0;
      const int** const where = &storage[round];
      h.parallel_for(sycl::range(n), [=](sycl::id<1> i) {
        if (i[0] == 0) *where = &a[0];
        a[i] = first ? static_cast<int>(i[0]) : a[i] * 2;
      });
    });
  sycl::host_accessor result(b, sycl::read_only);
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(result[i], static_cast<int>(i) << 8);
  for (const int* s : storage) EXPECT_EQ(s, &result[0]);
  EXPECT_EQ(pianola::runtime::get_statistics().transfers, before);
}

TEST_F(sub_devices, work_with_unified_shared_memory) {
  const auto parts = halves();
  sycl::queue q(parts[0], sycl::property::queue::in_order()), other(parts[1]);
  constexpr std::size_t n = 5000;
  int* const device_memory = sycl::malloc_device<int>(n, q);
  int* const shared = sycl::malloc_shared<int>(n, other);
  ASSERT_NE(device_memory, nullptr);
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(sycl::get_pointer_device(device_memory, q.get_context()), parts[0]);
  EXPECT_EQ(sycl::get_pointer_type(device_memory, q.get_context()), sycl::usm::alloc::device);
  q.fill(device_memory, 3, n);
  q.parallel_for(sycl::range(n),
                 [=](sycl::id<1> i) { device_memory[i] += static_cast<int>(i[0]); });
  q.memcpy(shared, device_memory, n * sizeof(int)).wait();
  other.parallel_for(sycl::range(n), [=](sycl::id<1> i) { shared[i] += 1; }).wait();
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(shared[i], static_cast<int>(i) + 4);
  std::vector<unsigned char> plain(100, 1);
  q.memset(plain.data(), 7, plain.size()).wait();
  EXPECT_EQ(plain, std::vector<unsigned char>(100, 7));
  sycl::free(device_memory, q);
  sycl::free(shared, other);
}

TEST_F(sub_devices, are_devices_of_contexts_with_them_or_their_parents) {
  const auto parts = halves();
  const sycl::context with_whole(whole), with_first(parts[0]), with_both(parts);
  EXPECT_EQ(with_first.get_devices(), std::vector<device>{parts[0]});
  EXPECT_EQ(sycl::queue(with_whole, parts[1]).get_device(), parts[1]);
  EXPECT_EQ(sycl::queue(with_both, parts[1]).get_context(), with_both);
  EXPECT_EQ(sycl::queue(parts[0]).get_context(), sycl::queue(whole).get_context());
  EXPECT_EQ(code_of([&] { sycl::queue q(with_first, parts[1]); }), sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { sycl::queue q(with_first, whole); }), sycl::errc::invalid);
  void* const p = sycl::malloc_device(64, parts[0], with_whole);
  EXPECT_NE(p, nullptr);
  sycl::free(p, with_whole);
  EXPECT_EQ(code_of([&] { (void)sycl::malloc_device(64, whole, with_first); }),
            sycl::errc::invalid);
  EXPECT_EQ(code_of([&] { (void)sycl::malloc_device(64, parts[1], with_first); }),
            sycl::errc::invalid);
}

class bundled;
TEST_F(sub_devices, run_kernels_of_bundles) {
  const auto parts = halves();
  const sycl::context c(whole);
  const auto id = sycl::get_kernel_id<bundled>();
  const auto of_part = sycl::get_kernel_bundle<sycl::bundle_state::executable>(c, {parts[0]}, {id});
  const auto of_whole = sycl::get_kernel_bundle<sycl::bundle_state::executable>(c, {whole}, {id});
  EXPECT_EQ(of_part.get_devices(), std::vector<device>{parts[0]});
  EXPECT_TRUE(of_part.has_kernel(id, parts[0]));
  EXPECT_FALSE(of_part.has_kernel(id, parts[1]));
  EXPECT_FALSE(of_part.has_kernel(id, whole));
  EXPECT_TRUE(of_whole.has_kernel(id, parts[1]));
  EXPECT_TRUE(sycl::has_kernel_bundle<sycl::bundle_state::executable>(c, parts));
  sycl::queue q(c, parts[0]);
  for (const auto& bundle : {of_part, of_whole}) {
    int value = 0;
    int* const where = &value;
    q.submit([&](sycl::handler& h) {
       h.use_kernel_bundle(bundle);
       h.single_task<bundled>([=] { *where = 5; });
     }).wait();
    EXPECT_EQ(value, 5);
  }
}

TEST_F(sub_devices, take_their_turn_with_host_tasks_in_the_order_of_the_queue) {
  sycl::queue q(halves()[1], sycl::property::queue::in_order());
  std::vector<int> order;
  witness kernels, tasks;
  for (int i = 0; i < 10; ++i) {
    q.single_task([&, i] {
      order.push_back(2 * i);
      kernels.note();
    });
    q.submit([&](sycl::handler& h) {
      h.host_task([&, i] {
        order.push_back(2 * i + 1);
        tasks.note();
      });
    });
  }
  q.wait();
  std::vector<int> expected(20);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
  EXPECT_TRUE(disjoint(kernels.threads(), tasks.threads()));
  // A host task may go anywhere, unless OpenMP has bound who made its thread.
  if (units_are_processors(whole) && std::getenv("OMP_PROC_BIND") == nullptr) {
    EXPECT_GT(tasks.processors().size(), kernels.processors().size());
  }
}

TEST_F(sub_devices, tell_of_failures_like_any_other) {
  std::string told;
  sycl::queue q(halves()[0], [&](sycl::exception_list errors) {
    for (const auto& e : errors) try {
        std::rethrow_exception(e);
      } catch (const std::exception& x) {
        told += x.what();
      }
  });
  q.submit([&](sycl::handler& h) { h.host_task([] { throw std::runtime_error("one"); }); });
  q.wait_and_throw();
  EXPECT_NE(told.find("one"), std::string::npos);
}

TEST_F(sub_devices, replay_recorded_graphs_on_their_threads) {
  namespace graph = sycl::ext::oneapi::experimental;
  const auto parts = halves();
  sycl::queue q(parts[0]);
  std::vector<unsigned> data(10000, 0);
  unsigned* const p = data.data();
  witness w, tasks;
  graph::command_graph recorded(q);
  recorded.begin_recording(q);
  const auto add = [&, p](sycl::handler& h) {
    h.parallel_for(sycl::range(10000), [=, &w](sycl::id<1> i) {
      if (i[0] % 100 == 0) w.note();
      ++p[i];
    });
  };
  const sycl::event first = q.submit(add);
  const sycl::event task = q.submit([&](sycl::handler& h) {
    h.depends_on(first);
    h.host_task([&, p] {
      tasks.note();
      for (int i = 0; i < 10000; ++i) p[i] *= 2;
    });
  });
  q.submit([&](sycl::handler& h) {
    h.depends_on(task);
    add(h);
  });
  recorded.end_recording(q);
  auto executable = recorded.finalize();
  unsigned expected = 0;
  for (int i = 0; i < 30; ++i) {
    q.ext_oneapi_graph(executable).wait();
    expected = 2 * (expected + 1) + 1;
  }
  EXPECT_EQ(data, std::vector<unsigned>(10000, expected));
  EXPECT_LE(w.threads().size(), units(parts[0]));
  EXPECT_EQ(w.threads().count(gettid()), 0U);
  EXPECT_TRUE(disjoint(w.threads(), tasks.threads()));
  // A graph belongs to its device.
  EXPECT_EQ(code_of([&] { sycl::queue(parts[1]).ext_oneapi_graph(executable).wait(); }),
            sycl::errc::invalid);
}

TEST_F(sub_devices, have_profiling) {
  sycl::queue q(halves()[0], sycl::property::queue::enable_profiling());
  sycl::event e = q.parallel_for(sycl::range(100), [](sycl::id<1>) {});
  namespace times = sycl::info::event_profiling;
  const auto start = e.get_profiling_info<times::command_start>();
  const auto end = e.get_profiling_info<times::command_end>();
  EXPECT_LE(e.get_profiling_info<times::command_submit>(), start);
  EXPECT_LE(start, end);
}

TEST_F(sub_devices, can_be_made_while_others_are_at_work) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      sycl::queue q(whole);
      sycl::buffer<int> b{sycl::range(100)};
      while (!stop.load()) {
        q.submit([&](sycl::handler& h) {
           sycl::accessor a(b, h, sycl::write_only);
           h.parallel_for(sycl::range(100), [=](sycl::id<1> i) { a[i] = 1; });
         }).wait();
      }
    });
  // Nested, so that each is a new one.
  device d = whole;
  std::atomic<int> ran{0};
  for (int depth = 0; depth < 20; ++depth) {
    d = by_counts(d, {units(d)})[0];
    sycl::queue(d).single_task([&] { ran.fetch_add(1); }).wait();
  }
  stop.store(true);
  for (auto& t : threads) t.join();
  EXPECT_EQ(ran.load(), 20);
}

}  // namespace
