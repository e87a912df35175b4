// SPDX-License-Identifier: Apache-2.0
#include <sycl/ext/pianola/graph_sequence.hpp>

#include <algorithm>
#include <vector>

#include <pianola/runtime/sequences.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace ext::pianola {

property::graph::split_at_waits::split_at_waits(const std::vector<graph_argument>& values)
    : values_(std::make_shared<const std::vector<graph_argument>>(values)) {}

const std::vector<graph_argument>* property::graph::split_at_waits::values() const noexcept {
  return static_cast<const std::vector<graph_argument>*>(values_.get());
}

graph_sequence::graph_sequence(
    const oneapi::experimental::command_graph<oneapi::experimental::graph_state::modifiable>& graph)
    : state_(std::make_shared<state>()) {
  ::pianola::runtime::graph_legs legs = sycl::detail::translate(
      [&] { return ::pianola::runtime::legs_of(*sycl::detail::graph_access::handle(graph)); });
  for (auto& leg : legs.all)
    state_->legs.push_back(sycl::detail::graph_access::make_executable(std::move(leg), false));
  state_->next = legs.first;
}

event graph_sequence::next(queue& q) { return next(q, {}); }

event graph_sequence::next(queue& q, const std::vector<graph_argument>& values) {
  const std::lock_guard<std::mutex> lock(state_->mutex);
  const auto takes = [](const auto& leg, const graph_argument& value) {
    return ::pianola::runtime::takes_value(*sycl::detail::graph_access::handle(leg), value.get());
  };
  const auto& leg = state_->legs[state_->next];
  std::vector<graph_argument> used;
  for (const graph_argument& v : values) {
    if (takes(leg, v))
      used.push_back(v);
    else if (std::none_of(state_->legs.begin(), state_->legs.end(),
                          [&](const auto& other) { return takes(other, v); }))
      sycl::detail::throw_error(errc::invalid,
                                "graph_sequence::next: a value is given for a graph_parameter that "
                                "no leg of the sequence uses");
  }
  state_->last = used.empty() ? q.ext_oneapi_graph(leg, state_->last)
                              : q.ext_oneapi_graph(leg, used, {state_->last});
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
