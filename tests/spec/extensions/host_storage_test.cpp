// SPDX-License-Identifier: Apache-2.0
// Host memory of buffers whose pages the device's driver locks.
// compiled alone: others have its short names, too.
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <pianola/runtime/host_storage.hpp>
#include <pianola/test/driver_control.hpp>
#include <sycl/sycl.hpp>

namespace {

using pianola::runtime::host_storage_mode;

struct host_storage : testing::Test {
  host_storage() { pianola::runtime::set_host_storage_mode(host_storage_mode::registered); }
  ~host_storage() override { pianola::runtime::set_host_storage_mode(host_storage_mode::pageable); }
  // How much the test double of the vendor's driver has locked; nothing where there is another device.
  static std::size_t locked() {
    const char* driver = std::getenv(on("cuda") ? "PIANOLA_CUDA_DRIVER" : "PIANOLA_HIP_RUNTIME");
    if (!locks_pages() || driver == nullptr) return 0;
    void* library = dlopen(driver, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return 0;
    const auto* control = pianola::test::driver_control_of(library);
    return control == nullptr ? 0 : control->live("locked memory");
  }
  static bool on(const char* backend) {
    const char* devices = std::getenv("PIANOLA_DEVICES");
    return devices != nullptr && std::string(devices) == backend;
  }
  static bool locks_pages() { return on("cuda") || on("hip"); }
  sycl::queue q;
  void add_one(sycl::buffer<int, 1>& b) {
    q.submit([&](sycl::handler& h) {
      const sycl::accessor x(b, h, sycl::read_write);
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { x[i] += 1; });
    });
  }
};

constexpr std::size_t large = std::size_t{1} << 16;

TEST_F(host_storage, of_the_programs_own_is_locked_until_the_buffer_ends) {
  std::vector<int> values(large, 1);
  {
    sycl::buffer<int, 1> b(values.data(), values.size(), {sycl::property::buffer::use_host_ptr()});
    add_one(b);
    EXPECT_EQ(locked(), locks_pages() ? 1U : 0U);
    {
      const sycl::host_accessor x(b);
      EXPECT_EQ(x[7], 2);
      x[7] = 10;
    }
    add_one(b);
  }
  EXPECT_EQ(locked(), 0U);
  EXPECT_EQ(values[7], 11);
  EXPECT_EQ(values[large - 1], 3);
}

TEST_F(host_storage, of_the_buffers_own_is_locked_when_the_host_looks_at_it) {
  {
    sycl::buffer<int, 1> b{sycl::range<1>(large)};
    q.submit([&](sycl::handler& h) { h.fill(sycl::accessor(b, h, sycl::write_only), 3); });
    add_one(b);
    const sycl::host_accessor x(b, sycl::read_only);
    EXPECT_EQ(x[large - 1], 4);
    EXPECT_EQ(locked(), locks_pages() ? 1U : 0U);
  }
  q.wait();
  EXPECT_EQ(locked(), 0U);
}

TEST_F(host_storage, of_small_buffers_is_left_alone) {
  std::vector<int> values(100, 1);
  sycl::buffer<int, 1> b(values.data(), values.size());
  add_one(b);
  EXPECT_EQ(locked(), 0U);
}

TEST_F(host_storage, that_graphs_go_on_with_is_let_go_when_the_programs_buffer_ends) {
  namespace graphs = sycl::ext::oneapi::experimental;
  std::vector<int> values(large, 1);
  sycl::queue recorded;
  graphs::command_graph graph(recorded);
  {
    sycl::buffer<int, 1> b(values.data(), values.size(), {sycl::property::buffer::use_host_ptr()});
    graph.begin_recording(recorded);
    recorded.submit([&](sycl::handler& h) {
      const sycl::accessor x(b, h, sycl::read_write);
      h.parallel_for(b.get_range(), [=](sycl::id<1> i) { x[i] += 1; });
    });
    graph.end_recording();
    {
      auto executable = graph.finalize();
      recorded.ext_oneapi_graph(executable).wait();
      EXPECT_EQ(locked(), locks_pages() ? 1U : 0U);
    }
  }
  EXPECT_EQ(values[0], 2);
}

}  // namespace
