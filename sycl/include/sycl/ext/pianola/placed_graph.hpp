// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::graph {

/// For the construction of a command_graph or for finalize(), where it says the last word: who decides on which device a
/// command runs. With `anywhere` planning chooses for every kernel that uses accessors alone, among the devices of the
/// graph's context (with property multi_device: among all), where the program has code for it; everything else runs where
/// its queue wanted it. What is computed is the same.
class place {
 public:
  enum class by { submission, planning };
  static constexpr by as_submitted = by::submission;
  static constexpr by anywhere = by::planning;

  constexpr explicit place(by who) noexcept : who_(who) {}
  constexpr by value() const noexcept { return who_; }

 private:
  by who_;
};

/// What `place` with `anywhere` is to make small: the time of a replay, the bytes that it moves, or the memory that it
/// takes on the device that gives most of it; then the others in this order.
class objective {
 public:
  enum class goal { time, moved_bytes, device_memory };
  static constexpr goal makespan = goal::time;
  static constexpr goal bytes = goal::moved_bytes;
  static constexpr goal memory = goal::device_memory;

  constexpr explicit objective(goal wanted) noexcept : wanted_(wanted) {}
  constexpr goal value() const noexcept { return wanted_; }

 private:
  goal wanted_;
};

/// Beside `place` with `anywhere`: whether kernels of which the compiler knows the accesses run in parts, on several
/// devices at once. Unless told otherwise, where the modelled time of a replay is shorter then.
class split {
 public:
  enum class when { never, it_pays, always };
  static constexpr when never = when::never;
  static constexpr when where_it_pays = when::it_pays;
  static constexpr when always = when::always;

  constexpr explicit split(when wanted) noexcept : wanted_(wanted) {}
  constexpr when value() const noexcept { return wanted_; }

 private:
  when wanted_;
};

}  // namespace ext::pianola::property::graph

template <>
struct is_property<ext::pianola::property::graph::split>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::split")> {};
template <>
struct is_property<ext::pianola::property::graph::place>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::place")> {};
template <>
struct is_property<ext::pianola::property::graph::objective>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::objective")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
