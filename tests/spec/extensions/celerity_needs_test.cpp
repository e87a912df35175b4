// SPDX-License-Identifier: Apache-2.0
// What a distributed runtime on top of SYCL relies on, as Celerity does.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace info = sycl::info;

bool is_complete(const sycl::event& e) {
  return e.get_info<info::event::command_execution_status>() ==
         info::event_command_status::complete;
}

std::vector<sycl::device> alike() { return sycl::device().get_platform().get_devices(); }

TEST(a_distributed_runtime, has_several_in_order_queues_per_device_that_profile_and_report_errors) {
  std::atomic<int> errors{0};
  const auto handler = [&](const sycl::exception_list& list) {
    errors += static_cast<int>(list.size());
  };
  const sycl::context all(alike(), handler);
  struct lane {
    sycl::queue queue;
    std::uint64_t* data;
  };
  std::vector<lane> lanes;
  for (const sycl::device& d : all.get_devices())
    for (int i = 0; i < 4; ++i) {
      sycl::queue q(all, d, handler,
                    {sycl::property::queue::in_order(), sycl::property::queue::enable_profiling()});
      lanes.push_back({q, sycl::malloc_shared<std::uint64_t>(64, q)});
    }
  std::vector<std::vector<sycl::event>> events(lanes.size());
  for (int step = 0; step < 5; ++step)
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      std::uint64_t* const data = lanes[l].data;
      events[l].push_back(
          step == 0 ? lanes[l].queue.fill(data, std::uint64_t{1}, 64)
                    : lanes[l].queue.parallel_for(64, [=](sycl::id<1> i) { data[i] *= 3; }));
    }
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    lanes[l].queue.wait_and_throw();
    EXPECT_EQ(lanes[l].data[63], 81U);
    std::uint64_t last_end = 0;
    for (const sycl::event& e : events[l]) {
      const auto submit = e.get_profiling_info<info::event_profiling::command_submit>();
      const auto start = e.get_profiling_info<info::event_profiling::command_start>();
      const auto end = e.get_profiling_info<info::event_profiling::command_end>();
      EXPECT_LE(submit, start);
      EXPECT_LE(start, end);
      EXPECT_LE(last_end, end) << "in order";
      last_end = end;
    }
    sycl::free(lanes[l].data, lanes[l].queue);
  }
  EXPECT_EQ(errors, 0);
  lanes[0].queue.submit(
      [&](sycl::handler& h) { h.host_task([] { throw std::runtime_error("a task failed"); }); });
  lanes[0].queue.wait_and_throw();
  EXPECT_EQ(errors, 1);
}

TEST(a_distributed_runtime, allocates_aligned_and_frees_from_other_threads) {
  sycl::queue q{sycl::property::queue::in_order()};
  std::vector<void*> all;
  for (const std::size_t alignment : {8U, 64U, 256U}) {
    void* const on_device = sycl::aligned_alloc_device(alignment, 1000, q);
    void* const on_host = sycl::aligned_alloc_host(alignment, 1000, q);
    ASSERT_NE(on_device, nullptr);
    ASSERT_NE(on_host, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(on_device) % alignment, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(on_host) % alignment, 0U);
    std::memset(on_host, 5, 1000);
    q.memcpy(on_device, on_host, 1000);
    q.memset(on_host, 0, 1000);
    q.memcpy(on_host, on_device, 1000).wait();
    EXPECT_EQ(static_cast<char*>(on_host)[999], 5);
    all.push_back(on_device);
    all.push_back(on_host);
  }
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < all.size(); i += 3) sycl::free(all[i], q.get_context());
    });
  for (std::thread& t : threads) t.join();
  for (void* p : all)
    EXPECT_EQ(sycl::get_pointer_type(p, q.get_context()), sycl::usm::alloc::unknown);
}

TEST(a_distributed_runtime, copies_boxes_between_devices_of_one_context) {
  const std::vector<sycl::device> devices = alike();
  const sycl::context all(devices);
  sycl::queue first(all, devices.front(), sycl::property::queue::in_order());
  sycl::queue last(all, devices.back(), sycl::property::queue::in_order());
  int* const from = sycl::malloc_device<int>(64 * 64, first);
  int* const to = sycl::malloc_device<int>(16 * 16, last);
  first.parallel_for(sycl::range<2>(64, 64), [=](sycl::item<2> i) {
    from[i.get_linear_id()] = static_cast<int>(i.get_linear_id());
  });
  first.ext_oneapi_copy2d(static_cast<const int*>(from) + 8 * 64 + 4, 64, to, 16, 16, 16).wait();
  std::vector<int> result(16 * 16);
  last.copy(to, result.data(), result.size()).wait();
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 16; ++x)
      ASSERT_EQ(result[static_cast<std::size_t>(y * 16 + x)], (y + 8) * 64 + x + 4);
  sycl::free(from, all);
  sycl::free(to, all);
}

