// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include <sycl/accessor_variant.hpp>
#include <sycl/detail/accessor/bind.hpp>
#include <sycl/detail/accessor/check.hpp>
#include <sycl/detail/accessor/iterator.hpp>
#include <sycl/detail/accessor/scalar.hpp>
#include <sycl/detail/accessor/storage.hpp>
#include <sycl/detail/accessor/subscript.hpp>
#include <sycl/detail/accessor/traits.hpp>
#include <sycl/detail/handler/access.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/item.hpp>
#include <sycl/kernel/multi_ptr.hpp>
#include <sycl/properties.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {
struct accessor_access;
}  // namespace detail

/// Access of a command to a buffer (SYCL 2020, 4.7.6.9). The variants are described in
/// docs/accessor-variants.md. Trivially copyable; a copy in a kernel's function object is what the
/// kernel reads and writes through.
///
/// Constructed without a handler it is a placeholder, to be bound by handler::require.
/// Constructors throw exception (errc::invalid) for a range that leaves the buffer, for no_init
/// with access_mode::read and for a buffer that was moved from; nothing is bound then.
/// Constructors that take a range do not exist for unranged variants, those without handler only
/// for variants that can be placeholders.
///
/// For ranged accessors indices and iterators count from the access offset; get_pointer() points
/// to the start of the buffer object all the same. A raw accessor ignores the access offset.
template <class DataT, int Dimensions, access_mode AccessMode, target AccessTarget,
          accessor_variant AccessorVariant>
