// SPDX-License-Identifier: Apache-2.0
// Functions as kernels: sycl_ext_oneapi_free_function_kernels, and sycl_ext_oneapi_raw_kernel_arg.
#include <gtest/gtest.h>

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "expect_error.hpp"

namespace {

namespace oneapi = sycl::ext::oneapi;
namespace exp = sycl::ext::oneapi::experimental;

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel))
void set(int* where, int value) { *where = value; }

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void add(double* where, double value) {
  sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device> sum(*where);
  sum += value;
}

template <class T>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void iota(T start, T* out) {
  const std::size_t i = oneapi::this_work_item::get_nd_item<1>().get_global_linear_id();
  start += static_cast<T>(i);  // a parameter is the work-item's own
  out[i] = start;
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<2>))
void where_2(std::size_t* out) {
  const auto it = oneapi::this_work_item::get_nd_item<2>();
  out[it.get_global_linear_id()] =
      it.get_group(0) * 1000 + it.get_group(1) * 100 + it.get_local_id(0) * 10 + it.get_local_id(1);
}

struct holder_of_kernel {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<3>))
  static void where_3(std::size_t* out) noexcept {
    const auto it = oneapi::this_work_item::get_nd_item<3>();
    out[it.get_global_linear_id()] = it.get_global_id(0) * 100 + it.get_global_id(1) * 10 +
                                     it.get_global_id(2) + it.get_global_range(2) * 1000;
  }
};

// Two of one name.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel))
void ping(float* x) { *x = 1.5F; }
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel))
void ping(int* x) { *x = 2; }

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void sum_backwards(sycl::accessor<int, 1, sycl::access_mode::read_write> data,
                   sycl::local_accessor<int, 1> row) {
  const auto it = oneapi::this_work_item::get_nd_item<1>();
  const std::size_t i = it.get_local_id(0), n = it.get_local_range(0);
  row[i] = data[it.get_global_id(0)];
  sycl::group_barrier(it.get_group());
  data[it.get_global_id(0)] = row[n - 1 - i] + 100;
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<2>))
void never_launched(int*) {}

struct trio {
  char a;
  double b;
  short c;
};
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::single_task_kernel))
void take(trio t, double* out) { *out = t.a + t.b + t.c; }

[[maybe_unused]] void no_kernel(int*) {}

namespace inner {
// Declared first, decorated there, and defined at the end of this file.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void defined_later(int* out, int value);
template <int Dimensions, class T>
struct of_class {
  SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<Dimensions>))
  static void ids(T* out) {
    const auto it = oneapi::this_work_item::get_nd_item<Dimensions>();
    out[it.get_global_linear_id()] = static_cast<T>(it.get_local_linear_id());
  }
};
}  // namespace inner

template <class T>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::work_group_size<8>)) void of_eight(T* out) {
  out[oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] = T(1);
}
// The kind may stand behind the other properties, and more than once.
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::sub_group_size<8>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<2>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<2>))
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::work_group_size<2, 4>))
void of_two_by_four(unsigned* out) {
  const auto it = oneapi::this_work_item::get_nd_item<2>();
  out[it.get_global_linear_id()] = it.get_sub_group().get_max_local_range()[0];
}

