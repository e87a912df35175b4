// SPDX-License-Identifier: Apache-2.0
// 4.9.4: the handler's functions.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "errors.hpp"

namespace {

// 4.9.4.1
TEST(handler, waits_for_the_events_that_it_depends_on) {
  sycl::queue q;
  int* const data = sycl::malloc_shared<int>(3, q);
  data[0] = data[1] = data[2] = 0;
  const sycl::event first = q.single_task([=] { data[0] = 1; });
  const sycl::event second = q.submit([&](sycl::handler& h) {
    h.depends_on(first);
    h.single_task([=] { data[1] = data[0] + 1; });
  });
  q.submit([&](sycl::handler& h) {
     h.depends_on(std::vector<sycl::event>{first, second});
     h.single_task([=] { data[2] = data[0] + data[1]; });
   }).wait();
  EXPECT_EQ(data[2], 3);
  sycl::free(data, q);
}

// 4.9.4.2: the forms of kernels.
template <int Dimensions>
void check_kernels_over(sycl::range<Dimensions> global, sycl::range<Dimensions> local) {
  sycl::queue q;
  const size_t n = global.size();
  int* const seen = sycl::malloc_shared<int>(n, q);
  std::fill(seen, seen + n, 0);
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global, [=](sycl::item<Dimensions> it) { seen[it.get_linear_id()] += 1; });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global, [=](sycl::id<Dimensions> i) {
       size_t linear = 0;
       for (int d = 0; d < Dimensions; ++d) linear = linear * global[d] + i[d];
       seen[linear] += 10;
     });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for(sycl::nd_range<Dimensions>(global, local),
                    [=](sycl::nd_item<Dimensions> it) { seen[it.get_global_linear_id()] += 100; });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global, [=](auto it) { seen[it.get_linear_id()] += 1000; });
   }).wait();
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(seen[i], 1111) << i;
  sycl::free(seen, q);
}

TEST(handler, runs_kernels_over_ranges_of_all_dimensions) {
  check_kernels_over(sycl::range<1>(24), sycl::range<1>(8));
  check_kernels_over(sycl::range<2>(6, 8), sycl::range<2>(3, 4));
  check_kernels_over(sycl::range<3>(4, 6, 2), sycl::range<3>(2, 3, 1));
}

/// A kernel's own type of index: whatever an item<D> converts to will do (4.9.4.2.2).
template <int Dimensions>
struct place_in_line {
  size_t linear;
  place_in_line(sycl::item<Dimensions> it) : linear(it.get_linear_id()) {}
};

template <int Dimensions>
void check_indices_of_kernels_over(sycl::range<Dimensions> global) {
  sycl::queue q;
  const size_t n = global.size();
  int* const seen = sycl::malloc_shared<int>(n + 1, q);
  std::fill(seen, seen + n + 1, 0);
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global, [=](place_in_line<Dimensions> it) { seen[it.linear] += 1; });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global, [=](place_in_line<Dimensions> it, sycl::kernel_handler) {
       seen[it.linear] += 10;
     });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global, [=](auto it) {
       static_assert(std::is_same_v<decltype(it), sycl::item<Dimensions>>, "");
       seen[it.get_linear_id()] += 100;
     });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global,
                    [=](sycl::item<Dimensions, false> it) { seen[it.get_linear_id()] += 1000; });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for(global, sycl::reduction(seen + n, sycl::plus<int>()),
                    [=](place_in_line<Dimensions> it, auto& sum) {
                      seen[it.linear] += 10000;
                      sum += 1;
                    });
   }).wait();
  for (size_t i = 0; i < n; ++i) EXPECT_EQ(seen[i], 11111) << i;
  EXPECT_EQ(seen[n], static_cast<int>(n));
  sycl::free(seen, q);
}

TEST(handler, gives_kernels_over_ranges_an_item_or_what_it_converts_to) {
  check_indices_of_kernels_over(sycl::range<1>(24));
  check_indices_of_kernels_over(sycl::range<2>(6, 8));
  check_indices_of_kernels_over(sycl::range<3>(4, 6, 2));
}

