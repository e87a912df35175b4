// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/reduction/cell.hpp>
#include <sycl/functional.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/atomic_fence.hpp>

#define PIANOLA_REDUCER_INLINE __attribute__((always_inline))

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <class T, class BinaryOperation, int Dimensions,
          bool HasIdentity = has_known_identity_v<BinaryOperation, T>>
class reducer;

namespace detail {

/// Several work-items of a device may combine into one cell at once if it is a word.
template <class Rules>
inline constexpr bool can_share_cell =
    Rules::has_identity && (sizeof(typename Rules::cell) == 4 || sizeof(typename Rules::cell) == 8);

#if defined(__PIANOLACC__)
/// Combines in device memory that other work-items combine into.
template <class Rules>
inline void put_shared(const Rules& rules, typename Rules::cell& c,
                       const typename Rules::value& x) {
  using word = std::conditional_t<sizeof(c) == 4, std::uint32_t, std::uint64_t>;
  word* const at = in_scope(reinterpret_cast<word*>(&c), memory_scope::device);
  word old = __atomic_load_n(at, __ATOMIC_RELAXED);
  word next;
  do {
    typename Rules::cell value = x;
    std::memcpy(&value, &old, sizeof(value));
    rules.put(value, x);
    std::memcpy(&next, &value, sizeof(value));
  } while (!__atomic_compare_exchange_n(at, &old, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}
#endif

/// The functions that reducers of one variable and elements of reducers of several have in common.
/// Derived has put(const T&) const.
template <class Derived, class T, class BinaryOperation>
class reducer_operations {
  static constexpr operator_kind kind = kind_of_operation<BinaryOperation>;

 public:
  /// Combines the value with what this reducer holds.
  PIANOLA_REDUCER_INLINE Derived& combine(const T& partial) const {
    self().put(partial);
    return self();
  }
  template <operator_kind Kind = kind, std::enable_if_t<Kind == operator_kind::plus, int> = 0>
  PIANOLA_REDUCER_INLINE Derived& operator+=(const T& partial) const {
    return combine(partial);
  }
  template <operator_kind Kind = kind, std::enable_if_t<Kind == operator_kind::multiplies, int> = 0>
  PIANOLA_REDUCER_INLINE Derived& operator*=(const T& partial) const {
    return combine(partial);
  }
  template <operator_kind Kind = kind, std::enable_if_t<Kind == operator_kind::bit_and, int> = 0>
  PIANOLA_REDUCER_INLINE Derived& operator&=(const T& partial) const {
    return combine(partial);
  }
  template <operator_kind Kind = kind, std::enable_if_t<Kind == operator_kind::bit_or, int> = 0>
  PIANOLA_REDUCER_INLINE Derived& operator|=(const T& partial) const {
    return combine(partial);
  }
  template <operator_kind Kind = kind, std::enable_if_t<Kind == operator_kind::bit_xor, int> = 0>
  PIANOLA_REDUCER_INLINE Derived& operator^=(const T& partial) const {
    return combine(partial);
  }
  template <operator_kind Kind = kind, std::enable_if_t<Kind == operator_kind::plus, int> = 0>
  PIANOLA_REDUCER_INLINE Derived& operator++() const {
    return combine(static_cast<T>(1));
  }
  template <operator_kind Kind = kind, std::enable_if_t<Kind == operator_kind::plus, int> = 0>
  PIANOLA_REDUCER_INLINE Derived& operator++(int) const {
    return combine(static_cast<T>(1));
  }

 private:
  // A reducer only points to what it changes.
  PIANOLA_REDUCER_INLINE Derived& self() const {
    return const_cast<Derived&>(static_cast<const Derived&>(*this));
  }
};

struct reducer_access;

}  // namespace detail

/// Through which a kernel combines values into a reduction variable (SYCL 2020, 4.9.2.3). HasIdentity:
/// the reduction has an identity, known or given.
template <class T, class BinaryOperation, int Dimensions, bool HasIdentity>
class reducer
    : public detail::reducer_operations<reducer<T, BinaryOperation, Dimensions, HasIdentity>, T,
                                        BinaryOperation> {
  static_assert(Dimensions == 0, "reducers have 0 or 1 dimensions");
  using rules = detail::reduction_rules<T, BinaryOperation, HasIdentity>;

 public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 0;

  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  /// Only if the identity is known or was given.
  template <bool Has = HasIdentity, std::enable_if_t<Has, int> = 0>
  T identity() const {
    return rules_->none();
  }

 private:
  friend struct detail::reducer_access;
  friend class detail::reducer_operations<reducer, T, BinaryOperation>;

  PIANOLA_REDUCER_INLINE reducer(const rules& r, typename rules::cell* at)
      : rules_(&r), cell_(at) {}
  PIANOLA_REDUCER_INLINE void put(const T& x) const { rules_->put(*cell_, x); }

  const rules* rules_;
  typename rules::cell* cell_;
};

/// Of the variables of a span.
template <class T, class BinaryOperation, bool HasIdentity>
class reducer<T, BinaryOperation, 1, HasIdentity> {
  using rules = detail::reduction_rules<T, BinaryOperation, HasIdentity>;

 public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 1;

  /// Stands for a reducer of 0 dimensions of one variable.
  class element : public detail::reducer_operations<element, T, BinaryOperation> {
   public:
    using value_type = T;
    using binary_operation = BinaryOperation;
    static constexpr int dimensions = 0;

    element(const element&) = delete;
    element& operator=(const element&) = delete;

    template <bool Has = HasIdentity, std::enable_if_t<Has, int> = 0>
    T identity() const {
      return all_.identity();
    }

   private:
    friend class reducer;
    friend class detail::reducer_operations<element, T, BinaryOperation>;

    PIANOLA_REDUCER_INLINE element(const reducer& all, std::size_t index)
        : all_(all), index_(index) {}
    PIANOLA_REDUCER_INLINE void put(const T& x) const { all_.put(index_, x); }

    const reducer& all_;
    std::size_t index_;
  };

  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  PIANOLA_REDUCER_INLINE element operator[](std::size_t index) const {
    return element(*this, index);
  }

  template <bool Has = HasIdentity, std::enable_if_t<Has, int> = 0>
  T identity() const {
    return rules_->none();
  }

 private:
  friend struct detail::reducer_access;

  PIANOLA_REDUCER_INLINE reducer(const rules& r, typename rules::cell* first, bool shared)
      : rules_(&r), cells_(first), shared_(shared) {}

  PIANOLA_REDUCER_INLINE void put(std::size_t index, const T& x) const {
#if defined(__PIANOLACC__)
    if constexpr (detail::can_share_cell<rules>) {
      if (__pianola_is_device() && shared_) return detail::put_shared(*rules_, cells_[index], x);
    }
#endif
    rules_->put(cells_[index], x);
  }

  const rules* rules_;
  typename rules::cell* cells_;
  // Devices only: other work-items combine into the same cells.
  [[maybe_unused]] bool shared_;
};

namespace detail {

/// Makes reducers, for launchers. `rules` and the cells outlive them.
struct reducer_access {
  template <class Reducer, class Rules>
  static PIANOLA_REDUCER_INLINE Reducer make(const Rules& rules, typename Rules::cell* cells,
                                             [[maybe_unused]] bool shared) {
    if constexpr (Reducer::dimensions == 0)
      return Reducer(rules, cells);
    else
      return Reducer(rules, cells, shared);
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

#undef PIANOLA_REDUCER_INLINE
