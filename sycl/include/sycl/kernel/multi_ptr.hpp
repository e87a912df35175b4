// SPDX-License-Identifier: Apache-2.0
// multi_ptr (SYCL 2020, 4.7.7.1 and 4.7.7.2): pointers that name their address space.
//
// Here all address spaces are parts of one, in every target: a pointer of any kind holds a generic address, and
// decoration changes no type. What a space promises is the program's word, but for address_space_cast, which looks.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <sycl/detail/accessor/forward.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/pointer_operators.hpp>
#include <sycl/kernel/address_space_query.hpp>
#include <sycl/kernel/memory_enums.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

template <class T>
struct remove_decoration {
  using type = T;
};
template <class T>
using remove_decoration_t = typename remove_decoration<T>::type;

template <class ElementType, access::address_space Space,
          access::decorated DecorateAddress = access::decorated::legacy>
class multi_ptr;

namespace detail {

/// Whether a From in one space converts to a To in another without being asked to: a qualifier may be added, the
/// element type may be forgotten, and every space but the constant one is part of the generic one.
constexpr bool is_space_convertible(access::address_space from, access::address_space to) {
  return from == to || (to == access::address_space::generic_space &&
                        from != access::address_space::constant_space);
}
constexpr bool is_space_castable(access::address_space from, access::address_space to) {
  return from == access::address_space::generic_space && from != to &&
         to != access::address_space::constant_space;
}
template <class From, class To>
inline constexpr bool is_pointee_convertible_v =
    std::is_convertible_v<From*, To*> &&
    (std::is_void_v<To> || std::is_same_v<std::remove_cv_t<From>, std::remove_cv_t<To>>);

/// What accessors of a target refer to.
constexpr bool is_global_like(access::address_space space) {
  return space == access::address_space::global_space ||
         space == access::address_space::generic_space;
}
constexpr bool is_local_like(access::address_space space) {
  return space == access::address_space::local_space ||
         space == access::address_space::generic_space;
}
template <class T, access_mode Mode>
using accessed_t = std::conditional_t<Mode == access_mode::read, const T, T>;

/// Members of every multi_ptr. The constructors that convert take the explicit ones' place for legacy pointers.
template <class Self, class ElementType, access::address_space Space,
          access::decorated DecorateAddress>
class multi_ptr_base : public pointer_comparisons<Self, ElementType> {
  static constexpr bool is_legacy = DecorateAddress == access::decorated::legacy;

 public:
  static constexpr bool is_decorated = DecorateAddress == access::decorated::yes;
  static constexpr access::address_space address_space = Space;

  using value_type = ElementType;
  using element_type = ElementType;
  using pointer = ElementType*;
  using difference_type = std::ptrdiff_t;
  using pointer_t = ElementType*;
  using const_pointer_t = const ElementType*;

  multi_ptr_base() = default;
  constexpr multi_ptr_base(std::nullptr_t) noexcept {}
  template <bool L = is_legacy, std::enable_if_t<!L, int> = 0>
  constexpr explicit multi_ptr_base(pointer p) noexcept : pointer_(p) {}
  template <bool L = is_legacy, std::enable_if_t<L, int> = 0, class = void>
  constexpr multi_ptr_base(pointer p) noexcept : pointer_(p) {}

  template <
      class T, access::address_space S, access::decorated D,
      std::enable_if_t<is_pointee_convertible_v<T, ElementType> && is_space_convertible(S, Space) &&
                           !std::is_same_v<multi_ptr<T, S, D>, Self>,
                       int> = 0>
  constexpr multi_ptr_base(const multi_ptr<T, S, D>& other) noexcept : pointer_(other.get_raw()) {}
  /// From generic to the space where it must point into.
  template <class T, access::address_space S, access::decorated D,
            std::enable_if_t<
                is_pointee_convertible_v<T, ElementType> && is_space_castable(S, Space), int> = 0,
            class = void>
  constexpr explicit multi_ptr_base(const multi_ptr<T, S, D>& other) noexcept
      : pointer_(other.get_raw()) {}
  /// Not by way of the raw pointer either.
  template <
      class T, access::address_space S, access::decorated D,
      std::enable_if_t<!is_space_convertible(S, Space) && !is_space_castable(S, Space), int> = 0,
      class = void, class = void>
  multi_ptr_base(const multi_ptr<T, S, D>&) = delete;
  /// From void.
  template <class T, access::decorated D,
            std::enable_if_t<std::is_void_v<T> && !std::is_void_v<ElementType> &&
                                 (std::is_const_v<ElementType> || !std::is_const_v<T>),
                             int> = 0,
            class = void>
  explicit multi_ptr_base(const multi_ptr<T, Space, D>& other) noexcept
      : pointer_(static_cast<pointer>(other.get_raw())) {}

