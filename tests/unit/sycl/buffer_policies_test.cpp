// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

#include "expect_error.hpp"

namespace {

using ints = std::vector<int>;
namespace policy = sycl::ext::pianola::property::buffer;

template <class Buffer>
void add_one(sycl::queue& q, Buffer& b) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g};
    g.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
  });
}

class buffer_policies : public ::testing::Test {
 protected:
  sycl::queue q;
};

TEST_F(buffer_policies, a_buffer_copies_and_a_view_does_not) {
  ints v{1, 2};
  auto buffer = sycl::make_sync_buffer(v.data(), sycl::range{2});
  auto view = sycl::make_sync_view(v.data(), sycl::range{2});
  EXPECT_NE(&sycl::host_accessor(buffer, sycl::read_only)[0], v.data());
  EXPECT_EQ(&sycl::host_accessor(view, sycl::read_only)[0], v.data());
}

TEST_F(buffer_policies, a_buffer_does_not_write_back) {
  ints v{1, 2};
  {
    auto b = sycl::make_sync_buffer(v.data(), sycl::range{2});
    add_one(q, b);
    auto c = sycl::make_async_buffer(v.data(), sycl::range{2});
    add_one(q, c);
  }
  q.wait();
  EXPECT_EQ(v, (ints{1, 2}));
}

TEST_F(buffer_policies, a_sync_writeback_view_is_up_to_date_at_its_end) {
  ints v{1, 2};
  {
    auto b = sycl::make_sync_writeback_view(v.data(), sycl::range{2});
    add_one(q, b);
  }
  EXPECT_EQ(v, (ints{2, 3}));
}

TEST_F(buffer_policies, an_async_writeback_view_is_up_to_date_when_its_queue_is) {
  ints v{1, 2};
  sycl::queue other;
  std::atomic<bool> go{false};
  {
    auto b = sycl::make_async_writeback_view(v.data(), sycl::range{2}, other);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_write_host_task};
      g.host_task([=, &go] {
        while (!go) std::this_thread::yield();
        a[0] += 10;
      });
    });
  }
  // The end has not waited for the task.
  go = true;
  other.wait();
  EXPECT_EQ(v, (ints{11, 2}));
}

TEST_F(buffer_policies, an_async_buffer_ends_before_its_work) {
  std::atomic<bool> go{false};
  int seen = 0;
  {
    auto b = sycl::make_async_buffer<int>(sycl::range{1});
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only_host_task, sycl::no_init};
      g.host_task([=, &go, &seen] {
        while (!go) std::this_thread::yield();
        a[0] = 5;
        seen = a[0];
      });
    });
  }
  go = true;
  q.wait();
  EXPECT_EQ(seen, 5);
}

TEST_F(buffer_policies, a_sync_buffer_waits_for_its_work) {
  std::atomic<int> done{0};
  {
    auto b = sycl::make_sync_buffer<int>(sycl::range{1});
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::write_only_host_task, sycl::no_init};
      g.host_task([=, &done] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        a[0] = 5;
        done = 1;
      });
    });
  }
  EXPECT_EQ(done, 1);
}

TEST_F(buffer_policies, const_host_data_is_waited_for_too) {
  const ints v{1};
  std::atomic<int> done{0};
  {
    sycl::buffer<int> b(v);
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_only_host_task};
      g.host_task([=, &done] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        done = a[0];
      });
    });
  }
  EXPECT_EQ(done, 1);
}

TEST_F(buffer_policies, a_writing_buffer_may_end_at_once_and_write_back_later) {
  ints v{1, 2};
  {
    sycl::buffer<int> b(
        v.data(), 2,
        {policy::uses_external_storage(false), policy::writes_back(true),
         policy::destructor_blocks(false),
         sycl::detail::write_back_queue_property{sycl::detail::queue_access::state(q).runtime}});
    add_one(q, b);
  }
  q.wait();
  EXPECT_EQ(v, (ints{2, 3}));
}

TEST_F(buffer_policies, contradictions_are_refused) {
  ints v{1, 2};
  const ints c{1, 2};
  const auto refused = [](auto make) { return error_code_of(make) == sycl::errc::invalid; };
  EXPECT_TRUE(refused([&] {
    sycl::buffer<int> b(
        v, {sycl::property::buffer::use_host_ptr(), policy::uses_external_storage(false)});
  }));
  EXPECT_TRUE(refused([&] { sycl::buffer<int> b(c, {policy::writes_back(true)}); }));
  EXPECT_TRUE(refused(
      [&] { sycl::buffer<int> b(v.begin(), v.end(), {policy::uses_external_storage(true)}); }));
  EXPECT_TRUE(refused([&] { sycl::buffer<int> b(4, {policy::uses_external_storage(true)}); }));
  EXPECT_TRUE(refused([&] { sycl::buffer<int> b(4, {policy::page_size<1>(0)}); }));
  EXPECT_TRUE(refused([&] { sycl::buffer<int> b(4, {policy::page_size<2>({1, 1})}); }));
}

TEST_F(buffer_policies, a_page_size_does_not_change_results) {
  ints v(100, 1);
  {
    sycl::buffer<int> b(v, {sycl::property::buffer::AdaptiveCpp_page_size<1>(16)});
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range{40}, sycl::id{30}};
      g.parallel_for(40, [=](sycl::id<1> i) { a[i] = 2; });
    });
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::range{40}, sycl::id{60}};
      g.parallel_for(40, [=](sycl::id<1> i) { a[i] += 5; });
    });
  }
  ints expected(100, 1);
  for (int i = 30; i < 70; ++i) expected[i] = 2;
  for (int i = 60; i < 100; ++i) expected[i] += 5;
  EXPECT_EQ(v, expected);
}

}  // namespace
