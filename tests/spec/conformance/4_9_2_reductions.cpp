// SPDX-License-Identifier: Apache-2.0
// 4.9.2: reduction variables.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

#include "errors.hpp"

namespace {

// Device memory that a test sets and reads.
template <class T>
class variable {
 public:
  variable(sycl::queue q, std::vector<T> values)
      : queue_(q), count_(values.size()), data_(sycl::malloc_device<T>(count_, q)) {
    q.copy(values.data(), data_, count_).wait();
  }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() { sycl::free(data_, queue_); }
  T* get() const { return data_; }
  std::vector<T> values() {
    std::vector<T> all(count_);
    queue_.copy(data_, all.data(), count_).wait();
    return all;
  }
  T value() { return values()[0]; }

 private:
  sycl::queue queue_;
  std::size_t count_;
  T* data_;
};

class reductions : public ::testing::TestWithParam<std::size_t> {
 protected:
  sycl::queue q;
  sycl::property_list initialise{sycl::property::reduction::initialize_to_identity()};
};

// Of every size: fewer work-items than lanes of a vector, than a block, and many blocks.
TEST_P(reductions, over_a_range_sum_every_item_once) {
  const std::size_t n = GetParam();
  variable<std::uint64_t> sum(q, {7});
  variable<double> real(q, {0.5});
  q.parallel_for(sycl::range<1>(n), sycl::reduction(sum.get(), sycl::plus<>()),
                 sycl::reduction(real.get(), sycl::plus<double>()),
                 [](sycl::id<1> i, auto& s, auto& r) {
                   s += i[0] + 1;
                   r += static_cast<double>(i[0] % 8);
                 })
      .wait();
  EXPECT_EQ(sum.value(), 7 + n * (n + 1) / 2);
  double expected = 0.5;
  for (std::size_t i = 0; i < n; ++i) expected += static_cast<double>(i % 8);
  EXPECT_DOUBLE_EQ(real.value(), expected);
}

TEST_P(reductions, over_a_range_of_two_or_three_dimensions_give_every_item_its_place) {
  const std::size_t n = GetParam();
  variable<std::uint64_t> sum(q, {0}), weighted(q, {0});
  q.parallel_for(sycl::range<2>(n, 3), sycl::reduction(sum.get(), sycl::plus<>()),
                 [](sycl::item<2> i, auto& s) { s += i.get_linear_id(); })
      .wait();
  q.parallel_for(sycl::range<3>(3, n, 5), sycl::reduction(weighted.get(), sycl::plus<>()),
                 [](sycl::id<3> i, auto& s) { s += i[0] * 1000000 + i[1] * 7 + i[2]; })
      .wait();
  EXPECT_EQ(sum.value(), n == 0 ? 0 : 3 * n * (3 * n - 1) / 2);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < 5; ++k) expected += i * 1000000 + j * 7 + k;
  EXPECT_EQ(weighted.value(), expected);
}

TEST_P(reductions, over_a_range_are_the_same_in_every_run) {
  const std::size_t n = GetParam();
  float first = 0;
  for (int run = 0; run < 4; ++run) {
    variable<float> sum(q, {0});
    q.parallel_for(sycl::range<1>(n), sycl::reduction(sum.get(), sycl::plus<>()),
                   [](sycl::id<1> i, auto& s) { s += 1.0F / static_cast<float>(i[0] + 1); })
        .wait();
    if (run == 0) first = sum.value();
    EXPECT_EQ(sum.value(), first);
  }
}

