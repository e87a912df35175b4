// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <pianola/model/ids.hpp>
#include <pianola/runtime/graphs.hpp>

#include <sycl/detail/graph_registry.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/event.hpp>
#include <sycl/handler.hpp>
#include <sycl/property_list.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {

namespace detail {
struct graph_access;
}

namespace ext::oneapi::experimental {

enum class node_type {
  empty,
  subgraph,
  kernel,
  memcpy,
  memset,
  memfill,
  prefetch,
  memadvise,
  ext_oneapi_barrier,
  host_task,
  async_malloc,
  async_free
};

/// A command of a graph (sycl_ext_oneapi_graph). Copies name the same node and keep the graph alive.
class node {
 public:
  node() = delete;

  node_type get_type() const;

  /// Unlike those of the graph's other nodes, and larger than those of earlier ones: the number of the command in plans and
  /// pictures.
  std::size_t get_id() const noexcept { return id_.value(); }

  /// Including edges that follow from buffers.
  std::vector<node> get_predecessors() const;
  std::vector<node> get_successors() const;

  /// The index space of a kernel from now on, in graphs that are finalized or updated later. Throws exception
  /// (errc::invalid) if the node is no kernel over a range (an nd_range) of as many dimensions, and as a launch
  /// does if the kernel cannot have this index space.
  template <int Dimensions>
  void update_range(range<Dimensions> extent) {
    ::pianola::model::launch_geometry geometry;
    geometry.dimensions = static_cast<std::uint8_t>(Dimensions);
    geometry.global = sycl::detail::to_extent3(extent);
    sycl::detail::translate(
        [&] { return ::pianola::runtime::set_geometry(*graph_, id_, geometry); });
  }
  template <int Dimensions>
  void update_nd_range(nd_range<Dimensions> extent) {
    ::pianola::model::launch_geometry geometry;
    geometry.dimensions = static_cast<std::uint8_t>(Dimensions);
    sycl::detail::set_geometry(geometry, extent);
    sycl::detail::translate(
        [&] { return ::pianola::runtime::set_geometry(*graph_, id_, geometry); });
  }

  /// Throws exception (errc::invalid) if the event is not of a command that was recorded into a graph
  /// which still exists.
  static node get_node_from_event(event e);

  friend bool operator==(const node& a, const node& b) noexcept {
    return a.graph_ == b.graph_ && a.id_ == b.id_;
  }
  friend bool operator!=(const node& a, const node& b) noexcept { return !(a == b); }

 private:
  template <graph_state>
  friend class command_graph;
  friend class dynamic_command_group;
  friend struct sycl::detail::graph_access;
  friend struct std::hash<node>;

  node(std::shared_ptr<::pianola::runtime::graph> graph, ::pianola::model::command_id id)
      : graph_(std::move(graph)), id_(id) {}

  std::vector<node> nodes(const std::vector<::pianola::model::command_id>& ids) const;

  sycl::detail::shared_state<::pianola::runtime::graph> graph_;
  ::pianola::model::command_id id_;
};

namespace property {
namespace graph {

/// make_edge does not look for cycles, which costs in proportion to the graph for edges against the order of recording.
/// finalize() still finds one.
class no_cycle_check {};
/// Accepted; Pianola lifts the restrictions on buffers in graphs that this property would lift.
class assume_buffer_outlives_graph {};
/// Of earlier revisions of the extension. Accepted likewise: host data of buffers in graphs may end with its buffer.
class assume_data_outlives_buffer {};
/// Recording by the backend: together with what the program gives a device without SYCL. The processor and simulated devices are
/// given nothing so, and graphs made with it are as others are, without the limits that the extension has for it. For devices of
/// CUDA and HIP the construction throws exception (errc::feature_not_supported).
class enable_native_recording {};
/// For finalize(): the executable graph can be updated.
class updatable {};
/// For finalize(): events of replays have profiling times, and so has each node (sycl/ext/pianola/node_times.hpp). On queues
/// that profile, events of replays have times without it. For the construction of a graph: loops and branches that are added to
/// it are run by the host, also where a device could by itself, so that nodes of their bodies have times.
class enable_profiling {};

}  // namespace graph

namespace node {

/// For command_graph::add: edges from the given nodes.
class depends_on {
 public:
  template <class... Nodes,
            class = std::enable_if_t<(std::is_same<Nodes, experimental::node>::value && ...)>>
  depends_on(Nodes... nodes) : nodes_{nodes...} {}

  const std::vector<experimental::node>& get_dependencies() const { return nodes_; }

 private:
  std::vector<experimental::node> nodes_;
};

/// For command_graph::add: edges from every node that has no successor.
class depends_on_all_leaves {};

}  // namespace node
}  // namespace property
}  // namespace ext::oneapi::experimental

template <>
struct is_property<ext::oneapi::experimental::property::graph::no_cycle_check>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::graph::no_cycle_check")> {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::assume_buffer_outlives_graph>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::graph::assume_buffer_outlives_graph")> {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::assume_data_outlives_buffer>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::graph::assume_data_outlives_buffer")> {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::enable_native_recording>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::graph::enable_native_recording")> {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::enable_profiling>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::graph::enable_profiling")> {};
template <>
struct is_property<ext::oneapi::experimental::property::graph::updatable>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::graph::updatable")> {};
template <>
struct is_property<ext::oneapi::experimental::property::node::depends_on>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::node::depends_on")> {};
template <>
struct is_property<ext::oneapi::experimental::property::node::depends_on_all_leaves>
    : detail::known_property<detail::property_key(
          "ext::oneapi::experimental::property::node::depends_on_all_leaves")> {};

}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::ext::oneapi::experimental::node> {
  std::size_t operator()(const sycl::ext::oneapi::experimental::node& n) const noexcept {
    return std::hash<const void*>()(n.graph_.get()) * 31 +
           std::hash<pianola::model::command_id>()(n.id_);
  }
};