template <class T>
class shared {
 public:
  shared(const sycl::queue& q, std::size_t n) : q_(q), data_(sycl::malloc_shared<T>(n, q)) {
    std::fill_n(data_, n, T());
  }
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;
  ~shared() { sycl::free(data_, q_); }
  T* get() const { return data_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  sycl::queue q_;
  T* data_;
};

template <auto* Func>
sycl::kernel kernel_of(const sycl::queue& q) {
  return exp::get_kernel_bundle<Func, sycl::bundle_state::executable>(q.get_context())
      .template ext_oneapi_get_kernel<Func>();
}

TEST(free_function_kernels, are_launched_with_their_arguments) {
  sycl::queue q{sycl::property::queue::in_order()};
  const shared<int> number(q, 2);
  const shared<double> sum(q, 1);
  exp::single_task(q, exp::kernel_function<set>, number.get(), 3);
  exp::submit(q, [&](sycl::handler& h) {
    exp::single_task(h, exp::kernel_function<set>, number.get() + 1, 4.9);
  });
  exp::nd_launch(q, sycl::nd_range<1>(64, 8), exp::kernel_function<add>, sum.get(), 2);
  exp::nd_launch(q, exp::launch_config(sycl::nd_range<1>(16, 4)), exp::kernel_function<add>,
                 sum.get(), 1);
  exp::submit(q, [&](sycl::handler& h) {
    exp::nd_launch(h, sycl::nd_range<1>(8, 8), exp::kernel_function<add>, sum.get(), 0.5);
  });
  q.wait();
  EXPECT_EQ(number[0], 3);
  EXPECT_EQ(number[1], 4) << "converted to the parameter's type";
  EXPECT_EQ(sum[0], 64 * 2 + 16 + 4);
}

TEST(free_function_kernels, know_their_work_item_in_every_number_of_dimensions) {
  sycl::queue q;
  const shared<float> floats(q, 24);
  const shared<std::size_t> two(q, 24), three(q, 24);
  exp::nd_launch(q, sycl::nd_range<1>(24, 6), exp::kernel_function<iota<float>>, 0.5F,
                 floats.get());
  exp::nd_launch(q, sycl::nd_range<2>({4, 6}, {2, 3}), exp::kernel_function<where_2>, two.get());
  exp::nd_launch(q, sycl::nd_range<3>({2, 3, 4}, {1, 3, 2}),
                 exp::kernel_function<holder_of_kernel::where_3>, three.get());
  q.wait();
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(floats[i], 0.5F + static_cast<float>(i)) << i;
    const std::size_t y = i / 6, x = i % 6;
    EXPECT_EQ(two[i], y / 2 * 1000 + x / 3 * 100 + y % 2 * 10 + x % 3) << i;
    EXPECT_EQ(three[i], i / 12 * 100 + i / 4 % 3 * 10 + i % 4 + 4000) << i;
  }
}

TEST(free_function_kernels, may_be_overloaded) {
  sycl::queue q;
  const shared<float> f(q, 1);
  const shared<int> i(q, 1);
  exp::single_task(q, exp::kernel_function<static_cast<void (*)(float*)>(ping)>, f.get());
  exp::single_task(q, exp::kernel_function<static_cast<void (*)(int*)>(ping)>, i.get());
  q.wait();
  EXPECT_EQ(f[0], 1.5F);
  EXPECT_EQ(i[0], 2);
}

TEST(free_function_kernels, take_accessors) {
  sycl::queue q;
  std::vector<int> data(32);
  for (int i = 0; i < 32; ++i) data[static_cast<std::size_t>(i)] = i;
  {
    sycl::buffer<int> b(data);
    const sycl::kernel k = kernel_of<sum_backwards>(q);
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      sycl::local_accessor<int, 1> row(sycl::range<1>(8), h);
      exp::nd_launch(h, sycl::nd_range<1>(32, 8), exp::kernel_function<sum_backwards>, a, row);
    });
    q.submit([&](sycl::handler& h) {
      sycl::accessor a(b, h, sycl::read_write);
      h.set_args(a, sycl::local_accessor<int, 1>(sycl::range<1>(8), h));
      h.parallel_for(sycl::nd_range<1>(32, 8), k);
    });
  }
  for (int i = 0; i < 32; ++i) EXPECT_EQ(data[static_cast<std::size_t>(i)], i + 200) << i;
}

