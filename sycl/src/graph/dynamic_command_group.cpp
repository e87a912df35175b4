// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sycl/command_graph.hpp>
#include <sycl/dynamic_command_group.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::oneapi::experimental {

namespace {

bool can_be_exchanged(const ::pianola::model::command_payload& payload) {
  using ::pianola::model::command_kind;
  switch (kind_of(payload)) {
    case command_kind::kernel:
    case command_kind::host_task:
    case command_kind::copy:
    case command_kind::fill:
    case command_kind::prefetch:
    case command_kind::advise:
      return true;
    case command_kind::empty:
    case command_kind::barrier:
    case command_kind::host_access:
    case command_kind::acquire:
    case command_kind::subgraph:
    case command_kind::allocate:
    case command_kind::free:
      return false;
  }
  return false;
}

}  // namespace

dynamic_command_group::dynamic_command_group(
    const command_graph<graph_state::modifiable>& graph,
    const std::vector<std::function<void(handler&)>>& groups) {
  if (groups.empty())
    sycl::detail::throw_error(errc::invalid, "dynamic_command_group: no command group was given");
  const sycl::detail::node_place place = graph.place_of_node({});
  std::vector<std::unique_ptr<::pianola::runtime::submission>> made;
  for (const auto& group : groups) {
    made.push_back(std::make_unique<::pianola::runtime::submission>());
    ::pianola::runtime::submission& one = *made.back();
    one.place = &place;
    sycl::detail::handler_access::call(one, group);
    one.place = nullptr;
    const auto refuse = [&](const char* what) {
      sycl::detail::throw_error(
          errc::invalid,
          fmt::format("dynamic_command_group: command group {}{}", made.size() - 1, what));
    };
    if (one.payload.index() != made.front()->payload.index())
      refuse(" sets another kind of command than number 0; all of them must set the same");
    if (!can_be_exchanged(one.payload))
      refuse(
          " sets no kernel, host task, copy, fill, prefetch or advice, and nothing else can be "
          "exchanged");
    if (one.next != nullptr)
      refuse(" sets a kernel with reductions, which is two commands and cannot be exchanged");
  }
  state_ = std::make_shared<const state>(state{graph.graph(), sycl::detail::translate([&] {
                                                 return ::pianola::runtime::create_alternatives(
                                                     *graph.graph(), std::move(made));
                                               })});
}

std::size_t dynamic_command_group::get_active_index() const {
  return ::pianola::runtime::chosen(*state_->graph, *state_->groups);
}

void dynamic_command_group::set_active_index(std::size_t index) {
  sycl::detail::translate(
      [&] { ::pianola::runtime::choose(*state_->graph, *state_->groups, index); });
}

}  // namespace ext::oneapi::experimental
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
