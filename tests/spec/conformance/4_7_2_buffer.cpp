// SPDX-License-Identifier: Apache-2.0
// 4.7.2: buffers.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <array>
#include <memory>
#include <mutex>
#include <numeric>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

// Doubles what is in the buffer, on the device.
template <class T, int Dimensions, class Allocator>
void double_all(sycl::queue& q, sycl::buffer<T, Dimensions, Allocator>& data) {
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(data, h, sycl::read_write);
    h.parallel_for(data.get_range(), [=](sycl::id<Dimensions> i) { a[i] = a[i] + a[i]; });
  });
}

TEST(buffer, has_its_member_types) {
  using buffer = sycl::buffer<float, 2>;
  static_assert(std::is_same_v<buffer::value_type, float>);
  static_assert(std::is_same_v<buffer::reference, float&>);
  static_assert(std::is_same_v<buffer::const_reference, const float&>);
  static_assert(std::is_same_v<buffer::allocator_type, sycl::buffer_allocator<float>>);
  static_assert(
      std::is_same_v<sycl::buffer<const int>::allocator_type, sycl::buffer_allocator<int>>);
  static_assert(std::is_same_v<sycl::buffer<int>, sycl::buffer<int, 1>>);
}

TEST(buffer, made_of_a_range_tells_its_size) {
  const sycl::buffer<int, 1> one(sycl::range<1>(5));
  const sycl::buffer<short, 2> two(sycl::range<2>(5, 6));
  const sycl::buffer<double, 3> three(sycl::range<3>(5, 6, 7));
  EXPECT_EQ(one.get_range(), sycl::range<1>(5));
  EXPECT_EQ(two.get_range(), sycl::range<2>(5, 6));
  EXPECT_EQ(three.get_range(), sycl::range<3>(5, 6, 7));
  EXPECT_EQ(three.size(), 210u);
  EXPECT_EQ(three.byte_size(), 210 * sizeof(double));
  EXPECT_EQ(two.byte_size(), 30 * sizeof(short));
  EXPECT_FALSE(one.is_sub_buffer());
}

