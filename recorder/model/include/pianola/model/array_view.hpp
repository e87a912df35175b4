// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace pianola::model {

// Non-owning view of consecutive objects (std::span for C++17 headers).
template <class T>
class array_view {
 public:
  constexpr array_view() noexcept = default;
  constexpr array_view(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr array_view(T (&array)[N]) noexcept : data_(array), size_(N) {}
  // From any contiguous container (std::vector, std::array, ...), also to a view of const.
  template <class C, class = decltype(static_cast<T*>(static_cast<C*>(nullptr)->data()))>
  constexpr array_view(C& c) noexcept : data_(c.data()), size_(c.size()) {}
  template <class C, class = decltype(static_cast<T*>(static_cast<const C*>(nullptr)->data()))>
  constexpr array_view(const C& c) noexcept : data_(c.data()), size_(c.size()) {}

  [[nodiscard]] constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr T* end() const noexcept { return data_ + size_; }
  constexpr T& operator[](std::size_t i) const noexcept { return data_[i]; }
  [[nodiscard]] constexpr T& front() const noexcept { return data_[0]; }
  [[nodiscard]] constexpr T& back() const noexcept { return data_[size_ - 1]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pianola::model
