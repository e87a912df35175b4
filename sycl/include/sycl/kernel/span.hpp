// SPDX-License-Identifier: Apache-2.0
// span (SYCL 2020, 3.9.2: what C++20 has).
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <class ElementType, std::size_t Extent = dynamic_extent>
class span;

namespace detail {

template <class T>
inline constexpr bool is_span_v = false;
template <class T, std::size_t Extent>
inline constexpr bool is_span_v<span<T, Extent>> = true;
template <class T>
inline constexpr bool is_std_array_v = false;
template <class T, std::size_t Extent>
inline constexpr bool is_std_array_v<std::array<T, Extent>> = true;

/// From may be seen as To: they differ by qualifiers only.
template <class From, class To>
inline constexpr bool is_span_element_v = std::is_convertible_v<From (*)[], To (*)[]>;

template <class Container, class T, class = void>
inline constexpr bool is_span_source_v = false;
template <class Container, class T>
inline constexpr bool is_span_source_v<
    Container, T,
    std::enable_if_t<
        !is_span_v<std::remove_cv_t<Container>> && !is_std_array_v<std::remove_cv_t<Container>> &&
        !std::is_array_v<Container> &&
        is_span_element_v<std::remove_pointer_t<decltype(std::declval<Container&>().data())>, T> &&
        std::is_convertible_v<decltype(std::declval<Container&>().size()), std::size_t>>> = true;

template <class T, std::size_t Extent>
struct span_storage {
  constexpr span_storage() noexcept = default;
  constexpr span_storage(T* p, std::size_t) noexcept : data(p) {}
  static constexpr std::size_t size() noexcept { return Extent; }
  T* data = nullptr;
};
template <class T>
struct span_storage<T, dynamic_extent> {
  constexpr span_storage() noexcept = default;
  constexpr span_storage(T* p, std::size_t n) noexcept : data(p), count(n) {}
  constexpr std::size_t size() const noexcept { return count; }
  T* data = nullptr;
  std::size_t count = 0;
};

}  // namespace detail

/// A view of consecutive objects. As with std::span, it is undefined to leave its bounds, or to make a span of
/// fixed extent from another number of objects.
template <class ElementType, std::size_t Extent>
class span {
 public:
  using element_type = ElementType;
  using value_type = std::remove_cv_t<ElementType>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = ElementType*;
  using const_pointer = const ElementType*;
  using reference = ElementType&;
  using const_reference = const ElementType&;
  using iterator = pointer;
  using const_iterator = const_pointer;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  static constexpr std::size_t extent = Extent;

  template <std::size_t E = Extent, std::enable_if_t<E == dynamic_extent || E == 0, int> = 0>
  constexpr span() noexcept {}

  template <std::size_t E = Extent, std::enable_if_t<E == dynamic_extent, int> = 0>
  constexpr span(pointer first, size_type count) : storage_(first, count) {}
  template <std::size_t E = Extent, std::enable_if_t<E != dynamic_extent, int> = 0, class = void>
  constexpr explicit span(pointer first, size_type count) : storage_(first, count) {}
  template <std::size_t E = Extent, std::enable_if_t<E == dynamic_extent, int> = 0>
  constexpr span(pointer first, pointer last)
      : storage_(first, static_cast<size_type>(last - first)) {}
  template <std::size_t E = Extent, std::enable_if_t<E != dynamic_extent, int> = 0, class = void>
  constexpr explicit span(pointer first, pointer last)
      : storage_(first, static_cast<size_type>(last - first)) {}

  template <std::size_t N, std::enable_if_t<Extent == dynamic_extent || Extent == N, int> = 0>
  constexpr span(element_type (&array)[N]) noexcept : storage_(array, N) {}
  template <class T, std::size_t N,
            std::enable_if_t<(Extent == dynamic_extent || Extent == N) &&
                                 detail::is_span_element_v<T, ElementType>,
                             int> = 0>
  constexpr span(std::array<T, N>& array) noexcept : storage_(array.data(), N) {}
  template <class T, std::size_t N,
            std::enable_if_t<(Extent == dynamic_extent || Extent == N) &&
                                 detail::is_span_element_v<const T, ElementType>,
                             int> = 0>
  constexpr span(const std::array<T, N>& array) noexcept : storage_(array.data(), N) {}

  template <class Container, std::enable_if_t<Extent == dynamic_extent &&
                                                  detail::is_span_source_v<Container, ElementType>,
                                              int> = 0>
  constexpr span(Container& container) : storage_(container.data(), container.size()) {}
  template <class Container,
            std::enable_if_t<Extent == dynamic_extent &&
                                 detail::is_span_source_v<const Container, ElementType>,
                             int> = 0>
  constexpr span(const Container& container) : storage_(container.data(), container.size()) {}
  template <
      class Container,
      std::enable_if_t<Extent != dynamic_extent && detail::is_span_source_v<Container, ElementType>,
                       int> = 0,
      class = void>
  constexpr explicit span(Container& container) : storage_(container.data(), container.size()) {}
  template <class Container,
            std::enable_if_t<Extent != dynamic_extent &&
                                 detail::is_span_source_v<const Container, ElementType>,
                             int> = 0,
            class = void>
  constexpr explicit span(const Container& container)
      : storage_(container.data(), container.size()) {}

