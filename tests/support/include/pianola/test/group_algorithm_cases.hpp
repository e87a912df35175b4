// SPDX-License-Identifier: Apache-2.0
// Group algorithms against sequential oracles, for work-groups of one to three dimensions and their
// sub-groups, of many sizes. Who includes this defines, before, in namespace pianola::test:
//   std::vector<std::uint32_t> device_sub_group_sizes();                  what to test with
//   template <int D, class Kernel>
//   void launch(std::uint32_t sub_group_size, sycl::nd_range<D>, Kernel);  runs it; pointers are the host's
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <sycl/sycl.hpp>

namespace group_algorithm_cases {

using pianola::test::device_sub_group_sizes;
using pianola::test::launch;

// What a work-item contributes: different for every index, small enough for products and int8.
template <class T>
T value_at(std::size_t i) {
  return static_cast<T>((i * 7 + 3) % 11) - static_cast<T>(std::is_signed_v<T> ? 5 : 0);
}

struct pixel {
  std::uint8_t r, g, b;
  bool operator==(const pixel& o) const { return r == o.r && g == o.g && b == o.b; }
};
template <>
pixel value_at<pixel>(std::size_t i) {
  return {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i * 3),
          static_cast<std::uint8_t>(i / 5)};
}
struct big {
  double a[3];
  std::int32_t b;
  bool operator==(const big& o) const {
    return a[0] == o.a[0] && a[1] == o.a[1] && a[2] == o.a[2] && b == o.b;
  }
};
template <>
big value_at<big>(std::size_t i) {
  return {{double(i), double(i) / 2, -double(i)}, static_cast<std::int32_t>(i * i)};
}

// Shapes of work-groups: one item, less than a sub-group, ragged last sub-groups, many.
inline const std::vector<sycl::range<3>>& shapes() {
  static const std::vector<sycl::range<3>> all = {
      {1, 1, 1},   {1, 1, 2},  {1, 1, 5},  {1, 1, 7},  {1, 1, 8},  {1, 1, 9},
      {1, 1, 16},  {1, 1, 17}, {1, 1, 31}, {1, 1, 33}, {1, 1, 64}, {1, 1, 100},
      {1, 1, 256}, {1, 3, 5},  {1, 8, 8},  {1, 7, 3},  {2, 3, 4},  {3, 5, 7}};
  return all;
}
constexpr std::size_t groups = 3;

template <int D>
sycl::range<D> last_of(const sycl::range<3>& r) {
  if constexpr (D == 1)
    return sycl::range<1>(r[2]);
  else if constexpr (D == 2)
    return sycl::range<2>(r[1], r[2]);
  else
    return r;
}

// Group of the caller as the test wants it.
struct whole_group {
  template <int D>
  static sycl::group<D> of(const sycl::nd_item<D>& it) {
    return it.get_group();
  }
};
struct its_sub_group {
  template <int D>
  static sycl::sub_group of(const sycl::nd_item<D>& it) {
    return it.get_sub_group();
  }
};

// std::vector<bool> has no bools in memory.
template <class R>
using stored = std::conditional_t<std::is_same_v<R, bool>, char, R>;

// One result of each function per work-item: f(group, value of the work-item). The results of a function are together.
// One kernel for all of them: compiling kernels is what takes time.
template <class Pick, class T, class R, int D, class... F>
std::vector<stored<R>> run(std::uint32_t sub_group_size, const sycl::range<3>& local3,
                           const F&... f) {
  const sycl::range<D> local = last_of<D>(local3);
  sycl::range<D> global = local;
  global[0] *= groups;
  const std::size_t count = global.size();
  std::vector<stored<R>> results(count * sizeof...(f));
  launch(sub_group_size, sycl::nd_range<D>(global, local),
         [=, out = results.data()](sycl::nd_item<D> it) {
           const std::size_t at =
               it.get_group_linear_id() * it.get_local_range().size() + it.get_local_linear_id();
           auto* to = out + at;
           ((*to = f(Pick::of(it), value_at<T>(at)), to += count), ...);
         });
  return results;
}

inline std::size_t size_of_sub_group(std::uint32_t wanted) {
  std::size_t size = 0;
  launch(wanted, sycl::nd_range<1>(64, 64), [out = &size](sycl::nd_item<1> it) {
    if (it.get_local_linear_id() == 0) *out = it.get_sub_group().get_max_local_range()[0];
  });
  return size;
}

