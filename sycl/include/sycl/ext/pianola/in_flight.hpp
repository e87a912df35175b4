// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::graph {

/// For finalize: so many launches of the executable graph may run at the same time, each with temporary buffers of its own.
/// Launches that use the same buffers wait for each other as always; order on memory (USM) is the program's business, as for
/// several graphs. Without it a launch starts when the one before has finished. finalize throws exception:
/// errc::invalid for 0 or more than 64, errc::feature_not_supported for a graph that allocates memory.
class in_flight {
 public:
  constexpr explicit in_flight(std::uint32_t launches) noexcept : launches_(launches) {}
  constexpr std::uint32_t value() const noexcept { return launches_; }

 private:
  std::uint32_t launches_;
};

}  // namespace ext::pianola::property::graph

template <>
struct is_property<ext::pianola::property::graph::in_flight>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::in_flight")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
