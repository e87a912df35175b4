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
  static graph_registry& instance();

  void add(const std::shared_ptr<pianola::runtime::graph>& graph);

  std::vector<std::shared_ptr<pianola::runtime::graph>> living();

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<pianola::runtime::graph>> graphs_;
};

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