TEST_P(reductions, of_a_span_keep_its_variables_apart) {
  const std::size_t n = GetParam();
  constexpr std::size_t few = 4, many = 300;
  std::vector<int> start(many);
  std::iota(start.begin(), start.end(), 0);
  variable<int> some(q, std::vector<int>(start.begin(), start.begin() + few)), bins(q, start);
  variable<int> in_groups(q, std::vector<int>(few, 0));
  q.parallel_for(sycl::range<1>(n),
                 sycl::reduction(sycl::span<int, few>(some.get(), few), sycl::plus<>()),
                 sycl::reduction(sycl::span<int, many>(bins.get(), many), sycl::plus<int>()),
                 [](sycl::id<1> i, auto& s, auto& b) {
                   s[i[0] % few] += 2;
                   b[i[0] % many]++;
                 })
      .wait();
  q.parallel_for(sycl::nd_range<1>(n * 8, 8),
                 sycl::reduction(sycl::span<int, few>(in_groups.get(), few), sycl::plus<>()),
                 [](sycl::nd_item<1> i, auto& s) {
                   s[i.get_local_id(0) % few].combine(static_cast<int>(i.get_group(0)));
                 })
      .wait();
  std::vector<int> expected_few(start.begin(), start.begin() + few), expected_many = start;
  for (std::size_t i = 0; i < n; ++i) {
    expected_few[i % few] += 2;
    expected_many[i % many] += 1;
  }
  EXPECT_EQ(some.values(), expected_few);
  EXPECT_EQ(bins.values(), expected_many);
  EXPECT_EQ(in_groups.values(), std::vector<int>(few, n == 0 ? 0 : static_cast<int>(n * (n - 1))));
}

TEST_P(reductions, over_an_nd_range_sum_every_item_once) {
  const std::size_t groups = GetParam() % 100 + 1;
  variable<int> items(q, {1}), barred(q, {0});
  variable<std::uint64_t> places(q, {0});
  q.parallel_for(sycl::nd_range<1>(groups * 24, 24), sycl::reduction(items.get(), sycl::plus<>()),
                 sycl::reduction(places.get(), sycl::plus<>()),
                 [](sycl::nd_item<1> i, auto& n, auto& p) {
                   ++n;
                   p += i.get_global_linear_id();
                 })
      .wait();
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(12, h);
     h.parallel_for(sycl::nd_range<2>({groups * 3, 8}, {3, 4}),
                    sycl::reduction(barred.get(), sycl::plus<>()),
                    [=](sycl::nd_item<2> i, auto& sum) {
                      local[i.get_local_linear_id()] = static_cast<int>(i.get_local_linear_id());
                      sycl::group_barrier(i.get_group());
                      sum += local[11 - i.get_local_linear_id()];
                    });
   }).wait();
  const std::size_t n = groups * 24;
  EXPECT_EQ(items.value(), static_cast<int>(1 + n));
  EXPECT_EQ(places.value(), n * (n - 1) / 2);
  EXPECT_EQ(barred.value(), static_cast<int>(groups * 2 * 66));
}

INSTANTIATE_TEST_SUITE_P(sizes, reductions,
                         ::testing::Values(0, 1, 2, 15, 16, 17, 63, 100, 129, 1000, 20011));

class reduction_variables : public ::testing::Test {
 protected:
  sycl::queue q;
};

TEST_F(reduction_variables, in_buffers_count_their_old_value_unless_told_otherwise) {
  int sum = 10, product = 3, least = -5;
  {
    sycl::buffer<int> sums(&sum, 1), products(&product, 1);
    sycl::buffer<int, 2> leasts(&least, sycl::range<2>(1, 1));
    q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(6), sycl::reduction(sums, h, sycl::plus<>()),
                     sycl::reduction(products, h, sycl::multiplies<int>(),
                                     sycl::property::reduction::initialize_to_identity()),
                     sycl::reduction(leasts, h, sycl::minimum<>(),
                                     {sycl::property::reduction::initialize_to_identity()}),
                     [=](sycl::id<1> i, auto& s, auto& p, auto& l) {
                       s += 1;
                       p *= static_cast<int>(i[0] + 1);
                       l.combine(static_cast<int>(i[0]) + 40);
                     });
    });
  }
  EXPECT_EQ(sum, 16);
  EXPECT_EQ(product, 720);
  EXPECT_EQ(least, 40);
}

