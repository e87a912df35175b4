// SPDX-License-Identifier: Apache-2.0
// Kernels that read their range on the device.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
namespace pia = sycl::ext::pianola;

constexpr std::size_t most = 5000;

struct told_errors {
  int count = 0;
  std::error_code code;
  std::string text;

  void operator()(const sycl::exception_list& list) {
    for (const std::exception_ptr& e : list) {
      try {
        std::rethrow_exception(e);
      } catch (const sycl::exception& x) {
        ++count;
        code = x.code();
        text = x.what();
      }
    }
  }
};

template <class F>
void expect_error(sycl::errc code, const std::string& says, const F& f) {
  try {
    f();
    ADD_FAILURE() << "nothing was refused; expected: " << says;
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
  }
}

template <class T>
void set(sycl::buffer<T>& b, std::vector<T> values) {
  sycl::host_accessor a(b, sycl::write_only, sycl::no_init);
  for (std::size_t i = 0; i < values.size(); ++i) a[i] = values[i];
}

sycl::buffer<int> zeroes(std::size_t n) {
  sycl::buffer<int> x{sycl::range<1>(n)};
  set(x, std::vector<int>(n, 0));
  return x;
}

// Adds 1 to as many elements as `counts` says.
template <class T>
void add_ones(sycl::handler& h, sycl::buffer<int>& x, sycl::buffer<T>& counts) {
  sycl::accessor a(x, h, sycl::read_write);
  sycl::accessor c(counts, h, sycl::read_only);
  pia::parallel_for(h, pia::indirect_range(c, sycl::range<1>(most)),
                    [=](sycl::id<1> i) { a[i] += 1; });
}

void expect_ones(sycl::buffer<int>& x, std::size_t count, int ones = 1) {
  sycl::host_accessor a(x, sycl::read_only);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], i < count ? ones : 0) << i;
}

template <class T>
void check_counts() {
  sycl::queue q;
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{777}, most}) {
    sycl::buffer<int> x = zeroes(most);
    sycl::buffer<T> counts{sycl::range<1>(1)};
    set(counts, {static_cast<T>(n)});
    q.submit([&](sycl::handler& h) { add_ones(h, x, counts); });
    expect_ones(x, n);
  }
}

TEST(indirect_range, a_kernel_runs_as_far_as_a_buffer_says) {
  check_counts<int>();
  check_counts<std::uint64_t>();
  check_counts<std::int16_t>();
}

TEST(indirect_range, it_is_read_when_the_kernel_starts) {
  sycl::queue q;
  sycl::buffer<int> x = zeroes(most), counts = zeroes(1);
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor c(counts, h, sycl::read_write);
    h.single_task([=] { c[0] = 2 * c[0] + 1; });
  });
  q.submit([&](sycl::handler& h) { add_ones(h, x, counts); });
  graph.end_recording();
  auto made = graph.finalize();
  std::vector<int> expected(most, 0);
  int count = 0;
  for (int k = 0; k < 12; ++k) {
    q.ext_oneapi_graph(made);
    count = 2 * count + 1;
    for (int i = 0; i < count; ++i) ++expected[static_cast<std::size_t>(i)];
  }
  sycl::host_accessor a(x, sycl::read_only);
  for (std::size_t i = 0; i < most; ++i) ASSERT_EQ(a[i], expected[i]) << i;
}

TEST(indirect_range, it_may_be_in_usm_that_only_the_device_reaches) {
  sycl::queue q{sycl::property::queue::in_order()};
  auto* const count = sycl::malloc_device<unsigned>(1, q);
  int* const x = sycl::malloc_shared<int>(most, q);
  q.fill(x, 0, most);
  q.fill(count, 321U, 1);
  q.submit([&](sycl::handler& h) {
    pia::parallel_for(h, pia::indirect_range(count, sycl::range<1>(most)),
                      [=](sycl::item<1> i) { x[i] += static_cast<int>(i.get_range(0)); });
  });
  q.wait();
  for (std::size_t i = 0; i < most; ++i) ASSERT_EQ(x[i], i < 321 ? int{most} : 0) << i;
  sycl::free(x, q);
  sycl::free(count, q);
}

