// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <sycl/info.hpp>

namespace sycl {
inline namespace PIANOLA_SYCL_VERSION {
namespace detail {

inline std::vector<memory_order> all_memory_orders() {
  return {memory_order::relaxed, memory_order::acquire, memory_order::release,
          memory_order::acq_rel, memory_order::seq_cst};
}
inline std::vector<memory_scope> all_memory_scopes() {
  return {memory_scope::work_item, memory_scope::sub_group, memory_scope::work_group,
          memory_scope::device, memory_scope::system};
}

}  // namespace detail
}  // namespace PIANOLA_SYCL_VERSION
}  // namespace sycl
