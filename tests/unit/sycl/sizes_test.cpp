// SPDX-License-Identifier: Apache-2.0
// Sizes whose products do not fit into 64 bits are refused where they come in: nothing runs with what is left of them.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <sycl/sycl.hpp>
#include <vector>

#include "expect_error.hpp"

namespace {

using sycl::errc;
constexpr std::size_t half = std::size_t{1} << 32;
constexpr std::size_t top = std::size_t{1} << 63;

class sizes : public ::testing::Test {
 protected:
  sycl::queue q;
  std::vector<int> data = std::vector<int>(64);
};

TEST_F(sizes, of_a_reinterpreted_buffer_are_checked_as_they_are) {
  sycl::buffer<int> b(data);
  const auto as = [&](auto range) {
    return error_code_of([&] { b.reinterpret<int, decltype(range)::dimensions>(range); });
  };
  EXPECT_EQ(as(sycl::range<2>(top + 32, 2)), errc::invalid);     // 64 modulo 2^64
  EXPECT_EQ(as(sycl::range<1>(top / 2 + 64)), errc::invalid);    // 256 bytes modulo 2^64
  EXPECT_EQ(as(sycl::range<3>(half, half, 64)), errc::invalid);  // 0 modulo 2^64
  EXPECT_EQ(as(sycl::range<2>(32, 2)), errc::success);
  const sycl::buffer<int> none(sycl::range<1>(0));
  EXPECT_EQ(error_code_of([&] { none.reinterpret<int, 2>(sycl::range<2>(half, half)); }),
            errc::invalid);
  EXPECT_EQ(error_code_of([&] { none.reinterpret<int, 3>(sycl::range<3>(half, half, 0)); }),
            errc::success);
}

TEST_F(sizes, of_parts_of_a_buffer_may_not_wrap) {
  sycl::buffer<int> b(data);
  EXPECT_EQ(error_code_of([&] { sycl::buffer<int> part(b, 32, std::size_t{0} - 16); }),
            errc::invalid);
  EXPECT_EQ(error_code_of([&] {
              sycl::host_accessor a(b, sycl::range<1>(std::size_t{0} - 16), sycl::id<1>(32));
            }),
            errc::invalid);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::accessor a(b, h, sycl::range<1>(std::size_t{0} - 16), sycl::id<1>(32));
                h.single_task([=] { a[0] = 1; });
              });
            }),
            errc::invalid);
}

TEST_F(sizes, of_memory_that_parameters_of_graphs_stand_for_may_not_wrap) {
  const auto of = [&](std::size_t count) {
    return error_code_of([&] { sycl::ext::pianola::graph_parameter<int*> p(count, q); });
  };
  EXPECT_EQ(of((top >> 1) + 4), errc::invalid);  // 16 bytes modulo 2^64
  EXPECT_EQ(of(4), errc::success);
}

TEST_F(sizes, of_launches_that_wrap_run_nothing) {
  std::atomic<int> ran{0};
  std::atomic<int>* const count = &ran;
  const auto over = [&](auto range) {
    return error_code_of(
        [&] { q.parallel_for(range, [=](sycl::item<decltype(range)::dimensions>) { ++*count; }); });
  };
  const auto grouped = [&](auto range) {
    return error_code_of([&] {
      q.parallel_for(range, [=](sycl::nd_item<decltype(range)::dimensions>) { ++*count; });
    });
  };
  EXPECT_EQ(over(sycl::range<2>(top + 1, 2)), errc::nd_range);
  EXPECT_EQ(over(sycl::range<3>(half, half, 1)), errc::nd_range);
  EXPECT_EQ(over(sycl::range<1>(top)), errc::nd_range);  // nothing comes to the end of it
  EXPECT_EQ(over(sycl::range<3>(half, half, 0)), errc::success);
  const sycl::range<3> most = q.get_device().get_info<sycl::info::device::max_work_item_sizes<3>>();
  for (int d = 0; d < 3; ++d) {
    sycl::range<3> local(1, 1, 1);
    local[d] = most[d] + 1;
    EXPECT_EQ(grouped(sycl::nd_range<3>(local, local)), errc::nd_range);
  }
  EXPECT_EQ(grouped(sycl::nd_range<3>({half, half, 1}, {half, half, 1})), errc::nd_range);
  EXPECT_EQ(grouped(sycl::nd_range<2>({(std::size_t{1} << 60) + 1, 16},
                                      {(std::size_t{1} << 60) + 1, 16})),
            errc::nd_range);
  EXPECT_EQ(grouped(sycl::nd_range<3>({half, half, 0}, {half, half, 1})), errc::nd_range);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                h.parallel_for(sycl::range<1>(top), sycl::id<1>(top + 1),
                               [=](sycl::item<1>) { ++*count; });
              });
            }),
            errc::nd_range);
  q.wait();
  EXPECT_EQ(ran, 0);
}