TEST(handler, takes_integers_and_lists_as_ranges) {
  sycl::queue q;
  int* const sum = sycl::malloc_shared<int>(12, q);
  std::fill(sum, sum + 12, 0);
  q.submit([&](sycl::handler& h) {
     h.parallel_for(12, [=](sycl::id<1> i) { sum[i] += 1; });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for({3, 4}, [=](sycl::id<2> i) { sum[i[0] * 4 + i[1]] += 1; });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for({2, 3, 2}, [=](sycl::item<3> it) { sum[it.get_linear_id()] += 1; });
   }).wait();
  q.parallel_for(sycl::range<1>(12), [=](size_t i) { sum[i] += 1; }).wait();
  EXPECT_EQ(std::accumulate(sum, sum + 12, 0), 48);
  sycl::free(sum, q);
}

TEST(handler, runs_nothing_over_an_empty_range) {
  sycl::queue q;
  int* const ran = sycl::malloc_shared<int>(1, q);
  *ran = 0;
  q.parallel_for(sycl::range<1>(0), [=](sycl::id<1>) { *ran = 1; }).wait();
  q.parallel_for(sycl::range<2>(4, 0), [=](sycl::id<2>) { *ran = 1; }).wait();
  q.parallel_for(sycl::nd_range<1>(0, 8), [=](sycl::nd_item<1>) { *ran = 1; }).wait();
  // As programs ask for that compute the size of groups from a count of zero.
  q.parallel_for(sycl::nd_range<1>(0, 0), [=](sycl::nd_item<1>) { *ran = 1; }).wait();
  q.parallel_for(sycl::nd_range<3>({4, 0, 2}, {2, 0, 1}), [=](sycl::nd_item<3>) {
     *ran = 1;
   }).wait();
  EXPECT_EQ(*ran, 0);
  sycl::free(ran, q);
}

TEST(handler, refuses_groups_that_do_not_divide_the_range) {
  sycl::queue q;
  EXPECT_EQ(code_of([&] { q.parallel_for(sycl::nd_range<1>(10, 4), [](sycl::nd_item<1>) {}); }),
            sycl::errc::nd_range);
  EXPECT_EQ(
      code_of([&] { q.parallel_for(sycl::nd_range<2>({0, 10}, {0, 4}), [](sycl::nd_item<2>) {}); }),
      sycl::errc::nd_range);
}

// 4.7.6.11: without work-groups there is no local memory.
TEST(handler, refuses_local_memory_in_kernels_without_work_groups) {
  sycl::queue q;
  int* const out = sycl::malloc_shared<int>(1, q);
  *out = 0;
  EXPECT_EQ(code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::local_accessor<int> local(4, h);
                h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { *out = local[i] + 1; });
              });
            }),
            sycl::errc::kernel_argument);
  EXPECT_EQ(code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::local_accessor<int> local(4, h);
                h.single_task([=] { *out = local[0] + 1; });
              });
            }),
            sycl::errc::kernel_argument);
  q.wait();
  EXPECT_EQ(*out, 0);
  sycl::free(out, q);
}

TEST(handler, runs_kernels_by_work_groups) {
  sycl::queue q;
  int* const seen = sycl::malloc_shared<int>(12, q);
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<1>(3), sycl::range<1>(4), [=](sycl::group<1> group) {
       int shared = static_cast<int>(group.get_group_id(0)) * 100;
       group.parallel_for_work_item([&](sycl::h_item<1> it) {
         seen[it.get_global_id(0)] = shared + static_cast<int>(it.get_local_id(0));
       });
     });
   }).wait();
  for (int i = 0; i < 12; ++i) EXPECT_EQ(seen[i], i / 4 * 100 + i % 4);
  sycl::free(seen, q);
}

