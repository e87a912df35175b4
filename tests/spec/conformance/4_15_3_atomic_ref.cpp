// SPDX-License-Identifier: Apache-2.0
// 4.15.3: atomic_ref.
#include <cstdint>
#include <type_traits>
#include <vector>

#include "checked.hpp"

namespace {

using sycl::atomic_ref;
using sycl::memory_order;
using sycl::memory_scope;
using space = sycl::access::address_space;

template <class T, memory_order Order = memory_order::relaxed,
          memory_scope Scope = memory_scope::device, space Space = space::generic_space>
using ref = atomic_ref<T, Order, Scope, Space>;

template <class T, memory_order Order, memory_order Read, memory_order Write, memory_scope Scope>
constexpr bool has_the_constants_of_the_specification() {
  using r = ref<T, Order, Scope>;
  return r::default_read_order == Read && r::default_write_order == Write &&
         r::default_read_modify_write_order == Order && r::default_scope == Scope &&
         r::required_alignment >= alignof(T) && std::is_same_v<typename r::value_type, T> &&
         r::is_always_lock_free && std::is_constructible_v<r, T&> &&
         !std::is_convertible_v<T&, r> && std::is_copy_constructible_v<r> &&
         !std::is_copy_assignable_v<r> && !std::is_default_constructible_v<r>;
}
template <class T, memory_scope Scope>
constexpr bool in_all_orders() {
  return has_the_constants_of_the_specification<T, memory_order::relaxed, memory_order::relaxed,
                                                memory_order::relaxed, Scope>() &&
         has_the_constants_of_the_specification<T, memory_order::acq_rel, memory_order::acquire,
                                                memory_order::release, Scope>() &&
         has_the_constants_of_the_specification<T, memory_order::seq_cst, memory_order::seq_cst,
                                                memory_order::seq_cst, Scope>();
}
static_assert(in_all_orders<int, memory_scope::work_item>() &&
              in_all_orders<unsigned, memory_scope::sub_group>() &&
              in_all_orders<long, memory_scope::work_group>() &&
              in_all_orders<unsigned long, memory_scope::device>() &&
              in_all_orders<long long, memory_scope::system>() &&
              in_all_orders<float, memory_scope::device>() &&
              in_all_orders<double, memory_scope::system>() &&
              in_all_orders<int*, memory_scope::work_group>());
static_assert(std::is_same_v<ref<int>::difference_type, int> &&
              std::is_same_v<ref<float>::difference_type, float> &&
              std::is_same_v<ref<int*>::difference_type, std::ptrdiff_t>);

constexpr memory_order read_orders[] = {memory_order::relaxed, memory_order::acquire,
                                        memory_order::seq_cst};
constexpr memory_order write_orders[] = {memory_order::relaxed, memory_order::release,
                                         memory_order::seq_cst};
constexpr memory_order all_orders[] = {memory_order::relaxed, memory_order::acquire,
                                       memory_order::release, memory_order::acq_rel,
                                       memory_order::seq_cst};
constexpr memory_scope all_scopes[] = {memory_scope::work_item, memory_scope::sub_group,
                                       memory_scope::work_group, memory_scope::device,
                                       memory_scope::system};

/// What one work-item sees of the operations on `object`, which is its own; with every order and scope.
template <class T, class Ref>
int check_operations(T& object) {
  const Ref r(object);
  CHECK(r.is_lock_free());
  for (const memory_scope scope : all_scopes) {
    for (const memory_order order : write_orders) {
      r.store(T(1), memory_order::relaxed);
      r.store(T(2), order, scope);
      CHECK(r.load() == T(2));
    }
    for (const memory_order order : read_orders) CHECK(r.load(order, scope) == T(2));
    for (const memory_order order : all_orders) {
      r = T(5);
      CHECK(r.exchange(T(6), order, scope) == T(5) && r == T(6));
      T expected = T(7);
      CHECK(!r.compare_exchange_strong(expected, T(8), order, scope) && expected == T(6) &&
            r == T(6));
      CHECK(r.compare_exchange_strong(expected, T(8), order, scope) && r == T(8));
      CHECK(!r.compare_exchange_weak(expected, T(9), order, scope) && expected == T(8));
      while (!r.compare_exchange_weak(expected, T(9), order, scope)) {
      }
      CHECK(r == T(9));
      CHECK(!r.compare_exchange_strong(expected = T(1), T(2), order, memory_order::relaxed, scope));
      CHECK(r.compare_exchange_strong(expected, T(20), order, memory_order::relaxed, scope) &&
            r == T(20));
      CHECK(r.fetch_add(T(3), order, scope) == T(20) && r.fetch_sub(T(4), order, scope) == T(23) &&
            r == T(19));
      CHECK(r.fetch_min(T(25), order, scope) == T(19) &&
            r.fetch_min(T(12), order, scope) == T(19) && r == T(12));
      CHECK(r.fetch_max(T(11), order, scope) == T(12) &&
            r.fetch_max(T(14), order, scope) == T(12) && r == T(14));
      if constexpr (std::is_integral_v<T>) {
        CHECK(r.fetch_and(T(10), order, scope) == T(14) && r.fetch_or(T(5), order, scope) == T(10));
        CHECK(r.fetch_xor(T(9), order, scope) == T(15) && r == T(6));
      }
    }
  }
  CHECK((r = T(3)) == T(3) && (r += T(4)) == T(7) && (r -= T(2)) == T(5));
  if constexpr (std::is_integral_v<T>) {
    CHECK(r++ == T(5) && ++r == T(7) && r-- == T(7) && --r == T(5));
    CHECK((r |= T(2)) == T(7) && (r &= T(6)) == T(6) && (r ^= T(3)) == T(5));
  }
  if constexpr (std::is_signed_v<T> || std::is_floating_point_v<T>) {
    r = T(-3);
    CHECK(r.fetch_min(T(2)) == T(-3) && r.fetch_max(T(2)) == T(-3) && r == T(2));
  }
  const Ref copy = r;
  CHECK(copy.load() == r.load());
  return 0;
}

template <class T, class Ref>
int in_memory_of_a_kernel() {
  int lines[2] = {-1, -1};
  T object{};
  {
    sycl::buffer<int> result(lines, 2);
    sycl::buffer<T> memory(&object, 1);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor out(result, h, sycl::write_only, sycl::no_init);
      sycl::accessor global(memory, h);
      sycl::local_accessor<T> local(1, h);
      h.parallel_for(sycl::nd_range<1>(1, 1), [=](sycl::nd_item<1>) {
        out[0] = check_operations<T, Ref>(global[0]);
        out[1] = check_operations<T, Ref>(local[0]);
      });
    });
  }
  return lines[0] != 0 ? lines[0] : lines[1];
}

