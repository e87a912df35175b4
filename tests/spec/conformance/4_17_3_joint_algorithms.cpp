// SPDX-License-Identifier: Apache-2.0
// 4.17.3: joint algorithms on every kind of pointer, in groups of one and of three dimensions, of odd sizes, with numbers
// of every width; and values over groups of three dimensions.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

constexpr std::size_t count = 77;

template <class T>
std::vector<T> elements() {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<T>(static_cast<float>(i * 13 % 5 + (i % 11 == 3 ? 2 : 0)));
  return all;
}

template <int Dimensions>
sycl::nd_range<Dimensions> one_group() {
  if constexpr (Dimensions == 1)
    return {sycl::range<1>(27), sycl::range<1>(27)};
  else
    return {sycl::range<3>(3, 1, 13), sycl::range<3>(3, 1, 13)};
}

/// What the algorithms gave through one kind of pointer.
template <class T>
struct results {
  T reduced, reduced_from, last_inclusive, last_exclusive;
  bool any, all, none, ends;
};

template <class T, class Operation, class Group, class In, class Out>
results<T> of_all(const Group& g, In first, Out out, T init) {
  const Operation op;
  const In last = first + static_cast<std::ptrdiff_t>(count);
  results<T> r{};
  r.reduced = sycl::joint_reduce(g, first, last, op);
  r.reduced_from = sycl::joint_reduce(g, first, last, init, op);
  Out end = sycl::joint_inclusive_scan(g, first, last, out, op, init);
  r.last_inclusive = out[count - 1];
  r.ends = end == out + static_cast<std::ptrdiff_t>(count);
  sycl::group_barrier(g);
  end = sycl::joint_exclusive_scan(g, first, last, out, init, op);
  r.last_exclusive = out[count - 1];
  r.ends = r.ends && end == out + static_cast<std::ptrdiff_t>(count);
  sycl::group_barrier(g);
  r.any = sycl::joint_any_of(g, first, last, [](const T& x) { return x == T(6); });
  r.all = sycl::joint_all_of(g, first, last, [](const T& x) { return x < T(7); });
  r.none = sycl::joint_none_of(g, first, last, [](const T& x) { return x < T(0); });
  return r;
}

template <class T, class Operation>
void expect(const results<T>& got, T init, const char* what) {
  const auto all = elements<T>();
  const Operation op;
  T total = all[0], from = init, before = init;
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) total = static_cast<T>(op(total, all[i]));
    before = from;
    from = static_cast<T>(op(from, all[i]));
    any |= all[i] == T(6);
  }
  EXPECT_EQ(got.reduced, total) << what;
  EXPECT_EQ(got.reduced_from, from) << what;
  EXPECT_EQ(got.last_inclusive, from) << what;
  EXPECT_EQ(got.last_exclusive, before) << what;
  EXPECT_EQ(got.any, any) << what;
  EXPECT_TRUE(got.all) << what;
  EXPECT_TRUE(got.none) << what;
  EXPECT_TRUE(got.ends) << what;
}

constexpr int pointers = 5;
const char* const names[pointers] = {"a pointer", "a multi_ptr to global memory",
                                     "a multi_ptr to local memory", "iterators of an accessor",
                                     "iterators of a span"};

/// All: or only some of the kinds of pointers, where the type is what matters.
template <class T, class Operation, int Dimensions, bool All = false>
void through_pointers(T init) {
  sycl::queue q;
  std::vector<T> data = elements<T>();
  results<T>* const out = sycl::malloc_device<results<T>>(pointers, q);
  T* const memory = sycl::malloc_device<T>(count, q);
  T* const scans = sycl::malloc_device<T>(count, q);
  q.copy(data.data(), memory, count).wait();
  {
    sycl::buffer<T> buffer(data.data(), count);
    q.submit([&](sycl::handler& h) {
      sycl::accessor in(buffer, h, sycl::read_only);
      sycl::local_accessor<T> local(sycl::range<1>(2 * count), h);
      h.parallel_for(one_group<Dimensions>(), [=](sycl::nd_item<Dimensions> i) {
        const auto g = i.get_group();
        using sycl::access::address_space;
        using sycl::access::decorated;
        const T* const raw = memory;
        [[maybe_unused]] const auto global =
            sycl::address_space_cast<address_space::global_space, decorated::no>(raw);
        for (std::size_t k = i.get_local_linear_id(); k < count; k += g.get_local_linear_range())
          local[k] = raw[k];
        const auto shared = local.template get_multi_ptr<decorated::no>();
        [[maybe_unused]] const sycl::span<const T> whole(raw, count);
        results<T> r[pointers];
        r[0] = of_all<T, Operation>(g, raw, scans, init);
        r[2] = of_all<T, Operation>(g, shared, shared + static_cast<std::ptrdiff_t>(count), init);
        if constexpr (All) {
          r[1] = of_all<T, Operation>(g, global, scans, init);
          r[3] = of_all<T, Operation>(g, in.begin(), scans, init);
          r[4] = of_all<T, Operation>(g, whole.begin(), scans, init);
        }
        // The last work-item has what all have.
        if (i.get_local_linear_id() + 1 == g.get_local_linear_range())
          for (int k = 0; k < pointers; ++k) out[k] = All || k == 2 ? r[k] : r[0];
      });
    });
  }
  std::vector<results<T>> got(pointers);
  q.copy(out, got.data(), pointers).wait();
  for (std::size_t k = 0; k < pointers; ++k) expect<T, Operation>(got[k], init, names[k]);
  sycl::free(out, q);
  sycl::free(memory, q);
  sycl::free(scans, q);
}

