// SPDX-License-Identifier: Apache-2.0
// Buffers on whatever devices there are.
#include <gmock/gmock.h>
#include <atomic>
#include <numeric>
#include <pianola/test/all_devices.hpp>
#include <thread>
#include <vector>

namespace pianola::test {
namespace {

using ints = std::vector<int>;
namespace policy = sycl::ext::pianola::property::buffer;

ints counted(std::size_t n) {
  ints v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

template <int D>
void add(sycl::queue& q, sycl::buffer<int, D>& b, int n) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g, sycl::read_write};
    g.parallel_for(b.get_range(), [=](sycl::id<D> i) { a[i] += n; });
  });
}

class buffers : public ::testing::Test {
 protected:
  std::vector<sycl::queue> queues = queues_on_all_devices();
  // A host task that keeps whatever follows on the buffer waiting.
  static void hold(sycl::queue& q, sycl::buffer<int>& b, std::atomic<bool>& open) {
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write};
      g.host_task([&open, a] {
        while (!open) std::this_thread::yield();
        a[0] += 1;
      });
    });
  }
};

TEST_F(buffers, travel_from_device_to_device) {
  ints v = counted(1000);
  {
    sycl::buffer<int> b(v.data(), 1000);
    for (int round = 0; round < 3; ++round)
      for (auto& q : queues) add(q, b, 1);
  }
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(v[static_cast<std::size_t>(i)], i + 3 * static_cast<int>(queues.size()));
}

TEST_F(buffers, in_place_and_copied_host_data_come_back_from_every_device) {
  for (auto& q : queues) {
    ints a = counted(10), b = counted(10), c(10, 0);
    {
      sycl::buffer<int> in_place(a.data(), 10, {policy::uses_external_storage(true)});
      sycl::buffer<int> copied(b.data(), 10, {policy::uses_external_storage(false)});
      const ints constant = counted(10);
      sycl::buffer<int> from_const(constant.data(), sycl::range<1>(10));
      from_const.set_final_data(c.data());
      add(q, in_place, 1);
      add(q, copied, 2);
      add(q, from_const, 3);
    }
    EXPECT_EQ(a[9], 10);
    EXPECT_EQ(b[9], 11);
    EXPECT_EQ(c[9], 12);
  }
}

TEST_F(buffers, over_memory_that_another_has_are_warned_of) {
  ints v = counted(30);
  const auto said_of = [&](std::size_t begin, std::size_t count) {
    ::testing::internal::CaptureStderr();
    sycl::buffer<int> b(v.data() + begin, count, {policy::uses_external_storage(true)});
    return ::testing::internal::GetCapturedStderr();
  };
  const char* const warning = "two buffers that live at once are made over the same memory";
  {
    sycl::buffer<int> owner(v.data() + 10, 10, {policy::uses_external_storage(true)});
    EXPECT_EQ(said_of(0, 10), "");
    EXPECT_EQ(said_of(20, 10), "");
    EXPECT_THAT(said_of(0, 11), ::testing::HasSubstr(warning));
    EXPECT_THAT(said_of(19, 1), ::testing::HasSubstr(warning));
    const sycl::buffer<int> copied(v.data() + 10, 10, {policy::uses_external_storage(false)});
    EXPECT_EQ(said_of(0, 10), "");
  }
  EXPECT_EQ(said_of(10, 10), "");
}

TEST_F(buffers, of_two_and_three_dimensions_keep_their_layout) {
  for (auto& q : queues) {
    ints flat(6, 0), deep(24, 0);
    {
      sycl::buffer<int, 2> b(flat.data(), {2, 3});
      sycl::buffer<int, 3> c(deep.data(), {2, 3, 4});
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
        g.parallel_for(b.get_range(), [=](sycl::item<2> i) {
          a[i.get_id()] = static_cast<int>(i.get_linear_id());
        });
      });
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{c, g, sycl::write_only, sycl::no_init};
        g.parallel_for(c.get_range(), [=](sycl::item<3> i) {
          a[i.get_id()] = static_cast<int>(i.get_linear_id());
        });
      });
    }
    EXPECT_EQ(flat, counted(6));
    EXPECT_EQ(deep, counted(24));
  }
}

