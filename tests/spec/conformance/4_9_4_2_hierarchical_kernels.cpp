// SPDX-License-Identifier: Apache-2.0
// 4.9.4.2.3: hierarchical kernels, and the classes that they use (4.9.1.6, 4.9.1.7, 4.9.1.10).
// also tests: 3.9.5
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <cstdint>
#include <vector>

#include "errors.hpp"

namespace {

template <class T>
class device_array {
 public:
  device_array(sycl::queue q, std::size_t count)
      : queue_(q), count_(count), data_(sycl::malloc_device<T>(count, q)) {
    q.fill(data_, T(), count).wait();
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { sycl::free(data_, queue_); }
  T* get() const { return data_; }
  std::vector<T> values() {
    std::vector<T> all(count_);
    queue_.copy(data_, all.data(), count_).wait();
    return all;
  }

 private:
  sycl::queue queue_;
  std::size_t count_;
  T* data_;
};

class hierarchical_kernels : public ::testing::Test {
 protected:
  sycl::queue q;
};

TEST_F(hierarchical_kernels, run_every_work_item_once) {
  device_array<int> seen(q, 6 * 32);
  int* const out = seen.get();
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<1>(6), sycl::range<1>(32), [=](sycl::group<1> g) {
       g.parallel_for_work_item([&](sycl::h_item<1> i) {
         out[i.get_global_id(0)] += static_cast<int>(i.get_global_id(0)) + 1;
       });
     });
   }).wait();
  const auto values = seen.values();
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<int>(i) + 1);
}

TEST_F(hierarchical_kernels, see_what_work_items_did_before) {
  device_array<int> results(q, 4 * 64);
  int* const out = results.get();
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(64, h);
     h.parallel_for_work_group(sycl::range<1>(4), sycl::range<1>(64), [=](sycl::group<1> g) {
       // One for the whole group.
       int turn = 0;
       sycl::private_memory<int> own(g);
       g.parallel_for_work_item([&](sycl::h_item<1> i) {
         local[i.get_local_id(0)] = static_cast<int>(i.get_local_id(0) + g.get_group_id(0));
         own(i) = static_cast<int>(i.get_local_id(0)) * 1000;
       });
       ++turn;
       g.parallel_for_work_item([&](sycl::h_item<1> i) {
         out[i.get_global_id(0)] = own(i) + local[63 - i.get_local_id(0)] + turn;
       });
     });
   }).wait();
  const auto values = results.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t l = i % 64;
    EXPECT_EQ(values[i], static_cast<int>(l * 1000 + (63 - l) + i / 64 + 1));
  }
}

TEST_F(hierarchical_kernels, choose_a_size_where_none_is_given) {
  device_array<std::uint64_t> sizes(q, 8), items(q, 8);
  std::uint64_t *const size = sizes.get(), *const count = items.get();
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<3>(2, 2, 2), [=](sycl::group<3> g) {
       const std::size_t at = g.get_group_linear_id();
       size[at] = g.get_local_linear_range();
       // In turn: they are of one group, which one thread runs.
       g.parallel_for_work_item(sycl::range<3>(1, 1, 1), [&](sycl::h_item<3>) { count[at] += 1; });
       g.parallel_for_work_item(sycl::range<3>(3, 1, 2), [&](sycl::h_item<3> i) {
         if (i.get_logical_local_id() == sycl::id<3>(2, 0, 1)) count[at] += 10;
       });
     });
   }).wait();
  for (const std::uint64_t n : sizes.values()) EXPECT_GE(n, 1u);
  EXPECT_EQ(items.values(), std::vector<std::uint64_t>(8, 11));
}

TEST_F(hierarchical_kernels, fold_a_logical_range_onto_the_groups_items) {
  constexpr std::size_t logical = 10, physical = 4;
  device_array<std::uint64_t> seen(q, 2 * logical * 3);
  device_array<int> sums(q, 2 * physical);
  std::uint64_t* const out = seen.get();
  int* const sum = sums.get();
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(physical), [=](sycl::group<1> g) {
       sycl::private_memory<int> own(g);
       g.parallel_for_work_item([&](sycl::h_item<1> i) { own(i) = 0; });
       g.parallel_for_work_item(sycl::range<1>(logical), [&](sycl::h_item<1> i) {
         const std::size_t at = (g.get_group_id(0) * logical + i.get_logical_local_id(0)) * 3;
         out[at] = i.get_physical_local_id(0);
         out[at + 1] = i.get_local_range(0) * 100 + i.get_physical_local_range(0);
         out[at + 2] = i.get_global_id(0);
         own(i) += static_cast<int>(i.get_logical_local_id(0));
       });
       g.parallel_for_work_item([&](sycl::h_item<1> i) { sum[i.get_global_id(0)] = own(i); });
     });
   }).wait();
  const auto values = seen.values();
  for (std::size_t g = 0; g < 2; ++g)
    for (std::size_t l = 0; l < logical; ++l) {
      const std::size_t at = (g * logical + l) * 3;
      EXPECT_EQ(values[at], l % physical);
      EXPECT_EQ(values[at + 1], logical * 100 + physical);
      EXPECT_EQ(values[at + 2], g * physical + l % physical);
    }
  EXPECT_EQ(sums.values(), (std::vector<int>{12, 15, 8, 10, 12, 15, 8, 10}));
}