TEST(a_distributed_runtime, polls_events_from_another_thread_and_none_waits) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const data = sycl::malloc_shared<int>(1, q);
  *data = 0;
  std::vector<sycl::event> events;
  for (int i = 0; i < 50; ++i) events.push_back(q.single_task([=] { *data += 1; }));
  int seen = 0;
  std::thread poller([&] {
    for (const sycl::event& e : events) {
      while (!is_complete(e)) std::this_thread::yield();
      ++seen;
    }
  });
  poller.join();
  EXPECT_EQ(seen, 50);
  EXPECT_EQ(*data, 50);
  sycl::free(data, q);
}

struct nothing {};

/// As the accessors of such a runtime: the address is not known when a kernel is captured, and is put in when the kernel is
/// copied for a launch. Members without state take no room.
template <class T, class Allocator = nothing>
class late_accessor {
 public:
  explicit late_accessor(std::size_t slot) : slot_(slot) {}
  late_accessor(const late_accessor& other)
      : data_(other.data_), slot_(other.slot_), allocator_(other.allocator_) {
    // Only the host's copies are bound: for devices the table is out of reach, and not even compiled.
    if (!sycl::ext::pianola::is_device_code() && table() != nullptr && data_ == nullptr)
      data_ = static_cast<T*>(table()[slot_]);
  }
  T& operator[](std::size_t i) const { return data_[i]; }

  static void**& table() {
    static thread_local void** bound = nullptr;
    return bound;
  }

 private:
  T* data_ = nullptr;
  std::size_t slot_;
#if defined(__has_cpp_attribute) && __cplusplus >= 202002L
#if __has_cpp_attribute(no_unique_address)
  [[no_unique_address]]
#endif
#endif
  Allocator allocator_;
};

template <class Accessor>
struct kernel {
#if __cplusplus >= 202002L
  [[no_unique_address]]
#endif
  nothing tag;
  Accessor data;
  void operator()(sycl::item<1> i) const { data[i[0]] = static_cast<int>(i[0]) * 2; }
};

}  // namespace

// The runtime vouches for its accessors.
template <class T, class A>
struct sycl::is_device_copyable<late_accessor<T, A>> : std::true_type {};
template <class A>
struct sycl::is_device_copyable<kernel<A>> : std::true_type {};

namespace {

TEST(a_distributed_runtime, binds_its_accessors_when_a_kernel_is_copied_for_a_launch) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(32, q);
  const late_accessor<int> captured(1);
  const auto unbound = [captured](sycl::item<1> i) { captured[i[0]] = 2 * static_cast<int>(i[0]); };
  void* table[] = {nullptr, data};
  late_accessor<int>::table() = table;
  const auto bound = unbound;
  late_accessor<int>::table() = nullptr;
  q.parallel_for(32, bound).wait();
  EXPECT_EQ(data[31], 62);
  std::fill(data, data + 32, 0);
  late_accessor<int>::table() = table;
  const kernel<late_accessor<int>> object{{}, captured};
  late_accessor<int>::table() = nullptr;
  q.parallel_for(sycl::range<1>(32), object).wait();
  EXPECT_EQ(data[31], 62);
  sycl::free(data, q);
}

TEST(a_distributed_runtime, reduces_into_usm) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const results = sycl::malloc_device<int>(2, q);
  int host[2] = {10, 10};
  q.copy(host, results, 2);
  q.submit([&](sycl::handler& h) {
    auto sum = sycl::reduction(results, sycl::plus<int>());
    auto most = sycl::reduction(results + 1, sycl::maximum<int>(),
                                sycl::property::reduction::initialize_to_identity());
    h.parallel_for(sycl::range<1>(1000), sum, most, [=](sycl::item<1> i, auto& s, auto& m) {
      s += 1;
      m.combine(static_cast<int>(i[0]));
    });
  });
  q.copy(results, host, 2).wait();
  EXPECT_EQ(host[0], 1010);
  EXPECT_EQ(host[1], 999);
  q.submit([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(256, 32), sycl::reduction(results, sycl::plus<int>()),
                   [=](sycl::nd_item<1> i, auto& s) { s += static_cast<int>(i.get_group(0)); });
  });
  q.copy(results, host, 1).wait();
  EXPECT_EQ(host[0], 1010 + 32 * 28);
  sycl::free(results, q);
}

