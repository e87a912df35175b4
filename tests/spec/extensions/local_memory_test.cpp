// SPDX-License-Identifier: Apache-2.0
// Local memory that kernels ask for themselves: sycl_ext_oneapi_local_memory, sycl_ext_oneapi_work_group_static and
// sycl_ext_oneapi_work_group_scratch_memory.
// compiled alone: others have its short names, too.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <cstddef>
#include <cstdint>

#include "expect_error.hpp"

namespace {

namespace oneapi = sycl::ext::oneapi;
namespace exp = sycl::ext::oneapi::experimental;

/// USM for a queue.
template <class T>
class numbers {
 public:
  numbers(sycl::queue& q, std::size_t count) : q_(q), data_(sycl::malloc_shared<T>(count, q)) {
    for (std::size_t i = 0; i < count; ++i) data_[i] = T();
  }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() { sycl::free(data_, q_); }
  T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  sycl::queue& q_;
  T* data_;
};

constexpr std::size_t groups = 6, items = 40, all = groups * items;

TEST(local_memory, is_shared_by_the_work_items_of_a_group_and_by_no_other) {
  sycl::queue q;
  numbers<int> out(q, all);
  q.parallel_for(sycl::nd_range<1>(all, items), [out = out.get()](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     auto memory = oneapi::group_local_memory_for_overwrite<int[items]>(g);
     static_assert(
         std::is_same_v<decltype(memory),
                        sycl::multi_ptr<int[items], sycl::access::address_space::local_space>>);
     int(&row)[items] = *memory;
     const std::size_t i = it.get_local_id(0);
     row[i] = static_cast<int>(it.get_global_id(0));
     sycl::group_barrier(g);
     out[it.get_global_id(0)] = row[items - 1 - i];
   }).wait();
  for (std::size_t i = 0; i < all; ++i)
    EXPECT_EQ(out[i], static_cast<int>(i / items * items + items - 1 - i % items)) << i;
}

struct pair {
  int first;
  long second;
};
struct counting {
  int start;
  int step;
  counting(int s, int by) : start(s), step(by) {}
};

TEST(local_memory, is_constructed_with_the_arguments_before_anybody_reads_it) {
  sycl::queue q;
  numbers<long> out(q, all);
  q.parallel_for(sycl::nd_range<1>(all, items), [out = out.get()](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     const int n = static_cast<int>(it.get_group(0));
     auto zero = oneapi::group_local_memory<int>(g);
     auto array = oneapi::group_local_memory<int[4]>(g, 1, n, 3);
     auto aggregate = oneapi::group_local_memory<pair>(g, 5, 7L);
     auto object = oneapi::group_local_memory<counting, sycl::group<1>>(g, n, 2);
     out[it.get_global_id(0)] = *zero + (*array)[0] * 10 + (*array)[1] * 100 + (*array)[2] * 1000 +
                                (*array)[3] * 10000 + aggregate->first * 100000 +
                                aggregate->second * 1000000 + object->start * 10000000L +
                                object->step * 100000000L;
   }).wait();
  for (std::size_t i = 0; i < all; ++i) {
    const long n = static_cast<long>(i / items);
    EXPECT_EQ(out[i], 10 + n * 100 + 3000 + 500000 + 7000000 + n * 10000000 + 200000000) << i;
  }
}

TEST(local_memory, of_two_calls_is_two_objects) {
  sycl::queue q;
  numbers<int> out(q, all);
  numbers<int> apart(q, all);
  q.parallel_for(sycl::nd_range<2>({groups, items}, {1, items}), [out = out.get(),
                                                                  apart = apart.get()](
                                                                     sycl::nd_item<2> it) {
     const auto g = it.get_group();
     auto a = oneapi::group_local_memory<int>(g, 1);
     auto b = oneapi::group_local_memory<int>(g, 2);
     const std::size_t i = it.get_global_linear_id();
     out[i] = *a * 10 + *b;
     apart[i] = a.get() != b.get();
   }).wait();
  for (std::size_t i = 0; i < all; ++i) {
    EXPECT_EQ(out[i], 12) << i;
    EXPECT_EQ(apart[i], 1) << i;
  }
}

template <class Group>
int* of_helper(const Group& g) {
  return &(*oneapi::group_local_memory_for_overwrite<int[8]>(g))[0];
}

TEST(local_memory, of_a_call_in_a_function_is_one_object_wherever_the_function_is_called) {
  sycl::queue q;
  numbers<int> out(q, all);
  q.parallel_for(sycl::nd_range<3>({groups, 1, items}, {1, 1, items}), [out = out.get()](
                                                                           sycl::nd_item<3> it) {
     const auto g = it.get_group();
     int* const first = of_helper(g);
     int same = 1;
     for (int round = 0; round < 3; ++round) same &= of_helper(g) == first;
     out[it.get_global_linear_id()] = same;
   }).wait();
  for (std::size_t i = 0; i < all; ++i) EXPECT_EQ(out[i], 1) << i;
}

struct alignas(128) wide {
  char bytes[128];
};

TEST(local_memory, is_aligned_as_its_type_wants) {
  sycl::queue q;
  numbers<int> out(q, all);
  q.parallel_for(sycl::nd_range<1>(all, items), [out = out.get()](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     auto small = oneapi::group_local_memory_for_overwrite<char>(g);
     auto large = oneapi::group_local_memory_for_overwrite<wide>(g);
     *small = 1;
     out[it.get_global_id(0)] =
         static_cast<int>(reinterpret_cast<std::uintptr_t>(large.get()) % 128);
   }).wait();
  for (std::size_t i = 0; i < all; ++i) EXPECT_EQ(out[i], 0) << i;
}

TEST(local_memory, stands_beside_local_accessors_and_group_algorithms) {
  sycl::queue q;
  numbers<int> out(q, all);
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int, 1> mine(sycl::range<1>(items), h);
     h.parallel_for(sycl::nd_range<1>(all, items), [=, out = out.get()](sycl::nd_item<1> it) {
       const auto g = it.get_group();
       const std::size_t i = it.get_local_id(0);
       auto& other = *oneapi::group_local_memory_for_overwrite<int[items]>(g);
       mine[i] = static_cast<int>(i);
       other[i] = 100;
       sycl::group_barrier(g);
       out[it.get_global_id(0)] = sycl::reduce_over_group(
           g, mine[items - 1 - i] + other[items - 1 - i], sycl::plus<int>());
     });
   }).wait();
  for (std::size_t i = 0; i < all; ++i)
    EXPECT_EQ(out[i], static_cast<int>(items * (items - 1) / 2 + items * 100)) << i;
}