// Runs [begin, end) of work-items that form one group, in the order of run's results.
template <class Pick>
std::vector<std::pair<std::size_t, std::size_t>> spans(std::uint32_t sub_group_size,
                                                       std::size_t local) {
  const std::size_t width =
      std::is_same_v<Pick, whole_group> ? local : size_of_sub_group(sub_group_size);
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t begin = 0; begin < local; begin += width)
      all.emplace_back(g * local + begin, g * local + std::min(begin + width, local));
  return all;
}

template <class R>
void expect_same(const R& got, const R& wanted, std::size_t at, const sycl::range<3>& local) {
  EXPECT_TRUE(got == wanted) << "work-item " << at << " of groups of " << local[0] << "x"
                             << local[1] << "x" << local[2];
}

// f runs on the device; oracle(values of the group, rank) says what it should give.
template <class F, class Oracle>
struct check {
  F f;
  Oracle oracle;
};
template <class F, class Oracle>
check(F, Oracle) -> check<F, Oracle>;

template <class Pick, class T, class R = T, class... Checks>
void check_with_sub_groups_of(std::uint32_t sub_group_size, const Checks&... checks) {
  for (const sycl::range<3>& local : shapes()) {
    std::vector<stored<R>> got;
    if (local[1] == 1) got = run<Pick, T, R, 1>(sub_group_size, local, checks.f...);
    // Dimensions differ in how work-items are counted, not in what they exchange: one type is enough.
    if constexpr (std::is_same_v<T, int>) {
      if (local[0] > 1)
        got = run<Pick, T, R, 3>(sub_group_size, local, checks.f...);
      else if (local[1] > 1)
        got = run<Pick, T, R, 2>(sub_group_size, local, checks.f...);
    }
    if (got.empty()) continue;
    const std::size_t count = got.size() / sizeof...(checks);
    for (const auto& [begin, end] : spans<Pick>(sub_group_size, local.size())) {
      std::vector<T> values;
      for (std::size_t i = begin; i < end; ++i) values.push_back(value_at<T>(i));
      const stored<R>* results = got.data();
      const auto compare = [&, first = begin, behind = end](const auto& oracle) {
        for (std::size_t i = first; i < behind; ++i)
          expect_same<R>(static_cast<R>(results[i]), oracle(values, i - first), i, local);
        results += count;
      };
      (compare(checks.oracle), ...);
    }
  }
}

template <class Pick, class T, class R = T, class... Checks>
void check_all(const Checks&... checks) {
  for (const std::uint32_t size : device_sub_group_sizes())
    check_with_sub_groups_of<Pick, T, R>(size, checks...);
}

template <class T, class Op>
T fold(const std::vector<T>& values, std::size_t count, T total, Op op) {
  for (std::size_t i = 0; i < count; ++i) total = static_cast<T>(op(total, values[i]));
  return total;
}

template <class Pick>
class group_algorithms : public testing::Test {};
using picks = testing::Types<whole_group, its_sub_group>;
TYPED_TEST_SUITE(group_algorithms, picks);

template <class T, class Op>
auto reduction(Op op) {
  const T zero = sycl::known_identity_v<Op, T>;
  return check{[=](auto g, T x) { return sycl::reduce_over_group(g, x, op); },
               [=](const std::vector<T>& v, std::size_t) { return fold(v, v.size(), zero, op); }};
}
template <class T, class Op>
auto reduction_with_init(Op op) {
  const T init = static_cast<T>(2);
  return check{[=](auto g, T x) { return sycl::reduce_over_group(g, x, init, op); },
               [=](const std::vector<T>& v, std::size_t) { return fold(v, v.size(), init, op); }};
}
template <class Pick, class T, class... Op>
void check_reductions(Op... op) {
  check_all<Pick, T>(reduction<T>(op)..., reduction_with_init<T>(op)...);
}