class [[maybe_unused]] accessor
    : public detail::converts_to_element<
          accessor<DataT, Dimensions, AccessMode, AccessTarget, AccessorVariant>,
          std::conditional_t<AccessMode == access_mode::read, const DataT&, DataT&>,
          Dimensions == 0> {
  static_assert(Dimensions >= 0 && Dimensions <= 3, "an accessor has 0 to 3 dimensions");
  static_assert(AccessMode != access_mode::atomic,
                "access_mode::atomic is deprecated by SYCL 2020 and not offered for this target: "
                "use access_mode::read_write and atomic_ref");
  static_assert(!std::is_const<DataT>::value || AccessMode == access_mode::read,
                "an accessor of const elements has access_mode::read");
  static_assert(AccessTarget == target::device || AccessTarget == target::host_task,
                "accessors have target::device or target::host_task");

  using storage_type = detail::accessor_storage<AccessorVariant, Dimensions>;
  static constexpr bool is_raw = AccessorVariant == accessor_variant::raw;
  static constexpr bool has_shape = Dimensions > 0 && !is_raw;
  // A range, id or buffer has one dimension where an accessor has none.
  static constexpr int at_least_1 = Dimensions > 0 ? Dimensions : 1;
  using range_type = range<at_least_1>;
  using id_type = id<at_least_1>;
  template <class T, class AllocatorT>
  using buffer_of = buffer<T, at_least_1, AllocatorT>;

  // Conditions of members. T is a template parameter of the member, so that they are checked there.
  template <class T>
  static constexpr bool fits = detail::is_buffer_compatible<T, DataT, AccessMode>;
  template <class T>
  using if_bound = std::enable_if_t<fits<T>, int>;
  template <class T>
  using if_free = std::enable_if_t<fits<T> && detail::names_buffer(AccessorVariant), int>;
  template <class T>
  using if_bound_range =
      std::enable_if_t<fits<T> && (Dimensions > 0) && detail::accepts_range(AccessorVariant), int>;
  template <class T>
  using if_free_range =
      std::enable_if_t<fits<T> && (Dimensions > 0) && detail::names_buffer(AccessorVariant) &&
                           detail::accepts_range(AccessorVariant),
                       int>;
  template <class Tag>
  using if_tag = std::enable_if_t<
      detail::is_tag_of<Tag, AccessMode, AccessTarget, AccessorVariant> && (Dimensions > 0), int>;
  template <int D>
  using if_sized = std::enable_if_t<!(is_raw && D > 0), int>;
  template <int D>
  using if_shaped = std::enable_if_t<(D > 0) && !is_raw, int>;
  template <class From, access_mode FromMode, accessor_variant FromVariant>
  static constexpr bool converts_from =
      detail::is_mode_convertible<From, FromMode, DataT, AccessMode> &&
      detail::is_variant_convertible(FromVariant, AccessorVariant) &&
      !(std::is_same<From, DataT>::value && FromMode == AccessMode &&
        FromVariant == AccessorVariant);

 public:
  using value_type = std::conditional_t<AccessMode == access_mode::read, const DataT, DataT>;
  using reference = value_type&;
  using const_reference = const DataT&;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  /// A pointer where the elements are consecutive for certain.
  using iterator =
      std::conditional_t<(Dimensions > 1) && detail::stores_access_range(AccessorVariant),
                         detail::accessor_iterator<value_type, at_least_1>, value_type*>;
  using const_iterator =
      std::conditional_t<(Dimensions > 1) && detail::stores_access_range(AccessorVariant),
                         detail::accessor_iterator<const DataT, at_least_1>, const DataT*>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  static constexpr int dimensions = Dimensions;
  static constexpr access_mode mode = AccessMode;
  static constexpr accessor_variant variant = AccessorVariant;

  /// No buffer, no elements; handler::require throws for it.
  accessor() = default;

  template <class T, class A, if_free<T> = 0>
  accessor(buffer_of<T, A>& bufferRef, const property_list& propList = {}) {
    bind(nullptr, bufferRef, everything(bufferRef), id_type(), propList);
  }
  template <class T, class A, if_bound<T> = 0>
  accessor(buffer_of<T, A>& bufferRef, handler& group, const property_list& propList = {}) {
    bind(&group, bufferRef, everything(bufferRef), id_type(), propList);
  }
  template <class T, class A, class Tag, if_free<T> = 0, if_tag<Tag> = 0>
  accessor(buffer_of<T, A>& bufferRef, Tag, const property_list& propList = {})
      : accessor(bufferRef, propList) {}
  template <class T, class A, class Tag, if_bound<T> = 0, if_tag<Tag> = 0>
  accessor(buffer_of<T, A>& bufferRef, handler& group, Tag, const property_list& propList = {})
      : accessor(bufferRef, group, propList) {}

  template <class T, class A, if_free_range<T> = 0>
  accessor(buffer_of<T, A>& bufferRef, range_type accessRange, const property_list& propList = {}) {
    bind(nullptr, bufferRef, accessRange, id_type(), propList);
  }
  template <class T, class A, if_free_range<T> = 0>
  accessor(buffer_of<T, A>& bufferRef, range_type accessRange, id_type accessOffset,
           const property_list& propList = {}) {
    bind(nullptr, bufferRef, accessRange, accessOffset, propList);
  }
  template <class T, class A, class Tag, if_free_range<T> = 0, if_tag<Tag> = 0>
  accessor(buffer_of<T, A>& bufferRef, range_type accessRange, Tag,
           const property_list& propList = {})
      : accessor(bufferRef, accessRange, propList) {}
  template <class T, class A, class Tag, if_free_range<T> = 0, if_tag<Tag> = 0>
  accessor(buffer_of<T, A>& bufferRef, range_type accessRange, id_type accessOffset, Tag,
           const property_list& propList = {})
      : accessor(bufferRef, accessRange, accessOffset, propList) {}

  template <class T, class A, if_bound_range<T> = 0>
  accessor(buffer_of<T, A>& bufferRef, handler& group, range_type accessRange,
           const property_list& propList = {}) {
    bind(&group, bufferRef, accessRange, id_type(), propList);
  }
  template <class T, class A, if_bound_range<T> = 0>
  accessor(buffer_of<T, A>& bufferRef, handler& group, range_type accessRange, id_type accessOffset,
           const property_list& propList = {}) {
    bind(&group, bufferRef, accessRange, accessOffset, propList);
  }
  template <class T, class A, class Tag, if_bound_range<T> = 0, if_tag<Tag> = 0>
  accessor(buffer_of<T, A>& bufferRef, handler& group, range_type accessRange, Tag,
           const property_list& propList = {})
      : accessor(bufferRef, group, accessRange, propList) {}
  template <class T, class A, class Tag, if_bound_range<T> = 0, if_tag<Tag> = 0>
  accessor(buffer_of<T, A>& bufferRef, handler& group, range_type accessRange, id_type accessOffset,
           Tag, const property_list& propList = {})
      : accessor(bufferRef, group, accessRange, accessOffset, propList) {}

  /// read_write to read, T to and from const T when reading, and between variants as
  /// docs/accessor-variants.md says.
  template <class From, access_mode FromMode, accessor_variant FromVariant,
            std::enable_if_t<converts_from<From, FromMode, FromVariant>, int> = 0>
  accessor(const accessor<From, Dimensions, FromMode, AccessTarget, FromVariant>& other) noexcept
      : storage_(other.storage_.pointer,
                 detail::convert_shape<typename storage_type::shape,
                                       typename decltype(other.storage_)::shape, Dimensions>(
                     other.storage_),
                 convert_identity(other.storage_)) {}

  friend bool operator==(const accessor& a, const accessor& b) noexcept {
    if constexpr (has_shape)
      return a.storage_.pointer == b.storage_.pointer && a.get_range() == b.get_range() &&
             a.get_offset() == b.get_offset();
    else
      return a.storage_.pointer == b.storage_.pointer;
  }
  friend bool operator!=(const accessor& a, const accessor& b) noexcept { return !(a == b); }

  void swap(accessor& other) noexcept { std::swap(storage_, other.storage_); }
  friend void swap(accessor& a, accessor& b) noexcept { a.swap(b); }

  /// Whether it was constructed without a handler. Variants that cannot be: false.
  bool is_placeholder() const noexcept {
    if constexpr (detail::names_buffer(AccessorVariant))
      return storage_.placeholder;
    else
      return false;
  }

  /// SYCL 2020, 4.5.4.1: of the list that it was constructed with, where no_init is the only property that says
  /// something. Variants that do not name their buffer have no room for it, and so not this function.
  template <class Property, accessor_variant V = AccessorVariant,
            std::enable_if_t<detail::names_buffer(V), int> = 0>
  bool has_property() const noexcept {
    return std::is_same<Property, property::no_init>::value && storage_.no_init;
  }
  /// Throws exception (errc::invalid) if it was not given the property.
  template <class Property, accessor_variant V = AccessorVariant,
            std::enable_if_t<detail::names_buffer(V), int> = 0>
  Property get_property() const {
    const property_list given =
        storage_.no_init ? property_list(property::no_init()) : property_list();
    return given.template get_property<Property>();
  }

  /// Number of elements that may be accessed.
  template <int D = Dimensions, if_sized<D> = 0>
  size_type size() const noexcept {
    if constexpr (D == 0)
      return storage_.pointer != nullptr ? 1 : 0;
    else
      return storage_.access_range().size();
  }
  template <int D = Dimensions, if_sized<D> = 0>
  size_type max_size() const noexcept {
    return empty() ? 0 : static_cast<size_type>(-1) / sizeof(DataT) / 2;
  }
  template <int D = Dimensions, if_sized<D> = 0>
  size_type byte_size() const noexcept {
    return size() * sizeof(DataT);
  }
  template <int D = Dimensions, if_sized<D> = 0>
  bool empty() const noexcept {
    return size() == 0;
  }
  /// Deprecated by SYCL 2020: size() and byte_size().
  template <int D = Dimensions, if_sized<D> = 0>
  size_type get_count() const noexcept {
    return size();
  }
  template <int D = Dimensions, if_sized<D> = 0>
  size_type get_size() const noexcept {
    return byte_size();
  }
  template <int D = Dimensions, if_shaped<D> = 0>
  range<D> get_range() const noexcept {
    return storage_.access_range();
  }
  /// Zero for a raw accessor, whatever it was constructed with.
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0>
  id<D> get_offset() const noexcept {
    if constexpr (is_raw)
      return {};
    else
      return storage_.offset();
  }

  template <int D = Dimensions,
            std::enable_if_t<D == 0 && AccessMode != access_mode::read, int> = 0>
  const accessor& operator=(const DataT& value) const {
    *data() = value;
    return *this;
  }
  template <int D = Dimensions,
            std::enable_if_t<D == 0 && AccessMode != access_mode::read, int> = 0>
  const accessor& operator=(DataT&& value) const {
    *data() = std::move(value);
    return *this;
  }

  template <int D = Dimensions, std::enable_if_t<D == 1 || (D > 1 && !is_raw), int> = 0>
  PIANOLA_SUBSCRIPT reference operator[](id_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data()[storage_.linear(PIANOLA_CHECKED(index, storage_))];
  }
  // An item converts to an id and, in one dimension, to size_t: say which.
  template <int D = Dimensions, bool WithOffset,
            std::enable_if_t<D == Dimensions && (D == 1 || (D > 1 && !is_raw)), int> = 0>
  PIANOLA_SUBSCRIPT reference
  operator[](const item<D, WithOffset>& work_item) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data()[storage_.linear(PIANOLA_CHECKED(work_item.get_id(), storage_))];
  }
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  PIANOLA_SUBSCRIPT reference operator[](size_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return data()[storage_.linear(PIANOLA_CHECKED(id<1>(index), storage_))];
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1) && !is_raw, int> = 0>
  PIANOLA_SUBSCRIPT auto operator[](size_type index) const PIANOLA_SUBSCRIPT_NOEXCEPT {
    return detail::subscript<value_type, D>(data(), storage_, index);
  }

  /// The start of the buffer (of the sub-buffer or reinterpreted buffer), also for a ranged
  /// accessor.
  /// With target::device deprecated by SYCL 2020: get_multi_ptr().
  auto get_pointer() const noexcept {
    if constexpr (AccessTarget == target::device)
      return global_ptr<value_type>(data());
    else
      return data();
  }

  template <access::decorated IsDecorated>
  using accessor_ptr = multi_ptr<value_type, access::address_space::global_space, IsDecorated>;
  /// To the start of the buffer object, as get_pointer().
  template <access::decorated IsDecorated>
  accessor_ptr<IsDecorated> get_multi_ptr() const noexcept {
    static_assert(AccessTarget == target::device,
                  "get_multi_ptr: accessors to host tasks have none");
    return accessor_ptr<IsDecorated>(data());
  }

  iterator begin() const noexcept { return make_iterator<iterator>(0); }
  iterator end() const noexcept { return make_iterator<iterator>(size()); }
  const_iterator cbegin() const noexcept { return make_iterator<const_iterator>(0); }
  const_iterator cend() const noexcept { return make_iterator<const_iterator>(size()); }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

 private:
  template <class, int, access_mode, target, accessor_variant>
  friend class accessor;
  friend struct detail::accessor_access;

  value_type* data() const noexcept { return static_cast<value_type*>(storage_.pointer); }

  template <class T, class A>
  static range_type everything(const buffer_of<T, A>& b) {
    if constexpr (Dimensions > 0) {
      return b.get_range();
    } else {
      return range_type(b.size() == 0 ? std::size_t{0} : std::size_t{1});
    }
  }

  template <class T, class A>
  void bind(handler* group, const buffer_of<T, A>& b, const range_type& part, const id_type& offset,
            const property_list& properties) {
    const bool discards = properties.has_property<property::no_init>();
    // Of no dimensions, and no element: nothing tells but the pointer.
    const bool nothing = Dimensions == 0 && part.size() == 0;
    void* pointer = nullptr;
    if (AccessTarget != target::host_task && group != nullptr) {
      detail::check_access(b, AccessMode, discards, part, offset, "accessor");
      pianola::runtime::accessor_request& request = detail::handler_access::add(*group);
      detail::fill_request(request, b, AccessMode, discards, part, offset);
      if (!nothing) request.cookie = detail::handler_access::next_cookie(*group);
      pointer = reinterpret_cast<void*>(request.cookie);
    } else {
      pianola::runtime::accessor_request request =
          detail::make_request(b, AccessMode, discards, part, offset);
      if (!nothing) pointer = detail::initial_pointer<AccessTarget>(request, group == nullptr);
      if (group != nullptr) detail::handler_access::add(*group, request);
    }
    typename storage_type::identity identity;
    if constexpr (detail::names_buffer(AccessorVariant)) {
      identity.key = detail::buffer_access::state(b)->key();
      identity.view = detail::buffer_access::view(b).index;
      identity.no_init = discards;
      identity.placeholder = group == nullptr;
    }
    storage_ =
        storage_type(pointer, typename storage_type::shape(b.get_range(), part, offset), identity);
  }

  // A variant that does not name its buffer becomes one that does only as a bound accessor.
  template <class Storage>
  static typename storage_type::identity convert_identity(const Storage& from) noexcept {
    if constexpr (!detail::names_buffer(AccessorVariant)) {
      return {};
    } else if constexpr (std::is_base_of<detail::accessor_identity, Storage>::value) {
      return from;
    } else {
      typename storage_type::identity bound;
      bound.placeholder = false;
      return bound;
    }
  }

  template <class Iterator>
  Iterator make_iterator(size_type position) const noexcept {
    static_assert(!is_raw || Dimensions == 0, "a raw accessor knows no range to iterate over");
    if constexpr (std::is_pointer<Iterator>::value) {
      return data() + storage_.first() + position;
    } else {
      id_type strides;
      strides[Dimensions - 1] = 1;
      for (int d = Dimensions - 1; d > 0; --d) strides[d - 1] = strides[d] * storage_.extent(d);
      return Iterator(data() + storage_.first(), storage_.access_range(), strides, position);
    }
  }

  storage_type storage_;
};

