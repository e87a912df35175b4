// SPDX-License-Identifier: Apache-2.0
// Sub-group and work-group sizes that kernels require, as properties (in every compile mode) and as
// attributes (with pianolacc; other compilers drop them with a warning).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sycl/sycl.hpp>

namespace {

namespace experimental = sycl::ext::oneapi::experimental;

struct sub_groups_of_16 {
  std::size_t* sizes;
  int* sums;
  void operator()(sycl::nd_item<1> it) const {
    const sycl::sub_group sg = it.get_sub_group();
    const std::size_t i = it.get_global_linear_id();
    sizes[i] = sg.get_local_range()[0];
    sums[i] = sycl::reduce_over_group(sg, static_cast<int>(i), sycl::plus<int>());
  }
  auto get(experimental::properties_tag) const {
    return experimental::properties{experimental::sub_group_size<16>};
  }
};

TEST(kernel_properties, a_kernel_object_chooses_its_sub_group_size) {
  sycl::queue q;
  std::size_t* sizes = sycl::malloc_shared<std::size_t>(40, q);
  int* sums = sycl::malloc_shared<int>(40, q);
  q.parallel_for(sycl::nd_range<1>(40, 40), sub_groups_of_16{sizes, sums}).wait_and_throw();
  for (std::size_t i = 0; i < 40; ++i) {
    const std::size_t first = i / 16 * 16, last = first + 16 < 40 ? first + 16 : 40;
    int sum = 0;
    for (std::size_t k = first; k < last; ++k) sum += static_cast<int>(k);
    EXPECT_EQ(sizes[i], last - first) << i;
    EXPECT_EQ(sums[i], sum) << i;
  }
  sycl::free(sizes, q);
  sycl::free(sums, q);
}

TEST(kernel_properties, a_lambda_gets_them_from_parallel_for) {
  sycl::queue q;
  std::size_t* sizes = sycl::malloc_shared<std::size_t>(64, q);
  const auto kernel = [=](sycl::nd_item<1> it) {
    const sycl::sub_group sg = it.get_sub_group();
    sycl::group_barrier(sg);
    sizes[it.get_global_linear_id()] = sg.get_max_local_range()[0] + 100 * sg.get_group_range()[0];
  };
  q.parallel_for(sycl::nd_range<1>(64, 32),
                 experimental::properties{experimental::sub_group_size<16>,
                                          experimental::work_group_size<32>},
                 kernel)
      .wait_and_throw();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(sizes[i], 216U) << i;
  q.parallel_for(sycl::nd_range<1>(64, 32), experimental::properties{}, kernel).wait_and_throw();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(sizes[i], 408U) << i;
  sycl::free(sizes, q);
}

template <class Submit>
void expect_refusal(sycl::errc code, const std::string& part, const Submit& submit) {
  try {
    submit();
    FAIL() << "nothing was thrown";
  } catch (const sycl::exception& e) {
    EXPECT_EQ(e.code(), code);
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(kernel_properties, a_sub_group_size_that_the_device_has_not_is_refused_by_name) {
  sycl::queue q;
  expect_refusal(sycl::errc::kernel_not_supported, "sub-groups of 4 work-items", [&] {
    q.parallel_for(sycl::nd_range<1>(128, 128),
                   experimental::properties{experimental::sub_group_size<4>},
                   [](sycl::nd_item<1>) {});
  });
}

TEST(kernel_properties,
     a_work_group_size_beyond_the_device_is_refused_as_such_whatever_the_launch) {
  sycl::queue q;
  const auto kernel = [](sycl::nd_item<2>) {};
  for (const sycl::range<2>& local : {sycl::range<2>(8, 8), sycl::range<2>(1 << 20, 1 << 20)})
    expect_refusal(sycl::errc::kernel_not_supported, "requires work-groups of", [&] {
      q.parallel_for(sycl::nd_range<2>(local, local),
                     experimental::properties{experimental::work_group_size<(1 << 20), (1 << 20)>},
                     kernel);
    });
  // The product is 0 in 64 bits.
  expect_refusal(sycl::errc::kernel_not_supported, "requires work-groups of", [&] {
    q.parallel_for(
        sycl::nd_range<2>({8, 8}, {8, 8}),
        experimental::properties{
            experimental::work_group_size<(std::size_t{1} << 32), (std::size_t{1} << 32)>},
        kernel);
  });
}

struct groups_of_2_to_the_64 {
  void operator()(sycl::nd_item<2>) const {}
  auto get(experimental::properties_tag) const {
    return experimental::properties{
        experimental::work_group_size<(std::size_t{1} << 32), (std::size_t{1} << 32)>};
  }
};

TEST(kernel_properties, a_kernel_that_no_device_has_groups_for_is_compatible_with_none) {
  sycl::queue q;
  expect_refusal(sycl::errc::kernel_not_supported, "requires work-groups of", [&] {
    q.parallel_for(sycl::nd_range<2>({8, 8}, {8, 8}), groups_of_2_to_the_64());
  });
  EXPECT_FALSE(sycl::is_compatible<groups_of_2_to_the_64>(q.get_device()));
}

template <std::uint32_t Size>
void exchange_in_sub_groups_of() {
  constexpr unsigned items = Size + Size / 2 + 3;  // the last one is smaller
  sycl::queue q;
  unsigned* result = sycl::malloc_shared<unsigned>(5 * items, q);
  q.parallel_for(
       sycl::nd_range<1>(items, items),
       experimental::properties{experimental::sub_group_size<Size>},
       [=](sycl::nd_item<1> it) {
         const sycl::sub_group sg = it.get_sub_group();
         const auto me = static_cast<unsigned>(it.get_local_id(0));
         const unsigned lane = sg.get_local_linear_id(), lanes = sg.get_local_linear_range();
         unsigned* mine = result + 5 * me;
         mine[0] = sg.get_group_linear_id() * Size + lane == me ? lanes : 0;
         mine[1] = sycl::reduce_over_group(sg, me, sycl::plus<>());
         mine[2] = sycl::select_from_group(sg, me, lanes - 1 - lane);
         mine[3] = sycl::shift_group_left(sg, me, lanes > 1 && lane + 1 < lanes ? 1U : 0U);
         const auto odd = sycl::ext::oneapi::group_ballot(sg, me % 2 != 0);
         mine[4] = odd.count();
       })
      .wait_and_throw();
  for (unsigned i = 0; i < items; ++i) {
    const unsigned first = i / Size * Size, last = std::min(first + Size, items);
    unsigned sum = 0, odd = 0;
    for (unsigned j = first; j < last; ++j) sum += j, odd += j % 2;
    EXPECT_EQ(result[5 * i], last - first) << i;
    EXPECT_EQ(result[5 * i + 1], sum) << i;
    EXPECT_EQ(result[5 * i + 2], last - 1 - (i - first)) << i;
    if (i + 1 < last) {
      EXPECT_EQ(result[5 * i + 3], i + 1) << i;
    }
    EXPECT_EQ(result[5 * i + 4], odd) << i;
  }
  sycl::free(result, q);
}

TEST(kernel_properties, work_items_exchange_values_in_sub_groups_of_every_size_of_the_processor) {
  const sycl::device d;
  if (!d.is_cpu()) GTEST_SKIP();
  EXPECT_EQ(d.get_info<sycl::info::device::sub_group_sizes>(),
            (std::vector<std::size_t>{8, 16, 32, 64}));
  exchange_in_sub_groups_of<8>();
  exchange_in_sub_groups_of<16>();
  exchange_in_sub_groups_of<32>();
  exchange_in_sub_groups_of<64>();
}

TEST(kernel_properties, another_work_group_size_than_required_is_refused) {
  sycl::queue q;
  const experimental::properties required{experimental::work_group_size<4, 8>};
  const auto kernel = [](sycl::nd_item<2>) {};
  q.parallel_for(sycl::nd_range<2>({8, 8}, {4, 8}), required, kernel).wait_and_throw();
  expect_refusal(sycl::errc::nd_range, "requires work-groups of",
                 [&] { q.parallel_for(sycl::nd_range<2>({8, 8}, {8, 4}), required, kernel); });
}

TEST(kernel_properties, are_given_with_every_kind_of_launch_and_events_to_wait_for) {
  sycl::queue q;
  const experimental::properties none{};
  int* const n = sycl::malloc_shared<int>(1, q);
  *n = 1;
  const auto times_ten_and = [n](int digit) { return [=](auto&&...) { *n = *n * 10 + digit; }; };
  const auto alone = [n](int digit) { return [=] { *n = *n * 10 + digit; }; };
  const sycl::range<1> one(1);
  const sycl::nd_range<1> group(1, 1);
  sycl::event last = q.single_task(none, alone(2));
  last = q.single_task(last, none, alone(3));
  last = q.single_task(std::vector{last}, none, alone(4));
  last = q.parallel_for(one, last, none, times_ten_and(5));
  last = q.parallel_for(one, std::vector{last}, none, times_ten_and(6));
  last = q.parallel_for(group, last, none, times_ten_and(7));
  last = q.parallel_for(group, std::vector{last}, none, times_ten_and(8));
  last.wait_and_throw();
  EXPECT_EQ(*n, 12345678);
  *n = 1;
  q.parallel_for(one, none, times_ten_and(2)).wait_and_throw();
  q.submit([&](sycl::handler& h) { h.parallel_for(one, none, times_ten_and(3)); }).wait_and_throw();
  q.submit([&](sycl::handler& h) { h.single_task(none, alone(4)); }).wait_and_throw();
  EXPECT_EQ(*n, 1234);
  sycl::free(n, q);
  // They mean the same as with an nd_range.
  const experimental::properties custom{experimental::device_has<sycl::aspect::custom>};
  const auto refuses = [&](const auto& submit) {
    expect_refusal(sycl::errc::kernel_not_supported, "requires a device with the aspects custom",
                   submit);
  };
  refuses([&] { q.single_task(custom, [] {}); });
  refuses([&] { q.parallel_for(one, custom, [](sycl::id<1>) {}); });
}

template <sycl::aspect... Aspects>
struct needs {
  int* ran;
  void operator()() const { *ran = 1; }
  void operator()(sycl::id<1>) const { *ran = 2; }
  auto get(experimental::properties_tag) const {
    return experimental::properties{experimental::device_has<Aspects...>};
  }
};

TEST(kernel_properties, a_kernel_runs_where_the_device_has_what_it_needs) {
  sycl::queue q;
  int* ran = sycl::malloc_shared<int>(1, q);
  q.single_task(needs<sycl::aspect::fp64, sycl::aspect::atomic64>{ran}).wait_and_throw();
  EXPECT_EQ(*ran, 1);
  q.parallel_for(sycl::range<1>(1), needs<>{ran}).wait_and_throw();
  EXPECT_EQ(*ran, 2);
  sycl::free(ran, q);
}

TEST(kernel_properties, a_kernel_that_needs_what_the_device_lacks_is_refused_by_the_aspects_names) {
  sycl::queue q;
  const auto refuses = [&](const auto& submit) {
    expect_refusal(sycl::errc::kernel_not_supported, "requires a device with the aspects custom",
                   submit);
  };
  using kernel = needs<sycl::aspect::custom, sycl::aspect::fp64>;
  refuses([&] { q.single_task(kernel{nullptr}); });
  refuses([&] { q.parallel_for(sycl::range<1>(1), kernel{nullptr}); });
  sycl::ext::oneapi::experimental::command_graph graph(q);
  refuses([&] { graph.add([&](sycl::handler& h) { h.single_task(kernel{nullptr}); }); });
}

/// Its member function that returns them is not const.
template <class Index>
struct needs_custom {
  template <class... More>
  void operator()(const Index&, More&&...) const {}
  auto get(experimental::properties_tag) {
    return experimental::properties{experimental::device_has<sycl::aspect::custom>,
                                    experimental::work_group_size<4>};
  }
};
struct needs_custom_and_constants {
  void operator()(sycl::nd_item<1>, sycl::kernel_handler) const {}
  auto get(experimental::properties_tag) {
    return experimental::properties{experimental::device_has<sycl::aspect::custom>};
  }
};
struct scoped_needs_custom {
  template <class Group>
  void operator()(Group) const {}
  auto get(experimental::properties_tag) {
    return experimental::properties{experimental::device_has<sycl::aspect::custom>};
  }
};

TEST(kernel_properties, are_found_in_every_form_of_kernel) {
  sycl::queue q;
  const auto refuses = [&](const char* form, const auto& commands) {
    SCOPED_TRACE(form);
    expect_refusal(sycl::errc::kernel_not_supported, "requires a device with the aspects custom",
                   [&] { q.submit(commands); });
  };
  const sycl::range<1> items(8);
  const sycl::range<1> four(4);
  const sycl::nd_range<1> groups(8, 4);
  int* sum = sycl::malloc_shared<int>(1, q);
  const auto reduction = sycl::reduction(sum, sycl::plus<>());
  refuses("nd_range",
          [&](sycl::handler& h) { h.parallel_for(groups, needs_custom<sycl::nd_item<1>>()); });
  refuses("constants",
          [&](sycl::handler& h) { h.parallel_for(groups, needs_custom_and_constants()); });
  refuses("reduction over a range",
          [&](sycl::handler& h) { h.parallel_for(items, reduction, needs_custom<sycl::id<1>>()); });
  refuses("reduction over an nd_range", [&](sycl::handler& h) {
    h.parallel_for(groups, reduction, needs_custom<sycl::nd_item<1>>());
  });
  refuses("hierarchical", [&](sycl::handler& h) {
    h.parallel_for_work_group(items, four, needs_custom<sycl::group<1>>());
  });
  refuses("scoped", [&](sycl::handler& h) { h.parallel(items, four, scoped_needs_custom()); });
  sycl::free(sum, q);
}

struct hierarchical_in_groups_of_4 {
  void operator()(sycl::group<1>) const {}
  auto get(experimental::properties_tag) const {
    return experimental::properties{experimental::work_group_size<4>};
  }
};

TEST(kernel_properties, a_hierarchical_kernel_has_the_work_groups_that_it_requires_or_is_refused) {
  sycl::queue q;
  const auto run = [&](std::size_t size) {
    q.submit([&](sycl::handler& h) {
       h.parallel_for_work_group(sycl::range<1>(2), sycl::range<1>(size),
                                 hierarchical_in_groups_of_4());
     }).wait_and_throw();
  };
  run(4);
  expect_refusal(sycl::errc::nd_range, "requires work-groups of (4), not of (7)", [&] { run(7); });
}

struct sum_in_groups_of_4 {
  template <class Sum>
  [[sycl::reqd_work_group_size(4)]] void operator()(sycl::id<1> i, Sum& sum) const {
    sum += static_cast<int>(i[0]);
  }
  auto get(experimental::properties_tag) const {
    return experimental::properties{experimental::work_group_size<4>};
  }
};

/// Like any kernel over a range: it has no work-groups, whatever runs it.
TEST(kernel_properties, a_reduction_over_a_range_meets_every_size_of_work_groups) {
  sycl::queue q;
  int* sum = sycl::malloc_shared<int>(1, q);
  *sum = 0;
  q.parallel_for(sycl::range<1>(1000), sycl::reduction(sum, sycl::plus<>()), sum_in_groups_of_4())
      .wait_and_throw();
  EXPECT_EQ(*sum, 499500);
  const auto by_attribute = [](sycl::id<1> i, auto& s)
                                [[sycl::reqd_work_group_size(4)]] { s += static_cast<int>(i[0]); };
  q.parallel_for(sycl::range<1>(1000), sycl::reduction(sum, sycl::plus<>()), by_attribute)
      .wait_and_throw();
  EXPECT_EQ(*sum, 999000);
  sycl::free(sum, q);
}

struct not_const_in_sub_groups_of_16 {
  std::size_t* size;
  void operator()(sycl::nd_item<1> it) const {
    if (it.get_global_id(0) == 0) *size = it.get_sub_group().get_max_local_range()[0];
  }
  auto get(experimental::properties_tag) {
    return experimental::properties{experimental::sub_group_size<16>};
  }
};

TEST(kernel_properties, the_function_that_returns_them_need_not_be_const) {
  sycl::queue q;
  std::size_t* size = sycl::malloc_shared<std::size_t>(1, q);
  q.parallel_for(sycl::nd_range<1>(32, 32), not_const_in_sub_groups_of_16{size}).wait_and_throw();
  EXPECT_EQ(*size, 16U);
  sycl::free(size, q);
}

#if defined(__PIANOLACC__)

TEST(kernel_attributes, that_name_aspects_are_checked_where_the_kernel_is_submitted) {
  sycl::queue q;
  int* ran = sycl::malloc_shared<int>(1, q);
  q.single_task([=]() [[sycl::device_has(sycl::aspect::fp64)]] { *ran = 5; }).wait_and_throw();
  EXPECT_EQ(*ran, 5);
  expect_refusal(
      sycl::errc::kernel_not_supported, "requires a device with the aspects custom", [&] {
        q.parallel_for(sycl::range<1>(1),
                       [=](sycl::id<1>) [[sycl::device_has(sycl::aspect::custom)]] { *ran = 6; });
      });
  EXPECT_EQ(*ran, 5);
  sycl::free(ran, q);
}

TEST(kernel_attributes, say_the_same_behind_the_parameters_of_a_lambda) {
  sycl::queue q;
  std::size_t* sizes = sycl::malloc_shared<std::size_t>(64, q);
  q.parallel_for(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(
                                                16)]] {
     sizes[it.get_global_linear_id()] = it.get_sub_group().get_max_local_range()[0];
   }).wait_and_throw();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(sizes[i], 16U) << i;
  sycl::free(sizes, q);
}

struct attributed {
  std::size_t* sizes;
  [[sycl::reqd_sub_group_size(16), sycl::reqd_work_group_size(32)]] void operator()(
      sycl::nd_item<1> it) const {
    sizes[it.get_global_linear_id()] = it.get_sub_group().get_max_local_range()[0];
  }
};

TEST(kernel_attributes, say_the_same_before_a_member_function) {
  sycl::queue q;
  std::size_t* sizes = sycl::malloc_shared<std::size_t>(64, q);
  q.parallel_for(sycl::nd_range<1>(64, 32), attributed{sizes}).wait_and_throw();
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(sizes[i], 16U) << i;
  expect_refusal(sycl::errc::nd_range, "requires work-groups of",
                 [&] { q.parallel_for(sycl::nd_range<1>(64, 64), attributed{sizes}); });
  sycl::free(sizes, q);
}

TEST(kernel_attributes, that_the_device_cannot_meet_are_refused) {
  sycl::queue q;
  expect_refusal(sycl::errc::kernel_not_supported, "sub-groups of 4 work-items", [&] {
    q.parallel_for(sycl::nd_range<1>(128, 128),
                   [](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(4)]] {});
  });
}

#endif

}  // namespace
