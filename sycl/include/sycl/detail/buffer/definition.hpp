// SPDX-License-Identifier: Apache-2.0
// The class buffer itself. Include sycl/buffer.hpp, which adds the accessors that its members
// return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <sycl/detail/accessor/forward.hpp>
#include <sycl/detail/buffer/forward.hpp>
#include <sycl/detail/buffer/state.hpp>
#include <sycl/detail/buffer/traits.hpp>
#include <sycl/detail/checked_size.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/kernel/id.hpp>
#include <sycl/kernel/range.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

class device;

namespace buffer_allocation {
template <class T>
struct descriptor;
template <class T>
struct tracked_descriptor;
}  // namespace buffer_allocation

namespace detail {
struct buffer_access;
}  // namespace detail

/// Storage for `range` elements of T that any device can access (SYCL 2020, 4.7.2). Copies refer
/// to the same storage; it ends with the last of them.
///
/// Host data: data given by pointer to non-const, container or shared_ptr is the storage in host
/// memory and is up to date again when the buffer has ended. Const data and data given by
/// iterators is copied by the constructor and never written. A null pointer means no host data.
/// The end of a buffer with host data or final data waits for the work on the buffer; otherwise it
/// waits for nothing. docs/buffer-extensions.md tells how to choose each of these.
///
/// A range of zero elements is allowed. Errors: exception (errc::invalid) for contradicting
/// properties and for every use of a moved-from buffer, (errc::memory_allocation) if there is no
/// memory.
template <class T, int Dimensions, class AllocatorT>
class buffer {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "a buffer has 1, 2 or 3 dimensions");
  static_assert(!std::is_reference<T>::value && !std::is_volatile<T>::value,
                "a buffer holds objects, neither references nor volatile ones");
  static_assert(std::is_same<typename std::allocator_traits<AllocatorT>::value_type,
                             std::remove_const_t<T>>::value,
                "the allocator of a buffer<T> allocates T without const");

  using element = std::remove_const_t<T>;
  template <int D>
  using if_dimensions = std::enable_if_t<Dimensions == D, int>;
  template <class Container>
  using if_container = std::enable_if_t<Dimensions == 1 && detail::is_container_of<Container, T> &&
                                            !std::is_array<Container>::value,
                                        int>;

 public:
  using value_type = T;
  using reference = value_type&;
  using const_reference = const value_type&;
  using allocator_type = AllocatorT;
  static constexpr int dimensions = Dimensions;

  buffer(const range<Dimensions>& bufferRange, const property_list& propList = {})
      : buffer(bufferRange, AllocatorT(), propList) {}
  buffer(const range<Dimensions>& bufferRange, AllocatorT allocator,
         const property_list& propList = {})
      : range_(bufferRange), allocator_(std::move(allocator)) {
    make({}, propList);
  }

  /// The host data is the storage and gets the final contents.
  template <class U = T, std::enable_if_t<!std::is_const<U>::value, int> = 0>
  buffer(T* hostData, const range<Dimensions>& bufferRange, const property_list& propList = {})
      : buffer(hostData, bufferRange, AllocatorT(), propList) {}
  template <class U = T, std::enable_if_t<!std::is_const<U>::value, int> = 0>
  buffer(T* hostData, const range<Dimensions>& bufferRange, AllocatorT allocator,
         const property_list& propList = {})
      : range_(bufferRange), allocator_(std::move(allocator)) {
    detail::buffer_source source;
    source.data = hostData;
    make(std::move(source), propList);
  }

  /// The host data is copied and never written.
  buffer(const T* hostData, const range<Dimensions>& bufferRange,
         const property_list& propList = {})
      : buffer(hostData, bufferRange, AllocatorT(), propList) {}
  buffer(const T* hostData, const range<Dimensions>& bufferRange, AllocatorT allocator,
         const property_list& propList = {})
      : range_(bufferRange), allocator_(std::move(allocator)) {
    detail::buffer_source source;
    source.data = const_cast<element*>(hostData);
    source.read_only = true;
    make(std::move(source), propList);
  }

  /// A contiguous container; a const one, or one of const elements, is only copied.
  template <class Container, if_container<Container> = 0>
  buffer(Container& container, AllocatorT allocator, const property_list& propList = {})
      : range_(static_cast<std::size_t>(std::size(container))), allocator_(std::move(allocator)) {
    const auto data = std::data(container);
    detail::buffer_source source;
    source.data = const_cast<element*>(data);
    source.read_only = std::is_const<std::remove_pointer_t<decltype(data)>>::value;
    make(std::move(source), propList);
  }
  template <class Container, if_container<Container> = 0>
  buffer(Container& container, const property_list& propList = {})
      : buffer(container, AllocatorT(), propList) {}

  /// Written back only while somebody else holds the host data, too. An empty pointer: no host
  /// data. No templates: a std::unique_ptr is converted.
  buffer(const std::shared_ptr<T>& hostData, const range<Dimensions>& bufferRange,
         AllocatorT allocator, const property_list& propList = {})
      : range_(bufferRange), allocator_(std::move(allocator)) {
    make(shared_source(hostData), propList);
  }
  buffer(const std::shared_ptr<T>& hostData, const range<Dimensions>& bufferRange,
         const property_list& propList = {})
      : buffer(hostData, bufferRange, AllocatorT(), propList) {}
  buffer(const std::shared_ptr<T[]>& hostData, const range<Dimensions>& bufferRange,
         AllocatorT allocator, const property_list& propList = {})
      : range_(bufferRange), allocator_(std::move(allocator)) {
    make(shared_source(hostData), propList);
  }
  buffer(const std::shared_ptr<T[]>& hostData, const range<Dimensions>& bufferRange,
         const property_list& propList = {})
      : buffer(hostData, bufferRange, AllocatorT(), propList) {}

  /// Copies [first, last); nothing is written back unless set_final_data asks for it.
  template <class InputIterator,
            std::enable_if_t<Dimensions == 1 && detail::is_input_iterator<InputIterator>, int> = 0>
  buffer(InputIterator first, InputIterator last, AllocatorT allocator,
         const property_list& propList = {})
      : range_(std::size_t{0}), allocator_(std::move(allocator)) {
    struct holder {  // std::vector<bool> is not contiguous
      element value;
    };
    static_assert(sizeof(holder) == sizeof(element), "same layout as an array of elements");
    std::vector<holder> copy;
    for (; first != last; ++first) copy.push_back(holder{static_cast<element>(*first)});
    range_ = range<1>(copy.size());
    detail::buffer_source source;
    source.data = copy.data();
    source.outlives = false;
    make(std::move(source), propList);
  }
  template <class InputIterator,
            std::enable_if_t<Dimensions == 1 && detail::is_input_iterator<InputIterator>, int> = 0>
  buffer(InputIterator first, InputIterator last, const property_list& propList = {})
      : buffer(first, last, AllocatorT(), propList) {}

  /// A sub-buffer: part of `b`, without storage of its own. Throws exception (errc::invalid) if
  /// `b` is a sub-buffer, if the part leaves its range, or if the part is not contiguous in it.
  /// Devices of Pianola ask for no alignment of the origin.
  buffer(buffer& b, const id<Dimensions>& baseIndex, const range<Dimensions>& subRange)
      : state_(b.checked()), range_(subRange), sub_buffer_(true), allocator_(b.allocator_) {
    if (b.sub_buffer_)
      detail::throw_error(errc::invalid,
                          "sub-buffer: made from a sub-buffer; make it from the original buffer");
    detail::check_inside("sub-buffer", baseIndex, subRange, b.range_);
    check_contiguous(subRange, b.range_);
    view_.direct = b.view_.direct;
    view_.byte_offset = b.view_.byte_offset + detail::linear_index(b.range_, baseIndex) * sizeof(T);
    if (subRange.size() == 0) view_.byte_offset = b.view_.byte_offset;
    view_.index = state_->index_of(view_.byte_offset, view_.direct);
  }

  /// USM interoperation: see docs/buffer-extensions.md. Defined in buffer_extensions.hpp.
  buffer(const std::vector<buffer_allocation::tracked_descriptor<T>>& allocations,
         const range<Dimensions>& bufferRange, AllocatorT allocator,
         const property_list& propList = {});
  buffer(const std::vector<buffer_allocation::tracked_descriptor<T>>& allocations,
         const range<Dimensions>& bufferRange, const property_list& propList = {});

  range<Dimensions> get_range() const { return range_; }
  std::size_t size() const noexcept { return range_.size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  /// Deprecated by SYCL 2020: size() and byte_size().
  std::size_t get_count() const { return size(); }
  std::size_t get_size() const { return byte_size(); }
  AllocatorT get_allocator() const { return allocator_; }
  bool is_sub_buffer() const noexcept { return sub_buffer_; }

  // Defined in detail/buffer_get_access.hpp.
  template <access_mode Mode = detail::default_access_mode<T>, target Targ = target::device>
  accessor<T, Dimensions, Mode, detail::target_in_commands(Targ), PIANOLA_DEDUCED_VARIANT(unranged)>
  get_access(handler& commandGroupHandler);
  template <access_mode Mode = detail::default_access_mode<T>, target Targ = target::device>
  accessor<T, Dimensions, Mode, detail::target_in_commands(Targ), PIANOLA_DEDUCED_VARIANT(ranged)>
  get_access(handler& commandGroupHandler, range<Dimensions> accessRange,
             id<Dimensions> accessOffset = {});
  /// Deprecated by SYCL 2020: host accessors.
  template <access_mode Mode>
  accessor<T, Dimensions, Mode, target::host_buffer, accessor_variant::false_t> get_access();
  template <access_mode Mode>
  accessor<T, Dimensions, Mode, target::host_buffer, accessor_variant::false_t> get_access(
      range<Dimensions> accessRange, id<Dimensions> accessOffset = {});
  /// As if constructed by accessor{*this, args...} and host_accessor{*this, args...}. (The last
  /// parameter tells units that deduce different variants apart.)
  template <class... Args,
            std::enable_if_t<!detail::is_handler_and_range<Dimensions, Args...>, int> = 0,
            accessor_variant = PIANOLA_DEDUCED_VARIANT(unranged)>
  auto get_access(Args&&... args);
  template <class... Args>
  auto get_host_access(Args&&... args);

  /// Where the contents go when the buffer ends, if anything may have been written: a pointer or
  /// output iterator to at least as many elements as this buffer object has, a shared_ptr or
  /// weak_ptr (nothing is written if that memory is gone by then), or nullptr for nowhere.
  template <class Destination = std::nullptr_t>
  void set_final_data(Destination finalData = nullptr) {
    const auto state = checked();
    if constexpr (std::is_null_pointer<Destination>::value) {
      state->write_back_nowhere();
    } else if constexpr (detail::shared_or_weak_ptr<Destination>::value) {
      typename detail::shared_or_weak_ptr<Destination>::weak weak(finalData);
      set_delivery([weak = std::move(weak)](const element* from, std::size_t count) {
        if (const auto to = weak.lock()) std::copy(from, from + count, &*to.get());
      });
    } else if constexpr (std::is_same<Destination, element*>::value ||
                         std::is_same<Destination, void*>::value) {
      if (finalData == nullptr)
        state->write_back_nowhere();
      else if (view_.byte_offset == 0 && byte_size() == state->bytes())
        state->write_back_to(finalData);
      else
        set_delivery([finalData](const element* from, std::size_t count) {
          std::memcpy(finalData, from, count * sizeof(T));
        });
    } else {
      set_delivery([finalData](const element* from, std::size_t count) {
        std::copy(from, from + count, finalData);
      });
    }
  }

  /// false: nothing is written back when the buffer ends, wherever it would have gone.
  void set_write_back(bool flag = true) { checked()->enable_write_back(flag); }

  /// The same bytes as elements of another type and shape. Throws exception (errc::invalid) if the
  /// number of bytes differs.
  template <class ReinterpretT, int ReinterpretDim>
  auto reinterpret(range<ReinterpretDim> reinterpretRange) const {
    using result = buffer<ReinterpretT, ReinterpretDim,
                          typename std::allocator_traits<AllocatorT>::template rebind_alloc<
                              std::remove_const_t<ReinterpretT>>>;
    const auto state = checked();
    std::size_t count = 0, bytes = 0;
    if (!detail::count_of(reinterpretRange, count) ||
        !detail::multiply(count, sizeof(ReinterpretT), bytes) || bytes != byte_size())
      detail::throw_error(errc::invalid, "buffer::reinterpret: range " +
                                             detail::to_text(reinterpretRange) + " of " +
                                             std::to_string(sizeof(ReinterpretT)) +
                                             "-byte elements is not the " +
                                             std::to_string(byte_size()) + " bytes of this buffer");
    if (view_.byte_offset % alignof(ReinterpretT) != 0)
      detail::throw_error(errc::invalid, "buffer::reinterpret: this sub-buffer starts at byte " +
                                             std::to_string(view_.byte_offset) +
                                             " of its buffer, which is not aligned to " +
                                             std::to_string(alignof(ReinterpretT)));
    bool direct = false;
    if constexpr (ReinterpretDim == Dimensions)
      direct = view_.direct && sizeof(ReinterpretT) == sizeof(T) && reinterpretRange == range_;
    detail::buffer_view view;
    view.byte_offset = view_.byte_offset;
    view.direct = direct;
    view.index = state->index_of(view.byte_offset, direct);
    return result(state, reinterpretRange, view, sub_buffer_,
                  typename result::allocator_type(allocator_));
  }
  template <class ReinterpretT, int ReinterpretDim = Dimensions>
  auto reinterpret() const {
    static_assert(
        ReinterpretDim == 1 || (ReinterpretDim == Dimensions && sizeof(ReinterpretT) == sizeof(T)),
        "without a range a buffer is reinterpreted in one dimension or, for elements of the "
        "same size, in its own; pass a range");
    if constexpr (ReinterpretDim == 1) {
      if (byte_size() % sizeof(ReinterpretT) != 0)
        detail::throw_error(errc::invalid, "buffer::reinterpret: the " +
                                               std::to_string(byte_size()) +
                                               " bytes of this buffer are no multiple of " +
                                               std::to_string(sizeof(ReinterpretT)));
      return reinterpret<ReinterpretT, 1>(range<1>(byte_size() / sizeof(ReinterpretT)));
    } else {
      return reinterpret<ReinterpretT, Dimensions>(range_);
    }
  }

  template <class Property>
  bool has_property() const noexcept {
    return state_ != nullptr && state_->properties().template has_property<Property>();
  }
  template <class Property>
  Property get_property() const {
    return checked()->properties().template get_property<Property>();
  }

  /// Equal: copies of each other, or the same part of the same buffer.
  friend bool operator==(const buffer& a, const buffer& b) noexcept {
    return a.state_ == b.state_ && a.view_.byte_offset == b.view_.byte_offset &&
           a.range_ == b.range_ && a.sub_buffer_ == b.sub_buffer_;
  }
  friend bool operator!=(const buffer& a, const buffer& b) noexcept { return !(a == b); }

  // USM interoperation, defined in buffer_extensions.hpp and described there.
  bool has_allocation(const device& dev) const;
  T* get_pointer(const device& dev) const;
  buffer_allocation::descriptor<T> get_allocation(const device& dev) const;
  buffer_allocation::descriptor<T> get_allocation(const T* ptr) const;
  void own_allocation(const device& dev);
  void own_allocation(const T* ptr);
  void disown_allocation(const device& dev);
  void disown_allocation(const T* ptr);
  template <class Handler>
  void for_each_allocation(Handler&& h) const;

 private:
  template <class, int, class>
  friend class buffer;
  friend struct detail::buffer_access;

  buffer(std::shared_ptr<detail::buffer_state> state, const range<Dimensions>& r,
         const detail::buffer_view& view, bool sub_buffer, AllocatorT allocator)
      : state_(std::move(state)),
        range_(r),
        view_(view),
        sub_buffer_(sub_buffer),
        allocator_(std::move(allocator)) {}

  const std::shared_ptr<detail::buffer_state>& checked() const {
    if (state_ == nullptr)
      detail::throw_error(errc::invalid,
                          "buffer: this object was moved from; use the one that it was moved to");
    return state_;
  }

  template <class Pointer>
  static detail::buffer_source shared_source(const std::shared_ptr<Pointer>& hostData) {
    detail::buffer_source source;
    source.data = const_cast<element*>(hostData.get());
    source.read_only = std::is_const<T>::value;
    source.keep_alive = std::const_pointer_cast<std::remove_const_t<std::remove_extent_t<Pointer>>>(
        std::shared_ptr<std::remove_extent_t<Pointer>>(hostData, hostData.get()));
    return source;
  }

  void make(detail::buffer_source source, const property_list& properties) {
    std::size_t count = 1;
    for (int d = 0; d < Dimensions; ++d) {
      if (range_.get(d) != 0 && count > static_cast<std::size_t>(-1) / sizeof(T) / range_.get(d))
        detail::throw_error(errc::memory_allocation,
                            "buffer: range " + detail::to_text(range_) + " of " +
                                std::to_string(sizeof(T)) +
                                "-byte elements exceeds the address space");
      count *= range_.get(d);
    }
    source.range = detail::to_extent3(range_);
    source.dimensions = Dimensions;
    source.element_size = sizeof(T);
    source.element_alignment = alignof(T);
    detail::buffer_settings settings = detail::read_settings<Dimensions>(properties);
    if constexpr (!detail::is_standard_allocator<AllocatorT>) {
      // Not beside host data, which is memory that the program has chosen already.
      const bool needs_storage =
          source.external_count == 0 && (source.data == nullptr || !source.outlives);
      if (needs_storage && count != 0 && !settings.use_host_ptr &&
          settings.uses_external_storage != true) {
        source.storage = detail::allocate_with<element>(allocator_, count);
        if (source.data != nullptr)
          std::memcpy(source.storage.get(), source.data, count * sizeof(T));
      }
    }
    state_ = std::make_shared<detail::buffer_state>(source, properties, std::move(settings));
  }

  static void check_contiguous(const range<Dimensions>& part, const range<Dimensions>& whole) {
    // Up to the first dimension of more than one element the part is a single row; all dimensions
    // after that one must be whole.
    int d = 0;
    while (d < Dimensions && part.get(d) <= 1) ++d;
    for (++d; d < Dimensions; ++d)
      if (part.get(d) != whole.get(d) && part.size() != 0)
        detail::throw_error(errc::invalid, "sub-buffer: range " + detail::to_text(part) +
                                               " is not contiguous in a buffer of range " +
                                               detail::to_text(whole) +
                                               "; it must span dimension " + std::to_string(d) +
                                               " (use a ranged accessor for parts of any shape)");
  }

  template <class Write>
  void set_delivery(Write write) {
    checked()->write_back_by([write = std::move(write), offset = view_.byte_offset, count = size()](
                                 const void* contents, std::uint64_t) mutable {
      write(reinterpret_cast<const element*>(static_cast<const unsigned char*>(contents) + offset),
            count);
    });
  }

  std::shared_ptr<detail::buffer_state> state_;
  range<Dimensions> range_;
  detail::buffer_view view_;
  bool sub_buffer_ = false;
  AllocatorT allocator_;
};