TEST_F(sizes, of_reductions_and_hierarchical_kernels_that_wrap_run_nothing) {
  int* const sum = sycl::malloc_shared<int>(1, q);
  *sum = 7;
  const auto add = [](auto, auto& r) { r += 1; };
  EXPECT_EQ(error_code_of([&] {
              q.parallel_for(sycl::range<2>(top + 32, 2), sycl::reduction(sum, sycl::plus<>()),
                             add);
            }),
            errc::nd_range);
  EXPECT_EQ(error_code_of([&] {
              q.parallel_for(sycl::nd_range<3>({half, half, 1}, {1, 1, 1}),
                             sycl::reduction(sum, sycl::plus<>()), add);
            }),
            errc::nd_range);
  // A number that does not wrap, and that nobody comes to the end of.
  EXPECT_EQ(error_code_of([&] {
              q.parallel_for(sycl::range<1>(std::size_t{0} - 1),
                             sycl::reduction(sum, sycl::plus<>()), add);
            }),
            errc::nd_range);
  EXPECT_EQ(error_code_of([&] {
              q.parallel_for(sycl::nd_range<1>(std::size_t{1} << 63, 1),
                             sycl::reduction(sum, sycl::plus<>()), add);
            }),
            errc::nd_range);
  const auto groups = [&](sycl::range<2> number, sycl::range<2> size) {
    return error_code_of([&] {
      q.submit([&](sycl::handler& h) {
        h.parallel_for_work_group(number, size, [=](sycl::group<2> g) {
          g.parallel_for_work_item([&](sycl::h_item<2>) { ++*sum; });
        });
      });
    });
  };
  EXPECT_EQ(groups({2, 2}, {half, half}), errc::nd_range);
  EXPECT_EQ(groups({half, 1}, {half, 1}), errc::nd_range);
  EXPECT_EQ(groups({half, half}, {1, 1}), errc::nd_range);
  EXPECT_EQ(groups({2, 2}, {half, half / 2}), errc::nd_range);
  EXPECT_EQ(groups({0, 2}, {half, half}), errc::success);
  EXPECT_EQ(groups({2, 2}, {0, 1}), errc::nd_range);
  q.wait();
  EXPECT_EQ(*sum, 7);
  sycl::free(sum, q);
}

TEST_F(sizes, of_copies_and_fills_that_wrap_touch_nothing) {
  std::iota(data.begin(), data.end(), 0);
  const std::vector<int> before = data;
  std::vector<int> other(64, -1);
  const std::size_t wraps = top / 2 + 1;  // times 4: 4 modulo 2^64
  EXPECT_EQ(error_code_of([&] { q.copy(other.data(), data.data(), wraps); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.fill(data.data(), 5, wraps); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) { h.copy(other.data(), data.data(), wraps); });
            }),
            errc::invalid);
  EXPECT_EQ(error_code_of(
                [&] { q.ext_oneapi_copy2d(other.data(), wraps, data.data(), wraps, wraps, 2); }),
            errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.ext_oneapi_fill2d(data.data(), wraps, 5, 2, 2); }),
            errc::invalid);
  EXPECT_EQ(
      error_code_of([&] { q.ext_oneapi_memcpy2d(data.data(), half, other.data(), half, 4, half); }),
      errc::invalid);
  q.wait();
  EXPECT_EQ(data, before);
}

TEST_F(sizes, of_copies_that_were_negative_numbers_are_refused) {
  int* const p = sycl::malloc_shared<int>(64, q);
  std::iota(p, p + 64, 0);
  const auto minus_one = static_cast<std::size_t>(-1);
  EXPECT_EQ(error_code_of([&] { q.memcpy(p, p + 32, minus_one); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.memcpy(p, p + 32, top); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.memset(p, 0, minus_one); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.fill(p, 1, top / 4); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.copy(p + 32, p, top / 4); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.prefetch(p, minus_one); }), errc::invalid);
  EXPECT_EQ(error_code_of([&] { q.mem_advise(p, minus_one, 0); }), errc::invalid);
  namespace exp = sycl::ext::oneapi::experimental;
  exp::command_graph g(q);
  EXPECT_EQ(
      error_code_of([&] { g.add([&](sycl::handler& h) { h.memcpy(p, p + 32, minus_one); }); }),
      errc::invalid);
  q.wait();
  for (int i = 0; i < 64; ++i) EXPECT_EQ(p[i], i);
  sycl::free(p, q);
}

