// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include <pianola/runtime/graphs.hpp>

#include <sycl/detail/mode.hpp>
#include <sycl/detail/shared_state.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/graph_node.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

/// Command groups of which a node of a graph holds one, which can be chosen anew (sycl_ext_oneapi_graph). All
/// of them set the same kind of command: kernels, host tasks, or, beyond the extension, copies, fills, prefetches or advice.
/// Copies are the same groups.
class dynamic_command_group {
 public:
  /// Calls each group once, now. Throws exception (errc::invalid) if there is none, or if they set commands of
  /// different kinds or none that a node can exchange.
  dynamic_command_group(const command_graph<graph_state::modifiable>& graph,
                        const std::vector<std::function<void(handler&)>>& groups);

  std::size_t get_active_index() const;

  /// For graphs that are finalized or updated from now on. Throws exception (errc::invalid) if there is no such
  /// command group.
  void set_active_index(std::size_t index);

  friend bool operator==(const dynamic_command_group& a, const dynamic_command_group& b) noexcept {
    return a.state_ == b.state_;
  }
  friend bool operator!=(const dynamic_command_group& a, const dynamic_command_group& b) noexcept {
    return !(a == b);
  }

 private:
  template <graph_state>
  friend class command_graph;
  friend struct std::hash<dynamic_command_group>;

  struct state {
    std::shared_ptr<::pianola::runtime::graph> graph;
    std::shared_ptr<::pianola::runtime::alternatives> groups;
  };
  sycl::detail::shared_state<const state> state_;
};

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl

template <>
struct std::hash<sycl::ext::oneapi::experimental::dynamic_command_group> {
  std::size_t operator()(
      const sycl::ext::oneapi::experimental::dynamic_command_group& g) const noexcept {
    return std::hash<const void*>()(g.state_.get());
  }
};
