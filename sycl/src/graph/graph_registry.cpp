// SPDX-License-Identifier: Apache-2.0
#include <sycl/detail/graph_registry.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

graph_registry& graph_registry::instance() {
  static graph_registry& registry = *new graph_registry;
  return registry;
}

void graph_registry::add(const std::shared_ptr<pianola::runtime::graph>& graph) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (std::size_t i = 0; i < graphs_.size();) {
    if (graphs_[i].expired()) {
      graphs_[i].swap(graphs_.back());
      graphs_.pop_back();
    } else {
      ++i;
    }
  }
  graphs_.push_back(graph);
}

std::vector<std::shared_ptr<pianola::runtime::graph>> graph_registry::living() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<pianola::runtime::graph>> all;
  for (const auto& weak : graphs_)
    if (auto graph = weak.lock()) all.push_back(std::move(graph));
  return all;
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