TYPED_TEST(group_algorithms, reduce_every_type_with_every_operation) {
  check_reductions<TypeParam, int>(sycl::plus<int>(), sycl::plus<>(), sycl::minimum<int>(),
                                   sycl::maximum<int>());
  check_reductions<TypeParam, std::int8_t>(sycl::plus<std::int8_t>());
  check_reductions<TypeParam, std::uint16_t>(sycl::multiplies<std::uint16_t>());
  check_reductions<TypeParam, std::int64_t>(sycl::plus<std::int64_t>());
  check_reductions<TypeParam, std::uint64_t>(sycl::bit_xor<std::uint64_t>());
  check_reductions<TypeParam, unsigned>(sycl::bit_and<unsigned>(), sycl::bit_or<unsigned>());
  check_reductions<TypeParam, float>(sycl::plus<float>(), sycl::minimum<float>());
  check_reductions<TypeParam, double>(sycl::plus<double>(), sycl::maximum<double>());
  check_reductions<TypeParam, bool>(sycl::logical_and<bool>(), sycl::logical_or<bool>());
}

TYPED_TEST(group_algorithms, a_reduction_with_init_has_the_type_of_init) {
  check_all<TypeParam, std::int8_t, std::int64_t>(check{
      [=](auto g, std::int8_t x) {
        return sycl::reduce_over_group(g, x, std::int64_t{1} << 40, sycl::plus<std::int64_t>());
      },
      [](const std::vector<std::int8_t>& v, std::size_t) {
        std::int64_t total = std::int64_t{1} << 40;
        for (const std::int8_t x : v) total += x;
        return total;
      }});
}

template <class T, class Op>
auto inclusive_scan(Op op) {
  const T zero = sycl::known_identity_v<Op, T>;
  return check{[=](auto g, T x) { return sycl::inclusive_scan_over_group(g, x, op); },
               [=](const std::vector<T>& v, std::size_t i) { return fold(v, i + 1, zero, op); }};
}
template <class T, class Op>
auto inclusive_scan_with_init(Op op) {
  const T init = static_cast<T>(3);
  return check{[=](auto g, T x) { return sycl::inclusive_scan_over_group(g, x, op, init); },
               [=](const std::vector<T>& v, std::size_t i) { return fold(v, i + 1, init, op); }};
}
template <class T, class Op>
auto exclusive_scan(Op op) {
  const T zero = sycl::known_identity_v<Op, T>;
  return check{[=](auto g, T x) { return sycl::exclusive_scan_over_group(g, x, op); },
               [=](const std::vector<T>& v, std::size_t i) { return fold(v, i, zero, op); }};
}
template <class T, class Op>
auto exclusive_scan_with_init(Op op) {
  const T init = static_cast<T>(3);
  return check{[=](auto g, T x) { return sycl::exclusive_scan_over_group(g, x, init, op); },
               [=](const std::vector<T>& v, std::size_t i) { return fold(v, i, init, op); }};
}
template <class Pick, class T, class... Op>
void check_scans(Op... op) {
  check_all<Pick, T>(inclusive_scan<T>(op)..., inclusive_scan_with_init<T>(op)...,
                     exclusive_scan<T>(op)..., exclusive_scan_with_init<T>(op)...);
}

TYPED_TEST(group_algorithms, scan_in_the_order_of_work_items) {
  check_scans<TypeParam, int>(sycl::plus<int>(), sycl::maximum<>());
  check_scans<TypeParam, std::int8_t>(sycl::plus<std::int8_t>());
  check_scans<TypeParam, std::int64_t>(sycl::minimum<std::int64_t>());
  check_scans<TypeParam, float>(sycl::plus<float>());
  check_scans<TypeParam, double>(sycl::plus<double>());
}

// a*x + b, composed: associative and not commutative.
struct affine {
  std::uint32_t a, b;
  bool operator==(const affine& o) const { return a == o.a && b == o.b; }
};
template <>
affine value_at<affine>(std::size_t i) {
  return {static_cast<std::uint32_t>(i * 2 + 1), static_cast<std::uint32_t>(i)};
}
struct compose {
  affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.a * g.b + f.b}; }
};

TYPED_TEST(group_algorithms, scans_keep_the_order_of_an_operation_that_does_not_commute) {
  check_all<TypeParam, affine>(
      check{[=](auto g, affine x) { return sycl::inclusive_scan_over_group(g, x, compose()); },
            [](const std::vector<affine>& v, std::size_t i) {
              return fold(v, i + 1, affine{1, 0}, compose());
            }},
      check{[=](auto g, affine x) {
              return sycl::exclusive_scan_over_group(g, x, affine{3, 4}, compose());
            },
            [](const std::vector<affine>& v, std::size_t i) {
              return fold(v, i, affine{3, 4}, compose());
            }});
}

