// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <pianola/model/array_view.hpp>

#include "pianola/planner/share_storage.hpp"

namespace pianola::planner {

// Who of some requests may not share bytes with whom, as lists: quick to place them by in many orders.
class apart_pairs {
 public:
  // Nothing if there are more than `most` pairs.
  static std::optional<apart_pairs> of(model::array_view<const timed_request> requests,
                                       std::size_t most);

  [[nodiscard]] model::array_view<const std::uint32_t> of_request(std::size_t i) const noexcept {
    return {others_.data() + first_[i], first_[i + 1] - first_[i]};
  }

 private:
  std::vector<std::size_t> first_;  // index: request; in others_, and one behind them all
  std::vector<std::uint32_t> others_;
};

}  // namespace pianola::planner
