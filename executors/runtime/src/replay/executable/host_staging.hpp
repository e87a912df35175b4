// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "replay/recorded/graph_snapshot.hpp"

namespace pianola::runtime {

class machine;

// Memory of the host for a graph's copies between devices that do not reach each other's, each of which was recorded as
// two. Copies of the object are of the same memory: several instances of a graph have their own if they may run at a time.
class host_staging {
 public:
  host_staging() = default;
  // Throws user_error (memory_allocation).
  host_staging(const machine& m, const graph_snapshot& recorded);

  // Index: as graph_snapshot::staged.
  [[nodiscard]] void* address(std::size_t staged) const noexcept {
    return static_cast<unsigned char*>(block_.get()) + offsets_[staged];
  }

 private:
  std::shared_ptr<void> block_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace pianola::runtime
