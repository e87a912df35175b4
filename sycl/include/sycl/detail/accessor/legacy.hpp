// SPDX-License-Identifier: Apache-2.0
// Accessor targets and a mode that SYCL 2020 deprecates, so that older programs still compile. Included at
// the end of accessor.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>

#include <sycl/accessor.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/host_accessor.hpp>
#include <sycl/kernel/atomic.hpp>
#include <sycl/local_accessor.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Deprecated by SYCL 2020: target::device with access_mode::read.
template <class DataT, int Dimensions, access_mode Mode, accessor_variant Variant>
class accessor<DataT, Dimensions, Mode, target::constant_buffer, Variant>
    : public accessor<DataT, Dimensions, Mode, target::device, Variant> {
  static_assert(Mode == access_mode::read, "target::constant_buffer is read only");
  using base = accessor<DataT, Dimensions, Mode, target::device, Variant>;

 public:
  using base::base;
  accessor() = default;

  constant_ptr<DataT> get_pointer() const noexcept {
    return const_cast<DataT*>(base::get_pointer().get());
  }
};

/// Deprecated by SYCL 2020: local_accessor. Of any mode, which local memory knows nothing of.
template <class DataT, int Dimensions, access_mode Mode, accessor_variant Variant>
class accessor<DataT, Dimensions, Mode, target::local, Variant>
    : public local_accessor<DataT, Dimensions> {
  using base = local_accessor<DataT, Dimensions>;

 public:
  using base::base;
  using base::operator=;
  accessor() = default;
};

namespace detail {

/// a[i] of an atomic accessor of several dimensions. Rows: what the accessor of plain elements gives; Pointer: of the
/// elements, from which an Atomic is made.
template <class Atomic, class Pointer, class Rows>
class atomic_rows {
 public:
  explicit atomic_rows(const Rows& rows) noexcept : rows_(rows) {}
  PIANOLA_SUBSCRIPT auto operator[](std::size_t i) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    if constexpr (std::is_lvalue_reference_v<decltype(rows_[i])>)
      return Atomic(Pointer(&rows_[i]));
    else
      return atomic_rows<Atomic, Pointer, decltype(rows_[i])>(rows_[i]);
  }

 private:
  Rows rows_;
};

}  // namespace detail

/// Deprecated by SYCL 2020: access_mode::read_write and atomic_ref. An element is an atomic to it.
template <class DataT, int Dimensions, accessor_variant Variant>
class accessor<DataT, Dimensions, access_mode::atomic, target::device, Variant>
    : public accessor<DataT, Dimensions, access_mode::read_write, target::device, Variant> {
  using base = accessor<DataT, Dimensions, access_mode::read_write, target::device, Variant>;

 public:
  /// What an element is accessed as; `reference` is DataT&, as SYCL 1.2.1 has it.
  using atomic_type = atomic<DataT, access::address_space::global_space>;
  static constexpr access_mode mode = access_mode::atomic;

  using base::base;
  accessor() = default;

  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  operator atomic_type() const noexcept {
    return raw_global_ptr<DataT>(this->get_pointer());
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  PIANOLA_SUBSCRIPT atomic_type operator[](id<D> index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return raw_global_ptr<DataT>(&base::operator[](index));
  }
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  PIANOLA_SUBSCRIPT atomic_type operator[](std::size_t index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return raw_global_ptr<DataT>(&base::operator[](index));
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  PIANOLA_SUBSCRIPT auto operator[](std::size_t index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    using rows = decltype(base::operator[](index));
    return detail::atomic_rows<atomic_type, raw_global_ptr<DataT>, rows>(base::operator[](index));
  }
};

/// Deprecated by SYCL 2020: local_accessor and atomic_ref.
template <class DataT, int Dimensions, accessor_variant Variant>
class accessor<DataT, Dimensions, access_mode::atomic, target::local, Variant>
    : public local_accessor<DataT, Dimensions> {
  using base = local_accessor<DataT, Dimensions>;

 public:
  using atomic_type = atomic<DataT, access::address_space::local_space>;

  using base::base;
  accessor() = default;

  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  operator atomic_type() const noexcept {
    return raw_local_ptr<DataT>(this->get_pointer());
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  PIANOLA_SUBSCRIPT atomic_type operator[](id<D> index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return raw_local_ptr<DataT>(&base::operator[](index));
  }
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  PIANOLA_SUBSCRIPT atomic_type operator[](std::size_t index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return raw_local_ptr<DataT>(&base::operator[](index));
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  PIANOLA_SUBSCRIPT auto operator[](std::size_t index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    using rows = decltype(base::operator[](index));
    return detail::atomic_rows<atomic_type, raw_local_ptr<DataT>, rows>(base::operator[](index));
  }
};

/// Deprecated by SYCL 2020: host_accessor.
template <class DataT, int Dimensions, access_mode Mode, accessor_variant Variant>
class accessor<DataT, Dimensions, Mode, target::host_buffer, Variant>
    : public host_accessor<DataT, Dimensions, Mode> {
  using base = host_accessor<DataT, Dimensions, Mode>;

 public:
  using base::base;
  using base::operator=;
  accessor() = default;
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

// By way of what they are made of, where the hash of accessors knows no other target.
template <class DataT, int Dimensions, sycl::access_mode Mode, sycl::accessor_variant Variant>
struct std::hash<sycl::accessor<DataT, Dimensions, Mode, sycl::target::local, Variant>>
    : std::hash<sycl::local_accessor<DataT, Dimensions>> {};
template <class DataT, int Dimensions, sycl::access_mode Mode, sycl::accessor_variant Variant>
struct std::hash<sycl::accessor<DataT, Dimensions, Mode, sycl::target::host_buffer, Variant>>
    : std::hash<sycl::host_accessor<DataT, Dimensions, Mode>> {};
