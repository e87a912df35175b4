// SPDX-License-Identifier: Apache-2.0
// 4.9.5: specialization constants, set by a handler or in a kernel bundle.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "errors.hpp"

namespace {

enum class colour : unsigned char { red, green, blue };
struct point {
  double x;
  std::int16_t y;
  bool operator==(const point& other) const { return x == other.x && y == other.y; }
};
struct table {
  int entries[50];
};

constexpr sycl::specialization_id<int> number{42};
constexpr sycl::specialization_id<bool> flag{true};
constexpr sycl::specialization_id<char> letter{'p'};
constexpr sycl::specialization_id<std::uint64_t> large{0x123456789abcdef0U};
constexpr sycl::specialization_id<float> single{1.5F};
constexpr sycl::specialization_id<double> real{-2.25};
constexpr sycl::specialization_id<colour> hue{colour::green};
constexpr sycl::specialization_id<point> place{point{0.5, 3}};
constexpr sycl::specialization_id<table> numbers{};
constexpr sycl::specialization_id<int> never_read{1};
constexpr sycl::specialization_id<int> leftover{2};
inline constexpr sycl::specialization_id<sycl::vec<float, 4>> vector{
    sycl::vec<float, 4>(1, 2, 3, 4)};
struct holder {
  static constexpr sycl::specialization_id<int> member{7};
};
template <int N>
inline constexpr sycl::specialization_id<int> numbered{N};
template <int N>
inline constexpr sycl::specialization_id<table> tables{};
struct alignas(64) line {
  int entries[16];
};
template <int N>
inline constexpr sycl::specialization_id<line> lines{};

/// What a kernel reads.
struct values {
  int number;
  bool flag;
  char letter;
  std::uint64_t large;
  float single;
  double real;
  colour hue;
  point place;
  int member;
  int last_entry;
  float component;
};

/// Reader: a kernel_handler or a handler.
template <class Reader>
values read_all(Reader& reader) {
  return {reader.template get_specialization_constant<number>(),
          reader.template get_specialization_constant<flag>(),
          reader.template get_specialization_constant<letter>(),
          reader.template get_specialization_constant<large>(),
          reader.template get_specialization_constant<single>(),
          reader.template get_specialization_constant<real>(),
          reader.template get_specialization_constant<hue>(),
          reader.template get_specialization_constant<place>(),
          reader.template get_specialization_constant<holder::member>(),
          reader.template get_specialization_constant<numbers>().entries[49],
          reader.template get_specialization_constant<vector>()[2]};
}

void set_all(sycl::handler& h) {
  h.set_specialization_constant<number>(-1);
  h.set_specialization_constant<flag>(false);
  h.set_specialization_constant<letter>('q');
  h.set_specialization_constant<large>(5);
  h.set_specialization_constant<single>(2.5F);
  h.set_specialization_constant<real>(1e300);
  h.set_specialization_constant<hue>(colour::blue);
  h.set_specialization_constant<place>(point{7, -7});
  h.set_specialization_constant<holder::member>(70);
  table full{};
  full.entries[49] = 49;
  h.set_specialization_constant<numbers>(full);
  h.set_specialization_constant<vector>(sycl::vec<float, 4>(5, 6, 7, 8));
}

void expect_defaults(const values& v) {
  EXPECT_EQ(v.number, 42);
  EXPECT_EQ(v.flag, true);
  EXPECT_EQ(v.letter, 'p');
  EXPECT_EQ(v.large, 0x123456789abcdef0U);
  EXPECT_EQ(v.single, 1.5F);
  EXPECT_EQ(v.real, -2.25);
  EXPECT_EQ(v.hue, colour::green);
  EXPECT_TRUE(v.place == (point{0.5, 3}));
  EXPECT_EQ(v.member, 7);
  EXPECT_EQ(v.last_entry, 0);
  EXPECT_EQ(v.component, 3.0F);
}
void expect_set(const values& v) {
  EXPECT_EQ(v.number, -1);
  EXPECT_EQ(v.flag, false);
  EXPECT_EQ(v.letter, 'q');
  EXPECT_EQ(v.large, 5U);
  EXPECT_EQ(v.single, 2.5F);
  EXPECT_EQ(v.real, 1e300);
  EXPECT_EQ(v.hue, colour::blue);
  EXPECT_TRUE(v.place == (point{7, -7}));
  EXPECT_EQ(v.member, 70);
  EXPECT_EQ(v.last_entry, 49);
  EXPECT_EQ(v.component, 7.0F);
}

template <class Group>
values values_in_kernel(Group&& group) {
  sycl::queue q;
  values result{};
  {
    sycl::buffer<values, 1> out(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only);
      group(h);
      h.single_task([=](sycl::kernel_handler kh) { to[0] = read_all(kh); });
    });
  }
  return result;
}