template <class InputIterator, class AllocatorT,
          class = std::enable_if_t<detail::is_input_iterator<InputIterator>>>
buffer(InputIterator, InputIterator, AllocatorT, const property_list& = {})
    -> buffer<typename std::iterator_traits<InputIterator>::value_type, 1, AllocatorT>;
template <class InputIterator, class = std::enable_if_t<detail::is_input_iterator<InputIterator>>>
buffer(InputIterator, InputIterator, const property_list& = {})
    -> buffer<typename std::iterator_traits<InputIterator>::value_type, 1>;
template <class T, int Dimensions, class AllocatorT>
buffer(const T*, const range<Dimensions>&, AllocatorT, const property_list& = {})
    -> buffer<T, Dimensions, AllocatorT>;
template <class T, int Dimensions>
buffer(const T*, const range<Dimensions>&, const property_list& = {}) -> buffer<T, Dimensions>;
template <class Container, class AllocatorT>
buffer(Container&, AllocatorT, const property_list& = {})
    -> buffer<typename Container::value_type, 1, AllocatorT>;
template <class Container>
buffer(Container&, const property_list& = {}) -> buffer<typename Container::value_type, 1>;
template <class T, int Dimensions>
buffer(const std::shared_ptr<T>&, const range<Dimensions>&, const property_list& = {})
    -> buffer<std::remove_extent_t<T>, Dimensions>;
template <class T, int Dimensions, class AllocatorT>
buffer(const std::shared_ptr<T>&, const range<Dimensions>&, AllocatorT, const property_list& = {})
    -> buffer<std::remove_extent_t<T>, Dimensions, AllocatorT>;

namespace detail {

/// What accessors and the handler need of a buffer.
struct buffer_access {
  template <class T, int D, class A>
  static const std::shared_ptr<buffer_state>& state(const buffer<T, D, A>& b) {
    return b.checked();
  }
  template <class T, int D, class A>
  static const buffer_view& view(const buffer<T, D, A>& b) {
    return b.view_;
  }
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <class T, int Dimensions, class AllocatorT>
struct std::hash<sycl::buffer<T, Dimensions, AllocatorT>> {
  std::size_t operator()(const sycl::buffer<T, Dimensions, AllocatorT>& b) const {
    return std::hash<sycl::detail::buffer_state*>()(sycl::detail::buffer_access::state(b).get()) ^
           static_cast<std::size_t>(sycl::detail::buffer_access::view(b).byte_offset);
  }
};