TEST_F(buffers, end_only_after_the_work_on_their_host_data) {
  for (auto& q : queues) {
    ints v(10, 0);
    std::atomic<bool> open{false}, ended{false};
    std::thread opener;
    {
      sycl::buffer<int> b(v.data(), 10);
      hold(q, b, open);
      add(q, b, 5);
      opener = std::thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_FALSE(ended);
        open = true;
      });
    }
    ended = true;
    opener.join();
    EXPECT_EQ(v[0], 6);
  }
}

TEST_F(buffers, without_host_data_end_at_once_and_keep_their_storage_for_the_work) {
  for (auto& q : queues) {
    std::atomic<bool> open{false};
    std::atomic<int> seen{0};
    {
      sycl::buffer<int> b(100);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::write_only, sycl::no_init};
        g.parallel_for(100, [=](sycl::id<1> i) { a[i] = 7; });
      });
      hold(q, b, open);
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_only};
        g.host_task([a, &seen] { seen = a[0] + a[99]; });
      });
    }
    EXPECT_EQ(seen, 0);
    open = true;
    q.wait();
    EXPECT_EQ(seen, 15);
  }
}

TEST_F(buffers, are_seen_by_host_accessors_before_between_and_after_commands) {
  sycl::buffer<int> b(16);
  {
    sycl::host_accessor h{b, sycl::write_only, sycl::no_init};
    for (std::size_t i = 0; i < 16; ++i) h[i] = static_cast<int>(i);
  }
  int added = 0;
  for (auto& q : queues) {
    add(q, b, 1);
    ++added;
    {
      const sycl::host_accessor h{b, sycl::read_only};
      for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(h[i], static_cast<int>(i) + added);
    }
    sycl::host_accessor h{b};
    for (std::size_t i = 0; i < 16; ++i) h[i] += 10;
    added += 10;
  }
  const sycl::host_accessor h{b, sycl::read_only};
  EXPECT_EQ(h[15], 15 + added);
}

TEST_F(buffers, make_later_commands_wait_for_a_host_accessor) {
  for (auto& q : queues) {
    sycl::buffer<int> b(4);
    sycl::event e;
    {
      sycl::host_accessor h{b, sycl::write_only, sycl::no_init};
      e = q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g};
        g.single_task([=] { a[1] = a[0] + 1; });
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      EXPECT_NE(e.get_info<sycl::info::event::command_execution_status>(),
                sycl::info::event_command_status::complete);
      h[0] = 41;
    }
    EXPECT_EQ(sycl::host_accessor(b)[1], 42);
  }
}

TEST_F(buffers, lose_nothing_when_two_devices_fill_parts_of_one_page_without_its_data) {
  for (std::size_t i = 0; i < queues.size(); ++i) {
    auto &first = queues[i], &second = queues[(i + 1) % queues.size()];
    ints v(12, -1);
    {
      sycl::buffer<int> b(v.data(), sycl::range<1>(12), {policy::page_size<1>(4)});
      const auto fill = [&](sycl::queue& q, std::size_t from, std::size_t count, int value) {
        q.submit([&](sycl::handler& g) {
          sycl::accessor a{
              b, g, sycl::range<1>(count), sycl::id<1>(from), sycl::write_only, sycl::no_init};
          g.parallel_for(count, [=](sycl::id<1> k) { a[k] = value; });
        });
      };
      fill(first, 1, 4, 1);
      fill(second, 5, 2, 2);
    }
    EXPECT_EQ(v, (ints{-1, 1, 1, 1, 1, 2, 2, -1, -1, -1, -1, -1}));
  }
}

