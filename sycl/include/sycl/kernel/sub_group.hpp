// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>
#include <sycl/glue/group_context.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/index_factory.hpp>
#include <sycl/kernel/memory_enums.hpp>
#include <sycl/kernel/range.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// A sub-group (SYCL 2020, 4.9.1.8): consecutive work-items of a work-group, in linearised order. On the
/// host there are pianola::glue::sub_group_size of them, or as many as the kernel requires; on other devices
/// as many as the hardware runs in lockstep. Only the last one of a work-group may be smaller.
class sub_group {
 public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  sub_group() = delete;

  constexpr id_type get_group_id() const { return id_type(get_group_linear_id()); }
  constexpr id_type get_local_id() const { return id_type(get_local_linear_id()); }
  constexpr range_type get_local_range() const { return range_type(get_local_linear_range()); }
  constexpr range_type get_group_range() const { return range_type(get_group_linear_range()); }
  constexpr range_type get_max_local_range() const {
    return range_type(range_ < size_ ? range_ : size_);
  }

  constexpr linear_id_type get_group_linear_id() const { return id_ / size_; }
  constexpr linear_id_type get_local_linear_id() const { return id_ % size_; }
  constexpr linear_id_type get_group_linear_range() const { return (range_ + size_ - 1) / size_; }
  constexpr linear_id_type get_local_linear_range() const {
    const linear_id_type first = get_group_linear_id() * size_;
    const linear_id_type rest = range_ - first;
    return rest < size_ ? rest : size_;
  }

  constexpr bool leader() const { return get_local_linear_id() == 0; }

  // As sycl_ext_oneapi_sub_group had them, before there were free functions for the same.

  void barrier() const;
  /// The value of the work-item with this id.
  template <class T>
  T shuffle(T x, id_type local_id) const {
    return select_from_group(*this, x, local_id);
  }
  template <class T>
  T shuffle_down(T x, linear_id_type delta) const {
    return shift_group_left(*this, x, delta);
  }
  template <class T>
  T shuffle_up(T x, linear_id_type delta) const {
    return shift_group_right(*this, x, delta);
  }
  template <class T>
  T shuffle_xor(T x, id_type mask) const {
    return permute_group_by_xor(*this, x, static_cast<linear_id_type>(mask[0]));
  }
  /// The element of the calling work-item, of as many in a row as the sub-group has work-items. `Pointer`: a pointer or
  /// a multi_ptr. `T` may name its element type.
  template <class T = void, class Pointer>
  auto load(Pointer from) const {
    return std::remove_cv_t<std::remove_reference_t<decltype(from[0])>>(
        from[static_cast<std::ptrdiff_t>(get_local_linear_id())]);
  }
  template <class T = void, class Pointer>
  void store(Pointer to,
             const std::remove_reference_t<decltype(std::declval<Pointer&>()[0])>& x) const {
    to[static_cast<std::ptrdiff_t>(get_local_linear_id())] = x;
  }

  /// Equal if they are the same sub-group of the same work-group, whichever work-item asks.
  friend constexpr bool operator==(const sub_group& a, const sub_group& b) {
    return a.get_group_linear_id() == b.get_group_linear_id() && a.range_ == b.range_ &&
           a.context_ == b.context_;
  }
  friend constexpr bool operator!=(const sub_group& a, const sub_group& b) { return !(a == b); }

 private:
  friend struct detail::index_factory;

  constexpr sub_group(std::uint32_t local_linear_id, std::uint32_t local_linear_range,
                      std::uint32_t size, const pianola::glue::group_context* context)
      : id_(local_linear_id), range_(local_linear_range), size_(size), context_(context) {}

  std::uint32_t id_;
  std::uint32_t range_;
  std::uint32_t size_;
  const pianola::glue::group_context* context_;
};

namespace detail {

inline sub_group index_factory::make_sub_group(std::size_t local_linear_id,
                                               std::size_t local_linear_range,
                                               const pianola::glue::group_context* context) {
#if defined(__PIANOLACC__)
  const std::uint32_t size = __pianola_sub_group_size();
#else
  // Without a context there is one work-item.
  const std::uint32_t size =
      context == nullptr ? pianola::glue::sub_group_size : context->sub_group_size;
#endif
  return sub_group(static_cast<std::uint32_t>(local_linear_id),
                   static_cast<std::uint32_t>(local_linear_range), size, context);
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