  template <class T, int Dimensions, access_mode Mode, accessor_variant Variant,
            std::enable_if_t<is_global_like(Space) &&
                                 is_pointee_convertible_v<accessed_t<T, Mode>, ElementType>,
                             int> = 0>
  multi_ptr_base(const accessor<T, Dimensions, Mode, target::device, Variant>& a) noexcept
      : pointer_(a.get_pointer()) {}
  /// As programs of SYCL 1.2.1 have it: from an accessor that reads to a legacy pointer that could write.
  template <class T, int Dimensions, accessor_variant Variant,
            std::enable_if_t<is_legacy && is_global_like(Space) && std::is_same_v<T, ElementType> &&
                                 !std::is_const_v<T>,
                             int> = 0>
  multi_ptr_base(
      const accessor<T, Dimensions, access_mode::read, target::device, Variant>& a) noexcept
      : pointer_(const_cast<pointer>(a.get_pointer().get_raw())) {}
  template <
      class T, int Dimensions,
      std::enable_if_t<is_local_like(Space) && is_pointee_convertible_v<T, ElementType>, int> = 0>
  multi_ptr_base(const local_accessor<T, Dimensions>& a) noexcept : pointer_(a.get_pointer()) {}
  template <class T, int Dimensions, access_mode Mode, accessor_variant Variant,
            std::enable_if_t<Space == access::address_space::constant_space &&
                                 is_pointee_convertible_v<const T, const ElementType>,
                             int> = 0>
  multi_ptr_base(const accessor<T, Dimensions, Mode, target::constant_buffer, Variant>& a) noexcept
      : pointer_(a.get_pointer().get()) {}

  constexpr pointer get() const noexcept { return pointer_; }
  constexpr pointer get_raw() const noexcept { return pointer_; }
  constexpr pointer get_decorated() const noexcept { return pointer_; }

 protected:
  pointer pointer_ = nullptr;
};

}  // namespace detail

/// A pointer to an object in an address space; null by default. Converts to pointers to const and to void, to
/// pointers of other decoration and to the generic space.
template <class ElementType, access::address_space Space, access::decorated DecorateAddress>
class multi_ptr
    : public detail::multi_ptr_base<multi_ptr<ElementType, Space, DecorateAddress>, ElementType,
                                    Space, DecorateAddress>,
      public detail::pointer_arithmetic<multi_ptr<ElementType, Space, DecorateAddress>> {
  using base = detail::multi_ptr_base<multi_ptr, ElementType, Space, DecorateAddress>;
  template <class T>
  using if_read_by_older_programs =
      std::enable_if_t<DecorateAddress == access::decorated::legacy &&
                           std::is_const_v<ElementType> && std::is_same_v<const T, ElementType>,
                       int>;

 public:
  using reference = ElementType&;
  using iterator_category = std::random_access_iterator_tag;
  using reference_t = reference;
  using const_reference_t = const ElementType&;

  using base::base;
  multi_ptr() = default;
  constexpr multi_ptr& operator=(std::nullptr_t) noexcept {
    this->pointer_ = nullptr;
    return *this;
  }

  constexpr reference operator[](std::ptrdiff_t index) const { return this->pointer_[index]; }
  constexpr reference operator*() const { return *this->pointer_; }
  constexpr ElementType* operator->() const noexcept { return this->pointer_; }

  /// Deprecated by SYCL 2020: get().
  constexpr operator ElementType*() const noexcept { return this->pointer_; }

  /// To T from const T: before SYCL 2020 a read accessor's get_pointer() was a pointer to T. Templates, so that they are
  /// asked for nothing else.
  template <class T, if_read_by_older_programs<T> = 0>
  [[deprecated("a read accessor's elements are const: take a global_ptr<const T>")]] constexpr
  operator multi_ptr<T, Space, access::decorated::legacy>() const noexcept {
    return multi_ptr<T, Space, access::decorated::legacy>(const_cast<T*>(this->pointer_));
  }
  template <class T, if_read_by_older_programs<T> = 0>
  [[deprecated("a read accessor's elements are const: take a pointer to const T")]] constexpr
  operator T*() const noexcept {
    return const_cast<T*>(this->pointer_);
  }

  /// A hint to bring elements into a cache, which no target here acts on.
  template <access::address_space S = Space,
            std::enable_if_t<S == access::address_space::global_space ||
                                 DecorateAddress == access::decorated::legacy,
                             int> = 0>
  void prefetch(std::size_t) const noexcept {}
};