namespace detail {

/// For the handler.
struct accessor_access {
  /// What handler::require binds. Throws exception (errc::invalid) if the buffer has ended or if
  /// there never was one.
  template <class T, int D, access_mode M, target G, accessor_variant V>
  static pianola::runtime::accessor_request request_of(const accessor<T, D, M, G, V>& a) {
    static_assert(names_buffer(V),
                  "handler::require: raw, ranged and unranged accessors are bound at construction");
    pianola::runtime::accessor_request request = request_again<T, D, V>(a.storage_, M);
    if constexpr (G == target::host_task) {
      request.cookie = 0;
      request.host_address = bound_address(a);
    }
    return request;
  }
  template <class Accessor>
  static pianola::runtime::accessor_request request(const Accessor& a) {
    return request_of(a);
  }
  /// In a command that runs: the address of the first element that the accessor may use.
  template <class T, int D, access_mode M, target G, accessor_variant V>
  static const void* bound_address(const accessor<T, D, M, G, V>& a) noexcept {
    return a.storage_.pointer;
  }

  /// By which the bound request is found among those of the command group; the address for
  /// target::host_task.
  template <class T, int D, access_mode M, target G, accessor_variant V>
  static std::uint64_t cookie(const accessor<T, D, M, G, V>& a) noexcept {
    return reinterpret_cast<std::uint64_t>(a.storage_.pointer);
  }