TEST(specialization_constants, have_their_defaults_where_nothing_was_set) {
  expect_defaults(values_in_kernel([](sycl::handler&) {}));
}

TEST(specialization_constants, have_the_values_that_the_handler_set) {
  expect_set(values_in_kernel([](sycl::handler& h) { set_all(h); }));
}

TEST(specialization_constants, may_be_set_behind_the_kernel_as_well) {
  sycl::queue q;
  int result = 0;
  {
    sycl::buffer<int, 1> out(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only);
      h.single_task(
          [=](sycl::kernel_handler kh) { to[0] = kh.get_specialization_constant<number>(); });
      h.set_specialization_constant<number>(3);
      h.set_specialization_constant<number>(4);
    });
  }
  EXPECT_EQ(result, 4);
}

TEST(specialization_constants, are_of_the_command_group_that_set_them_alone) {
  sycl::queue q;
  std::vector<int> result(3);
  {
    sycl::buffer<int, 1> out(result.data(), sycl::range<1>(3));
    for (int i = 0; i < 3; ++i)
      q.submit([&](sycl::handler& h) {
        sycl::accessor to(out, h, sycl::read_write);
        if (i != 1) h.set_specialization_constant<number>(i);
        h.single_task(
            [=](sycl::kernel_handler kh) { to[i] = kh.get_specialization_constant<number>(); });
      });
  }
  EXPECT_EQ(result, (std::vector<int>{0, 42, 2}));
}

TEST(specialization_constants, are_read_back_from_the_handler) {
  sycl::queue q;
  q.submit([&](sycl::handler& h) {
    expect_defaults(read_all(h));
    set_all(h);
    expect_set(read_all(h));
    h.single_task([] {});
  });
}

TEST(specialization_constants, reach_every_kind_of_kernel) {
  sycl::queue q;
  std::vector<int> result(8, 0);
  {
    sycl::buffer<int, 1> out(result.data(), sycl::range<1>(8));
    const auto run = [&](auto&& launch) {
      q.submit([&](sycl::handler& h) {
        sycl::accessor to(out, h, sycl::read_write);
        h.set_specialization_constant<number>(1);
        launch(h, to);
      });
    };
    run([](sycl::handler& h, auto to) {
      h.parallel_for(sycl::range<1>(8), [=](sycl::id<1> i, sycl::kernel_handler kh) {
        to[i] += kh.get_specialization_constant<number>();
      });
    });
    run([](sycl::handler& h, auto to) {
      h.parallel_for(sycl::range<2>(2, 4), [=](sycl::item<2> i, sycl::kernel_handler kh) {
        to[i.get_linear_id()] += 10 * kh.get_specialization_constant<number>();
      });
    });
    run([](sycl::handler& h, auto to) {
      h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i, sycl::kernel_handler kh) {
        sycl::group_barrier(i.get_group());
        to[i.get_global_id()] += 100 * kh.get_specialization_constant<number>();
      });
    });
  }
  EXPECT_EQ(result, std::vector<int>(8, 111));
}

TEST(specialization_constants, reach_kernels_with_reductions_where_they_are_set_before) {
  sycl::queue q;
  int sums[2] = {0, 0};
  {
    sycl::buffer<int, 1> one(&sums[0], sycl::range<1>(1)), two(&sums[1], sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      h.set_specialization_constant<number>(3);
      h.parallel_for(sycl::range<1>(10), sycl::reduction(one, h, sycl::plus<int>()),
                     [=](sycl::id<1>, auto& sum, sycl::kernel_handler kh) {
                       sum += kh.get_specialization_constant<number>();
                     });
      EXPECT_EQ(code_of([&] { h.set_specialization_constant<number>(4); }), sycl::errc::invalid);
    });
    q.submit([&](sycl::handler& h) {
      h.parallel_for(sycl::nd_range<1>(8, 4), sycl::reduction(two, h, sycl::plus<int>()),
                     [=](sycl::nd_item<1>, auto& sum, sycl::kernel_handler kh) {
                       sum += kh.get_specialization_constant<number>();
                     });
    });
  }
  EXPECT_EQ(sums[0], 30);
  EXPECT_EQ(sums[1], 8 * 42);
}

TEST(specialization_constants, of_one_type_and_default_are_told_apart) {
  sycl::queue q;
  std::vector<int> result(2);
  {
    sycl::buffer<int, 1> out(result.data(), sycl::range<1>(2));
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::read_write);
      h.set_specialization_constant<numbered<5>>(50);
      h.single_task([=](sycl::kernel_handler kh) {
        to[0] = kh.get_specialization_constant<numbered<5>>();
        to[1] = kh.get_specialization_constant<numbered<6>>();
      });
    });
  }
  EXPECT_EQ(result, (std::vector<int>{50, 6}));
}

class with_constants;