// The specializations for void and const void.
#define PIANOLA_MULTI_PTR_TO_VOID(void_type, decoration, maybe_explicit, ...)                    \
  template <__VA_ARGS__>                                                                         \
  class multi_ptr<void_type, Space, decoration>                                                  \
      : public detail::multi_ptr_base<multi_ptr<void_type, Space, decoration>, void_type, Space, \
                                      decoration> {                                              \
    using base = detail::multi_ptr_base<multi_ptr, void_type, Space, decoration>;                \
                                                                                                 \
   public:                                                                                       \
    using base::base;                                                                            \
    multi_ptr() = default;                                                                       \
    constexpr multi_ptr& operator=(std::nullptr_t) noexcept {                                    \
      this->pointer_ = nullptr;                                                                  \
      return *this;                                                                              \
    }                                                                                            \
    constexpr maybe_explicit operator void_type*() const noexcept { return this->pointer_; }     \
  };

PIANOLA_MULTI_PTR_TO_VOID(void, DecorateAddress, explicit, access::address_space Space,
                          access::decorated DecorateAddress)
PIANOLA_MULTI_PTR_TO_VOID(const void, DecorateAddress, explicit, access::address_space Space,
                          access::decorated DecorateAddress)
PIANOLA_MULTI_PTR_TO_VOID(void, access::decorated::legacy, , access::address_space Space)
PIANOLA_MULTI_PTR_TO_VOID(const void, access::decorated::legacy, , access::address_space Space)
#undef PIANOLA_MULTI_PTR_TO_VOID

template <class T, int Dimensions, access_mode Mode, accessor_variant Variant>
multi_ptr(accessor<T, Dimensions, Mode, target::device, Variant>)
    -> multi_ptr<detail::accessed_t<T, Mode>, access::address_space::global_space,
                 access::decorated::no>;
template <class T, int Dimensions>
multi_ptr(local_accessor<T, Dimensions>)
    -> multi_ptr<T, access::address_space::local_space, access::decorated::no>;

/// Null if a work-item calls it with what is known not to be of the space. A variable of the group in a hierarchical
/// kernel is taken for private and for local; constant memory is part of the global one. Outside of kernels it is the
/// pointer. khr::static_addrspace_cast does not look, and costs nothing.
template <access::address_space Space, access::decorated DecorateAddress, class ElementType>
constexpr multi_ptr<ElementType, Space, DecorateAddress> address_space_cast(
    ElementType* pointer) noexcept {
  if constexpr (Space != access::address_space::generic_space) {
    if (!__builtin_is_constant_evaluated() && pointer != nullptr &&
        !detail::may_be_in<Space>(detail::space_of(pointer)))
      pointer = nullptr;
  }
  return multi_ptr<ElementType, Space, DecorateAddress>(pointer);
}

/// Deprecated by SYCL 2020: address_space_cast.
template <class ElementType, access::address_space Space,
          access::decorated DecorateAddress = access::decorated::legacy>
constexpr multi_ptr<ElementType, Space, DecorateAddress> make_ptr(ElementType* pointer) noexcept {
  return multi_ptr<ElementType, Space, DecorateAddress>(pointer);
}

template <class ElementType, access::decorated IsDecorated = access::decorated::legacy>
using global_ptr = multi_ptr<ElementType, access::address_space::global_space, IsDecorated>;
template <class ElementType, access::decorated IsDecorated = access::decorated::legacy>
using local_ptr = multi_ptr<ElementType, access::address_space::local_space, IsDecorated>;
template <class ElementType, access::decorated IsDecorated = access::decorated::legacy>
using private_ptr = multi_ptr<ElementType, access::address_space::private_space, IsDecorated>;
template <class ElementType, access::decorated IsDecorated = access::decorated::legacy>
using generic_ptr = multi_ptr<ElementType, access::address_space::generic_space, IsDecorated>;
/// Deprecated by SYCL 2020.
template <class ElementType, access::decorated IsDecorated = access::decorated::legacy>
using constant_ptr = multi_ptr<ElementType, access::address_space::constant_space, IsDecorated>;

template <class ElementType>
using raw_global_ptr = global_ptr<ElementType, access::decorated::no>;
template <class ElementType>
using raw_local_ptr = local_ptr<ElementType, access::decorated::no>;
template <class ElementType>
using raw_private_ptr = private_ptr<ElementType, access::decorated::no>;
template <class ElementType>
using raw_generic_ptr = generic_ptr<ElementType, access::decorated::no>;
template <class ElementType>
using decorated_global_ptr = global_ptr<ElementType, access::decorated::yes>;
template <class ElementType>
using decorated_local_ptr = local_ptr<ElementType, access::decorated::yes>;
template <class ElementType>
using decorated_private_ptr = private_ptr<ElementType, access::decorated::yes>;
template <class ElementType>
using decorated_generic_ptr = generic_ptr<ElementType, access::decorated::yes>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