TEST(joint_algorithms, go_through_every_pointer_in_groups_of_one_dimension) {
  through_pointers<int, sycl::plus<>, 1, true>(40);
}
TEST(joint_algorithms, go_through_pointers_in_groups_of_three_dimensions) {
  through_pointers<float, sycl::maximum<float>, 3>(5.0F);
}
TEST(joint_algorithms, take_numbers_of_8_and_of_64_bits) {
  through_pointers<std::uint8_t, sycl::bit_or<>, 1>(std::uint8_t{64});
  through_pointers<std::int64_t, sycl::plus<std::int64_t>, 3>(std::int64_t{1} << 40);
}
// Without an init, too, sums do not end where the elements' type does.
TEST(joint_algorithms, add_up_in_the_type_of_the_results) {
  const std::vector<std::int8_t> in(100, 100);
  std::vector<std::int64_t> sums(100), sums_before(100), most_before(100);
  {
    sycl::buffer<std::int8_t> from(in);
    sycl::buffer<std::int64_t> a(sums), b(sums_before), c(most_before);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor elements(from, h, sycl::read_only);
      sycl::accessor to_a(a, h, sycl::write_only), to_b(b, h, sycl::write_only),
          to_c(c, h, sycl::write_only);
      h.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1> i) {
        const std::int8_t* first = elements.get_pointer();
        std::int64_t *const out_a = to_a.get_pointer(), *const out_b = to_b.get_pointer(),
                            *const out_c = to_c.get_pointer();
        const sycl::group<1> g = i.get_group();
        sycl::joint_inclusive_scan(g, first, first + 100, out_a, sycl::plus<std::int64_t>());
        sycl::joint_exclusive_scan(g, first, first + 100, out_b, sycl::plus<std::int64_t>());
        sycl::joint_exclusive_scan(g, first, first + 100, out_c, sycl::maximum<std::int64_t>());
      });
    });
  }
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(sums[i], 100 * static_cast<std::int64_t>(i + 1)) << i;
    EXPECT_EQ(sums_before[i], 100 * static_cast<std::int64_t>(i)) << i;
    EXPECT_EQ(most_before[i], i == 0 ? std::numeric_limits<std::int64_t>::lowest() : 100) << i;
  }
}

TEST(joint_algorithms, take_halves) {
  through_pointers<sycl::half, sycl::plus<>, 1>(sycl::half(3.0F));
}
TEST(joint_algorithms, take_doubles_where_there_are_some) {
  if (sycl::queue().get_device().has(sycl::aspect::fp64))
    through_pointers<double, sycl::plus<>, 1>(0.5);
}

/// Associative, not commutative: functions x -> a * x + b, one behind the other.
struct line {
  std::uint32_t a, b;
};
struct behind {
  line operator()(const line& first, const line& second) const {
    return {first.a * second.a, first.b * second.a + second.b};
  }
};

TEST(group_algorithms_in_three_dimensions, keep_the_order_of_linear_ids) {
  sycl::queue q;
  const sycl::nd_range<3> shape({4, 3, 14}, {2, 3, 7});
  constexpr std::size_t items = 4 * 3 * 14, size = 2 * 3 * 7;
  struct scans {
    line inclusive, exclusive;
    std::uint32_t chosen, shifted, first, rank, group;
  };
  scans* const out = sycl::malloc_device<scans>(items, q);
  q.parallel_for(shape, [=](sycl::nd_item<3> i) {
     const auto g = i.get_group();
     const auto rank = static_cast<std::uint32_t>(i.get_local_linear_id());
     const auto group = static_cast<std::uint32_t>(i.get_group_linear_id());
     const line own{rank + 3, rank * 5 + group};
     const sycl::id<3> local = i.get_local_id();
     const sycl::id<3> mirrored(1 - local[0], 2 - local[1], 6 - local[2]);
     out[group * size + rank] = {sycl::inclusive_scan_over_group(g, own, behind()),
                                 sycl::exclusive_scan_over_group(g, own, line{7, 1}, behind()),
                                 sycl::select_from_group(g, rank, mirrored),
                                 sycl::shift_group_left(g, rank, 3),
                                 sycl::group_broadcast(g, rank, sycl::id<3>(1, 0, 2)),
                                 rank,
                                 group};
   }).wait();
  std::vector<scans> got(items);
  q.copy(out, got.data(), items).wait();
  for (std::size_t k = 0; k < items; k += size) {
    line upto{1, 0}, before{7, 1};
    for (std::uint32_t r = 0; r < size; ++r) {
      const scans& s = got[k + r];
      ASSERT_EQ(s.rank, r);
      const line own{r + 3, r * 5 + s.group};
      upto = r == 0 ? own : behind()(upto, own);
      ASSERT_EQ(s.inclusive.a, upto.a);
      ASSERT_EQ(s.inclusive.b, upto.b);
      ASSERT_EQ(s.exclusive.a, before.a);
      ASSERT_EQ(s.exclusive.b, before.b);
      before = behind()(before, own);
      ASSERT_EQ(s.chosen, size - 1 - r);
      if (r + 3 < size) {
        ASSERT_EQ(s.shifted, r + 3);
      }
      ASSERT_EQ(s.first, 1u * 21 + 2);
    }
  }
  sycl::free(out, q);
}

}  // namespace
