// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/pianola/node_times.hpp>

#include <pianola/runtime/node_times.hpp>

#include <sycl/command_graph.hpp>
#include <sycl/detail/translate.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

node_profile node_times(const event& launch, const oneapi::experimental::node& n) {
  const auto& [graph, id] = sycl::detail::graph_access::place(n);
  const ::pianola::runtime::node_times found = sycl::detail::translate([&, &g = graph, &i = id] {
    return ::pianola::runtime::times_of(sycl::detail::event_access::handle(launch), *g, i);
  });
  return {
      found.submitted, found.started, found.ended,  sycl::detail::device_access::make(found.device),
      found.lane,      found.runs,    found.rounds, found.total};
}

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
