// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include <pianola/runtime/graphs.hpp>

#include <sycl/detail/mode.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

/// Living modifiable graphs: an event of a recording does not say which graph it belongs to.
class graph_registry {
 public:
  /// Never destroyed: graphs may be static objects.
  static graph_registry& instance() {
    static graph_registry& registry = *new graph_registry;
    return registry;
  }

  void add(const std::shared_ptr<pianola::runtime::graph>& graph) {
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

  std::vector<std::shared_ptr<pianola::runtime::graph>> living() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<pianola::runtime::graph>> all;
    for (const auto& weak : graphs_)
      if (auto graph = weak.lock()) all.push_back(std::move(graph));
    return all;
  }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<pianola::runtime::graph>> graphs_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
