// SPDX-License-Identifier: Apache-2.0
// What crosses the links between memories, as the simulated devices count it.
#include <numeric>
#include <pianola/runtime/statistics.hpp>
#include <pianola/test/all_devices.hpp>
#include <vector>

namespace pianola::test {
namespace {

using ints = std::vector<int>;
namespace policy = sycl::ext::pianola::property::buffer;
namespace exp = sycl::ext::oneapi::experimental;

class transfers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (simulated_devices().empty()) GTEST_SKIP() << "no device with a memory of its own";
    control = simulated_control();
    ASSERT_NE(control, nullptr);
    queues = queues_on_all_devices();
    for (const std::size_t d : simulated_devices()) devices.push_back(queues[d]);
    control->reset_counters();
    runtime::reset_statistics();
  }
  [[nodiscard]] unsigned memory(std::size_t k) const { return memory_of(simulated_devices()[k]); }
  // Elements of type int that have crossed a link, and how many copies that took.
  void expect_link(unsigned from, unsigned to, std::uint64_t copies, std::uint64_t elements) {
    const auto l = control->counters(from, to);
    EXPECT_EQ(l.copies, copies) << from << " to " << to;
    EXPECT_EQ(l.bytes, elements * sizeof(int)) << from << " to " << to;
  }
  void expect_total(std::uint64_t copies, std::uint64_t elements) {
    const auto all = all_copies();
    EXPECT_EQ(all.copies, copies);
    EXPECT_EQ(all.bytes, elements * sizeof(int));
    const auto planned = runtime::get_statistics();
    EXPECT_EQ(planned.transfers, copies);
    EXPECT_EQ(planned.transferred_bytes, elements * sizeof(int));
  }
  static void touch(sycl::queue& q, sycl::buffer<int>& b) {
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write};
      g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
    });
  }
  template <class Mode>
  static void use(sycl::queue& q, sycl::buffer<int>& b, std::size_t from, std::size_t count,
                  Mode mode) {
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range<1>(count), sycl::id<1>(from), mode};
      g.single_task([=] { static_cast<void>(a[0]); });
    });
  }

  simulated::control* control = nullptr;
  std::vector<sycl::queue> queues, devices;
};

TEST_F(transfers, are_made_once_on_the_way_there_and_once_on_the_way_back) {
  ints v(100, 0);
  {
    sycl::buffer<int> b(v.data(), 100);
    for (int i = 0; i < 10; ++i) touch(devices[0], b);
  }
  EXPECT_EQ(v[99], 10);
  expect_link(0, memory(0), 1, 100);
  expect_link(memory(0), 0, 1, 100);
  expect_total(2, 200);
}

TEST_F(transfers, are_not_made_for_what_is_overwritten_or_only_read) {
  ints v(100, 1);
  {
    sycl::buffer<int> b(v.data(), 100);
    devices[0].submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
      g.parallel_for(100, [=](sycl::id<1> i) { a[i] = 2; });
    });
    b.set_write_back(false);
  }
  expect_total(0, 0);
  {
    sycl::buffer<int> b(v.data(), 100);
    use(devices[0], b, 0, 100, sycl::read_only);
    use(devices[0], b, 50, 10, sycl::read_only);
  }
  expect_link(0, memory(0), 1, 100);
  expect_total(1, 100);
}

TEST_F(transfers, go_directly_from_device_to_device) {
  if (devices.size() < 2) GTEST_SKIP();
  sycl::buffer<int> b(100);
  touch(devices[0], b);
  control->reset_counters();
  touch(devices[1], b);
  touch(devices[0], b);
  devices[0].wait();
  expect_link(memory(0), memory(1), 1, 100);
  expect_link(memory(1), memory(0), 1, 100);
  EXPECT_EQ(all_copies().copies, 2U);
}

TEST_F(transfers, are_of_the_pages_that_an_accessor_touches) {
  ints v(100, 0);
  {
    sycl::buffer<int> b(v.data(), sycl::range<1>(100), {policy::page_size<1>(10)});
    use(devices[0], b, 15, 10, sycl::read_only);  // pages 1 and 2
    devices[0].wait();
    expect_link(0, memory(0), 1, 20);
    use(devices[0], b, 25, 10, sycl::read_only);  // pages 2 and 3
    devices[0].wait();
    expect_link(0, memory(0), 2, 30);
    // Page 4. It must be written: pianolacc sees whether it is.
    devices[0].submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range<1>(1), sycl::id<1>(40), sycl::read_write};
      g.single_task([=] { ++a[40]; });
    });
    devices[0].wait();
    expect_link(0, memory(0), 3, 40);
  }
  // Only what the device may have changed comes back.
  expect_link(memory(0), 0, 1, 10);
  EXPECT_EQ(runtime::get_statistics().transferred_pages, 5U);
}