TEST(local_memory, may_be_large) {
  sycl::queue q;
  constexpr std::size_t many = 10000;  // 40 kB
  numbers<int> out(q, all);
  q.parallel_for(sycl::nd_range<1>(all, items), [out = out.get()](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     auto& memory = *oneapi::group_local_memory_for_overwrite<int[many]>(g);
     for (std::size_t i = it.get_local_id(0); i < many; i += items)
       memory[i] = static_cast<int>(i % 7 + it.get_group(0));
     sycl::group_barrier(g);
     int sum = 0;
     for (std::size_t i = 0; i < many; i += 100) sum += memory[i];
     out[it.get_global_id(0)] = sum;
   }).wait();
  for (std::size_t i = 0; i < all; ++i) {
    int sum = 0;
    for (std::size_t k = 0; k < many; k += 100) sum += static_cast<int>(k % 7 + i / items);
    EXPECT_EQ(out[i], sum) << i;
  }
}

exp::work_group_static<int> scalar;
exp::work_group_static<int[items]> row;
struct holder {
  static exp::work_group_static<double> of_class;
};
exp::work_group_static<double> holder::of_class;

TEST(work_group_static, is_one_variable_for_each_work_group) {
  sycl::queue q;
  numbers<int> out(q, all);
  q.parallel_for(sycl::nd_range<1>(all, items), [out = out.get()](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     const std::size_t i = it.get_local_id(0);
     if (i == 0) {
       scalar = static_cast<int>(it.get_group(0));
       scalar += 5;
       holder::of_class = 0.5;
     }
     row[i] = static_cast<int>(i);
     sycl::group_barrier(g);
     const int* const numbers = row;
     out[it.get_global_id(0)] = scalar * 1000 + numbers[items - 1 - i] * 2 +
                                static_cast<int>(holder::of_class * 2) + (&scalar)[0] * 100000;
   }).wait();
  for (std::size_t i = 0; i < all; ++i) {
    const int group = static_cast<int>(i / items), item = static_cast<int>(i % items);
    EXPECT_EQ(out[i], (group + 5) * 101000 + (static_cast<int>(items) - 1 - item) * 2 + 1) << i;
  }
}

int next_of_block(int rank, const sycl::group<1>& g) {
  static exp::work_group_static<int[items]> values;
  sycl::group_barrier(g);
  values[rank] = rank;
  sycl::group_barrier(g);
  return values[(rank + 1) % static_cast<int>(items)];
}
template <class T>
T* typed() {
  static exp::work_group_static<T> value;
  return &value;
}

TEST(work_group_static, in_a_block_is_the_same_in_all_calls_of_the_function) {
  sycl::queue q;
  numbers<int> out(q, all);
  numbers<int> apart(q, all);
  q.parallel_for(sycl::nd_range<1>(all, items), [out = out.get(),
                                                 apart = apart.get()](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     const int rank = static_cast<int>(it.get_local_id(0));
     out[it.get_global_id(0)] = next_of_block(rank, g) * 100 + next_of_block(rank, g);
     apart[it.get_global_id(0)] =
         typed<int>() == typed<int>() &&
         static_cast<void*>(typed<int>()) != static_cast<void*>(typed<float>());
   }).wait();
  for (std::size_t i = 0; i < all; ++i) {
    EXPECT_EQ(out[i], static_cast<int>((i + 1) % items == 0 ? 0 : i % items + 1) * 101) << i;
    EXPECT_EQ(apart[i], 1) << i;
  }
}

