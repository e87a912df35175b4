// SPDX-License-Identifier: Apache-2.0
// 3.10: memory objects: what a program gives them, they hold on to. 4.7.1: allocators for the host. 4.7.4: sharing memory of
// the host. 4.7.5: synchronizing it with a mutex of the program.
// also tests: 4.7.1 4.7.4 4.7.5
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

namespace {

template <class B>
void add_one(B& b) {
  sycl::queue().submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(b.get_range(), [=](sycl::id<1> i) { a[i] += 1; });
  });
}

int allocated = 0, freed = 0;
template <class T>
struct counting {
  using value_type = T;
  counting() = default;
  template <class U>
  counting(const counting<U>&) {}
  T* allocate(std::size_t n) {
    ++allocated;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, std::size_t n) {
    ++freed;
    std::allocator<T>().deallocate(p, n);
  }
  friend bool operator==(counting, counting) { return true; }
  friend bool operator!=(counting, counting) { return false; }
};

TEST(host_allocation, is_by_the_programs_allocator) {
  allocated = freed = 0;
  using by_default = sycl::buffer<int, 1>::allocator_type;
  static_assert(std::is_same_v<by_default, sycl::buffer_allocator<int>>);
  static_assert(std::is_same_v<std::allocator_traits<by_default>::value_type, int>);
  static_assert(sizeof(std::allocator_traits<sycl::image_allocator>::value_type) == 1);
  {
    sycl::buffer<int, 1, counting<int>> b(sycl::range<1>(64), counting<int>());
    static_assert(std::is_same_v<decltype(b.get_allocator()), counting<int>>);
    {
      sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
      a[63] = 4;
    }
    add_one(b);
    EXPECT_EQ(b.get_host_access()[63], 5);
  }
  EXPECT_EQ(allocated, freed);
  // 4.7.2.1: memory that the program brings is used instead.
  allocated = 0;
  int plain[4] = {1, 1, 1, 1};
  const int constant[4] = {1, 1, 1, 1};
  const auto shared = std::make_shared<std::vector<int>>(4, 1);
  using counted = sycl::buffer<int, 1, counting<int>>;
  {
    counted of_plain(plain, sycl::range<1>(4), counting<int>());
    counted of_constant(constant, sycl::range<1>(4), counting<int>());
    counted of_shared(std::shared_ptr<int>(shared, shared->data()), sycl::range<1>(4),
                      counting<int>());
    for (counted* const b : {&of_plain, &of_constant, &of_shared}) {
      add_one(*b);
      EXPECT_EQ(b->get_host_access()[3], 2);
    }
  }
  EXPECT_EQ(plain[3], 2);
  EXPECT_EQ(constant[3], 1);
  EXPECT_EQ(shared->back(), 2);
  EXPECT_EQ(allocated, 0);
}

TEST(memory_objects, live_as_long_as_commands_need_them) {
  std::vector<int> data(32, 1);
  auto b = std::make_unique<sycl::buffer<int, 1>>(data);
  for (int i = 0; i < 10; ++i) add_one(*b);
  b.reset();  // waits, and writes back
  EXPECT_EQ(data, std::vector<int>(32, 11));
}

TEST(shared_host_memory, is_written_back_unless_it_is_constant_or_not_wanted) {
  int plain[4] = {1, 1, 1, 1};
  const std::vector<int> constant(4, 1);
  int unwanted[4] = {1, 1, 1, 1};
  {
    sycl::buffer<int, 1> a(plain, sycl::range<1>(4)), b(constant.data(), sycl::range<1>(4)),
        c(sycl::range<1>(4));
    c.set_final_data(unwanted);
    c.set_write_back(false);
    c.get_host_access(sycl::write_only, sycl::no_init)[3] = 1;
    add_one(a);
    add_one(b);
    add_one(c);
    EXPECT_EQ(b.get_host_access()[3], 2);
    EXPECT_EQ(c.get_host_access()[3], 2);
  }
  EXPECT_EQ(plain[3], 2);
  EXPECT_EQ(constant[3], 1);
  EXPECT_EQ(unwanted[3], 1);
}

TEST(shared_host_memory, is_shared_in_ownership_through_a_shared_pointer) {
  const auto owner = std::make_shared<std::vector<int>>(4, 1);
  const std::shared_ptr<int> first(owner, owner->data());
  std::weak_ptr<std::vector<int>> observer = owner;
  {
    sycl::buffer<int, 1> b(first, sycl::range<1>(4));
    EXPECT_GE(observer.use_count(), 3);
    add_one(b);
  }
  EXPECT_EQ(observer.use_count(), 2);
  EXPECT_EQ(owner->back(), 2);
}

TEST(shared_host_memory, goes_to_another_place_at_the_end_if_asked) {
  std::vector<int> from(4, 1), to(4, 0);
  {
    sycl::buffer<int, 1> b(from.data(), sycl::range<1>(4));
    b.set_final_data(to.begin());
    add_one(b);
  }
  EXPECT_EQ(to, std::vector<int>(4, 2));
}

// With the property, the buffer's data on the host is the program's again while it holds the mutex.
TEST(synchronization_primitives, guard_memory_that_the_program_uses_meanwhile) {
  std::mutex guard;
  std::vector<int> data(16, 1);
  {
    sycl::buffer<int, 1> b(data.data(), sycl::range<1>(16),
                           {sycl::property::buffer::use_mutex(guard)});
    EXPECT_TRUE(b.has_property<sycl::property::buffer::use_mutex>());
    EXPECT_EQ(b.get_property<sycl::property::buffer::use_mutex>().get_mutex_ptr(), &guard);
    add_one(b);
    sycl::queue().wait();
    EXPECT_TRUE(guard.try_lock()) << "nobody holds it when no command runs";
    guard.unlock();
  }
  EXPECT_EQ(data[15], 2);
}

}  // namespace