TEST_F(transfers, of_halos_leave_the_rest_where_it_is) {
  if (devices.size() < 2) GTEST_SKIP();
  constexpr std::size_t half = 40, page = 10;
  sycl::buffer<int> b(sycl::range<1>(2 * half), {policy::page_size<1>(page)});
  for (std::size_t d = 0; d < 2; ++d)
    devices[d].submit([&](sycl::handler& g) {
      sycl::accessor a{
          b, g, sycl::range<1>(half), sycl::id<1>(d * half), sycl::write_only, sycl::no_init};
      g.parallel_for(half, [=](sycl::id<1> i) { a[i] = 1; });
    });
  sycl::buffer<int> sums(2);
  for (std::size_t d = 0; d < 2; ++d)
    devices[d].submit([&](sycl::handler& g) {
      const std::size_t from = d == 0 ? 0 : half - 1;
      sycl::accessor a{b, g, sycl::range<1>(half + 1), sycl::id<1>(from), sycl::read_only};
      sycl::accessor s{sums, g, sycl::range<1>(1), sycl::id<1>(d), sycl::write_only, sycl::no_init};
      g.single_task([=] {
        int n = 0;
        for (std::size_t i = 0; i < half + 1; ++i) n += a[i];
        s[0] = n;
      });
    });
  for (auto& q : devices) q.wait();
  expect_link(memory(0), memory(1), 1, page);
  expect_link(memory(1), memory(0), 1, page);
  EXPECT_EQ(all_copies().copies, 2U);
  const sycl::host_accessor h{sums, sycl::read_only};
  EXPECT_EQ(h[0], 41);
  EXPECT_EQ(h[1], 41);
}

TEST_F(transfers, are_not_repeated_for_host_accessors_that_read) {
  ints v(50, 0);
  sycl::buffer<int> b(v.data(), 50);
  touch(devices[0], b);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 1);
  touch(devices[0], b);
  expect_link(0, memory(0), 1, 50);
  expect_link(memory(0), 0, 1, 50);
  {
    sycl::host_accessor h{b, sycl::write_only, sycl::no_init};
  }
  touch(devices[0], b);
  devices[0].wait();
  expect_link(0, memory(0), 2, 100);
  expect_link(memory(0), 0, 1, 50);
}

TEST_F(transfers, happen_in_the_first_replay_only_when_the_data_stays) {
  ints v(64, 0);
  {
    sycl::buffer<int> b(v.data(), 64);
    exp::command_graph graph{devices[0]};
    graph.begin_recording(devices[0]);
    touch(devices[0], b);
    touch(devices[0], b);
    graph.end_recording(devices[0]);
    const auto exec = graph.finalize();
    for (int i = 0; i < 100; ++i) devices[0].ext_oneapi_graph(exec);
    devices[0].wait();
    expect_link(0, memory(0), 1, 64);
    expect_link(memory(0), 0, 0, 0);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[3], 200);
    for (int i = 0; i < 100; ++i) devices[0].ext_oneapi_graph(exec);
  }
  EXPECT_EQ(v[63], 400);
  expect_link(0, memory(0), 1, 64);
  expect_link(memory(0), 0, 2, 64 * 2);
}

TEST_F(transfers, over_a_slow_link_are_waited_for) {
  control->delay_link(0, memory(0), 30'000'000);
  control->delay_link(memory(0), 0, 30'000'000);
  ints v(8, 1), w(8, 1);
  {
    sycl::buffer<int> b(v.data(), 8), c(w.data(), 8);
    touch(devices[0], b);
    touch(devices.back(), c);
    touch(devices[0], c);
  }
  control->delay_link(0, memory(0), 0);
  control->delay_link(memory(0), 0, 0);
  EXPECT_EQ(v[7], 2);
  EXPECT_EQ(w[7], 3);
}

TEST_F(transfers, leave_no_memory_behind_on_the_devices) {
  const auto before = control->allocated(0);
  for (int i = 0; i < 20; ++i) {
    sycl::buffer<int> b(1000);
    touch(devices[0], b);
    sycl::buffer<int> never_used(1000);
  }
  devices[0].wait();
  // Storage of buffers that have ended goes with the next use of the runtime.
  sycl::buffer<int> b(1);
  touch(devices[0], b);
  devices[0].wait();
  EXPECT_LE(control->allocated(0), before + 64);
}

}  // namespace
}  // namespace pianola::test