TEST_F(sizes, of_work_group_memory_that_wrap_are_refused) {
  namespace exp = sycl::ext::oneapi::experimental;
  constexpr std::size_t rows = (std::size_t{1} << 61) + 4;  // 4000 ints modulo 2^64 bytes
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                exp::work_group_memory<int[][1000]> w(rows, h);
                h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { (void)w; });
              });
            }),
            errc::memory_allocation);
  EXPECT_EQ(error_code_of([&] { exp::dynamic_work_group_memory<int[][1000]> w(rows); }),
            errc::memory_allocation);
  exp::command_graph g(q);
  EXPECT_EQ(error_code_of([&] { exp::dynamic_work_group_memory<int[][1000]> w(g, rows); }),
            errc::memory_allocation);
  exp::dynamic_work_group_memory<int[][1000]> fits(1);
  EXPECT_EQ(error_code_of([&] { fits.update(rows); }), errc::memory_allocation);
}

TEST_F(sizes, of_memory_that_wrap_are_refused) {
  EXPECT_EQ(sycl::malloc_shared<int>(top / 2 + 1, q), nullptr);
  EXPECT_EQ(sycl::malloc_host<std::int64_t>(top, q), nullptr);
  EXPECT_EQ(sycl::malloc_device(std::size_t{0} - 8, q), nullptr);
  EXPECT_EQ(sycl::aligned_alloc_shared(64, std::size_t{0} - 8, q), nullptr);
  EXPECT_EQ(error_code_of([&] { sycl::buffer<int, 2> b(sycl::range<2>(top + 1, 2)); }),
            errc::memory_allocation);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::local_accessor<int, 2> l(sycl::range<2>(top + 1, 2), h);
                h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) { l[0][0] = 1; });
              });
            }),
            errc::memory_allocation);
  EXPECT_EQ(error_code_of([&] {
              sycl::unsampled_image<2> image(sycl::image_format::r32g32b32a32_sfloat,
                                             sycl::range<2>(half, half));
            }),
            errc::invalid);
  EXPECT_EQ(error_code_of([&] {
              sycl::unsampled_image<3> image(sycl::image_format::r8g8b8a8_unorm,
                                             sycl::range<3>(4, 4, 4), sycl::range<2>(half, top));
            }),
            errc::invalid);
}

TEST_F(sizes, of_work_groups_are_one_where_the_program_gives_none) {
  sycl::buffer<std::size_t> seen(3);
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(seen, h, sycl::write_only, sycl::no_init);
    h.parallel_for_work_group(sycl::range<1>(3), [=](sycl::group<1> g) {
      std::size_t n = 0;
      g.parallel_for_work_item([&](sycl::h_item<1>) { ++n; });
      a[g.get_group_id()] = n * 100 + g.get_local_range(0);
    });
  });
  for (const std::size_t s : sycl::host_accessor(seen, sycl::read_only)) EXPECT_EQ(s, 101U);
}

TEST_F(sizes, of_accessors_without_dimensions_to_empty_buffers_are_zero) {
  sycl::buffer<int> none(sycl::range<1>(0));
  const sycl::host_accessor<int, 0> on_host(none);
  EXPECT_TRUE(on_host.empty());
  EXPECT_EQ(on_host.size(), 0U);
  EXPECT_EQ(on_host.byte_size(), 0U);
  EXPECT_EQ(on_host.begin(), on_host.end());
  sycl::buffer<std::size_t> seen(1);
  q.submit([&](sycl::handler& h) {
    const sycl::accessor<int, 0> nothing(none, h);
    sycl::accessor a(seen, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { a[0] = nothing.size() + (nothing.empty() ? 0 : 10); });
  });
  EXPECT_EQ(sycl::host_accessor(seen)[0], 0U);
  const sycl::accessor<int, 0> placeholder(none);
  q.submit([&](sycl::handler& h) {
    h.require(placeholder);
    sycl::accessor a(seen, h, sycl::write_only, sycl::no_init);
    h.single_task([=] { a[0] = placeholder.size() + 1; });
  });
  EXPECT_EQ(sycl::host_accessor(seen)[0], 1U);
  sycl::buffer<int> one(sycl::range<1>(1));
  const sycl::host_accessor<int, 0> there(one);
  EXPECT_EQ(there.size(), 1U);
}

}  // namespace
