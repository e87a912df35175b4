// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_group_sort: every form, every sorter, work-groups and sub-groups, against std::stable_sort.
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <limits>
#include <numeric>
#include <tuple>
#include <vector>

namespace {

namespace sorting = sycl::ext::oneapi::experimental;

static_assert(SYCL_EXT_ONEAPI_GROUP_SORT == 2);

template <class T>
std::vector<T> read_back(sycl::queue q, const T* data, std::size_t count) {
  std::vector<T> all(count);
  q.copy(data, all.data(), count).wait();
  return all;
}

/// Many of them are equal, some negative.
template <class T>
T value_at(std::size_t i) {
  const int n = static_cast<int>(i * 7919 % 31) - 15;
  return static_cast<T>(std::is_signed_v<T> ? n : n + 15);
}

/// std::stable_sort calls what C++17 deprecates.
template <class Iterator, class Compare>
void sort_stably(Iterator first, Iterator last, Compare less) {
  for (Iterator i = first; i != last; ++i)
    std::rotate(std::upper_bound(first, i, *i, less), i, i + 1);
}

struct backwards {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return b < a;
  }
};

TEST(group_sort, sorts_arrays_of_any_size_jointly) {
  sycl::queue q;
  for (const std::size_t count : {0, 1, 2, 7, 64, 100, 333}) {
    using radix = sorting::radix_sorters::joint_sorter<int, sorting::sorting_order::descending>;
    const std::size_t bytes =
        std::max<std::size_t>({radix::memory_required(sycl::memory_scope::work_group, count),
                               sorting::default_sorters::joint_sorter<>::memory_required<int>(
                                   q.get_device(), sycl::memory_scope::work_group, count),
                               1});
    std::vector<int> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = value_at<int>(i);
    int* const up = sycl::malloc_device<int>(count + 1, q);
    int* const down = sycl::malloc_device<int>(count + 1, q);
    int* const by_radix = sycl::malloc_device<int>(count + 1, q);
    int* const compared = sycl::malloc_device<int>(count + 1, q);
    for (int* p : {up, down, by_radix, compared}) q.copy(data.data(), p, count).wait();
    q.submit([&](sycl::handler& h) {
       sycl::local_accessor<std::byte> scratch(bytes, h);
       h.parallel_for(sycl::nd_range<1>(24, 24), [=](sycl::nd_item<1> i) {
         const sycl::span<std::byte> memory(&scratch[0], bytes);
         const auto g = i.get_group();
         const sorting::group_with_scratchpad exec(g, memory);
         sorting::joint_sort(exec, up, up + count);
         sorting::joint_sort(g, down, down + count,
                             sorting::default_sorters::joint_sorter<std::greater<>>(memory));
         sorting::joint_sort(g, by_radix, by_radix + count, radix(memory));
         sorting::joint_sort(exec, compared, compared + count, backwards());
       });
     }).wait();
    std::sort(data.begin(), data.end());
    EXPECT_EQ(read_back(q, up, count), data);
    std::reverse(data.begin(), data.end());
    EXPECT_EQ(read_back(q, down, count), data);
    EXPECT_EQ(read_back(q, by_radix, count), data);
    EXPECT_EQ(read_back(q, compared, count), data);
    for (int* p : {up, down, by_radix, compared}) sycl::free(p, q);
  }
}

/// A helper of the program's own: what has a group and memory will do.
template <class Group>
struct my_helper {
  Group group;
  std::byte* memory;
  std::size_t bytes;
  Group get_group() const { return group; }
  sycl::span<std::byte> get_memory() const { return {memory, bytes}; }
};