// 4.9.4.3: copies, with accessors on one or both sides.
TEST(handler, copies_between_accessors_and_memory) {
  sycl::queue q;
  constexpr size_t n = 32;
  std::vector<int> in(n), out(n, 0);
  std::iota(in.begin(), in.end(), 1);
  const std::shared_ptr<int> shared_out(new int[n](), std::default_delete<int[]>());
  sycl::buffer<int, 1> a{sycl::range<1>(n)}, b{sycl::range<1>(n)};
  q.submit([&](sycl::handler& h) {
    sycl::accessor to(a, h, sycl::write_only, sycl::no_init);
    h.copy(in.data(), to);
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor from(a, h, sycl::read_only);
    sycl::accessor to(b, h, sycl::write_only, sycl::no_init);
    h.copy(from, to);
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor from(b, h, sycl::read_only);
    h.copy(from, out.data());
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor from(b, h, sycl::read_only);
    h.copy(from, shared_out);
  });
  q.wait();
  EXPECT_EQ(out, in);
  EXPECT_EQ(shared_out.get()[n - 1], static_cast<int>(n));
  q.submit([&](sycl::handler& h) {
    sycl::accessor to(b, h, sycl::range<1>(8), sycl::id<1>(4), sycl::write_only);
    h.fill(to, -1);
  });
  q.submit([&](sycl::handler& h) {
    sycl::accessor part(b, h, sycl::range<1>(10), sycl::id<1>(3), sycl::read_only);
    h.copy(part, out.data());
  });
  q.wait();
  for (size_t i = 0; i < 10; ++i)
    EXPECT_EQ(out[i], i == 0 || i == 9 ? static_cast<int>(i) + 4 : -1) << i;
}

// An accessor of SYCL 1.2.1, which SYCL 2020 deprecates.
TEST(handler, copies_from_constant_memory) {
  sycl::queue q;
  std::vector<int> in{1, 2, 3, 4}, out(4), all(4);
  {
    sycl::buffer<int, 1> a(in), b(out);
    q.submit([&](sycl::handler& h) {
      auto from = a.get_access<sycl::access_mode::read, sycl::target::constant_buffer>(h);
      sycl::accessor to(b, h, sycl::write_only);
      h.copy(from, to);
    });
    q.submit([&](sycl::handler& h) {
      h.copy(a.get_access<sycl::access_mode::read, sycl::target::constant_buffer>(h), all.data());
    });
    q.wait();
  }
  EXPECT_EQ(out, in);
  EXPECT_EQ(all, in);
}

TEST(handler, brings_data_back_to_the_host) {
  sycl::queue q;
  std::vector<int> data(16, 1);
  sycl::buffer<int, 1> b(data.data(), 16, {sycl::property::buffer::use_host_ptr()});
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(b, h, sycl::read_write);
    h.parallel_for(16, [=](sycl::id<1> i) { a[i] += 1; });
  });
  q.submit([&](sycl::handler& h) {
     sycl::accessor a(b, h, sycl::read_only);
     h.update_host(a);
   }).wait();
  EXPECT_EQ(data, std::vector<int>(16, 2));
}

TEST(handler, copies_fills_and_sets_usm) {
  sycl::queue q;
  int* const a = sycl::malloc_shared<int>(8, q);
  int* const b = sycl::malloc_shared<int>(8, q);
  q.submit([&](sycl::handler& h) { h.fill(a, 5, 8); }).wait();
  q.submit([&](sycl::handler& h) { h.memcpy(b, a, 4 * sizeof(int)); }).wait();
  q.submit([&](sycl::handler& h) { h.memset(b + 4, 0xff, 2 * sizeof(int)); }).wait();
  q.submit([&](sycl::handler& h) { h.copy(a, b + 6, 2); }).wait();
  q.submit([&](sycl::handler& h) { h.prefetch(a, 8 * sizeof(int)); }).wait();
  q.submit([&](sycl::handler& h) { h.mem_advise(a, 8 * sizeof(int), 0); }).wait();
  const int expected[] = {5, 5, 5, 5, -1, -1, 5, 5};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(b[i], expected[i]) << i;
  sycl::free(a, q);
  sycl::free(b, q);
}

}  // namespace
