// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include "expect_error.hpp"

namespace {

std::vector<int> counting(std::size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

template <int D>
std::vector<int> contents(sycl::buffer<int, D>& b) {
  sycl::host_accessor a{b, sycl::read_only};
  return std::vector<int>(a.begin(), a.end());
}

template <int D>
sycl::buffer<int, D> buffer_of(const std::vector<int>& data, sycl::range<D> shape) {
  sycl::buffer<int, D> b{shape};
  sycl::host_accessor a{b, sycl::write_only, sycl::no_init};
  std::size_t i = 0;
  for (int& x : a) x = data[i++];
  return b;
}

TEST(handler, kernels_read_and_write_through_accessors) {
  sycl::queue q;
  auto a = buffer_of(counting(100), sycl::range<1>(100));
  sycl::buffer<int, 1> b{100};
  q.submit([&](sycl::handler& h) {
    sycl::accessor in{a, h, sycl::read_only};
    sycl::accessor out{b, h, sycl::write_only, sycl::no_init};
    h.parallel_for(100, [=](sycl::id<1> i) { out[i] = 2 * in[i]; });
  });
  EXPECT_EQ(contents(b)[99], 198);
}

TEST(handler, an_offset_moves_the_ids_of_a_range) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(8, q);
  for (int i = 0; i < 8; ++i) p[i] = 0;
  q.submit([&](sycl::handler& h) {
     h.parallel_for(sycl::range<1>(3), sycl::id<1>(4),
                    [=](sycl::item<1> i) { p[i] = static_cast<int>(i.get_linear_id()) + 1; });
   }).wait();
  EXPECT_EQ(std::vector<int>(p, p + 8), (std::vector<int>{0, 0, 0, 0, 1, 2, 3, 0}));
  sycl::free(p, q);
}

TEST(handler, a_local_range_that_does_not_divide_the_global_one_is_refused) {
  sycl::queue q;
  EXPECT_EQ(
      error_code_of([&] { q.parallel_for(sycl::nd_range<1>(10, 4), [](sycl::nd_item<1>) {}); }),
      sycl::errc::nd_range);
  EXPECT_EQ(
      error_code_of([&] { q.parallel_for(sycl::nd_range<1>(10, 0), [](sycl::nd_item<1>) {}); }),
      sycl::errc::nd_range);
}

TEST(handler, a_work_group_beyond_the_limit_of_the_device_is_refused) {
  sycl::queue q;
  const std::size_t n = 2 * q.get_device().get_info<sycl::info::device::max_work_group_size>();
  EXPECT_EQ(
      error_code_of([&] { q.parallel_for(sycl::nd_range<1>(n, n), [](sycl::nd_item<1>) {}); }),
      sycl::errc::nd_range);
}

TEST(handler, local_memory_is_shared_by_a_group_and_aligned) {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(32, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<char, 1> odd{sycl::range<1>(3), h};
     sycl::local_accessor<int, 1> tile{sycl::range<1>(8), h};
     h.parallel_for(sycl::nd_range<1>(32, 8), [=](sycl::nd_item<1> it) {
       const std::size_t i = it.get_local_id(0);
       if (i < 3) odd[i] = static_cast<char>(i);
       tile[i] = static_cast<int>(it.get_global_id(0));
       sycl::group_barrier(it.get_group());
       p[it.get_global_id(0)] = tile[7 - i] + odd[2];
     });
   }).wait();
  for (int i = 0; i < 32; ++i) EXPECT_EQ(p[i], i / 8 * 8 + 7 - i % 8 + 2) << i;
  sycl::free(p, q);
}

TEST(handler, host_tasks_see_the_data_of_their_accessors) {
  sycl::queue q;
  auto b = buffer_of(counting(4), sycl::range<1>(4));
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{b, h, sycl::read_write};
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] += 10; });
  });
  int sum = 0;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{b, h, sycl::read_write_host_task};
    h.host_task([a, &sum](sycl::interop_handle) {
      for (int i = 0; i < 4; ++i) sum += a[static_cast<std::size_t>(i)];
      a[0] = -1;
    });
  });
  EXPECT_EQ(contents(b), (std::vector<int>{-1, 11, 12, 13}));
  EXPECT_EQ(sum, 46);
}

