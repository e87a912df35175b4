// SPDX-License-Identifier: Apache-2.0
// 4.12: defining kernels, and passing parameters to them. (Type trait is_device_copyable: see 3.13.)
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace {

struct shared_memory {
  sycl::queue q;
  int* data = sycl::malloc_shared<int>(64, q);
  shared_memory() {
    for (int i = 0; i < 64; ++i) data[i] = 0;
  }
  ~shared_memory() { sycl::free(data, q); }
};

// 4.12.1
class named_kernel {
 public:
  named_kernel(int* data, int factor) : data_(data), factor_(factor) {}
  void operator()(sycl::id<1> i) const { data_[i] = factor_ * static_cast<int>(i[0]); }

 private:
  int* data_;
  int factor_;
};

template <class T>
struct kernel_template {
  int* data;
  void operator()() const { data[0] = static_cast<int>(sizeof(T)); }
};

TEST(kernels, are_function_objects_with_names) {
  shared_memory s;
  s.q.parallel_for(sycl::range<1>(64), named_kernel(s.data, 3)).wait();
  EXPECT_EQ(s.data[63], 189);
  s.q.single_task(kernel_template<double>{s.data}).wait();
  EXPECT_EQ(s.data[0], 8);
  s.q.single_task(kernel_template<char>{s.data}).wait();
  EXPECT_EQ(s.data[0], 1);
}

// 4.12.2
template <class T>
class lambda_name;

TEST(kernels, are_lambdas_with_and_without_names) {
  shared_memory s;
  int* const data = s.data;
  s.q.single_task<class local_lambda_name>([=] { data[0] = 1; }).wait();
  s.q.submit([&](sycl::handler& h) { h.single_task<lambda_name<int>>([=] { data[1] = 2; }); })
      .wait();
  s.q.parallel_for<lambda_name<float>>(sycl::range<1>(1), [=](sycl::item<1>) { data[2] = 3; })
      .wait();
  s.q.single_task([=]() { data[3] = 4; }).wait();
  s.q.parallel_for(sycl::range<1>(1), [=](auto) { data[4] = 5; }).wait();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(data[i], i + 1);
}

TEST(kernels, of_one_lambda_differ_by_what_they_capture) {
  shared_memory s;
  int* const data = s.data;
  for (int i = 0; i < 8; ++i) s.q.single_task([=] { data[i] = 10 * i; });
  s.q.wait();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(data[i], 10 * i);
}

// 4.12.4
struct point {
  double x, y;
};
struct with_array {
  char tag;
  int values[5];
  point corner[2];
};
enum class colour : unsigned char { red, green };

TEST(parameters, of_every_device_copyable_kind_arrive_unchanged) {
  shared_memory s;
  int* const data = s.data;
  const with_array a = {'t', {1, 2, 3, 4, 5}, {{1.5, 2.5}, {3.5, 4.5}}};
  const std::array<short, 3> b = {7, 8, 9};
  const std::pair<char, long> c(4, 1L << 40);
  const std::tuple<float, bool> d(0.5f, true);
  const colour e = colour::green;
  const sycl::vec<int, 3> f(1, 2, 3);
  const sycl::marray<float, 3> g(2.f);
  const sycl::range<3> h(4, 5, 6);
  const sycl::id<2> i(7, 8);
  const sycl::half k(1.5f);
  const std::nullptr_t l = nullptr;
  static_assert(sycl::is_device_copyable_v<with_array> &&
                sycl::is_device_copyable_v<std::tuple<float, bool>>);
  s.q.single_task([=] {
       data[0] = a.tag == 't' && a.values[4] == 5 && a.corner[1].y == 4.5;
       data[1] = b[2] == 9;
       data[2] = c.first == 4 && c.second == 1L << 40;
       data[3] = std::get<0>(d) == 0.5f && std::get<1>(d);
       data[4] = e == colour::green;
       data[5] = f.z() == 3 && g[2] == 2.f;
       data[6] = h[2] == 6 && i[0] == 7;
       data[7] = static_cast<float>(k) == 1.5f && l == nullptr;
     })
      .wait();
  for (int n = 0; n < 8; ++n) EXPECT_EQ(data[n], 1) << n;
}

TEST(parameters, are_the_values_at_the_time_of_submission) {
  shared_memory s;
  int* const data = s.data;
  int value = 1;
  const sycl::event first = s.q.single_task([=] { data[0] = value; });
  value = 2;
  s.q.single_task(first, [=] { data[1] = value; }).wait();
  EXPECT_EQ(data[0], 1);
  EXPECT_EQ(data[1], 2);
}

TEST(parameters, may_be_large) {
  struct large {
    int values[200];
  };
  shared_memory s;
  int* const data = s.data;
  large parameter;
  for (int i = 0; i < 200; ++i) parameter.values[i] = i;
  s.q.parallel_for(sycl::range<1>(64),
                   [=](sycl::id<1> i) { data[i] = parameter.values[i[0] + 136]; })
      .wait();
  EXPECT_EQ(data[63], 199);
}

TEST(parameters, may_be_accessors_inside_of_objects) {
  struct pair_of_accessors {
    sycl::accessor<int, 1, sycl::access_mode::read> in;
    sycl::accessor<int, 1, sycl::access_mode::write> out;
    void operator()(sycl::id<1> i) const { out[i] = in[i] + 1; }
  };
  sycl::queue q;
  sycl::buffer<int, 1> a(sycl::range<1>(8)), b(sycl::range<1>(8));
  {
    sycl::host_accessor host(a, sycl::write_only, sycl::no_init);
    for (int i = 0; i < 8; ++i) host[i] = i;
  }
  q.submit([&](sycl::handler& h) {
    h.parallel_for(
        sycl::range<1>(8),
        pair_of_accessors{sycl::accessor<int, 1, sycl::access_mode::read>(a, h),
                          sycl::accessor<int, 1, sycl::access_mode::write>(b, h, sycl::no_init)});
  });
  EXPECT_EQ(b.get_host_access(sycl::read_only)[7], 8);
}

}  // namespace