TEST(a_distributed_runtime, uses_group_algorithms) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(64, q);
  q.parallel_for(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> i) {
     const auto g = i.get_group();
     const int me = static_cast<int>(i.get_global_id(0));
     const int sum = sycl::reduce_over_group(g, me, sycl::plus<>());
     const int first = sycl::group_broadcast(g, me);
     const bool all = sycl::all_of_group(g, me >= first);
     sycl::group_barrier(g);
     data[me] = all ? sum + sycl::exclusive_scan_over_group(g, 1, sycl::plus<>()) : -1;
   }).wait();
  for (int i = 0; i < 64; ++i) {
    const int first = i / 16 * 16;
    EXPECT_EQ(data[i], 16 * first + 120 + i % 16);
  }
  sycl::free(data, q);
}

TEST(a_distributed_runtime, orders_host_tasks_and_kernels_by_events_across_queues) {
  sycl::queue a{sycl::property::queue::in_order()}, b{sycl::property::queue::in_order()};
  int* const data = sycl::malloc_shared<int>(1, a);
  *data = 1;
  const sycl::event one = a.single_task([=] { *data += 1; });
  const sycl::event two = b.submit([&](sycl::handler& h) {
    h.depends_on(one);
    h.host_task([=] { *data *= 10; });
  });
  const sycl::event barrier = a.ext_oneapi_submit_barrier({two});
  a.single_task([=] { *data += 5; }).wait();
  EXPECT_TRUE(is_complete(barrier));
  EXPECT_EQ(*data, 25);
  sycl::free(data, a);
}

