// SPDX-License-Identifier: Apache-2.0
// Interoperation with a backend's driver, as far as devices without one go: where data is, and what is refused.
#include <gtest/gtest.h>

#include <cstdint>
#include <pianola/test/all_devices.hpp>
#include <string>
#include <vector>

#include "error_code.hpp"

namespace pianola::test {
namespace {

class interop : public ::testing::Test {
 protected:
  std::vector<sycl::queue> queues = queues_on_all_devices();

  // f(handle, accessor) in a host task after a kernel on the same device has added one.
  template <class F>
  static void after_a_kernel(sycl::queue& q, sycl::buffer<int>& b, F f) {
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write};
      g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
    });
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write};
      g.host_task([=](sycl::interop_handle ih) { f(ih, a); });
    });
    q.wait_and_throw();
  }
};

TEST_F(interop, gives_host_tasks_the_data_in_the_memory_of_the_device) {
  for (auto& q : queues) {
    std::vector<int> v(10, 4);
    void* in_kernel = nullptr;
    void* in_task = nullptr;
    {
      sycl::buffer<int> b(v.data(), 10);
      const auto seen = [&](const sycl::interop_handle& ih, const auto& a) {
        if (ih.get_backend() == sycl::backend::openmp)
          in_task = ih.get_native_mem<sycl::backend::openmp>(a);
        else
          in_task = ih.get_native_mem<sycl::backend::simulated>(a);
        static_cast<int*>(in_task)[3] *= 2;
      };
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_write};
        g.single_task([=, &in_kernel] { in_kernel = &a[0]; });
      });
      after_a_kernel(q, b, seen);
    }
    EXPECT_EQ(in_task, in_kernel);
    EXPECT_EQ(v[3], 10);
    EXPECT_EQ(v[4], 5);
  }
}

TEST_F(interop, leaves_accessors_to_host_tasks_on_the_host) {
  for (auto& q : queues) {
    std::vector<int> v(10, 4);
    int* seen = nullptr;
    {
      sycl::buffer<int> b(v.data(), 10);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_write_host_task};
        g.host_task([=, &seen](sycl::interop_handle) {
          seen = &a[0];
          a[1] = 9;
        });
      });
    }
    EXPECT_EQ(seen, v.data());
    EXPECT_EQ(v[1], 9);
  }
}

TEST_F(interop, in_recorded_graphs_finds_the_data_in_the_memory_of_the_device) {
  namespace exp = sycl::ext::oneapi::experimental;
  for (auto& q : queues) {
    std::vector<int> v(10, 0);
    {
      sycl::buffer<int> b(v.data(), 10);
      exp::command_graph graph(q);
      graph.begin_recording(q);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_write};
        g.parallel_for(10, [=](sycl::id<1> i) { a[i] += 1; });
      });
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_write};
        g.host_task([=](sycl::interop_handle ih) {
          void* p = ih.get_backend() == sycl::backend::openmp
                        ? ih.get_native_mem<sycl::backend::openmp>(a)
                        : ih.get_native_mem<sycl::backend::simulated>(a);
          static_cast<int*>(p)[0] += 10;
        });
      });
      graph.end_recording(q);
      auto body = graph.finalize();
      for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(body);
    }
    EXPECT_EQ(v[0], 33);
    EXPECT_EQ(v[9], 3);
  }
}

TEST_F(interop, runs_native_commands_in_their_order_on_devices_without_a_driver) {
  for (auto& q : queues) {
    std::vector<int> v(10, 1);
    {
      sycl::buffer<int> b(v.data(), 10);
      const auto multiply = [&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_write};
        g.ext_codeplay_enqueue_native_command([=](sycl::interop_handle ih) {
          EXPECT_FALSE(ih.ext_codeplay_has_graph());
          for (std::size_t i = 0; i < 10; ++i) a[i] *= 3;
        });
      };
      for (int i = 0; i < 4; ++i) {
        q.submit(multiply);
        q.submit([&](sycl::handler& g) {
          sycl::accessor a{b, g, sycl::read_write};
          g.parallel_for(10, [=](sycl::id<1> i) { a[i] += 1; });
        });
      }
    }
    EXPECT_EQ(v, std::vector<int>(10, 121));
  }
}

TEST_F(interop, says_that_processors_and_simulated_devices_have_no_handles) {
  for (auto& q : queues) {
    EXPECT_EQ(code_of([&] { (void)sycl::get_native<sycl::backend::cuda>(q); }),
              sycl::errc::backend_mismatch);
    EXPECT_EQ(code_of([&] { (void)sycl::get_native<sycl::backend::hip>(q.get_device()); }),
              sycl::errc::backend_mismatch);
    EXPECT_EQ(code_of([&] { (void)sycl::get_native<sycl::backend::cuda>(q.get_context()); }),
              sycl::errc::backend_mismatch);
    EXPECT_EQ(code_of([&] { (void)sycl::make_device<sycl::backend::cuda>(0); }),
              sycl::errc::invalid);
    sycl::errc in_task = sycl::errc::success;
    sycl::buffer<int> b(1);
    after_a_kernel(q, b, [&](const sycl::interop_handle& ih, const auto& a) {
      in_task = code_of([&] { (void)ih.get_native_queue<sycl::backend::cuda>(); });
      EXPECT_EQ(code_of([&] { (void)ih.get_native_mem<sycl::backend::hip>(a); }),
                sycl::errc::backend_mismatch);
    });
    EXPECT_EQ(in_task, sycl::errc::backend_mismatch);
  }
}

}  // namespace
}  // namespace pianola::test
