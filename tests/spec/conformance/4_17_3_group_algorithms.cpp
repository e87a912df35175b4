// SPDX-License-Identifier: Apache-2.0
// 4.17.3: group algorithms of work-groups and sub-groups.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "group_shapes.hpp"

namespace {

using namespace group_shapes;

template <class Which>
struct group_algorithms : ::testing::Test {
  sycl::queue q;
  Which which;
};
using kinds = ::testing::Types<use_work_group, use_sub_group>;
TYPED_TEST_SUITE(group_algorithms, kinds);

/// The values of the item's group, in order.
template <class Outcome>
std::vector<int> values_of_group(const Outcome& got, std::size_t item, const shape& s) {
  std::vector<int> all(got.places[item].size);
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = value_of(got.mate(item, r), s);
  return all;
}

TYPED_TEST(group_algorithms, any_all_and_none_vote) {
  struct votes {
    bool any[2], all[2], none[2];
  };
  for (const shape& s : all)
    for (const int limit : {0, 1, 22, 23}) {
      const auto got =
          run<votes>(this->q, s, this->which, [=](const sycl::nd_item<2>& i, const auto& g) {
            const int own = value_at(i, g);
            const auto below = [=](int x) { return x < limit; };
            return votes{{sycl::any_of_group(g, own < limit), sycl::any_of_group(g, own, below)},
                         {sycl::all_of_group(g, own < limit), sycl::all_of_group(g, own, below)},
                         {sycl::none_of_group(g, own < limit), sycl::none_of_group(g, own, below)}};
          });
      for (std::size_t i = 0; i < got.results.size(); ++i) {
        const auto values = values_of_group(got, i, s);
        const auto below = [=](int x) { return x < limit; };
        for (int form = 0; form < 2; ++form) {
          ASSERT_EQ(got.results[i].any[form], std::any_of(values.begin(), values.end(), below));
          ASSERT_EQ(got.results[i].all[form], std::all_of(values.begin(), values.end(), below));
          ASSERT_EQ(got.results[i].none[form], std::none_of(values.begin(), values.end(), below));
        }
      }
    }
}

struct wide {
  std::int64_t a, b, c;
};

// Results without a source are unspecified: nothing is asked of them.
TYPED_TEST(group_algorithms, shift_permute_and_select_exchange_values) {
  struct moved {
    int left, right, permuted, selected;
    wide wide_left;
    sycl::half half_right;
  };
  for (const shape& s : all)
    for (const std::uint32_t by : {1u, 2u, 5u}) {
      const auto got =
          run<moved>(this->q, s, this->which, [=](const sycl::nd_item<2>& i, const auto& g) {
            const int own = value_at(i, g);
            const auto reverse_id = [&] {
              auto id = g.get_local_id();
              for (int d = 0; d < g.dimensions; ++d) id[d] = g.get_local_range()[d] - 1 - id[d];
              return id;
            }();
            return moved{sycl::shift_group_left(g, own, by),
                         sycl::shift_group_right(g, own, by),
                         sycl::permute_group_by_xor(g, own, by),
                         sycl::select_from_group(g, own, reverse_id),
                         sycl::shift_group_left(g, wide{own, own * 2, own * 3}),
                         sycl::shift_group_right(g, sycl::half(static_cast<float>(own)))};
          });
      for (std::size_t i = 0; i < got.results.size(); ++i) {
        const auto values = values_of_group(got, i, s);
        const moved& r = got.results[i];
        const std::size_t rank = got.places[i].rank, size = values.size();
        if (rank + by < size) {
          ASSERT_EQ(r.left, values[rank + by]);
        }
        if (rank >= by) {
          ASSERT_EQ(r.right, values[rank - by]);
        }
        if ((rank ^ by) < size) {
          ASSERT_EQ(r.permuted, values[rank ^ by]);
        }
        ASSERT_EQ(r.selected, values[size - 1 - rank]);
        if (rank + 1 < size) {
          ASSERT_EQ(r.wide_left.a, values[rank + 1]);
          ASSERT_EQ(r.wide_left.c, values[rank + 1] * 3);
        }
        if (rank > 0) {
          ASSERT_EQ(static_cast<float>(r.half_right), static_cast<float>(values[rank - 1]));
        }
      }
    }
}

template <class T, class Operation, class Shapes, class Queue, class Which>
void expect_reductions_and_scans(Queue q, Which which, const Shapes& shapes, T init) {
  struct scans {
    T reduced, reduced_from, inclusive, inclusive_from, exclusive, exclusive_from;
  };
  const Operation op;
  for (const shape& s : shapes) {
    const auto got = run<scans>(q, s, which, [=](const sycl::nd_item<2>& i, const auto& g) {
      const T own = static_cast<T>(value_at(i, g) % 5 + 1);
      return scans{sycl::reduce_over_group(g, own, op),
                   sycl::reduce_over_group(g, own, init, op),
                   sycl::inclusive_scan_over_group(g, own, op),
                   sycl::inclusive_scan_over_group(g, own, op, init),
                   sycl::exclusive_scan_over_group(g, own, op),
                   sycl::exclusive_scan_over_group(g, own, init, op)};
    });
    for (std::size_t i = 0; i < got.results.size(); ++i) {
      const auto values = values_of_group(got, i, s);
      const std::size_t rank = got.places[i].rank;
      T before = sycl::known_identity_v<Operation, T>, before_from = init;
      T total = before, total_from = init;
      for (std::size_t k = 0; k < values.size(); ++k) {
        const T x = static_cast<T>(values[k] % 5 + 1);
        if (k < rank) {
          before = static_cast<T>(op(before, x));
          before_from = static_cast<T>(op(before_from, x));
        }
        total = static_cast<T>(op(total, x));
        total_from = static_cast<T>(op(total_from, x));
      }
      const T own = static_cast<T>(values[rank] % 5 + 1);
      const scans& r = got.results[i];
      ASSERT_EQ(r.reduced, total);
      ASSERT_EQ(r.reduced_from, total_from);
      ASSERT_EQ(r.inclusive, static_cast<T>(op(before, own)));
      ASSERT_EQ(r.inclusive_from, static_cast<T>(op(before_from, own)));
      ASSERT_EQ(r.exclusive, before);
      ASSERT_EQ(r.exclusive_from, before_from);
    }
  }
}

TYPED_TEST(group_algorithms, reduce_and_scan_with_every_function_object) {
  const std::vector<shape> shapes(std::begin(all), std::end(all));
  expect_reductions_and_scans<int, sycl::plus<>>(this->q, this->which, shapes, 100);
  expect_reductions_and_scans<float, sycl::plus<float>>(this->q, this->which, shapes, 0.5F);
  expect_reductions_and_scans<std::uint64_t, sycl::multiplies<>>(this->q, this->which, shapes, 3);
  expect_reductions_and_scans<double, sycl::minimum<>>(this->q, this->which, shapes, 3.0);
  expect_reductions_and_scans<std::int16_t, sycl::maximum<>>(this->q, this->which, shapes, 3);
  expect_reductions_and_scans<std::uint8_t, sycl::bit_and<>>(this->q, this->which, shapes, 0x7f);
  expect_reductions_and_scans<unsigned, sycl::bit_or<unsigned>>(this->q, this->which, shapes, 64);
  expect_reductions_and_scans<long, sycl::bit_xor<>>(this->q, this->which, shapes, 5);
  expect_reductions_and_scans<bool, sycl::logical_and<bool>>(this->q, this->which, shapes, true);
  expect_reductions_and_scans<bool, sycl::logical_or<>>(this->q, this->which, shapes, false);
  expect_reductions_and_scans<sycl::half, sycl::plus<>>(
      this->q, this->which, std::vector<shape>{{2, 3, 5}}, sycl::half(1.0F));
}

TYPED_TEST(group_algorithms, take_vectors_and_the_programs_own_operations) {
  struct results {
    sycl::vec<int, 3> sum, scan;
    int alternating;
  };
  for (const shape& s : all) {
    const auto got =
        run<results>(this->q, s, this->which, [](const sycl::nd_item<2>& i, const auto& g) {
          const int own = value_at(i, g);
          const sycl::vec<int, 3> v(own, 1, -own);
          return results{
              sycl::reduce_over_group(g, v, sycl::plus<>()),
              sycl::inclusive_scan_over_group(g, v, sycl::plus<>()),
              sycl::reduce_over_group(g, own + 1, [](int a, int b) { return a * b % 10007; })};
        });
    for (std::size_t i = 0; i < got.results.size(); ++i) {
      const auto values = values_of_group(got, i, s);
      const int rank = static_cast<int>(got.places[i].rank);
      const int sum = std::accumulate(values.begin(), values.end(), 0);
      const int upto = std::accumulate(values.begin(), values.begin() + rank + 1, 0);
      int product = 1;
      for (const int v : values) product = product * (v + 1) % 10007;
      ASSERT_EQ(got.results[i].sum[0], sum);
      ASSERT_EQ(got.results[i].sum[1], static_cast<int>(values.size()));
      ASSERT_EQ(got.results[i].sum[2], -sum);
      ASSERT_EQ(got.results[i].scan[0], upto);
      ASSERT_EQ(got.results[i].scan[1], rank + 1);
      ASSERT_EQ(got.results[i].alternating, product);
    }
  }
}

// The whole array is given to each group; work-items of a sub-group share it, too.
TYPED_TEST(group_algorithms, work_jointly_on_arrays) {
  struct results {
    bool any, every, none;
    int sum, sum_from, most;
  };
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{6}, std::size_t{97}}) {
    std::vector<int> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<int>(i * 37 % 50);
    int* const first = sycl::malloc_device<int>(count + 1, this->q);
    this->q.copy(data.data(), first, count).wait();
    for (const shape& s : all) {
      const auto got =
          run<results>(this->q, s, this->which, [=](const sycl::nd_item<2>&, const auto& g) {
            const int* const begin = first;
            const int* const end = first + count;
            return results{sycl::joint_any_of(g, begin, end, [](int x) { return x == 37; }),
                           sycl::joint_all_of(g, begin, end, [](int x) { return x < 49; }),
                           sycl::joint_none_of(g, begin, end, [](int x) { return x == 48; }),
                           sycl::joint_reduce(g, begin, end, sycl::plus<>()),
                           sycl::joint_reduce(g, begin, end, 1000, sycl::plus<int>()),
                           sycl::joint_reduce(g, begin, end, sycl::maximum<>())};
          });
      const int sum = std::accumulate(data.begin(), data.end(), 0);
      const int most = count == 0 ? std::numeric_limits<int>::lowest()
                                  : *std::max_element(data.begin(), data.end());
      for (const results& r : got.results) {
        ASSERT_EQ(r.any, std::count(data.begin(), data.end(), 37) != 0);
        ASSERT_EQ(r.every, most < 49);
        ASSERT_EQ(r.none, std::count(data.begin(), data.end(), 48) == 0);
        ASSERT_EQ(r.sum, sum);
        ASSERT_EQ(r.sum_from, sum + 1000);
        ASSERT_EQ(r.most, most);
      }
    }
    sycl::free(first, this->q);
  }
}