// A box goes as many copies of contiguous pieces; the first and the last event stand for all of them.
TEST(a_distributed_runtime, copies_boxes_piece_by_piece_between_first_and_last_event) {
  sycl::queue q(sycl::device(), sycl::async_handler(),
                {sycl::property::queue::enable_profiling{}, sycl::property::queue::in_order{}});
  constexpr std::size_t rows = 40, pitch = 64, width = 24;
  auto* const there = static_cast<std::byte*>(sycl::aligned_alloc_device(
      alignof(int), rows * pitch * sizeof(int), q.get_device(), q.get_context()));
  std::vector<int> from(rows * pitch), to(rows * pitch, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int>(i);
  sycl::event first, last;
  EXPECT_TRUE(is_complete(last)) << "nothing had to be copied";
  for (std::size_t y = 0; y < rows; ++y) {
    last = q.memcpy(there + y * pitch * sizeof(int), from.data() + y * pitch, width * sizeof(int));
    if (y == 0) first = last;
  }
  for (std::size_t y = 0; y < rows; ++y)
    last = q.memcpy(to.data() + y * pitch, there + y * pitch * sizeof(int), width * sizeof(int));
  while (!is_complete(last)) std::this_thread::yield();
  EXPECT_TRUE(is_complete(first));
  EXPECT_LE(first.get_profiling_info<info::event_profiling::command_start>(),
            last.get_profiling_info<info::event_profiling::command_end>());
  for (std::size_t i = 0; i < to.size(); ++i)
    ASSERT_EQ(to[i], i % pitch < width ? static_cast<int>(i) : -1) << i;
  sycl::free(there, q.get_context());
}

TEST(a_distributed_runtime, reduces_over_single_elements_of_every_dimension) {
  sycl::queue q{sycl::property::queue::in_order()};
  float* const result = sycl::malloc_device<float>(1, q);
  const auto check = [&](float expected) {
    float value = -1;
    q.copy(result, &value, 1).wait();
    EXPECT_EQ(value, expected);
  };
  const auto reduce = [&](auto range) {
    const float before = 7;
    q.copy(&before, result, 1).wait();
    q.submit([&](sycl::handler& h) {
      h.parallel_for(
          range,
          sycl::reduction(result, sycl::plus<float>(),
                          sycl::property_list{sycl::property::reduction::initialize_to_identity()}),
          [=](auto, auto& sum) { sum += 2; });
    });
    check(2.0F * static_cast<float>(range.size()));
    q.submit([&](sycl::handler& h) {
      h.parallel_for(range, sycl::reduction(result, sycl::plus<float>()), [=](auto, auto&) {});
    });
    check(2.0F * static_cast<float>(range.size()));
  };
  reduce(sycl::range<1>(1));
  reduce(sycl::range<2>(1, 1));
  reduce(sycl::range<3>(1, 1, 1));
  reduce(sycl::range<3>(2, 3, 5));
  sycl::free(result, q);
}

// One thread per device submits, another looks at events and for errors.
TEST(a_distributed_runtime, submits_and_looks_for_errors_from_threads_of_its_own) {
  std::atomic<int> errors{0};
  const auto handler = [&](const sycl::exception_list& list) {
    errors += static_cast<int>(list.size());
  };
  const std::vector<sycl::device> devices = alike();
  std::vector<std::thread> submitters;
  std::vector<int> sums(devices.size(), 0);
  for (std::size_t d = 0; d < devices.size(); ++d)
    submitters.emplace_back([&, d] {
      // Lanes are made when they are first used.
      std::vector<sycl::queue> lanes;
      for (int i = 0; i < 4; ++i)
        lanes.emplace_back(devices[d], sycl::async_handler(handler),
                           sycl::property_list{sycl::property::queue::in_order{}});
      int* const data = sycl::malloc_device<int>(4, lanes[0].get_device(), lanes[0].get_context());
      std::vector<int> out(4, 0);
      lanes[0].memset(data, 0, 4 * sizeof(int)).wait();
      std::vector<sycl::event> under_way;
      for (int round = 0; round < 25; ++round)
        for (int i = 0; i < 4; ++i)
          under_way.push_back(lanes[static_cast<std::size_t>(i)].submit([&](sycl::handler& h) {
            h.parallel_for(sycl::range<3>(1, 2, 2), [=](sycl::item<3> item) {
              sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device> cell(
                  data[item.get_linear_id()]);
              cell.fetch_add(1);
            });
          }));
      while (!under_way.empty()) {
        for (sycl::queue& q : lanes) q.throw_asynchronous();
        under_way.erase(std::remove_if(under_way.begin(), under_way.end(), is_complete),
                        under_way.end());
      }
      lanes[1].copy(data, out.data(), 4).wait();
      for (const int n : out) sums[d] += n;
      sycl::free(data, lanes[0].get_context());
    });
  for (std::thread& t : submitters) t.join();
  EXPECT_EQ(sums, std::vector<int>(devices.size(), 400));
  EXPECT_EQ(errors, 0);
}

TEST(a_distributed_runtime, chooses_and_describes_devices) {
  const sycl::device chosen{sycl::default_selector_v};
  std::size_t found = 0;
  for (const sycl::platform& p : sycl::platform::get_platforms()) {
    EXPECT_FALSE(p.get_info<info::platform::name>().empty());
    EXPECT_FALSE(p.get_info<info::platform::vendor>().empty());
    for (const sycl::device& d : p.get_devices(info::device_type::all)) {
      EXPECT_EQ(d.get_platform(), p);
      EXPECT_FALSE(d.get_info<info::device::name>().empty());
      EXPECT_FALSE(d.get_info<info::device::vendor>().empty());
      EXPECT_GT(d.get_info<info::device::global_mem_size>(), 0U);
      EXPECT_GT(d.get_info<info::device::max_compute_units>(), 0U);
      EXPECT_GT(d.get_info<info::device::max_work_group_size>(), 0U);
      (void)d.get_backend();
      if (d == chosen) ++found;
    }
  }
  EXPECT_EQ(found, 1U);
}

// Its accessors know the id of the work-item and its offset; the range that is launched starts at zero.
TEST(a_distributed_runtime, launches_parts_of_a_range_under_names_of_the_programs) {
  sycl::queue q{sycl::property::queue::in_order()};
  int* const data = sycl::malloc_shared<int>(6 * 8, q);
  std::fill(data, data + 48, 0);
  for (std::size_t part = 0; part < 3; ++part) {
    const sycl::id<2> offset(2 * part, 0);
    q.submit([&](sycl::handler& h) {
      h.parallel_for<class part_of_a_range>(sycl::range<2>(2, 8), [=](sycl::item<2> i) {
        const sycl::id<2> id = offset + i.get_id();
        data[id[0] * 8 + id[1]] += static_cast<int>(id[0] * 10 + id[1]);
      });
    });
  }
  q.submit([&](sycl::handler& h) {
    sycl::local_accessor<int, 1> tile(sycl::range<1>(16), h);
    h.parallel_for(sycl::nd_range<1>(48, 16), [=](sycl::nd_item<1> i) {
      tile[i.get_local_id(0)] = data[i.get_global_id(0)];
      sycl::group_barrier(i.get_group());
      data[i.get_global_id(0)] = tile[15 - i.get_local_id(0)];
    });
  });
  q.wait();
  for (std::size_t i = 0; i < 48; ++i) {
    const std::size_t from = i / 16 * 16 + 15 - i % 16;
    EXPECT_EQ(data[i], static_cast<int>(from / 8 * 10 + from % 8));
  }
  sycl::free(data, q);
}

}  // namespace