template <class Pick, class T>
void check_exchanges() {
  check_all<Pick, T>(
      check{[](auto g, T x) { return sycl::group_broadcast(g, x); },
            [](const std::vector<T>& v, std::size_t) { return v[0]; }},
      check{[](auto g, T x) { return sycl::group_broadcast(g, x, g.get_local_linear_range() - 1); },
            [](const std::vector<T>& v, std::size_t) { return v.back(); }},
      check{[](auto g, T x) {
              typename decltype(g)::id_type last;
              for (int d = 0; d < decltype(g)::dimensions; ++d)
                last[d] = g.get_local_range()[d] - 1;
              return sycl::group_broadcast(g, x, last);
            },
            [](const std::vector<T>& v, std::size_t) { return v.back(); }},
      check{[](auto g, T x) { return sycl::shift_group_left(g, x); },
            [](const std::vector<T>& v, std::size_t i) {
              return i + 1 < v.size() ? v[i + 1] : v[i];
            }},
      check{[](auto g, T x) { return sycl::shift_group_left(g, x, 3); },
            [](const std::vector<T>& v, std::size_t i) {
              return i + 3 < v.size() ? v[i + 3] : v[i];
            }},
      check{[](auto g, T x) { return sycl::shift_group_right(g, x, 2); },
            [](const std::vector<T>& v, std::size_t i) { return i >= 2 ? v[i - 2] : v[i]; }},
      check{[](auto g, T x) { return sycl::permute_group_by_xor(g, x, 5); },
            [](const std::vector<T>& v, std::size_t i) {
              return (i ^ 5) < v.size() ? v[i ^ 5] : v[i];
            }},
      check{[](auto g, T x) {
              typename decltype(g)::id_type mirrored;
              for (int d = 0; d < decltype(g)::dimensions; ++d)
                mirrored[d] = g.get_local_range()[d] - 1 - g.get_local_id()[d];
              return sycl::select_from_group(g, x, mirrored);
            },
            [](const std::vector<T>& v, std::size_t i) { return v[v.size() - 1 - i]; }});
}

TYPED_TEST(group_algorithms, exchange_values_of_any_trivially_copyable_type) {
  check_exchanges<TypeParam, int>();
  check_exchanges<TypeParam, std::int8_t>();
  check_exchanges<TypeParam, std::int64_t>();
  check_exchanges<TypeParam, double>();
  check_exchanges<TypeParam, pixel>();
  check_exchanges<TypeParam, big>();
}

TYPED_TEST(group_algorithms, vote_about_a_bool_or_a_predicate) {
  for (const int limit : {-10, -5, 0, 5, 10}) {
    const auto below = [=](int x) { return x < limit; };
    const auto any = [=](const std::vector<int>& v, std::size_t) {
      return std::any_of(v.begin(), v.end(), below);
    };
    const auto all = [=](const std::vector<int>& v, std::size_t) {
      return std::all_of(v.begin(), v.end(), below);
    };
    const auto none = [=](const std::vector<int>& v, std::size_t) {
      return std::none_of(v.begin(), v.end(), below);
    };
    check_all<TypeParam, int, char>(
        check{[=](auto g, int x) { return sycl::any_of_group(g, below(x)); }, any},
        check{[=](auto g, int x) { return sycl::all_of_group(g, below(x)); }, all},
        check{[=](auto g, int x) { return sycl::none_of_group(g, below(x)); }, none},
        check{[=](auto g, int x) { return sycl::any_of_group(g, x, below); }, any},
        check{[=](auto g, int x) { return sycl::all_of_group(g, x, below); }, all},
        check{[=](auto g, int x) { return sycl::none_of_group(g, x, below); }, none});
  }
}