TEST_F(reduction_variables, that_nothing_is_combined_with_keep_their_value) {
  variable<int> known(q, {4}), set(q, {4}), unknown(q, {4});
  const auto larger = [](int a, int b) { return a < b ? b : a; };
  q.parallel_for(sycl::range<1>(50), sycl::reduction(known.get(), sycl::plus<>()),
                 sycl::reduction(set.get(), sycl::plus<>(),
                                 sycl::property::reduction::initialize_to_identity()),
                 sycl::reduction(unknown.get(), larger), [](sycl::id<1>, auto&, auto&, auto&) {})
      .wait();
  EXPECT_EQ(known.value(), 4);
  EXPECT_EQ(set.value(), 0);
  EXPECT_EQ(unknown.value(), 4);
}

TEST_F(reduction_variables, without_an_identity_take_only_what_is_combined) {
  variable<int> value(q, {-100}), in_groups(q, {-100});
  const auto larger = [](int a, int b) { return a < b ? b : a; };
  q.parallel_for(sycl::range<1>(5000), sycl::reduction(value.get(), larger),
                 [](sycl::id<1> i, auto& r) {
                   if (i[0] == 1234 || i[0] == 77) r.combine(-static_cast<int>(i[0]));
                 })
      .wait();
  EXPECT_EQ(value.value(), -77);
  q.parallel_for(sycl::nd_range<1>(512, 16), sycl::reduction(in_groups.get(), larger),
                 [](sycl::nd_item<1> i, auto& r) {
                   if (i.get_global_id(0) == 333) r.combine(-33);
                 })
      .wait();
  EXPECT_EQ(in_groups.value(), -33);
}

struct extent {
  int low, high;
};
struct widen {
  extent operator()(const extent& a, const extent& b) const {
    return {a.low < b.low ? a.low : b.low, a.high < b.high ? b.high : a.high};
  }
};

TEST_F(reduction_variables, may_have_a_type_an_operation_and_an_identity_of_the_programs_own) {
  const extent nothing{1 << 20, -(1 << 20)};
  variable<extent> whole(q, {nothing}), set(q, {{-1, 1}});
  q.parallel_for(sycl::range<1>(3000), sycl::reduction(whole.get(), widen()),
                 sycl::reduction(set.get(), nothing, widen(),
                                 sycl::property::reduction::initialize_to_identity()),
                 [](sycl::id<1> i, auto& w, auto& s) {
                   const int x = static_cast<int>((i[0] * 37) % 3000);
                   w.combine({x, x});
                   if (x > 100 && x < 200) s.combine({x, x});
                 })
      .wait();
  EXPECT_EQ(whole.value().low, 0);
  EXPECT_EQ(whole.value().high, 2999);
  EXPECT_EQ(set.value().low, 101);
  EXPECT_EQ(set.value().high, 199);
}

TEST_F(reduction_variables, of_buffers_with_several_elements_are_refused) {
  sycl::buffer<int> two(2);
  const auto reduce = [&] {
    q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::range<1>(1), sycl::reduction(two, h, sycl::plus<>()),
                     [=](sycl::id<1>, auto&) {});
    });
  };
  EXPECT_EQ(code_of(reduce), sycl::errc::invalid);
}

// 4.9.2.3
template <class Operation, class Use>
void expect_operator(sycl::queue q, std::uint32_t start, std::uint32_t expected, const Use& use) {
  variable<std::uint32_t> v(q, {start});
  q.parallel_for(sycl::range<1>(40), sycl::reduction(v.get(), Operation()),
                 [use](sycl::id<1> i, auto& r) { use(static_cast<std::uint32_t>(i[0]), r); })
      .wait();
  EXPECT_EQ(v.value(), expected);
}