TEST(handler, host_tasks_may_hold_objects_with_destructors) {
  sycl::queue q;
  auto shared = std::make_shared<int>(0);
  q.submit([&](sycl::handler& h) { h.host_task([shared] { *shared = 5; }); }).wait();
  q.wait();
  EXPECT_EQ(*shared, 5);
  while (shared.use_count() != 1) std::this_thread::yield();
}

TEST(handler, a_placeholder_is_bound_by_require) {
  sycl::queue q;
  auto b = buffer_of(counting(4), sycl::range<1>(4));
  const sycl::accessor a{b, sycl::read_write};
  EXPECT_TRUE(a.is_placeholder());
  q.submit([&](sycl::handler& h) {
    h.require(a);
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] += 1; });
  });
  EXPECT_EQ(contents(b), (std::vector<int>{1, 2, 3, 4}));
}

TEST(handler, a_placeholder_that_was_not_required_is_refused) {
  sycl::queue q;
  sycl::buffer<int, 1> b{4};
  int x[4];
  const sycl::accessor a{b, sycl::read_write};
  EXPECT_EQ(
      error_code_of([&] { q.submit([&](sycl::handler& h) { h.single_task([=] { a[0] = 1; }); }); }),
      sycl::errc::kernel_argument);
  EXPECT_EQ(error_code_of([&] { q.submit([&](sycl::handler& h) { h.copy(a, x); }); }),
            sycl::errc::kernel_argument);
}

// Compilers leave what was in memory in the padding of kernels: in right programs, the first word of an accessor of an
// earlier launch.
struct with_an_old_word {
  std::uint64_t word;
  int* ran;
  void operator()() const { *ran = 1; }
};

TEST(handler, a_kernel_may_hold_a_word_of_a_placeholder_that_was_required_before) {
  sycl::queue q;
  sycl::buffer<int> b(8);
  const sycl::accessor<int, 1> a(b);
  int* const ran = sycl::malloc_shared<int>(1, q);
  *ran = 0;
  with_an_old_word kernel{0, ran};
  std::memcpy(&kernel.word, static_cast<const void*>(&a), sizeof(kernel.word));
  EXPECT_EQ(error_code_of([&] { q.single_task(kernel); }), sycl::errc::kernel_argument);
  q.submit([&](sycl::handler& h) {
    h.require(a);
    h.parallel_for(8, [=](sycl::id<1> i) { a[i] = 3; });
  });
  q.single_task(kernel).wait_and_throw();
  EXPECT_EQ(*ran, 1);
  EXPECT_EQ(b.get_host_access()[7], 3);
  sycl::free(ran, q);
}

template <int Dimensions>
void refuse_what_was_required_before() {
  sycl::queue q;
  sycl::range<Dimensions> extent;
  for (int d = 0; d < Dimensions; ++d) extent[d] = 4;
  sycl::buffer<int, Dimensions> b(extent);
  sycl::id<Dimensions> offset;
  const sycl::accessor whole{b, sycl::read_write};
  const sycl::accessor part{b, extent, offset, sycl::write_only};
  for (const bool required : {true, false}) {
    const auto submit = [&](const auto& a) {
      q.submit([&](sycl::handler& h) {
        if (required) h.require(a);
        h.parallel_for(extent, [=](sycl::id<Dimensions> i) { a[i] = 1; });
      });
    };
    if (required) {
      submit(whole);
      submit(part);
    } else {
      EXPECT_EQ(error_code_of([&] { submit(whole); }), sycl::errc::kernel_argument);
      EXPECT_EQ(error_code_of([&] { submit(part); }), sycl::errc::kernel_argument);
    }
  }
}

TEST(handler, a_placeholder_must_be_required_by_each_command_group) {
  refuse_what_was_required_before<1>();
  refuse_what_was_required_before<2>();
  refuse_what_was_required_before<3>();
}

// Or all but its first bytes, behind what the kernel has captured.
template <class Value, class Accessor>
struct with_a_value_before_old_bytes {
  Value value;
  unsigned char old[sizeof(void*) - sizeof(Value)];
  Accessor own;
  sycl::accessor<long> out;

  with_a_value_before_old_bytes(Value v, const Accessor& a, const sycl::accessor<long>& to)
      : value(v), own(a), out(to) {
    std::memcpy(old, reinterpret_cast<const unsigned char*>(&own) + sizeof(Value), sizeof old);
  }
  void operator()(sycl::nd_item<1>) const {
    own[0] = 5;
    out[0] = static_cast<long>(value);
  }
};