TEST_F(hierarchical_kernels, give_h_items_of_two_dimensions_all_their_places) {
  device_array<std::uint64_t> seen(q, 2 * 3 * 4 * 5);
  std::uint64_t* const out = seen.get();
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<2>(2, 3), sycl::range<2>(4, 5), [=](sycl::group<2> g) {
       g.parallel_for_work_item([&](sycl::h_item<2> i) {
         const bool right =
             i.get_global_range() == sycl::range<2>(8, 15) &&
             i.get_local_range() == sycl::range<2>(4, 5) &&
             i.get_global().get_id() == i.get_global_id() &&
             i.get_global().get_range() == i.get_global_range() &&
             i.get_local().get_id() == i.get_local_id() &&
             i.get_logical_local().get_id() == i.get_physical_local().get_id() &&
             i.get_global_id() == g.get_group_id() * g.get_local_range() + i.get_local_id();
         out[i.get_global().get_linear_id()] = right ? i.get_global().get_linear_id() + 1 : 0;
       });
     });
   }).wait();
  const auto values = seen.values();
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], i + 1);
}

TEST_F(hierarchical_kernels, copy_between_global_and_local_memory_by_the_group) {
  device_array<int> source(q, 64), target(q, 128);
  int *const in = source.get(), *const out = target.get();
  q.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { in[i] = static_cast<int>(i[0]); }).wait();
  q.submit([&](sycl::handler& h) {
     sycl::local_accessor<int> local(16, h);
     h.parallel_for_work_group(sycl::range<1>(4), sycl::range<1>(16), [=](sycl::group<1> g) {
       const auto tile = local.get_multi_ptr<sycl::access::decorated::yes>();
       using global = sycl::multi_ptr<int, sycl::access::address_space::global_space,
                                      sycl::access::decorated::yes>;
       const auto from =
           sycl::address_space_cast<sycl::access::address_space::global_space,
                                    sycl::access::decorated::yes>(in + g.get_group_id(0) * 16);
       const auto to =
           sycl::address_space_cast<sycl::access::address_space::global_space,
                                    sycl::access::decorated::yes>(out + g.get_group_id(0) * 32);
       static_assert(std::is_same_v<decltype(from), const global>);
       g.wait_for(g.async_work_group_copy(tile, from, 16));
       g.parallel_for_work_item([&](sycl::h_item<1> i) { local[i.get_local_id(0)] *= 3; });
       g.async_work_group_copy(to, tile, 16, 2).wait();
     });
   }).wait();
  const auto values = target.values();
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], i % 2 == 0 ? static_cast<int>(i / 2) * 3 : 0);
}

constexpr sycl::specialization_id<int> factor(2);

TEST_F(hierarchical_kernels, may_take_a_kernel_handler) {
  device_array<int> seen(q, 8);
  int* const out = seen.get();
  q.submit([&](sycl::handler& h) {
     h.set_specialization_constant<factor>(5);
     h.parallel_for_work_group(
         sycl::range<1>(2), sycl::range<1>(4), [=](sycl::group<1> g, sycl::kernel_handler k) {
           const int by = k.get_specialization_constant<factor>();
           g.parallel_for_work_item([&](sycl::h_item<1> i) {
             out[i.get_global_id(0)] = by * static_cast<int>(i.get_global_id(0));
           });
         });
   }).wait();
  EXPECT_EQ(seen.values(), (std::vector<int>{0, 5, 10, 15, 20, 25, 30, 35}));
}

TEST_F(hierarchical_kernels, run_nothing_when_there_are_no_groups) {
  device_array<int> ran(q, 1);
  int* const out = ran.get();
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<2>(3, 0), sycl::range<2>(0, 0),
                               [=](sycl::group<2>) { *out = 1; });
   }).wait();
  EXPECT_EQ(ran.values(), std::vector<int>{0});
}

TEST_F(hierarchical_kernels, may_take_the_group_by_any_reference) {
  device_array<int> seen(q, 8);
  int* const out = seen.get();
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(4), [=](auto& g) {
       g.parallel_for_work_item([&](sycl::h_item<1> i) { out[i.get_global_id(0)] += 1; });
     });
   }).wait();
  q.submit([&](sycl::handler& h) {
     h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(4), [=](const sycl::group<1>& g) {
       g.parallel_for_work_item([&](sycl::h_item<1> i) { out[i.get_global_id(0)] += 1; });
     });
   }).wait();
  EXPECT_EQ(seen.values(), std::vector<int>(8, 2));
}

TEST_F(hierarchical_kernels, refuse_groups_without_work_items) {
  const auto launch = [&] {
    q.submit([&](sycl::handler& h) {
      h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(0), [=](sycl::group<1>) {});
    });
  };
  EXPECT_EQ(code_of(launch), sycl::errc::nd_range);
}

}  // namespace