  template <class T, std::size_t E,
            std::enable_if_t<(Extent == dynamic_extent || Extent == E) &&
                                 detail::is_span_element_v<T, ElementType>,
                             int> = 0>
  constexpr span(const span<T, E>& other) noexcept : storage_(other.data(), other.size()) {}
  template <class T, std::size_t E,
            std::enable_if_t<Extent != dynamic_extent && E == dynamic_extent &&
                                 detail::is_span_element_v<T, ElementType>,
                             int> = 0,
            class = void>
  constexpr explicit span(const span<T, E>& other) noexcept
      : storage_(other.data(), other.size()) {}
  constexpr span(const span&) noexcept = default;
  constexpr span& operator=(const span&) noexcept = default;

  template <std::size_t Count>
  constexpr span<element_type, Count> first() const {
    static_assert(Count <= Extent, "span::first: more elements than there are");
    return span<element_type, Count>(data(), Count);
  }
  template <std::size_t Count>
  constexpr span<element_type, Count> last() const {
    static_assert(Count <= Extent, "span::last: more elements than there are");
    return span<element_type, Count>(data() + (size() - Count), Count);
  }
  template <std::size_t Offset, std::size_t Count = dynamic_extent>
  constexpr auto subspan() const {
    static_assert(Offset <= Extent && (Count == dynamic_extent || Extent == dynamic_extent ||
                                       Count <= Extent - Offset),
                  "span::subspan: more elements than there are");
    constexpr std::size_t result_extent = Count != dynamic_extent    ? Count
                                          : Extent != dynamic_extent ? Extent - Offset
                                                                     : dynamic_extent;
    return span<element_type, result_extent>(data() + Offset,
                                             Count != dynamic_extent ? Count : size() - Offset);
  }
  constexpr span<element_type> first(size_type count) const { return {data(), count}; }
  constexpr span<element_type> last(size_type count) const {
    return {data() + (size() - count), count};
  }
  constexpr span<element_type> subspan(size_type offset, size_type count = dynamic_extent) const {
    return {data() + offset, count != dynamic_extent ? count : size() - offset};
  }

  constexpr size_type size() const noexcept { return storage_.size(); }
  constexpr size_type size_bytes() const noexcept { return size() * sizeof(element_type); }
  [[nodiscard]] constexpr bool empty() const noexcept { return size() == 0; }

  constexpr reference operator[](size_type index) const { return data()[index]; }
  constexpr reference front() const { return data()[0]; }
  constexpr reference back() const { return data()[size() - 1]; }
  constexpr pointer data() const noexcept { return storage_.data; }

  constexpr iterator begin() const noexcept { return data(); }
  constexpr iterator end() const noexcept { return data() + size(); }
  constexpr const_iterator cbegin() const noexcept { return begin(); }
  constexpr const_iterator cend() const noexcept { return end(); }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  constexpr const_reverse_iterator crbegin() const noexcept {
    return const_reverse_iterator(cend());
  }
  constexpr const_reverse_iterator crend() const noexcept {
    return const_reverse_iterator(cbegin());
  }

 private:
  detail::span_storage<ElementType, Extent> storage_;
};

template <class T, std::size_t N>
span(T (&)[N]) -> span<T, N>;
template <class T, std::size_t N>
span(std::array<T, N>&) -> span<T, N>;
template <class T, std::size_t N>
span(const std::array<T, N>&) -> span<const T, N>;
template <class T>
span(T*, std::size_t) -> span<T>;
template <class T>
span(T*, T*) -> span<T>;
template <class Container>
span(Container&) -> span<std::remove_pointer_t<decltype(std::declval<Container&>().data())>>;
template <class Container>
span(const Container&)
    -> span<std::remove_pointer_t<decltype(std::declval<const Container&>().data())>>;

namespace detail {
template <class T, std::size_t Extent>
inline constexpr std::size_t span_bytes =
    Extent == dynamic_extent ? dynamic_extent : Extent * sizeof(T);
}  // namespace detail

template <class T, std::size_t Extent>
span<const std::byte, detail::span_bytes<T, Extent>> as_bytes(span<T, Extent> s) noexcept {
  return span<const std::byte, detail::span_bytes<T, Extent>>(
      reinterpret_cast<const std::byte*>(s.data()), s.size_bytes());
}
template <class T, std::size_t Extent, std::enable_if_t<!std::is_const_v<T>, int> = 0>
span<std::byte, detail::span_bytes<T, Extent>> as_writable_bytes(span<T, Extent> s) noexcept {
  return span<std::byte, detail::span_bytes<T, Extent>>(reinterpret_cast<std::byte*>(s.data()),
                                                        s.size_bytes());
}

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
