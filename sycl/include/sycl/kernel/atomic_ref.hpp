// SPDX-License-Identifier: Apache-2.0
// atomic_ref (SYCL 2020, 4.15.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/kernel/atomic_fence.hpp>
#include <sycl/kernel/memory_enums.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Order of the load that is left when a read-modify-write with the order fails (or only loads).
constexpr memory_order load_part(memory_order order) {
  return order == memory_order::acq_rel   ? memory_order::acquire
         : order == memory_order::release ? memory_order::relaxed
                                          : order;
}
constexpr memory_order store_part(memory_order order) {
  return order == memory_order::acq_rel   ? memory_order::release
         : order == memory_order::acquire ? memory_order::relaxed
                                          : order;
}

/// Integers and pointers have built-ins for everything, clang has them for floating point too; elsewhere a
/// new value is computed and exchanged until nobody was faster.
template <class T>
inline constexpr bool has_atomic_add =
#if defined(__clang__)
    !std::is_same_v<T, bool> && sizeof(T) <= 8;
#else
    std::is_integral_v<T>;
#endif

/// What all kinds of atomic_ref can do. T: integers and floating-point numbers of 4 or 8 bytes (or smaller
/// integers, which hosts have), pointers.
template <class T, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_base {
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || std::is_pointer_v<T>,
                "atomic_ref refers to integers, floating-point numbers and pointers");
  static_assert(sizeof(T) <= 8, "atomic_ref refers to objects of at most 8 bytes");
  static_assert(DefaultOrder == memory_order::relaxed || DefaultOrder == memory_order::acq_rel ||
                    DefaultOrder == memory_order::seq_cst,
                "the default order of an atomic_ref is relaxed, acq_rel or seq_cst");

 public:
  using value_type = T;
  static constexpr std::size_t required_alignment = sizeof(T);
  static constexpr bool is_always_lock_free = true;
  static constexpr memory_order default_read_order = load_part(DefaultOrder);
  static constexpr memory_order default_write_order = store_part(DefaultOrder);
  static constexpr memory_order default_read_modify_write_order = DefaultOrder;
  static constexpr memory_scope default_scope = DefaultScope;

  bool is_lock_free() const noexcept { return true; }

  void store(T operand, memory_order order = default_write_order,
             memory_scope scope = default_scope) const noexcept {
    __atomic_store(in_scope(at_, scope), &operand, builtin_order(store_part(order)));
  }

  T load(memory_order order = default_read_order,
         memory_scope scope = default_scope) const noexcept {
    T value;
    __atomic_load(in_scope(at_, scope), &value, builtin_order(load_part(order)));
    return value;
  }

  operator T() const noexcept { return load(); }

  T exchange(T operand, memory_order order = default_read_modify_write_order,
             memory_scope scope = default_scope) const noexcept {
    T old;
    __atomic_exchange(in_scope(at_, scope), &operand, &old, builtin_order(order));
    return old;
  }

  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure,
                             memory_scope scope = default_scope) const noexcept {
    return __atomic_compare_exchange(in_scope(at_, scope), &expected, &desired, true,
                                     builtin_order(success), builtin_order(load_part(failure)));
  }
  bool compare_exchange_weak(T& expected, T desired,
                             memory_order order = default_read_modify_write_order,
                             memory_scope scope = default_scope) const noexcept {
    return compare_exchange_weak(expected, desired, order, load_part(order), scope);
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure,
                               memory_scope scope = default_scope) const noexcept {
    return __atomic_compare_exchange(in_scope(at_, scope), &expected, &desired, false,
                                     builtin_order(success), builtin_order(load_part(failure)));
  }
  bool compare_exchange_strong(T& expected, T desired,
                               memory_order order = default_read_modify_write_order,
                               memory_scope scope = default_scope) const noexcept {
    return compare_exchange_strong(expected, desired, order, load_part(order), scope);
  }

 protected:
  explicit atomic_ref_base(T& object) noexcept : at_(&object) {}
  atomic_ref_base(const atomic_ref_base&) noexcept = default;
  atomic_ref_base& operator=(const atomic_ref_base&) = delete;

  /// Returns the old value.
  template <class Change>
  T replace(const Change& change, memory_order order, memory_scope scope) const noexcept {
    T old = load(memory_order::relaxed, scope);
    while (!compare_exchange_weak(old, change(old), order, memory_order::relaxed, scope)) {
    }
    return old;
  }

  T* at_;
};