TEST(buffer, over_host_memory_writes_back_when_it_ends) {
  sycl::queue q;
  std::vector<int> data(100);
  std::iota(data.begin(), data.end(), 0);
  {
    sycl::buffer<int, 1> b(data.data(), data.size());
    double_all(q, b);
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(data[i], 2 * i);
}

TEST(buffer, over_constant_host_memory_does_not_write_back) {
  sycl::queue q;
  const std::vector<int> data(16, 3);
  {
    sycl::buffer<int, 1> b(data.data(), sycl::range<1>(16));
    double_all(q, b);
    EXPECT_EQ(b.get_host_access(sycl::read_only)[7], 6);
  }
  EXPECT_EQ(data, std::vector<int>(16, 3));
}

TEST(buffer, of_a_container_has_its_size_and_writes_back) {
  sycl::queue q;
  std::array<float, 8> data;
  data.fill(1.5f);
  {
    sycl::buffer b(data);
    static_assert(std::is_same_v<decltype(b), sycl::buffer<float, 1>>);
    EXPECT_EQ(b.size(), 8u);
    double_all(q, b);
  }
  for (const float x : data) EXPECT_EQ(x, 3.f);
}

TEST(buffer, of_iterators_copies_and_does_not_write_back) {
  sycl::queue q;
  std::vector<int> data(10, 4);
  {
    sycl::buffer b(data.begin(), data.end());
    static_assert(std::is_same_v<decltype(b), sycl::buffer<int, 1>>);
    data.assign(10, 0);
    double_all(q, b);
    EXPECT_EQ(b.get_host_access()[9], 8);
  }
  EXPECT_EQ(data, std::vector<int>(10, 0));
}

TEST(buffer, of_a_shared_pointer_keeps_the_memory_and_writes_to_it) {
  sycl::queue q;
  std::shared_ptr<int[]> data(new int[12]());
  data[3] = 21;
  {
    sycl::buffer<int, 1> b(data, sycl::range<1>(12));
    double_all(q, b);
  }
  EXPECT_EQ(data[3], 42);
  // What converts to one is as good, and is the buffer's then.
  sycl::buffer<int, 1> one(std::make_unique<int>(3), sycl::range<1>(1));
  sycl::buffer<int, 1> many(std::unique_ptr<int[]>(new int[2]{4, 5}), sycl::range<1>(2),
                            sycl::property_list{});
  double_all(q, one);
  double_all(q, many);
  EXPECT_EQ(one.get_host_access()[0], 6);
  EXPECT_EQ(many.get_host_access()[1], 10);
}

TEST(buffer, with_the_final_data_set_writes_there) {
  sycl::queue q;
  std::vector<int> first(6, 1), second(6, 0);
  {
    sycl::buffer<int, 1> b(first.data(), 6);
    double_all(q, b);
    b.set_final_data(second.begin());
  }
  EXPECT_EQ(second, std::vector<int>(6, 2));
  // A copy is written back or is not; memory that is not the program's own shows it.
  std::shared_ptr<int> target(new int(0));
  {
    sycl::buffer<int, 1> b{sycl::range<1>(1)};
    b.get_host_access()[0] = 5;
    b.set_final_data(target.get());
    b.set_write_back(false);
  }
  EXPECT_EQ(*target, 0);
  {
    sycl::buffer<int, 1> b{sycl::range<1>(1)};
    b.get_host_access()[0] = 6;
    b.set_final_data(target.get());
    b.set_final_data(nullptr);
  }
  EXPECT_EQ(*target, 0);
  {
    sycl::buffer<int, 1> b{sycl::range<1>(1)};
    b.get_host_access()[0] = 7;
    b.set_final_data(std::weak_ptr<int>(target));
  }
  EXPECT_EQ(*target, 7);
  {
    const int source[2] = {1, 2};
    int there[2] = {0, 0};
    {
      sycl::buffer<int, 1> b(source, sycl::range<1>(2));
      double_all(q, b);
      b.set_final_data(there);
    }
    EXPECT_EQ(there[0], 2);
    EXPECT_EQ(there[1], 4);
  }
  std::weak_ptr<int> gone;
  {
    auto short_lived = std::make_shared<int>(7);
    gone = short_lived;
    sycl::buffer<int, 1> b{sycl::range<1>(1)};
    b.set_final_data(gone);
    short_lived.reset();
  }
  EXPECT_TRUE(gone.expired());
}

TEST(buffer, waits_for_the_work_on_it_when_the_last_copy_ends) {
  sycl::queue q;
  std::vector<int> data(1000, 1);
  {
    auto b = std::make_unique<sycl::buffer<int, 1>>(data.data(), 1000);
    const sycl::buffer<int, 1> copy = *b;
    EXPECT_TRUE(copy == *b);
    for (int i = 0; i < 5; ++i) double_all(q, *b);
    b.reset();
  }
  EXPECT_EQ(data, std::vector<int>(1000, 32));
}

TEST(sub_buffer, is_a_part_of_its_parent) {
  sycl::queue q;
  std::vector<int> data(4096, 1);
  {
    sycl::buffer<int, 1> whole(data.data(), data.size());
    sycl::buffer<int, 1> part(whole, sycl::id<1>(1024), sycl::range<1>(1024));
    EXPECT_TRUE(part.is_sub_buffer());
    EXPECT_EQ(part.size(), 1024u);
    double_all(q, part);
    double_all(q, whole);
  }
  for (size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], i >= 1024 && i < 2048 ? 4 : 2) << i;
}