TEST(reducers, have_the_operators_of_their_operation) {
  sycl::queue q;
  using u = std::uint32_t;
  expect_operator<sycl::plus<u>>(q, 0, 780, [](u i, auto& r) { r += i; });
  expect_operator<sycl::plus<>>(q, 2, 82, [](u, auto& r) {
    ++r;
    r++;
  });
  expect_operator<sycl::multiplies<u>>(q, 3, 3u << 20, [](u i, auto& r) {
    if (i % 2 == 0) r *= 2u;
  });
  expect_operator<sycl::bit_and<>>(q, 0xff, 0xf0, [](u i, auto& r) { r &= 0xf0 | (i & 1); });
  expect_operator<sycl::bit_or<u>>(q, 0x100, 0x13f, [](u i, auto& r) { r |= i & 0x3f; });
  expect_operator<sycl::bit_xor<u>>(q, 0, 7, [](u i, auto& r) {
    if (i < 3) r ^= 1u << i;
  });
  expect_operator<sycl::maximum<>>(q, 5, 39, [](u i, auto& r) { r.combine(i); });
}

TEST(reducers, know_their_type_and_identity) {
  sycl::queue q;
  variable<int> product(q, {1}), custom(q, {0});
  variable<int> seen(q, {0, 0});
  int* const out = seen.get();
  q.parallel_for(
       sycl::range<1>(1), sycl::reduction(product.get(), sycl::multiplies<int>()),
       sycl::reduction(custom.get(), 17, [](int a, int b) { return a + b - 17; }),
       [out](sycl::id<1>, auto& p, auto& c) {
         using reducer = std::remove_reference_t<decltype(p)>;
         static_assert(std::is_same_v<typename reducer::value_type, int>);
         static_assert(std::is_same_v<typename reducer::binary_operation, sycl::multiplies<int>>);
         static_assert(reducer::dimensions == 0);
         static_assert(!std::is_copy_constructible_v<reducer>);
         static_assert(!std::is_copy_assignable_v<reducer>);
         static_assert(std::is_same_v<decltype(p.combine(1)), reducer&>);
         static_assert(std::is_same_v<decltype(p *= 1), reducer&>);
         out[0] = p.identity();
         out[1] = c.identity();
         p.combine(3).combine(5);
       })
      .wait();
  EXPECT_EQ(seen.values(), (std::vector<int>{1, 17}));
  EXPECT_EQ(product.value(), 15);
}

constexpr sycl::specialization_id<int> step(1);

TEST(reducers, come_before_a_kernel_handler) {
  sycl::queue q;
  variable<int> of_range(q, {0}), of_groups(q, {0}), by_default(q, {0});
  const auto add = [](auto, auto& sum, sycl::kernel_handler h) {
    sum += h.get_specialization_constant<step>();
  };
  q.submit([&](sycl::handler& h) {
    h.set_specialization_constant<step>(3);
    h.parallel_for(sycl::range<1>(10), sycl::reduction(of_range.get(), sycl::plus<>()), add);
  });
  q.submit([&](sycl::handler& h) {
    h.set_specialization_constant<step>(4);
    h.parallel_for(sycl::nd_range<1>(20, 5), sycl::reduction(of_groups.get(), sycl::plus<>()), add);
  });
  q.parallel_for(sycl::range<1>(10), sycl::reduction(by_default.get(), sycl::plus<>()), add);
  q.wait();
  EXPECT_EQ(of_range.value(), 30);
  EXPECT_EQ(of_groups.value(), 80);
  EXPECT_EQ(by_default.value(), 10);
}

