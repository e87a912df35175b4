// SPDX-License-Identifier: Apache-2.0
// Compile-time rules of accessors: what a variant can do, which conversions exist, access modes.
#pragma once

#include <type_traits>

#include <pianola/model/requirement.hpp>

#include <sycl/accessor_variant.hpp>
#include <sycl/detail/accessor/forward.hpp>
#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

constexpr bool is_standard(accessor_variant v) {
  return v == accessor_variant::false_t || v == accessor_variant::true_t;
}
/// Its type says that it has a range of its own.
constexpr bool is_ranged(accessor_variant v) {
  return v == accessor_variant::ranged || v == accessor_variant::ranged_placeholder;
}
constexpr bool is_unranged(accessor_variant v) {
  return v == accessor_variant::unranged || v == accessor_variant::unranged_placeholder;
}
/// Its type says that it is a placeholder.
constexpr bool is_placeholder(accessor_variant v) {
  return v == accessor_variant::true_t || v == accessor_variant::ranged_placeholder ||
         v == accessor_variant::unranged_placeholder;
}
/// Can be constructed without a handler; knows its buffer and properties.
constexpr bool names_buffer(accessor_variant v) { return is_standard(v) || is_placeholder(v); }
/// Can be constructed with a range of its own. (A raw accessor does not remember it.)
constexpr bool accepts_range(accessor_variant v) { return !is_unranged(v); }
/// Stores an access range and offset apart from the buffer's range.
constexpr bool stores_access_range(accessor_variant v) { return is_standard(v) || is_ranged(v); }

/// The conversion rules of docs/accessor-variants.md.
constexpr bool is_variant_convertible(accessor_variant from, accessor_variant to) {
  if (from == to) return true;
  if (from == accessor_variant::raw) return false;
  if (is_unranged(to) && (is_ranged(from) || is_standard(from))) return false;
  return !is_placeholder(to) || is_placeholder(from);
}

constexpr bool is_discard(access_mode m) {
  return m == access_mode::discard_write || m == access_mode::discard_read_write;
}

constexpr pianola::model::access_mode to_model(access_mode m) {
  switch (m) {
    case access_mode::read:
      return pianola::model::access_mode::read;
    case access_mode::write:
    case access_mode::discard_write:
      return pianola::model::access_mode::write;
    case access_mode::read_write:
    case access_mode::discard_read_write:
    case access_mode::atomic:
      return pianola::model::access_mode::read_write;
  }
  return pianola::model::access_mode::read_write;
}

/// Const-ness and mode of accessor conversions (SYCL 2020, 4.7.6.9.5): read_write to read, and read
/// between T and const T.
template <class From, access_mode FromMode, class To, access_mode ToMode>
inline constexpr bool is_mode_convertible =
    std::is_same<std::remove_const_t<From>, std::remove_const_t<To>>::value &&
    ((FromMode == ToMode && (std::is_same<From, To>::value || FromMode == access_mode::read)) ||
     (FromMode == access_mode::read_write && ToMode == access_mode::read));

/// Whether accessors of DataT may be made from buffers of T.
template <class T, class DataT, access_mode Mode>
inline constexpr bool is_buffer_compatible =
    std::is_same<std::remove_const_t<T>, std::remove_const_t<DataT>>::value &&
    (!std::is_const<T>::value || std::is_const<DataT>::value || Mode == access_mode::read);

template <access_mode Mode, target Target>
struct mode_tag {
  explicit constexpr mode_tag() = default;
};
template <access_mode Mode, target Target>
struct raw_mode_tag {
  explicit constexpr raw_mode_tag() = default;
};

/// The tags that a constructor of an accessor of these parameters takes.
template <class Tag, access_mode Mode, target Target, accessor_variant Variant>
inline constexpr bool is_tag_of =
    std::is_same<Tag, mode_tag<Mode, Target>>::value ||
    (Variant == accessor_variant::raw && std::is_same<Tag, raw_mode_tag<Mode, Target>>::value);

}  // namespace detail

/// Deduction tags (SYCL 2020, 4.7.6.5).
inline constexpr detail::mode_tag<access_mode::read, target::device> read_only{};
inline constexpr detail::mode_tag<access_mode::read_write, target::device> read_write{};
inline constexpr detail::mode_tag<access_mode::write, target::device> write_only{};
inline constexpr detail::mode_tag<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr detail::mode_tag<access_mode::read_write, target::host_task>
    read_write_host_task{};
inline constexpr detail::mode_tag<access_mode::write, target::host_task> write_only_host_task{};

/// Deduction tags of raw accessors.
inline constexpr detail::raw_mode_tag<access_mode::read, target::device> read_only_raw{};
inline constexpr detail::raw_mode_tag<access_mode::read_write, target::device> read_write_raw{};
inline constexpr detail::raw_mode_tag<access_mode::write, target::device> write_only_raw{};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