TEST(sub_buffer, of_what_is_no_part_is_refused) {
  sycl::buffer<int, 2> whole(sycl::range<2>(16, 64));
  EXPECT_EQ(
      code_of([&] { sycl::buffer<int, 2> part(whole, sycl::id<2>(8, 0), sycl::range<2>(9, 64)); }),
      sycl::errc::invalid);
  EXPECT_EQ(
      code_of([&] { sycl::buffer<int, 2> part(whole, sycl::id<2>(0, 0), sycl::range<2>(16, 32)); }),
      sycl::errc::invalid);
  sycl::buffer<int, 2> half(whole, sycl::id<2>(8, 0), sycl::range<2>(8, 64));
  EXPECT_EQ(
      code_of([&] { sycl::buffer<int, 2> part(half, sycl::id<2>(0, 0), sycl::range<2>(4, 64)); }),
      sycl::errc::invalid);
}

TEST(buffer, can_be_seen_with_another_type_and_range) {
  sycl::queue q;
  std::vector<std::uint32_t> data(64, 0x00010002u);
  {
    sycl::buffer<std::uint32_t, 1> words(data.data(), 64);
    auto halves = words.reinterpret<std::uint16_t, 2>(sycl::range<2>(2, 64));
    static_assert(std::is_same_v<decltype(halves), sycl::buffer<std::uint16_t, 2>>);
    auto bytes = words.reinterpret<std::uint8_t>();
    EXPECT_EQ(bytes.size(), 256u);
    EXPECT_EQ(halves.byte_size(), words.byte_size());
    double_all(q, halves);
    EXPECT_EQ(code_of([&] { words.reinterpret<std::uint64_t, 1>(sycl::range<1>(33)); }),
              sycl::errc::invalid);
  }
  for (const std::uint32_t x : data) EXPECT_EQ(x, 0x00020004u);
}

TEST(buffer, has_its_properties) {
  std::mutex mutex;
  std::vector<int> data(4, 5);
  sycl::context context;
  sycl::buffer<int, 1> b(
      data.data(), 4,
      {sycl::property::buffer::use_host_ptr(), sycl::property::buffer::use_mutex(mutex),
       sycl::property::buffer::context_bound(context)});
  EXPECT_TRUE(b.has_property<sycl::property::buffer::use_host_ptr>());
  EXPECT_TRUE(b.has_property<sycl::property::buffer::use_mutex>());
  EXPECT_EQ(b.get_property<sycl::property::buffer::use_mutex>().get_mutex_ptr(), &mutex);
  EXPECT_EQ(b.get_property<sycl::property::buffer::context_bound>().get_context(), context);
  static_assert(sycl::is_property_v<sycl::property::buffer::use_host_ptr>);
  static_assert(sycl::is_property_of_v<sycl::property::buffer::use_mutex, sycl::buffer<int, 1>>);
  std::vector<int> other(4, 5);
  const sycl::buffer<int, 1> plain(other.data(), 4);
  EXPECT_FALSE(plain.has_property<sycl::property::buffer::use_mutex>());
  EXPECT_EQ(code_of([&] { (void)plain.get_property<sycl::property::buffer::use_mutex>(); }),
            sycl::errc::invalid);
}

template <class T>
struct counting_allocator {
  using value_type = T;
  counting_allocator() = default;
  explicit counting_allocator(int name) : name(name) {}
  template <class U>
  counting_allocator(const counting_allocator<U>& other) : name(other.name) {}
  T* allocate(std::size_t n) { return std::allocator<T>().allocate(n); }
  void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
  friend bool operator==(const counting_allocator&, const counting_allocator&) { return true; }
  friend bool operator!=(const counting_allocator&, const counting_allocator&) { return false; }
  int name = 0;
};

TEST(buffer, takes_an_allocator) {
  sycl::queue q;
  sycl::buffer<int, 1, counting_allocator<int>> b(sycl::range<1>(32), counting_allocator<int>(7));
  EXPECT_EQ(b.get_allocator().name, 7);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::write_only, sycl::no_init);
    h.fill(a, 3);
  });
  double_all(q, b);
  EXPECT_EQ(b.get_host_access(sycl::read_only)[31], 6);
}

}  // namespace