template <class Value>
void expect_values_before_old_bytes() {
  sycl::queue q;
  sycl::buffer<int> b(4);
  sycl::buffer<long> told(1);
  const sycl::nd_range<1> one(1, 1);
  for (int i = 0; i < 520; ++i) {
    const Value value = static_cast<Value>(i % 2);
    q.submit([&](sycl::handler& h) {
      const sycl::accessor own(b, h);
      h.parallel_for(one, with_a_value_before_old_bytes<Value, sycl::accessor<int>>(
                              value, own, sycl::accessor<long>(told, h)));
    });
    ASSERT_EQ(sycl::host_accessor(told)[0], value) << i;
    q.submit([&](sycl::handler& h) {
      const sycl::local_accessor<int> own(4, h);
      h.parallel_for(one, with_a_value_before_old_bytes<Value, sycl::local_accessor<int>>(
                              value, own, sycl::accessor<long>(told, h)));
    });
    ASSERT_EQ(sycl::host_accessor(told)[0], value) << i;
  }
}

TEST(handler, leaves_values_alone_that_stand_before_old_bytes_of_accessors) {
  expect_values_before_old_bytes<bool>();
  expect_values_before_old_bytes<short>();
  expect_values_before_old_bytes<int>();
}

struct with_an_old_word_and_an_accessor {
  std::uint64_t word;
  sycl::accessor<int> own;
  void operator()() const { own[3] = 4; }
};

// What is left of one in a std::optional without a value is none, nor is a word in front of another one.
TEST(handler, refuses_an_accessor_of_another_command_group) {
  sycl::queue q;
  sycl::buffer<int> b(64);
  std::optional<sycl::accessor<int>> kept;
  q.submit([&](sycl::handler& h) {
    kept.emplace(b, h);
    h.single_task([a = *kept] { a[0] = 1; });
  });
  const sycl::accessor<int> other = *kept;
  EXPECT_EQ(error_code_of(
                [&] { q.submit([&](sycl::handler& h) { h.single_task([=] { other[1] = 2; }); }); }),
            sycl::errc::kernel_argument);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::accessor own(b, h);
                h.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) { own[i] = other[i]; });
              });
            }),
            sycl::errc::kernel_argument);
  with_an_old_word_and_an_accessor kernel{0, {}};
  std::memcpy(&kernel.word, static_cast<const void*>(&other), sizeof(kernel.word));
  q.submit([&](sycl::handler& h) {
    kernel.own = sycl::accessor<int>(b, h);
    h.single_task(kernel);
  });
  EXPECT_EQ(sycl::host_accessor(b)[3], 4);
  kept.reset();
  q.submit([&](sycl::handler& h) {
    sycl::accessor own(b, h);
    h.single_task([=, maybe = kept] { own[2] = maybe ? (*maybe)[0] : 3; });
  });
  EXPECT_EQ(sycl::host_accessor(b)[2], 3);
}

template <class T>
sycl::errc code_beside(const T& wide) {
  sycl::queue q;
  sycl::buffer<int> b(64);
  sycl::buffer<int, 3> cube(sycl::range<3>(4, 4, 4));
  std::optional<sycl::accessor<int>> line;
  std::optional<sycl::accessor<int, 3>> part;
  q.submit([&](sycl::handler& h) {
    line.emplace(b, h);
    part.emplace(cube, h, sycl::range<3>(2, 2, 2), sycl::id<3>(1, 1, 1));
    h.single_task([a = *line, c = *part] { a[0] = c[0][0][0] = 1; });
  });
  const auto of_the_kernel = [&](auto kernel) {
    return error_code_of([&] { q.submit([&](sycl::handler& h) { h.single_task(kernel); }); });
  };
  // A zero behind an accessor, in place of n, would say that it is what a std::optional has left.
  // Of one dimension it would fit into the padding in front of what is aligned to 64 bytes.
  if (alignof(T) <= 32) {
    const auto kernel = [a = *line, n = 1, wide] { a[n] = static_cast<int>(wide[1]); };
    EXPECT_EQ(of_the_kernel(kernel), sycl::errc::kernel_argument);
  }
  return of_the_kernel([c = *part, n = 1, wide] { c[0][0][n] = static_cast<int>(wide[1]); });
}