TEST(indirect_range, has_a_number_for_each_dimension) {
  sycl::queue q;
  sycl::buffer<int, 2> x{sycl::range<2>(40, 30)};
  {
    sycl::host_accessor a(x, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < 40; ++i)
      for (std::size_t j = 0; j < 30; ++j) a[i][j] = 0;
  }
  sycl::buffer<std::size_t> counts{sycl::range<1>(4)};
  set(counts, {99, 17, 5, 99});
  q.submit([&](sycl::handler& h) {
    sycl::accessor a(x, h, sycl::read_write);
    sycl::accessor c(counts, h, sycl::range<1>(2), sycl::id<1>(1), sycl::read_only);
    pia::parallel_for(h, pia::indirect_range(c, sycl::range<2>(40, 30)),
                      [=](sycl::id<2> i) { a[i] += 1; });
  });
  sycl::host_accessor a(x, sycl::read_only);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 30; ++j) ASSERT_EQ(a[i][j], i < 17 && j < 5) << i << " " << j;
}

TEST(indirect_range, an_nd_range_runs_whole_work_groups) {
  sycl::queue q;
  sycl::buffer<int> x = zeroes(256), counts = zeroes(1);
  for (const int groups : {0, 3, 16}) {
    set(counts, {groups * 16});
    set(x, std::vector<int>(256, 0));
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(x, h, sycl::read_write);
      sycl::accessor c(counts, h, sycl::read_only);
      sycl::local_accessor<int> shared(16, h);
      pia::parallel_for(h, pia::indirect_range(c, sycl::nd_range<1>(256, 16)),
                        [=](sycl::nd_item<1> it) {
                          shared[it.get_local_id(0)] = static_cast<int>(it.get_local_id(0));
                          sycl::group_barrier(it.get_group());
                          a[it.get_global_id(0)] = shared[15 - it.get_local_id(0)] + 1;
                        });
    });
    sycl::host_accessor a(x, sycl::read_only);
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(a[static_cast<std::size_t>(i)], i < 16 * groups ? 16 - i % 16 : 0) << i;
  }
}

TEST(indirect_range, the_body_of_a_loop_works_on_less_and_less) {
  sycl::queue q;
  sycl::buffer<int> x = zeroes(most), counts = zeroes(1);
  set(counts, {4096});
  graphs::command_graph body(q);
  body.add([&](sycl::handler& h) { add_ones(h, x, counts); });
  body.add([&](sycl::handler& h) {
    sycl::accessor c(counts, h, sycl::read_write);
    h.single_task([=] { c[0] /= 2; });
  });
  graphs::command_graph graph(q);
  graph.add_while(counts, body.finalize());
  auto made = graph.finalize();
  q.ext_oneapi_graph(made);
  sycl::host_accessor a(x, sycl::read_only);
  for (std::size_t i = 0; i < most; ++i) {
    int expected = 0;
    for (std::size_t c = 4096; c != 0; c /= 2) expected += i < c ? 1 : 0;
    ASSERT_EQ(a[i], expected) << i;
  }
}

TEST(indirect_range, an_update_changes_the_bound) {
  told_errors errors;
  sycl::queue q{[&](const sycl::exception_list& l) { errors(l); }};
  sycl::buffer<int> x = zeroes(most), counts = zeroes(1);
  set(counts, {600});
  graphs::command_graph graph(q);
  graphs::node node = graph.add([&](sycl::handler& h) { add_ones(h, x, counts); });
  auto made = graph.finalize({graphs::property::graph::updatable()});
  q.ext_oneapi_graph(made);
  node.update_range(sycl::range<1>(600));
  made.update(node);
  q.ext_oneapi_graph(made);
  q.wait_and_throw();
  EXPECT_EQ(errors.count, 0);
  expect_ones(x, 600, 2);
  node.update_range(sycl::range<1>(599));
  made.update(node);
  q.ext_oneapi_graph(made);
  q.wait_and_throw();
  EXPECT_EQ(errors.count, 1);
}

void expect_beyond(told_errors& errors, const char* number) {
  EXPECT_EQ(errors.count, 1);
  EXPECT_EQ(errors.code, sycl::errc::invalid);
  EXPECT_NE(errors.text.find(number), std::string::npos) << errors.text;
  EXPECT_NE(errors.text.find("bound"), std::string::npos) << errors.text;
  errors = {};
}