int run_bundle(sycl::queue& q, const sycl::kernel_bundle<sycl::bundle_state::executable>& bundle) {
  int result = 0;
  {
    sycl::buffer<int, 1> out(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only);
      h.use_kernel_bundle(bundle);
      h.single_task<with_constants>(
          [=](sycl::kernel_handler kh) { to[0] = kh.get_specialization_constant<number>(); });
    });
  }
  return result;
}

TEST(specialization_constants, have_the_values_that_the_bundle_was_built_with) {
  using sycl::bundle_state;
  sycl::queue q;
  auto input = sycl::get_kernel_bundle<with_constants, bundle_state::input>(q.get_context());
  EXPECT_EQ(input.get_specialization_constant<number>(), 42);
  input.set_specialization_constant<number>(6);
  EXPECT_EQ(input.get_specialization_constant<number>(), 6);
  const auto built = sycl::build(input);
  const auto linked = sycl::link(sycl::compile(input));
  input.set_specialization_constant<number>(8);
  EXPECT_EQ(built.get_specialization_constant<number>(), 6);
  EXPECT_EQ(run_bundle(q, built), 6);
  EXPECT_EQ(run_bundle(q, linked), 6);
  EXPECT_EQ(run_bundle(q, sycl::build(input)), 8);
  EXPECT_EQ(run_bundle(q, sycl::get_kernel_bundle<bundle_state::executable>(q.get_context())), 42);
}

TEST(specialization_constants, that_kernels_read_are_known_to_bundles) {
  sycl::queue q;
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  EXPECT_TRUE(bundle.contains_specialization_constants());
  EXPECT_FALSE(bundle.native_specialization_constant());
  EXPECT_TRUE(bundle.has_specialization_constant<number>());
  EXPECT_FALSE(bundle.has_specialization_constant<never_read>());
}

TEST(specialization_constants, of_a_handler_and_of_a_bundle_exclude_each_other) {
  sycl::queue q;
  const auto bundle = sycl::get_kernel_bundle<sycl::bundle_state::executable>(q.get_context());
  q.submit([&](sycl::handler& h) {
    h.use_kernel_bundle(bundle);
    EXPECT_EQ(code_of([&] { h.set_specialization_constant<number>(1); }), sycl::errc::invalid);
    EXPECT_EQ(code_of([&] { h.get_specialization_constant<number>(); }), sycl::errc::invalid);
  });
  q.submit([&](sycl::handler& h) {
    h.set_specialization_constant<number>(1);
    EXPECT_EQ(code_of([&] { h.use_kernel_bundle(bundle); }), sycl::errc::invalid);
  });
}

TEST(specialization_constants, replay_with_the_values_of_their_recording) {
  namespace experimental = sycl::ext::oneapi::experimental;
  sycl::queue q;
  int* result = sycl::malloc_host<int>(1, q);
  experimental::command_graph graph(q);
  graph.begin_recording(q);
  q.submit([&](sycl::handler& h) {
    h.set_specialization_constant<number>(9);
    h.single_task(
        [=](sycl::kernel_handler kh) { *result += kh.get_specialization_constant<number>(); });
  });
  graph.end_recording(q);
  *result = 0;
  auto executable = graph.finalize();
  q.ext_oneapi_graph(executable).wait();
  q.ext_oneapi_graph(executable).wait();
  EXPECT_EQ(*result, 18);
  sycl::free(result, q);
}

// More of them, and larger ones, than fit where the values of most kernels are.
template <int... N, class Set>
void set_many(std::integer_sequence<int, N...>, int first, Set set) {
  (set(std::integral_constant<int, N>(), first + N), ...);
}
template <int... N>
int sum_of_many(std::integer_sequence<int, N...>, const sycl::kernel_handler& kh) {
  int sum = 0;
  const auto add = [&](auto n) {
    constexpr int i = decltype(n)::value;
    const line l = kh.get_specialization_constant<lines<i>>();
    sum += kh.get_specialization_constant<numbered<100 + i>>() +
           kh.get_specialization_constant<tables<i>>().entries[i] + l.entries[15] +
           (reinterpret_cast<std::uintptr_t>(&l) % 64 == 0 ? 0 : 1);
  };
  (add(std::integral_constant<int, N>()), ...);
  return sum;
}
constexpr auto many = std::make_integer_sequence<int, 40>();

// To a handler or a bundle; the sum of what a kernel reads.
template <class Group>
int set_all_of_many(Group& group, int first) {
  int sum = 0;
  set_many(many, first, [&](auto n, int value) {
    constexpr int i = decltype(n)::value;
    table t{};
    t.entries[i] = 2 * value;
    line l{};
    l.entries[15] = 3 * value;
    group.template set_specialization_constant<numbered<100 + i>>(value);
    group.template set_specialization_constant<tables<i>>(t);
    group.template set_specialization_constant<lines<i>>(l);
    sum += 6 * value;
  });
  return sum;
}