template <class T>
void expect_sorted_values(std::size_t items) {
  sycl::queue q;
  using default_sorter = sorting::default_sorters::group_sorter<T, backwards>;
  using radix_sorter = sorting::radix_sorters::group_sorter<T, sorting::sorting_order::ascending>;
  const std::size_t bytes =
      default_sorter::memory_required(q.get_device(), sycl::memory_scope::work_group, items);
  ASSERT_EQ(bytes, radix_sorter::memory_required(sycl::memory_scope::work_group, items));
  T* const out = sycl::malloc_device<T>(4 * items, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<std::byte> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
       const sycl::span<std::byte> memory(&scratch[0], bytes);
       const auto g = i.get_group();
       const std::size_t at = i.get_local_id(0);
       const T own = value_at<T>(at);
       out[at] = sorting::sort_over_group(my_helper<sycl::group<1>>{g, &scratch[0], bytes}, own);
       out[items + at] =
           sorting::sort_over_group(sorting::group_with_scratchpad(g, memory), own, backwards());
       out[2 * items + at] = sorting::sort_over_group(g, own, default_sorter(memory));
       out[3 * items + at] = sorting::sort_over_group(g, own, radix_sorter(memory));
     });
   }).wait();
  std::vector<T> right(items);
  for (std::size_t i = 0; i < items; ++i) right[i] = value_at<T>(i);
  std::sort(right.begin(), right.end());
  std::vector<T> expected = right;
  expected.insert(expected.end(), right.rbegin(), right.rend());
  expected.insert(expected.end(), right.rbegin(), right.rend());
  expected.insert(expected.end(), right.begin(), right.end());
  EXPECT_EQ(read_back(q, out, 4 * items), expected);
  sycl::free(out, q);
}

TEST(group_sort, sorts_one_value_of_each_work_item) {
  for (const std::size_t items : {1, 2, 50, 64, 97}) {
    expect_sorted_values<int>(items);
    expect_sorted_values<float>(items);
  }
  expect_sorted_values<std::uint8_t>(33);
  expect_sorted_values<std::int64_t>(33);
}

TEST(group_sort, sorts_doubles_where_there_are_some) {
  if (sycl::queue().get_device().has(sycl::aspect::fp64)) expect_sorted_values<double>(50);
}

TEST(group_sort, sorts_the_values_of_each_sub_group) {
  sycl::queue q;
  constexpr std::size_t items = 60;
  using sorter = sorting::default_sorters::group_sorter<int>;
  // Enough for a sub-group of any size; each has memory of its own.
  constexpr std::size_t bytes = sorter::memory_required(sycl::memory_scope::sub_group, 64);
  int* const out = sycl::malloc_device<int>(items, q);
  int* const groups = sycl::malloc_device<int>(items, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<std::byte> scratch(bytes * items, h);
     h.parallel_for(sycl::nd_range<2>({3, 20}, {3, 20}), [=](sycl::nd_item<2> i) {
       const auto g = i.get_sub_group();
       const std::size_t at = i.get_local_linear_id();
       const sycl::span<std::byte> memory(&scratch[bytes * g.get_group_linear_id()], bytes);
       out[at] =
           sorting::sort_over_group(sorting::group_with_scratchpad(g, memory), value_at<int>(at));
       groups[at] = static_cast<int>(g.get_group_linear_id());
     });
   }).wait();
  const auto got = read_back(q, out, items);
  const auto of = read_back(q, groups, items);
  std::vector<int> right(items);
  for (std::size_t i = 0; i < items; ++i) right[i] = value_at<int>(i);
  for (std::size_t first = 0; first < items;) {
    std::size_t last = first;
    while (last < items && of[last] == of[first]) ++last;
    std::sort(right.begin() + static_cast<std::ptrdiff_t>(first),
              right.begin() + static_cast<std::ptrdiff_t>(last));
    first = last;
  }
  EXPECT_EQ(got, right);
  sycl::free(out, q);
  sycl::free(groups, q);
}

constexpr auto blocked = sorting::group_algorithm_data_placement::blocked;
constexpr auto striped = sorting::group_algorithm_data_placement::striped;

