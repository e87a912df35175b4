// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pianola/runtime/graphs.hpp>
#include <pianola/runtime/submission.hpp>

#include <sycl/detail/handler_access.hpp>
#include <sycl/detail/mode.hpp>
#include <sycl/detail/translate.hpp>
#include <sycl/exception.hpp>
#include <sycl/graph_node.hpp>
#include <sycl/handler.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

/// Command groups of which a node of a graph holds one, which can be chosen anew (sycl_ext_oneapi_graph). All
/// of them set the same kind of command. Copies share state.
class dynamic_command_group {
 public:
  /// Calls each group once, now. Throws exception (errc::invalid) if there is none, or if they set commands of
  /// different kinds.
  template <graph_state State>
  dynamic_command_group(const command_graph<State>&,
                        const std::vector<std::function<void(handler&)>>& groups)
      : state_(std::make_shared<state>()) {
    if (groups.empty())
      sycl::detail::throw_error(errc::invalid, "dynamic_command_group: no command group was given");
    for (const auto& group : groups) {
      auto made = std::make_unique<::pianola::runtime::submission>();
      sycl::detail::handler_access::call(*made, group);
      if (!state_->groups.empty() &&
          made->payload.index() != state_->groups.front()->payload.index())
        sycl::detail::throw_error(
            errc::invalid,
            "dynamic_command_group: all command groups must set the same kind of command; number " +
                std::to_string(state_->groups.size()) + " sets another one than number 0");
      state_->groups.push_back(std::move(made));
    }
  }

  std::size_t get_active_index() const { return state_->active; }

  /// For graphs that are finalized or updated from now on. Throws exception (errc::invalid) if there is no such
  /// command group.
  void set_active_index(std::size_t index) {
    if (index >= state_->groups.size())
      sycl::detail::throw_error(
          errc::invalid, "dynamic_command_group::set_active_index: " + std::to_string(index) +
                             " is not less than the " + std::to_string(state_->groups.size()) +
                             " command groups");
    for (const node& n : state_->nodes)
      sycl::detail::translate([&] {
        return ::pianola::runtime::replace_node(*n.graph_, n.id_, *state_->groups[index]);
      });
    state_->active = index;
  }

 private:
  template <graph_state>
  friend class command_graph;

  struct state {
    std::vector<std::unique_ptr<::pianola::runtime::submission>> groups;
    std::vector<node> nodes;
    std::size_t active = 0;
  };
  std::shared_ptr<state> state_;
};

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
