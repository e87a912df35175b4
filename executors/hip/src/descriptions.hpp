// SPDX-License-Identifier: Apache-2.0
// Operations in the words of the runtime's interface.
#pragma once
#include <vector>

#include <pianola/gpu/boxes.hpp>
#include <pianola/gpu/driver.hpp>

#include "hip_api.hpp"

namespace pianola::hip {

[[nodiscard]] inline bool is_linear(const executors::resolved_copy& box) noexcept {
  return box.height == 1 && box.depth == 1;
}

// The runtime finds out by itself which memory an address is of. (Told so, it would check what it is told
// against what it knows, and not know of memory that is only page-locked.)
[[nodiscard]] memcpy_3d description_of(const gpu::copy_operation& copy) noexcept;
[[nodiscard]] kernel_node_parameters description_of(const gpu::kernel_launch& launch) noexcept;
// Of the first row.
[[nodiscard]] memset_node_parameters description_of(const gpu::fill_operation& fill) noexcept;

// The same as a runtime of that version reads it.
class memset_description {
 public:
  memset_description(const gpu::fill_operation& fill, int runtime_version) noexcept;
  [[nodiscard]] const memset_node_parameters* get() const noexcept {
    return reinterpret_cast<const memset_node_parameters*>(bytes_);
  }

 private:
  static_assert(sizeof(memset_node_parameters_7) <= sizeof(memset_node_parameters) &&
                alignof(memset_node_parameters_7) == alignof(memset_node_parameters));
  alignas(memset_node_parameters) unsigned char bytes_[sizeof(memset_node_parameters)];
};

// What makes the other rows of a fill out of the first one, each time twice as many.
//
// The runtime's own operation on several rows knows bytes only, and as a node of a graph takes the size of the
// elements for their value in some versions.
[[nodiscard]] std::vector<gpu::copy_operation> further_rows(const gpu::fill_operation& fill);

}  // namespace pianola::hip