TYPED_TEST(group_algorithms, follow_each_other_without_a_barrier_between) {
  check_all<TypeParam, int>(
      check{[](auto g, int x) {
              int y = sycl::reduce_over_group(g, x, sycl::plus<int>());
              y += sycl::inclusive_scan_over_group(g, x + y, sycl::plus<int>());
              y += sycl::shift_group_left(g, y);
              y += sycl::group_broadcast(g, y, 0);
              y += sycl::shift_group_right(g, y);
              y += sycl::any_of_group(g, y < 0) ? 1 : 2;
              return sycl::exclusive_scan_over_group(g, y, 7, sycl::plus<int>());
            },
            [](const std::vector<int>& v, std::size_t i) {
              const std::size_t n = v.size();
              std::vector<int> y(n, fold(v, n, 0, sycl::plus<int>()));
              int scan = 0;
              const int total = y[0];
              for (std::size_t k = 0; k < n; ++k) y[k] += scan += v[k] + total;
              auto old = y;
              for (std::size_t k = 0; k < n; ++k) y[k] += old[k + 1 < n ? k + 1 : k];
              const int head = y[0];
              for (int& value : y) value += head;
              old = y;
              for (std::size_t k = 0; k < n; ++k) y[k] += old[k > 0 ? k - 1 : k];
              const bool any = std::any_of(y.begin(), y.end(), [](int value) { return value < 0; });
              for (int& value : y) value += any ? 1 : 2;
              return fold(y, i, 7, sycl::plus<int>());
            }});
}

TYPED_TEST(group_algorithms, work_inside_of_loops) {
  check_all<TypeParam, unsigned>(check{[](auto g, unsigned x) {
                                         for (unsigned round = 0; round < 5; ++round) {
                                           x += sycl::reduce_over_group(g, x * (round + 1),
                                                                        sycl::plus<unsigned>());
                                           if (round % 2 == 0)
                                             x ^= sycl::shift_group_right(g, x, 1);
                                         }
                                         return x;
                                       },
                                       [](const std::vector<unsigned>& v, std::size_t i) {
                                         std::vector<unsigned> x = v;
                                         for (unsigned round = 0; round < 5; ++round) {
                                           unsigned total = 0;
                                           for (const unsigned value : x)
                                             total += value * (round + 1);
                                           for (unsigned& value : x) value += total;
                                           const std::vector<unsigned> old = x;
                                           if (round % 2 == 0)
                                             for (std::size_t k = 0; k < x.size(); ++k)
                                               x[k] ^= old[k > 0 ? k - 1 : k];
                                         }
                                         return x[i];
                                       }});
}

TEST(sub_group_algorithms, may_be_called_by_some_sub_groups_only) {
  // The first work-item takes part: library-only mode needs it to.
  for (const std::uint32_t size : device_sub_group_sizes())
    for (const sycl::range<3>& local : shapes()) {
      if (local[1] > 1) continue;
      const auto got = run<its_sub_group, int, int, 1>(size, local, [](sycl::sub_group g, int x) {
        if (g.get_group_linear_id() % 2 == 0) x = sycl::reduce_over_group(g, x, sycl::plus<int>());
        return x;
      });
      std::size_t number = 0;
      for (const auto& [begin, end] : spans<its_sub_group>(size, local.size())) {
        if (begin % local.size() == 0) number = 0;
        int total = 0;
        for (std::size_t i = begin; i < end; ++i) total += value_at<int>(i);
        for (std::size_t i = begin; i < end; ++i)
          expect_same(got[i], number % 2 == 0 ? total : value_at<int>(i), i, local);
        ++number;
      }
    }
}

TEST(sub_group_algorithms, are_followed_by_work_group_algorithms) {
  for (const std::uint32_t size : device_sub_group_sizes())
    for (const sycl::range<3>& local : shapes()) {
      if (local[1] > 1) continue;
      std::vector<int> totals(groups);
      launch(size, sycl::nd_range<1>(local[2] * groups, local[2]),
             [out = totals.data()](sycl::nd_item<1> it) {
               const auto sg = it.get_sub_group();
               const int part = sycl::reduce_over_group(
                   sg, value_at<int>(it.get_global_linear_id()), sycl::plus<int>());
               const int total = sycl::reduce_over_group(it.get_group(), sg.leader() ? part : 0,
                                                         sycl::plus<int>());
               if (it.get_group().leader()) out[it.get_group(0)] = total;
             });
      for (std::size_t g = 0; g < groups; ++g) {
        int total = 0;
        for (std::size_t i = 0; i < local[2]; ++i) total += value_at<int>(g * local[2] + i);
        EXPECT_EQ(totals[g], total) << "groups of " << local[2];
      }
    }
}