TYPED_TEST(group_algorithms, scan_arrays_jointly_even_in_place) {
  constexpr std::size_t forms = 5;
  for (const std::size_t count :
       {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{301}})
    for (const shape& s : all) {
      std::vector<int> data(count);
      for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<int>(i * 13 % 17);
      int* const in = sycl::malloc_device<int>(count, this->q);
      int* const out = sycl::malloc_device<int>(count * forms, this->q);
      int* const ends = sycl::malloc_device<int>(1, this->q);
      this->q.copy(data.data(), in, count).wait();
      this->q.copy(data.data(), out + 4 * count, count).wait();
      this->q.fill(ends, 0, 1).wait();
      // The first group of its kind alone: all write to the same memory.
      this->q
          .parallel_for(
              range_of({1, s.y, s.x}),
              [=, which = this->which](sycl::nd_item<2> i) {
                const auto g = which(i);
                if (g.get_group_linear_id() != 0) return;
                const int* const begin = in;
                const int* const end = in + count;
                int* e[forms];
                e[0] = sycl::joint_inclusive_scan(g, begin, end, out, sycl::plus<>());
                e[1] = sycl::joint_inclusive_scan(g, begin, end, out + count, sycl::plus<>(), 50);
                e[2] = sycl::joint_exclusive_scan(g, begin, end, out + 2 * count, sycl::plus<>());
                e[3] =
                    sycl::joint_exclusive_scan(g, begin, end, out + 3 * count, 50, sycl::plus<>());
                e[4] = sycl::joint_inclusive_scan(g, out + 4 * count, out + 5 * count,
                                                  out + 4 * count, sycl::maximum<>());
                if (g.leader())
                  for (std::size_t k = 0; k < forms; ++k) *ends += e[k] == out + (k + 1) * count;
              })
          .wait();
      std::vector<int> got(count * forms);
      int right_ends = 0;
      this->q.copy(out, got.data(), got.size()).wait();
      this->q.copy(ends, &right_ends, 1).wait();
      EXPECT_EQ(right_ends, static_cast<int>(forms));
      int sum = 0, most = 0;
      for (std::size_t k = 0; k < count; ++k) {
        ASSERT_EQ(got[2 * count + k], sum);
        ASSERT_EQ(got[3 * count + k], sum + 50);
        sum += data[k];
        most = std::max(most, data[k]);
        ASSERT_EQ(got[k], sum);
        ASSERT_EQ(got[count + k], sum + 50);
        ASSERT_EQ(got[4 * count + k], most);
      }
      sycl::free(in, this->q);
      sycl::free(out, this->q);
      sycl::free(ends, this->q);
    }
}

}  // namespace
