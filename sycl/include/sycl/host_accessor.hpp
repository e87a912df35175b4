// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <sycl/detail/accessor/bind.hpp>
#include <sycl/detail/accessor/check.hpp>
#include <sycl/detail/accessor/host_access_state.hpp>
#include <sycl/detail/accessor/iterator.hpp>
#include <sycl/detail/accessor/scalar.hpp>
#include <sycl/detail/accessor/storage.hpp>
#include <sycl/detail/accessor/subscript.hpp>
#include <sycl/detail/accessor/traits.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/properties.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

/// Access of the host program to a buffer (SYCL 2020, 4.7.6.10). The constructor blocks until the
/// data is there; commands that conflict and are submitted later wait until the last copy of the
/// accessor is gone. A thread that holds one and constructs another that conflicts, or waits for such a
/// command, waits for ever, unless another thread ends the first (PIANOLA_WAIT_HINT). The buffer's storage
/// stays at least that long. Throws exception (errc::invalid) as accessor does.
template <class DataT, int Dimensions, access_mode AccessMode>
class host_accessor : public detail::converts_to_element<
                          host_accessor<DataT, Dimensions, AccessMode>,
                          std::conditional_t<AccessMode == access_mode::read, const DataT&, DataT&>,
                          Dimensions == 0> {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "a host_accessor has 0 to 3 dimensions");
  static_assert(AccessMode != access_mode::atomic,
                "access_mode::atomic is deprecated by SYCL 2020 and not offered");
  static_assert(!std::is_const<DataT>::value || AccessMode == access_mode::read,
                "a host_accessor of const elements has access_mode::read");

  static constexpr int at_least_1 = Dimensions > 0 ? Dimensions : 1;
  using range_type = range<at_least_1>;
  using id_type = id<at_least_1>;
  using shape =
      std::conditional_t<Dimensions == 0, detail::shape_none<0>, detail::shape_part<at_least_1>>;
  template <class T, class AllocatorT>
  using buffer_of = buffer<T, at_least_1, AllocatorT>;
  template <class T>
  using if_fits = std::enable_if_t<detail::is_buffer_compatible<T, DataT, AccessMode>, int>;
  template <class T>
  using if_fits_range =
      std::enable_if_t<detail::is_buffer_compatible<T, DataT, AccessMode> && (Dimensions > 0), int>;
  using tag = detail::mode_tag<AccessMode, target::device>;

 public:
  using value_type = std::conditional_t<AccessMode == access_mode::read, const DataT, DataT>;
  using reference = value_type&;
  using const_reference = const DataT&;
  using iterator =
      std::conditional_t<(Dimensions > 1), detail::accessor_iterator<value_type, at_least_1>,
                         value_type*>;
  using const_iterator =
      std::conditional_t<(Dimensions > 1), detail::accessor_iterator<const DataT, at_least_1>,
                         const DataT*>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;

  static constexpr int dimensions = Dimensions;
  static constexpr access_mode mode = AccessMode;

  /// No buffer, no elements.
  host_accessor() = default;

  template <class T, class A, if_fits<T> = 0>
  host_accessor(buffer_of<T, A>& bufferRef, const property_list& propList = {}) {
    acquire(bufferRef, everything(bufferRef), id_type(), propList);
  }
  template <class T, class A, if_fits_range<T> = 0>
  host_accessor(buffer_of<T, A>& bufferRef, tag, const property_list& propList = {})
      : host_accessor(bufferRef, propList) {}
  template <class T, class A, if_fits_range<T> = 0>
  host_accessor(buffer_of<T, A>& bufferRef, range_type accessRange,
                const property_list& propList = {}) {
    acquire(bufferRef, accessRange, id_type(), propList);
  }
  template <class T, class A, if_fits_range<T> = 0>
  host_accessor(buffer_of<T, A>& bufferRef, range_type accessRange, tag,
                const property_list& propList = {})
      : host_accessor(bufferRef, accessRange, propList) {}
  template <class T, class A, if_fits_range<T> = 0>
  host_accessor(buffer_of<T, A>& bufferRef, range_type accessRange, id_type accessOffset,
                const property_list& propList = {}) {
    acquire(bufferRef, accessRange, accessOffset, propList);
  }
  template <class T, class A, if_fits_range<T> = 0>
  host_accessor(buffer_of<T, A>& bufferRef, range_type accessRange, id_type accessOffset, tag,
                const property_list& propList = {})
      : host_accessor(bufferRef, accessRange, accessOffset, propList) {}

  /// read_write to read, and T to and from const T when reading.
  template <class From, access_mode FromMode,
            std::enable_if_t<detail::is_mode_convertible<From, FromMode, DataT, AccessMode> &&
                                 !(std::is_same<From, DataT>::value && FromMode == AccessMode),
                             int> = 0>
  host_accessor(const host_accessor<From, Dimensions, FromMode>& other) noexcept
      : state_(other.state_), data_(other.data_), shape_(other.shape_) {}

  friend bool operator==(const host_accessor& a, const host_accessor& b) noexcept {
    return a.state_ == b.state_;
  }
  friend bool operator!=(const host_accessor& a, const host_accessor& b) noexcept {
    return !(a == b);
  }
  void swap(host_accessor& other) noexcept { std::swap(*this, other); }
  friend void swap(host_accessor& a, host_accessor& b) noexcept { a.swap(b); }

  size_type size() const noexcept {
    if constexpr (Dimensions == 0)
      return data_ != nullptr ? 1 : 0;
    else
      return shape_.access_range().size();
  }
  size_type max_size() const noexcept {
    return empty() ? 0 : static_cast<size_type>(-1) / sizeof(DataT) / 2;
  }
  size_type byte_size() const noexcept { return size() * sizeof(DataT); }
  bool empty() const noexcept { return size() == 0; }
  /// Deprecated by SYCL 2020: size() and byte_size().
  size_type get_count() const noexcept { return size(); }
  size_type get_size() const noexcept { return byte_size(); }
  bool is_placeholder() const noexcept { return false; }

  /// SYCL 2020, 4.5.4.1: of the list that it was constructed with.
  template <class Property>
  bool has_property() const noexcept {
    return state_ != nullptr && state_->properties().template has_property<Property>();
  }
  /// Throws exception (errc::invalid) if it was not given the property.
  template <class Property>
  Property get_property() const {
    return state_ != nullptr ? state_->properties().template get_property<Property>()
                             : property_list().template get_property<Property>();
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  range<D> get_range() const noexcept {
    return shape_.access_range();
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  id<D> get_offset() const noexcept {
    return shape_.offset();
  }

  template <int D = Dimensions,
            std::enable_if_t<D == 0 && AccessMode != access_mode::read, int> = 0>
  const host_accessor& operator=(const DataT& value) const {
    *data_ = value;
    return *this;
  }
  template <int D = Dimensions,
            std::enable_if_t<D == 0 && AccessMode != access_mode::read, int> = 0>
  const host_accessor& operator=(DataT&& value) const {
    *data_ = std::move(value);
    return *this;
  }
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  PIANOLA_SUBSCRIPT reference operator[](id_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data_[shape_.linear(PIANOLA_CHECKED(index, shape_))];
  }
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  PIANOLA_SUBSCRIPT reference operator[](size_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data_[shape_.linear(PIANOLA_CHECKED(id<1>(index), shape_))];
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  PIANOLA_SUBSCRIPT auto operator[](size_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return detail::subscript<value_type, D>(data_, shape_, index);
  }

  /// The start of the buffer, also for a ranged accessor.
  std::add_pointer_t<value_type> get_pointer() const noexcept { return data_; }

  iterator begin() const noexcept { return make_iterator<iterator>(0); }
  iterator end() const noexcept { return make_iterator<iterator>(size()); }
  const_iterator cbegin() const noexcept { return make_iterator<const_iterator>(0); }
  const_iterator cend() const noexcept { return make_iterator<const_iterator>(size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

 private:
  template <class, int, access_mode>
  friend class host_accessor;

  template <class T, class A>
  static range_type everything(const buffer_of<T, A>& b) {
    if constexpr (Dimensions > 0) {
      return b.get_range();
    } else {
      return range_type(b.size() == 0 ? std::size_t{0} : std::size_t{1});
    }
  }

  template <class T, class A>
  void acquire(const buffer_of<T, A>& b, const range_type& part, const id_type& offset,
               const property_list& properties) {
    const auto request = detail::make_request(
        b, AccessMode, properties.has_property<property::no_init>(), part, offset, "host_accessor");
    auto state = std::make_shared<detail::host_access_state>(detail::buffer_access::state(b),
                                                             request, properties);
    data_ = reinterpret_cast<value_type*>(state->base());
    shape_ = shape(b.get_range(), part, offset);
    state_ = std::move(state);
  }

  template <class Iterator>
  Iterator make_iterator(size_type position) const noexcept {
    if constexpr (std::is_pointer<Iterator>::value) {
      return data_ + shape_.first() + position;
    } else {
      id_type strides;
      strides[Dimensions - 1] = 1;
      for (int d = Dimensions - 1; d > 0; --d) strides[d - 1] = strides[d] * shape_.extent(d);
      return Iterator(data_ + shape_.first(), shape_.access_range(), strides, position);
    }
  }

  std::shared_ptr<const detail::host_access_state> state_;
  value_type* data_ = nullptr;
  shape shape_;
};

template <class T, int D, class A>
host_accessor(buffer<T, D, A>&, const property_list& = {})
    -> host_accessor<T, D, detail::default_access_mode<T>>;
template <class T, int D, class A>
host_accessor(buffer<T, D, A>&, range<D>, const property_list& = {})
    -> host_accessor<T, D, detail::default_access_mode<T>>;
template <class T, int D, class A>
host_accessor(buffer<T, D, A>&, range<D>, id<D>, const property_list& = {})
    -> host_accessor<T, D, detail::default_access_mode<T>>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A>&, detail::mode_tag<M, target::device>, const property_list& = {})
    -> host_accessor<T, D, M>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A>&, range<D>, detail::mode_tag<M, target::device>,
              const property_list& = {}) -> host_accessor<T, D, M>;
template <class T, int D, class A, access_mode M>
host_accessor(buffer<T, D, A>&, range<D>, id<D>, detail::mode_tag<M, target::device>,
              const property_list& = {}) -> host_accessor<T, D, M>;

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <class DataT, int Dimensions, sycl::access_mode Mode>
struct std::hash<sycl::host_accessor<DataT, Dimensions, Mode>> {
  std::size_t operator()(const sycl::host_accessor<DataT, Dimensions, Mode>& a) const noexcept {
    return std::hash<const void*>()(a.get_pointer());
  }
};
