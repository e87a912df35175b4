// SPDX-License-Identifier: Apache-2.0
// What a recorded graph may do with the memory of a buffer. Described in docs/memory.md.
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::buffer {

/// Within a recorded graph the buffer holds nothing before the graph's commands write it and nothing after the last of
/// them: each executable graph has storage of its own for it, which other temporary buffers use before and after it.
/// Outside of graphs it is a buffer like any other, which no graph touches. It cannot be constructed from host data or
/// USM allocations: that throws exception (errc::invalid).
class temporary {};

/// Where a recorded graph needs more than a device has (or than property::graph::memory_budget says), the buffer may leave
/// the device's memory for the host's while nobody uses it. Never changes results.
class evictable {};

}  // namespace ext::pianola::property::buffer

template <>
struct is_property<ext::pianola::property::buffer::temporary>
    : detail::known_property<detail::property_key("ext::pianola::property::buffer::temporary")> {};
template <>
struct is_property<ext::pianola::property::buffer::evictable>
    : detail::known_property<detail::property_key("ext::pianola::property::buffer::evictable")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