TEST(free_function_kernels, have_ids_bundles_and_kernel_objects) {
  sycl::queue q;
  const sycl::context c = q.get_context();
  const sycl::device d = q.get_device();
  const sycl::kernel_id id = exp::get_kernel_id<never_launched>();
  const std::vector<sycl::kernel_id> all = sycl::get_kernel_ids();
  EXPECT_EQ(std::count(all.begin(), all.end(), id), 1);
  EXPECT_NE(std::string(id.get_name()).find("never_launched"), std::string::npos) << id.get_name();
  EXPECT_NE(id, exp::get_kernel_id<set>());
  EXPECT_TRUE(exp::is_compatible<never_launched>(d));
  constexpr auto state = sycl::bundle_state::executable;
  EXPECT_TRUE((exp::has_kernel_bundle<never_launched, state>(c)));
  EXPECT_TRUE((exp::has_kernel_bundle<never_launched, state>(c, {d})));
  const auto bundle = exp::get_kernel_bundle<never_launched, state>(c, {d});
  EXPECT_TRUE(bundle.has_kernel(id));
  EXPECT_TRUE(bundle.ext_oneapi_has_kernel<never_launched>());
  EXPECT_TRUE(bundle.ext_oneapi_has_kernel<never_launched>(d));
  EXPECT_FALSE(bundle.ext_oneapi_has_kernel<set>());
  EXPECT_EQ(error_code_of([&] { (void)bundle.ext_oneapi_get_kernel<set>(); }), sycl::errc::invalid);
  const sycl::kernel k = bundle.ext_oneapi_get_kernel<never_launched>();
  EXPECT_EQ(k, bundle.get_kernel(id));
  EXPECT_EQ(k.get_info<sycl::info::kernel::num_args>(), 1U);
  EXPECT_EQ((exp::get_kernel_info<take, sycl::info::kernel::num_args>(c)), 2U);
  using size = sycl::info::kernel_device_specific::work_group_size;
  EXPECT_EQ((exp::get_kernel_info<take, size>(q)), (exp::get_kernel_info<take, size>(c, d)));
  EXPECT_GT((exp::get_kernel_info<take, size>(q)), 0U);
}

TEST(free_function_kernels, are_launched_as_objects_with_numbered_arguments) {
  sycl::queue q{sycl::property::queue::in_order()};
  const shared<int> number(q, 1);
  const shared<int> numbers(q, 16);
  const shared<std::size_t> two(q, 24);
  const sycl::kernel one = kernel_of<set>(q), many = kernel_of<iota<int>>(q);
  q.submit([&](sycl::handler& h) {
    h.set_arg(1, 7);
    h.set_arg(0, number.get());
    h.single_task(one);
  });
  q.submit([&](sycl::handler& h) {
    h.set_args(5, numbers.get());
    h.parallel_for(sycl::nd_range<1>(16, 4), many);
  });
  exp::nd_launch(q, sycl::nd_range<2>({4, 6}, {2, 3}), kernel_of<where_2>(q), two.get());
  q.wait();
  EXPECT_EQ(number[0], 7);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], 5 + i);
  EXPECT_EQ(two[23], 1112U);
}

TEST(free_function_kernels, refuse_arguments_that_are_not_their_parameters) {
  sycl::queue q;
  const shared<int> number(q, 1);
  const sycl::kernel k = kernel_of<set>(q);
  const auto code = [&](const auto& f) {
    return error_code_of([&] { q.submit([&](sycl::handler& h) { f(h); }); });
  };
  EXPECT_EQ(code([&](sycl::handler& h) { h.single_task(k); }), sycl::errc::kernel_argument);
  EXPECT_EQ(code([&](sycl::handler& h) {
              h.set_arg(1, 3);
              h.single_task(k);
            }),
            sycl::errc::kernel_argument)
      << "the first one is missing";
  EXPECT_EQ(code([&](sycl::handler& h) {
              h.set_args(number.get(), 3L);
              h.single_task(k);
            }),
            sycl::errc::kernel_argument)
      << "a long is no int";
  EXPECT_EQ(code([&](sycl::handler& h) {
              h.set_args(number.get(), 3, 4);
              h.single_task(k);
            }),
            sycl::errc::kernel_argument)
      << "one too many";
  EXPECT_EQ(code([&](sycl::handler& h) { h.set_arg(-1, 3); }), sycl::errc::kernel_argument);
  EXPECT_EQ(code([&](sycl::handler& h) {
              h.set_args(number.get(), 3);
              h.parallel_for(sycl::range<1>(1), k);
            }),
            sycl::errc::invalid);
}

TEST(free_function_kernels, may_be_defined_after_their_use_and_in_classes) {
  sycl::queue q;
  const shared<int> out(q, 8);
  const shared<short> ids(q, 8);
  exp::nd_launch(q, sycl::nd_range<1>(8, 4), exp::kernel_function<inner::defined_later>, out.get(),
                 5);
  exp::nd_launch(q, sycl::nd_range<2>({2, 4}, {2, 2}),
                 exp::kernel_function<inner::of_class<2, short>::ids>, ids.get());
  q.wait();
  EXPECT_EQ(out[7], 12);
  EXPECT_EQ(ids[6], 2);
  EXPECT_EQ(ids[7], 3);
}