/// Integers and floating-point numbers.
template <class T, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_number : public atomic_ref_base<T, DefaultOrder, DefaultScope> {
  using base = atomic_ref_base<T, DefaultOrder, DefaultScope>;

 public:
  using difference_type = T;
  using base::default_read_modify_write_order;
  using base::default_scope;

  T fetch_add(T operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    if constexpr (has_atomic_add<T>)
      return __atomic_fetch_add(in_scope(at_, scope), operand, builtin_order(order));
    else
      return this->replace([=](T old) { return static_cast<T>(old + operand); }, order, scope);
  }
  T fetch_sub(T operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    if constexpr (has_atomic_add<T>)
      return __atomic_fetch_sub(in_scope(at_, scope), operand, builtin_order(order));
    else
      return this->replace([=](T old) { return static_cast<T>(old - operand); }, order, scope);
  }
  T fetch_min(T operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
#if defined(__clang__)
    if constexpr (std::is_integral_v<T>)
      return __atomic_fetch_min(in_scope(at_, scope), operand, builtin_order(order));
    else
#endif
      return this->replace([=](T old) { return operand < old ? operand : old; }, order, scope);
  }
  T fetch_max(T operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
#if defined(__clang__)
    if constexpr (std::is_integral_v<T>)
      return __atomic_fetch_max(in_scope(at_, scope), operand, builtin_order(order));
    else
#endif
      return this->replace([=](T old) { return old < operand ? operand : old; }, order, scope);
  }

  T operator+=(T operand) const noexcept { return static_cast<T>(fetch_add(operand) + operand); }
  T operator-=(T operand) const noexcept { return static_cast<T>(fetch_sub(operand) - operand); }

 protected:
  using base::at_;
  using base::base;
};

template <class T, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_integer : public atomic_ref_number<T, DefaultOrder, DefaultScope> {
  using base = atomic_ref_number<T, DefaultOrder, DefaultScope>;

 public:
  using base::default_read_modify_write_order;
  using base::default_scope;

  T fetch_and(T operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    return __atomic_fetch_and(in_scope(at_, scope), operand, builtin_order(order));
  }
  T fetch_or(T operand, memory_order order = default_read_modify_write_order,
             memory_scope scope = default_scope) const noexcept {
    return __atomic_fetch_or(in_scope(at_, scope), operand, builtin_order(order));
  }
  T fetch_xor(T operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    return __atomic_fetch_xor(in_scope(at_, scope), operand, builtin_order(order));
  }

  T operator++(int) const noexcept { return this->fetch_add(1); }
  T operator--(int) const noexcept { return this->fetch_sub(1); }
  T operator++() const noexcept { return static_cast<T>(this->fetch_add(1) + 1); }
  T operator--() const noexcept { return static_cast<T>(this->fetch_sub(1) - 1); }
  T operator&=(T operand) const noexcept { return static_cast<T>(fetch_and(operand) & operand); }
  T operator|=(T operand) const noexcept { return static_cast<T>(fetch_or(operand) | operand); }
  T operator^=(T operand) const noexcept { return static_cast<T>(fetch_xor(operand) ^ operand); }

 protected:
  using base::at_;
  using base::base;
};

template <class T, memory_order DefaultOrder, memory_scope DefaultScope>
class atomic_ref_pointer : public atomic_ref_base<T, DefaultOrder, DefaultScope> {
  using base = atomic_ref_base<T, DefaultOrder, DefaultScope>;

 public:
  using difference_type = std::ptrdiff_t;
  using base::default_read_modify_write_order;
  using base::default_scope;

  T fetch_add(difference_type operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    return this->replace([=](T old) { return old + operand; }, order, scope);
  }
  T fetch_sub(difference_type operand, memory_order order = default_read_modify_write_order,
              memory_scope scope = default_scope) const noexcept {
    return this->replace([=](T old) { return old - operand; }, order, scope);
  }

  T operator++(int) const noexcept { return fetch_add(1); }
  T operator--(int) const noexcept { return fetch_sub(1); }
  T operator++() const noexcept { return fetch_add(1) + 1; }
  T operator--() const noexcept { return fetch_sub(1) - 1; }
  T operator+=(difference_type operand) const noexcept { return fetch_add(operand) + operand; }
  T operator-=(difference_type operand) const noexcept { return fetch_sub(operand) - operand; }

 protected:
  using base::base;
};

template <class T, memory_order DefaultOrder, memory_scope DefaultScope>
using atomic_ref_kind =
    std::conditional_t<std::is_pointer_v<T>, atomic_ref_pointer<T, DefaultOrder, DefaultScope>,
                       std::conditional_t<std::is_floating_point_v<T>,
                                          atomic_ref_number<T, DefaultOrder, DefaultScope>,
                                          atomic_ref_integer<T, DefaultOrder, DefaultScope>>>;

}  // namespace detail

/// Atomic operations on an object, which nobody may touch otherwise while an atomic_ref to it is in use.
/// Copies refer to the same object. On hosts scopes narrower than the system's are widened to it.
template <class T, memory_order DefaultOrder, memory_scope DefaultScope,
          access::address_space Space = access::address_space::generic_space>
class atomic_ref : public detail::atomic_ref_kind<T, DefaultOrder, DefaultScope> {
  static_assert(Space != access::address_space::private_space &&
                    Space != access::address_space::constant_space,
                "atomic_ref refers to global or local memory");
  using base = detail::atomic_ref_kind<T, DefaultOrder, DefaultScope>;

 public:
  explicit atomic_ref(T& object) : base(object) {}
  atomic_ref(const atomic_ref&) noexcept = default;
  atomic_ref& operator=(const atomic_ref&) = delete;

  T operator=(T operand) const noexcept {
    this->store(operand);
    return operand;
  }
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
