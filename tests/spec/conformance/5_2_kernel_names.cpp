// SPDX-License-Identifier: Apache-2.0
// 5.2: names of kernels. 5.3: every function that a kernel calls, wherever in the source, is compiled for the device.
// also tests: 5.3
#include <gtest/gtest.h>
#include <sycl/sycl.hpp>

#include <vector>

class at_global_scope;
template <class T>
class global_template;
namespace some_namespace {
class nested_name;
template <int N, class T>
struct function_object_of {
  T* to;
  void operator()() const { *to = static_cast<T>(N); }
};
}  // namespace some_namespace

namespace {

/// defined after its first use in a kernel
int defined_below(int x);

struct shared_int {
  sycl::queue q;
  int* value = sycl::malloc_shared<int>(1, q);
  ~shared_int() { sycl::free(value, q); }
};

template <class Name, class F>
void run_named(sycl::queue& q, F f) {
  q.submit([&](sycl::handler& h) { h.single_task<Name>(f); }).wait();
}

TEST(kernel_names, may_be_declared_in_any_namespace_or_only_where_they_are_used) {
  shared_int out;
  int* const to = out.value;
  run_named<at_global_scope>(out.q, [=] { *to = 1; });
  EXPECT_EQ(*to, 1);
  run_named<some_namespace::nested_name>(out.q, [=] { *to = 2; });
  EXPECT_EQ(*to, 2);
  run_named<class declared_in_place>(out.q, [=] { *to = 3; });
  EXPECT_EQ(*to, 3);
  out.q.single_task<class also_declared_in_place>([=] { *to = 4; }).wait();
  EXPECT_EQ(*to, 4);
}

TEST(kernel_names, may_be_left_out_of_lambdas_and_are_the_type_of_function_objects) {
  shared_int out;
  int* const to = out.value;
  out.q.single_task([=] { *to = 1; }).wait();
  EXPECT_EQ(*to, 1);
  out.q.single_task(some_namespace::function_object_of<7, int>{to}).wait();
  EXPECT_EQ(*to, 7);
  const sycl::kernel_id id = sycl::get_kernel_id<some_namespace::function_object_of<7, int>>();
  EXPECT_TRUE(sycl::has_kernel_bundle<sycl::bundle_state::executable>(out.q.get_context(), {id}));
}

template <class T>
void fill(sycl::queue& q, T* to, T value) {
  q.single_task<global_template<T>>([=] { *to = value; }).wait();
}

// One template, several kernels: their names hold the parameters.
TEST(kernel_names, of_templates_tell_their_instances_apart) {
  sycl::queue q;
  int* const i = sycl::malloc_shared<int>(1, q);
  double* const d = sycl::malloc_shared<double>(1, q);
  fill(q, i, 5);
  fill(q, d, 2.5);
  EXPECT_EQ(*i, 5);
  EXPECT_EQ(*d, 2.5);
  EXPECT_NE(sycl::get_kernel_id<global_template<int>>(),
            sycl::get_kernel_id<global_template<double>>());
  sycl::free(i, q);
  sycl::free(d, q);
}

struct with_members {
  int a;
  explicit with_members(int x) : a(defined_below(x)) {}
  with_members& operator+=(const with_members& other) {
    a += other.a;
    return *this;
  }
  static int of_the_class(int x) { return x + 1000; }
};

template <class F>
int apply(F f, int x) {
  return f(x);
}

TEST(device_functions, are_found_through_calls_operators_constructors_and_templates) {
  shared_int out;
  int* const to = out.value;
  out.q
      .single_task([=] {
        with_members sum(1);
        sum += with_members(2);
        const auto twice = [](int x) { return 2 * x; };
        *to = apply(twice, sum.a) + with_members::of_the_class(0);
      })
      .wait();
  EXPECT_EQ(*to, 2 * (11 + 12) + 1000);
}

int further_below(int x);
int defined_below(int x) { return further_below(x) + 10; }
int further_below(int x) { return x; }

}  // namespace