// What kernels capture of wide alignment comes with padding, which holds no whole accessor.
TEST(handler, refuses_an_accessor_of_another_command_group_beside_wide_vectors) {
  EXPECT_EQ(code_beside(sycl::float2(1)), sycl::errc::kernel_argument);
  EXPECT_EQ(code_beside(sycl::float4(1)), sycl::errc::kernel_argument);
  EXPECT_EQ(code_beside(sycl::float8(1)), sycl::errc::kernel_argument);
  EXPECT_EQ(code_beside(sycl::double8(1)), sycl::errc::kernel_argument);
}

TEST(handler, refuses_a_local_accessor_of_another_command_group) {
  sycl::queue q;
  const sycl::nd_range<1> one_group(4, 4);
  std::optional<sycl::local_accessor<int>> kept;
  std::optional<sycl::local_accessor<int, 2>> of_two;
  q.submit([&](sycl::handler& h) {
    kept.emplace(4, h);
    of_two.emplace(sycl::range<2>(2, 2), h);
    h.parallel_for(one_group, [a = *kept, b = *of_two](sycl::nd_item<1> i) {
      a[i.get_local_id(0)] = b[0][0] = 1;
    });
  });
  const auto code = [&](auto kernel) {
    return error_code_of(
        [&] { q.submit([&](sycl::handler& h) { h.parallel_for(one_group, kernel); }); });
  };
  EXPECT_EQ(code([a = *kept](sycl::nd_item<1>) { a[0] = 1; }), sycl::errc::kernel_argument);
  EXPECT_EQ(code([a = *of_two](sycl::nd_item<1>) { a[0][0] = 1; }), sycl::errc::kernel_argument);
  // One without an accessor in it.
  kept.reset();
  EXPECT_EQ(code([a = kept](sycl::nd_item<1>) { (void)a; }), sycl::errc::success);
  q.wait();
}

TEST(handler, refuses_a_stream_of_another_command_group) {
  sycl::queue q;
  std::optional<sycl::stream> kept;
  q.submit([&](sycl::handler& h) {
    kept.emplace(100, 10, h);
    h.single_task([s = *kept] { (void)s; });
  });
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) { h.single_task([s = *kept] { s << 1; }); });
            }),
            sycl::errc::kernel_argument);
}

using host_task_reader = sycl::accessor<int, 1, sycl::access_mode::read, sycl::target::host_task>;

// It would see what the memory held when the accessor was made.
TEST(handler, refuses_an_accessor_of_another_command_group_in_a_host_task) {
  sycl::queue q;
  sycl::buffer<int> b(64), c(64);
  std::optional<host_task_reader> kept;
  q.submit([&](sycl::handler& h) {
    kept.emplace(b, h);
    h.host_task([a = *kept] { (void)a; });
  });
  int seen = -1;
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) { h.host_task([&seen, a = *kept] { seen = a[0]; }); });
            }),
            sycl::errc::kernel_argument);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                const host_task_reader own(c, h);
                h.host_task([&seen, own, a = *kept] { seen = a[0] + own[0]; });
              });
            }),
            sycl::errc::kernel_argument);
  q.wait();
  EXPECT_EQ(seen, -1);
  // Whatever the host does there is its own business.
  {
    sycl::host_accessor on_host(c);
    q.submit([&](sycl::handler& h) { h.host_task([on_host] { on_host[0] = 1; }); }).wait();
    EXPECT_EQ(on_host[0], 1);
  }
}

// Behind an int there are four bytes of padding, and in them what the stack held.
struct with_the_end_of_an_accessor {
  host_task_reader own;
  std::uint64_t behind;
  int* seen;
  void operator()() const { *seen = own[0]; }
};

struct alignas(64) with_an_old_accessor_in_its_padding {
  host_task_reader own;
  unsigned char padding[64 - sizeof own];
  unsigned char old[sizeof own];
  std::uint64_t behind;
  int* seen;
  void operator()() const { *seen = own[0]; }
};

