// SPDX-License-Identifier: Apache-2.0
// 4.7.6: get_pointer of accessors, and get_multi_ptr, which took its place.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <type_traits>
#include <vector>

namespace {

using sycl::access_mode;
using sycl::target;
template <class Accessor>
using pointer_of = decltype(std::declval<const Accessor&>().get_pointer());

static_assert(std::is_same_v<pointer_of<sycl::accessor<int>>, sycl::global_ptr<int>>);
static_assert(std::is_same_v<pointer_of<sycl::accessor<int, 2, access_mode::read>>,
                             sycl::global_ptr<const int>>);
static_assert(std::is_same_v<
              pointer_of<sycl::accessor<int, 1, access_mode::write, target::host_task>>, int*>);
static_assert(std::is_same_v<pointer_of<sycl::local_accessor<int>>, sycl::local_ptr<int>>);
static_assert(
    std::is_same_v<pointer_of<sycl::local_accessor<const float, 2>>, sycl::local_ptr<const float>>);
static_assert(std::is_same_v<pointer_of<sycl::host_accessor<int>>, int*>);
static_assert(
    std::is_same_v<pointer_of<sycl::host_accessor<int, 1, access_mode::read>>, const int*>);

void add_to(int* p, int what) { *p += what; }
int sum_of(const int* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}

// As programs of SYCL 1.2.1 use it.
TEST(get_pointer, of_accessors_is_used_as_a_plain_pointer) {
  std::vector<int> data = {1, 2, 3, 4};
  std::vector<int> out(6, 0);
  {
    sycl::buffer<int, 1> from(data), to(out);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(from, h, sycl::read_only);
      sycl::accessor b(to, h, sycl::read_write);
      sycl::local_accessor<int> local(2, h);
      h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        const int* const plain = a.get_pointer();
        sycl::global_ptr<int> p = b.get_pointer();
        int* const raw = b.get_pointer().get();
        p[0] = sum_of(a.get_pointer(), 4);
        p[1] = plain[3];
        add_to(b.get_pointer() + 2, 5);
        raw[3] = *a.get_pointer();
        sycl::local_ptr<int> l = local.get_pointer();
        l[0] = 7;
        add_to(local.get_pointer(), 1);
        raw[4] = local[0];
        raw[5] = b.get_multi_ptr<sycl::access::decorated::no>().get() == p.get() &&
                 local.get_multi_ptr<sycl::access::decorated::yes>().get() == l.get();
      });
    });
  }
  EXPECT_EQ(out, (std::vector<int>{10, 4, 5, 1, 8, 1}));
}

TEST(get_pointer, in_host_tasks_and_of_host_accessors_is_a_plain_pointer) {
  std::vector<int> data(4, 1);
  {
    sycl::buffer<int, 1> b(data);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write_host_task);
      h.host_task([=] { add_to(a.get_pointer(), 4); });
    });
    const sycl::host_accessor a(b);
    add_to(a.get_pointer() + 1, 9);
  }
  EXPECT_EQ(data, (std::vector<int>{5, 10, 1, 1}));
}

// Of a ranged accessor it is the start of the buffer.
TEST(get_pointer, of_a_ranged_accessor_is_the_start_of_the_buffer) {
  std::vector<int> data = {1, 2, 3, 4};
  {
    sycl::buffer<int, 1> b(data);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::range<1>(2), sycl::id<1>(2));
      h.single_task([=] {
        a[0] = 30;
        a.get_pointer()[3] = 40;
        a.get_multi_ptr<sycl::access::decorated::no>()[2] += 1;
      });
    });
  }
  EXPECT_EQ(data, (std::vector<int>{1, 2, 31, 40}));
}

// Before SYCL 2020 it was a pointer to T, whatever the mode.
TEST(get_pointer, of_a_read_accessor_converts_to_what_older_programs_expect) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  std::vector<int> data = {1, 2, 3, 4}, out(2);
  {
    sycl::buffer<int, 1> from(data), to(out);
    sycl::queue().submit([&](sycl::handler& h) {
      auto a = from.get_access<access_mode::read>(h);
      auto b = to.get_access<access_mode::write>(h);
      h.single_task([=] {
        const sycl::global_ptr<int> p = a.get_pointer();
        int* const raw = a.get_pointer();
        b[0] = p[3];
        b[1] = raw[1];
      });
    });
  }
  EXPECT_EQ(out, (std::vector<int>{4, 2}));
#pragma GCC diagnostic pop
  {
    sycl::buffer<int, 1> from(data), to(out);
    sycl::queue().submit([&](sycl::handler& h) {
      auto a = from.get_access<access_mode::read>(h);
      auto b = to.get_access<access_mode::write>(h);
      h.single_task([=] {
        const sycl::global_ptr<int> p(a);
        b[0] = p[2];
      });
    });
  }
  EXPECT_EQ(out[0], 3);
  // Not where SYCL 2020 has a name for it.
  using of_2020 = sycl::global_ptr<const int, sycl::access::decorated::no>;
  static_assert(!std::is_convertible_v<of_2020, sycl::raw_global_ptr<int>> &&
                !std::is_convertible_v<of_2020, int*>);
}

}  // namespace
