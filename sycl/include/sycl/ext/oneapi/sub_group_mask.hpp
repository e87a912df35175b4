// SPDX-License-Identifier: Apache-2.0
// sycl_ext_oneapi_sub_group_mask: a bit for each work-item of a sub-group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/functional.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/group_functions/exchange_compiled.hpp>
#include <sycl/kernel/group_functions/exchange_fibers.hpp>
#include <sycl/kernel/group_functions/group_traits.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/marray.hpp>
#include <sycl/kernel/sub_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi {

struct sub_group_mask_access;

/// As many bits as the kernel's sub-groups can have work-items.
class sub_group_mask {
 public:
  using BitsType = std::uint64_t;
  static constexpr std::size_t max_bits = 64;

  /// One bit, as a place to assign to.
  class reference {
   public:
    reference& operator=(bool value) {
      mask_.set(at_, value);
      return *this;
    }
    reference& operator=(const reference& other) { return *this = static_cast<bool>(other); }
    bool operator~() const { return !mask_.test(at_); }
    operator bool() const { return mask_.test(at_); }
    reference& flip() {
      mask_.flip(at_);
      return *this;
    }

   private:
    friend class sub_group_mask;
    reference(sub_group_mask& mask, id<1> at) : mask_(mask), at_(at) {}
    sub_group_mask& mask_;
    id<1> at_;
  };

  bool operator[](id<1> at) const { return test(at); }
  reference operator[](id<1> at) { return reference(*this, at); }
  bool test(id<1> at) const { return ((bits_ >> at[0]) & 1) != 0; }

  bool all() const { return count() == size(); }
  bool any() const { return bits_ != 0; }
  bool none() const { return bits_ == 0; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcountll(bits_)); }
  std::uint32_t size() const { return size_; }

  /// Lowest and highest bit that is set; size() if none is.
  id<1> find_low() const {
    return id<1>(any() ? static_cast<std::size_t>(__builtin_ctzll(bits_)) : size());
  }
  id<1> find_high() const {
    return id<1>(any() ? 63 - static_cast<std::size_t>(__builtin_clzll(bits_)) : size());
  }

  /// Bits of an integer, or of the elements of an marray with the first one lowest, from position `at` on.
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void insert_bits(const T& bits, id<1> at = 0) {
    if (at[0] >= size_) return;
    put(static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(bits)), sizeof(T) * 8,
        at[0]);
  }
  template <class T, std::size_t N, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void insert_bits(const marray<T, N>& bits, id<1> at = 0) {
    for (std::size_t i = 0; i < N; ++i) insert_bits(bits[i], id<1>(at[0] + i * sizeof(T) * 8));
  }
  /// What is beyond the mask is 0.
  template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void extract_bits(T& bits, id<1> at = 0) const {
    bits = at[0] >= size_ ? T(0) : static_cast<T>(bits_ >> at[0]);
  }
  template <class T, std::size_t N, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  void extract_bits(marray<T, N>& bits, id<1> at = 0) const {
    for (std::size_t i = 0; i < N; ++i) extract_bits(bits[i], id<1>(at[0] + i * sizeof(T) * 8));
  }

  void set() { bits_ = valid(); }
  void set(id<1> at, bool value = true) {
    const std::uint64_t bit = std::uint64_t{1} << at[0];
    bits_ = value ? (bits_ | bit) & valid() : bits_ & ~bit;
  }
  void reset() { bits_ = 0; }
  void reset(id<1> at) { set(at, false); }
  void reset_low() { bits_ &= bits_ - 1; }
  void reset_high() {
    if (any()) reset(find_high());
  }
  void flip() { bits_ = ~bits_ & valid(); }
  void flip(id<1> at) { set(at, !test(at)); }

  bool operator==(const sub_group_mask& other) const { return bits_ == other.bits_; }
  bool operator!=(const sub_group_mask& other) const { return bits_ != other.bits_; }
  sub_group_mask& operator&=(const sub_group_mask& other) {
    bits_ &= other.bits_;
    return *this;
  }
  sub_group_mask& operator|=(const sub_group_mask& other) {
    bits_ |= other.bits_;
    return *this;
  }
  sub_group_mask& operator^=(const sub_group_mask& other) {
    bits_ ^= other.bits_;
    return *this;
  }
  sub_group_mask& operator<<=(std::size_t by) {
    bits_ = by >= max_bits ? 0 : (bits_ << by) & valid();
    return *this;
  }
  sub_group_mask& operator>>=(std::size_t by) {
    bits_ = by >= max_bits ? 0 : bits_ >> by;
    return *this;
  }
  sub_group_mask operator~() const {
    sub_group_mask other = *this;
    other.flip();
    return other;
  }
  sub_group_mask operator<<(std::size_t by) const { return sub_group_mask(*this) <<= by; }
  sub_group_mask operator>>(std::size_t by) const { return sub_group_mask(*this) >>= by; }
  friend sub_group_mask operator&(sub_group_mask a, const sub_group_mask& b) { return a &= b; }
  friend sub_group_mask operator|(sub_group_mask a, const sub_group_mask& b) { return a |= b; }
  friend sub_group_mask operator^(sub_group_mask a, const sub_group_mask& b) { return a ^= b; }

 private:
  friend struct sub_group_mask_access;
  sub_group_mask(std::uint64_t bits, std::uint32_t size) : bits_(bits), size_(size) {}

  std::uint64_t valid() const {
    return size_ >= max_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << size_) - 1;
  }
  void put(std::uint64_t bits, std::size_t width, std::size_t at) {
    const std::uint64_t covered =
        (width >= max_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << at;
    bits_ = ((bits_ & ~covered) | ((bits << at) & covered)) & valid();
  }

  std::uint64_t bits_;
  std::uint32_t size_;
};

/// Makes them; not for programs.
struct sub_group_mask_access {
  static sub_group_mask make(std::uint64_t bits, std::uint32_t size) {
    return sub_group_mask(bits, size);
  }
};

/// A set bit for each work-item that gives true. All of the sub-group must call it.
template <class Group,
          std::enable_if_t<std::is_same_v<std::decay_t<Group>, sycl::sub_group>, int> = 0>
sub_group_mask group_ballot(Group g, bool predicate = true) {
#if defined(__PIANOLACC__)
  const std::uint64_t bits = __pianola_ballot(predicate ? 1 : 0);
#else
  const std::uint64_t bits = sycl::detail::reduce_values(
      g, std::uint64_t{predicate} << sycl::detail::rank_in(g), bit_or<std::uint64_t>());
#endif
  return sub_group_mask_access::make(bits, static_cast<std::uint32_t>(g.get_max_local_range()[0]));
}

}  // namespace ext::oneapi
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
