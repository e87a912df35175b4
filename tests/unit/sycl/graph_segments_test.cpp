// SPDX-License-Identifier: Apache-2.0
// Graphs with host tasks on devices with a driver of their own: they are several graphs of the driver, and wait for each
// other no more than the program says. Where they did, these tests would not end.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <sycl/sycl.hpp>
#include <thread>

namespace graphs = sycl::ext::oneapi::experimental;

namespace {

bool has_driver(const sycl::queue& q) {
  const auto backend = q.get_backend();
  return backend == sycl::backend::cuda || backend == sycl::backend::hip;
}

// Which device and host see alike while both are at work.
struct flags {
  int first;
  int open;
  int order;
  int finished;
};

using device_flag = sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::system>;

class graph_segments : public testing::Test {
 protected:
  graph_segments() : shared_(sycl::malloc_host<flags>(1, q_)) { *shared_ = {}; }
  ~graph_segments() override {
    over_ = true;
    rescuer_.join();
    sycl::free(shared_, q_);
  }
  void SetUp() override {
    if (!has_driver(q_)) GTEST_SKIP() << "one segment runs all of it";
  }
  template <class F>
  auto kernel(F f) {
    return [=](sycl::handler& h) { h.single_task(f); };
  }

  sycl::queue q_;
  flags* shared_;
  std::atomic<bool> rescued_{false};

 private:
  // A test that fails ends, too.
  void rescue() {
    for (int i = 0; i < 6000 && !over_; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    while (!over_) {
      rescued_ = true;
      __atomic_store_n(&shared_->open, 1, __ATOMIC_RELEASE);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::atomic<bool> over_{false};
  std::thread rescuer_{[this] { rescue(); }};
};

TEST_F(graph_segments, let_a_host_task_begin_when_its_kernel_has_ended_and_others_go_on) {
  flags* const f = shared_;
  graphs::command_graph graph(q_);
  auto first = graph.add(kernel([=] {
    f->open = 0;
    ++f->first;
  }));
  graph.add(kernel([=] {
              while (device_flag(f->open).load() == 0) {
              }
              f->finished += f->first;
            }),
            {graphs::property::node::depends_on(first)});
  int seen = 0;
  graph.add(
      [&](sycl::handler& h) {
        h.host_task([f, &seen] {
          seen += f->first;
          __atomic_store_n(&f->open, 1, __ATOMIC_RELEASE);
        });
      },
      {graphs::property::node::depends_on(first)});
  auto made = graph.finalize();
  for (int i = 1; i <= 5; ++i) {
    q_.ext_oneapi_graph(made).wait();
    EXPECT_EQ(seen, i * (i + 1) / 2);
    EXPECT_EQ(f->finished, i * (i + 1) / 2);
  }
  // One right behind the other.
  for (int i = 6; i <= 15; ++i) q_.ext_oneapi_graph(made);
  q_.wait();
  EXPECT_EQ(seen, 15 * 16 / 2);
  EXPECT_EQ(f->finished, 15 * 16 / 2);
  EXPECT_FALSE(rescued_);
}

TEST_F(graph_segments, behind_a_host_task_run_beside_those_before_it) {
  flags* const f = shared_;
  graphs::command_graph graph(q_);
  auto first = graph.add(kernel([=] {
    f->open = 0;
    ++f->first;
  }));
  auto holding = graph.add(kernel([=] {
                             while (device_flag(f->open).load() == 0) {
                             }
                             f->order = 1;
                           }),
                           {graphs::property::node::depends_on(first)});
  auto task = graph.add([&](sycl::handler& h) { h.host_task([] {}); },
                        {graphs::property::node::depends_on(first)});
  auto opening = graph.add(kernel([=] { device_flag(f->open).store(1); }),
                           {graphs::property::node::depends_on(task)});
  // In the segment behind the host task, and after a kernel in the middle of the one before it.
  graph.add(kernel([=] {
              f->finished += f->order;
              f->order = 0;
            }),
            {graphs::property::node::depends_on(holding, opening)});
  // The segment before goes on after that.
  graph.add(kernel([=] { f->first += 1; }), {graphs::property::node::depends_on(holding)});
  auto made = graph.finalize();
  for (int i = 1; i <= 5; ++i) {
    q_.ext_oneapi_graph(made).wait();
    EXPECT_EQ(f->finished, i);
  }
  for (int i = 6; i <= 15; ++i) q_.ext_oneapi_graph(made);
  q_.wait();
  EXPECT_EQ(f->finished, 15);
  EXPECT_EQ(f->first, 30);
  EXPECT_FALSE(rescued_);
}

TEST_F(graph_segments, of_one_host_task_do_not_wait_for_another) {
  flags* const f = shared_;
  graphs::command_graph graph(q_);
  auto first = graph.add([=](sycl::handler& h) { h.host_task([=] { f->open = 0; }); });
  graph.add(kernel([=] { device_flag(f->open).store(1); }),
            {graphs::property::node::depends_on(first)});
  auto second = graph.add(
      [=](sycl::handler& h) {
        h.host_task([=] {
          while (__atomic_load_n(&f->open, __ATOMIC_ACQUIRE) == 0) std::this_thread::yield();
        });
      },
      {graphs::property::node::depends_on(first)});
  graph.add(kernel([=] { ++f->finished; }), {graphs::property::node::depends_on(second)});
  auto made = graph.finalize();
  for (int i = 0; i < 10; ++i) q_.ext_oneapi_graph(made);
  q_.wait();
  EXPECT_EQ(f->finished, 10);
  EXPECT_FALSE(rescued_);
}

}  // namespace
