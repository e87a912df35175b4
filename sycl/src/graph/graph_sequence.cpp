// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/pianola/graph_sequence.hpp>

#include <pianola/runtime/sequences.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

graph_sequence::graph_sequence(
    const oneapi::experimental::command_graph<oneapi::experimental::graph_state::modifiable>& graph)
    : state_(std::make_shared<state>()) {
  ::pianola::runtime::graph_legs legs = sycl::detail::translate(
      [&] { return ::pianola::runtime::legs_of(*sycl::detail::graph_access::handle(graph)); });
  for (auto& leg : legs.all)
    state_->legs.push_back(sycl::detail::graph_access::make_executable(std::move(leg), false));
  state_->next = legs.first;
}

event graph_sequence::next(queue& q) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  state_->last = q.ext_oneapi_graph(state_->legs[state_->next], state_->last);
  state_->next = (state_->next + 1) % state_->legs.size();
  return state_->last;
}

std::size_t graph_sequence::position() const {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->next;
}

}  // namespace ext::pianola
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