// 4.6.5.2: the queue's own forms, with events.
TEST(queue_shortcuts, take_reductions_behind_events) {
  sycl::queue q;
  variable<int> v(q, {0});
  int* const p = v.get();
  const auto sum = [&] { return sycl::reduction(p, sycl::plus<>()); };
  const auto one = [](auto, auto& r) { r += 1; };
  sycl::event e = q.single_task([p] { *p = 5; });
  e = q.parallel_for(sycl::range<1>(10), e, sum(), one);
  e = q.parallel_for(sycl::range<2>(10, 2), std::vector<sycl::event>{e}, sum(), one);
  e = q.parallel_for(sycl::nd_range<1>(16, 4), e, sum(), one);
  e = q.parallel_for(sycl::nd_range<1>(16, 4), std::vector<sycl::event>{e}, sum(), one);
  e.wait();
  EXPECT_EQ(v.value(), 5 + 10 + 20 + 16 + 16);
}

TEST(queue_shortcuts, order_a_reduction_like_any_command_of_an_in_order_queue) {
  sycl::queue q{sycl::property::queue::in_order()};
  variable<int> v(q, {1});
  int* const p = v.get();
  for (int round = 0; round < 3; ++round) {
    q.parallel_for(sycl::range<1>(100), sycl::reduction(p, sycl::plus<>()),
                   [](auto, auto& r) { r += 1; });
    q.single_task([p] { *p *= 2; });
  }
  q.wait();
  EXPECT_EQ(v.value(), ((1 + 100) * 2 + 100) * 4 + 200);
}

TEST(recorded_graphs, hold_reductions) {
  namespace graphs = sycl::ext::oneapi::experimental;
  sycl::queue q;
  variable<int> recorded(q, {0}), added(q, {0});
  std::vector<int> data(1000, 1);
  sycl::buffer<int> source(data.data(), data.size());
  graphs::command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    sycl::accessor in(source, h, sycl::read_only);
    h.parallel_for(sycl::range<1>(data.size()), sycl::reduction(recorded.get(), sycl::plus<>()),
                   [=](sycl::id<1> i, auto& r) { r += in[i]; });
  });
  graph.end_recording(q);
  graph.add([&](sycl::handler& h) {
    h.parallel_for(sycl::nd_range<1>(128, 32), sycl::reduction(added.get(), sycl::plus<>()),
                   [=](sycl::nd_item<1>, auto& r) { r += 1; });
  });
  auto executable = graph.finalize();
  for (int replay = 0; replay < 3; ++replay) q.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(recorded.value(), 3000);
  EXPECT_EQ(added.value(), 3 * 128);
}

// 4.9.2: spans whose number of elements the type tells, and one at least.
template <class Span, class = void>
inline constexpr bool is_reduced_by_element = false;
template <class Span>
inline constexpr bool is_reduced_by_element<
    Span, std::void_t<decltype(sycl::reduction(std::declval<Span>(), sycl::plus<>()))>> = true;
static_assert(is_reduced_by_element<sycl::span<int, 4>> &&
              is_reduced_by_element<sycl::span<int, 1>>);
static_assert(!is_reduced_by_element<sycl::span<int>> &&
              !is_reduced_by_element<sycl::span<int, 0>>);

// 4.17.1: identities, which reductions ask for.
TEST(identities, are_known_for_function_objects_of_sycl_and_of_the_standard_library) {
  static_assert(sycl::has_known_identity_v<sycl::plus<>, float>);
  static_assert(sycl::has_known_identity_v<std::plus<int>, int>);
  static_assert(sycl::known_identity_v<std::multiplies<>, int> == 1);
  static_assert(sycl::known_identity_v<sycl::bit_and<>, unsigned> == ~0u);
  static_assert(!sycl::has_known_identity_v<sycl::bit_and<>, float>);
  static_assert(!sycl::has_known_identity_v<widen, extent>);
  static_assert(sycl::known_identity_v<sycl::minimum<>, int> == std::numeric_limits<int>::max());
  static_assert(sycl::known_identity_v<sycl::maximum<>, float> ==
                -std::numeric_limits<float>::infinity());
  static_assert(sycl::has_known_identity_v<sycl::plus<>, sycl::half>);
  SUCCEED();
}

}  // namespace
