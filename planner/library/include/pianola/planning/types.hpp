// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace pianola::planning {

// What was given cannot be used: what() is one line that says what, where, and what to do.
class error : public std::runtime_error {
 public:
  explicit error(const std::string& what) : std::runtime_error(what) {}
  ~error() override;
};

// Types of their own, so that no id is taken for another one.
enum class memory_id : std::uint16_t {};
enum class device_id : std::uint16_t {};
enum class buffer_id : std::uint32_t {};
enum class allocation_id : std::uint32_t {};
enum class command_id : std::uint32_t {};
enum class step_id : std::uint32_t {};

// The number in an id.
template <class Id>
constexpr std::size_t number_of(Id id) noexcept {
  return static_cast<std::size_t>(id);
}

inline constexpr memory_id host_memory{0};

// As many numbers as a buffer or an index space has dimensions: one to three, of which the last one runs fastest in
// memory. None at all stands for what the place says where it is used.
class extent {
 public:
  constexpr extent() noexcept = default;
  constexpr extent(std::uint64_t a) noexcept : values_{a, 0, 0}, size_(1) {}
  constexpr extent(std::uint64_t a, std::uint64_t b) noexcept : values_{a, b, 0}, size_(2) {}
  constexpr extent(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept
      : values_{a, b, c}, size_(3) {}

  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] constexpr std::uint64_t operator[](std::size_t i) const noexcept {
    return values_[i];
  }
  [[nodiscard]] const std::uint64_t* begin() const noexcept { return values_; }
  [[nodiscard]] const std::uint64_t* end() const noexcept { return values_ + size_; }

  friend constexpr bool operator==(const extent& a, const extent& b) noexcept {
    return a.size_ == b.size_ && a.values_[0] == b.values_[0] && a.values_[1] == b.values_[1] &&
           a.values_[2] == b.values_[2];
  }
  friend constexpr bool operator!=(const extent& a, const extent& b) noexcept { return !(a == b); }

 private:
  std::uint64_t values_[3] = {0, 0, 0};
  std::uint32_t size_ = 0;
};

// Half-open: begin <= p < end in each coordinate.
struct box {
  extent begin;
  extent end;

  friend constexpr bool operator==(const box& a, const box& b) noexcept {
    return a.begin == b.begin && a.end == b.end;
  }
  friend constexpr bool operator!=(const box& a, const box& b) noexcept { return !(a == b); }
};

}  // namespace pianola::planning