TEST(specialization_constants, may_be_many_and_large) {
  sycl::queue q;
  std::vector<int> result(8, -1);
  int expected = 0;
  {
    sycl::buffer<int, 1> out(result.data(), sycl::range<1>(8));
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only, sycl::no_init);
      expected = set_all_of_many(h, 1000);
      h.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> i, sycl::kernel_handler kh) {
        sycl::group_barrier(i.get_group());
        to[i.get_global_id()] = sum_of_many(many, kh);
      });
    });
  }
  EXPECT_EQ(result, std::vector<int>(8, expected));
}

TEST(specialization_constants, may_be_many_that_are_set_behind_the_kernel_and_again) {
  sycl::queue q;
  int result = 0, expected = 0;
  {
    sycl::buffer<int, 1> out(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only);
      set_all_of_many(h, 5);
      h.single_task([=](sycl::kernel_handler kh) { to[0] = sum_of_many(many, kh); });
      expected = set_all_of_many(h, 77);
    });
  }
  EXPECT_EQ(result, expected);
}

TEST(specialization_constants, may_be_many_in_kernels_with_reductions) {
  sycl::queue q;
  int result = 0, expected = 0;
  {
    sycl::buffer<int, 1> out(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      expected = set_all_of_many(h, 3);
      h.parallel_for(
          sycl::range<1>(10), sycl::reduction(out, h, sycl::plus<int>()),
          [=](sycl::id<1>, auto& sum, sycl::kernel_handler kh) { sum += sum_of_many(many, kh); });
    });
  }
  EXPECT_EQ(result, 10 * expected);
}

class with_many_constants;

TEST(specialization_constants, may_be_many_of_a_bundle) {
  using sycl::bundle_state;
  sycl::queue q;
  auto input = sycl::get_kernel_bundle<with_many_constants, bundle_state::input>(q.get_context());
  const int expected = set_all_of_many(input, 11);
  const auto built = sycl::build(input);
  int result = 0;
  {
    sycl::buffer<int, 1> out(&result, sycl::range<1>(1));
    q.submit([&](sycl::handler& h) {
      sycl::accessor to(out, h, sycl::write_only);
      h.use_kernel_bundle(built);
      h.single_task<with_many_constants>(
          [=](sycl::kernel_handler kh) { to[0] = sum_of_many(many, kh); });
    });
  }
  EXPECT_EQ(result, expected);
}

TEST(specialization_constants, may_be_many_in_graphs) {
  namespace experimental = sycl::ext::oneapi::experimental;
  sycl::queue q;
  int* const result = sycl::malloc_host<int>(1, q);
  experimental::command_graph graph(q);
  int expected = 0;
  graph.add([&](sycl::handler& h) {
    expected = set_all_of_many(h, 21);
    h.single_task([=](sycl::kernel_handler kh) { *result += sum_of_many(many, kh); });
  });
  *result = 0;
  {
    auto executable = graph.finalize();
    for (int i = 0; i < 3; ++i) q.ext_oneapi_graph(executable).wait();
  }
  EXPECT_EQ(*result, 3 * expected);
  sycl::free(result, q);
}

static_assert(!std::is_copy_constructible_v<sycl::specialization_id<int>>);
static_assert(!std::is_copy_assignable_v<sycl::specialization_id<int>>);
static_assert(std::is_same_v<sycl::specialization_id<point>::value_type, point>);

// Leaves `word`, again and again, where the next function called has its variables.
__attribute__((noinline)) void leave_on_the_stack(std::uint64_t word) {
  volatile std::uint64_t words[4096];
  for (auto& w : words) w = word;
}

__attribute__((noinline)) int launch_with_constants(sycl::queue& q, int* result) {
  q.submit([&](sycl::handler& h) {
     h.set_specialization_constant<leftover>(5);
     h.single_task<class reads_leftover>(
         [=](sycl::kernel_handler k) { *result = k.get_specialization_constant<leftover>(); });
   }).wait();
  return *result;
}

TEST(specialization_constants, are_launched_where_an_accessor_that_nobody_requires_was_before) {
  sycl::queue q;
  int* const result = sycl::malloc_shared<int>(1, q);
  sycl::buffer<int> b(1);
  const sycl::accessor<int, 1, sycl::access_mode::read_write, sycl::target::device,
                       sycl::access::placeholder::true_t>
      placeholder(b);
  std::uint64_t words[sizeof(placeholder) / sizeof(std::uint64_t)];
  std::memcpy(words, static_cast<const void*>(&placeholder), sizeof(words));
  for (const std::uint64_t word : words) {
    leave_on_the_stack(word);
    EXPECT_EQ(launch_with_constants(q, result), 5);
  }
  sycl::free(result, q);
}

}  // namespace