TEST(handler, takes_no_stray_bytes_in_a_host_task_for_accessors) {
  sycl::queue q;
  const std::vector<int> ones(64, 1);
  sycl::buffer<int> b(ones.data(), 64), c(64);
  int seen = 0;
  for (std::uint64_t low : {0, 1, 7, 1000}) {
    seen = 0;
    q.submit([&](sycl::handler& h) {
       const host_task_reader own(b, h);
       with_the_end_of_an_accessor task{own, 0, &seen};
       std::memcpy(&task.behind,
                   reinterpret_cast<const unsigned char*>(&task) + sizeof task.own - 8, 8);
       task.behind = (task.behind >> 32 << 32) | low;
       h.host_task(task);
     }).wait();
    EXPECT_EQ(seen, 1);
  }
  std::optional<host_task_reader> kept;
  q.submit([&](sycl::handler& h) {
    kept.emplace(c, h);
    h.host_task([a = *kept] { (void)a; });
  });
  seen = 0;
  q.submit([&](sycl::handler& h) {
     with_an_old_accessor_in_its_padding task{host_task_reader(b, h), {}, {}, 1, &seen};
     std::memcpy(task.old, static_cast<const void*>(&*kept), sizeof task.old);
     h.host_task(task);
   }).wait();
  EXPECT_EQ(seen, 1);
}

TEST(handler, copies_from_an_accessor_to_memory_take_its_elements_row_by_row) {
  sycl::queue q;
  auto b = buffer_of(counting(60), sycl::range<3>(3, 4, 5));
  std::vector<int> out(8, -1);
  q.submit([&](sycl::handler& h) {
     sycl::accessor<int, 3, sycl::access_mode::read> a{b, h, sycl::range<3>(2, 2, 2),
                                                       sycl::id<3>(1, 2, 3)};
     h.copy(a, out.data());
   }).wait();
  EXPECT_EQ(out, (std::vector<int>{33, 34, 38, 39, 53, 54, 58, 59}));
}

TEST(handler, copies_from_memory_to_an_accessor_leave_the_rest_alone) {
  sycl::queue q;
  auto b = buffer_of(std::vector<int>(12, 0), sycl::range<2>(3, 4));
  const std::vector<int> in{1, 2, 3, 4};
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 2, sycl::access_mode::write> a{b, h, sycl::range<2>(2, 2),
                                                       sycl::id<2>(1, 2)};
    h.copy(in.data(), a);
  });
  EXPECT_EQ(contents(b), (std::vector<int>{0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4}));
}

TEST(handler, copies_share_memory_until_they_are_made) {
  sycl::queue q;
  auto b = buffer_of(counting(6), sycl::range<2>(2, 3));
  std::shared_ptr<int> out(new int[4], std::default_delete<int[]>());
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 2, sycl::access_mode::read> a{b, h, sycl::range<2>(2, 2),
                                                      sycl::id<2>(0, 1)};
    h.copy(a, out);
  });
  std::shared_ptr<int> in(new int[2]{70, 80}, std::default_delete<int[]>());
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 2, sycl::access_mode::write> a{b, h, sycl::range<2>(2, 1),
                                                       sycl::id<2>(0, 0)};
    h.copy(in, a);
  });
  in.reset();
  q.wait();
  EXPECT_EQ(std::vector<int>(out.get(), out.get() + 4), (std::vector<int>{1, 2, 4, 5}));
  EXPECT_EQ(contents(b), (std::vector<int>{70, 1, 2, 80, 4, 5}));
}

TEST(handler, copies_between_accessors_of_one_shape) {
  sycl::queue q;
  auto a = buffer_of(counting(12), sycl::range<2>(3, 4));
  auto b = buffer_of(std::vector<int>(12, 0), sycl::range<2>(3, 4));
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 2, sycl::access_mode::read> from{a, h, sycl::range<2>(2, 2),
                                                         sycl::id<2>(0, 0)};
    sycl::accessor<int, 2, sycl::access_mode::write> to{b, h, sycl::range<2>(2, 2),
                                                        sycl::id<2>(1, 2)};
    h.copy(from, to);
  });
  EXPECT_EQ(contents(b), (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 4, 5}));
}