TEST(group_sort, sorts_several_values_of_each_work_item_and_places_them_as_told) {
  sycl::queue q;
  constexpr std::size_t items = 21, each = 3, count = items * each;
  using radix = sorting::radix_sorters::group_sorter<int, sorting::sorting_order::descending, each>;
  constexpr std::size_t bytes = radix::memory_required(sycl::memory_scope::work_group, items);
  int* const out = sycl::malloc_device<int>(5 * count, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<std::byte> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
       const sycl::span<std::byte> memory(&scratch[0], bytes);
       const auto g = i.get_group();
       const sorting::group_with_scratchpad exec(g, memory);
       const std::size_t rank = i.get_local_id(0);
       for (std::size_t form = 0; form < 5; ++form) {
         int own[each];
         const sycl::span<int, each> values(own, each);
         for (std::size_t k = 0; k < each; ++k) own[k] = value_at<int>(rank * each + k);
         if (form == 0) sorting::sort_over_group(exec, values);
         if (form == 1) sorting::sort_over_group(exec, values, backwards());
         if (form == 2) sorting::sort_over_group(g, values, radix(memory));
         if (form == 3)
           sorting::sort_over_group(exec, values,
                                    sorting::properties{sorting::input_data_placement<blocked>,
                                                        sorting::output_data_placement<striped>});
         if (form == 4)
           sorting::sort_over_group(exec, values, backwards(),
                                    sorting::properties{sorting::output_data_placement<striped>});
         for (std::size_t k = 0; k < each; ++k)
           out[form * count + (form < 3 ? rank * each + k : k * items + rank)] = own[k];
       }
     });
   }).wait();
  std::vector<int> up(count);
  for (std::size_t i = 0; i < count; ++i) up[i] = value_at<int>(i);
  std::sort(up.begin(), up.end());
  std::vector<int> expected;
  for (const bool ascending : {true, false, false, true, false}) {
    if (ascending)
      expected.insert(expected.end(), up.begin(), up.end());
    else
      expected.insert(expected.end(), up.rbegin(), up.rend());
  }
  EXPECT_EQ(read_back(q, out, 5 * count), expected);
  sycl::free(out, q);
}

/// Keys that are equal keep the order of their values, so the result is one only.
TEST(group_sort, moves_values_with_their_keys_and_is_stable) {
  sycl::queue q;
  constexpr std::size_t items = 45;
  struct entry {
    short key;
    std::uint32_t value;
    bool operator==(const entry& o) const { return key == o.key && value == o.value; }
  };
  using by_default = sorting::default_sorters::group_key_value_sorter<short, std::uint32_t>;
  using radix = sorting::radix_sorters::group_key_value_sorter<short, std::uint32_t,
                                                               sorting::sorting_order::descending>;
  const std::size_t bytes =
      by_default::memory_required(q.get_device(), sycl::memory_scope::work_group, items);
  entry* const out = sycl::malloc_device<entry>(4 * items, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<std::byte> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
       const sycl::span<std::byte> memory(&scratch[0], bytes);
       const auto g = i.get_group();
       const sorting::group_with_scratchpad exec(g, memory);
       const std::size_t at = i.get_local_id(0);
       const short key = value_at<short>(at);
       const auto value = static_cast<std::uint32_t>(at);
       const auto put = [&](std::size_t form, const std::tuple<short, std::uint32_t>& both) {
         out[form * items + at] = {std::get<0>(both), std::get<1>(both)};
       };
       put(0, sorting::sort_key_value_over_group(exec, key, value));
       put(1, sorting::sort_key_value_over_group(exec, key, value, backwards()));
       put(2, sorting::sort_key_value_over_group(g, key, value, by_default(memory)));
       put(3, sorting::sort_key_value_over_group(g, key, value, radix(memory)));
     });
   }).wait();
  std::vector<entry> up(items);
  for (std::size_t i = 0; i < items; ++i)
    up[i] = {value_at<short>(i), static_cast<std::uint32_t>(i)};
  std::vector<entry> down = up;
  sort_stably(up.begin(), up.end(), [](auto a, auto b) { return a.key < b.key; });
  sort_stably(down.begin(), down.end(), [](auto a, auto b) { return b.key < a.key; });
  std::vector<entry> expected = up;
  expected.insert(expected.end(), down.begin(), down.end());
  expected.insert(expected.end(), up.begin(), up.end());
  expected.insert(expected.end(), down.begin(), down.end());
  EXPECT_TRUE(read_back(q, out, 4 * items) == expected);
  sycl::free(out, q);
}