// Joint algorithms on `count` elements per group; the group's items number `items`.
template <class Pick, class F, class Oracle>
void check_joint(const F& f, const Oracle& oracle) {
  for (const std::uint32_t size : device_sub_group_sizes())
    for (const std::size_t items : {1, 4, 5, 8, 16, 30})
      for (const std::size_t count : {0, 1, 4, 16, 61, 200}) {
        if (std::is_same_v<Pick, its_sub_group> && items > size_of_sub_group(size)) continue;
        std::vector<int> in(count + 1), out(count + 2, -1);
        for (std::size_t i = 0; i < count; ++i) in[i] = value_at<int>(i);
        launch(size, sycl::nd_range<1>(items, items),
               [=, from = in.data(), to = out.data()](sycl::nd_item<1> it) {
                 const int* first = from;
                 const int result = f(Pick::of(it), first, first + count, to);
                 if (it.get_local_linear_id() + 1 == items) to[count + 1] = result;
               });
        std::vector<int> wanted(count + 2, -1);
        wanted[count + 1] = oracle(in.data(), in.data() + count, wanted.data());
        EXPECT_EQ(out, wanted) << items << " work-items, " << count << " elements";
      }
}

TYPED_TEST(group_algorithms, reduce_jointly) {
  check_joint<TypeParam>([](auto g, const int* first, const int* last,
                            int*) { return sycl::joint_reduce(g, first, last, sycl::plus<int>()); },
                         [](const int* first, const int* last, int*) {
                           int total = 0;
                           for (; first != last; ++first) total += *first;
                           return total;
                         });
  check_joint<TypeParam>(
      [](auto g, const int* first, const int* last, int*) {
        return sycl::joint_reduce(g, first, last, -3, sycl::minimum<int>());
      },
      [](const int* first, const int* last, int*) {
        int least = -3;
        for (; first != last; ++first) least = std::min(least, *first);
        return least;
      });
}

TYPED_TEST(group_algorithms, scan_jointly) {
  check_joint<TypeParam>(
      [](auto g, const int* first, const int* last, int* result) {
        return static_cast<int>(
            sycl::joint_inclusive_scan(g, first, last, result, sycl::plus<int>()) - result);
      },
      [](const int* first, const int* last, int* result) {
        int total = 0;
        const auto count = static_cast<int>(last - first);
        for (; first != last; ++first) *result++ = total += *first;
        return count;
      });
  check_joint<TypeParam>(
      [](auto g, const int* first, const int* last, int* result) {
        sycl::joint_inclusive_scan(g, first, last, result, sycl::plus<int>(), 10);
        return first == last ? 0 : result[0];
      },
      [](const int* first, const int* last, int* result) {
        int total = 10;
        const int head = first == last ? 0 : 10 + *first;
        for (; first != last; ++first) *result++ = total += *first;
        return head;
      });
  check_joint<TypeParam>(
      [](auto g, const int* first, const int* last, int* result) {
        sycl::joint_exclusive_scan(g, first, last, result, sycl::plus<int>());
        return first == last ? 0 : result[last - first - 1];
      },
      [](const int* first, const int* last, int* result) {
        int total = 0, before = 0;
        for (; first != last; ++first) {
          *result++ = before = total;
          total += *first;
        }
        return before;
      });
  // In place, twice.
  check_joint<TypeParam>(
      [](auto g, const int* first, const int* last, int* result) {
        int* end = sycl::joint_exclusive_scan(g, first, last, result, 5, sycl::plus<int>());
        sycl::joint_exclusive_scan(g, result, end, result, 5, sycl::plus<int>());
        return 0;
      },
      [](const int* first, const int* last, int* result) {
        int once = 5, twice = 5;
        for (; first != last; ++first) {
          *result++ = twice;
          twice += once;
          once += *first;
        }
        return 0;
      });
}

TYPED_TEST(group_algorithms, vote_jointly) {
  const auto odd = [](int x) { return x == 5; };
  const auto small = [](int x) { return x < 5; };
  check_joint<TypeParam>(
      [=](auto g, const int* first, const int* last, int*) {
        return (sycl::joint_any_of(g, first, last, odd) ? 1 : 0) +
               (sycl::joint_all_of(g, first, last, small) ? 2 : 0) +
               (sycl::joint_none_of(g, first, last, odd) ? 4 : 0);
      },
      [=](const int* first, const int* last, int*) {
        return (std::any_of(first, last, odd) ? 1 : 0) + (std::all_of(first, last, small) ? 2 : 0) +
               (std::none_of(first, last, odd) ? 4 : 0);
      });
}

}  // namespace group_algorithm_cases