template <class T>
void check_type() {
  T object{};
  EXPECT_EQ((check_operations<T, ref<T>>(object)), 0);
  EXPECT_EQ((in_memory_of_a_kernel<T, ref<T>>()), 0);
  EXPECT_EQ((in_memory_of_a_kernel<T, ref<T, memory_order::seq_cst, memory_scope::work_group>>()),
            0);
}

TEST(atomic_ref, has_every_operation_with_every_order_and_scope_on_int) { check_type<int>(); }
TEST(atomic_ref, has_every_operation_with_every_order_and_scope_on_unsigned) {
  check_type<unsigned>();
}
TEST(atomic_ref, has_every_operation_with_every_order_and_scope_on_long) { check_type<long>(); }
TEST(atomic_ref, has_every_operation_with_every_order_and_scope_on_unsigned_long_long) {
  check_type<unsigned long long>();
}
TEST(atomic_ref, has_every_operation_with_every_order_and_scope_on_float) { check_type<float>(); }
TEST(atomic_ref, has_every_operation_with_every_order_and_scope_on_double) { check_type<double>(); }

struct pointers {
  int operator()() const {
    int numbers[8] = {};
    int* object = numbers;
    const ref<int*> r(object);
    for (const memory_scope scope : all_scopes) {
      for (const memory_order order : all_orders) {
        r.store(numbers + 1);
        CHECK(r.exchange(numbers + 2, order, scope) == numbers + 1);
        CHECK(r.fetch_add(3, order, scope) == numbers + 2 &&
              r.fetch_sub(1, order, scope) == numbers + 5);
        int* expected = numbers;
        CHECK(!r.compare_exchange_strong(expected, nullptr, order, scope) &&
              expected == numbers + 4);
        CHECK(r.compare_exchange_strong(expected, numbers, order, scope) && r.load() == numbers);
      }
    }
    CHECK(r++ == numbers && ++r == numbers + 2 && r-- == numbers + 2 && --r == numbers);
    CHECK((r += 4) == numbers + 4 && (r -= 2) == numbers + 2 && (r = numbers) == numbers);
    int* value = r;
    CHECK(value == numbers && object == numbers);
    return 0;
  }
};
TEST(atomic_ref, moves_pointers_by_elements) { checked::everywhere<pointers>(); }

// Many work-items, one object in each kind of memory. The results do not depend on the order of operations.
template <class T>
void check_contention() {
  constexpr int groups = 8, items = 32;
  T sum = 0, least = 100000, greatest = 0, cas = 0;
  std::vector<T> locals(groups);
  {
    sycl::buffer<T> a(&sum, 1), b(&least, 1), c(&greatest, 1), d(&cas, 1), e(locals);
    sycl::queue().submit([&](sycl::handler& h) {
      sycl::accessor total(a, h), low(b, h), high(c, h), exchanged(d, h);
      sycl::accessor per_group(e, h, sycl::write_only, sycl::no_init);
      sycl::local_accessor<T> local(1, h);
      h.parallel_for(sycl::nd_range<1>(groups * items, items), [=](sycl::nd_item<1> it) {
        const T x = static_cast<T>(it.get_global_id(0) + 1);
        if (it.get_local_id(0) == 0) local[0] = 0;
        sycl::group_barrier(it.get_group());
        ref<T, memory_order::relaxed, memory_scope::work_group, space::local_space>(local[0])
            .fetch_add(T(1));
        ref<T, memory_order::relaxed, memory_scope::device, space::global_space>(total[0])
            .fetch_add(x);
        ref<T, memory_order::acq_rel>(low[0]).fetch_min(x);
        ref<T, memory_order::seq_cst, memory_scope::system>(high[0]).fetch_max(x);
        const ref<T> counter(exchanged[0]);
        T old = counter.load();
        while (!counter.compare_exchange_weak(old, old + T(2))) {
        }
        sycl::group_barrier(it.get_group());
        if (it.get_local_id(0) == 0) per_group[it.get_group(0)] = local[0];
      });
    });
  }
  EXPECT_EQ(sum, static_cast<T>(groups * items * (groups * items + 1) / 2));
  EXPECT_EQ(least, T(1));
  EXPECT_EQ(greatest, static_cast<T>(groups * items));
  EXPECT_EQ(cas, static_cast<T>(2 * groups * items));
  for (const T count : locals) EXPECT_EQ(count, static_cast<T>(items));
}
TEST(atomic_ref, loses_nothing_when_many_work_items_change_one_object) {
  check_contention<int>();
  check_contention<unsigned long>();
  check_contention<float>();
  check_contention<double>();
}

}  // namespace
