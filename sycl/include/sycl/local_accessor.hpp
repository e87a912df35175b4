// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include <pianola/runtime/cookie.hpp>

#include <sycl/detail/accessor/check.hpp>
#include <sycl/detail/accessor/scalar.hpp>
#include <sycl/detail/accessor/storage.hpp>
#include <sycl/detail/accessor/subscript.hpp>
#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/kernels/parameter_slot.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/glue/intrinsics.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/properties.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
template <class T, int Dimensions>
class dynamic_local_memory;
}

/// Memory shared by the work-items of a group, one array per work-group, uninitialised (SYCL
/// 2020, 4.7.6.11). Trivially copyable. Only usable in kernels over an nd_range.
template <class DataT, int Dimensions>
class [[maybe_unused]] local_accessor
    : public detail::converts_to_element<local_accessor<DataT, Dimensions>, DataT&,
                                         Dimensions == 0> {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "a local_accessor has 0 to 3 dimensions");

  static constexpr int at_least_1 = Dimensions > 0 ? Dimensions : 1;
  using range_type = range<at_least_1>;
  using id_type = id<at_least_1>;
  using shape =
      std::conditional_t<Dimensions == 0, detail::shape_none<0>, detail::shape_whole<at_least_1>>;
  struct storage_type : detail::accessor_pointer, shape {
    constexpr storage_type() = default;
    constexpr storage_type(void* p, const shape& s) : detail::accessor_pointer{p}, shape(s) {}
  };

 public:
  using value_type = DataT;
  using reference = value_type&;
  using const_reference = const DataT&;
  using iterator = value_type*;
  using const_iterator = const DataT*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;

  static constexpr int dimensions = Dimensions;

  /// No elements.
  local_accessor() = default;

  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  explicit local_accessor(handler& group, const property_list& = {})
      : storage_(reserve(group, 1), shape()) {}

  /// Throws exception (errc::memory_allocation) if a work-group would need more local memory than
  /// can be addressed.
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  local_accessor(range_type allocationSize, handler& group, const property_list& = {})
      : storage_(reserve(group, elements_of(allocationSize)),
                 shape(allocationSize, allocationSize, id_type())) {}

  /// T to and from const T: the specification's conversion of read-only accessors.
  template <class From, std::enable_if_t<std::is_same<const From, DataT>::value &&
                                             !std::is_same<From, DataT>::value,
                                         int> = 0>
  local_accessor(const local_accessor<From, Dimensions>& other) noexcept
      : storage_(other.storage_.pointer, other.storage_) {}

  friend bool operator==(const local_accessor& a, const local_accessor& b) noexcept {
    return a.storage_.pointer == b.storage_.pointer && a.size() == b.size();
  }
  friend bool operator!=(const local_accessor& a, const local_accessor& b) noexcept {
    return !(a == b);
  }
  void swap(local_accessor& other) noexcept { std::swap(storage_, other.storage_); }
  friend void swap(local_accessor& a, local_accessor& b) noexcept { a.swap(b); }

  size_type size() const noexcept {
    if constexpr (Dimensions == 0)
#if defined(__PIANOLACC__)
      return 1;  // 0 is an offset like any other
#else
      return storage_.pointer != nullptr ? 1 : 0;
#endif
    else
      return storage_.access_range().size();
  }
  size_type max_size() const noexcept {
    return empty() ? 0 : static_cast<size_type>(-1) / sizeof(DataT) / 2;
  }
  size_type byte_size() const noexcept { return size() * sizeof(DataT); }
  bool empty() const noexcept { return size() == 0; }
  /// Deprecated by SYCL 2020: size() and byte_size().
  size_type get_count() const noexcept { return size(); }
  size_type get_size() const noexcept { return byte_size(); }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  range<D> get_range() const noexcept {
    return storage_.access_range();
  }

  template <int D = Dimensions, std::enable_if_t<D == 0 && !std::is_const<DataT>::value, int> = 0>
  const local_accessor& operator=(const DataT& value) const {
    *data() = value;
    return *this;
  }
  template <int D = Dimensions, std::enable_if_t<D == 0 && !std::is_const<DataT>::value, int> = 0>
  const local_accessor& operator=(DataT&& value) const {
    *data() = std::move(value);
    return *this;
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  PIANOLA_SUBSCRIPT reference operator[](id_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data()[storage_.linear(PIANOLA_CHECKED(index, storage_))];
  }
  template <int D = Dimensions, bool WithOffset,
            std::enable_if_t<(D > 0 && D == Dimensions), int> = 0>
  PIANOLA_SUBSCRIPT reference
  operator[](const item<D, WithOffset>& work_item) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data()[storage_.linear(PIANOLA_CHECKED(work_item.get_id(), storage_))];
  }
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  PIANOLA_SUBSCRIPT reference operator[](size_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data()[storage_.linear(PIANOLA_CHECKED(id<1>(index), storage_))];
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  PIANOLA_SUBSCRIPT auto operator[](size_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return detail::subscript<value_type, D>(data(), storage_, index);
  }

  /// SYCL 2020, 4.5.4.1: no property says anything about local memory, and none is kept.
  template <class Property>
  bool has_property() const noexcept {
    return false;
  }
  /// Throws exception (errc::invalid).
  template <class Property>
  Property get_property() const {
    return property_list().template get_property<Property>();
  }

  /// Deprecated by SYCL 2020: get_multi_ptr().
  local_ptr<value_type> get_pointer() const noexcept { return local_ptr<value_type>(data()); }

  template <access::decorated IsDecorated>
  using accessor_ptr = multi_ptr<value_type, access::address_space::local_space, IsDecorated>;
  template <access::decorated IsDecorated>
  accessor_ptr<IsDecorated> get_multi_ptr() const noexcept {
    return accessor_ptr<IsDecorated>(data());
  }

  iterator begin() const noexcept { return data(); }
  iterator end() const noexcept { return data() + size(); }
  const_iterator cbegin() const noexcept { return begin(); }
  const_iterator cend() const noexcept { return end(); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

 private:
  friend struct std::hash<local_accessor>;
  template <class, int>
  friend class local_accessor;
  template <class, int>
  friend class detail::dynamic_local_memory;

  // In kernels: of what a local accessor has as its pointer there.
  local_accessor(void* pointer, const range_type& extent) noexcept
      : storage_(pointer, shape(extent, extent, id_type())) {}

  value_type* data() const noexcept {
#if defined(__PIANOLACC__)
    // In a kernel the stored pointer is an offset into the work-group's local memory.
    return reinterpret_cast<value_type*>(static_cast<unsigned char*>(__pianola_local_memory()) +
                                         reinterpret_cast<std::uintptr_t>(storage_.pointer));
#else
    return static_cast<value_type*>(storage_.pointer);
#endif
  }

  /// More than there can be, if the product does not fit.
  static std::size_t elements_of(const range_type& size) {
    std::size_t count = 0;
    return detail::count_of(size, count) ? count : static_cast<std::size_t>(-1);
  }
  static void* reserve(handler& group, std::size_t count) {
    if (count > (std::size_t{1} << 36) / sizeof(DataT))
      detail::refuse_local_size(count, sizeof(DataT));
    const std::uint64_t offset =
        detail::handler_access::add_local(group, count * sizeof(DataT), alignof(DataT));
    return reinterpret_cast<void*>(pianola::runtime::make_local_cookie(offset));
  }

  storage_type storage_;
};

namespace detail {
template <class T, int Dimensions>
inline constexpr bool is_local_memory<local_accessor<T, Dimensions>> = Dimensions != 0;
}  // namespace detail

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <class DataT, int Dimensions>
struct std::hash<sycl::local_accessor<DataT, Dimensions>> {
  std::size_t operator()(const sycl::local_accessor<DataT, Dimensions>& a) const noexcept {
    return std::hash<const void*>()(a.storage_.pointer);  // which a kernel's pointer is made of
  }
};
