// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::graph {

/// For the construction of a command_graph: whether a kernel of it needs of its buffers only what it touches, where
/// pianolacc has proven what that is, or all that its accessors name. Without it PIANOLA_NARROW says so, and without that
/// kernels need what they touch. What is computed is the same.
class narrow {
 public:
  constexpr explicit narrow(bool on = true) noexcept : on_(on) {}
  constexpr bool value() const noexcept { return on_; }

 private:
  bool on_;
};

}  // namespace ext::pianola::property::graph

template <>
struct is_property<ext::pianola::property::graph::narrow>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::narrow")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
