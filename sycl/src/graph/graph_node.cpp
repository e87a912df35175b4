// SPDX-License-Identifier: Apache-2.0
#include <sycl/graph_node.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

node_type node::get_type() const {
  using ::pianola::model::node_kind;
  switch (sycl::detail::translate([this] { return ::pianola::runtime::kind_of(*graph_, id_); })) {
    case node_kind::empty:
    case node_kind::host_access:
      break;
    case node_kind::kernel:
      return node_type::kernel;
    case node_kind::memcpy:
    case node_kind::update:
      return node_type::memcpy;
    case node_kind::memset:
      return node_type::memset;
    case node_kind::fill:
      return node_type::memfill;
    case node_kind::host_task:
      return node_type::host_task;
    case node_kind::barrier:
      return node_type::ext_oneapi_barrier;
    case node_kind::prefetch:
      return node_type::prefetch;
    case node_kind::memadvise:
      return node_type::memadvise;
    case node_kind::subgraph:
      return node_type::subgraph;
    case node_kind::async_malloc:
      return node_type::async_malloc;
    case node_kind::async_free:
      return node_type::async_free;
  }
  return node_type::empty;
}

std::vector<node> node::get_predecessors() const {
  return nodes(
      sycl::detail::translate([this] { return ::pianola::runtime::predecessors(*graph_, id_); }));
}

std::vector<node> node::get_successors() const {
  return nodes(
      sycl::detail::translate([this] { return ::pianola::runtime::successors(*graph_, id_); }));
}

node node::get_node_from_event(event e) {
  const ::pianola::runtime::event& handle = sycl::detail::event_access::handle(e);
  if (handle.record != nullptr)
    for (const auto& graph : sycl::detail::graph_registry::instance().living()) {
      const ::pianola::model::command_id id =
          sycl::detail::translate([&] { return ::pianola::runtime::node_of(*graph, handle); });
      if (id.valid()) return node(graph, id);
    }
  sycl::detail::throw_error(errc::invalid,
                            "node::get_node_from_event: the event is not of a command that was "
                            "recorded into a living graph");
}

std::vector<node> node::nodes(const std::vector<::pianola::model::command_id>& ids) const {
  std::vector<node> all;
  all.reserve(ids.size());
  for (const auto id : ids) all.push_back(node(graph_, id));
  return all;
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
