// SPDX-License-Identifier: Apache-2.0
// What a buffer's end leaves in host memory (SYCL 2020, 4.7.2.3).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <sycl/sycl.hpp>
#include <thread>
#include <vector>

#include "expect_error.hpp"

namespace {

using ints = std::vector<int>;

template <int D>
void add_one(sycl::queue& q, sycl::buffer<int, D>& b) {
  q.submit([&](sycl::handler& g) {
    sycl::accessor a{b, g};
    g.parallel_for(b.get_range(), [=](sycl::id<D> i) { a[i] += 1; });
  });
}

class buffer_write_back : public ::testing::Test {
 protected:
  sycl::queue q;
};

TEST_F(buffer_write_back, goes_to_host_data_given_by_pointer) {
  ints v{1, 2, 3};
  {
    sycl::buffer<int> b(v.data(), 3);
    add_one(q, b);
  }
  EXPECT_EQ(v, (ints{2, 3, 4}));
}

TEST_F(buffer_write_back, goes_to_a_container) {
  ints v{1, 2, 3};
  {
    sycl::buffer b(v);
    add_one(q, b);
  }
  EXPECT_EQ(v, (ints{2, 3, 4}));
}

TEST_F(buffer_write_back, happens_when_the_last_copy_ends) {
  ints v{1, 2, 3};
  std::unique_ptr<sycl::buffer<int>> copy;
  {
    sycl::buffer<int> b(v);
    sycl::buffer<int> part(b, 1, 2);
    add_one(q, part);
    copy = std::make_unique<sycl::buffer<int>>(part);
  }
  copy.reset();
  EXPECT_EQ(v, (ints{1, 3, 4}));
}

TEST_F(buffer_write_back, never_goes_to_const_data) {
  ints v{1, 2, 3};
  {
    sycl::buffer<int> b(static_cast<const int*>(v.data()), 3);
    add_one(q, b);
  }
  {
    sycl::buffer<int> b(static_cast<const ints&>(v));
    add_one(q, b);
  }
  EXPECT_EQ(v, (ints{1, 2, 3}));
}

TEST_F(buffer_write_back, never_goes_to_iterators) {
  ints v{1, 2, 3};
  {
    sycl::buffer<int> b(v.begin(), v.end());
    add_one(q, b);
  }
  EXPECT_EQ(v, (ints{1, 2, 3}));
}

TEST_F(buffer_write_back, goes_to_shared_host_data) {
  const auto one = std::make_shared<int>(1);
  const std::shared_ptr<int[]> several(new int[2]{1, 2});
  {
    sycl::buffer<int> a(one, 1);
    sycl::buffer<int> b(several, 2);
    add_one(q, a);
    add_one(q, b);
  }
  EXPECT_EQ(*one, 2);
  EXPECT_EQ(several[1], 3);
}

TEST_F(buffer_write_back, keeps_shared_host_data_alive_and_then_lets_it_go) {
  std::weak_ptr<int> weak;
  {
    auto shared = std::make_shared<int>(1);
    weak = shared;
    sycl::buffer<int> b(shared, 1);
    shared.reset();
    EXPECT_FALSE(weak.expired());
    add_one(q, b);
    EXPECT_EQ(sycl::host_accessor(b, sycl::read_only)[0], 2);
  }
  EXPECT_TRUE(weak.expired());
}

TEST_F(buffer_write_back, goes_to_final_data_of_every_kind) {
  ints start{1, 2, 3}, pointer(3), iterator(3), inserted;
  const std::shared_ptr<int[]> shared(new int[3]());
  const auto run = [&](auto destination) {
    sycl::buffer<int> b(start.begin(), start.end());
    b.set_final_data(destination);
    add_one(q, b);
  };
  run(pointer.data());
  run(iterator.begin());
  run(std::back_inserter(inserted));
  run(shared);
  EXPECT_EQ(pointer, (ints{2, 3, 4}));
  EXPECT_EQ(iterator, (ints{2, 3, 4}));
  EXPECT_EQ(inserted, (ints{2, 3, 4}));
  EXPECT_EQ(ints(shared.get(), shared.get() + 3), (ints{2, 3, 4}));
}

TEST_F(buffer_write_back, to_memory_that_is_gone_does_not_happen) {
  const ints start{1};
  int memory = 5;  // not really gone, so that a write is seen
  bool gone = false;
  std::shared_ptr<int> shared(&memory, [&](int*) { gone = true; });
  {
    sycl::buffer<int> b(start);
    b.set_final_data(std::weak_ptr<int>(shared));
    add_one(q, b);
    shared.reset();
    EXPECT_TRUE(gone);
  }
  EXPECT_EQ(memory, 5);
}

TEST_F(buffer_write_back, to_final_data_replaces_the_one_to_host_data) {
  ints v{1, 2}, w(2);
  {
    sycl::buffer<int> b(static_cast<const int*>(v.data()), 2);
    b.set_final_data(w.data());
    add_one(q, b);
  }
  EXPECT_EQ(v, (ints{1, 2}));
  EXPECT_EQ(w, (ints{2, 3}));
}

TEST_F(buffer_write_back, of_a_sub_buffer_delivers_its_part) {
  ints start{1, 2, 3, 4}, w(2);
  {
    sycl::buffer<int> b(start.begin(), start.end());
    sycl::buffer<int> part(b, 1, 2);
    part.set_final_data(w.data());
    add_one(q, b);
  }
  EXPECT_EQ(w, (ints{3, 4}));
}

TEST_F(buffer_write_back, can_be_switched_off) {
  ints w{7}, none{7};
  const ints start{1};
  {
    sycl::buffer<int> b(start);
    b.set_final_data(w.data());
    b.set_write_back(false);
    add_one(q, b);
    sycl::buffer<int> c(start);
    c.set_final_data(none.data());
    c.set_final_data(nullptr);
    add_one(q, c);
    sycl::buffer<int> d(start);
    d.set_final_data(none.data());
    d.set_final_data();
    add_one(q, d);
  }
  EXPECT_EQ(w, ints{7});
  EXPECT_EQ(none, ints{7});
}

TEST_F(buffer_write_back, needs_a_write_accessor) {
  ints w{7};
  const ints start{1};
  {
    sycl::buffer<int> b(start);
    b.set_final_data(w.data());
    q.submit([&](sycl::handler& g) {
      sycl::accessor a{b, g, sycl::read_only};
      g.single_task([=] { static_cast<void>(a[0]); });
    });
  }
  EXPECT_EQ(w, ints{7});
}

TEST_F(buffer_write_back, holds_the_users_mutex) {
  ints v{1, 2};
  std::mutex m;
  std::unique_lock<std::mutex> lock(m, std::defer_lock);
  auto b = std::make_unique<sycl::buffer<int>>(v, sycl::property::buffer::use_mutex(m));
  // Unlocked while the buffer lives: the data is the program's.
  ASSERT_TRUE(lock.try_lock());
  v[0] = 100;
  add_one(q, *b);
  q.wait();
  std::thread end([&] { b.reset(); });
  lock.unlock();
  end.join();
  EXPECT_EQ(v, (ints{2, 3}));
}

// What the accessor covers and no more, though the buffer has storage of its own.
TEST_F(buffer_write_back, is_made_meanwhile_where_update_host_asks_for_it) {
  auto v = std::shared_ptr<int[]>(new int[12]());
  std::mutex m;
  {
    sycl::buffer<int, 2> b(v, {3, 4}, {sycl::property::buffer::use_mutex(m)});
    add_one(q, b);
    q.submit([&](sycl::handler& h) {
       const sycl::accessor<int, 2, sycl::access_mode::read> a(b, h, {2, 2}, {1, 1});
       h.update_host(a);
     }).wait();
    {
      const std::lock_guard lock(m);
      EXPECT_EQ(ints(v.get(), v.get() + 12), (ints{0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0}));
    }
    auto flat = b.reinterpret<int, 1>(sycl::range<1>(12));
    q.submit([&](sycl::handler& h) {
       const sycl::accessor<int, 1, sycl::access_mode::read_write> a(flat, h, 2, 2);
       h.update_host(a);
     }).wait();
    const std::lock_guard lock(m);
    EXPECT_EQ(ints(v.get(), v.get() + 12), (ints{0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0}));
  }
  EXPECT_EQ(ints(v.get(), v.get() + 12), ints(12, 1));
}

TEST_F(buffer_write_back, of_a_static_range_of_three_dimensions) {
  ints v(24);
  {
    sycl::buffer<int, 3> b(v.data(), {2, 3, 4});
    add_one(q, b);
    add_one(q, b);
  }
  EXPECT_EQ(v, ints(24, 2));
}

/// Counts what it has handed out.
template <class T>
struct counting_allocator {
  using value_type = T;
  std::shared_ptr<int> live = std::make_shared<int>(0);
  counting_allocator() = default;
  template <class U>
  counting_allocator(const counting_allocator<U>& other) : live(other.live) {}
  T* allocate(std::size_t n) {
    ++*live;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    --*live;
    std::allocator<T>().deallocate(p, n);
  }
};

TEST_F(buffer_write_back, uses_the_users_allocator_for_storage) {
  counting_allocator<int> allocator;
  const ints start{1, 2, 3};
  {
    sycl::buffer<int, 1, counting_allocator<int>> b(start.begin(), start.end(), allocator);
    EXPECT_EQ(*allocator.live, 1);
    EXPECT_EQ(b.get_allocator().live, allocator.live);
    q.submit([&](sycl::handler& g) {
      sycl::accessor<int> a{b, g};
      g.parallel_for(3, [=](sycl::id<1> i) { a[i] *= 2; });
    });
    EXPECT_EQ((sycl::host_accessor<int, 1, sycl::access_mode::read>(b)[2]), 6);
  }
  EXPECT_EQ(*allocator.live, 0);
}

TEST_F(buffer_write_back, leaves_the_users_allocator_alone_where_there_is_host_data) {
  using counted = sycl::buffer<int, 1, counting_allocator<int>>;
  const counting_allocator<int> allocator;
  const ints fixed{1, 2, 3};
  ints plain{1, 2, 3};
  const std::shared_ptr<int[]> shared(new int[3]{1, 2, 3});
  std::mutex mutex;
  const auto twice = [&](counted b) {
    EXPECT_EQ(*allocator.live, 0);
    q.submit([&](sycl::handler& g) {
      sycl::accessor<int> a{b, g};
      g.parallel_for(3, [=](sycl::id<1> i) { a[i] *= 2; });
    });
    EXPECT_EQ((sycl::host_accessor<int, 1, sycl::access_mode::read>(b)[2]), 6);
    EXPECT_EQ(*allocator.live, 0);
  };
  twice(counted(fixed.data(), 3, allocator));
  twice(counted(plain.data(), 3, allocator));
  twice(counted(shared, 3, allocator, sycl::property::buffer::use_mutex(mutex)));
  EXPECT_EQ(fixed, (ints{1, 2, 3}));
  EXPECT_EQ(plain, (ints{2, 4, 6}));
  EXPECT_EQ(shared[2], 6);
}

TEST_F(buffer_write_back, const_host_data_as_storage_can_only_be_read) {
  const ints start{1, 2};
  sycl::buffer<int> b(start.data(), 2, sycl::property::buffer::use_host_ptr{});
  EXPECT_EQ(&sycl::host_accessor(b, sycl::read_only)[0], start.data());
  EXPECT_EQ(error_code_of([&] { sycl::host_accessor w{b}; }), sycl::errc::invalid);
}

TEST_F(buffer_write_back, misaligned_host_data_is_copied) {
  std::vector<char> bytes(2 * sizeof(int) + 1);
  int* const misaligned = reinterpret_cast<int*>(bytes.data() + 1);
  const int two[] = {1, 2};
  std::memcpy(bytes.data() + 1, two, sizeof(two));
  {
    sycl::buffer<int> b(misaligned, 2);
    add_one(q, b);
  }
  int result[2];
  std::memcpy(result, bytes.data() + 1, sizeof(result));
  EXPECT_EQ(result[0], 2);
  EXPECT_EQ(result[1], 3);
  EXPECT_EQ(error_code_of([&] {
              sycl::buffer<int> b(misaligned, 2, sycl::property::buffer::use_host_ptr{});
            }),
            sycl::errc::invalid);
}

}  // namespace