TEST(handler, copies_between_accessors_of_different_shapes_keep_the_row_major_order) {
  sycl::queue q;
  auto plane = buffer_of(counting(12), sycl::range<2>(3, 4));
  auto line = buffer_of(std::vector<int>(12, -1), sycl::range<1>(12));
  auto other = buffer_of(std::vector<int>(12, -1), sycl::range<2>(4, 3));
  q.submit([&](sycl::handler& h) {  // box to contiguous
    sycl::accessor<int, 2, sycl::access_mode::read> from{plane, h, sycl::range<2>(3, 2),
                                                         sycl::id<2>(0, 1)};
    sycl::accessor<int, 1, sycl::access_mode::write> to{line, h};
    h.copy(from, to);
  });
  EXPECT_EQ(contents(line), (std::vector<int>{1, 2, 5, 6, 9, 10, -1, -1, -1, -1, -1, -1}));
  q.submit([&](sycl::handler& h) {  // contiguous to box
    sycl::accessor<int, 1, sycl::access_mode::read> from{line, h, sycl::range<1>(4),
                                                         sycl::id<1>(1)};
    sycl::accessor<int, 2, sycl::access_mode::write> to{other, h, sycl::range<2>(2, 2),
                                                        sycl::id<2>(1, 1)};
    h.copy(from, to);
  });
  EXPECT_EQ(contents(other), (std::vector<int>{-1, -1, -1, -1, 2, 5, -1, 6, 9, -1, -1, -1}));
  q.submit([&](sycl::handler& h) {  // box to box of another width
    sycl::accessor<int, 2, sycl::access_mode::read> from{plane, h, sycl::range<2>(2, 3),
                                                         sycl::id<2>(0, 0)};
    sycl::accessor<int, 2, sycl::access_mode::write> to{other, h, sycl::range<2>(4, 2),
                                                        sycl::id<2>(0, 0)};
    h.copy(from, to);
  });
  EXPECT_EQ(contents(other), (std::vector<int>{0, 1, -1, 2, 4, 5, 5, 6, 9, -1, -1, -1}));
}

TEST(handler, a_destination_that_is_too_small_is_refused) {
  sycl::queue q;
  auto a = buffer_of(counting(4), sycl::range<1>(4));
  sycl::buffer<int, 1> b{3};
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                sycl::accessor from{a, h, sycl::read_only};
                sycl::accessor to{b, h, sycl::write_only};
                h.copy(from, to);
              });
            }),
            sycl::errc::invalid);
}

TEST(handler, fills_what_an_accessor_covers) {
  struct huge {
    int words[200];
  };
  sycl::queue q;
  auto b = buffer_of(std::vector<int>(12, 0), sycl::range<2>(3, 4));
  q.submit([&](sycl::handler& h) {
    sycl::accessor<int, 2, sycl::access_mode::write> a{b, h, sycl::range<2>(2, 3),
                                                       sycl::id<2>(1, 0)};
    h.fill(a, 7);
  });
  EXPECT_EQ(contents(b), (std::vector<int>{0, 0, 0, 0, 7, 7, 7, 0, 7, 7, 7, 0}));
  sycl::buffer<huge, 1> big{3};
  huge pattern{};
  pattern.words[199] = 9;
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{big, h, sycl::write_only, sycl::no_init};
    h.fill(a, pattern);
  });
  sycl::host_accessor a{big, sycl::read_only};
  EXPECT_EQ(a[2].words[199], 9);
}

TEST(handler, update_host_brings_data_to_the_host) {
  sycl::queue q;
  std::vector<int> host(4, 1);
  sycl::buffer<int, 1> b{host.data(), sycl::range<1>(4), {sycl::property::buffer::use_host_ptr{}}};
  q.submit([&](sycl::handler& h) {
    sycl::accessor a{b, h, sycl::write_only};
    h.parallel_for(4, [=](sycl::id<1> i) { a[i] = 3; });
  });
  q.submit([&](sycl::handler& h) {
     sycl::accessor a{b, h, sycl::read_only};
     h.update_host(a);
   }).wait();
  EXPECT_EQ(host, std::vector<int>(4, 3));
}

TEST(handler, queue_shortcuts_require_their_placeholders) {
  sycl::queue q{sycl::property::queue::in_order{}};
  auto b = buffer_of(counting(4), sycl::range<1>(4));
  sycl::buffer<int, 1> c{4};
  const sycl::accessor<int, 1, sycl::access_mode::read> from{b};
  const sycl::accessor<int, 1, sycl::access_mode::read_write> to{c};
  std::vector<int> out(4);
  q.fill(to, 9);
  q.copy(from, out.data()).wait();
  EXPECT_EQ(out, counting(4));
  EXPECT_EQ(contents(c), std::vector<int>(4, 9));
  q.copy(from, to);
  q.update_host(to);
  EXPECT_EQ(contents(c), counting(4));
  out.assign(4, 5);
  q.copy(out.data(), to);
  EXPECT_EQ(contents(c), out);
}

}  // namespace