#if defined(__clang__)
int next_of_unwritten_static(int rank, const sycl::group<1>& g) {
  exp::work_group_static<int[items]> values;
  exp::work_group_static<int> first;
  sycl::group_barrier(g);
  values[rank] = rank;
  if (rank == 0) first = 7;
  sycl::group_barrier(g);
  return values[(rank + 1) % static_cast<int>(items)] + first * 100000;
}

TEST(work_group_static, in_a_block_is_static_whether_that_is_written_or_not) {
  sycl::queue q;
  numbers<int> out(q, all);
  numbers<int> apart(q, all);
  q.parallel_for(sycl::nd_range<1>(all, items), [out = out.get(),
                                                 apart = apart.get()](sycl::nd_item<1> it) {
     const auto g = it.get_group();
     const std::size_t i = it.get_local_id(0);
     const int rank = static_cast<int>(i);
     // As one array of bytes that is cut up.
     exp::work_group_static<char[2 * items * sizeof(int)]> bytes;
     int* const low = reinterpret_cast<int*>(&bytes);
     int* const high = low + items;
     exp::work_group_static<int> once, twice;
     low[i] = rank;
     high[i] = static_cast<int>(it.get_group(0));
     if (i == items - 1) {
       once = 1;
       twice = 2;
     }
     sycl::group_barrier(g);
     apart[it.get_global_id(0)] = low[items - 1 - i] + 100 * high[0] + 1000 * once + 3000 * twice;
     out[it.get_global_id(0)] =
         next_of_unwritten_static(rank, g) + next_of_unwritten_static(rank, g);
   }).wait();
  for (std::size_t i = 0; i < all; ++i) {
    const int rank = static_cast<int>(i % items), last = static_cast<int>(items) - 1;
    EXPECT_EQ(out[i], 2 * ((rank + 1) % static_cast<int>(items) + 700000)) << i;
    EXPECT_EQ(apart[i], last - rank + 100 * static_cast<int>(i / items) + 7000) << i;
  }
}
#endif

TEST(work_group_scratch_memory, is_as_large_as_the_launch_says) {
  sycl::queue q;
  for (const std::size_t size : {std::size_t{8}, items, std::size_t{64}}) {
    numbers<int> out(q, groups * size);
    exp::launch_config config{sycl::nd_range<1>(groups * size, size),
                              exp::properties{exp::work_group_scratch_size{size * sizeof(int)}}};
    exp::nd_launch(q, config, [out = out.get(), size](sycl::nd_item<1> it) {
      const std::size_t i = it.get_local_id(0);
      static_cast<int*>(exp::get_work_group_scratch_memory())[i] =
          static_cast<int>(it.get_global_id(0));
      sycl::group_barrier(it.get_group());
      const int* const same = static_cast<const int*>(exp::get_work_group_scratch_memory());
      out[it.get_global_id(0)] = same[size - 1 - i];
    });
    q.wait();
    for (std::size_t i = 0; i < groups * size; ++i)
      EXPECT_EQ(out[i], static_cast<int>(i / size * size + size - 1 - i % size)) << i;
  }
}

TEST(work_group_scratch_memory, stands_beside_local_accessors) {
  sycl::queue q;
  numbers<int> out(q, all);
  exp::submit(q, [&](sycl::handler& h) {
    sycl::local_accessor<int, 1> mine(sycl::range<1>(items), h);
    exp::nd_launch(
        h,
        exp::launch_config(sycl::nd_range<1>(all, items),
                           exp::properties(exp::work_group_scratch_size(items * sizeof(int)))),
        [=, out = out.get()](sycl::nd_item<1> it) {
          const std::size_t i = it.get_local_id(0);
          int* const scratch = static_cast<int*>(exp::get_work_group_scratch_memory());
          mine[i] = static_cast<int>(i);
          scratch[i] = 1000;
          sycl::group_barrier(it.get_group());
          out[it.get_global_id(0)] = mine[items - 1 - i] + scratch[items - 1 - i];
        });
  });
  q.wait();
  for (std::size_t i = 0; i < all; ++i)
    EXPECT_EQ(out[i], static_cast<int>(1000 + items - 1 - i % items)) << i;
}

TEST(work_group_scratch_memory, needs_work_groups) {
  sycl::queue q;
  EXPECT_EQ(
      error_code_of([&] {
        exp::parallel_for(
            q,
            exp::launch_config(sycl::range<1>(8), exp::properties(exp::work_group_scratch_size(8))),
            [](sycl::item<1>) {});
      }),
      sycl::errc::kernel_argument);
}

}  // namespace