TEST(group_sort, moves_several_values_with_their_keys) {
  sycl::queue q;
  constexpr std::size_t items = 13, each = 4, count = items * each;
  using radix =
      sorting::radix_sorters::group_key_value_sorter<float, int, sorting::sorting_order::ascending,
                                                     each>;
  constexpr std::size_t bytes = radix::memory_required(sycl::memory_scope::work_group, items);
  int* const out = sycl::malloc_device<int>(3 * count, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<std::byte> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
       const sycl::span<std::byte> memory(&scratch[0], bytes);
       const auto g = i.get_group();
       const sorting::group_with_scratchpad exec(g, memory);
       const std::size_t rank = i.get_local_id(0);
       for (std::size_t form = 0; form < 3; ++form) {
         float own_keys[each];
         int own_values[each];
         const sycl::span<float, each> keys(own_keys, each);
         const sycl::span<int, each> values(own_values, each);
         // The last form takes its elements striped: what is stable is the order of the array.
         for (std::size_t k = 0; k < each; ++k) {
           const std::size_t at = form == 2 ? k * items + rank : rank * each + k;
           own_keys[k] = value_at<float>(at);
           own_values[k] = static_cast<int>(at);
         }
         if (form == 0) sorting::sort_key_value_over_group(exec, keys, values);
         if (form == 1) sorting::sort_key_value_over_group(g, keys, values, radix(memory));
         if (form == 2)
           sorting::sort_key_value_over_group(
               exec, keys, values, backwards(),
               sorting::properties{sorting::input_data_placement<striped>});
         for (std::size_t k = 0; k < each; ++k) out[form * count + rank * each + k] = own_values[k];
       }
     });
   }).wait();
  std::vector<int> up(count);
  std::iota(up.begin(), up.end(), 0);
  std::vector<int> down = up;
  const auto key = [](int i) { return value_at<float>(static_cast<std::size_t>(i)); };
  sort_stably(up.begin(), up.end(), [&](int a, int b) { return key(a) < key(b); });
  sort_stably(down.begin(), down.end(), [&](int a, int b) { return key(b) < key(a); });
  std::vector<int> expected = up;
  expected.insert(expected.end(), up.begin(), up.end());
  expected.insert(expected.end(), down.begin(), down.end());
  EXPECT_EQ(read_back(q, out, 3 * count), expected);
  sycl::free(out, q);
}

TEST(group_sort, radix_sorters_look_at_the_bits_of_a_mask_only_and_keep_the_order_else) {
  sycl::queue q;
  constexpr std::size_t items = 40;
  using group_sorter = sorting::radix_sorters::group_sorter<std::uint16_t>;
  using joint_sorter = sorting::radix_sorters::joint_sorter<std::uint16_t>;
  constexpr std::size_t bytes =
      group_sorter::memory_required(sycl::memory_scope::work_group, items);
  static_assert(bytes >= joint_sorter::memory_required(sycl::memory_scope::work_group, items));
  const std::bitset<16> mask(0x00f0);
  const auto value = [](std::size_t i) { return static_cast<std::uint16_t>(i * 40503); };
  std::uint16_t* const out = sycl::malloc_device<std::uint16_t>(2 * items, q);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<std::byte> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
       const sycl::span<std::byte> memory(&scratch[0], bytes);
       const std::size_t at = i.get_local_id(0);
       out[at] = sorting::sort_over_group(i.get_group(), value(at), group_sorter(memory, mask));
       out[items + at] = value(at);
       sorting::joint_sort(i.get_group(), out + items, out + 2 * items, joint_sorter(memory, mask));
     });
   }).wait();
  std::vector<std::uint16_t> right(items);
  for (std::size_t i = 0; i < items; ++i) right[i] = value(i);
  sort_stably(right.begin(), right.end(), [](int a, int b) { return (a & 0xf0) < (b & 0xf0); });
  std::vector<std::uint16_t> expected = right;
  expected.insert(expected.end(), right.begin(), right.end());
  EXPECT_EQ(read_back(q, out, 2 * items), expected);
  sycl::free(out, q);
}

TEST(group_sort, radix_sorters_put_numbers_of_either_sign_and_infinities_in_order) {
  sycl::queue q;
  constexpr std::size_t items = 8;
  using sorter = sorting::radix_sorters::group_sorter<float>;
  constexpr std::size_t bytes = sorter::memory_required(sycl::memory_scope::work_group, items);
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> in{1.5F, -inf, 0.0F, -2.5F, inf, -1e-40F, 1e-40F, -1e30F};
  float* const data = sycl::malloc_device<float>(items, q);
  q.copy(in.data(), data, items).wait();
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<std::byte> scratch(bytes, h);
     h.parallel_for(sycl::nd_range<1>(items, items), [=](sycl::nd_item<1> i) {
       const sycl::span<std::byte> memory(&scratch[0], bytes);
       const std::size_t at = i.get_local_id(0);
       data[at] = sorting::sort_over_group(i.get_group(), data[at], sorter(memory));
     });
   }).wait();
  EXPECT_EQ(read_back(q, data, items),
            (std::vector<float>{-inf, -1e30F, -2.5F, -1e-40F, 0.0F, 1e-40F, 1.5F, inf}));
  sycl::free(data, q);
}

}  // namespace