  /// The address in an accessor of a running command: the start of the buffer object.
  template <class T, int D, access_mode M, target G, accessor_variant V>
  static void* base(const accessor<T, D, M, G, V>& a) noexcept {
    return a.storage_.pointer;
  }

  /// Extents that positions are computed with, padded on the left. The outermost one has no part
  /// in that, is not stored by every variant and is 0 here. Not for raw accessors.
  template <class T, int D, access_mode M, target G, accessor_variant V>
  static pianola::model::extent3 inner_extents(const accessor<T, D, M, G, V>& a) noexcept {
    static_assert(V != accessor_variant::raw, "a raw accessor does not know its buffer's range");
    pianola::model::extent3 e{{1, 1, 1}};
    if constexpr (D > 0) e[3 - D] = 0;
    if constexpr (D > 1)
      for (int d = 1; d < D; ++d) e[3 - D + d] = a.storage_.extent(d);
    if constexpr (D <= 1) static_cast<void>(a);
    return e;
  }

  /// What the accessor covers of its buffer object, padded on the left. Not for raw accessors.
  template <class T, int D, access_mode M, target G, accessor_variant V>
  static pianola::model::box part(const accessor<T, D, M, G, V>& a) noexcept {
    static_assert(V != accessor_variant::raw, "a raw accessor does not know its range");
    if constexpr (D == 0)
      return pianola::model::box{{}, {{1, 1, a.size()}}};
    else
      return to_box(a.get_offset(), a.get_range());
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <class DataT, int Dimensions, sycl::access_mode Mode, sycl::target Target,
          sycl::accessor_variant Variant>
struct std::hash<sycl::accessor<DataT, Dimensions, Mode, Target, Variant>> {
  std::size_t operator()(
      const sycl::accessor<DataT, Dimensions, Mode, Target, Variant>& a) const noexcept {
    return std::hash<std::uint64_t>()(sycl::detail::accessor_access::cookie(a));
  }
};

#include <sycl/detail/accessor/aliases.hpp>
#include <sycl/detail/accessor/deduction.hpp>
#include <sycl/detail/accessor/legacy.hpp>