TEST_F(buffers, gather_their_pages_from_where_they_were_written) {
  constexpr std::size_t page = 8;
  const std::size_t n = page * queues.size();
  ints v(n, 0);
  sycl::buffer<int> result(n);
  {
    sycl::buffer<int> b(v.data(), sycl::range<1>(n), {policy::page_size<1>(page)});
    for (std::size_t i = 0; i < queues.size(); ++i)
      queues[i].submit([&](sycl::handler& g) {
        sycl::accessor a{
            b, g, sycl::range<1>(page), sycl::id<1>(i * page), sycl::write_only, sycl::no_init};
        g.parallel_for(page, [=](sycl::id<1> k) { a[k] = static_cast<int>(i + 1); });
      });
    for (auto& q : queues) {
      q.submit([&](sycl::handler& g) {
        sycl::accessor a{b, g, sycl::read_only};
        sycl::accessor r{result, g, sycl::write_only, sycl::no_init};
        g.parallel_for(n, [=](sycl::id<1> k) { r[k] = a[k] * 10; });
      });
      const sycl::host_accessor h{result, sycl::read_only};
      for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(h[k], static_cast<int>(k / page + 1) * 10);
    }
  }
  for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(v[k], static_cast<int>(k / page + 1));
}

TEST_F(buffers, are_used_by_several_threads_at_once) {
  constexpr int threads = 4, rounds = 200;
  ints shared(64, 0);
  std::vector<ints> own(threads, ints(64, 0));
  {
    sycl::buffer<int> s(shared.data(), 64);
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        auto q = queues[static_cast<std::size_t>(t) % queues.size()];
        sycl::buffer<int> mine(own[static_cast<std::size_t>(t)].data(), 64);
        for (int i = 0; i < rounds; ++i) {
          add(q, mine, 1);
          add(q, s, 1);
          if (i % 50 == 0) {
            sycl::host_accessor h{mine};
            h[0] += 1;
          }
        }
      });
    for (auto& t : running) t.join();
  }
  EXPECT_EQ(shared[63], threads * rounds);
  for (const auto& v : own) {
    EXPECT_EQ(v[63], rounds);
    EXPECT_EQ(v[0], rounds + 4);
  }
}

TEST_F(buffers, lie_in_allocations_that_pointer_queries_know) {
  for (auto& q : queues) {
    const auto context = q.get_context();
    int* d = sycl::malloc_device<int>(10, q);
    int* h = sycl::malloc_host<int>(10, q);
    int* s = sycl::malloc_shared<int>(10, q);
    int plain = 0;
    EXPECT_EQ(sycl::get_pointer_type(d + 9, context), sycl::usm::alloc::device);
    EXPECT_EQ(sycl::get_pointer_type(h, context), sycl::usm::alloc::host);
    EXPECT_EQ(sycl::get_pointer_type(s, context), sycl::usm::alloc::shared);
    EXPECT_EQ(sycl::get_pointer_type(&plain, context), sycl::usm::alloc::unknown);
    EXPECT_EQ(sycl::get_pointer_device(d, context), q.get_device());
    // What USM commands do there.
    const ints source = counted(10);
    ints result(10, 0);
    auto e = q.memcpy(d, source.data(), 40);
    e = q.parallel_for(10, e, [=](sycl::id<1> i) { d[i] *= 2; });
    e = q.memcpy(s, d, 40, e);
    q.memcpy(result.data(), s, 40, e).wait();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(result[static_cast<std::size_t>(i)], 2 * i);
    sycl::free(d, q);
    EXPECT_EQ(sycl::get_pointer_type(d, context), sycl::usm::alloc::unknown);
    sycl::free(h, q);
    sycl::free(s, q);
  }
}

// The command group goes on, and asks for nothing but what it got.
TEST_F(buffers, are_not_asked_for_by_accessors_that_were_refused) {
  sycl::queue q;
  sycl::buffer<int> x{4}, y{4};
  sycl::host_accessor(y, sycl::write_only, sycl::no_init)[1] = 6;
  q.submit([&](sycl::handler& h) {
    EXPECT_THROW(sycl::accessor(x, h, sycl::range<1>(4), sycl::id<1>(1)), sycl::exception);
    EXPECT_THROW(sycl::accessor(x, h, sycl::read_only, sycl::no_init), sycl::exception);
    sycl::accessor a(y, h);
    h.single_task([=] { a[1] += 1; });
  });
  EXPECT_EQ(sycl::host_accessor(y)[1], 7);
}

}  // namespace
}  // namespace pianola::test
