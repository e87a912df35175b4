// SPDX-License-Identifier: Apache-2.0
// Strong identifiers. An id is a type of its own: mixing two kinds does not compile, and an id says
// nothing about where its object lives in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>

namespace pianola::model {

template <class Tag, class Rep = std::uint32_t>
class strong_id {
 public:
  using rep = Rep;
  static constexpr Rep invalid_value = static_cast<Rep>(-1);

  constexpr strong_id() noexcept = default;
  constexpr explicit strong_id(Rep value) noexcept : value_(value) {}

  [[nodiscard]] constexpr Rep value() const noexcept { return value_; }
  [[nodiscard]] constexpr bool valid() const noexcept { return value_ != invalid_value; }

  friend constexpr bool operator==(strong_id a, strong_id b) noexcept {
    return a.value_ == b.value_;
  }
  friend constexpr bool operator!=(strong_id a, strong_id b) noexcept {
    return a.value_ != b.value_;
  }
  friend constexpr bool operator<(strong_id a, strong_id b) noexcept { return a.value_ < b.value_; }
  friend constexpr bool operator>(strong_id a, strong_id b) noexcept { return a.value_ > b.value_; }
  friend constexpr bool operator<=(strong_id a, strong_id b) noexcept {
    return a.value_ <= b.value_;
  }
  friend constexpr bool operator>=(strong_id a, strong_id b) noexcept {
    return a.value_ >= b.value_;
  }

 private:
  Rep value_ = invalid_value;
};

// A command of a command graph: its position in submission order.
using command_id = strong_id<struct command_tag>;
// A buffer, dense within one command graph or within the live data state.
using buffer_id = strong_id<struct buffer_tag>;
using device_id = strong_id<struct device_tag, std::uint16_t>;
// A physical memory. Memory 0 is always the host's.
using memory_id = strong_id<struct memory_tag, std::uint16_t>;
// A sequence of steps executed in order on one device.
using lane_id = strong_id<struct lane_tag>;
// A step of a plan. In eager mode steps are numbered across the whole life of the data state.
using step_id = strong_id<struct step_tag, std::uint64_t>;
// Hash of translation unit and mangled name of a kernel.
using kernel_id = strong_id<struct kernel_tag, std::uint64_t>;

inline constexpr memory_id host_memory{0};

}  // namespace pianola::model

template <class Tag, class Rep>
struct std::hash<pianola::model::strong_id<Tag, Rep>> {
  std::size_t operator()(pianola::model::strong_id<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value());
  }
};