TEST(free_function_kernels, may_be_called_as_functions) {
  sycl::queue q;
  const shared<int> out(q, 1);
  int here = 0;
  set(&here, 4);
  EXPECT_EQ(here, 4);
  int* const p = out.get();
  q.single_task([=] { set(p, 5); }).wait();
  EXPECT_EQ(out[0], 5);
}

TEST(free_function_kernels, are_not_launched_as_another_kind_than_their_decoration_says) {
#if defined(SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS)
  sycl::queue q;
  const shared<int> number(q, 1);
  const sycl::kernel single = kernel_of<set>(q), one = kernel_of<iota<int>>(q);
  const auto code = [&](const auto& f) {
    return error_code_of([&] { q.submit([&](sycl::handler& h) { f(h); }); });
  };
  EXPECT_EQ(code([&](sycl::handler& h) {
              h.set_args(number.get(), 3);
              h.parallel_for(sycl::nd_range<1>(1, 1), single);
            }),
            sycl::errc::invalid);
  EXPECT_EQ(code([&](sycl::handler& h) {
              h.set_args(1, number.get());
              h.single_task(one);
            }),
            sycl::errc::invalid);
  EXPECT_EQ(code([&](sycl::handler& h) {
              h.set_args(1, number.get());
              h.parallel_for(sycl::nd_range<2>({1, 1}, {1, 1}), one);
            }),
            sycl::errc::invalid);
#else
  GTEST_SKIP() << "the compiler does not tell how functions are decorated";
#endif
}

#if defined(SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS)
static_assert(exp::is_kernel_v<set> && exp::is_single_task_kernel_v<set>);
static_assert(!exp::is_nd_range_kernel_v<set, 1> && !exp::is_nd_range_kernel_v<set, 2>);
static_assert(exp::is_kernel_v<add> && !exp::is_single_task_kernel_v<add>);
static_assert(exp::is_nd_range_kernel_v<add, 1> && !exp::is_nd_range_kernel_v<add, 2>);
static_assert(exp::is_nd_range_kernel_v<where_2, 2> && !exp::is_nd_range_kernel_v<where_2, 1> &&
              !exp::is_nd_range_kernel_v<where_2, 3>);
static_assert(exp::is_nd_range_kernel_v<holder_of_kernel::where_3, 3>);
static_assert(exp::is_nd_range_kernel_v<iota<float>, 1> && exp::is_kernel_v<iota<char>>);
static_assert(exp::is_nd_range_kernel_v<inner::of_class<3, int>::ids, 3> &&
              !exp::is_nd_range_kernel_v<inner::of_class<1, int>::ids, 3>);
static_assert(exp::is_nd_range_kernel_v<inner::defined_later, 1>);
static_assert(exp::is_nd_range_kernel_v<of_two_by_four, 2> &&
              exp::is_nd_range_kernel_v<of_eight<int>, 1>);
static_assert(exp::is_single_task_kernel_v<static_cast<void (*)(int*)>(ping)>);
static_assert(!exp::is_kernel_v<no_kernel> && !exp::is_single_task_kernel_v<no_kernel> &&
              !exp::is_nd_range_kernel_v<no_kernel, 1>);
static_assert(std::is_base_of_v<std::true_type, exp::is_kernel<set>>);

template <auto* Func, class = void>
inline constexpr bool has_id = false;
template <auto* Func>
inline constexpr bool has_id<Func, std::void_t<decltype(exp::get_kernel_id<Func>())>> = true;
static_assert(has_id<set> && has_id<iota<int>> && !has_id<no_kernel>);
#endif

