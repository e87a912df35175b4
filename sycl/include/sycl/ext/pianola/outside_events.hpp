// SPDX-License-Identifier: Apache-2.0
// What the launches of a graph wait for. Described in docs/recorded-graphs.md.
#pragma once

#include <sycl/detail/mode.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace ext::pianola::property::graph {

/// For the construction of a command_graph: an event from outside on which a recorded command depends stands in each launch
/// for what its queue has been given until then, finished or not, and every launch waits for that. Without it the first launch
/// waits for the event, and later ones for nothing.
class wait_in_each_launch {};

}  // namespace ext::pianola::property::graph

template <>
struct is_property<ext::pianola::property::graph::wait_in_each_launch>
    : detail::known_property<detail::property_key(
          "ext::pianola::property::graph::wait_in_each_launch")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