TEST(indirect_range, what_is_beyond_the_bound_is_told_and_does_not_run) {
  told_errors errors;
  sycl::queue q{[&](const sycl::exception_list& l) { errors(l); }};
  int* const x = sycl::malloc_shared<int>(most + 1, q);
  auto* const count = sycl::malloc_shared<long long>(1, q);
  for (std::size_t i = 0; i <= most; ++i) x[i] = 0;
  const auto ones = [&](sycl::handler& h) {
    pia::parallel_for(h, pia::indirect_range(count, sycl::range<1>(most)),
                      [=](sycl::id<1> i) { x[i] += 1; });
  };
  graphs::command_graph graph(q);
  graph.add(ones);
  auto made = graph.finalize();
  const auto all_are = [&](int value) {
    for (std::size_t i = 0; i <= most; ++i)
      if (x[i] != (i == most ? 0 : value)) return false;
    return true;
  };
  const auto both = [&](const char* number) {
    q.submit(ones);
    q.wait_and_throw();
    expect_beyond(errors, number);
    q.ext_oneapi_graph(made);
    q.wait_and_throw();
    expect_beyond(errors, number);
  };
  *count = most + 1;
  both("5001");
  *count = -1;
  both("negative");
  EXPECT_TRUE(all_are(0));
  *count = most;
  q.submit(ones);
  q.wait_and_throw();
  q.ext_oneapi_graph(made);
  q.wait_and_throw();
  EXPECT_EQ(errors.count, 0) << errors.text;
  EXPECT_TRUE(all_are(2));
  sycl::free(count, q);
  sycl::free(x, q);
}

TEST(indirect_range, a_part_of_a_work_group_is_told) {
  told_errors errors;
  sycl::queue q{[&](const sycl::exception_list& l) { errors(l); }};
  auto* const count = sycl::malloc_shared<int>(2, q);
  int* const x = sycl::malloc_shared<int>(1, q);
  count[0] = 4;
  count[1] = 24;
  *x = 0;
  q.submit([&](sycl::handler& h) {
    pia::parallel_for(h, pia::indirect_range(count, sycl::nd_range<2>({8, 64}, {2, 16})),
                      [=](sycl::nd_item<2>) { *x = 1; });
  });
  q.wait_and_throw();
  EXPECT_EQ(*x, 0);
  expect_beyond(errors, "24");
  sycl::free(x, q);
  sycl::free(count, q);
}

TEST(indirect_range, what_a_kernel_beyond_its_bound_should_have_written_is_lost) {
  told_errors errors;
  sycl::queue q{[&](const sycl::exception_list& l) { errors(l); }};
  sycl::buffer<int> x = zeroes(most), counts = zeroes(1);
  set(counts, {static_cast<int>(most) + 1});
  q.submit([&](sycl::handler& h) { add_ones(h, x, counts); });
  q.wait_and_throw();
  expect_beyond(errors, "5001");
  expect_error(sycl::errc::runtime, "bound", [&] { sycl::host_accessor(x, sycl::read_only); });
  set(x, std::vector<int>(most, 0));
  set(counts, {7});
  q.submit([&](sycl::handler& h) { add_ones(h, x, counts); });
  expect_ones(x, 7);
  q.wait_and_throw();
  EXPECT_EQ(errors.count, 0);
}

TEST(indirect_range, makes_no_sense) {
  sycl::queue q;
  const auto from = [](const int* counts, auto bound) { pia::indirect_range(counts, bound); };
  expect_error(sycl::errc::invalid, "pointer is null", [&] { from(nullptr, sycl::range<1>(8)); });
  const int some = 3;
  expect_error(sycl::errc::invalid, "no work-items", [&] { from(&some, sycl::range<2>(8, 0)); });
  sycl::buffer<int> counts = zeroes(2);
  expect_error(sycl::errc::invalid, "covers 2 elements", [&] {
    q.submit([&](sycl::handler& h) {
      sycl::accessor c(counts, h, sycl::read_only);
      pia::parallel_for(h, pia::indirect_range(c, sycl::range<3>(8, 8, 8)), [=](sycl::id<3>) {});
    });
  });
}

}  // namespace