TEST(free_function_kernels, keep_to_the_properties_that_they_are_decorated_with) {
  sycl::queue q;
  const shared<int> out(q, 16);
  exp::nd_launch(q, sycl::nd_range<1>(16, 8), exp::kernel_function<of_eight<int>>, out.get());
  q.wait();
  EXPECT_EQ(out[15], 1);
  const sycl::device d = q.get_device();
  const auto sizes = d.get_info<sycl::info::device::sub_group_sizes>();
  [[maybe_unused]] const bool has_eight = std::find(sizes.begin(), sizes.end(), 8U) != sizes.end();
  [[maybe_unused]] const bool compatible = exp::is_compatible<of_two_by_four>(d);
#if defined(__PIANOLACC__)
  EXPECT_EQ(error_code_of([&] {
              exp::nd_launch(q, sycl::nd_range<1>(16, 4), exp::kernel_function<of_eight<int>>,
                             out.get());
              q.wait();
            }),
            sycl::errc::nd_range);
  EXPECT_EQ(compatible, has_eight);
  namespace info = sycl::info::kernel_device_specific;
  EXPECT_EQ(kernel_of<of_eight<int>>(q).get_info<info::compile_work_group_size>(d),
            sycl::range<3>(1, 1, 8));
  if (compatible) {
    const sycl::kernel two = kernel_of<of_two_by_four>(q);
    EXPECT_EQ(two.get_info<info::compile_work_group_size>(d), sycl::range<3>(1, 2, 4));
    EXPECT_EQ(two.get_info<info::compile_sub_group_size>(d), 8U);
  }
  // A kernel that calls the function is another one.
  int* const p = out.get();
  const auto calls = [=](sycl::nd_item<1>) { of_eight(p); };
  q.parallel_for(sycl::nd_range<1>(16, 4), calls).wait();
#endif
}

SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((exp::nd_range_kernel<1>))
void add_twice(int* out, char number, long factor) {
  out[oneapi::this_work_item::get_nd_item<1>().get_global_linear_id()] += number * factor;
}

TEST(free_function_kernels, take_parameters_of_graphs_that_change) {
  sycl::queue q;
  const shared<int> first(q, 4), second(q, 4);
  exp::command_graph g(q.get_context(), q.get_device());
  exp::dynamic_parameter<int*> out(g, first.get());
  exp::dynamic_parameter number(g, char{3});
  const sycl::kernel k = kernel_of<add_twice>(q);
  exp::node node = g.add([&](sycl::handler& h) {
    h.set_arg(0, out);
    h.set_arg(1, number);
    h.set_arg(2, 10L);
    h.parallel_for(sycl::nd_range<1>(4, 2), k);
  });
  auto runs = g.finalize(exp::property::graph::updatable());
  q.ext_oneapi_graph(runs).wait();
  EXPECT_EQ(first[3], 30);
  out.update(second.get());
  number.update(5);
  runs.update(node);
  q.ext_oneapi_graph(runs).wait();
  EXPECT_EQ(first[3], 30);
  EXPECT_EQ(second[0], 50);
  EXPECT_EQ(second[3], 50);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                h.set_args(number, number, 1L);
                h.parallel_for(sycl::nd_range<1>(4, 2), k);
              });
            }),
            sycl::errc::kernel_argument)
      << "a char is no pointer";
}

TEST(raw_kernel_arg, is_the_bytes_of_an_argument) {
  sycl::queue q;
  const shared<double> out(q, 1);
  const sycl::kernel k = kernel_of<take>(q);
  q.submit([&](sycl::handler& h) {
    trio t{1, 2.5, 4};
    double* p = out.get();
    h.set_args(oneapi::raw_kernel_arg(&t, sizeof t), oneapi::raw_kernel_arg(&p, sizeof p));
    t.b = 100;  // taken already
    h.single_task(k);
  });
  q.wait();
  EXPECT_EQ(out[0], 7.5);
  EXPECT_EQ(error_code_of([&] {
              q.submit([&](sycl::handler& h) {
                h.set_args(oneapi::raw_kernel_arg("abc", 3), out.get());
                h.single_task(k);
              });
            }),
            sycl::errc::kernel_argument)
      << "fewer bytes than the parameter has";
}

void inner::defined_later(int* out, int value) {
  const std::size_t i = oneapi::this_work_item::get_nd_item<1>().get_global_linear_id();
  out[i] = value + static_cast<int>(i);
}

}  // namespace
