// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::graph {

/// For the construction of a command_graph: queues of any device may record into it, and what they record works on their
/// devices. Data moves between them as buffers need it; order is by buffers and events, over all queues. The graph is
/// submitted to queues of the device that it was constructed with, which is also that of explicit nodes. Native graphs
/// that make it up, one for all devices of a backend where the driver allows that, wait for single steps of each other.
class multi_device {};

}  // namespace ext::pianola::property::graph

template <>
struct is_property<ext::pianola::property::graph::multi_device>
    : detail::known_property<detail::property_key("ext::pianola::property::graph::multi_device")> {
};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
